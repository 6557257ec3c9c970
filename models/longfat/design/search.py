"""Search for a window or buffer: by the inverse of the law, or by simulations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from longfat.design.path import Path
from longfat.laws import selective_repeat as laws

Search = Literal["bisect", "scan"]
BENT = 0.2  # error of the line of `crossing` at points whose log odds differ by 1 from those sought; ours
LARGEST_FACTOR = 64  # largest window of the search by simulation, in units of w_a + 1


def efficiency(path: Path, loss: float, window: Any) -> Any:
    """Return the throughput efficiency by the law [1] of a window [segments] on this path."""
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
    """Return the smallest window for which ``reaches`` is true, if it is for all larger ones; None if there is none."""
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


def logit(share: float) -> float:
    """Return the logarithm of the odds of a share, nearly linear in the logarithm of the buffer for shares near 1.

    >>> round(logit(0.95), 3), round(logit(0.5), 3)  # ln 19
    (2.944, 0.0)
    """
    return math.log(share / (1 - share))


def crossing(
    shares: Mapping[int, Sequence[float]], goal: float, widths: float, low: float, high: float, most: int
) -> float:
    """Return the buffer in [low, high] at which the mean share should exceed a goal by ``widths`` half widths.

    ``shares`` has the samples of each buffer. The half width is about two standard errors of the point whose mean is
    nearest to the goal, converted to ``most`` samples, the number that a buffer near the goal has. A line of the log
    odds against the logarithm of the buffer is fitted; points that are uncertain or far from the goal have less weight,
    because the true curve is bent. The result is the middle of ``low`` and ``high`` if fewer than two means lie
    strictly between 0 and 1, or if the line does not rise.

    >>> line = {40: [0.8, 0.8], 160: [0.96, 0.96]}  # odds of 4 and 24; 9.8 = sqrt(4 * 24)
    >>> round(crossing(line, 9.797959 / 10.797959, 1.0, 0, 200, 24), 1)  # sqrt(40 * 160)
    80.0
    >>> crossing({40: [0.8, 0.8]}, 0.9, 1.0, 40, 80, 24)
    60.0
    """
    known = {one: np.asarray(samples) for one, samples in shares.items() if 0 < np.mean(samples) < 1}
    middle = (low + high) / 2
    if len(known) < 2 or not 0 < goal < 1:
        return middle
    means, errors = (np.array([f(samples) for samples in known.values()]) for f in (np.mean, _standard_error))
    nearest = int(np.argmin(np.abs(means - goal)))
    half = 2 * errors[nearest] * math.sqrt(len(list(known.values())[nearest]) / most)
    sought = logit(min(max(goal + widths * half, goal / 2), (1 + goal) / 2))
    sizes, odds = np.log(list(known)), np.log(means / (1 - means))
    weights = 1 / ((errors / (means * (1 - means))) ** 2 + (BENT * (odds - sought) ** 2) ** 2 + 1e-6)
    size, odd = np.average(sizes, weights=weights), np.average(odds, weights=weights)
    slope = np.dot(weights * (sizes - size), odds - odd) / np.dot(weights, (sizes - size) ** 2)
    if not slope > 0:
        return middle
    return float(np.clip(np.exp(min(size + (sought - odd) / slope, math.log(high))), low, high))


def _standard_error(samples: Any) -> float:
    return float(np.std(samples, ddof=1)) / math.sqrt(len(samples))
