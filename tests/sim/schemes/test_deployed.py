"""The sender as deployed: recovery and slow start against the pseudo-code of their RFCs and by hand."""

import math
from types import SimpleNamespace

import pytest

from docs import rate_limited
from longfat.sim import schemes
from longfat.sim.network import traffic
from longfat.sim.schemes import deployed
from tests.sim.lab import one_link, python, simulated
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, drop_acks, drop_numbers

pytestmark = pytest.mark.plain

#: Every packet is acknowledged, as the traces by hand assume.
EACH = {"delayed_ack": 1}


def twenty(lost, until, scheme="cubic", **parameters):
    """Return the diary of a flow with 20 packets in flight that arrive 1 ms apart, of which the first are lost.

    The window of 20 is ssthresh, too, and beta is 1/2, as in the examples of RFC 6937, section 3.1.
    """
    given = {"initial_window": 20, "initial_ssthresh": 20, "first_rto": 5.0, "min_rto": 5.0, **EACH, **parameters}
    own = {"beta": 0.5} if scheme == "cubic" else {}
    return Diary(scheme, drop_numbers(*range(lost)), until, link_rate=1e6, **given, **own)


def sent_per_acknowledgment(lost, scheme="cubic", **parameters):
    """Return how many packets each acknowledgment of the first round trip releases; lost packets take no time."""
    diary = twenty(lost, 0.13, scheme, **parameters)
    return [len(diary.sent(0.1 + 1e-3 * (k + 1))) for k in range(20 - lost)]


def referee(lost):
    """Return the packets for each acknowledgment of the first round trip, by RFC 9937, sections 6.1 and 6.2.

    The window of 20 stands before recovery, limited transmit included (the first two acknowledgments); the third one
    begins recovery with ssthresh 10, and takes the lost packets out of the pipe. Of 22 packets sent, two had been
    delivered before it: RecoverFS is 20. None is a SafeACK, because packet 0 is missing.
    """
    pipe, out, sent, delivered = 20, 0, [], 0
    for count in range(1, 21 - lost):
        pipe -= 1
        if count < 3:
            allowed = 20 - pipe
        else:
            pipe -= lost if count == 3 else 0
            delivered += 1
            allowed = math.ceil(delivered * 10 / 20) - out if pipe > 10 else min(10 - pipe, max(delivered - out, 1))
            if out == 0 and allowed == 0:
                allowed = 1
            out += allowed
        pipe += allowed
        sent.append(allowed)
    return sent


@pytest.mark.parametrize("lost", [1, 4, 9, 15])
@pytest.mark.parametrize("scheme", ["cubic", "sack"])
def test_rate_reduction_is_that_of_the_pseudo_code(scheme, lost):
    assert sent_per_acknowledgment(lost, scheme, prr=1) == referee(lost)


@pytest.mark.parametrize("scheme", ["cubic", "sack"])
def test_rate_reduction_after_many_losses(scheme):
    """Fifteen of 20 are lost: N N R R R, and two for each acknowledgment only when SND.UNA advances (RFC 9937, 6.2).

    Acknowledgments of the second round trip: 20 and 21, the new packets, and R0, R1, R2. Five packets are in flight
    until R0 arrives, and eight after R2. In the third one R3 and R4 bring two packets each, and ten are in flight.
    Without, N N 7R R R with half of FlightSize, 11 (RFC 6937, section 3.1); ours is half of the window, N N 6R R R.
    """
    diary = twenty(15, 0.3105, scheme, prr=1)
    rounds = [(0.101, 5), (0.202, 5), (0.303, 8)]
    sent = [[len(diary.sent(start + 1e-3 * k)) for k in range(count)] for start, count in rounds]
    assert sent == [[1, 1, 1, 1, 1], [1, 1, 2, 2, 2], [2, 2, 1, 1, 1, 1, 1, 1]]
    assert sent_per_acknowledgment(15, scheme, prr=0) == [1, 1, 6, 1, 1]


