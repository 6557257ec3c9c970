"""CADPC by design: update periods by the law, what the simulation says of them, and bandwidth for a class."""

import numpy as np
import pytest

from longfat import design
from longfat.sim import Network, run

PATH = {"rate": "10Mbit/s", "round_trip_time": "100ms"}


@pytest.fixture(scope="module")
def answer():
    return design.cadpc(**PATH, fairness_time="20s", flows=[2, 10, 100], replications=2, progress=False)


def test_periods_by_hand(answer):
    """The longest period N, in round trips of 0.1 s, with which flows are fair within 20 s.

    a = 1/2, q = 0.1: t = ln 0.1/ln(1 - 0.5/(n + 1)) updates. n = 2: ln 0.1/ln(5/6) = 12.63, so 13 updates, N = 15.
    n = 10: ln 0.1/ln(21/22) = 49.5, so 50 updates, N = 4. n = 100: 464 updates take 46.4 s even with N = 1: too slow.
    """
    assert answer.period.values[:2].tolist() == [15, 4]
    assert np.isnan(answer.period.values[2])
    assert answer.status.values.tolist() == ["reached", "reached", "too slow"]
    assert answer.fairness_time.values == pytest.approx([13 * 1.5, 50 * 0.4, 464 * 0.1], rel=0.01)
    assert answer.attrs["most_flows"] == 10


def test_the_simulation_confirms(answer):
    found = answer.isel(flows=slice(2))
    np.testing.assert_allclose(found.throughput, found.law_throughput, rtol=0.03)
    assert (found.jain_index > 0.999).all()
    assert (found.loss == 0).all()
    # requests of 32 + 16 bytes and answers of 32, every N round trips
    assert found.signalling.values == pytest.approx([2 * 80 / 1.5, 10 * 80 / 0.4])


def test_a_queue_that_is_too_long():
    tight = design.cadpc(**PATH, fairness_time="60s", flows=[20], queue=0.01, replications=2, progress=False)
    assert tight.status.values.tolist() == ["queue too long"]
    assert tight.attrs["most_flows"] == 0
    as_time = design.cadpc(**PATH, fairness_time="60s", flows=[2], queue="8ms", replications=2, progress=False)
    assert as_time.attrs["queue_bound"] == pytest.approx(10)  # 8 ms at 1250 packets/s


def test_a_class_by_hand():
    """Weights 1, 1, 2 at 2 Mbit/s: 2 (1 + 4) = 10 Mbit/s, of which 8 are used; and so it comes out in packets."""
    answer = design.cadpc_class(weights=[1, 1, 2], rate="2Mbit/s")
    assert float(answer.reserved) == 1.25e6
    assert answer.rate.values == pytest.approx([250_000, 250_000, 500_000])
    net = Network().link("a", "b", rate=float(answer.reserved), delay=0.05, buffer=50)
    net.link("b", "a", rate=float("inf"), delay=0.05)
    for w in answer.weight.values:
        net.flow("cadpc", path=["a", "b"], packet=1000, send_jitter=0.0008, parameters={"weight": float(w)})
    data = run(net, duration=100, warm_up=60, rng=1, progress=False)
    np.testing.assert_allclose(data.goodput, answer.rate, rtol=0.03)
