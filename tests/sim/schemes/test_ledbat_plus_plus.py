"""LEDBAT++ against traces and arithmetic by hand; `longfat verify` has the laws of its delay and its slowdowns.

A round trip of the diary is 100 ms: GAIN is 1/ceil(2 * 60/100) = 1/2 with the target of 60 ms.
"""

import math

import pytest

from docs import delay_based
from longfat.sim import run
from longfat.sim.network import traffic
from longfat.sim.schemes.ledbat_plus_plus import AVOIDANCE, FROZEN, RAMP, SLOW_START
from tests.sim.lab import one_link
from tests.sim.schemes.losses import Diary, Trace, compared, drop_numbers, grown, late, rounds_of

NAME = "ledbat-plus-plus"


TRACES = {
    # Section 4.1: 2 packets at the start, and GAIN = 1/2 packet more for each acknowledged one: 2; 0 and 1 make it 3; 2
    # to 4 make it 4.5; 5 to 8 make it 6.5; 9 to 14 make it 9.5.
    "slow-start": Trace(NAME, sent=rounds_of(2, 3, 4, 6, 9), at={0.45: {"window": 9.5, "phase": SLOW_START}}),
    # Section 4.2: 1/min(16, ceil(2 target/0.1 s)): ceil(0.2), ceil(0.8), ceil(1.2), ceil(2.4), ceil(14.8), ... The
    # first two packets make the window 2 + 2 GAIN.
    **{
        f"gain-{target}": Trace(NAME, given={"target": target}, at={0.15: {"window": 2 + 2 / divisor}})
        for target, divisor in ((0.01, 1), (0.04, 1), (0.06, 2), (0.12, 3), (0.74, 15), (0.76, 16), (5, 16))
    },
    # Section 4.1: the initial slow start ends at three quarters of the target, 45 ms of queueing delay. Section 4.5:
    # the least of 4 samples, so that the fourth late one ends it. From 5 on packets are late; with 5, 6 and 7 the
    # window is 4.5 + 3/2, and 8 ends the slow start: it adds GAIN/window as in congestion avoidance. The first slowdown
    # is 2 smoothed round trips later (section 4.4), of 4 late samples (RFC 6298, rule 2.3).
    "slow-start-goes-on": Trace(NAME, late(5, 0.044), at={0.354: {"phase": SLOW_START, "window": 6.5}}),
    "slow-start-ends": Trace(
        NAME, late(5, 0.046),
        at={0.356: {
            "phase": AVOIDANCE, "window": 6 + 0.5 / 6,
            "next_slowdown": pytest.approx(0.346 + 2 * (0.1 + 0.046 * (1 - (7 / 8) ** 4)), rel=1e-6),
        }},
    ),
    # RFC 6817, section 2.4.2. 9 and 11 to 13 come at 0.4 s; 13 shows that 10 is lost. 9, 11 and 12 make the window 6.5
    # + 3/2 = 8, the loss 4; 13, 14 and six packets at 0.5 s then add 1/2 over the window each: w = 4.9.
    #
    # Section 4.4: a slowdown has 2 packets for 2 RTT, slow start to the window before, and a pause of 9 times as long.
    # It begins at 0.6 s, and the window is frozen until 0.8 s, when two packets make it 3; three make it 4.5 at 0.9 s,
    # and the first of four at 1 s ends the slowdown. The second one makes the window one packet more than the 4 in
    # flight (RFC 6817, section 2.4.2: ALLOWED_INCREASE), the others add 1/2 over the window. It has lasted 0.4 s, so
    # that the next one is due 3.6 s later.
    "loss-and-slowdown": Trace(
        NAME, drop_numbers(10),
        at={
            0.45: {
                "window": grown(4.0, 2, 0.5), "ssthresh": 4, "phase": AVOIDANCE, "retransmitted": 1,
                "next_slowdown": pytest.approx(0.6, rel=1e-6),
            },
            0.65: {
                "ssthresh": grown(4.0, 8, 0.5), "window": 2, "phase": FROZEN,
                "entered": pytest.approx(0.6, rel=1e-6), "frozen_until": pytest.approx(0.8, rel=1e-6),
            },
            0.75: {"window": 2}, 0.85: {"window": 3, "phase": RAMP}, 0.95: {"window": 4.5},
            1.05: {"window": 5.1 + 0.5 / 5.1, "next_slowdown": pytest.approx(4.6, rel=1e-6)},
            4.55: {"phase": AVOIDANCE}, 4.65: {"phase": FROZEN},
        },
    ),
}  # fmt: skip

test_trace = compared(TRACES)


@pytest.mark.parametrize(("extra", "window"), [(0.066, 5.0), (0.6, 2.0)])
def test_the_decrease_by_hand(extra, window):
    """Section 4.3: W += max(1/2 - W (delay/target - 1), -W/2) per round trip, and at least 2 packets.

    Packets are late by 66 ms, 1.1 times the target, so that the window tends to W = 1/2/0.1 = 5; or by 600 ms.
    """
    diary = Diary(NAME, late(60, extra, lost=10), until=0.3, interval=1e9)
    diary.run.advance(30.0)
    assert diary.own.phase == AVOIDANCE
    assert diary.own.queueing == pytest.approx(extra, rel=1e-6)
    assert diary.flow.window == pytest.approx(window, rel=1e-3)


def test_the_decrease_is_half_a_window_at_most():
    """Late by 600 ms, delay/target = 10, each acknowledged packet takes half a packet, down to the least window.

    The window is sampled just before a late packet comes, and after.
    """
    diary = Diary(NAME, late(60, 0.6, lost=10), until=2.0, interval=1e9, granularity=0.0)
    windows = []
    while diary.own.queueing < 0.6:  # the fourth late one
        windows.append((float(diary.flow.window), int(diary.flow.una)))
        diary.advance(diary.run.now + 0.01)
    last, una = windows[-1]
    assert diary.flow.window == pytest.approx(max(2.0, last - (int(diary.flow.una) - una) / 2), abs=0.5)


def test_a_timeout_is_a_slowdown_without_the_freeze():
    """All packets from 9 on are lost: the window 6.5 of then is halved for ssthresh, and 2 packets are left."""
    diary = Diary(NAME, drop_numbers(*range(9, 15), *range(9, 13)), until=0.6)
    diary.advance(3.0)
    assert diary.flow.timeouts >= 1
    assert diary.own.ssthresh < 6.5
    assert diary.flow.window >= 2.0


def test_an_unused_window_does_not_grow():
    """In slow start (ours), and beyond one packet more than was in flight (RFC 6817, section 2.4.2)."""
    net = one_link(NAME, rate=math.inf, delay=0.05, duplex=True, packet=1000, application=traffic.constant("80 kbit/s"))
    data = run(net, duration=20.0, rng=1, progress=False, sample_every=0.1)
    assert data.window_trace.values.max() <= 4.0  # 10 packets/s: one in flight


@pytest.mark.parametrize("milliseconds", [10, 137])
def test_the_table_is_what_is_simulated(milliseconds):
    """docs/data/ledbat_plus_plus.csv has what `python -m docs.delay_based` writes."""
    assert delay_based.row(milliseconds) in delay_based.TABLE.read_text(encoding="utf-8")
