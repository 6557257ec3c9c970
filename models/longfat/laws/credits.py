"""Credit flow control of a link (FCVC): throughput by the credit, and how fast adaptive credit grows.

Cells are packets of one size; times are in transmission times of a cell. Proofs: derivations/credits.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.blt.windows import geometric_sum
from longfat.laws.references import KUNG_CHAPMAN, KUNG_CREDIT

__all__ = [
    "adaptive_allocation",
    "allocation_for_rate",
    "link_share",
]


BATCH = Symbol("N_2", "packets", "[1, inf)", (1, 50), "Forwarded cells per credit cell", integer=True)
RESERVE = Symbol("N_3", "packets", "[0, inf)", (0, 500), "Cells that the allocation has above N_2", integer=True)
LOOP = Symbol(
    "P", "packets", "[0, inf)", (1.0, 500.0), "Round trip of the link without the cell itself, in transmission "
    "times of a cell: twice the propagation delay and the transmission of the credit cell"
)  # fmt: skip
SHARE = Symbol("x", "1", "(0, 1]", (0.1, 1.0), "Rate of the flow over the rate of the link")
INTERVALS = Symbol("k", "1", "[0, inf)", (0, 20), "Allocations since the flow began with one cell", integer=True)
POOL_GROWTH = Symbol(
    "G", "1", "(1, inf)", (1.1, 10.0), "Share of the pool that is given out, over the round trip of the link in cells"
)  # fmt: skip


@law(
    source=f"{KUNG_CREDIT}, for N_2 that divide the allocation (from a summary: it was not read); the rest is ours",
    unit="1",
    result="U, of a flow that is alone on its link and never blocked further on",
    derivation="credits.link_share",
    simulated=SimulatedBy(
        "credit_share", {"batch": (1, 12), "reserve": (0, 60), "loop": [0.0, 3.0, 11.0, 20.5, 41.0]}, accuracy=0.002
    ),
)
def link_share(batch: BATCH, reserve: RESERVE, loop: LOOP, *, xp: Any) -> Any:
    r"""Return the share of the link that a flow uses by its credit.

    .. math:: U = \min\left(1, \frac{q N_2}{P + N_2 - r}\right), \qquad
        q = \left\lfloor \frac{N_2 + N_3}{N_2} \right\rfloor, \quad r = N_2 + N_3 - q N_2

    Notes
    -----
    Exact for cells that are forwarded as soon as they arrive. If N_2 divides the allocation it is (N_2 + N_3)/(N_2 +
    P): the allocation in the time of a round trip and the cells that a credit cell waits for. The link stays busy from
    N_3 = P on, for every N_2: N_3 is the bandwidth-delay product of the link.

    Examples
    --------
    >>> link_share(5, 10, 20), link_share(5, 12, 20), link_share(5, 20, 20)
    (0.6, 0.6521739130434783, 1.0)
    """
    batches = xp.floor((batch + reserve) / batch)
    left = batch + reserve - batches * batch
    return xp.minimum(batches * batch / (loop + batch - left), 1 + 0 * loop)


@law(
    source=f"{KUNG_CHAPMAN}: N_3 = rate x round trip (from its abstract and summaries: it could not be read)",
    unit="packets",
    result="N_2 + N_3",
    derivation="credits.allocation_for_rate",
    not_simulated="the inverse of a law that is simulated",
)
def allocation_for_rate(batch: BATCH, loop: LOOP, share: SHARE = 1.0, *, xp: Any) -> Any:
    r"""Return the allocation with which credit does not limit a flow to less than a share of the link.

    .. math:: N_2 + N_3 = N_2 + x P

    Notes
    -----
    A bound, to be rounded up to whole cells. It is the least one for the whole link, x = 1; for less, x (P + N_2)
    rounded up to a multiple of N_2 may be smaller.

    Examples
    --------
    >>> allocation_for_rate(10, 200.0), allocation_for_rate(10, 200.0, 0.25)
    (210.0, 60.0)
    """
    return batch + share * loop


@law(
    source=f"Ours: the rule of {KUNG_CREDIT} (from memory: it could not be read), as a recursion",
    unit="packets",
    result="A_k",
    derivation="credits.adaptive_allocation",
    not_simulated="a switch gives out whole cells and grows more slowly: tests/sim/test_credit.py has its steps",
)
def adaptive_allocation(intervals: INTERVALS, pool_growth: POOL_GROWTH, *, xp: Any) -> Any:
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
