"""Growth of an allocation that follows the use of the link."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.blt.sums import geometric_sum
from longfat.laws.credits.parameters import INTERVALS, POOL_GROWTH
from longfat.laws.references import KUNG_CREDIT


@law(
    source=f"Ours: the rule of {KUNG_CREDIT} (from memory: it could not be read), as a recursion",
    unit="packets",
    result="A_k",
    derivation="credits.adaptive_allocation",
    not_simulated="a switch gives out whole cells and grows more slowly: tests/sim/test_credit.py has its steps",
    intervals=INTERVALS,
    pool_growth=POOL_GROWTH,
)
def adaptive_allocation(intervals: Any, pool_growth: Any, *, xp: Any) -> Any:
    r"""Return the allocation of a flow that began with one cell beside flows that use all of the link.

    .. math:: A_k = \frac{G^{k + 1} - 1}{G - 1}

    Notes
    -----
    Each interval gives the flow one cell and a share of the pool that is its share of the link, which is A/P of it
    while credit limits the flow. With a pool M of which half is given out and N flows, G = (M/2 - N)/P, less the
    backlog. The allocation grows until the flow has its share of the link: by G = 2 in each interval if the pool is
    four round trips of the link. At G of 1 or less it would not get there. A switch that gives out whole cells rounds
    down in each interval: the simulated one has 1, 3, 6, 12 and 24 cells for G = 2.

    Examples
    --------
    >>> [adaptive_allocation(k, 2.0) for k in range(4)]
    [1.0, 3.0, 7.0, 15.0]
    """
    return geometric_sum(intervals + 1, pool_growth, xp)
