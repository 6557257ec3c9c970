"""The jumping simulator against the plain one, with the same losses: every number must be the same."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longfat.sim import _segment_kernel as kernel
from longfat.sim.channel import GilbertElliott, IndependentLoss
from tests.sim.reference import replay


def loss_pattern(channel, seed):
    """Which transmissions the kernel loses with this seed."""
    rng, state, parameters = np.random.default_rng(seed), np.zeros(2, np.int64), channel.parameters()
    kernel.start_channel(rng, parameters, state)
    lost, end = set(), 0

    def is_lost(serial):
        nonlocal end
        while end <= serial:
            end += kernel.packets_to_next_loss(rng, parameters, state)
            lost.add(end)
            end += 1
        return serial in lost

    return is_lost


def jump(channel, window, segment, ack_delay, tolerance, warm_up, measured, seed):
    result = np.zeros(6, np.int64)
    kernel.run(
        np.random.default_rng(seed),
        channel.parameters(),
        window,
        segment,
        ack_delay,
        tolerance,
        warm_up,
        measured,
        np.zeros(1, np.bool_),
        result,
    )
    return result


channels = st.one_of(
    st.sampled_from([0.0, 1e-3, 0.01, 0.05, 0.2, 0.6]).map(IndependentLoss),
    st.builds(
        GilbertElliott,
        good_loss=st.sampled_from([0.0, 0.01]),
        bad_loss=st.sampled_from([0.3, 0.9]),
        good_to_bad=st.sampled_from([0.01, 0.2]),
        bad_to_good=st.sampled_from([0.05, 0.5]),
    ),
)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    channel=channels,
    window=st.integers(1, 12),
    segment=st.integers(1, 6),
    ack_delay=st.integers(0, 40),
    tolerance=st.integers(0, 2),
    warm_up=st.integers(0, 20),
    measured=st.integers(1, 60),
    seed=st.integers(0, 1000),
)
@example(IndependentLoss(0.02), 1, 1, 23, 0, 5, 60, 1)  # a window of one: the step of lag moves every segment
@example(IndependentLoss(0.0), 7, 3, 40, 0, 0, 60, 1)  # whole periods skipped
@example(IndependentLoss(0.01), 8, 3, 21, 0, 0, 60, 1)  # slack of exactly zero
def test_same_losses_give_the_same_run(channel, window, segment, ack_delay, tolerance, warm_up, measured, seed):
    tolerance = min(tolerance, segment - 1)
    expected = replay(window, segment, ack_delay, tolerance, warm_up, measured, loss_pattern(channel, seed))
    result = jump(channel, window, segment, ack_delay, tolerance, warm_up, measured, seed)
    assert tuple(result[: kernel.SENT]) == expected[:3]
    # The last group counts whole in one and up to the last packet needed in the other; the jump may end in mid-step.
    assert abs(int(result[kernel.SENT]) - expected[3]) <= 2 * segment * (window + 1)
    assert result[kernel.LOST] <= result[kernel.SENT]


@pytest.mark.parametrize("window", [3, 10, 14, 30, 58])
@pytest.mark.parametrize("loss", [1e-4, 3e-3, 0.03, 0.2])
def test_same_run_at_the_size_people_use(window, loss):
    channel = IndependentLoss(loss)
    expected = replay(window, 16, 369, 0, 100, 2000, loss_pattern(channel, 7))
    assert tuple(jump(channel, window, 16, 369, 0, 100, 2000, 7)[: kernel.SENT]) == expected[:3]


def test_the_comparison_can_fail():
    """One acknowledgment a packet time later is noticed."""
    channel = IndependentLoss(0.01)
    expected = replay(10, 16, 370, 0, 100, 500, loss_pattern(channel, 7))
    assert tuple(jump(channel, 10, 16, 369, 0, 100, 500, 7)[: kernel.SENT]) != expected[:3]
