"""DCTCP (RFC 8257) and Prague against traces and estimates worked out by hand; a round trip is 100 ms."""

from dataclasses import replace

import pytest

from longfat.sim import ENQUEUE, Discipline, schemes
from longfat.sim.kernel.records import CE, DATA, ECT, ECT1
from longfat.sim.plugin.functions import mark
from tests.sim.schemes.losses import Diary, Trace, compared, drop_acks, drop_numbers, grown

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


def estimate(*windows, alpha=1.0):
    """Return alpha after windows of (marked, acknowledged) packets: RFC 8257, section 3.3, steps 5 and 6."""
    for marked, acknowledged in windows:
        alpha = alpha * (1 - GAIN) + GAIN * (marked / acknowledged)
    return alpha


UNMARKED = [(0, 1)] * 4  # the windows over 0, 1, 2 and 3, and 4 to 7
ONE = {"delayed_ack": 1, "initial_window": 1}
FOUR = {"initial_window": 4, "initial_ssthresh": 4}
CLASSIC = replace(schemes.scheme("dctcp"), name="dctcp with a classic receiver", echo="latched")
ALWAYS = {"transition": 0, "target_round_trip": 0.4}
#: Of 4 packets that leave at once 0 and 1 grow Prague's window, the mark halves it, and 3 adds for two packets.
REPORTED = (4 + 1 / 4 + 1 / 4.25) / 2

