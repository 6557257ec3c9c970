"""The kernel that skips delivered packets against a packet-by-packet simulator with the same losses: equal results."""

import numba
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from longfat.segments import kernel
from longfat.segments.simulating import Rules, parameters, run_one
from tests.examples import examples
from tests.segments.referee import replay


@numba.njit
def next_loss(rng, read, state):
    return kernel.packets_to_next_loss(rng, read, state)


def loss_pattern(loss, seed):
    """Return whether the kernel loses a transmission, for a seed."""
    rng, state, read = np.random.default_rng(seed), np.zeros(1, np.int64), parameters(loss)
    lost, end = set(), 0

    def is_lost(serial):
        nonlocal end
        while end <= serial:
            end += next_loss(rng, read, state)
            lost.add(end)
            end += 1
        return serial in lost

    return is_lost


def jump(loss, window, segment, ack_delay, tolerance, warm_up, measured, seed, **buffer):
    rules = Rules(window, segment, ack_delay / segment, tolerance, **buffer)
    result = run_one(np.random.default_rng(seed), loss, rules, warm_up, measured, np.zeros(1, np.bool_))
    assert result.status == kernel.DONE
    return result


RECEIVERS = st.none() | st.tuples(st.integers(1, 12), st.booleans(), st.booleans())


@examples(80, 9000)
@given(
    loss=st.sampled_from([0.0, 1e-3, 0.01, 0.05, 0.2, 0.6]),
    window=st.integers(1, 12),
    segment=st.integers(1, 6),
    ack_delay=st.integers(0, 40),
    tolerance=st.integers(0, 2),
    warm_up=st.integers(0, 20),
    measured=st.integers(1, 60),
    seed=st.integers(0, 1000),
    receiver=RECEIVERS,
)
@example(0.02, 1, 1, 23, 0, 5, 60, 1, None)  # a window of one: the sender waits for every segment
@example(0.0, 7, 3, 40, 0, 0, 60, 1, None)  # the sender waits in every window
@example(0.01, 8, 3, 21, 0, 0, 60, 1, None)  # slack of exactly zero
@example(0.2, 12, 1, 8, 0, 0, 60, 1, (3, True, False))  # of one packet: nothing is kept in part
@example(0.05, 12, 4, 20, 0, 0, 60, 1, (1, True, True))  # a single slot
@example(0.6, 12, 4, 20, 2, 0, 60, 1, (2, True, False))  # displaced with packets in flight
def test_same_losses_give_the_same_run(loss, window, segment, ack_delay, tolerance, warm_up, measured, seed, receiver):
    """With an unlimited receive buffer, or a soft or hard one that requests discarded segments when free."""
    tolerance, plain, kept = min(tolerance, segment - 1), [], {}
    if receiver is not None:
        buffer, soft, when_free = min(receiver[0], window), *receiver[1:]
        plain = [buffer, soft, when_free]
        ack, ask_again = "soft" if soft else "hard", "when free" if when_free else "at once"
        kept = {"receive_buffer": buffer, "ack": ack, "ask_again": ask_again}
    expected = replay(window, segment, ack_delay, tolerance, warm_up, measured, loss_pattern(loss, seed), *plain)
    result = jump(loss, window, segment, ack_delay, tolerance, warm_up, measured, seed, **kept)
    assert (result.elapsed, result.delays, result.longest) == expected[:3]
    if receiver is None:
        # One simulator counts the last group completely, the other up to the last packet needed; the kernel may also
        # end inside a step.
        assert abs(int(result.sent) - expected[3]) <= 2 * segment * (window + 1)
        assert result.lost_packets <= result.sent
