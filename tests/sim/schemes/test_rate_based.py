"""Constant rate, RAP, GAIMD and TEAR: traces made by hand, and rates at steady loss.

A round trip is 100 ms, and packets of 1000 bytes take no time.
"""

import itertools
import math

import numba
import numpy as np
import pytest

from longfat.sim.schemes import tear
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, Trace, compared, drop_acks, drop_numbers, grown
from tests.sim.schemes.steady import mean_rate, periodic, simulation

CONSTANT = {"rate": 100_000.0}  # a packet of 1000 bytes every 10 ms
TWENTY = {"initial_window": 20, "initial_ssthresh": 2}
#: Rounds of TEAR: a window of 1 until 0.1 s, of 2 until 0.2 s, of 4 until 0.3 s, of 8 until 0.4 s.
ARRIVALS = [0.1, 0.2, 0.25, 0.3, 0.35, *[0.375 + 0.025 * k for k in range(7)]]

TRACES = {
    # Packets leave at equal intervals, retransmissions among them. Packet 3 is lost, which the acknowledgment of 4,
    # sent at 40 ms, tells at 140 ms: then it takes the place of packet 14.
    "constant-even-distances": Trace(
        "constant", drop_numbers(3), CONSTANT, departures=[0.01 * k for k in range(21)],
        times={3: [0.03, 0.14]}, at={0.2: {"rate": 100_000}},
    ),
    # All is lost from packet 20 on, for a while: the timer expires, the rate stays, and the file ends. 19 is
    # acknowledged at 0.29 s; packets 0 and 10 were timed: 0.1 + 4 x 0.75 x 0.05 = 0.25 s. From 0.54 s on packets are
    # 10 ms apart again.
    "constant-timeout": Trace(
        "constant", drop_numbers(*range(20, 30)), {"file": 30_000, **CONSTANT},
        departures=[0.54 + 0.01 * k for k in range(10)],
        at={2.0: {"timeouts": 1, "expect": 30, "rate": 100_000, "transmission": 40}},
    ),
    "constant-default": Trace("constant", at={0.01: {"rate": 125_000}}),  # 1 Mbit/s
    # RAP grows by a packet per round trip (ns-2.35, rap.cc, RttTimeout()). The first acknowledgment, at 0.1 s, sets the
    # interval to 0.1 s; it is 1/2, 1/3, 1/4 of that from 0.2, 0.3, 0.4 s on.
    "rap-a-packet-more-each-round-trip": Trace(
        "rap", departures=[0, 0.1, 0.2, 0.25, 0.3, 0.3 + 0.1 / 3, 0.3 + 0.2 / 3, 0.4, 0.425, 0.45, 0.475, 0.5]
    ),
    # 1 packet a round trip at 0.1 s, and nine steps of alpha until 1 s (Rejaie et al. 1999).
    **{
        f"rap-slope-{alpha}": Trace(
            "rap", given={"alpha": alpha}, at={1.05: {"rate": pytest.approx((1 + 9 * alpha) * 1e4, rel=1e-6)}}
        )
        for alpha in (1.0, 0.31, 2.0)
    },
    # A packet older than the timeout is lost, and halves the rate (Rejaie et al. 1999). Packet 10 leaves at 0.475 s.
    # The timeout is 1.2 round trips, 0.12 s: at 0.595 s the interval of 20 ms doubles. After the packet of 0.58 s:
    # 0.62, 0.66 s. Three later ones are acknowledged at 0.64 s only (0.6, 0.62 and 0.64 s): what the simulator then
    # finds does not count any more, but is retransmitted. The increase comes a round trip after the cut: at 0.695 s the
    # interval is 1/35 s, which has gone by since 0.66 s, and the packet leaves at once.
    "rap-age-of-a-packet": Trace(
        "rap", drop_numbers(10), departures=[0.58, 0.62, 0.66, 0.695, 0.695 + 0.1 / 3.5],
        times={10: [0.475, 0.66], 16: [0.62], 17: [0.695]},
        at={0.73: {"rate": pytest.approx(35_000, rel=1e-6), "timeouts": 0}},
    ),
    # Three later packets acknowledged signal a loss, and halve the rate (Rejaie et al. 1999). The third of them, sent
    # at 0.54 s, is acknowledged at 0.64 s. The interval of 1/60 s doubles; after the packet of 0.6333 s the next one
    # leaves at 0.6667 s, and the increase comes at 0.74 s. That packet 12 is lost, too, changes nothing but when: 14,
    # sent at 0.56 s, is the third then.
    "rap-three-later-packets": Trace(
        "rap", drop_numbers(10), {"timeout_rtts": 2}, departures=[0.6 + k / 30 for k in (1, 2, 3)],
        at={0.73: {"rate": pytest.approx(30_000, rel=1e-6)}, 0.75: {"rate": pytest.approx(40_000, rel=1e-6)}},
    ),
    "rap-three-later-packets-of-two-lost": Trace(
        "rap", drop_numbers(10, 12), {"timeout_rtts": 2},
        at={0.755: {"rate": pytest.approx(30_000, rel=1e-6)}, 0.765: {"rate": pytest.approx(40_000, rel=1e-6)}},
    ),
    # The window form of GAIMD grows by 0.31/W for each of the 20 acknowledgments of a round (Yang and Lam 2000).
    "gaimd-window-grows": Trace("gaimd-window", given=TWENTY, at={0.15: {"window": grown(20.0, 20, 0.31)}}),
    # As TCP: a window of one packet, slow start up to 7/8 of nothing less than half (RFC 6675, section 5.1).
    "gaimd-window-after-a-timeout": Trace(
        "gaimd-window", drop_numbers(*range(4)), {"initial_window": 4, "first_rto": 1},
        at={1.05: {"timeouts": 1, "window": 1, "ssthresh": 2}},
    ),
    # In slow start the rate of TEAR follows the emulated window. The acknowledgment at 0.1 s ends a round of one: a
    # window of 2. Those of 0.2 and 0.25 s end a round of 2: 4. Those of 0.3, 0.35, 0.375 and 0.4 s, one of 4: 8; and
    # the eight that left from 0.325 s on, until 0.55 s.
    "tear-start": Trace(
        "tear",
        departures=[0, 0.1, 0.15, 0.2, *[0.25 + 0.025 * k for k in range(7)],
                    *[0.4 + 0.0125 * k for k in range(1, 13)], 0.55625],
    ),
    # Three packets behind a hole halve the emulated window. Packet 11, of 0.4125 s, is lost, when the window of 8 has
    # grown by 7, 8, 9 and 10 to 12; 12, 13 and 14 come at 0.525, 0.5375 and 0.55 s: half of 12. The epoch had rounds of
    # 1, 2 and 4, and 6 of 8 packets of the next: 13 packets in 0.375 s. 14 is the first of a round of 6: a packet in a
    # sixth of 0.1 s, 60 a second. That is more, so that the mean is of both.
    "tear-triple-duplicates": Trace(
        "tear", drop_numbers(11),
        at={0.555: {"emulated": 6 + 1 / 6, "phase": tear.AVOIDANCE, "rate": 1000 * (60 + 13 / 0.375) / 2}},
    ),
}  # fmt: skip