@pytest.mark.parametrize(
    ("in_flight", "delivered", "sent", "event", "window"),
    [
        # above ssthresh, 10: ceil(7 x 10/20) - 2 = 2; ceil(4 x 10/20) - 5 < 0
        (15, 6, 2, (1, 0, 0), 17),
        (15, 3, 5, (1, 1, 0), 15),
        # below: MAX(8 - 5, 1) = 3, one more for a SafeACK, and none with another loss
        (5, 7, 5, (1, 0, 0), 8),
        (5, 7, 5, (1, 1, 0), 9),
        (5, 7, 5, (1, 1, 1), 8),
        # MAX(4 - 9, 2) = 2, and at most 10 - 9
        (5, 2, 9, (2, 0, 0), 7),
        (9, 2, 9, (2, 2, 0), 10),
        # 10 - 10 = 0, but the first transmission leaves
        (10, 0, 0, (1, 0, 0), 11),
        (10, 0, 1, (1, 0, 0), 10),
        # nothing delivered: as before
        (3, 7, 5, (0, 0, 1), 9),
    ],
)
def test_rate_reduction_by_hand(in_flight, delivered, sent, event, window):
    """SndCnt of RFC 9937, section 6.2, with RecoverFS 20 and ssthresh 10; events: delivered, SND.UNA, lost."""
    flow = SimpleNamespace(
        window=9.0, ssthresh=10.0, in_flight=in_flight, prr_delivered=delivered, prr_in_flight=20.0,
        transmission=100 + sent, prr_transmission=100,
    )  # fmt: skip
    newly_delivered, acked, lost = event
    given = SimpleNamespace(newly_delivered=newly_delivered, acked=acked, lost=lost)
    assert python(deployed.proportional)(flow, given) == window


@pytest.mark.parametrize(("rule", "before"), [(1.0, 18.0), (2.0, 30.0)])
def test_volume_before_a_rate_reduction(rule, before):
    """RFC 9937 counts packets sent and not delivered before this acknowledgment, 50 - 36 + 4; Linux has the window."""
    flow = SimpleNamespace(window=30.0, high=50, ect=0, delivered=36, in_flight=15, transmission=50, prr=rule)
    event = SimpleNamespace(number=32, newly_delivered=4)
    assert python(deployed.begin_recovery)(flow, event, 10.0) == 15.0
    assert flow.prr_in_flight == before


def test_rate_reduction_after_a_loss_that_a_timer_finds():
    """Of 20 packets 1 to 17 are lost: two packets behind them leave a reordering window of 25 ms (RFC 8985, 6.2).

    The acknowledgments of 0, 18 and 19 release 20, 21 and 22. The timer finds the losses; ssthresh is 10 and three
    packets are in flight, but no acknowledgment allows more than the first retransmission.
    """
    given = {"link_rate": 1e6, "initial_window": 20, "initial_ssthresh": 20, "beta": 0.5, **EACH}
    diary = Diary("cubic", drop_numbers(*range(1, 18)), 0.19, **given)
    assert [entry.number for entry in diary.entries][20:] == [20, 21, 22, 1]
    # The acknowledgment of 0 adds 1/20 to the window.
    assert (diary.own.recovering, diary.own.ssthresh) == (True, pytest.approx(20.05 / 2))


def test_rate_reduction_ends_at_ssthresh():
    """A single loss: no half window of silence, and a window of ssthresh afterwards (RFC 9937, section 6.4)."""
    silence = [max(map(len, "".join(map(str, sent_per_acknowledgment(1, prr=on))).split("1"))) for on in (0, 1)]
    assert silence[0] >= 7
    assert silence[1] <= 2
    diary = twenty(1, 0.2235)
    assert diary.flow.una > 21
    assert (diary.own.recovering, diary.flow.in_flight) == (False, 10)
    assert 10.0 <= diary.flow.window < 11.0


