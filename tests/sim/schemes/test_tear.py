"""TEAR, against traces made by hand: a round trip is 100 ms, packets of 1000 B take no time; and against Reno."""

import itertools
import math

import numba
import numpy as np
import pytest

from longfat.sim.schemes import tear
from tests.sim.own import of_flow
from tests.sim.schemes.losses import Diary, drop_acks, drop_numbers
from tests.sim.schemes.steady import independent, mean_rate, periodic, simulation, variation


def times(diary):
    return [entry.time for entry in diary.entries]


def test_start():
    """In slow start the rate follows the emulated window.

    The acknowledgment at 0.1 s ends a round of one: a window of 2. Those of 0.2 and 0.25 s end a round of 2: 4. Those
    of 0.3, 0.35, 0.375 and 0.4 s, one of 4: 8; and the eight that left from 0.325 s on, until 0.55 s.
    """
    expected = [0, 0.1, 0.15, 0.2, 0.25, *[0.25 + 0.025 * k for k in range(1, 7)]]
    expected += [*[0.4 + 0.0125 * k for k in range(1, 13)], 0.55625]
    assert times(Diary("tear", until=0.56)) == pytest.approx(expected, abs=1e-7)


def test_triple_duplicates():
    """Three packets behind a hole halve the emulated window.

    Packet 11, of 0.4125 s, is lost, when the window of 8 has grown by 7, 8, 9 and 10 to 12; 12, 13 and 14 come at
    0.525, 0.5375 and 0.55 s: half of 12. The epoch had rounds of 1, 2 and 4, and 6 of 8 packets of the next: 13 packets
    in 0.375 s. 14 is the first of a round of 6: a packet in a sixth of 0.1 s, 60 a second. That is more, so that the
    mean is of both.
    """
    diary = Diary("tear", drop_numbers(11), 0.555)
    assert diary.own.emulated == pytest.approx(6 + 1 / 6, rel=1e-12)
    assert diary.own.phase == tear.AVOIDANCE
    assert diary.own.epochs[0] == pytest.approx(13 / 0.375, rel=1e-9)
    assert diary.flow.rate == pytest.approx(1000 * (60 + 13 / 0.375) / 2, rel=1e-9)
    closed = Diary("tear", drop_numbers(11), 0.555, open_epoch=0)
    assert closed.flow.rate == pytest.approx(1000 * 13 / 0.375, rel=1e-9)


@pytest.mark.filterwarnings("ignore::numba.NumbaExperimentalFeatureWarning")  # a row given from outside
def test_mean_of_epochs_by_hand():
    """An open epoch without packets, as after a timeout, leaves the mean of the ended ones as it is.

    Newest first four of 20 and four of 10 packets/s, with weights of 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2: (80 + 20)/6. An
    open epoch of 4 packets in 0.1 s has 40: (40 + 3 x 20 + 0.8 x 20 + 1.2 x 10)/6.
    """
    mean_rate_of = numba.njit(lambda flows: tear.mean_rate(flows[0]))
    flows = np.zeros(1, tear.TEAR.columns.dtype)
    flows["open_epoch"], flows["round_window"] = 1, 1
    flows["epochs"] = [20.0] * 4 + [10.0] * 4
    assert mean_rate_of(flows) == pytest.approx(100 / 6, rel=1e-12)
    flows["epoch_packets"], flows["epoch_time"] = 4, 0.1
    assert mean_rate_of(flows) == pytest.approx(128 / 6, rel=1e-12)


def test_one_cut_for_one_window():
    """13 is of the window of 8 that began with 11; 30 is not. 15 is the third packet behind both."""
    diary = Diary("tear", drop_numbers(11, 13), 0.57)
    assert diary.own.threshold == 6.0
    assert diary.own.epochs[1] == 0.0
    later = Diary("tear", drop_numbers(11, 30), 1.5)
    assert later.own.epochs[1] > 0.0


def test_small_window():
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
    assert diary.own.emulated == 2.0
    assert diary.own.phase == tear.AVOIDANCE


