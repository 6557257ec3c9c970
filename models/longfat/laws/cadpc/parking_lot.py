"""Equilibrium of CADPC on two links in a row, with flows over both and flows over one of them."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import WELZL

FIRST = Symbol("m_1", "flows", "[1, inf)", (1, 50), "Flows over the first link only", integer=True)
SECOND = Symbol("m_2", "flows", "[1, inf)", (1, 50), "Flows over the second link only", integer=True)
OWN = Symbol("m_1", "flows", "[1, inf)", (1, 50), "Flows over the flow's own link only", integer=True)
OTHER = Symbol("m_2", "flows", "[1, inf)", (1, 50), "Flows over the other link only", integer=True)


@law(
    source=f"{WELZL}, sections II.A and III (parking lot); the values are ours",
    unit="1",
    result="x, over the capacity of a link",
    derivation="cadpc_network.parking_lot",
    simulated=SimulatedBy("parking_lot_long", {"first": (1.0, 8.0), "second": (1.0, 8.0)}, relative=0.03),
    first=FIRST,
    second=SECOND,
)
def parking_lot_long_rate(first: Any, second: Any, *, xp: Any) -> Any:
    r"""Return the equilibrium rate of a CADPC flow over two links of equal capacity, each with other flows.

    .. math:: \bar x = \frac{1}{2 + \max(m_1, m_2)}

    Notes
    -----
    Exact: the link with less spare capacity, which is the one with more flows of its own, reports.

    Examples
    --------
    >>> parking_lot_long_rate(8, 3)
    0.1
    """
    return 1 / (2 + xp.maximum(first, second))


@law(
    source=f"{WELZL}, sections II.A and III (parking lot); the values are ours",
    unit="1",
    result="x, over the capacity of a link",
    derivation="cadpc_network.parking_lot",
    simulated=SimulatedBy("parking_lot_short", {"own": (1.0, 8.0), "other": (1.0, 8.0)}, relative=0.03),
    own=OWN.described(remark="The flow itself is included"),
    other=OTHER,
)
def parking_lot_short_rate(own: Any, other: Any, *, xp: Any) -> Any:
    r"""Return the equilibrium rate of a CADPC flow over one of two links of equal capacity; one flow crosses both.

    .. math:: \bar x = \frac{1 + \max(m_1, m_2)}{(2 + \max(m_1, m_2)) (1 + m_1)}

    Notes
    -----
    Exact. It is the max-min fair rate of a network with one flow more on each link, not that of the network itself:
    with 9 such flows on one link and 1 on the other, the latter has the rate 5/11, whereas its max-min fair rate is
    9/10.

    Examples
    --------
    >>> parking_lot_short_rate(8, 3), parking_lot_short_rate(3, 8)
    (0.1, 0.225)
    """
    most = xp.maximum(own, other)
    return (1 + most) / ((2 + most) * (1 + own))
