"""The TCP family against its laws of long-run throughput: utilisation, square root, many flows, round trips.

Expected values are those of the formulas, written out here. The laws in longfat.laws give the same ones.
"""

import math

import pytest

from longfat import laws
from longfat.sim import Network, queues, run
from tests.sim.lab import one_link

BDP = 500  # packets of 1000 B in a round trip of 0.1 s


@pytest.mark.parametrize(
    ("scheme", "buffer", "expected"),
    # 0.75 (1 + b)^2/(1 + b + b^2): 0.75 x 1.5625/1.3125; 1
    [("reno", 0.25, 0.89286), ("newreno", 0.25, 0.89286), ("sack", 0.25, 0.89286), ("sack", 1.0, 1.0)],
)
def test_utilisation_of_the_sawtooth(scheme, buffer, expected):
    """Utilisation of one flow is that of the AIMD sawtooth, within 2 %.

    The window is a sawtooth between half and all of the bandwidth-delay product plus the buffer. Ten whole
    periods are measured; the start, with ssthresh in the middle of the sawtooth, lasts one, and a second one is left
    out.
    """
    rtt, rate = 0.1, BDP * 1000 / 0.1
    start = {"initial_ssthresh": BDP * (1 + buffer) * 3 / 4}  # middle of the sawtooth
    net = one_link(scheme, rate=rate, delay=rtt / 2, buffer=int(buffer * BDP), parameters=start)
    # From (1 + b)/2 to 1 + b BDP by one packet per round trip; the round trip grows beyond one BDP.
    top = BDP * (1 + buffer)
    period = rtt * ((BDP - top / 2) + (top**2 - BDP**2) / (2 * BDP))
    data = run(net, duration=12 * period, warm_up=2 * period, rng=1, progress=False)
    assert float(data.utilisation[0]) == pytest.approx(expected, rel=0.02)
    assert float(data.timeouts[0]) == 0
    assert expected == pytest.approx(laws.tcp.aimd_utilisation(buffer), abs=1e-5)


def square_root(scheme, loss, replications=5):
    """Return packets sent over 1.22/(RTT sqrt p) at RTT 0.1 s, with the ends of the 95 % interval."""
    rtt = 0.1
    law = math.sqrt(1.5 / loss) / rtt  # packets/s
    seconds = 300 / (loss * law)  # 300 losses
    start = {"initial_ssthresh": math.sqrt(1.5 / loss)}
    net = one_link(scheme, rate=1e9, delay=rtt / 2, loss=loss, parameters=start)
    data = run(net, duration=seconds + 20, warm_up=20, replications=replications, rng=3, progress=False)
    assert law == pytest.approx(laws.tcp.square_root_rate(loss, rtt), rel=1e-9)
    return [float(data[name][0]) / seconds / law for name in ("sent", "sent_lower", "sent_upper")]


@pytest.mark.parametrize(
    ("scheme", "loss"),
    [("reno", 0.001), ("newreno", 0.001), ("sack", 0.001), ("reno", 0.01)],  # the order is below
)
def test_square_root_law(scheme, loss):
    """Within 15 %; Student's interval of five runs is narrow enough for that to say something."""
    mean, lower, upper = square_root(scheme, loss)
    assert mean == pytest.approx(1.0, abs=0.15)
    assert upper - lower < 0.15


def test_order_of_the_schemes():
    """SACK is closest, Reno lowest, at 1 % loss, where several losses in one window are common."""
    reno, newreno, sack = (square_root(scheme, 0.01, 10) for scheme in ("reno", "newreno", "sack"))
    assert reno[2] < newreno[1]
    assert newreno[2] < sack[1]
    assert abs(sack[0] - 1) < 0.05


def dumbbell(scheme, count, far=0.0, ecn=False, seconds=60.0):
    """Return a run of flows through RED at 10 MB/s and 50 ms, and as many with a longer path if wanted."""
    red = queues.red(min_th=100, max_th=500, max_p=0.02, weight=0.0005, gentle=True, ecn=ecn)
    net = Network().link("a", "b", rate=1e7, delay=0.025, buffer=2000, discipline=red)
    # Slow start ends where the flow's share is: otherwise 1000 losses at once are repaired for half the run.
    start = {"ecn": float(ecn), "initial_ssthresh": 600 / count}
    options = {"count": count, "stagger": 0.137, "send_jitter": 1e-4, "parameters": start}
    net.flow(scheme, path=["a", "b"], name="near", ack_path="ideal", **options)
    if far:
        net.link("c", "a", rate=1e9, delay=far / 2)
        net.flow(scheme, path=["c", "a", "b"], name="far", ack_path="ideal", **options)
    return run(net, duration=seconds, warm_up=15, rng=1, progress=False)


@pytest.mark.parametrize(
    ("scheme", "ecn", "count"), [("sack", False, 10), ("newreno", False, 20), ("sack", True, 20), ("reno", True, 10)]
)
def test_red_and_many_flows(scheme, ecn, count):
    """Under RED the rates of the square-root law at the losses, or marks, that are seen add up to the link rate.

    Within the law's 15 %; all get as much; with marks nothing is retransmitted.
    """
    data = dumbbell(scheme, count, ecn=ecn)
    p = float(data.link_dropped[0] + data.link_marked[0]) / float(data.arrived[0])
    rtt = 0.05 + 1e-4 + float(data.mean_wait[0])
    assert count * math.sqrt(1.5 / p) / rtt == pytest.approx(1e4, rel=0.15)
    assert float(data.utilisation[0]) > 0.99
    assert float(data.jain_index) > 0.95
    if ecn:
        assert float(data.retransmitted.sum()) == 0


@pytest.mark.parametrize(("scheme", "longer"), [("newreno", 2), ("sack", 4)])
def test_ratio_of_round_trips(scheme, longer):
    """With the same losses rates are as 1/RTT: "about r", here within 20 %."""
    near = 0.06  # with the queue's 100 packets or so
    data = dumbbell(scheme, 5, far=near * (longer - 1), seconds=300.0)
    near = 0.0501 + float(data.mean_wait[0])
    ratio = 1 + 0.06 * (longer - 1) / near
    goodput = data.goodput.values
    assert goodput[:5].mean() / goodput[5:].mean() == pytest.approx(ratio, rel=0.2)
