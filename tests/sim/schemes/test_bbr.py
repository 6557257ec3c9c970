"""Both versions of BBR against their documents: draft-ietf-ccwg-bbr-06 (2026), and Cardwell and others (2016)."""

import functools
import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from longfat.sim import Network, Simulation, queues, run
from longfat.sim.network import traffic
from longfat.sim.schemes import bbr, bbr1, bbr_common, bbr_model
from tests.sim.lab import as_python, one_link
from tests.sim.own import of_flow
from tests.sim.schemes.losses import drop_numbers

PACKET = 1500
RATE, RTT = 2.5e6, 0.04  # 20 Mbit/s
ROUND_TRIP = RTT + PACKET / RATE  # with the transmission time, on a link whose way back takes none
BDP = RATE * ROUND_TRIP / PACKET  # 67.7 packets
DOWN, REFILL, UP = bbr_model.DOWN, bbr_model.REFILL, bbr_model.UP
BOTH = pytest.mark.parametrize("scheme", ["bbr", "bbr1"])


def network(scheme, rtt=RTT, **options):
    given = {"rate": RATE, "delay": rtt / 2, "buffer": 100, "packet": PACKET, "stagger": 0.5, **options}
    return one_link(scheme, **given)


def simulated(scheme, **more):
    return Simulation(network(scheme, **more), rng=1)


def steps(one, until, step):
    """Return the state of the scheme and the row of the flow at times `step` apart."""
    times = np.arange(one.state.row.now * 1e-9 + step, until, step)
    for now in times:
        one.advance(float(now))
        yield float(now), of_flow(one), one.state.flows[0]


# Parts of the rules, by hand.


@pytest.mark.parametrize(
    ("in_flight", "lost", "volume"),
    # before the packet: in_flight - 1 and lost - 1. 0.02 x 99 - 1 = 0.98, over 0.98: all of the packet.
    # 0.02 x 149 - 2 = 0.98: again. 0.02 x 74 - 1 = 0.48, over 0.98: 0.4898. Before it too many: none of it.
    [(100, 2, 100.0), (150, 3, 150.0), (75, 2, 74 + 0.48 / 0.98), (50, 5, 49.0)],
)
def test_volume_at_a_loss(in_flight, lost, volume):
    """The volume at which losses reach 2 % (draft-ietf-ccwg-bbr-06, section 5.5.10.2, InflightAtLoss())."""
    event = SimpleNamespace(sent_in_flight=in_flight, lost_since_sent=lost)
    assert bbr_model.inflight_at_loss.py_func(event) == pytest.approx(volume, rel=1e-12)
    assert bbr_model.is_inflight_too_high.py_func(event) == (lost / in_flight > 0.02)


def test_a_window_counts_as_used_for_this_round_and_the_next():
    """draft-ietf-ccwg-bbr-06, section 2.2, C.is_cwnd_limited: the round trip may have begun since."""
    rounds = [SimpleNamespace(round_count=7 + k, limited_round=7) for k in range(4)]
    assert [bool(bbr_model.is_cwnd_limited.py_func(flow)) for flow in rounds] == [True, True, False, False]


@pytest.mark.parametrize(
    ("longterm", "volume"),
    # 15 % below, at least a packet, and at least four: 100 - 15, 6 - 1 (0.9 is less), 4.5 - 1 is less than 4
    [(math.inf, math.inf), (100.0, 85.0), (6.0, 5.0), (4.5, 4.0)],
)
def test_headroom(longterm, volume):
    """draft-ietf-ccwg-bbr-06, section 5.3.3.9, InflightWithHeadroom(): max(1 packet, 0.15) below inflight_longterm."""
    flow = SimpleNamespace(inflight_longterm=longterm)
    assert bbr_model.inflight_with_headroom.py_func(flow) == volume


