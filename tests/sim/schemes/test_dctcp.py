"""DCTCP (RFC 8257) against traces and estimates worked out by hand; a round trip of the diary is 100 ms."""

import math
from dataclasses import replace

import pytest

from longfat.sim import ENQUEUE, Discipline, Network, run, schemes
from longfat.sim.kernel.records import DATA
from longfat.sim.plugin.functions import mark
from longfat.sim.queues import step_marking
from tests.sim.schemes.losses import Diary, drop_numbers

GAIN = 1 / 16


def mark_between(link, packet, now):
    """Mark data packets of the numbers in [first, behind), each `every`-th of them."""
    inside = link.first <= packet.number < link.behind
    if packet.kind == DATA and inside and (packet.number - int(link.first)) % int(link.every) == 0:
        mark(link, packet)
    return ENQUEUE


def marking(first, behind, every=1):
    given = {"first": float(first), "behind": float(behind), "every": float(every)}
    return Discipline("mark-between", enqueue=mark_between, parameters=given)


def estimate(windows, alpha=1.0):
    """Return alpha after windows of (marked, acknowledged) packets: RFC 8257, section 3.3, steps 5 and 6."""
    for marked, acknowledged in windows:
        alpha = alpha * (1 - GAIN) + GAIN * (marked / acknowledged)
    return alpha


def diary_of(scheme, *given, **parameters):
    """Return the diary of a flow whose packets are all acknowledged, unless `delayed_ack` is given."""
    return Diary(scheme, *given, **{"delayed_ack": 1, **parameters})


def test_alpha_without_marks():
    """Alpha starts at 1, and falls by 1/16 of itself with each window (RFC 8257, section 3.3, steps 4 to 8).

    Slow start from one packet sends 0; 1, 2; 3..6; 7..14. The window over 0 ends with 0: WindowEnd = SND.NXT = 1.
    "Less than or equal" in step 4 makes a window end with the first acknowledgment beyond WindowEnd. The acknowledgment
    of 1 is SEG.ACK = 2 > 1: a second window, of one packet; SND.NXT is 3 then, for the acknowledgment of 0 has let 1
    and 2 go. That of 3, SEG.ACK = 4, ends the third, of 2 and 3; SND.NXT is 7. That of 7 ends the fourth, 4..7, at 0.4
    s, when SND.NXT is 15.
    """
    diary = diary_of("dctcp", until=0.35, initial_window=1, delayed_ack=1)
    assert diary.own.alpha == estimate([(0, 1)] * 3) == (15 / 16) ** 3
    assert diary.advance(0.45).own.alpha == (15 / 16) ** 4


def test_alpha_after_known_marks():
    """Packets 8, 10, 12, 14 are marked: 3 of the window 4..7 ... by hand.

    Windows end with packets 0, 1, 3, 7, 15, ... (see above). Of 4..7 none is marked. At 0.4 s the marked 8 reduces the
    window with the alpha of the windows before: 7 made it 9, so 9 (1 - (15/16)^4/2); the rest of the round does not
    reduce it again. The acknowledgments of 9, 11 and 13 make it grow only if they carry no mark: RFC 3168, section
    6.1.2, and the window is at ssthresh then, so that each adds 1/window.
    """
    diary = diary_of("dctcp", marking(8, 15, 2), until=0.45, initial_window=1, delayed_ack=1)
    alpha = estimate([(0, 1)] * 4)
    window = 9 * (1 - alpha / 2)
    assert diary.own.ssthresh == pytest.approx(window, rel=1e-15)
    for _ in (9, 11, 13):
        window += 1 / window
    assert diary.flow.window == pytest.approx(window, rel=1e-15)
    # The window 8..15 ends when 15, the first one sent at 0.4 s, is acknowledged: 4 of 8 packets are marked.
    assert (diary.own.packets_acked, diary.own.packets_marked) == (7, 4)
    assert diary.advance(0.55).own.alpha == pytest.approx(estimate([(0, 1)] * 4 + [(4, 8)]), rel=1e-15)


def test_delayed_acknowledgments_keep_the_marks_apart():
    """A change of marks sends the acknowledgment that is held (RFC 8257, section 3.2, figure 1).

    0..3 leave at once, 1 is marked. The acknowledgment of 0 is held until the marked 1 comes; that of 1, with ECN-Echo,
    until the unmarked 2 comes; 3 is the second packet, and acknowledges 2 and 3: three acknowledgments for 0; 1; 2, 3.
    0 ends the first window; then one of three packets counts as marked.
    """
    given = {"initial_window": 4, "initial_ssthresh": 4, "delayed_ack": 2}
    diary = diary_of("dctcp", drop_numbers(mark=(1,)), until=0.15, **given)
    assert diary.flow.acks_received == 3
    assert (diary.own.packets_acked, diary.own.packets_marked) == (3, 1)
    assert diary_of("dctcp", until=0.15, **given).flow.acks_received == 2


def test_every_packet_marked():
    """With every packet marked alpha stays 1, and the window is halved once per window of data (section 3.3).

    Ten packets (RFC 6928) at 0; the first acknowledgment at 0.1 s makes it 5. Packets 10..14 follow the acknowledgments
    of 5..9. At 0.2 s the acknowledgment of 10, beyond the highest packet sent at the reduction, 9, makes it 2.5, that
    of the next window 1.25, and then it is 1.
    """
    diary = diary_of("dctcp", marking(0, 1e9), until=0.15)
    assert (diary.flow.window, diary.own.alpha) == (5.0, 1.0)
    assert diary.advance(0.25).flow.window == 2.5
    assert diary.advance(0.35).flow.window == 1.25
    assert diary.advance(0.45).flow.window == 1.0
    assert diary.own.alpha == 1.0


