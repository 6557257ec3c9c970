"""Tahoe, Reno, NewReno and SACK, their marks and their timers, against traces made by hand.

A round trip is 100 ms, and a window leaves at once: 0 at 0 s, 1 and 2 at 0.1 s, 3 to 6 at 0.2 s, 7 to 14 at 0.3 s. At
0.4 s the acknowledgments of 7, 8 and 9 make the window 11 and let 15 to 20 go.
"""

import math

import pytest

from longfat.sim import queues
from longfat.sim.schemes import profile, timers
from tests.sim.lab import one_link, simulated
from tests.sim.own import column
from tests.sim.schemes.losses import Diary, Trace, compared, drop_acks, drop_numbers, grown, rounds_of

#: Schemes that halve a window, without limited transmit, and those of them that have fast recovery.
HALVING = {"tahoe": {}, "reno": {}, "newreno": {"limited_transmit": 0}, "sack": {}}
RECOVERING = {name: HALVING[name] for name in ("reno", "newreno", "sack")}
SECOND = {"min_rto": 1}  # a timer of 1 s
WITHOUT = {"limited_transmit": 0}


def trace_of_each(name, schemes, link, given, **expected):
    """Return the same trace for several schemes."""
    return {f"{scheme}-{name}": Trace(scheme, link, {**own, **given}, **expected) for scheme, own in schemes.items()}


def marked(name, schemes, link, given=None, **expected):
    """Return the same trace for several schemes with ECN."""
    return trace_of_each(name, schemes, link, {"ecn": 1, **(given or {})}, **expected)


#: 15 to 20, and then 10, which is lost.
FOUND = {0.4: [*range(15, 21), 10]}

