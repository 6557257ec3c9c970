"""A policer as a virtual queue: plain buckets and queues in the test, and simulated flows behind both."""

import numpy as np
import pytest

from longfat.measured import virtual_queue
from longfat.measured.policing import Transmission, policer
from longfat.measured.virtual_queue import backlog, rank_before_losses

SIZE, RATE, TRIP = 1000, 100_000.0, 0.05  # bytes, bytes/s, s: 100 packets/s, 5 in a round trip


def sawtooth(*, bucket, queue, losses=None, seed=1, rounds=600):
    """Return a window that halves at losses, through a bucket of `bucket` bytes, or a queue of as many.

    The bucket fills up between losses: a window from 4 to 8 packets in a round trip in which 5 packets' tokens come.
    With `losses` [probability] these are at random instead.
    """
    rng, made, window, tokens, before, now = np.random.default_rng(seed), [], 4.0, float(bucket), 0.0, 0.0
    for _ in range(rounds):
        lost_here = False
        for k in range(int(window)):
            at = now + k * TRIP / int(window)
            tokens = min(bucket, tokens + RATE * (at - before))
            before = at
            lost = tokens < SIZE if losses is None else rng.random() < losses
            tokens -= 0 if lost else SIZE
            trip = TRIP + ((bucket - tokens) / RATE if queue else 0.001 * rng.random())
            made.append(Transmission(at, float(SIZE * len(made)), SIZE, lost, None if lost else trip))
            lost_here |= lost
        window = max(2.0, window / 2) if lost_here else window + 1 / 3
        now += TRIP
    return made


def test_the_backlog_by_hand():
    times, sizes = np.array([0.0, 1.0, 1.5, 2.0, 10.0]), np.full(5, 8.0)
    lost = np.array([False, False, True, False, False])
    # drained at 4: 8 less 4; 4 and 8 less 2; the lost packet adds nothing: 10 less 2; all gone
    assert backlog(times, sizes, lost, 4.0).tolist() == [0.0, 4.0, 10.0, 8.0, 0.0]


def test_a_bucket_that_fills_up_again_is_found():
    flow = sawtooth(bucket=4000, queue=False)
    verdict = policer(flow)
    assert verdict.policed is True
    assert verdict.rate == pytest.approx(RATE, rel=0.05)
    assert verdict.bucket == pytest.approx(4000, abs=2 * SIZE)


@pytest.mark.parametrize("buffer", [1500, 2000, 4000])
def test_a_queue_is_no_policer(buffer):
    """Also one that is too short for the test of Flach and others, which asks for 20 ms: 15 ms here."""
    flow = sawtooth(bucket=buffer, queue=True)
    assert policer(flow).policed is not True
    assert rank_before_losses(flow) > 3
    assert abs(rank_before_losses(sawtooth(bucket=buffer, queue=False))) < 3


def test_ranks_by_hand():
    def sent(*trips):
        return [Transmission(k, 0, 1, trip is None, trip) for k, trip in enumerate(trips)]

    # of 1, 2, 2, 3 the last before the loss is 3, above three of four and half of itself: 3.5/4; 1/sqrt(12) each
    assert rank_before_losses(sent(1.0, 2.0, 2.0, 3.0, None)) == pytest.approx(0.375 * 12**0.5)
    assert rank_before_losses(sent(2.0, None, 2.0, 2.0)) == 0.0
    assert rank_before_losses(sent(None, 1.0)) == np.inf


def test_flach_and_others_miss_it(monkeypatch):
    monkeypatch.setattr(virtual_queue, "policer_of", lambda sent, trip: None)
    assert policer(sawtooth(bucket=4000, queue=False)).policed is None


@pytest.mark.parametrize("seed", range(4))
def test_losses_at_random_are_no_policer(seed):
    assert policer(sawtooth(bucket=1e9, queue=False, losses=0.03, seed=seed)).policed is not True
