"""Joint distribution of the rounds K and the packets N sent for a segment, as a table of positive sums.

A packet arrives within k rounds, after m losses, with probability (1 - p) p^m, m < k. So with A_k(z), the sum of
(1 - p) (p z)^m over m < k, the segment has E[z^(N - s); K <= k] = A_k(z)^s, and K = k has A_k^s - A_(k-1)^s. This
difference is never computed: the pair (A^m, (A + E)^m - A^m), where E = (1 - p) (p z)^(k-1) is the term of round k, is
multiplied by the rule (A, E) (A', E') = (A A', A E' + E A' + E E'), and all coefficients stay positive. So every
entry is accurate to nearly all digits, and so are sums over entries from either end.

Derived in derivations/segment_distribution.py.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@lru_cache(maxsize=16)
def joint(loss: float, packets: int, left_out: float) -> Array:
    """Return P(K = k, N = s + r) in row k - 1 and column r; the table leaves about ``left_out`` out."""
    retransmissions = _most_retransmissions(loss, packets, left_out)
    rounds = 1 if loss == 0 else max(math.ceil(math.log(left_out / packets) / math.log(loss)), 1)
    table = np.zeros((min(rounds, retransmissions + 1), retransmissions + 1))
    for row in range(len(table)):
        table[row] = _exactly(row + 1, loss, packets, retransmissions + 1)
    table.flags.writeable = False
    return table


def _most_retransmissions(loss: float, packets: int, left_out: float) -> int:
    """Return the smallest r for which more than r retransmissions are less likely than ``left_out``."""
    if loss == 0:
        return 0
    r, log_chance = 0, packets * math.log1p(-loss)  # of exactly r retransmissions
    while True:
        ratio = loss * (packets + r) / (r + 1)  # falling, so that the tail is below a geometric one
        if ratio < 1 and log_chance + math.log(ratio / (1 - ratio)) < math.log(left_out):
            return r
        r, log_chance = r + 1, log_chance + math.log(ratio)


def _exactly(rounds: int, loss: float, packets: int, size: int) -> Array:
    """Return P(K = rounds, N = s + r) for r below ``size``."""

    def times(left: Array, right: Array) -> Array:
        return np.convolve(left, right)[:size]

    one: Array = (1 - loss) * loss ** np.arange(size, dtype=float)
    before, at = one.copy(), np.zeros(size)
    before[rounds - 1 :] = 0.0
    at[rounds - 1] = one[rounds - 1]
    all_before, all_at = before, at
    for bit in bin(packets)[3:]:  # from the second binary digit on
        all_before, all_at = times(all_before, all_before), times(all_at, 2 * all_before + all_at)
        if bit == "1":
            all_before, all_at = times(all_before, before), times(all_before, at) + times(all_at, before + at)
    return all_at