def test_a_queue_that_is_not_drained(monkeypatch):
    """Drain lasts for three more round trips (draft-ietf-ccwg-bbr-06, section 5.3.2), or until the queue is drained.

    With a bandwidth-delay product of 50 packets that is when 50 are in flight.
    """
    as_python(monkeypatch, bbr_model, "check_startup_high_loss", "quantized", "bdp_multiple")
    monkeypatch.setattr(bbr, "start_down", lambda flow, now: setattr(flow, "phase", bbr_model.DOWN))
    for in_flight, rounds, phase in (
        (51, 3, bbr_model.DRAIN),
        (51, 4, bbr_model.DOWN),
        (50, 0, bbr_model.DOWN),
    ):
        flow = SimpleNamespace(
            phase=bbr_model.DRAIN, loss_round_start=False, full_bw_reached=True, in_flight=in_flight, bdp=50.0,
            initial_cwnd=10.0, round_count=20 + rounds, drain_start_round=20,
        )  # fmt: skip
        bbr.check_startup_and_drain.py_func(flow, SimpleNamespace(now=1.0))
        assert flow.phase == phase


@pytest.mark.parametrize(
    ("volume", "phase", "quantized"),
    [
        (2.0, bbr_model.CRUISE, 4.0),
        (50.0, bbr_model.CRUISE, 50.0),
        (50.0, bbr_model.UP, 52.0),
        (2.0, bbr_model.UP, 6.0),
    ],
)
def test_quantized(volume, phase, quantized):
    """draft-ietf-ccwg-bbr-06, section 5.6.4.2, QuantizationBudget(): at least four packets, two more in ProbeBW_UP."""
    assert bbr_model.quantized.py_func(SimpleNamespace(phase=phase), volume) == quantized


@pytest.mark.parametrize(
    ("waited", "rounds", "bdp", "window", "probes"),
    [
        (2.5, 0, 500.0, 900.0, False),  # after more than 2.5 s
        (2.6, 0, 500.0, 900.0, True),
        (0.1, 62, 500.0, 900.0, False),  # or 63 round trips
        (0.1, 63, 500.0, 900.0, True),
        (0.1, 29, 30.0, 900.0, False),  # or as many as Reno needs to grow by the bandwidth-delay product
        (0.1, 30, 30.0, 900.0, True),
        (0.1, 20, 30.0, 20.0, True),  # of which only a window is in flight
    ],
)
def test_time_to_probe(monkeypatch, waited, rounds, bdp, window, probes):
    """draft-ietf-ccwg-bbr-06, section 5.3.3.8.3, IsTimeToProbeBW(), IsRenoCoexistenceProbeTime(), TargetInflight()."""
    as_python(monkeypatch, bbr_model, "target_inflight", "bdp_multiple")
    flow = SimpleNamespace(
        cycle_stamp=10.0, bw_probe_wait=2.5, rounds_since_probe_up=rounds, bdp=bdp, window=window, initial_cwnd=10.0
    )
    assert bbr_model.is_time_to_probe.py_func(flow, 10.0 + waited) == probes


@pytest.mark.parametrize(
    ("in_flight", "longterm", "cruises"),
    [(85, 100.0, True), (86, 100.0, False), (90, math.inf, True), (91, math.inf, False)],
)
def test_time_to_cruise(monkeypatch, in_flight, longterm, cruises):
    """draft-ietf-ccwg-bbr-06, section 5.3.3.9, IsTimeToCruise(): headroom below 100, and the product of 90 packets."""
    as_python(monkeypatch, bbr_model, "inflight_with_headroom", "quantized")
    as_python(monkeypatch, bbr_common, "pipe")
    flow = SimpleNamespace(
        in_flight=in_flight, inflight_longterm=longterm, phase=bbr_model.DOWN, max_bw=9e5, min_rtt=0.1, packet_size=1000
    )
    assert bbr_model.is_time_to_cruise.py_func(flow) == cruises