def test_rounds_of_hystart():
    """Rounds, by hand: 10, 20, 40 packets; without a queue the least round-trip time stays, and slow start goes on.

    Packet k is acknowledged when 10 + 2 k have been sent. A round ends when all is acknowledged that had been sent at
    its beginning: with packet 0, with packet 9 (28 sent), and with packet 27 (64 sent); 28 and 29 are two samples.
    """
    diary = Diary("cubic", until=0.25, **EACH)
    assert (diary.flow.window, diary.own.round_end, diary.own.round_samples) == (40.0, 64, 2)
    diary.advance(0.35)
    assert (diary.flow.window, diary.own.conservative_rounds) == (80.0, 0)
    assert diary.own.last_round_rtt == pytest.approx(0.1, abs=1e-8)


@pytest.mark.parametrize(
    ("rate", "delay", "packet", "pacing", "until", "expected"),
    [
        # By a train, at 20 Mbit/s and 40 ms. A packet of 1500 bytes takes 0.6 ms: in the third round the 36th
        # acknowledgment is 35 x 0.6 = 21 ms after the first, more than half of 40.6 + 1 ms, and the window is 40 + 35.
        (2.5e6, 0.02, 1500, 0, 0.2, 75.0),
        # By a delay. A packet of 7500 bytes takes 3 ms, longer than the gap in a train. Packets 10 to 29 leave the link
        # from 43 to 103 ms, and packet 30 arrives at 86 ms: its round-trip time is 60 ms, more than 43 + 43/8. The
        # ninth sample of the round is judged first, with a window of 40 + 8.
        (2.5e6, 0.02, 7500, 0, 0.2, 48.0),
        # A paced window leaves in half a round trip of 100 ms, at 2 cwnd/srtt, and so long are trains. With pacing a
        # train has to last for 102 ms, the least round-trip time and 1 ms more, and without for half of that. Windows
        # are 10, 20, 40, 80 and 160 as the rounds begin, and a packet takes 1 ms: the last round is the first that
        # lasts so long, and the window is 160 + 103 then. Half as long a train would end slow start at 80 + 52.
        (1e6, 0.05, 1000, 1, 0.7, pytest.approx(160 + 103, abs=1)),
    ],
)
def test_hystart_of_linux(rate, delay, packet, pacing, until, expected):
    """HyStart of Linux ends slow start by a train of acknowledgments, or by a delay (net/ipv4/tcp_cubic.c).

    By hand, with an acknowledgment for each packet; windows are 10, 20 and 40 as the rounds begin, with the
    acknowledgments of packets 0, 10 and 30.
    """
    given = {"hystart": 2, "initial_window": 10, "pacing": pacing, "growth_limit": math.inf, **EACH}
    net = one_link("cubic", rate=rate, delay=delay, packet=packet, parameters=given)
    assert of_flow(simulated(net, until)).ssthresh == expected


def test_byte_counting():
    """An acknowledgment for two packets adds two, but one in slow start after a timeout (RFC 3465, 2.2 and 2.3).

    The acknowledgment of packet 1 is lost, so that packet 2 acknowledges both: 1, 2, and 4 packets. In the other flow
    a window of 20 is lost: ssthresh is 14, and a timeout at 1 s resends packet 0. At 1.2 s packets 1 and 2 have brought
    one acknowledgment, for both: 1, 2, and 3 packets.
    """
    given = {"back": drop_acks(1), "first_rto": 1.0, **EACH}
    windows = [Diary("cubic", until=0.25, initial_window=1, growth_limit=n, **given).flow.window for n in (1, 2)]
    assert windows == [3.0, 4.0]
    diary = Diary("cubic", drop_numbers(*range(20)), 1.25, initial_window=20, **given)
    assert (diary.flow.timeouts, diary.flow.window, diary.own.ssthresh) == (1, 3.0, 14.0)


def test_byte_counting_of_reno():
    """Without byte counting an acknowledgment of two packets counts as one of one (RFC 3465, sections 2.1 and 2.2).

    As above, packet 2 acknowledges 1 and 2 in a window of two: 3 or 4 packets in slow start. With ssthresh 1 it is
    in avoidance: 1 + 1, and then 1/2 or 2/2 more.
    """
    for ssthresh, expected in ((1e300, [3.0, 3.0, 4.0]), (1.0, [2.5, 3.0, 3.0])):
        given = {"back": drop_acks(1), "initial_ssthresh": ssthresh}
        assert [Diary("sack", until=0.25, growth_limit=n, **given).flow.window for n in (0, 1, 2)] == expected


