"""Vegas, DUAL and Tri-S against traces made by hand, and the queue that Vegas keeps.

A round trip is 100 ms, and a window leaves at once.
"""

import math

import pytest

from longfat.sim import Simulation, run
from tests.sim.lab import one_link
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, Trace, compared, drop_numbers, grown, late, rounds_of

SECOND = {"min_rto": 1}  # a timer of 1 s


def fine(samples):
    """Return Vegas' fine-grained timeout after round trips of 0.1 s, the first of which sets the variation [s]."""
    return (0.1 + 2 * 0.05 * 0.75 ** (samples - 1)) * 17 / 16


VEGAS = {
    # Twice the window every second round trip; the first one is passive (Brakmo and Peterson, III-C).
    "vegas-slow-start-every-other-round": Trace(
        "vegas", sent=rounds_of(1, 1, 2, 2, 4, 4, 8, 8), at={0.75: {"minimum_rtt": 0.1}}
    ),
    # While the backlog is below alpha the window of 4 grows by 1/4 for each of the 4 acknowledgments, that of 5 by 1/5
    # five times; with alpha 0 it holds.
    "vegas-avoidance": Trace(
        "vegas", given={"initial_window": 4, "initial_ssthresh": 2}, sent=rounds_of(4, 5, 6), at={0.25: {"window": 6}}
    ),
    "vegas-alpha": Trace(
        "vegas", given={"initial_window": 4, "initial_ssthresh": 2, "alpha": 0}, at={0.25: {"window": 4}}
    ),
    # The first duplicate retransmits if the fine-grained timer has expired (Brakmo and Peterson, III-A). 13, of 10..13
    # at 0.5 s, is lost; 10, 11, 12 make the window 7. 14, sent at 0.6 s, brings the first duplicate at 0.7 s, when 13
    # is 0.2 s old, and 12 and 14 were sent 0.1 s apart: 0.15 s. The fine timer, after 13 round trips, is 0.110 s: 13
    # goes, window 3/4 of 7, inflation 1. Five more duplicates make it 6: 13 + 5.25 + 6 = 24.25.
    "vegas-fine-timer-on-the-first-duplicate": Trace(
        "vegas", drop_numbers(13), sent={0.7: [13, 20, 21, 22, 23]},
        packets={(13, 1): {"window": 5.25, "inflation": 1}, (23, 0): {"inflation": 6}}, at={0.75: {"timeouts": 0}},
    ),
    # The fine-grained timeout follows round-trip time and deviation (ns-2.35, tcp-vegas.cc, recv()).
    "vegas-fine-timer": Trace("vegas", at={0.55: {"una": 10, "fine": fine(10)}}),
    # The first new acknowledgment checks the timer of the next packet (Brakmo and Peterson, III-A). 14 and 16 of 14..21
    # are lost; 15 brings 14 at 0.7 s: 3/4 of 8. The new acknowledgment, 16, at 0.8 s, finds 16 older than the fine
    # timer: it goes at once, without another reduction, with 1/6 more for the acknowledgment.
    "vegas-first-acknowledgment-after-a-retransmission": Trace(
        "vegas", drop_numbers(14, 16), times={14: [0.6, 0.7], 16: [0.6, 0.8]},
        packets={(14, 1): {"window": 6}, (16, 1): {"window": 6 + 1 / 6}},
        at={0.85: {"timeouts": 0, "retransmitted": 2}},
    ),
    # Losses of packets sent before a reduction do not reduce again (ns-2.35, tcp-vegas.cc, recv()). 14 is lost twice;
    # retransmitted at 0.7 s, it is 0.1 s old at 0.8 s, less than 0.109 x 9/8 s, and 0.2 s at 0.9 s: it goes, and the
    # fine timer doubles; it was not sent after the reduction, at 0.7 s.
    "vegas-one-reduction-for-what-was-sent-before-it": Trace(
        "vegas", drop_numbers(14, 14), SECOND, times={14: [0.6, 0.7, 0.9]},
        packets={(14, k): {"window": window} for k, window in enumerate((5, 6, 6))},
        at={0.95: {"fine": fine(14) * 9 / 8 * 2}},
    ),
    # A window of 3 becomes 2 and not 2.25 (ns-2.35, tcp-vegas.cc, recv()). 6 of 6, 7, 8 is lost.
    "vegas-small-windows-become-two": Trace(
        "vegas", drop_numbers(6), {"initial_window": 3, "initial_ssthresh": 2, "alpha": 0, **SECOND},
        times={6: [0.2, 0.3]}, at={0.35: {"window": 2}},
    ),
    # All of 14..21 are lost: window 2, ssthresh floor(8/2) (ns-2.35, tcp-vegas.cc, timeout()).
    "vegas-timeout": Trace(
        "vegas", drop_numbers(*range(14, 22)), SECOND, sent={1.6: [14, 15]},
        packets={(14, 1): {"window": 2, "ssthresh": 4}},
    ),
}  # fmt: skip

