"""CoDel and PIE under ten NewReno flows: the mean delay is about the target; marks with ECN."""

import numpy as np
import pytest

from longfat import testing
from longfat.sim import Network, run
from longfat.sim.queues import codel, pie


def bottleneck(discipline, seed, **options):
    """Return mean wait [s], utilisation, drops and marks of 20 Mbit/s shared by ten NewReno flows of 100 ms.

    The flows start at random in the first second; the buffer of 1000 packets would hold 600 ms.
    """
    rng = np.random.default_rng(seed)
    net = Network().link("a", "b", rate="20 Mbit/s", delay="50 ms", buffer=1000, discipline=discipline)
    net.link("b", "a", rate="20 Mbit/s", delay="50 ms")
    for k in range(10):
        net.flow("newreno", path=["a", "b"], packet=1500, start=float(rng.random()), name=f"flow {k}", **options)
    found = run(net, duration=60.0, warm_up=20.0, rng=seed, progress=False).sel(link="a-b")
    return float(found.mean_wait), float(found.utilisation), float(found.link_dropped), float(found.link_marked)


@pytest.mark.parametrize(
    ("discipline", "target"),
    [
        (codel(target=0.005), 0.005),
        (codel(target=0.010), 0.010),
        (pie(), 0.015),
        (pie(derandomize=True), 0.015),
        (pie(target=0.03), 0.03),
    ],
)
def test_the_delay_is_about_the_target(discipline, target):
    """Ten NewReno flows: the mean delay is within 20 % of the target, on a busy link."""
    busy = []

    def wait(seed):
        mean, utilisation, *_ = bottleneck(discipline, seed)
        busy.append(utilisation)
        return mean

    found = testing.compare(lambda: target, wait, within="20 %", power=0.95, power_at=1, rng=0)
    assert found.verdict == "agrees", found
    assert min(busy) > 0.95


def test_the_delay_without_control():
    """The check above can fail: a FIFO link uses all of the buffer."""
    assert bottleneck("fifo", 0)[0] > 0.3


@pytest.mark.parametrize(
    ("discipline", "least", "most"), [(codel(ecn=True), 0.004, 0.006), (pie(ecn=True), 0.012, 0.018)]
)
def test_it_marks_instead(discipline, least, most):
    """With ECN nothing is dropped, by PIE below a probability of 10 %, and the delay is near the target."""
    wait, utilisation, dropped, marked = bottleneck(discipline, 0, parameters={"ecn": 1.0})
    assert least < wait < most
    assert utilisation > 0.95
    assert (dropped, marked > 100) == (0, True)


def test_flows_without_ecn_see_no_difference():
    assert bottleneck(codel(ecn=True), 0) == bottleneck(codel, 0)


def test_pie_drops_above_its_threshold():
    *_, dropped, marked = bottleneck(pie(ecn=True, mark_below=0), 0, parameters={"ecn": 1.0})
    assert (dropped > 100, marked) == (True, 0)
