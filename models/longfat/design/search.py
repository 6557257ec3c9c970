"""Search for a window: by the inverse of the law, or by simulations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from longfat.design.path import Path
from longfat.laws import selective_repeat as laws

Search = Literal["bisect", "scan"]
LARGEST_FACTOR = 64  # largest window of the simulator's search, in units of w_a + 1


def efficiency(path: Path, loss: float, window: Any) -> Any:
    """Return the throughput efficiency [1] of a window [segments] on this path by the law."""
    return laws.throughput_efficiency(window, loss, path.segment_packets, path.ack_segments)


def law_is_valid(path: Path, loss: float, window: float) -> bool:
    """Return whether the efficiency law is valid for this path, loss and window."""
    validity = laws.throughput_efficiency.validity
    assert validity is not None
    return bool(
        validity(window=window, loss=loss, segment_packets=path.segment_packets, ack_segments=path.ack_segments)
    )


def law_window(path: Path, loss: float, goal: float, search: Search = "bisect") -> int:
    """Return the smallest integer window [segments] at which the law reaches the goal."""
    if search == "scan":
        windows = np.arange(1, math.ceil(2 * path.ack_segments + 1) + 1)
        return int(windows[np.argmax(efficiency(path, loss, windows.astype(float)) >= goal)])
    if efficiency(path, loss, 1) >= goal:
        return 1
    real = laws.window_for_efficiency(goal, loss, path.segment_packets, path.ack_segments)
    found: int = max(2, math.ceil(real))
    while found > 2 and efficiency(path, loss, found - 1) >= goal:  # corrects rounding of the inverse
        found -= 1
    while efficiency(path, loss, found) < goal:
        found += 1
    return found


def simulated_window(reaches: Callable[[int], bool], ack_segments: float, search: Search = "bisect") -> int | None:
    """Return the smallest window for which ``reaches`` is true, if it stays true; None if there is none."""
    limit = math.ceil(LARGEST_FACTOR * (ack_segments + 1))
    if search == "scan":
        return next((w for w in range(1, limit + 1) if reaches(w)), None)
    low, high = 0, max(1, math.ceil(2 * ack_segments + 1))
    while not reaches(high):
        low, high = high, 2 * high
        if low >= limit:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high