@pytest.mark.parametrize(
    ("full", "window", "delivered", "most", "expected"),
    [
        (True, 50, 100, 60, 54), (True, 50, 100, 52, 52), (True, 50, 100, 2, 4),
        (False, 50, 100, 52, 54), (False, 52, 100, 52, 52), (False, 52, 9, 52, 56), (False, 0, 100, 0, 4),
    ],
)  # fmt: skip
def test_growth_of_the_window(full, window, delivered, most, expected):
    """draft-ietf-ccwg-bbr-06, section 5.6.4.6, SetCwnd(): four packets more, within its bound; at least four."""
    flow = SimpleNamespace(full_bw_reached=full, delivered=delivered, initial_cwnd=10)
    assert bbr_common.grown_window.py_func(flow, SimpleNamespace(newly_delivered=4), window, most) == expected


@pytest.mark.parametrize(("done", "leaves"), [(0.0, False), (0.9, True), (1.0, False), (1.1, False)])
def test_probe_rtt_ends_at_a_restart_from_idleness(monkeypatch, done, leaves):
    """draft-ietf-ccwg-bbr-06, section 5.3.4.3, CheckProbeRTTDone(): after its end, which is unknown (0) at first."""
    as_python(monkeypatch, bbr_model, "in_probe_bw")
    left = []
    monkeypatch.setattr(bbr, "exit_probe_rtt", lambda flow, now: left.append(now))
    flow = SimpleNamespace(in_flight=1, app_limited_until=7, phase=bbr_model.PROBE_RTT, probe_rtt_done_stamp=done)
    bbr.send(flow, SimpleNamespace(sent=1.0))
    assert left == [1.0] * leaves


def test_slope_of_the_upper_bound():
    """draft-ietf-ccwg-bbr-06, section 5.3.3.9, RaiseInflightLongtermSlope(): 100/1, 100/2, 100/4, at least a packet."""
    flow, found = SimpleNamespace(window=100.0, bw_probe_up_rounds=0, probe_up_acked_per_inc=math.inf), []
    for _ in range(40):
        bbr.raise_slope.py_func(flow)
        found.append(flow.probe_up_acked_per_inc)
    assert found[:8] == [100.0, 50.0, 25.0, 12.5, 6.25, 3.125, 1.5625, 1.0]
    assert (found[-1], flow.bw_probe_up_rounds) == (1.0, 30)