TRACES = {
    # In slow start every acknowledgment releases two packets (RFC 5681, section 3.1).
    "tahoe-slow-start": Trace("tahoe", sent=rounds_of(1, 2, 4, 8)),
    # Slow start ends at ssthresh: a window of 2, growth by 1 up to 4, by 1/window from there (RFC 5681, section 3.1).
    # At 0.2 s 4.25, 4.4853, 4.7082, 4.9206: packet 6 + 4 = 10 is the first not sent.
    "tahoe-initial-window-and-ssthresh": Trace(
        "tahoe", given={"initial_window": 2, "initial_ssthresh": 4}, sent=rounds_of(2, 4, 4),
        at={0.25: {"window": grown(4.0, 4)}},
    ),
    # The third duplicate brings a slow start from one packet (ns-2.35, tcp.cc, dupack_action()). The duplicates of 11,
    # 12, 13 make ssthresh floor(11/2) = 5 and the window 1; those of 14..20 do nothing. Packet 10 then covers all to
    # 20: the window is 2, and opens by 1 per acknowledgment until 5, then by 1/5, 1/5.2, 1/5.39: at 0.7 s the
    # acknowledgments of 23..26 bring windows of 5, 5.2, 5.39, 5.58, first packets missing are 24..27.
    "tahoe-fast-retransmit": Trace(
        "tahoe", drop_numbers(10),
        sent={**FOUND, 0.5: [21, 22], 0.6: [*range(23, 27)], 0.7: [*range(27, 32)]},
        packets={(10, 1): {"window": 1, "ssthresh": 5, "inflation": 0}, (21, 0): {"inflation": 0}},
        at={0.75: {"timeouts": 0}},
    ),
    # Of 7..14 only 14 is behind 13; 7..12 let 15..26 go.
    "tahoe-threshold-of-one": Trace(
        "tahoe", drop_numbers(13), {"duplicate_threshold": 1}, sent={0.4: [*range(15, 27), 13]}
    ),
    # With `bugfix`, packets resent in vain bring no second reduction (RFC 6582, section 3.2, step 2). Of 31..62 four
    # are lost. Going back sends 31; 32, 33; 34, 35, 36; 38..41: what has arrived already gives duplicates, 39, 40, 41
    # the third one, for data sent before the reduction. ssthresh is floor(32/2); max(2, floor(5/2)).
    **{
        f"tahoe-bugfix-{bugfix}": Trace(
            "tahoe", drop_numbers(31, 32, 34, 38), {"bugfix": bugfix},
            sent={0.6: [31], 0.7: [32, 33], 0.8: [34, 35, 36], 0.9: [*range(38, 42)], 1.0: [*range(63, 68), *more]},
            at={1.05: {"ssthresh": ssthresh}},
        )
        for bugfix, more, ssthresh in ((1, [], 16), (0, [63], 2))
    },
    # A timeout sets ssthresh to half of the flight, floor(8/2), and goes back (RFC 5681, section 3.1, equation 4; RFC
    # 6675, section 5.1). All of 7..14 are lost; the timer, 1 s here, was last set at 0.3 s. Windows are 1; 2; 3, 4; and
    # 4.25, 4.49, 4.71, 4.92 when 11, 12, 13, 14 are missing.
    **trace_of_each(
        "timeout", {"tahoe": {}, "sack": {}}, drop_numbers(*range(7, 15)), SECOND,
        sent={1.3: [7], 1.4: [8, 9], 1.5: [*range(10, 14)], 1.6: [*range(14, 18)]},
        packets={(7, 1): {"window": 1, "ssthresh": 4}}, at={1.65: {"timeouts": 1}},
    ),
    # ssthresh has a floor of two packets, or what the parameter says (RFC 5681, section 3.1, equation 4). Packet 1 is
    # lost with a window of 2, floor(2/2) = 1.
    **{
        f"tahoe-ssthresh-floor-{floor}": Trace(
            "tahoe", drop_numbers(1, 2), {"ssthresh_floor": floor, **SECOND}, sent={1.1: [1]},
            packets={(1, 1): {"ssthresh": floor}},
        )
        for floor in (1, 2, 7)
    },
    # Fast retransmit and fast recovery (RFC 5681, section 3.2, steps 2 to 6). The third duplicate halves the 11 in
    # flight: ssthresh = window = 5, inflation 3, packet 10 goes. The duplicates of 14..20 inflate to 10: packet 10 + 5
    # + 10 = 25 is the first not sent. The new acknowledgment, 21, ends it: 5 + 1/5.
    "reno-fast-recovery": Trace(
        "reno", drop_numbers(10), sent={**FOUND, 0.5: [*range(21, 26)]},
        packets={
            (10, 1): {"window": 5, "ssthresh": 5, "inflation": 3},
            **{(number, 0): {"inflation": number - 14} for number in range(21, 25)},
            (25, 0): {"window": 5.2, "inflation": 0},
        },
        at={0.65: {"timeouts": 0}},
    ),
    # With `bugfix` a second loss in a window waits for the timer (RFC 6582, section 3.2, step 2). The acknowledgment
    # 12, at 0.5 s, ends recovery with a window of 5.2 and 12..23 in flight; 21, 22, 23 are its three duplicates, for
    # data sent before the reduction: nothing happens until the timer expires, 1 s after 0.5 s. ssthresh = max(2,
    # floor(5.2/2)) = 2.
    "reno-second-hole-waits-for-the-timer": Trace(
        "reno", drop_numbers(10, 12), SECOND, sent={0.5: [21, 22, 23], 0.6: [], 1.5: [12], 1.6: [24, 25]},
        packets={(12, 1): {"window": 1, "ssthresh": 2}}, at={1.65: {"timeouts": 1}},
    ),
    # Without `bugfix` the 12 packets 12..23 in flight are halved: window 6, then 6 + 1/6 after packet 12.
    "reno-second-hole-without-bugfix": Trace(
        "reno", drop_numbers(10, 12), {"bugfix": 0, **SECOND}, sent={0.6: [12], 0.7: [*range(24, 30)]},
        packets={(12, 1): {"window": 6, "inflation": 3}}, at={0.75: {"window": 6 + 1 / 6, "timeouts": 0}},
    ),
    # With a threshold of 1 the inflation begins with 1: floor(11/2) + 1 + 9 more duplicates, as with 3.
    "reno-threshold-of-one": Trace(
        "reno", drop_numbers(10), {"duplicate_threshold": 1}, sent={0.5: [*range(21, 26)]},
        packets={(10, 1): {"inflation": 1}},
    ),
    # A timeout ends inflation and resends from the first missing packet on (ns-2.35, tcp-reno.cc, timeout()). 10 is
    # lost twice. Its duplicates let 21..24 go at 0.5 s, these 25..28, and so on to 53..56 at 1.3 s; nothing new is
    # acknowledged, and the timer, restarted at 0.4 s, expires at 1.4 s. ssthresh is floor(min(5, 57 - 10)/2).
    "reno-timeout": Trace(
        "reno", drop_numbers(10, 10), SECOND, sent={0.5: [*range(21, 25)], 1.4: [10], 1.5: [57, 58]},
        packets={(10, 2): {"window": 1, "inflation": 0, "ssthresh": 2}},
    ),
    # A partial acknowledgment retransmits the next missing packet (RFC 6582, section 3.2, step 3). After the duplicates
    # of 11, 13, 14 the window is 5 + 3, and those of 15..20 make it 5 + 9: 21, 22, 23. Packet 10 brings the
    # acknowledgment 12, partial: 12 goes at once, inflation 9 - (2 - 1) = 8, 12 + 5 + 8 = 25: packet 24, too. 21, 22,
    # 23 inflate to 11: 25, 26, 27. Packet 12 brings 24, beyond the 20 sent before: window 5, inflation 0: 28; the
    # acknowledgment of 24 makes it 5.2: 29.
    "newreno-partial-acknowledgment": Trace(
        "newreno", drop_numbers(10, 12), WITHOUT, sent={**FOUND, 0.5: [21, 22, 23, 12, 24], 0.6: [*range(25, 30)]},
        packets={
            (12, 1): {"window": 5, "inflation": 8}, (27, 0): {"inflation": 11}, (28, 0): {"window": 5, "inflation": 0},
            (29, 0): {"window": 5.2},
        },
        at={0.65: {"timeouts": 0}},
    ),
    # Packets sent by limited transmit, 21 and 22 after the first two duplicates, do not count for ssthresh (RFC 3042;
    # RFC 5681, section 3.2, step 2): floor(11/2) = 5 and not floor(13/2) = 6.
    "newreno-limited-transmit": Trace(
        "newreno", drop_numbers(10), {"limited_transmit": 1}, sent={0.4: [*range(15, 23), 10]},
        packets={(10, 1): {"ssthresh": 5, "inflation": 3}},
    ),
    # A single duplicate, of packet 14, lets one packet more go than 15..26; the acknowledgment of new data takes that
    # back. At 0.5 s the duplicates of 15 and 16 are the second and third: packet 28, and recovery.
    "newreno-limited-transmit-ends-with-new-data": Trace(
        "newreno", drop_numbers(13), SECOND, sent={0.4: [*range(15, 28)]}, packets={(27, 0): {"inflation": 1}},
        times={28: [0.5], 13: [0.3, 0.5]},
    ),
    # Where the inflation is too small, the window shrinks (RFC 6582, section 3.2, step 3). The acknowledgment 20
    # acknowledges 10 packets with an inflation of 9: what lacks, 1, is taken from the window: 4 + 1, and 20..24 are in
    # flight. Inflated by 21, 22, 23; then the full acknowledgment, 24, with 24..27 in flight: back to ssthresh.
    "newreno-excess-deflation": Trace(
        "newreno", drop_numbers(10, 20), WITHOUT, sent={0.5: [21, 22, 23, 20, 24], 0.6: [*range(25, 30)]},
        packets={(20, 1): {"window": 4, "inflation": 1}, (28, 0): {"window": 5}}, at={0.65: {"window": 5.2}},
    ),
    # Only the first partial acknowledgment restarts the timer of 1 s (RFC 6582, section 3.2, step 3). Recovery begins
    # at 0.5 s, with the duplicate of 15; partial acknowledgments, 12, 14 and 16, come at 0.6, 0.7 and 0.8 s, the full
    # one at 0.9 s.
    **{
        f"newreno-impatient-{impatient}": Trace(
            "newreno", drop_numbers(10, 12, 14, 16), {"impatient": impatient, **SECOND},
            at={0.55 + 0.1 * k: {"due": due} for k, due in enumerate(dues)},
            times={10: [0.3, 0.5], 12: [0.3, 0.6], 14: [0.3, 0.7], 16: [0.4, 0.8]},
        )
        for impatient, dues in ((1, [1.5, 1.6, 1.6, 1.6, 1.9]), (0, [1.5, 1.6, 1.7, 1.8, 1.9]))
    },
    # A full acknowledgment sets the window to ssthresh (RFC 6582, section 3.2, step 3, option 2). The duplicates of
    # 15..20 are lost, so that nothing is in flight when packet 10 is acknowledged: five packets at once.
    "newreno-full-acknowledgment": Trace(
        "newreno", drop_numbers(10), {"back": drop_acks(*range(15, 21)), **WITHOUT}, sent={0.5: [*range(21, 26)]}
    ),
    # In recovery each duplicate releases at most two packets (ns-2.35, tcp-newreno.cc, recv()). The mark of 10 halves
    # the window of 11: 5.5; 21..24 go at 0.5 s, and 20 is lost. Its third duplicate, of the same window as the mark,
    # does not halve again (RFC 3168, section 6.1.2), so that 20 + 5 + 3 = 28 would let 25, 26, 27 go at once with
    # packet 20; two may. 27 follows with the fourth duplicate, when the inflation is 4.
    "newreno-burst-limit": Trace(
        "newreno", drop_numbers(20, mark=(10,)), {"ecn": 1, **WITHOUT},
        sent={0.5: [*range(21, 25)], 0.6: [20, *range(25, 29)]},
        packets={(k, -1): {"inflation": size} for k, size in {20: 3, 25: 3, 26: 3, 27: 4, 28: 4}.items()},
    ),
    # A timeout ends recovery (RFC 6582, section 3.2, step 4). After it the window opens at once, with every
    # acknowledgment. 25..56 have gone meanwhile, as in reno-timeout. From ssthresh = floor(5/2) = 2 on by 1/2 and
    # 1/2.5.
    "newreno-timeout-ends-recovery": Trace(
        "newreno", drop_numbers(10, 10), {**SECOND, **WITHOUT}, sent={1.4: [10], 1.5: [57, 58], 1.6: [59, 60]}
    ),
    # Two losses in a window are repaired in one round trip (RFC 6675, section 5). 11 and 13 leave the pipe, so that 21
    # and 22 follow (RFC 3042). 14 is the third behind 10: window min(11, 23 - 10)/2 = 5.5, and packet 10 goes at once.
    # Pipe then: 12, 15..22, 10: ten. 0.5 s: 15 is the third behind 12, pipe 8; 16, 17, 18 make it 5, and with 19 it is
    # 4 < 5.5 - 1: 12; with 20, 21, 22: 23, 24, 25; with 10, acknowledged up to 12: 26. 0.6 s: 12 acknowledges up to 23,
    # beyond 22: recovery is over, and packet 27 goes; 23..26 then make the window 5.5 + 1/5.5 + ...: a sixth packet.
    "sack-two-losses-in-one-round-trip": Trace(
        "sack", drop_numbers(10, 12),
        sent={0.4: [*range(15, 23), 10], 0.5: [12, *range(23, 27)], 0.6: [*range(27, 33)]},
        packets={(10, 1): {"window": 5.5, "ssthresh": 5.5}, (27, 0): {"window": 5.5}},
        at={0.65: {"window": grown(5.5, 4), "timeouts": 0, "retransmitted": 2}},
    ),
    # In recovery the window does not grow, and is reduced once for one window (RFC 6675, section 5).
    "sack-no-growth-in-recovery": Trace("sack", drop_numbers(10, 12, 15, 20), windows={0.5: [5.5]}),
    # Recovery ends when all packets sent before it are acknowledged (RFC 6675, section 5, step A). 22, the last one
    # sent before the loss of 10 is found, is lost, too: an acknowledgment up to it, at 0.5 s, is partial. It is
    # retransmitted at 0.6 s, between 27 and 28. Its acknowledgment ends recovery and does not grow; 28, 29, 30 do, from
    # 5.5 on. One reduction for both.
    "sack-recovery-ends-beyond-the-last-packet-sent-before-it": Trace(
        "sack", drop_numbers(10, 22), SECOND, sent={0.6: [27, 22, 28, 29, 30]}, at={0.75: {"window": grown(5.5, 3)}}
    ),
    # The pipe counts what was sent, and is neither acknowledged nor lost (RFC 6675, section 4). Of 31..62, 33 and 35
    # let 63 and 64 go; 36 is the third behind 31 and 32: 34 packets in flight, 3 of them arrived, 2 lost, and 31
    # retransmitted: pipe 30, window min(32, 65 - 31)/2 = 16. 37 (with it 34 is lost): 28; 39, 40: 26; 41 (38): 24; 42,
    # 43, 44, 46, 47: 19; 48 (45): 17; 49: 16; 51: 15: now 32 may go. 52: 34. 53 (50): 14: 38 and 45. 54: 50. Then one
    # new packet for each of 55..62. All six are repaired in one round trip.
    "sack-pipe": Trace(
        "sack", drop_numbers(31, 32, 34, 38, 45, 50),
        sent={0.6: [63, 64, 31, 32, 34, 38, 45, 50, *range(65, 73)]}, windows={0.6: [16, 32]},
        at={0.75: {"una": 73, "retransmitted": 6}},
    ),
    # A retransmission that is lost is found and reduces the window again, beyond RFC 6675. Of what was sent behind it
    # the second time, 23, 24, 25 arrive at 0.6 s: it is retransmitted, and the window of 5.5 is halved again. 0.7 s: 27
    # and 28 leave the pipe, and 29 goes; 10 acknowledges up to 29, beyond 28: 30.
    "sack-lost-again": Trace(
        "sack", drop_numbers(10, 10), SECOND,
        sent={0.4: [*range(15, 23), 10], 0.5: [*range(23, 27)], 0.6: [27, 28, 10], 0.7: [29, 30]},
        packets={(10, 2): {"window": 2.75}}, at={0.75: {"timeouts": 0}},
    ),
    # 9, of 7..14, arrives; nothing else does. It is not retransmitted (in RFC 6675 it may be). Its acknowledgment
    # leaves room for 15, by limited transmit, at 0.4 s, and that of 15 for 16, which is the third behind 7 and 8.
    "sack-timeout-remembers-what-has-arrived": Trace(
        "sack", drop_numbers(7, 8, *range(10, 15)), SECOND, sent={0.4: [15], 0.5: [16]},
        times={7: [0.3, 0.6], 9: [0.3]}, at={1.85: {}},
    ),
    # After a timeout the earliest packet leaves first (RFC 6298, rule 5.4), also if it was retransmitted before. 8 and
    # 9 let 15 and 16 go, 10 is the third behind 7: it is retransmitted at 0.4 s, after all of these, and all are lost.
    # The window is 8/2 then, so that ssthresh is 4/2 when the timer, restarted by that, expires at 1.4 s. 7 is
    # acknowledged up to 10: a window of 2. 11 and 12 make it 2 + 1/2 + 1/2.5 = 2.9.
    **{
        f"sack-timeout-while-a-retransmission-is-outstanding-{rack}": Trace(
            "sack", drop_numbers(7, 7, *range(11, 17)), {"rack": rack, **SECOND},
            sent={0.4: [15, 16, 7], 1.4: [7], 1.5: [11, 12], 1.6: [13, 14]},
        )
        for rack in (0, 1)
    },
    # Marks halve the window once per round trip (RFC 3168, sections 6.1.2 and 6.1.3). The marked 10 makes it 5.5. The
    # receiver repeats the mark until packet 21, the first new one, tells it of the reduction: at 0.5 s there is no
    # growth, 20 + 1 + 5 = 26; at 0.6 s there is: 5.5 + 1/5.5 + ... = 6.36, 26 + 6 = 32. Nothing is sent twice.
    **marked(
        "mark-halves-once-a-window", HALVING, drop_numbers(mark=(10,)),
        sent={0.4: [*range(15, 21)], 0.5: [*range(21, 26)], 0.6: [*range(26, 32)]}, windows={0.5: [5.5]},
        at={0.65: {"ssthresh": 5.5, "retransmitted": 0, "window": grown(5.5, 5)}},
    ),
    # Packets of a flow without ECN are not marked (RFC 3168, section 5).
    **trace_of_each(
        "without-ecn", HALVING, drop_numbers(mark=(10,)), {}, sent={0.4: [*range(15, 31)]}, at={0.45: {"marks": 0}}
    ),
    # The reduction for 10 covers up to 20; a mark on 21 is new: 5.5/2. One on 20 is not (RFC 3168, section 6.1.2).
    **marked("second-mark", HALVING, drop_numbers(mark=(10, 21)), at={0.65: {"window": 2.75}}),
    **marked("mark-of-the-same-window", HALVING, drop_numbers(mark=(10, 20)), at={0.65: {"window": grown(5.5, 5)}}),
    # 10 is marked, 12, of the same window, is lost: no second reduction (RFC 3168, section 6.1.2). A loss brings Tahoe
    # back to one packet; ssthresh stays as the mark left it (ns-2.35).
    **marked(
        "loss-after-a-mark", RECOVERING, drop_numbers(12, mark=(10,)), times={12: [0.3, 0.5]},
        packets={(12, 1): {"window": 5.5, "ssthresh": 5.5}},
    ),
    **marked(
        "loss-after-a-mark", {"tahoe": {}}, drop_numbers(12, mark=(10,)), times={12: [0.3, 0.5]},
        packets={(12, 1): {"window": 1, "ssthresh": 5.5}},
    ),
    # 10 is lost, and found out at 0.4 s; 16, of the same window, is marked: nothing (RFC 3168, section 6.1.2).
    **{
        f"{name}-mark-after-a-loss": Trace(
            name, drop_numbers(10, mark=(16,)), {"ecn": 1, **own},
            at={0.55: {"ssthresh": 5.5 if name == "sack" else 5, "marks": 1}},
        )
        for name, own in HALVING.items()
    },
    # 10 is lost; the duplicate of 11 is marked: it halves the 11, and the third duplicate does not again.
    **marked(
        "mark-on-a-duplicate", RECOVERING, drop_numbers(10, mark=(11,)), times={10: [0.3, 0.4]},
        packets={(10, 1): {"window": 5.5}},
    ),
    # At a window of one packet a mark backs the timer off (RFC 3168, section 6.1.2). The window stays 1, and the timer,
    # after one round trip of 0.1 s 0.1 + 4 x 0.05 = 0.3 s, is twice that. The next acknowledgment ends it, and opens
    # the window.
    **marked(
        "mark-at-a-window-of-one", HALVING, drop_numbers(mark=(0,)), sent={0.1: [1], 0.2: [2, 3]},
        at={0.15: {"backoff": 2, "due": 0.7}, 0.25: {"backoff": 1}},
    ),
    # A mark after a timeout halves (ns-2.35, tcp.cc, ecn()). 7..14 are lost; 8, retransmitted after 7, is marked though
    # it is of the window of the timeout: 2/2 = 1, and no growth by 9, whose acknowledgment repeats the mark: 9 + 1 + 1.
    **marked(
        "mark-after-a-timeout", HALVING, drop_numbers(*range(7, 15), mark=(8,)), SECOND,
        sent={1.4: [8, 9], 1.5: [10]}, windows={1.5: [1]},
    ),
    # CWR goes with the first new packet after any reduction, here at 0.5 s; the mark of 9 is news at 0.4 s and halves,
    # 10 is lost in the same window; without CWR the echo would never end (RFC 3168, section 6.1.2).
    **marked(
        "cwr-after-a-reduction", RECOVERING, drop_numbers(10, mark=(9,)), at={0.85: {"echo_ce": 0, "cwr": 0}}
    ),
    # Of 14..21, at 0.6 s in slow start, 14 is marked: 8/2, and growth of avoidance (RFC 3168, section 6.1.2).
    "vegas-mark": Trace(
        "vegas", drop_numbers(mark=(14,)), {"ecn": 1}, sent={0.7: [*range(22, 26)]},
        at={0.75: {"window": 4, "ssthresh": 4, "retransmitted": 0}},
    ),
    # The timeout doubles up to its upper bound: 3, 6, 12, 24, 48 s, and then 60 s (RFC 6298, rules 5.5 and 2.5).
    "reno-backoff": Trace("reno", drop_numbers(*[0] * 8), times={0: [0, 3, 9, 21, 45, 93, 153, 213, 273]}),
    # Doubling ends at 64, where the longest timeout does not: 0.5, 1, ..., 32, 32 s (ns-2.35, rtt_backoff()).
    "reno-backoff-of-64": Trace(
        "reno", drop_numbers(*[0] * 9), {"first_rto": 0.5, "max_rto": 1e6},
        times={0: [0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 95.5, 127.5]},
    ),
    # A retransmitted packet is timed only with timestamps: Karn's algorithm (RFC 6298, section 3). Packet 0 goes at 0
    # and at 3 s. Its acknowledgment at 3.1 s is a sample only with timestamps, and ends the backoff: 0.1 + 4 x 0.05 s;
    # without, 6 s hold until 3.2 s.
    "reno-karn-without-timestamps": Trace(
        "reno", drop_numbers(0), {"timestamps": 0},
        at={3.15: {"due": 9.1, "backoff": 2}, 3.25: {"backoff": 1, "srtt": 0.1, "due": 3.5}},
    ),
    "reno-karn-with-timestamps": Trace(
        "reno", drop_numbers(0), {"timestamps": 1}, at={3.15: {"due": 3.4, "backoff": 1}, 3.25: {"backoff": 1}}
    ),
    # A timed packet that is retransmitted, 7, the first of its round, is timed no longer. Samples: 0, 1, 3 and, after
    # 7 was dropped from timing, 0.1 s again: at no time 0.2 s.
    "reno-karn-of-a-packet-timed": Trace(
        "reno", drop_numbers(7), SECOND, times={7: [0.3, 0.4]}, at={0.65: {"srtt": 0.1}}
    ),
    # A fast retransmission restarts the timer. 12 is acknowledged at 0.4 s, and 16, sent at 0.4 s, brings the third
    # duplicate of 13 at 0.5 s. (Vegas: 12 at 0.6 s, and 14 makes it send 13 again at 0.7 s.)
    **{
        f"{name}-restart": Trace(
            name, drop_numbers(13), SECOND, times={13: [first, again]}, at={again + 0.01: {"due": again + 1}}
        )
        for name, first, again in (*((name, 0.3, 0.5) for name in HALVING), ("vegas", 0.5, 0.7))
    },
    # The timer runs from the first packet, anew from each new acknowledgment, and no longer than something is in flight
    # (RFC 6298, rules 5.1 to 5.3).
    "reno-timer-stops": Trace(
        "reno", given={"file": 3000}, at={0.05: {"due": 3.0}, 0.15: {"due": 0.1 + 0.3}, 0.25: {"due": math.inf}}
    ),
    "reno-timer-restarts": Trace("reno", drop_numbers(1, 2), at={0.15: {"due": 0.4}}),
}  # fmt: skip

