"""Schemes and routers that the papers name beside theirs: plug-ins that conform, and rows that could fail."""

import numpy as np
import pytest

from figures.blt import bursts
from figures.blt.networks import bare_dumbbell, connection
from figures.cadpc import beyond
from figures.cadpc.capc import CAPC, CAPC_SWITCH, CHANGING
from figures.cadpc.networks import CAPACITY
from figures.cadpc.two_queues import CLASSES, XCP_BESIDE_TCP
from figures.claims import Context
from figures.gong_parulkar.delaying import DELAYING
from longfat import fluid
from longfat.sim import Network, conformance, run

SMALL = Context(1e5, 0)
#: Rows of the scoreboard, each also with its cause removed: stored, because they take seconds to compile and run.
assesses_rows = pytest.mark.long


@pytest.mark.long
@pytest.mark.parametrize(
    "plug_in",
    [CAPC_SWITCH, CAPC, CHANGING, CLASSES, XCP_BESIDE_TCP, DELAYING, bursts.IN_ORDER],
    ids=lambda one: one.name,
)
def test_plug_ins_conform(plug_in):
    assert conformance(plug_in).passed


def test_without_losses_the_receiver_in_order_changes_nothing():
    """A burst of 40 packets of 500 bytes fits the buffer of 75: 40 times at 30 Mbit/s, and a round trip of 30 ms."""
    times = []
    for scheme in (bursts.IN_ORDER, bursts.BLT):
        net = bare_dumbbell("BLT", bursts.REFERENCE)
        net.flow(scheme, name="x", file=20_000, **connection(bursts.REFERENCE))
        times.append(float(run(net, rng=1, progress=False).transfer_time[0]))
    assert times[0] == times[1]
    assert times[0] == pytest.approx(0.030 + 40 * 500 * 8 / 30e6 + 2 * 500 * 8 / 150e6, rel=1e-6)


@assesses_rows
def test_a_queue_without_priorities_does_not_punish_by_length(monkeypatch):
    assert bursts.punished(SMALL).verdict == "ordering reproduced"
    monkeypatch.setattr(bursts, "bare_dumbbell", lambda _, path: bare_dumbbell("BLT, drop-tail", path))
    assert bursts.punished(SMALL).verdict != "ordering reproduced"


@assesses_rows
def test_ecn_that_marks_nothing_helps_nowhere(monkeypatch):
    assert bursts.ecn(SMALL).verdict == "reproduced under an interpretation"
    with_ecn = bursts.with_ecn
    monkeypatch.setattr(bursts, "with_ecn", lambda trip, _, sizes, rng: with_ecn(trip, False, sizes, rng))
    assert bursts.ecn(SMALL).verdict == "differs"


@pytest.mark.parametrize("target", [0.5, 0.9])
def test_capc_with_packets_is_capc_without(target):
    """Two flows over one link: the target, shared equally; and without packets the same."""
    net = Network().link("a", "b", rate=CAPACITY, delay=0.01, buffer=100, discipline=CAPC_SWITCH(target=target))
    net.link("b", "a", rate=CAPACITY, delay=0.01)
    net.flow(CAPC, path=["a", "b"], packet=1000, count=2, send_jitter=1e-4)
    data = run(net, duration=60, warm_up=30, rng=1, progress=False)
    course = fluid.integrate(fluid.systems.capc(2), 600, {"share": 0.01}, target=target)
    assert 2 * float(course.share[-1]) == pytest.approx(target, rel=1e-3)
    assert data.goodput.values / CAPACITY == pytest.approx([target / 2, target / 2], rel=0.02)


@assesses_rows
def test_rows_of_cadpc_can_fail(monkeypatch):
    """Nothing kept free: the target is the capacity, and the queue as long as before."""
    assert beyond.changing_target(SMALL).verdict == "ordering reproduced"
    monkeypatch.setattr(beyond, "CHANGING", CHANGING(spared=0.0))
    assert beyond.changing_target(SMALL).verdict != "ordering reproduced"
    monkeypatch.setattr(beyond, "CAPC_SWITCH", CAPC_SWITCH(target=0.6))
    assert beyond.capc(SMALL).verdict == "differs"


@assesses_rows
def test_weights_follow_the_number_of_flows():
    """Equal weights give three flows of XCP 10/3 of the rate of ten of TCP; weights that move bring both together."""
    fixed, moving = (
        beyond._beside_tcp(SMALL, 3, 10, name).value for name in ("two queues of equal weight", "two queues")
    )
    assert fixed == pytest.approx(10 / 3, rel=0.05)
    assert moving == pytest.approx(1.0, rel=0.1)


def test_a_class_keeps_its_weight():
    """Both classes always have packets: a constant load of the whole link in each, and weights of 0.7 and 0.3."""
    from longfat.sim import traffic

    net = Network().link("a", "b", rate=1e6, delay=0.01, buffer=100, discipline=CLASSES(flows=1, weight=0.7, room=50))
    net.link("b", "a", rate=1e6, delay=0.01)
    for name in ("second", "first"):
        net.flow(traffic.constant(1e6), path=["a", "b"], name=name, packet=1000)
    data = run(net, duration=20, warm_up=2, rng=1, progress=False)
    assert np.round(data.goodput.values / 1e6, 3).tolist() == [0.7, 0.3]
