"""Packet-pair against hand arithmetic, and the calibration numbers of Kanakia, Keshav and Mishra.

In their layout a packet takes 44 ms for the links both ways, 0.1 ms and 2 x 0.04 ms for itself, and 0.0144 ms for its
acknowledgment.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import integrate

from longfat.sim import Network, Simulation
from longfat.sim.network import traffic
from longfat.sim.schemes import packet_pair
from tests.sim.lab import one_link, simulated
from tests.sim.own import of_flow
from tests.sim.schemes.kkm import FAST, MS, SLOW, Experiment, Scenario, one
from tests.sim.schemes.losses import Diary, drop_numbers
from tests.sim.spy import Spy

RTT = 44.1944  # ms
SHARE = {"set_point": 20}  # half of what each of 11 flows has of 440 buffers


def services(run):
    """Return the service rates that the first three flows estimate [packets/s]."""
    return np.array([of_flow(run, k).service for k in range(3)])


def rises_to(packets, rate, constant):
    """Return when the inverse exponential has sent so many packets: rate (t - c (1 - exp(-t/c))); by bisection."""
    low, high = 0.0, 10 * constant
    for _ in range(80):
        t = 0.5 * (low + high)
        low, high = (t, high) if rate * (t + constant * math.expm1(-t / constant)) < packets else (low, t)
    return t


@pytest.mark.parametrize("access", [18, 20])
def test_short_files(access):
    """Short files on an empty path, experiment 3 of Kanakia, Keshav and Mishra (1992).

    A pair, a round trip later the others by the inverse exponential of one round trip, whose last packet arrives 0.1 ms
    after the first one of its pair, and one round trip more. Transmission times of the fast links are included.
    """
    for packets in (4, 20, 200):
        found = one("packet-pair", "fair", packets, delays=(access, 1, 1)).transfer_time()
        rtt = RTT - 2 * (20 - access)
        start = rtt + 0.1  # the second of the pair comes 0.1 ms later
        target = 10 + 0.5 * 10 / rtt  # nothing waits: g Bs/RTT more
        assert found == pytest.approx(start + rises_to(packets - 2, target, rtt) + rtt + 0.1, abs=0.15)


def test_all_of_the_rate_at_once():
    """With `jump` the whole rate is sent from the first sample on, as in Keshav (1991).

    As in 1991: 10 + 0.5 x 10/44.19 = 10.11/ms are more than the link's 10/ms, so that it is busy for 198 packets from
    the first pair on, which leaves when the rate has allowed two packets.
    """
    found = one("packet-pair", "fair", 200, jump=1).transfer_time()
    assert found == pytest.approx(RTT + 0.1 + 2 / (10 + 5 / RTT) + 198 / 10 + (RTT - 0.1), abs=0.02)


@pytest.mark.parametrize(
    ("made", "optimal", "round_trip"),
    [
        (lambda: Scenario("1", "packet-pair", "fair", **SHARE), 1444, 44),
        (lambda: Scenario("5", "packet-pair", "fair", **SHARE), 644, 44),
        (lambda: Scenario("9b", "packet-pair", "fair", set_point=1), 1412, 12),
    ],
    ids=["1", "5", "9b"],
)
def test_two_round_trips_more_than_the_least_time(made, optimal, round_trip):
    """One for the first pair and one, the time constant, for the start; within 4 %."""
    assert made().transfer_time() == pytest.approx(optimal + 2 * round_trip, rel=0.04)


def test_two_ways():
    """Gaps measured at the sender suffer from acknowledgment compression; those at the receiver do not.

    Experiment 6: where data of the other direction push acknowledgments together, gaps at the sender say too much, and
    more is sent than fits. Measured at the receivers, nothing is lost. Both within 3 % of 1556 + 132 ms, with a time
    constant of two round trips. Acknowledgments reveal losses here, and rates are averaged, which suffers most.
    """
    rules = {"rise": 2, "reorder": 1, "average_rates": 1, **SHARE}
    dropped = []
    for at_receiver in (0, 1):
        made = Scenario("6", "packet-pair", "fair", gap_at_receiver=at_receiver, **rules)
        times = made.transfer_time("1", "2")
        assert times == pytest.approx([1688, 1688], rel=0.03)
        dropped.append(int(made.run.state.flows["dropped"].sum()))
    assert dropped[1] == 0 < 1000 < dropped[0]


def three_and_one_more(discipline):
    """Return a run of three greedy flows; from 2 s on an uncontrolled one takes its fair share."""
    made = Experiment("packet-pair", discipline)
    sink = made.sink("D")
    for k in range(3):
        made.send(f"f{k}", [*made.host(f"H{k}"), "S2", sink], None)
    made.net.flow(traffic.constant(0.6 * SLOW), path=[*made.host("X", delay=0), "S2", sink], packet=500, start=2.0)
    return Simulation(made.net, rng=1)


@pytest.mark.parametrize("discipline", ["fair", "round-robin"])
def test_the_share_is_known_a_round_trip_after_a_change(discipline):
    """A third of the link, and 44 ms after the fourth flow has begun a fourth, within 5 %."""
    run = three_and_one_more(discipline)
    for time in (1.0, 1.5, 1.9, 2.0):
        run.advance(time)
        assert services(run) * MS == pytest.approx(np.full(3, 10 / 3), rel=0.01)
        assert run.state.flows["rate"][:3].sum() <= 1.05 * SLOW
    for time in (2.0 + RTT * MS, 2.1, 2.5):
        run.advance(time)
        assert services(run) * MS == pytest.approx(np.full(3, 10 / 4), rel=0.05)
    backlogs = [run.state.queues[run.state.hops[int(f.first_hop) + 1].queue].packets for f in run.state.flows[:3]]
    assert backlogs == pytest.approx([10, 10, 10], abs=2)  # the set point


def test_in_order_of_arrival_the_gap_is_not_the_share():
    """Without fair queueing the gap does not measure the share.

    A pair is served back to back, so that every flow takes the whole link for its own, at least twice its share: much
    is lost.
    """
    run = three_and_one_more("fifo")
    run.advance(1.9)
    assert (services(run) * MS > 20 / 3).all()  # 10/3 would be right
    assert run.state.flows["rate"][:3].sum() > 2 * SLOW
    assert run.state.flows["dropped"][:3].sum() > 10_000


def test_packets_leave_as_pairs():
    """A pair, a round trip's silence; then pairs, and with nobody else two every 0.2 ms in the end."""
    spy = Spy()
    net = Network().link("a", "b", rate=math.inf, discipline=spy.discipline).link("b", "a", rate=math.inf)
    net.link("b", "c", rate=SLOW, delay=0.01, buffer=440, discipline="fair").link("c", "b", rate=math.inf, delay=0.01)
    net.flow("packet-pair", path=["a", "b", "c"], packet=500)
    Simulation(net, rng=1).advance(0.5)
    times = np.array([one.time for one in spy.data])
    first = 20_200_000  # 20 ms and two packets of 0.1 ms
    assert times[:2].tolist() == [0, 0]
    assert (times[2::2][: len(times[3::2])] == times[3::2]).all()
    gaps = np.diff(times[2::2])
    assert gaps[-200:].mean() == pytest.approx(200_000, rel=0.001)
    # the time constant is 20.1 ms: the next pair leaves when 10.25 (t - c (1 - exp(-t/c))) = 2
    expected = rises_to(2, 10 + 5 / 20.1, 20.1)
    assert times[2] - first == pytest.approx(1e6 * expected, rel=0.001)