test_trace = compared(TRACES)


def test_window_form_of_gaimd_after_a_loss():
    """The window form keeps 7/8 of the packets in flight after a loss.

    Packet 25 of the second round, 20..39, is lost; 28 is the third behind it. At 0.2 s the window has grown by 0.31/W
    25 times, and 20 packets and what these let go are out: 7/8 of that. It holds until all that was out is
    acknowledged, then grows again.
    """
    diary = Diary("gaimd-window", drop_numbers(25), 0.25, **TWENTY)
    assert diary.flow.losses == 1
    assert diary.flow.window == pytest.approx(0.875 * 20.0, rel=0.03)
    assert diary.own.ssthresh == diary.flow.window
    unchanged = float(diary.flow.window)
    assert diary.advance(0.295).flow.window == unchanged
    assert diary.advance(0.55).flow.window > unchanged


@pytest.mark.parametrize(
    ("scheme", "discipline", "seconds", "packets", "within"),
    [
        # Between W/2 and W one loss in 1000 packets is 1000 = 3/8 W^2 packets: W = 51.6, a mean of 3/4 W, less the part
        # of it that the loss takes to be found.
        ("rap", periodic(1e-3), 3000, math.sqrt(1.5 / 1e-3), 0.03),
        # From beta W to W in (1 - beta) W/alpha rounds: sqrt(alpha (1 + beta)/(2 (1 - beta) p)).
        ("gaimd", periodic(1e-3), 4000, math.sqrt(0.31 * 7.5 / 1e-3), 0.03),
        # TEAR from W/2 to W in W/2 rounds, which are whole packets
        *(("tear", periodic(p), 1000, math.sqrt(1.5 / p), 0.06) for p in (1e-3, 3e-3, 1e-2, 2e-2)),
    ],
)
def test_packets_per_round_trip_at_steady_loss(scheme, discipline, seconds, packets, within):
    assert mean_rate(scheme, discipline, seconds) == pytest.approx(packets, rel=within)


@pytest.mark.parametrize(
    ("scheme", "discipline", "given", "times", "rates"),
    [
        # At 2 s the first packet is too old: an interval of 4 s. The next increase would come at 4 s.
        ("rap", periodic(1.0), {}, (1.9, 2.1, 3.9), [1, 1 / 2, 1 / 2]),
        # Half the rate 4 round trips after the last acknowledgment, and so on. The timer of the simulator is kept out.
        ("tear", periodic(1e-3, dead_from=60.0), {"min_rto": 10.0}, (60.1, 60.45, 60.6, 61.0, 61.4),
         [1, 1, 1 / 2, 1 / 4, 1 / 8]),
        # 4 R = 0.4 s after the last feedback, and again as long after that, or after the time of two packets (RFC 5348,
        # section 4.4).
        ("tfrc", periodic(1e-3, dead_from=60.0), {}, (60.0, 60.4, 60.7, 61.1, 61.5), [1, 1, 1 / 2, 1 / 4, 1 / 8]),
    ],
)  # fmt: skip
def test_no_feedback(scheme, discipline, given, times, rates):
    """Without feedback the rate is halved."""
    one, seen = simulation(scheme, discipline, **given), []
    for time in times:
        one.advance(time)
        seen.append(float(one.state.flows[0].rate))
    assert [rate / seen[0] for rate in seen] == pytest.approx(rates, rel=0.03)
    assert scheme != "rap" or seen[0] == pytest.approx(500.0)