test_trace = compared(TRACES)


@pytest.mark.parametrize(("bugfix", "more", "window"), [(1, [], 5), (0, [63], 2)])
def test_careful_variant(bugfix, more, window):
    """Packets resent in vain after a timeout start no recovery (RFC 6582, section 3.2, step 2).

    A timeout resends what it does in tahoe-bugfix, and 39, 40, 41, which have arrived, give three duplicates for data
    sent before it. The threshold is out of reach until the timer, 1 s after 0.5 s, has expired.
    """
    given = {"bugfix": bugfix, "duplicate_threshold": 1e6, **SECOND, **WITHOUT}
    diary = Diary("newreno", drop_numbers(31, 32, 34, 38), 0.65, **given)
    diary.own.duplicate_threshold = 3.0
    diary.advance(1.95)
    assert [diary.sent(t) for t in (1.5, 1.6, 1.7, 1.8)] == [[31], [32, 33], [34, 35, 36], [38, 39, 40, 41]]
    assert diary.sent(1.9) == [*range(63, 68), *more]
    assert diary.flow.window == window


def test_a_partial_acknowledgment_releases_two_new_packets():
    """Beside the retransmission, which does not count (ns-2.35, tcp-newreno.cc, recv()), as each duplicate does.

    At 0.5 s the duplicates of 15..20 come, and packet 10 brings a partial acknowledgment: 12 is missing. The window,
    inflated from outside, would allow 50 packets.
    """
    diary = Diary("newreno", drop_numbers(10, 12), 0.45, **WITHOUT)
    column(diary.run, "inflation")[0] = 50.0
    diary.advance(0.55)
    assert diary.sent(0.5) == [*range(21, 33), 12, 33, 34]