def test_the_rate_is_integrated():
    """The credit of the rate agrees with scipy's quadrature, across the end of the start."""
    flow = SimpleNamespace(rise=2.0, jump=0.0, target=3.0, began=1.0, propagation=0.05)
    credit, ramp = packet_pair.credit.py_func, packet_pair.ramp.py_func
    for begin, end in ((1.0, 1.2), (1.1, 1.1001), (1.4, 1.7), (1.6, 2.0)):
        expected, _ = integrate.quad(lambda t: 3.0 * ramp(flow, t), begin, end, points=[1.5], epsabs=1e-13)
        assert credit(flow, begin, end) == pytest.approx(expected, rel=1e-9)
    assert ramp(flow, 1.1) == pytest.approx(1 - math.exp(-1))
    assert ramp(flow, 1.5) == 1.0
    flow.jump = 1.0
    assert credit(flow, 1.0, 1.2) == pytest.approx(0.6)


def test_the_weight_of_the_past():
    """Small errors of the estimate keep the past, large ones discard it.

    Weight of the past: 0.9 while the smoothed error is below 0.2, then less, 0.1 from 0.7 on. Gaps are averaged; or
    rates, with `average_rates`.
    """
    flow = SimpleNamespace(smoothing=0.5, error=0.0, service=10.0, average_rates=0.0)
    estimate = packet_pair.estimate.py_func
    estimate(flow, 8.0)  # gaps of 0.1 and 0.125, as below: 0.9 x 0.1 + 0.1 x 0.125 = 0.1025
    assert flow.service == pytest.approx(1 / 0.1025)
    flow.service, flow.error = 10.0, 0.0
    estimate(flow, 1.0)  # 0.5 x 0.1 + 0.5 x 1 = 0.55
    assert flow.service == pytest.approx(1 / 0.55)
    flow.service, flow.error, flow.average_rates = 10.0, 0.0, 1.0
    estimate(flow, 8.0)  # error 0.2, smoothed 0.1: 0.9 x 10 + 0.1 x 8
    assert flow.service == pytest.approx(9.8)
    flow.service, flow.error = 10.0, 0.0
    estimate(flow, 1.0)  # 0.9, smoothed 0.45, half of the way: 0.5 x 10 + 0.5
    assert flow.service == pytest.approx(5.5)
    flow.service, flow.error = 1.0, 0.9
    estimate(flow, 10.0)  # 0.9: 0.1 x 1 + 0.9 x 10
    assert flow.service == pytest.approx(9.1)


