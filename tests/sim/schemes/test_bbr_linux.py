"""Rules of BBR version 1 that are Linux's alone (net/ipv4/tcp_bbr.c), switched one by one."""

import math
from types import SimpleNamespace

import pytest

from longfat.sim import Simulation, schemes
from longfat.sim.runs import peek
from longfat.sim.schemes import bbr1, bbr_common
from longfat.sim.schemes.bbr_common import AFTER_TIMEOUT, FAST_RECOVERY, NOT_RECOVERING
from tests.sim.lab import as_python, one_link
from tests.sim.own import of_flow

PACKET, RATE, RTT = 1500, 2.5e6, 0.04
OFF = {
    "pacing_margin": 0.0, "allowances": 0.0, "equal_renews": 1.0, "long_term": 0.0, "departures": 0.0,
    "long_recovery": 0.0, "timestamp_tick": 0.0,
}  # fmt: skip


#: All rules of Linux, which are compiled in advance; each by itself would be compiled for its test.
LINUX = {**schemes.linux("bbr1"), "timestamp_tick": 0.0}


def simulated(buffer, rules, **options):
    """Return a simulation of flows, by default one, over 20 Mbit/s and 40 ms with some rules of Linux."""
    options = {"buffer": buffer, "packet": PACKET, "parameters": rules, **options}
    return Simulation(one_link("bbr1", rate=RATE, delay=RTT / 2, **options), rng=1)


def test_the_rules_are_off_and_linux_has_them_on():
    """The defaults are the documents' of 2016 and 2017; `schemes.linux` has Linux's."""
    parameters = schemes.scheme("bbr1").parameters
    assert {name: parameters[name].default for name in OFF} == OFF
    linux = schemes.linux("bbr1")
    assert [linux[name] for name in OFF] == [0.01, 1.0, 0.0, 1.0, 1.0, 1.0, 0.001]


def test_a_handshake():
    """RTprop is known at the start, and holds for 10 s from time 0 (bbr_init()); Startup is paced by it.

    By hand: a flow that starts at 0.5 s paces 10 packets in 40 ms times 2/ln 2. It meets a queue of 250 packets of
    another flow, 150 ms, but its RTprop stays 40 ms until it expires; without a handshake it is at least 190 ms.
    """
    found = []
    for given in (0.0, 0.04):
        fills = {"initial_window": 400, "initial_ssthresh": 1}
        net = one_link("sack", rate=RATE, delay=RTT / 2, buffer=250, packet=PACKET, parameters=fills)
        options = {"packet": PACKET, "ack_path": "ideal", "start": 0.5, "parameters": {"handshake_rtt": given}}
        net.flow("bbr1", path=["a", "b"], name="x", **options)
        run = Simulation(net, rng=1)
        run.advance(0.501)
        rate = peek.flow(run, "x").rate
        run.advance(0.8)
        found.append((rate, of_flow(run, 1).min_rtt))
    (_, measured), (rate, known) = found
    assert rate == pytest.approx(2 / math.log(2) * 10 * PACKET / 0.04)
    assert known == 0.04
    assert measured > 0.1


@pytest.mark.parametrize(
    ("switched", "recovering", "last_lost", "lasts"),
    [
        (1.0, FAST_RECOVERY, 75, True),  # packet 75 was found lost, and all below 60 is acknowledged: one is missing
        (1.0, FAST_RECOVERY, 60, True),  # the first that is not acknowledged
        (1.0, FAST_RECOVERY, 59, False),  # the packets found lost have arrived
        (1.0, AFTER_TIMEOUT, 75, False),  # Linux leaves the state Loss before tcp_bbr.c is called
        (0.0, FAST_RECOVERY, 75, False),
    ],
)
def test_a_recovery_that_lasts(monkeypatch, switched, recovering, last_lost, lasts):
    """Where a packet found lost is missing, the window is neither restored nor conserved (tcp_fastretrans_alert())."""
    as_python(monkeypatch, bbr_common, "save_window", "begin_recovery", "restore_window")
    flow = SimpleNamespace(
        long_recovery=switched, recovering=recovering, last_lost=last_lost, una=60, high=100, recovery_point=59,
        conserves=False, window=30.0, prior_cwnd=80.0,
    )  # fmt: skip
    bbr1.end_recovery.py_func(flow)
    expected = (FAST_RECOVERY, 99, 30.0) if lasts else (NOT_RECOVERING, 59, 80.0)
    assert (flow.recovering, flow.recovery_point, flow.window) == expected
    assert (flow.prior_cwnd, flow.conserves) == (80.0, False)