def test_a_lost_acknowledgment_is_no_loss():
    """A lost acknowledgment is no loss: the next one covers it."""
    diary = Diary("tear", until=1.0, back=drop_acks(11, 12, 40, 41))
    assert diary.flow.acks_dropped == 4
    assert diary.own.phase == tear.SLOW
    assert diary.own.epochs[0] == 0.0


def test_the_window_passes():
    """If the window passes a hole with too few arrivals, that is a timeout.

    12 arrives, at 0.525 s, and then nothing until 22, at 0.65 s, beyond the window of 8: a timeout. Charged: the rounds
    of 1, 2 and 4, 5 of 8 packets, and 0.2 s. 22 is a round by itself.
    """
    diary = Diary("tear", drop_numbers(11, *range(13, 22)), 0.655)
    assert diary.own.epochs[0] == pytest.approx(12 / (0.3 + 0.0625 + 0.2), rel=1e-6)
    assert (diary.own.emulated, diary.own.threshold, diary.flow.timeouts) == (2.0, 6.0, 0)
    assert diary.flow.rate == pytest.approx(1000 * 12 / 0.5625, rel=1e-6)


def test_gap_in_which_nothing_comes():
    """If nothing arrives after a hole for long, that is a timeout.

    The same, but nothing arrives any more. The gap ends after 8 mean distances and two deviations. Arrivals: 0.1, 0.2,
    0.25, 0.3, 0.35, then every 25 ms to 0.5 s, 0.525 s.
    """
    run = simulation("tear", periodic(1 / 12, dead_from=0.43), min_rto=10, silent_rtts=100)
    arrivals = [0.1, 0.2, 0.25, 0.3, 0.35, *[0.375 + 0.025 * k for k in range(7)]]
    mean, deviation = 0.1, 0.0
    for before, after in itertools.pairwise(arrivals):
        deviation += (abs(after - before - mean) - deviation) / 4
        mean += (after - before - mean) / 8
    ends = 0.525 + 8 * mean + 2 * deviation
    run.advance(ends - 1e-3)
    assert (of_flow(run).phase, of_flow(run).emulated) == (tear.GAP, 12.0)
    run.advance(ends + 1e-3)
    assert (of_flow(run).phase, of_flow(run).emulated) == (tear.SLOW, 1.0)


def test_no_feedback():
    """Without feedback the rate is halved.

    Missing feedback: half the rate 4 round trips after the last acknowledgment, and so on. The timer of the simulator
    is kept out of it.
    """
    run = simulation("tear", periodic(1e-3, dead_from=60.0), min_rto=10.0)
    run.advance(60.1)
    before = float(run.state.flows[0].rate)
    seen = []
    for time in (60.45, 60.6, 61.0, 61.4):
        run.advance(time)
        seen.append(float(run.state.flows[0].rate) / before)
    assert seen == pytest.approx([1.0, 0.5, 0.25, 0.125], rel=0.02)


@pytest.mark.parametrize("p", [1e-3, 3e-3, 1e-2, 2e-2])
def test_square_root_law(p):
    """From W/2 to W in W/2 rounds: sqrt(1.5/p) packets a round trip."""
    assert mean_rate("tear", periodic(p), 1000) == pytest.approx(
        math.sqrt(1.5 / p), rel=0.06
    )  # rounds are whole packets


@pytest.mark.parametrize("p", [1e-3, 2e-2])
def test_about_as_fast_as_reno(p):
    """The rate is within 30 % of that of Reno at the same loss."""
    rates = [mean_rate(name, independent(p), 3000) for name in ("tear", "reno")]
    assert rates[0] == pytest.approx(rates[1], rel=0.3)


def test_smoother_than_reno():
    """The mean of eight epochs varies less than a window that is halved."""
    ours = variation(simulation("tear", independent(5e-3)), "rate", 100.0, 2.73, 250)
    reno = variation(simulation("reno", independent(5e-3)), "window", 100.0, 2.73, 250)
    assert ours < 0.6 * reno