@pytest.mark.parametrize("scheme", ["tahoe", "reno", "newreno", "sack", "vegas", "constant"])
@pytest.mark.parametrize("lost", [[0], [1, 2], [5, 6, 7, 8], [29], range(20, 30)])
def test_every_file_arrives(scheme, lost):
    """Each packet named is lost twice: the first, the last, some of a window, and all of it."""
    lossy = queues.scripted_loss(packets=[[0, number, 2] for number in lost])
    net = one_link(scheme, rate="100 Mbit/s", delay="50 ms", discipline=lossy, packet=1000, file=30_000)
    run = simulated(net, 60.0)
    assert run.all_done()
    assert run.state.flows[0].expect == 30


@pytest.mark.parametrize(
    ("name", "granularity", "floor", "first"),
    [
        ("ns", 0.010, 0.2, 3.0),
        ("rfc", 0.001, 1.0, 1.0),
        ("linux", 0.2, 0.2, 1.0),
        ("bsd", 0.5, 1.0, 3.0),
        ("fine", 0.001, 0.002, 3.0),
    ],
)
def test_profiles_of_the_timer(name, granularity, floor, first):
    """Timers of ns-2.35, RFC 6298, Linux and 4.4BSD-Lite; the first timeout is 3 s in old code, 1 s in RFC 6298."""
    chosen = profile(name)
    assert set(chosen) == set(timers.PARAMETERS)
    assert (chosen["granularity"], chosen["min_rto"], chosen["first_rto"]) == (granularity, floor, first)
    diary = Diary("reno", until=0.05, **chosen)
    flow = diary.flow
    assert (flow.granularity, flow.min_rto, flow.rto) == (granularity, floor, first)
    assert (flow.max_rto, flow.tick, flow.timestamps) == tuple(chosen[k] for k in ("max_rto", "tick", "timestamps"))
    assert diary.due() == pytest.approx(first, abs=1e-8)