@pytest.mark.parametrize(
    ("number", "acked", "sent", "now", "tick", "sample"),
    [
        (76, 1, 1.0, 1.0406, 0.001, 0.0406),  # not sent again: timed exactly
        (75, 1, 1.0, 1.0406, 0.001, 0.040),  # the clock shows 1000 ms and 1040 ms
        (75, 1, 1.0007, 1.0413, 0.001, 0.041),  # 1000 ms and 1041 ms
        (75, 1, 1.0001, 1.0005, 0.001, 0.001),  # 1000 ms twice: one tick
        (75, 0, 1.0, 1.0406, 0.001, 0.0),  # covered by a selective acknowledgment alone: no sample
        (75, 0, 1.0, 1.0406, 0.0, 0.0406),  # without time stamps: exactly
    ],
)
def test_round_trips_of_retransmissions(number, acked, sent, now, tick, sample):
    """Packets up to 75, the highest that was found lost, are timed by a clock of whole milliseconds."""
    flow = SimpleNamespace(timestamp_tick=tick, last_lost=75)
    event = SimpleNamespace(number=number, acked=acked, now=now, rtt=now - sent)
    assert bbr1.measured.py_func(flow, event) == pytest.approx(sample, abs=1e-12)


def test_retransmissions_renew_the_round_trip_time():
    """In a buffer of a tenth of the product a flow's RTprop is 40 ms after its probe, where packets take 40.6 ms."""
    found = []
    for tick in (0.0, 0.001):
        run = simulated(7, {**LINUX, "timestamp_tick": tick})
        run.advance(15.0)
        found.append(float(of_flow(run, 0).min_rtt))
    assert found == pytest.approx([RTT + PACKET / RATE, 0.04], abs=1e-9)


@pytest.mark.parametrize(
    ("volume", "phase", "index", "packets"),
    # ceil(133.2) + 6 = 140; ceil(134.1) + 6 = 141, the next even number is 142; 2 more in the phase of gain 5/4.
    [(133.2, bbr1.PROBE_BW, 1, 140), (134.1, bbr1.PROBE_BW, 3, 142), (133.2, bbr1.PROBE_BW, 0, 142),
     (133.2, bbr1.STARTUP, 0, 140)],
)  # fmt: skip
def test_allowances_of_the_window(volume, phase, index, packets):
    """Six packets, an even number, two more while probing (bbr_quantization_budget())."""
    flow = SimpleNamespace(phase=phase, cycle_index=index)
    assert bbr1.quantized.py_func(flow, volume) == packets


def test_excess_of_acknowledgments(monkeypatch):
    """Packets acknowledged beyond the bandwidth since the epoch began, the maximum of five to ten rounds.

    At 1000 packets/s: 2 packets begin an epoch, 2 more 1.5 ms later are 4 where 1 is expected. After 20 ms the
    bandwidth has caught up, and a new epoch begins.
    """
    flow = SimpleNamespace(
        round_start=False, aggregation_rounds=0, excess=0.0, older_excess=0.0, max_bw=1000.0 * PACKET,
        packet_size=PACKET, epoch_start=0.0, epoch_delivered=0.0, window=50.0, policed=False,
    )  # fmt: skip
    as_python(monkeypatch, bbr1, "rate_in_use")
    found = []
    for now in (1.0, 1.0015, 1.02):
        bbr1.update_aggregation.py_func(flow, SimpleNamespace(now=now, newly_delivered=2))
        found.append((flow.excess, flow.epoch_delivered))
    assert found == [(2, 2), (3, 4), (3, 2)]
    flow.round_start = True
    for k in range(10):
        assert max(flow.excess, flow.older_excess) == 3
        bbr1.update_aggregation.py_func(flow, SimpleNamespace(now=2.0 + k, newly_delivered=1))
    assert (flow.excess, flow.older_excess) == (1, 1)


@pytest.mark.parametrize(
    ("gain", "now", "packets"),
    [
        (1.0, 1.0002, 50),  # 0.8 ms until the next departure: 0.8 packets, none of them whole
        (1.25, 1.0002, 52),  # and the two that leave then
        (0.75, 1.0, 49),  # at 750 packets/s the next one leaves after 1.333 ms, in which one packet is delivered
        (0.75, 1.002, 50),  # it could have left before
    ],
)
def test_packets_in_flight_at_the_next_departure(monkeypatch, gain, now, packets):
    """Of 50 packets in flight now, at a bandwidth of 1000 packets/s, the last one sent at 1 s."""
    flow = SimpleNamespace(
        departures=1.0, last_sent=1.0, packet_size=PACKET, rate=gain * 1000.0 * PACKET, max_bw=1000.0 * PACKET,
        pacing_gain=gain, policed=False,
    )  # fmt: skip
    as_python(monkeypatch, bbr1, "rate_in_use")
    assert bbr1.at_departure.py_func(flow, SimpleNamespace(now=now), 50.0) == packets
    flow.departures = 0.0
    assert bbr1.at_departure.py_func(flow, SimpleNamespace(now=now), 50.0) == 50