def test_the_mean_gap_is_the_service_time():
    """The mean gap is the reciprocal of the service rate; the mean of the reciprocals of gaps is larger.

    Gaps of 1.0 and 1.2 ms in turn: a packet is served every 1.1 ms, 0.909 packets per ms; (1 + 1/1.2)/2 = 0.917. In the
    long run an exponentially weighted mean of a sequence with period two has the sequence's mean over two steps.
    """
    flow = SimpleNamespace(smoothing=0.5, error=0.0, service=1.0, average_rates=0.0)
    for flow.average_rates in (0.0, 1.0):
        seen = []
        for gap in [1.0, 1.2] * 300:
            packet_pair.estimate.py_func(flow, 1 / gap)
            seen.append(flow.service)
        if flow.average_rates:
            assert (seen[-1] + seen[-2]) / 2 == pytest.approx((1 + 1 / 1.2) / 2, rel=1e-12)
        else:
            assert (1 / seen[-1] + 1 / seen[-2]) / 2 == pytest.approx(1.1, rel=1e-12)


@pytest.mark.parametrize("reorder", [1e9, 1])
def test_only_the_timer_reveals_a_loss(reorder):
    """A lost packet is sent again 0.2 s after the last acknowledgment of new data, or after the next acknowledgment.

    The acknowledgment of packet 39, the last one before the lost packet 40, restarts the timer; its round trip is about
    20 ms, so that the timeout is the lower bound of 0.2 s. The next acknowledgment, 0.1 ms later, reveals the loss if
    it may. The packet leaves with the next pair, at most 0.4 ms later at half the rate of 10 packets per ms.
    """
    sent, returned = Spy(), Spy()
    net = Network().link("a", "b", rate=math.inf, discipline=sent.discipline)
    net.link("b", "c", rate=math.inf, discipline=drop_numbers(40))
    net.link("c", "d", rate=SLOW, delay=0.01, buffer=440, discipline="fair").link("d", "c", rate=math.inf, delay=0.01)
    net.link("c", "b", rate=math.inf).link("b", "a", rate=math.inf, discipline=returned.discipline)
    net.flow("packet-pair", path=["a", "b", "c", "d"], packet=500, parameters={"reorder": reorder})
    Simulation(net, rng=1).advance(0.4)
    lost = [one.time for one in sent.data if one.number == 40]
    assert len(lost) == 2
    last = min(one.time for one in returned.acks if one.number == 40)  # 40 is expected next
    wait = 200_000_000 if reorder > 1 else 100_000
    assert wait <= lost[1] - last < wait + 400_000


def test_what_is_lost():
    """The first pair is: another one after the first timeout of 3 s. Later packets are retransmitted; the file ends."""
    diary = Diary("packet-pair", drop_numbers(0, 1), until=3.15)
    assert diary.sent(3.0) == [0, 1]
    assert len(diary.entries) == 4
    net = Network().link("a", "b", rate=SLOW, delay=0.01, buffer=100, discipline="fair", loss=0.02)
    net.link("b", "a", rate=FAST, delay=0.01, loss=0.02).flow("packet-pair", path=["a", "b"], packet=500, file=1e6)
    run = simulated(net, 3.0, 3)
    assert run.all_done()
    assert run.state.flows[0].dropped > 20


def test_a_timeout_halves_the_estimate():
    """Everything is lost from 1 s on (the buffer stays, the link does not): half of it, with every timeout."""
    run = simulated(
        one_link("packet-pair", rate=SLOW, delay=0.01, buffer=440, discipline="fair", back=FAST, packet=500), 1.0
    )
    assert of_flow(run).service == pytest.approx(1e4, rel=1e-3)
    run.state.links["loss"][0] = 1.0
    while run.state.flows[0].timeouts < 3:
        run.advance(run.now + 0.001)
    assert of_flow(run).service == pytest.approx(1e4 / 8, rel=1e-3)