def test_a_profile_is_new_each_time_and_ns_is_the_default():
    profile("ns")["min_rto"] = 7.0
    assert profile("ns") == {name: one.default for name, one in timers.PARAMETERS.items()}


@pytest.mark.parametrize(
    ("name", "changed", "until", "rto"),
    [
        # BSD, in whole ticks of 0.5 s: round trips of 0.1 s are read as one tick: 0.5 s, variation 0.25 s: 1.5 s, three
        # ticks. After 0, 1 and 3 (one packet is timed at a time) the variation is 0.25 x 0.75^2 = 0.14 s: 0.5 + 0.56 s,
        # three ticks again; after 7 it is 0.105 s, below a quarter of a tick: 0.5 + 0.5 s.
        ("bsd", {}, 0.35, 1.5),
        ("bsd", {}, 0.45, 1.0),
        # 0.1 + 4 x 0.05 x 0.75^k s after k + 1 round trips of 0.1 s: of one packet each in `ns`, of all in `fine`.
        ("ns", {"min_rto": 0.01}, 0.35, 0.1 + 0.2 * 0.75**2),  # 0, 1, 3
        ("fine", {}, 0.35, 0.1 + 0.2 * 0.75**6),  # 0..6
        ("ns", {}, 0.35, 0.2125),
        ("rfc", {}, 0.35, 1.0),
        # Linux: the lower bound of 200 ms is one of the term 4 rttvar, after the first round trip 0.2 s, and later
        # 0.2 x 0.75^k s: 0.1 + 0.2 s after seven round trips. RFC 6298 takes at least 1 s for the sum.
        ("linux", {}, 0.35, 0.3),
    ],
)
def test_timeouts_by_hand(name, changed, until, rto):
    """The timeout follows round-trip time and deviation (RFC 6298, rules 2.2 and 2.3), with the rules of a profile."""
    assert Diary("tahoe", until=until, **{**profile(name), **changed}).flow.rto == pytest.approx(rto, rel=1e-9)