def test_sack_as_deployed():
    """`DEPLOYED`, by hand: ten packets leave at 0 s, and the acknowledgments of two of them add two packets each.

    Five acknowledgments make the window 20, and release four packets each; ten of these make it 40. Without the options
    a window of one grows by one for each of 1 and 2 packets.
    """
    diary = Diary("sack", until=0.25, **schemes.DEPLOYED)
    assert [len(numbers) for numbers in diary.rounds.values()] == [10, 20, 40]
    assert (diary.flow.acks_received, diary.flow.window) == (15, 40.0)
    assert Diary("sack", until=0.25).flow.window == 4.0


def after_a_burst(scheme, packets, **parameters):
    """Return the window after a burst of packets that leave at once, each acknowledged."""
    burst = traffic.on_off(1e9, packets * 1e-6, 100.0)
    given = {"initial_window": 10, **EACH, **parameters}
    link = {"rate": math.inf, "delay": 0.05, "back": math.inf}
    run = simulated(one_link(scheme, **link, packet=1000, application=burst, parameters=given), 0.5)
    assert run.state.flows[0].una == packets
    return float(run.state.flows[0].window)


@pytest.mark.parametrize("scheme", ["sack", "cubic", "dctcp"])
def test_growth_of_a_window_that_the_application_does_not_fill(scheme):
    """Linux, by hand, with a window of 10 in slow start: 10 packets fill it, and each of them adds one to it.

    Six packets let it grow to twice as much, and five or fewer leave it (tcp_is_cwnd_limited()). In avoidance it stays,
    and 10 of 10 add one packet, but not in CUBIC, which needs 20 at least before a loss. CUBIC and DCTCP by their own
    rule: the acknowledgment of packet 0 finds the window full and adds one; later ones find 9 of 11 or fewer in flight.
    """
    linux = {"growth_limit": math.inf, "hystart": 0, "cwnd_limited": 1}
    slow, avoid = [
        [after_a_burst(scheme, n, initial_ssthresh=ssthresh, integer_windows=1, **linux) for n in (4, 5, 6, 9, 10)]
        for ssthresh in (1e300, 10)
    ]
    assert slow == [10, 10, 12, 18, 20]
    assert avoid == [10, 10, 10, 10, 10 if scheme == "cubic" else 11]
    assert after_a_burst(scheme, 10) == {"sack": 20, "cubic": 11, "dctcp": 11}[scheme]


@pytest.mark.parametrize("scheme", ["sack", "cubic"])
def test_slow_start_of_linux_has_no_limit(scheme):
    """An acknowledgment of four packets adds four, and after a timeout one of two adds two (tcp_slow_start()).

    In the other flow a window of 20 is lost, and packet 0 leaves again at 1 s. Its acknowledgment adds one packet, and
    that of 1 and 2 two: 4 packets at 1.2 s.
    """
    linux = {**schemes.linux(scheme), "quick_acks": 0, "delayed_ack": 4, "initial_window": 4}
    assert [len(numbers) for numbers in Diary(scheme, until=0.15, **linux).rounds.values()] == [4, 8]
    late = {**linux, "initial_window": 20, "delayed_ack": 2, "rack": 0, "min_rto": 0.2}
    diary = Diary(scheme, drop_numbers(*range(20)), 1.25, **late)
    assert (diary.flow.timeouts, diary.flow.window) == (1, 4.0)