TRACES = {
    # Alpha starts at 1, and falls by 1/16 of itself with each window (RFC 8257, section 3.3, steps 4 to 8). Slow start
    # from one packet sends 0; 1, 2; 3..6; 7..14. The window over 0 ends with 0: WindowEnd = SND.NXT = 1. "Less than or
    # equal" in step 4 makes a window end with the first acknowledgment beyond WindowEnd. The acknowledgment of 1 is
    # SEG.ACK = 2 > 1: a second window, of one packet; SND.NXT is 3 then, for the acknowledgment of 0 has let 1 and 2
    # go. That of 3, SEG.ACK = 4, ends the third, of 2 and 3; SND.NXT is 7. That of 7 ends the fourth, 4..7, at 0.4 s,
    # when SND.NXT is 15.
    "dctcp-alpha-without-marks": Trace(
        "dctcp", given=ONE, at={0.35: {"alpha": (15 / 16) ** 3}, 0.45: {"alpha": (15 / 16) ** 4}}
    ),
    # Packets 8, 10, 12, 14 are marked, and of 4..7 none. At 0.4 s the marked 8 reduces the window with the alpha of the
    # windows before: 7 made it 9, so 9 (1 - (15/16)^4/2); the rest of the round does not reduce it again. The
    # acknowledgments of 9, 11 and 13 make it grow only if they carry no mark: RFC 3168, section 6.1.2, and the window
    # is at ssthresh then, so that each adds 1/window. The window 8..15 ends when 15, the first one sent at 0.4 s, is
    # acknowledged: 4 of 8 packets are marked.
    "dctcp-alpha-after-known-marks": Trace(
        "dctcp", marking(8, 15, 2), ONE,
        at={
            0.45: {
                "ssthresh": 9 * (1 - estimate(*UNMARKED) / 2), "packets_acked": 7, "packets_marked": 4,
                "window": grown(9 * (1 - estimate(*UNMARKED) / 2), 3),
            },
            0.55: {"alpha": estimate(*UNMARKED, (4, 8))},
        },
    ),
    # A change of marks sends the acknowledgment that is held (RFC 8257, section 3.2, figure 1). 0..3 leave at once, 1
    # is marked. The acknowledgment of 0 is held until the marked 1 comes; that of 1, with ECN-Echo, until the unmarked
    # 2 comes; 3 is the second packet, and acknowledges 2 and 3: three acknowledgments for 0; 1; 2, 3. 0 ends the first
    # window; then one of three packets counts as marked.
    "dctcp-delayed-acknowledgments-keep-the-marks-apart": Trace(
        "dctcp", drop_numbers(mark=(1,)), {**FOUR, "delayed_ack": 2},
        at={0.15: {"acks_received": 3, "packets_acked": 3, "packets_marked": 1}},
    ),
    "dctcp-delayed-acknowledgments": Trace("dctcp", given={**FOUR, "delayed_ack": 2}, at={0.15: {"acks_received": 2}}),
    # With every packet marked alpha stays 1, and the window is halved once per window of data (section 3.3). Ten
    # packets (RFC 6928) at 0; the first acknowledgment at 0.1 s makes it 5. Packets 10..14 follow the acknowledgments
    # of 5..9. At 0.2 s the acknowledgment of 10, beyond the highest packet sent at the reduction, 9, makes it 2.5, that
    # of the next window 1.25, and then it is 1.
    "dctcp-every-packet-marked": Trace(
        "dctcp", marking(0, 1e9), {"delayed_ack": 1},
        at={
            0.15: {"window": 5, "alpha": 1}, 0.25: {"window": 2.5}, 0.35: {"window": 1.25},
            0.45: {"window": 1, "alpha": 1},
        },
    ),
    # Gain g weighs the last window: g = 1/2 after windows of 0 and 0 marks gives a quarter (section 3.3, step 6).
    "dctcp-gain": Trace("dctcp", given={**ONE, "gain": 0.5}, at={0.15: {"alpha": 0.5}, 0.25: {"alpha": 0.25}}),
    # A loss is answered as by SACK, whatever alpha is (RFC 8257, section 3.5): 11/2, and a mark does not reduce again.
    # 10 is lost, and found out at 0.4 s; 16, of the same window, is marked.
    "dctcp-a-loss-halves": Trace(
        "dctcp", drop_numbers(10, mark=(16,)), {**ONE, "initial_alpha": 0.1},
        times={10: [0.3, 0.4]}, at={0.55: {"ssthresh": 5.5}},
    ),
    # One reduction per window of data across marks and losses (section 3.5): 8 is marked, 10 is lost.
    "dctcp-a-mark-and-a-loss-in-one-window": Trace(
        "dctcp", drop_numbers(10, mark=(8,)), ONE, at={0.45: {"ssthresh": 9 * (1 - 0.9375**4 / 2), "retransmitted": 1}}
    ),
    # A timeout brings one packet (RFC 8257, section 3.5), and the file arrives.
    "dctcp-timeout": Trace(
        "dctcp", drop_numbers(*range(8)), {"delayed_ack": 1, "file": 8000, "first_rto": 1},
        at={1.05: {"window": 1}, 1.5: {"timeouts": 1, "una": 8}},
    ),
    # A receiver of RFC 3168 stops its echo at CWR, which the sender sets (RFC 8257, section 3.3, last paragraph). Only
    # 8 is marked. At 0.4 s 7 lets 15 and 16 go, and 8 reduces the window from 9 to 5.5, so that 17 is the next new
    # packet, and carries CWR. All 8 packets of the window 8..15 count as marked; with the receiver of section 3.2 one.
    **{
        f"dctcp-{name}-receiver": Trace(
            scheme, drop_numbers(mark=(8,)), ONE, at={0.55: {"alpha": estimate(*UNMARKED, (marked, 8))}}
        )
        for name, scheme, marked in (("classic", CLASSIC, 8), ("exact", "dctcp", 1))
    },
    # Prague's alpha stays at 1 until the first mark, and is updated once per round trip (prague_update_alpha()). 0..3
    # leave at once. A round ends when SND.UNA reaches what was SND.NXT at its beginning, 0 at first. 0 ends one, and 4
    # is SND.NXT; nothing was marked so far. 2 is marked, and 3 ends the round: 1 of 3. Packet 4 has left with the
    # acknowledgment of 0, so that SND.NXT is 5; 4, at 0.2 s, ends the next round, of one packet. 5 was paced. If the
    # acknowledgment of 2 is lost, that of 3 reports the mark, and one of two packets adds: 2/w.
    **{
        f"prague-alpha-{len(lost)}-lost": Trace(
            "prague", drop_numbers(mark=(2,)), {**FOUR, "back": drop_acks(*lost)},
            at={
                0.15: {"alpha": estimate((1, 3)), "window": REPORTED + 1 / REPORTED},
                0.21: {"alpha": estimate((1, 3), (0, 1))},
            },
        )
        for lost in ((), (2,))
    },
    "prague-alpha-without-marks": Trace("prague", given={"initial_window": 4}, at={0.35: {"alpha": 1}}),
    # Only unmarked packets add, also on acknowledgments of the round in which a mark counted (prague_update_cwnd()). 8,
    # 10, 12, 14 are marked: 8 makes the window 4.5; 9, 11 and 13 add 1/window each; 10, 12, 14 nothing.
    "prague-unmarked-packets-add": Trace(
        "prague", marking(8, 15, 2), {"initial_window": 1}, at={0.45: {"window": grown(4.5, 3)}}
    ),
    # A loss halves the window although a mark has reduced it before (prague_enter_loss()): 9/2, grown by 9, 11 and 12,
    # then half of that: 13 is the third behind 10.
    "prague-a-loss-halves-after-a-mark": Trace(
        "prague", drop_numbers(10, mark=(8,)), {"initial_window": 1},
        at={0.45: {"ssthresh": grown(4.5, 3) / 2, "retransmitted": 1}},
    ),
    # The rate is a window per round trip, and twice that while the window is below half of ssthresh. Without loss
    # ssthresh is unlimited: packets of 1000 bytes, srtt 100 ms, window 8 after 0..6. With ssthresh 4 paced packets have
    # come by 0.35 s to a window of four and some quarters.
    "prague-pacing-in-slow-start": Trace("prague", given={"initial_window": 1}, at={0.35: {"rate": 2 * 8000 / 0.1}}),
    # With marks in each round trip of 100 ms and a target of 400 ms alpha is 1 and the window is halved at 0.1 and 0.5
    # s only.
    "prague-the-target-limits-reductions": Trace(
        "prague", marking(0, 1e9), {"initial_window": 16, "initial_ssthresh": 8, **ALWAYS},
        at={0.45: {"window": 8}, 0.75: {"window": 4}},
    ),
}  # fmt: skip