def test_largest_value_of_a_window():
    """The filter of three candidates lies between the true maxima of the last quarter and of the whole window."""
    draw = np.random.default_rng(5)
    for window in (1, 2, 10):
        best, when, values = [0.0] * 3, [0] * 3, []
        for time in range(300):
            values.append(float(draw.random()) + (time // 100 % 2))
            found = bbr_common.windowed_max.py_func(best, when, time, window, values[-1])
            assert max(values[max(0, time - window // 4) :]) <= found <= max(values[max(0, time - window) :])
            assert found in values
    # By hand, window 4: 9 at time 0 holds until 4; then the largest one after it, 7 at time 2.
    best, when = [0.0] * 3, [0] * 3
    found = [bbr_common.windowed_max.py_func(best, when, k, 4, value) for k, value in enumerate([9, 5, 7, 6, 3, 2, 1])]
    assert found == [9, 9, 9, 9, 9, 7, 7]


def test_bandwidth_of_ten_rounds(monkeypatch):
    """A sample of round 3 is the largest until round 13, as in Linux's filter.

    There is none without a rate, and a low one counts only if the application had enough to send.
    By hand: rounds 4 to 13 have 5 each, round 9 has 6; in round 14 the 9 of round 3 is eleven rounds old.
    """
    as_python(monkeypatch, bbr_common, "update_round", "windowed_max", "start_round")
    flow = SimpleNamespace(
        delivered=0, next_round_delivered=0, round_count=2, conserves=True, long_term=0.0, max_bw=0.0,
        bw_best=[0.0] * 3, bw_when=[0] * 3,
    )  # fmt: skip
    found = {}
    for k in range(3, 16):
        for rate, limited in ((9.0 if k == 3 else 6.0 if k == 9 else 5.0, 0), (0.0, 0), (1.0, 1)):
            event = SimpleNamespace(prior_delivered=flow.delivered, delivery_rate=rate, app_limited=limited)
            flow.next_round_delivered = flow.delivered + (rate < 5.0)  # the first sample begins a round
            bbr1.update_bandwidth.py_func(flow, event)
        found[flow.round_count] = flow.max_bw
    assert found == {**dict.fromkeys(range(3, 14), 9.0), 14: 6.0, 15: 6.0}


@pytest.mark.parametrize(("scheme", "gain"), [("bbr", 2.77), ("bbr1", 2 / math.log(2))])
def test_pacing_begins_with_the_first_round_trip(scheme, gain):
    """10 packets in 1 ms before there is a round-trip time, then in the first one; no slower before the pipe is full.

    The first sample is one packet in a round trip of 40.6 ms, and the window grows by one packet.
    """
    one = simulated(scheme)
    one.advance(0.001)
    flow = one.state.flows[0]
    assert flow.rate == pytest.approx(gain * 10 * PACKET / 1e-3)
    one.advance(ROUND_TRIP + 1e-6)
    flow = one.state.flows[0]
    assert flow.rate == pytest.approx(gain * 10 * PACKET / ROUND_TRIP, rel=1e-6)
    assert flow.window == 11


@BOTH
def test_startup_ends_after_three_rounds_without_growth(scheme):
    """Startup ends three rounds after the last growth by 25 %, with the bandwidth found; Drain empties the queue."""
    one = simulated(scheme, buffer=300)
    grown, last = 0, 0.0
    for _, mine, _flow in steps(one, 1.0, 0.002):
        if mine.full_bw > last:
            grown, last = int(mine.round_count), float(mine.full_bw)
        if mine.phase != 0:
            break
    assert (mine.phase, mine.full_bw_count) == (1, 3)
    assert mine.round_count == grown + 3
    assert mine.max_bw == pytest.approx(RATE, rel=0.01)
    one.advance(1.0)
    assert of_flow(one).phase >= 2
    assert one.state.flows[0].in_flight <= 1.25 * BDP + 3


def test_startup_ends_with_losses():
    """Six ranges and more than 2 % lost in a round end Startup before three rounds without growth.

    The upper bound is then what was delivered in a round, at least the bandwidth-delay product. Every eighth packet
    from 60 on is lost, twelve in all, and the link has room for all others.
    """
    lost = [60 + 8 * k for k in range(10)]
    one = simulated("bbr", discipline=drop_numbers(*lost), buffer=1000, rate=10 * RATE)
    for _, mine, _flow in steps(one, 1.0, 0.002):
        if mine.phase != 0:
            break
    assert mine.full_bw_count < 3
    assert mine.full_bw_reached
    assert mine.inflight_longterm < math.inf
    assert mine.inflight_longterm >= 0.95 * mine.bdp


# Phases in time.


def test_phases_of_a_cycle():
    """DOWN, CRUISE, REFILL and UP follow each other, with the gains of draft-ietf-ccwg-bbr-06, section 5.6.1."""
    gains = {0: (2.77, 2), 1: (0.5, 2), 2: (0.9, 2), 3: (1, 2), 4: (1, 2), 5: (1.25, 2.25), 6: (1, 0.5)}
    one, seen, last_up, waits = simulated("bbr"), [], 0.0, []
    for now, mine, flow in steps(one, 14.0, 0.015):
        phase = int(mine.phase)
        assert (mine.pacing_gain, mine.cwnd_gain) == gains[phase]
        if phase >= 2:
            assert flow.rate == pytest.approx(gains[phase][0] * 0.99 * RATE, rel=0.01)
            assert flow.window <= gains[phase][1] * BDP * 1.02 + 3
        if not seen or phase != seen[-1]:
            seen.append(phase)
            if phase == 5:
                waits.append(now - last_up)
                last_up = now
    assert seen[:7] == [0, 1, 2, 3, 4, 5, 2] or seen[:6] == [0, 1, 3, 4, 5, 2]
    following = set(pairwise(seen))
    assert following <= {(0, 1), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5), (5, 2), (3, 6), (6, 3), (2, 6)}
    assert len(waits) >= 3
    # 2 to 3 s, or 62 or 63 rounds; then a round of REFILL. ProbeRTT begins a cycle, too.
    assert all(1.9 < wait < 6.2 for wait in waits[1:])


def test_a_loss_in_cruise():
    """One loss in CRUISE sets the short-term model to the latest delivery, until REFILL forgets it.

    The latest delivery rate is that of CRUISE, 0.99 of the bandwidth, less one packet of a round trip. The volume was
    the window, twice the bandwidth-delay product and a packet in excess: 136.3, of which 0.7 are more than what was
    delivered in a round trip.
    """
    one = simulated("bbr", discipline=drop_numbers(2000))  # after some 1.2 s
    for _, mine, _flow in steps(one, 2.0, 0.01):
        if mine.bw_shortterm < math.inf:
            break
    assert mine.phase == bbr_model.CRUISE
    assert mine.bw_shortterm == pytest.approx(0.99 * RATE, rel=0.03)
    assert mine.inflight_shortterm == pytest.approx(0.7 * (2 * BDP + 1), rel=0.01)
    assert mine.inflight_longterm == math.inf
    for _, mine, _flow in steps(one, 5.0, 0.01):
        if mine.phase == bbr_model.REFILL:
            break
    assert (mine.bw_shortterm, mine.inflight_shortterm) == (math.inf, math.inf)


@pytest.mark.parametrize(("scheme", "interval", "window"), [("bbr", 5.0, BDP / 2), ("bbr1", 10.0, 4.0)])
def test_probes_of_the_round_trip_time(scheme, interval, window):
    """ProbeRTT begins with the first acknowledgment an interval after the last one ended."""
    one, last, begins, ends, least = simulated(scheme), 0, [], [], math.inf
    probe = bbr_model.PROBE_RTT if scheme == "bbr" else bbr1.PROBE_RTT
    for now, mine, flow in steps(one, 3.5 * interval, 0.02):
        if mine.phase == probe:
            least = min(least, float(flow.window))
            if last != probe:
                begins.append(now)
        elif last == probe:
            ends.append(now)
        last = int(mine.phase)
    assert len(begins) == 3
    assert least == pytest.approx(window, rel=0.02)
    for begin, end in zip(begins, ends, strict=True):  # exactly: test_duration_of_probe_rtt
        assert 0.2 <= end - begin + 0.02 <= 0.2 + 5 * ROUND_TRIP
    if scheme == "bbr":  # the least round trip of CRUISE is no lower than the one before, which does not count
        assert np.array(begins[1:]) - np.array(ends[:-1]) == pytest.approx(interval, abs=2 * ROUND_TRIP)
    else:
        assert np.all(np.array(begins[1:]) - np.array(ends[:-1]) >= interval - 0.04)


@pytest.mark.parametrize(
    ("scheme", "rate", "rtt", "window", "rounds"),
    # With the transmission times of 0.6 and 12 ms, 200 ms are 4.93 round trips of 40.6 ms, and 0.46 of 436 ms: at least
    # one. Half of the bandwidth-delay products, 67.7 and 36.3 packets, is 33 and 18.
    [("bbr", RATE, 0.04, 33, 5), ("bbr", RATE / 20, 0.424, 18, 1), ("bbr1", RATE, 0.04, 4, 5)],
)
def test_duration_of_probe_rtt(scheme, rate, rtt, window, rounds):
    """ProbeRTT drains what exceeds its window, and ends with the first acknowledgment after 200 ms and a round trip.

    draft-ietf-ccwg-bbr-06, section 5.3.4.3. A packet is acknowledged in each transmission time, with version 3 in 1 %
    more than that. Once the window is reached, acknowledgments come in one train for each round trip, so that the end
    waits for the first one of a train.
    """
    one = simulated(scheme, rate=rate, rtt=rtt)
    probe = bbr_model.PROBE_RTT if scheme == "bbr" else bbr1.PROBE_RTT
    one.advance(bbr_model.PROBE_RTT_INTERVAL if scheme == "bbr" else bbr1.MIN_RTT_FILTER)
    begin, transmission = 0.0, PACKET / rate
    for now, mine, flow in steps(one, 12.0, 2e-4):
        if mine.phase == probe and begin == 0.0:
            begin, excess = now, int(flow.in_flight) - window
        if begin > 0.0 and mine.phase != probe:
            break
    if scheme == "bbr":  # in CRUISE 0.99 of the bandwidth-delay product is in flight, 66.99 and 35.97 packets
        assert excess + window == pytest.approx(0.99 * (rtt / transmission + 1), abs=1)
    assert now - begin == pytest.approx((excess + 1) * transmission + rounds * (rtt + transmission), abs=5e-4)


def test_eight_phases():
    """Gains of ProbeBW in version 1: 5/4, 3/4 and six times 1, about a round-trip time each."""
    one = simulated("bbr1")
    one.advance(2.0)
    gains = [(int(mine.cycle_index), float(mine.pacing_gain)) for _, mine, _flow in steps(one, 4.0, 0.01)]
    assert {index for index, _ in gains} == set(range(8))
    assert all(gain == (1.25, 0.75, 1, 1, 1, 1, 1, 1)[index] for index, gain in gains)
    order = [a for (a, _), (b, _) in pairwise(gains) if a != b]
    assert all((a + 1) % 8 == b for a, b in pairwise(order))
    # Eight round trips of 41 ms and a queue of a quarter: 2 s are some six cycles.
    assert 40 <= len(order) <= 50


def test_conservation_lasts_a_round_trip():
    """Version 1 conserves packets for the first round trip of fast recovery, and then grows again.

    Packet 3000 is lost twice, so that recovery lasts two round trips. The window is at first what is in flight, with
    gain 1 or 3/4 the bandwidth-delay product and the queue that the phases leave; then it grows by what is delivered.
    """
    one = simulated("bbr1", buffer=400, discipline=drop_numbers(3000, 3000))
    for begin, mine, flow in steps(one, 3.0, 0.002):  # noqa: B007
        if mine.recovering:
            break
    assert mine.conserves
    assert flow.window <= 1.3 * BDP
    one.advance(begin + 0.8 * ROUND_TRIP)
    mine, flow = of_flow(one), one.state.flows[0]
    assert mine.conserves
    assert flow.window <= 1.3 * BDP
    one.advance(begin + 1.6 * ROUND_TRIP)
    mine, flow = of_flow(one), one.state.flows[0]
    assert mine.recovering
    assert not mine.conserves
    assert flow.window > 1.3 * BDP
    one.advance(begin + 3 * ROUND_TRIP)
    mine, flow = of_flow(one), one.state.flows[0]
    assert not mine.recovering
    assert flow.window == pytest.approx(2 * BDP + 3, rel=0.01)


@BOTH
def test_a_timeout(scheme):
    """All of the first ten packets are lost: after a timeout of 1 s one packet, then the link is filled."""
    one = simulated(scheme, discipline=drop_numbers(*range(10)), file=2_000_000)
    one.advance(0.999)
    assert one.state.flows[0].in_flight == 10
    one.advance(1.001)
    flow = one.state.flows[0]
    assert (flow.timeouts, flow.window, flow.in_flight, flow.lost) == (1, 1, 1, 10)
    one.advance(4.0)
    flow = one.state.flows[0]
    assert flow.una == math.ceil(2_000_000 / PACKET)
    assert flow.timeouts == 1


@BOTH
def test_a_restart_from_idle(scheme):
    """After a pause the flow goes on at the bandwidth that it knew, without a ProbeRTT.

    The application writes twice what the link carries for 2 s, and nothing for 4 s: the flow is idle from 4.1 to 6 s.
    """
    one = simulated(scheme, application=traffic.on_off(2 * RATE, "2 s", "4 s"))
    one.advance(5.9)
    assert one.state.flows[0].in_flight == 0
    assert of_flow(one).max_bw == pytest.approx(RATE, rel=0.02)
    one.advance(6.02)  # before the first acknowledgment
    mine, flow = of_flow(one), one.state.flows[0]
    assert mine.idle_restart
    assert flow.rate == pytest.approx(RATE * (0.99 if scheme == "bbr" else 1.0), rel=0.02)
    assert flow.in_flight == pytest.approx(0.02 * flow.rate / PACKET, abs=2)
    before, probe = 0, bbr_model.PROBE_RTT if scheme == "bbr" else bbr1.PROBE_RTT
    for now, mine, flow in steps(one, 6.5, 0.05):
        assert mine.phase != probe
        if now > 6.15:
            assert flow.received_bytes - before == pytest.approx(0.05 * RATE, rel=0.04)
        before = flow.received_bytes


# Properties of whole runs.


@BOTH
@pytest.mark.parametrize(("count", "buffer"), [(1, 10), (1, 34), (1, 67), (2, 67)])
def test_fills_the_link(scheme, count, buffer):
    """95 % of a link with a buffer of ten packets up to the bandwidth-delay product are used, in equal shares.

    One flow has no queue, and no timeouts.
    """
    data = run(network(scheme, count=count, buffer=buffer), duration=30 * count, warm_up=10, rng=2, progress=False)
    assert float(data.goodput.sum()) > 0.95 * RATE
    assert float(data.jain_index) > 0.95
    if count == 1:
        assert float(data.mean_queue[0]) < 0.1 * BDP
        assert float(data.timeouts[0]) == 0


def test_losses_bound_the_volume():
    """In a buffer of 20 packets two flows of version 3 lose less than 2 %, which two of version 1 exceed.

    One flow alone learns what fits: at most the bandwidth-delay product and the buffer, and the packet in transmission.
    """
    lost = {}
    for scheme in ("bbr", "bbr1"):
        data = run(network(scheme, count=2, buffer=20), duration=60, warm_up=10, rng=2, progress=False)
        lost[scheme] = float(data.link_dropped[0] / data.arrived[0])
    assert lost["bbr"] < 0.02 < lost["bbr1"]
    one = simulated("bbr", buffer=20)
    one.advance(30.0)
    assert 0.7 * BDP <= of_flow(one).inflight_longterm <= BDP + 20 + 2


@BOTH
def test_a_new_bandwidth_is_found(scheme):
    """The rate falls to a half at 10 s and returns at 25 s: the flow follows both, down within three cycles."""
    one = simulated(scheme, buffer=67, rate_changes=[(10.0, RATE / 2), (25.0, RATE)])
    one.advance(24.0)
    assert of_flow(one).max_bw == pytest.approx(RATE / 2, rel=0.02)
    one.advance(40.0)
    assert of_flow(one).max_bw == pytest.approx(RATE, rel=0.02)
    one.packet_counts()


def test_constants_as_printed():
    """Constants as printed in draft-ietf-ccwg-bbr-06, sections 2.5 to 2.16 and 5.6.1."""
    assert (bbr_model.LOSS_THRESH, bbr_model.BETA, bbr_model.HEADROOM) == (0.02, 0.7, 0.15)
    assert (bbr_model.MIN_RTT_FILTER, bbr_model.PROBE_RTT_INTERVAL, bbr_common.PROBE_RTT_DURATION) == (10, 5, 0.2)
    assert pytest.approx(4 * math.log(2), abs=0.005) == bbr.STARTUP_PACING_GAIN


# Losses that prove spurious, which BBR undoes (draft-ietf-ccwg-bbr-06, section 5.5.11).


@pytest.mark.parametrize(
    ("first", "lost", "before", "transmission", "spurious"),
    [
        (7, 3, 2, 9, True),  # the third of three
        (7, 3, 1, 9, False),  # the second of three
        (7, 3, 2, 6, False),  # of an earlier loss recovery
        (7, 0, 0, 9, False),  # undone already: one has arrived, none counts as lost
    ],
)
def test_whether_all_losses_were_spurious(first, lost, before, transmission, spurious):
    flow = SimpleNamespace(first_lost=first, lost_in_recovery=lost, delivered_in_recovery=before)
    event = SimpleNamespace(transmission=transmission, spurious=1)
    assert bbr_model.is_recovery_spurious.py_func(flow, event) == spurious


def reordered(rows=(), lost=(), **more):
    """Return a run in which some packets are late on a link, and others are lost behind it."""
    link = {"rate": RATE, "delay": 0.02, "buffer": 200, **more}
    net = Network().link("a", "b", discipline=queues.scripted_reordering(packets=rows), **link)
    net.link("b", "c", rate=math.inf, discipline=drop_numbers(*lost))
    return Simulation(net.flow("bbr", path=["a", "b", "c"], packet=PACKET, ack_path="ideal"), rng=1)


@functools.cache
def find_up():
    """Return the time at which PROBE_UP begins, and a packet that is sent soon afterwards."""
    for now, mine, flow in steps(reordered(), 6.0, 0.002):
        if mine.phase == UP:
            return now, int(flow.high) + 20
    raise AssertionError


def phases(one, until):
    """Return the phases until a time, each visit once."""
    seen = []
    for _, mine, _flow in steps(one, until, 0.002):
        if not seen or seen[-1] != mine.phase:
            seen.append(int(mine.phase))
    return seen


def test_late_packets_in_probe_up():
    """Three late packets end PROBE_UP and bound the volume, until all of them are acknowledged.

    20 packets of 0.6 ms pass them. Then the state is restored by REFILL. If one of the three is really lost, this loss
    recovery was needed, and nothing is undone.
    """
    begin, number = find_up()
    one = reordered([[0, number, 3, 20]])
    one.advance(begin)
    assert phases(one, begin + 0.2)[:4] == [UP, DOWN, REFILL, UP]
    mine, flow = of_flow(one), one.state.flows[0]
    assert (flow.lost, mine.recovering, mine.inflight_longterm, mine.undo_state) == (3, 0, math.inf, -1)
    assert flow.window > 1.9 * BDP
    one = reordered([[0, number, 3, 20]], lost=[number + 1])
    one.advance(begin)
    assert phases(one, begin + 0.2)[:3] == [UP, DOWN, bbr_model.CRUISE]
    mine, flow = of_flow(one), one.state.flows[0]
    assert flow.lost == 3
    assert 0.7 * BDP <= mine.inflight_longterm < 2 * BDP


def test_the_state_is_restored_at_once():
    """When the last late packet is acknowledged, window, bounds and pacing are those of REFILL again."""
    begin, number = find_up()
    one, before = reordered([[0, number, 3, 20]]), 0.0
    one.advance(begin)
    for _, mine, flow in steps(one, begin + 0.3, 0.0005):
        if mine.phase == DOWN:
            assert (mine.undo_state, mine.undo_inflight_longterm, mine.undo_bw_shortterm) == (UP, math.inf, math.inf)
            assert mine.inflight_longterm < math.inf
            assert mine.recovering
        elif mine.phase == REFILL:
            break
        before = float(flow.window)
    assert flow.window >= before > 0
    assert flow.rate == pytest.approx(0.99 * RATE, rel=0.01)
    assert not mine.recovering


def test_late_packets_in_startup():
    """Ten ranges of late packets end Startup; when all have arrived, the flow is in Startup again.

    They are behind 700 packets each, so that their retransmissions and the end of loss recovery come before.
    """
    rows = [[0, 60 + 8 * k, 1, 700] for k in range(10)]
    one = reordered(rows, rate=10 * RATE, buffer=2000)
    seen = phases(one, 0.8)
    assert seen[0] == bbr_model.STARTUP
    assert seen.count(bbr_model.STARTUP) == 2
    flow, mine = one.state.flows[0], of_flow(one)
    assert (flow.lost, mine.inflight_longterm) == (10, math.inf)


def test_a_late_packet_in_cruise():
    """One late packet in CRUISE, by 120, reduces the short-term model; its acknowledgment forgets that."""
    one = reordered([[0, 2000, 1, 120]])
    reduced = []
    for now, mine, _flow in steps(one, 2.0, 0.002):
        if mine.bw_shortterm < math.inf:
            reduced.append(now)
            assert mine.phase == bbr_model.CRUISE
    assert reduced
    assert np.ptp(reduced) < 0.1
    assert mine.inflight_shortterm == math.inf