@pytest.mark.parametrize(("integer", "window", "credits"), [(0, 10.1, 0), (1, 10.0, 1)])
@pytest.mark.parametrize("scheme", ["sack", "dctcp"])
def test_the_rest_of_an_acknowledgment_at_ssthresh(scheme, integer, window, credits):
    """Of two packets acknowledged one makes the window 10, and the other counts in avoidance (tcp_slow_start())."""
    given = {"initial_window": 9, "initial_ssthresh": 10, "delayed_ack": 2, "hystart": 0, "growth_limit": 2}
    diary = Diary(scheme, until=0.2, file=2000, integer_windows=integer, **given)
    assert (diary.flow.una, diary.flow.window) == (2, pytest.approx(window))
    assert diary.own.credits == credits


@pytest.mark.parametrize(
    ("window", "acked", "limit", "after", "rest"),
    [(9.0, 2, 2.0, 10.0, 1.0), (8.0, 2, 2.0, 10.0, 0.0), (9.5, 4, 2.0, 10.0, 1.5), (9.0, 4, math.inf, 10.0, 3.0)],
)
def test_slow_start_returns_the_rest(window, acked, limit, after, rest):
    """At most L packets count, those beyond ssthresh, 10, in avoidance."""
    flow = SimpleNamespace(window=window, ssthresh=10.0, growth_limit=limit, hystart=0.0, reduced_for=0)
    left = python(deployed.slow_start)(flow, SimpleNamespace(acked=acked))
    assert (flow.window, left) == (after, rest)


def test_a_mark_in_recovery():
    """A mark that counts in recovery halves what recovery aims at, not the window that reduction in proportion has set.

    Packet 0 of 20 is lost: ssthresh 10. Packet 25, sent in recovery, is marked; its acknowledgment ends recovery or
    follows its end, so that ssthresh becomes 5, and the window returns to it.
    """
    diary = Diary(
        "sack", drop_numbers(0, mark=(25,)), 0.5, initial_window=20, initial_ssthresh=20, min_rto=5.0, prr=1, ecn=1
    )
    assert diary.own.ssthresh == pytest.approx(5.0, abs=0.5)
    assert (diary.flow.timeouts, diary.flow.retransmitted) == (0, 1)


def test_marks_bring_a_window_of_one():
    """A mark brings beta of the window, at least one packet, without a retransmission (RFC 9438, section 4.6).

    Rounds of 1, 2, 4, 8 packets; packet 10 of 7..14 is marked. 7, 8, 9 have made the window 11: 7.7. With beta = 0.05,
    0.55 packets become one, and ssthresh two. Packet 12 belongs to the same window.
    """
    for beta, window, ssthresh in ((0.7, 7.7, 7.7), (0.05, 1.0, 2.0)):
        diary = Diary("cubic", drop_numbers(mark=(10, 12)), 0.45, ecn=1, initial_window=1, beta=beta, **EACH)
        assert (diary.flow.window, diary.own.ssthresh) == (pytest.approx(window), pytest.approx(ssthresh))
        assert diary.flow.retransmitted == 0


@pytest.mark.parametrize("scheme", ["sack", "cubic", "dctcp"])
def test_pacing(scheme):
    """Packets leave at 2 windows per round trip in slow start and at 1.2 above half of ssthresh, as in Linux."""
    for ssthresh, gain in ((1e3, 2.0), (10.0, 1.2)):
        diary = Diary(scheme, until=0.3, pacing=1, initial_window=10, initial_ssthresh=ssthresh, **EACH)
        assert diary.flow.rate == pytest.approx(gain * diary.flow.window * 1000 / 0.1, rel=1e-6)
        times = sorted({entry.time for entry in diary.entries if 0.2 < entry.time < 0.3})
        gap = (times[-1] - times[0]) / (len(times) - 1)
        assert gap == pytest.approx(0.1 / (gain * diary.flow.window), rel=0.35)


def of_increase(**values):
    """Return a flow with the fields that `deployed.capped` uses."""
    given = {
        "cwnd_limited": 2.0, "window": 10.0, "ssthresh": math.inf, "high": 0, "una": 0, "recovering": False,
        "reduced_at": -2, "flight_since": -2, "max_flight": -1.0,
    }  # fmt: skip
    return SimpleNamespace(**{**given, **values})


