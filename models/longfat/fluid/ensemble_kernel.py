"""Compiled loop of `cadpc_fairness`. One point stays in the first-level cache for all of its updates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from longfat.base import code_cache

# Sums may be reordered, so that one vector instruction processes several flows; NaN and infinities are kept.
FLAGS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function, and keep its code on disk."""
    return code_cache.compiled(function, [Path(__file__).resolve().parent], **FLAGS)


@kernel
def advance(rates: Any, counts: Any, smoothing: Any, updates: int, threshold: Any, floor: Any, fair_at: Any) -> None:
    """Replace the rates (points, classes) by those after all updates; record the first fair update, or -1."""
    points, classes = rates.shape
    zero = rates.dtype.type(0)
    one = rates.dtype.type(1)
    for point in range(points):
        x, a = rates[point], smoothing[point]
        total, squares, flows = zero, zero, zero
        for j in range(classes):
            flows += counts[j]
            total += counts[j] * x[j]
            squares += counts[j] * x[j] * x[j]
        first = 0 if total * total >= threshold * flows * squares else -1
        for update in range(1, updates + 1):
            gain = one + a * (one - total)
            total, squares = zero, zero
            for j in range(classes):
                after = x[j] * (gain - a * x[j])
                after = after if after > floor else floor
                x[j] = after
                part = counts[j] * after
                total += part
                squares += part * after
            if first < 0 and total * total >= threshold * flows * squares:
                first = update
        fair_at[point] = first