test_trace = compared(TRACES)


def test_pacing_of_prague_in_avoidance():
    diary = Diary("prague", until=0.35, **FOUR)
    assert diary.flow.rate == pytest.approx(diary.flow.window * 1000 / 0.1, rel=1e-9)


@pytest.mark.parametrize(("given", "increase"), [(ALWAYS, 1 / 16), ({"target_round_trip": 0}, 1.0)])
def test_a_short_round_trip_grows_as_slowly_as_the_target(given, increase):
    """With a target of 400 ms and 100 ms round trips the window grows by (1/4)^2 packets per round trip.

    The rate grows by 1/16 packet per 100 ms in 100 ms, as that of a flow of 400 ms does by one packet per 400 ms in 400
    ms. Without a target it is a packet per round trip: from 10 to about 14 in four round trips.
    """
    diary = Diary("prague", until=0.55, initial_window=10, initial_ssthresh=10, **given)
    assert diary.flow.window == pytest.approx(grown(10.0, int(diary.flow.una), increase), rel=1e-12)
    assert diary.flow.una > 40


def test_packets_carry_the_codepoint_of_l4s():
    """Data packets carry ECT(1) (RFC 9331, section 4.1); 3 is marked at once, and keeps it."""
    rows = Diary("prague", drop_numbers(mark=(3,)), until=0.03, initial_window=4).run.state.packets
    marks = {int(row["number"]): int(row["flag_bits"]) for row in rows[rows["length"] == 1000]}
    assert marks == {0: ECT | ECT1, 1: ECT | ECT1, 2: ECT | ECT1, 3: ECT | ECT1 | CE}
