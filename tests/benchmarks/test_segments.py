"""Speed of the segment simulator against a plain jitted loop over segments, in the same run."""

import time

import numba
import numpy as np
import pytest

from longfat.segments.channel import IndependentLoss
from longfat.segments.kernel import segment_sender
from longfat.segments.replications import Rules, run_one

WINDOW, SEGMENT, ACK = 58, 16, 369
PACKETS = {1e-2: 4e6, 1e-3: 4e7, 1e-5: 4e9}


@numba.njit(nogil=True)
def plain_loop(rng, damaged, segments):
    """Draw one random number per segment and compare it: the least work of a simulator without jumps."""
    time = 0
    for _ in range(segments):
        time += 16
        if rng.random() < damaged:
            time += 1
    return time


def report(capsys, text):
    with capsys.disabled():
        print(f"\n    {text}", end="")


@pytest.mark.parametrize("window", [10, 24, WINDOW])
@pytest.mark.parametrize("loss", list(PACKETS))
def test_packets_per_second(benchmark, capsys, loss, window):
    benchmark.group = "segment simulator"
    segments = int(PACKETS[loss] / SEGMENT)
    stop, result = np.zeros(1, np.bool_), np.zeros(segment_sender.RESULTS, np.int64)
    rules = Rules(window, SEGMENT, ACK / SEGMENT)

    def run():
        run_one(np.random.default_rng(1), IndependentLoss(loss), rules, 10 * window, segments, stop, result)

    run()
    benchmark.pedantic(run, rounds=5)

    rng = np.random.default_rng(1)
    plain_loop(rng, 0.1, 10)
    plain_segments = 2_000_000
    best = min(timed(time, lambda: plain_loop(rng, 1 - (1 - loss) ** SEGMENT, plain_segments)) for _ in range(5))
    rate, plain = result[segment_sender.SENT] / benchmark.stats["min"], plain_segments * SEGMENT / best
    per_loss = benchmark.stats["min"] / result[segment_sender.LOST_PACKETS] * 1e9
    report(
        capsys,
        f"p = {loss:g}, W = {window}: {rate:.2e} packets/s, {rate / plain:.1f}x the plain loop ({plain:.1e}), "
        f"{per_loss:.0f} ns per lost packet",
    )


def timed(time, function):
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


@pytest.mark.parametrize("loss", list(PACKETS))
@pytest.mark.parametrize("ack", ["hard", "soft"])
def test_with_a_receive_buffer(benchmark, capsys, loss, ack):
    """Cost of a buffer of w_a + 2 segments, which discards hardly any, relative to none, measured in turns."""
    benchmark.group = "segment simulator, receive buffer"
    segments = int(PACKETS[loss] / SEGMENT)
    stop, result = np.zeros(1, np.bool_), np.zeros(segment_sender.RESULTS, np.int64)
    rules = [Rules(WINDOW, SEGMENT, ACK / SEGMENT), Rules(WINDOW, SEGMENT, ACK / SEGMENT, 0, 25, ack)]
    spent = [[], []]

    def by_turns():
        for one, times in zip(rules, spent, strict=True):
            begin = time.perf_counter()
            run_one(np.random.default_rng(1), IndependentLoss(loss), one, 10 * WINDOW, segments, stop, result)
            times.append(time.perf_counter() - begin)

    by_turns()
    spent[0].clear(), spent[1].clear()
    benchmark.pedantic(by_turns, rounds=7)
    ratio = sorted(spent[1])[3] / sorted(spent[0])[3]
    report(capsys, f"p = {loss:g}, {ack}: {ratio:.2f}x the time without")