#: DUAL: windows are 1; 2; 2.5, 2.9; 3.24, 3.55; ... with ssthresh 2. Rounds end with 0, 1, 3 and 5, and every second
#: one, 1 and 5, is compared. From 5 on packets take 0.2 s, more than the middle of 0.1 and 0.2 s: after 5's own growth
#: the window is reduced, and ssthresh with it; 6 and 7 make it grow again. The next round, of the packets that these
#: three let go at 0.5 s, is not compared.
COMPARED = grown(2.0, 5)  # 1..5
DUAL = {
    **{
        f"dual-every-second-round-trip-{name}": Trace(
            "dual", late(5, 0.1), {"initial_ssthresh": 2, **given}, sent={0.3: [5, 6, 7]},
            at={
                0.55: {"window": grown(COMPARED * factor, 2), "ssthresh": COMPARED * factor if factor < 1 else 2},
                0.75: {"window": grown(COMPARED * factor, 2 + int(grown(COMPARED * factor, 2)))},
            },
        )
        for name, given, factor in (
            ("default", {}, 0.875), ("half", {"decrease": 0.5}, 0.5), ("point", {"point": 1}, 1.0)
        )
    },
    # The window is at least one packet.
    "dual-a-window-of-one": Trace(
        "dual", late(2, 0.1), {"initial_ssthresh": 1, "decrease": 0.1}, at={0.65: {"ssthresh": 1}}
    ),
    # After a timeout minimum and maximum are those of round-trip times since then.
    "dual-a-timeout-forgets": Trace(
        "dual", drop_numbers(*range(7, 15)), SECOND,
        at={1.25: {"least": 0.1, "most": 0.1}, 1.35: {"least": 1e300, "most": 0}, 1.45: {"least": 0.1, "most": 0.1}},
    ),
}  # fmt: skip

TRI_S = {
    # The gradient is 1 where the round trip stays, one packet more in each (Wang and Crowcroft 1991).
    "tri-s-linear-start": Trace("tri-s", given={"search": 0}, sent=rounds_of(1, 2, 3, 4, 5, 6)),
    # In the search the window grows with every acknowledgment, as in slow start.
    "tri-s-search": Trace("tri-s", sent=rounds_of(1, 2, 4, 8, 16)),
    "tri-s-search-from-three": Trace("tri-s", given={"initial_window": 3}, sent=rounds_of(3, 6, 12)),
    # 5, the last packet of the first window of 3, takes d = 0.1 s and the extra time. Throughputs: 1/0.1, 2/0.1, 3/d;
    # (3/d - 20)/1 over 10 is 1/2 or more if d is 0.12 s at most, and 0.7 or more if it is 3/27 = 0.111 s at most.
    **{
        f"tri-s-threshold-{threshold}-{extra}": Trace(
            "tri-s", late(5, extra), {"search": 0, "threshold": threshold}, at={0.31 + extra: {"window": window}}
        )
        for threshold, extra, window in (
            (0.5, 0.0, 4), (0.5, 0.019, 4), (0.5, 0.021, 2), (0.5, 0.1, 2), (0.7, 0.011, 4), (0.7, 0.012, 2)
        )
    },
    # A search ends with the first failed test. Probes are 0, 2 and 6, sent with 1, 2 and 4 packets outstanding. From 3
    # on packets take d = 0.1 s and the extra time: (4/d - 20)/2 over 10 is 1/2 or more if d is 4/30 = 0.133 s at most.
    # The acknowledgments of 3, 4 and 5 make the window 7; that of 6 makes it 8, and the search goes on, or 6, and then
    # there are no more than 6 packets in a round trip.
    **{
        f"tri-s-a-search-ends-{extra}": Trace(
            "tri-s", late(3, extra), sent={0.2: [3, 4, 5, 6]},
            at={0.31 + extra: {"window": window, "searching": int(window == 8)}},
        )
        for extra, window in ((0.0, 8), (0.03, 8), (0.035, 6), (0.06, 6))
    },
    # The third duplicate, of 13, retransmits one packet, and a new search begins. All to 20 is there: 21 and 22, and so
    # on. Without a search 10..14 leave at 0.4 s: 10 again, 15 and 16, 17 to 19, 20 to 23.
    "tri-s-losses": Trace(
        "tri-s", drop_numbers(10), SECOND,
        sent={0.4: [*range(15, 21), 10], 0.5: [21, 22], 0.6: [*range(23, 27)], 0.7: [*range(27, 35)]},
        at={0.75: {"timeouts": 0}},
    ),
    "tri-s-losses-without-a-search": Trace(
        "tri-s", drop_numbers(10), {"search": 0, **SECOND},
        sent={0.5: [10], 0.6: [15, 16], 0.7: [17, 18, 19], 0.8: [*range(20, 24)]},
    ),
    # All of 7..14 are lost; the timer, 1 s, was last set at 0.3 s.
    "tri-s-timeout": Trace(
        "tri-s", drop_numbers(*range(7, 15)), SECOND, sent={1.3: [7], 1.4: [8, 9], 1.5: [*range(10, 14)]},
        at={1.65: {"timeouts": 1}},
    ),
    # A new search is compared with nothing. Packets from 3 on take 1 s, so that 6, sent with 4, ends the search at 1.2
    # s; 8 is lost. At 2.2 s it goes again alone, and with its acknowledgment a new search begins: its throughput, 1 in
    # a second, is compared with nothing. Against that of 6 it would be a gradient of (1 - 4)/(1 - 4) over 10, and the
    # end of the search.
    "tri-s-a-search-begins-as-the-first-one": Trace(
        "tri-s", late(3, 0.9, lost=8), {"min_rto": 10}, times={8: [1.2, 2.2]}, sent={3.2: [14, 15]},
        at={1.25: {"window": 6, "searching": 0}, 3.25: {"window": 2, "searching": 1}},
    ),
}  # fmt: skip
TRACES = VEGAS | DUAL | TRI_S

