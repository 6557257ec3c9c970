"""Rates of links that change over time, as users write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longfat.base import domains, quantities

MOST_CHANGES = 10**6


def read_rate_changes(changes: Sequence[Sequence[Any]]) -> tuple[tuple[float, float], ...]:
    """Return times [s] and rates [bytes/s], given as numbers or text, after checking that the times increase.

    >>> read_rate_changes([("1 s", "8 Mbit/s"), (2.5, 2e6)])
    ((1.0, 1000000.0), (2.5, 2000000.0))
    """
    words = "a sequence of pairs (time, rate)"
    if isinstance(changes, str) or not isinstance(changes, Sequence):
        raise domains.wrong_type("rate_changes", changes, words)
    domains.integer("number of rate_changes", len(changes), "1", f"[0, {MOST_CHANGES}]")
    made: list[tuple[float, float]] = []
    for one in changes:
        if isinstance(one, str) or not isinstance(one, Sequence) or len(one) != 2:
            raise domains.wrong_type("rate_changes", one, words)
        after = made[-1][0] if made else 0.0
        time = quantities.duration(one[0], "time in rate_changes", f"({after!r}, 1e9]")
        made.append((time, quantities.rate(one[1], "rate in rate_changes")))
    return tuple(made)