@pytest.mark.filterwarnings("ignore::numba.NumbaExperimentalFeatureWarning")  # a row given from outside
@pytest.mark.plain
def test_mean_of_epochs_of_tear():
    """An open epoch without packets, as after a timeout, leaves the mean of the ended ones as it is.

    Newest first four of 20 and four of 10 packets/s, with weights of 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2: (80 + 20)/6. An
    open epoch of 4 packets in 0.1 s has 40: (40 + 3 x 20 + 0.8 x 20 + 1.2 x 10)/6.
    """
    mean_rate_of = numba.njit(lambda flows: tear.mean_rate(flows[0]))
    flows = np.zeros(1, tear.TEAR.columns.dtype).view(np.recarray)
    flows["round_window"] = 1
    flows["epochs"] = [20.0] * 4 + [10.0] * 4
    assert mean_rate_of(flows) == pytest.approx(100 / 6, rel=1e-12)
    flows["epoch_packets"], flows["epoch_time"] = 4, 0.1
    assert mean_rate_of(flows) == pytest.approx(128 / 6, rel=1e-12)


def test_one_cut_of_tear_for_one_window():
    """13 is of the window of 8 that began with 11; 30 is not. 15 is the third packet behind both."""
    diary = Diary("tear", drop_numbers(11, 13), 0.57)
    assert diary.own.threshold == 6.0
    assert diary.own.epochs[1] == 0.0
    later = Diary("tear", drop_numbers(11, 30), 1.5)
    assert later.own.epochs[1] > 0.0


def test_a_loss_in_a_small_window_of_tear():
    """A loss in a small window is a timeout.

    Packet 2, of 0.15 s, is lost. 3 comes at 0.3 s, the second of a round of 2, which began a round of 3 with the window
    frozen at 3 and set the rate to 30 a second; 4 and 5 come at 0.35 and 0.4 s, and 5 is 3 beyond 2: no triple
    duplicates in a window of 3, but a timeout. Charged: 1, 2 and one of 3 packets in 0.1 + 0.1 + 0.0333 s, and 1 s of
    timer. Then 5 is a round by itself: 10 a second, window 2, which is the threshold.
    """
    diary = Diary("tear", drop_numbers(2), 0.405, min_rto=1)
    epoch = 4 / (0.7 / 3 + 1)
    assert diary.own.epochs[0] == pytest.approx(epoch, rel=1e-6)
    assert diary.flow.rate == pytest.approx(1000 * (10 + epoch) / 2, rel=1e-6)
    assert (diary.own.emulated, diary.own.phase) == (2.0, tear.AVOIDANCE)


def test_an_acknowledgment_of_tear_that_is_lost_is_no_loss():
    """The next one covers it."""
    diary = Diary("tear", until=1.0, back=drop_acks(11, 12, 40, 41))
    assert (diary.flow.acks_dropped, diary.own.phase, diary.own.epochs[0]) == (4, tear.SLOW, 0.0)


def test_the_window_of_tear_passes_a_hole():
    """If the window passes a hole with too few arrivals, that is a timeout.

    12 arrives, at 0.525 s, and then nothing until 22, at 0.65 s, beyond the window of 8: a timeout. Charged: the rounds
    of 1, 2 and 4, 5 of 8 packets, and 0.2 s. 22 is a round by itself.
    """
    diary = Diary("tear", drop_numbers(11, *range(13, 22)), 0.655)
    assert diary.own.epochs[0] == pytest.approx(12 / (0.3 + 0.0625 + 0.2), rel=1e-6)
    assert (diary.own.emulated, diary.own.threshold, diary.flow.timeouts) == (2.0, 6.0, 0)
    assert diary.flow.rate == pytest.approx(1000 * 12 / 0.5625, rel=1e-6)


def test_a_gap_of_tear_in_which_nothing_comes():
    """If nothing arrives after a hole for 8 mean distances and two deviations, that is a timeout."""
    one = simulation("tear", periodic(1 / 12, dead_from=0.43), min_rto=10)
    mean, deviation = 0.1, 0.0
    for before, after in itertools.pairwise(ARRIVALS):
        deviation += (abs(after - before - mean) - deviation) / 4
        mean += (after - before - mean) / 8
    ends = 0.525 + 8 * mean + 2 * deviation
    one.advance(ends - 1e-3)
    assert (of_flow(one).phase, of_flow(one).emulated) == (tear.GAP, 12.0)
    one.advance(ends + 1e-3)
    assert (of_flow(one).phase, of_flow(one).emulated) == (tear.SLOW, 1.0)