def test_the_gain():
    """Gain g weighs the last window: g = 1/2 after windows of 0 and 0 marks gives a quarter (section 3.3, step 6)."""
    assert diary_of("dctcp", until=0.15, initial_window=1, delayed_ack=1, gain=0.5).own.alpha == 0.5
    assert diary_of("dctcp", until=0.25, initial_window=1, delayed_ack=1, gain=0.5).own.alpha == 0.25


@pytest.mark.plain
def test_a_loss_halves():
    """A loss is answered as by SACK, whatever alpha is (RFC 8257, section 3.5), and a mark does not reduce again.

    10 is lost, and found out at 0.4 s; 16, of the same window, is marked.
    """
    plain = Diary("sack", drop_numbers(10), until=0.55, initial_window=1, delayed_ack=1)
    given = {"initial_window": 1, "initial_alpha": 0.1, "prr": 0}
    ours = diary_of("dctcp", drop_numbers(10, mark=(16,)), until=0.55, **given)
    assert ours.own.ssthresh == plain.own.ssthresh == 5.5
    assert ours.sent(0.4) == plain.sent(0.4)


def test_a_mark_and_a_loss_in_one_window():
    """One reduction per window of data across marks and losses (section 3.5): 8 is marked, 10 is lost."""
    diary = diary_of("dctcp", drop_numbers(10, mark=(8,)), until=0.45, initial_window=1, delayed_ack=1)
    assert diary.own.ssthresh == pytest.approx(9 * (1 - (15 / 16) ** 4 / 2), rel=1e-15)
    assert diary.flow.retransmitted == 1


def test_timeout():
    """A timeout brings one packet (RFC 8257, section 3.5)."""
    diary = diary_of("dctcp", drop_numbers(*range(8)), until=1.5, file=8000, first_rto=1)
    assert (diary.flow.timeouts, diary.flow.una) == (1, 8)


def test_a_classic_receiver():
    """A receiver of RFC 3168 stops its echo at CWR, which the sender sets (RFC 8257, section 3.3, last paragraph).

    Only 8 is marked. At 0.4 s 7 lets 15 and 16 go, and 8 reduces the window from 9 to 5.5, so that 17 is the next new
    packet, and carries CWR. All 8 packets of the window 8..15 count as marked; with the receiver of section 3.2 one.
    """
    classic = schemes.scheme("dctcp")
    classic = replace(classic, name="dctcp with a classic receiver", echo="latched")
    for scheme, marked in ((classic, 8), ("dctcp", 1)):
        diary = diary_of(scheme, drop_numbers(mark=(8,)), until=0.55, initial_window=1, delayed_ack=1)
        assert diary.own.alpha == pytest.approx(estimate([(0, 1)] * 4 + [(marked, 8)]), rel=1e-15), scheme


def amplitudes(threshold):
    """Return the least and largest backlog [packets] of a DCTCP flow at a step-marking link, and its utilisation."""
    net = Network().link("a", "b", rate="1 Gbit/s", delay="250 us", discipline=step_marking(packets=threshold))
    net.link("b", "a", rate=math.inf, delay="250 us")
    net.flow("dctcp", path=["a", "b"], packet=1250, parameters={"initial_ssthresh": 30.0})
    found = run(net, duration=0.5, warm_up=0.2, sample_every=25e-6, rng=1, progress=False).sel(link="a-b")
    backlog = found.queue_trace.sel(time=slice(0.2, None))
    return float(backlog.min()), float(backlog.max()), float(found.utilisation)


def test_the_queue_oscillates_as_analysed():
    """The queue of one flow stays in the bounds of Alizadeh and others, SIGCOMM 2010, section 3.3.

    C = 1 Gbit/s, packets of 1250 bytes: 100,000 packets/s; RTT 0.5 ms: C RTT = 50 packets; K = 20, N = 1. Then W* = (50
    + 20)/1 = 70 packets and alpha = sqrt(2/W*) = 0.169 (equation 6, for small alpha; exactly, alpha^2 (1 - alpha/4) =
    (2 W* + 1)/(W* + 1)^2 gives alpha = 0.171). Q_max = K + N = 21 (equation 10); A = D = (W* + 1) alpha/2 = 6.0
    (equations 7 and 8: N sqrt(2 W*)/2 = 5.9), Q_min = Q_max - A = 15 (equation 11). The paper counts the packet in
    transmission, and assumes that marks take no time to come back from a queue of K packets; windows here are whole
    packets in flight: two packets of leeway on each side.
    """
    least, most, utilisation = amplitudes(20)
    assert most == pytest.approx(21, abs=2)
    assert least == pytest.approx(15, abs=2)
    assert utilisation > 0.999


def test_the_least_threshold():
    """K above C RTT/7 keeps the link busy, and K far below does not (Alizadeh and others, section 3.4, equation 13).

    C RTT = 50 packets, C RTT/7 = 7.1. With K = 1 the queue of one flow is empty for a part of each period.
    """
    enough = amplitudes(10)
    little = amplitudes(1)
    assert enough[0] > 0
    assert enough[2] > 0.999
    assert little[0] == 0
    assert little[2] < 0.995