test_trace = compared(TRACES)


def test_a_lost_retransmission_halves_the_window_of_vegas():
    """A lost retransmission halves the window (ns-2.35, tcp-vegas.cc, recv()).

    30 and 38 of 30..45, at 0.8 s, are lost: 3/4 of 16 at 0.9 s, and 38 is retransmitted at 1 s, as the first
    acknowledgment after it shows. It is lost again, 0.1 s old at 1.1 s and 0.2 s old at 1.2 s; it was sent after the
    reduction: half the window.
    """
    diary = Diary("vegas", drop_numbers(30, 38, 38), 1.25, min_rto=1)
    assert [entry.time for entry in diary.all(30)] == [0.8, 0.9]
    assert diary.all(30)[1].window == 12.0
    assert [entry.time for entry in diary.all(38)] == [0.8, 1.0, 1.2]
    assert diary.all(38)[2].window == pytest.approx(diary.all(38)[1].window / 2, rel=1e-12)


@pytest.mark.parametrize(("count", "alpha", "beta"), [(1, 1, 3), (1, 2, 4), (1, 6, 8), (2, 1, 3), (4, 1, 3), (8, 1, 3)])
def test_the_queue_of_vegas(count, alpha, beta):
    """Each flow keeps alpha to beta packets in the queue, without losses (Brakmo and Peterson, III-B).

    The BDP is 50 packets; all start within some round trips.
    """
    net = one_link("vegas", rate=2.5e6, delay=0.02, buffer=1000, count=count, stagger=0.2,
                   parameters={"alpha": alpha, "beta": beta})  # fmt: skip
    data = run(net, duration=60, warm_up=30, rng=1, progress=False)
    assert count * alpha <= float(data.mean_queue[0]) <= count * beta
    assert float(data.utilisation[0]) == pytest.approx(1.0, abs=1e-3)
    assert float(data.retransmitted.sum()) == 0


def states(scheme, lost, **parameters):
    """Return the state of a flow in the middle of every round trip of 0.1 s."""
    net = one_link(scheme, rate=math.inf, delay=0.05, discipline=drop_numbers(*lost), back=math.inf, packet=1000,
                   file=500_000, parameters=parameters)  # fmt: skip
    one = Simulation(net, rng=1)
    for k in range(20):
        one.advance(0.05 + 0.1 * k)
        fields, own = one.state.flows[0], of_flow(one)
        yield [float(fields[name]) for name in ("una", "next", "high", "sent", "window", "timeouts")]
        yield [float(own[name]) for name in ("ssthresh", "reduced_at", "duplicates")]


@pytest.mark.parametrize("lost", [(), (10,), (1, 2), tuple(range(7, 15)), (31, 32, 34, 38)])
@pytest.mark.parametrize("options", [{}, {"initial_ssthresh": 4, "initial_window": 2}, {"bugfix": 0}])
def test_dual_is_tahoe_where_the_round_trip_stays(lost, options):
    """No reduction: the round-trip time does not exceed the middle of equal numbers."""
    assert list(states("dual", lost, **options)) == list(states("tahoe", lost, **options))
