"""Search for a window or buffer: by the inverse of the law, or by simulations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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


#: Ours: two shares are told apart if they differ by three standard errors.
APART = 3.0
LARGEST_STEP = 2.0  # factor between a simulated buffer and the next one


def logit(share: float) -> float:
    """Return the logarithm of the odds of a share, which over the buffer is nearly a line where the share is near 1.

    >>> round(logit(0.95), 3), round(logit(0.5), 3)  # ln 19
    (2.944, 0.0)
    """
    inside = min(max(share, 1e-9), 1 - 1e-9)
    return math.log(inside / (1 - inside))


def crossing(points: Mapping[int, tuple[float, float]], goal: float, nearest: int | None = None) -> float:
    """Return the buffer at which a line through simulated shares reaches a goal.

    ``points`` are shares with their standard errors, by buffer. The line leads through the ``nearest`` point, which is
    that with a share nearest to the goal, and the nearest buffer whose share can be told apart from its own. Without
    two such points the buffer is between the last that fails and the first that reaches the goal, or half or twice the
    outermost.

    >>> round(crossing({40: (0.8, 0.0), 80: (0.96, 0.0)}, 0.9), 2)  # odds of 4, 24 and 9: 40 (1 + ln 2.25/ln 6)
    58.1
    >>> crossing({40: (0.8, 0.1), 90: (0.96, 0.1)}, 0.9), crossing({40: (0.8, 0.0)}, 0.9), crossing({40: (1, 0)}, 0.9)
    (60.0, 80.0, 20.0)
    """
    lines = {one: logit(share) for one, (share, _) in points.items() if 0 < share < 1}
    if nearest is None:
        nearest = min(lines, key=lambda one: abs(lines[one] - logit(goal)), default=None)
    if nearest in lines:
        share, error = points[nearest]
        apart = [
            one
            for one in lines
            if (one > nearest) == (points[one][0] > share)
            and abs(points[one][0] - share) > APART * math.hypot(points[one][1], error)
        ]
        if apart:
            other = min(apart, key=lambda one: abs(one - nearest))
            step = (logit(goal) - lines[nearest]) * (other - nearest) / (lines[other] - lines[nearest])
            return min(max(nearest + step, nearest / LARGEST_STEP), nearest * LARGEST_STEP)
    least = min((one for one, (share, _) in points.items() if share >= goal), default=math.inf)
    most = max((one for one, (share, _) in points.items() if share < goal and one < least), default=0)
    return LARGEST_STEP * most if least == math.inf else math.sqrt(least * most) if most else least / LARGEST_STEP
