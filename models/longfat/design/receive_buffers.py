"""Receive buffer of selective repeat for a window, and the smaller receive buffers of wider windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from longfat.design.path import Path
from longfat.design.search import bisected
from longfat.design.window_curves import attrs, with_limits
from longfat.laws import selective_repeat as laws

WIDEST = 4.0  # ratio of the widest window of the trade-off to the chosen one
FINENESS = 0.02  # relative tolerance of the buffers of the trade-off
#: Least numbers of packets lost and sent in a simulation of the trade-off. Such runs are kept short, because the
#: receiver may discard the packets of a round trip at each loss. The buffer of the chosen window is found with longer
#: runs (`REPORTED`), whose results are reported.
COARSELY = {"lost": 5e3, "packets": 2e6}
REPORTED: dict[str, float] = {}  # run length: the default of `Path.simulate`
COST = 0.002  # fraction of the efficiency that a receive buffer may cost if even a whole window misses the goal

BUFFER = {
    "buffer_segments": ("segments", "receive buffer, hard acknowledgment"),
    "buffer_bytes": ("bytes", "receive buffer, hard acknowledgment"),
    "buffer_share": ("1", "receive buffer over window"),
    "buffer_law": ("1", "throughput efficiency with this buffer, law; NaN outside its validity"),
    **with_limits("buffer_simulated", "throughput efficiency with this buffer"),
}

TRADEOFF = {
    "tradeoff_window": ("segments", "window"),
    "tradeoff_buffer": ("segments", "smallest receive buffer that reaches the goal with this window"),
    "tradeoff_sender_bytes": ("bytes", "memory of the sender: the window"),
    "tradeoff_receiver_bytes": ("bytes", "memory of the receiver: the receive buffer"),
}


def _suffices(
    path: Path,
    loss: float,
    window: int,
    goal: float,
    seed: Any,
    confidence: float,
    effort: Mapping[str, Any] = REPORTED,
) -> Callable[[int], bool]:
    """Return a predicate of a buffer: the lower confidence limit of the efficiency with this buffer reaches the goal.

    If a buffer of the whole window misses the goal, so does any buffer. A buffer then suffices if its limit is lower by
    at most the fraction `COST` than the limit with a buffer of the whole window.
    """

    def lower(buffer: int) -> float:
        run = path.simulate(loss, window, seed, confidence, receive_buffer=buffer, **effort)
        return float(run.throughput_efficiency_lower)

    without = lower(window)
    wanted = goal if without >= goal else (1 - COST) * without
    return lambda buffer: lower(buffer) >= wanted


def answer(path: Path, loss: float, window: int | None, goal: float, seed: Any, confidence: float) -> dict[str, float]:
    """Find the smallest sufficient receive buffer of a window, and return the variables of `BUFFER`."""
    if window is None:
        return dict.fromkeys(BUFFER, math.nan)
    found = bisected(_suffices(path, loss, window, goal, seed, confidence), 0, window)
    run = path.simulate(loss, window, seed, confidence, receive_buffer=found)
    row = {
        "buffer_segments": float(found),
        "buffer_bytes": found * path.segment,
        "buffer_share": found / window,
        "buffer_law": _law(path, loss, window, found),
    }
    for suffix in ("", "_lower", "_upper"):
        row[f"buffer_simulated{suffix}"] = float(run["throughput_efficiency" + suffix])
    return row


def _law(path: Path, loss: float, window: int, buffer: int) -> float:
    one = laws.throughput_efficiency_hard_ack
    here = {"loss": loss, "segment_packets": path.segment_packets, "ack_segments": path.ack_segments}
    assert one.validity is not None
    if window < 2 * path.ack_segments + 1 or not one.validity(receive_buffer=buffer, **here):
        return math.nan
    return float(one(receive_buffer=buffer, **here))


def tradeoff(path: Path, loss: float, row: dict[str, Any], points: int, seed: Any, confidence: float) -> np.ndarray:
    """Return each variable of `TRADEOFF` as a row, for windows from the chosen window to four times its size."""
    if not row["window_segments"] > 0:
        return np.full((len(TRADEOFF), points), math.nan)
    first, most = int(row["window_segments"]), int(row["buffer_segments"])
    windows = np.unique(np.round(np.geomspace(first, WIDEST * first, points))).astype(int)
    columns: list[tuple[float, float]] = [(first, most)]
    for window in windows[1:].tolist():
        suffices = _suffices(path, loss, window, row["goal"], seed, confidence, COARSELY)
        if not suffices(most):  # rarely so, because a wider window needs no larger buffer
            most = window
        most = bisected(suffices, 0, most, FINENESS)
        columns.append((window, most))
    columns += [(math.nan, math.nan)] * (points - len(columns))  # few integers lie above a small window
    pairs = np.array(columns, dtype=float).T
    return np.vstack([pairs, pairs * path.segment])


def tradeoff_variables(values: list[np.ndarray]) -> dict[str, Any]:
    """Convert the results of `tradeoff` for all losses to variables of a Dataset."""
    stacked = np.stack(values, axis=1)
    names = zip(TRADEOFF.items(), stacked, strict=True)
    return {name: (("loss", "tradeoff"), value, attrs(unit, text)) for (name, (unit, text)), value in names}