@pytest.mark.parametrize(
    ("rule", "each", "windows"),
    [
        # Version 03: 36 packets in four rounds, an ACK for each two. The flights there are 1 to 4, 1 to 8, 1 to 4 and 1
        # to 20 packets; in round 1 it misprints 1, 1, 2, 3, as version 04 does, and version 11 corrects that.
        (2.0, 2, [12, 14, 16, 18, *[20] * 4, *range(22, 41, 2)]),
        (3.0, 2, [12, 14, 16, 18, *[20] * 4, *range(22, 41, 2)]),
        # Version 11: cwnd = min(cwnd + N, 2*maxFS), an ACK for each packet.
        (2.0, 1, [*range(11, 21), *[20] * 6, *range(21, 41)]),
    ],
)
def test_the_example_of_the_rate_limited_increase(rule, each, windows):
    """draft-ietf-ccwg-ratelimited-increase, appendix A: the windows after the ACKs of four rounds, as printed."""
    flow, found = of_increase(cwnd_limited=rule), []
    for packets in (4, 8, 4, 20):
        flow.high += packets
        for _ in range(packets // each):
            flow.una += each
            event = SimpleNamespace(acked=each)
            flow.window = python(deployed.capped)(flow, event, flow.window, flow.window + each, 1.0)
            found.append(flow.window)
    assert found == windows
    assert flow.max_flight == 20


def test_a_reduction_forgets_the_flight():
    """A mark halves 40 to 20 while 5 packets are in flight: the cap is 5 + 1 (section 3), 7.5 where half may be added.

    With rule 3 the window stays at 20, until more than 19 are in flight.
    """
    for rule, growth, expected in ((2.0, 1.0, 6.0), (2.0, 1.5, 7.5), (3.0, 1.0, 20.0)):
        flow = of_increase(
            cwnd_limited=rule, window=20.0, ssthresh=20.0, high=65, una=60, max_flight=40.0, reduced_at=64
        )
        assert python(deployed.capped)(flow, SimpleNamespace(acked=1), 40.0, 20.0, growth) == expected
        flow.high = 80  # 20 in flight
        assert python(deployed.capped)(flow, SimpleNamespace(acked=0), 20.0, 20.05, growth) == 20.05
    flow = of_increase(recovering=True, max_flight=40.0, high=65, una=60, reduced_at=64)
    assert python(deployed.capped)(flow, SimpleNamespace(acked=1), 40.0, 20.0, 1.0) == 20.0
    assert flow.max_flight == 5  # measured, but not applied in recovery


@pytest.mark.parametrize(("scheme", "rule", "expected"), [("sack", 0, 66.0), ("sack", 2, 40.0), ("cubic", 2, 40.0)])
def test_a_slow_application_with_the_rate_limited_increase(scheme, rule, expected):
    """A packet each 20 ms in a round trip of 98 ms, each acknowledged, with an initial window of 20.

    Each of the 46 acknowledgments by 1 s adds a packet, or as many as 2 maxFS allows: 2 x 20, because maxFS begins with
    the initial window.
    """
    given = {"delayed_ack": 1, "initial_window": 20, "cwnd_limited": rule, "rack": 0}
    link = {"rate": math.inf, "delay": "49 ms", "back": math.inf, "application": traffic.constant(5e4)}
    run = simulated(one_link(scheme, **link, packet=1000, parameters=given), 1.0)
    assert float(run.state.flows[0].window) == expected


@pytest.mark.long  # four bursts of CUBIC, twice: the rules of its window are in the test above
def test_a_loss_with_an_unused_window_caps_it():
    """Packet 95 of 100 is lost, of a window of 200: six are in flight when it is found, and 1.5 x 6 is the cap.

    If the limit applies to growth alone, the window after recovery is 0.7 x 200, and the next burst takes a round trip.
    """
    assert rate_limited.fourth_burst("cubic", 2, 95) == (9.0, pytest.approx(0.2, abs=1e-3))
    window, time = rate_limited.fourth_burst("cubic", 3, 95)
    assert (window, time) == (pytest.approx(140, abs=1), pytest.approx(0.05, abs=2e-3))