def interval(rate, lost, **state):
    """Return a flow in whose interval of 1 s so many packets/s were delivered and `lost` were lost, and its event."""
    before = {"long_rate": 0.0, "policed": False, "long_rounds": 5, "long_start": 1.0, "pacing_gain": 1.25, **state}
    flow = SimpleNamespace(
        **before, packet_size=PACKET, delivered=1000 + rate, long_delivered=1000, lost=40 + lost, long_lost=40
    )
    return flow, SimpleNamespace(now=2.0)


@pytest.mark.parametrize(
    ("flow_and_event", "rate", "policed"),
    [
        # 50/256 of 100 are 19.5: 19 lost packets are too few, and the interval goes on
        (interval(100, 19), 0, False),
        # 20 end it; its rate is kept to be compared
        (interval(100, 20), 100, False),
        # 112 lies within an eighth of 100, 113 does not
        (interval(112, 40, long_rate=100.0 * PACKET), 106, True),
        (interval(113, 40, long_rate=100.0 * PACKET), 113, False),
    ],
)
def test_a_policed_rate(monkeypatch, flow_and_event, rate, policed):
    """Two intervals with much loss and nearly the same rate: their mean is taken for that of a policer."""
    flow, event = flow_and_event
    as_python(monkeypatch, bbr1, "begin_interval")
    bbr1.end_interval.py_func(flow, event)
    assert (flow.long_rate, flow.policed) == (rate * PACKET, policed)
    assert flow.long_start == (2.0 if rate and not policed else 1.0)


@pytest.mark.parametrize(("loss", "rules", "kept"), [(0.3, LINUX, True), (0.1, LINUX, False), (0.3, OFF, False)])
def test_loss_at_which_a_rate_is_kept(loss, rules, kept):
    """Random loss of 30 %, but not of 10 %, makes BBR keep a long-term rate, which is at most that of the link."""
    one, found = simulated(67, rules, loss=loss), False
    for k in range(20):
        one.advance(0.2 * (k + 1))
        mine = of_flow(one)
        found = found or bool(mine.policed)
        assert not mine.policed or 0.0 < mine.long_rate < RATE
    assert found == kept


def test_pacing_stays_below_the_bandwidth():
    """At a gain of 1 the rate is 99 % of the estimated bandwidth."""
    one = simulated(200, {**OFF, "pacing_margin": 0.01})
    one.advance(3.0)
    for k in range(40):
        one.advance(3.0 + 0.02 * k)
        mine = of_flow(one)
        if mine.phase == bbr1.PROBE_BW and mine.pacing_gain == 1.0:
            assert one.state.flows[0].rate == pytest.approx(0.99 * mine.max_bw)
            return
    pytest.fail("no phase of gain 1")


@pytest.mark.parametrize("rules", [LINUX, OFF])
def test_equal_round_trip_times(rules):
    """With a small buffer the least round-trip time recurs exactly; ProbeRTT comes only if that does not count."""
    one, seen = simulated(7, rules), False
    for k in range(int(12.0 / 0.05)):
        one.advance(0.05 * (k + 1))
        seen = seen or of_flow(one).phase == bbr1.PROBE_RTT
    assert seen == (rules["equal_renews"] == 0.0)


def test_the_window_has_all_allowances():
    """Without delayed acknowledgments an acknowledgment is at most one packet in excess beyond what is expected."""
    one = simulated(300, LINUX)
    one.advance(8.0)
    mine, least, most = of_flow(one), math.inf, 0.0
    product = float(mine.max_bw) * float(mine.min_rtt) / PACKET
    for k in range(100):
        one.advance(8.0 + 0.01 * k)
        window = float(one.state.flows[0].window)
        least, most = min(least, window), max(most, window)
        assert window % 2 == 0
    # 2 x 67.7 = 135.3, rounded up 136; six more, and the excess of the probes' queue that is acknowledged later.
    assert least >= math.ceil(2 * product) + 6
    assert most <= math.ceil(2 * product) + 6 + 3 + 20
