"""Throughput of a flow whose allocation is fixed: N_2 + N_3 cells, with a credit cell after each N_2."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.credits.parameters import BATCH, LOOP, RESERVE, SHARE
from longfat.laws.references import KUNG_CHAPMAN, KUNG_CREDIT


@law(
    source=f"{KUNG_CREDIT}, for N_2 that divide the allocation (from a summary: it was not read); the rest is ours",
    unit="1",
    result="U, of a flow that is alone on its link and never blocked further on",
    derivation="credits.link_share",
    simulated=SimulatedBy(
        "credit_share", {"batch": (1, 12), "reserve": (0, 60), "loop": [0.0, 3.0, 11.0, 20.5, 41.0]}, accuracy=0.002
    ),
    batch=BATCH,
    reserve=RESERVE,
    loop=LOOP,
)
def link_share(batch: Any, reserve: Any, loop: Any, *, xp: Any) -> Any:
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
    batch=BATCH,
    loop=LOOP,
    share=SHARE,
)
def allocation_for_rate(batch: Any, loop: Any, share: Any = 1.0, *, xp: Any) -> Any:
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
