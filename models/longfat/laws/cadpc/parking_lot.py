"""Two links in a row: flows over both of them, and flows over one."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.cadpc.parameters import PAPER

FIRST = Symbol("m_1", "flows", "[1, inf)", (1, 50), "short flows on the first link", integer=True)
SECOND = Symbol("m_2", "flows", "[1, inf)", (1, 50), "short flows on the second link", integer=True)
OWN = Symbol("m_1", "flows", "[1, inf)", (1, 50), "short flows on the same link", integer=True)
OTHER = Symbol("m_2", "flows", "[1, inf)", (1, 50), "short flows on the other link", integer=True)


@law(
    source=f"{PAPER}, section III (parking lot); values ours",
    unit="1",
    derivation="cadpc_network.parking_lot",
    first=FIRST,
    second=SECOND,
)
def parking_lot_long_rate(first: Any, second: Any, *, xp: Any) -> Any:
    r"""Rate at rest of one flow over two links of equal capacity, each with short flows of its own.

    .. math:: \bar x = \frac{1}{2 + \max(m_1, m_2)}

    Parameters
    ----------
    first : int or array
        m_1 [flows], whole, in [1, inf).
    second : int or array
        m_2 [flows], whole, in [1, inf).

    Returns
    -------
    float or array
        The rate over the capacity of a link [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact: the report comes from the link with less capacity to spare, the one with more short flows.

    Examples
    --------
    >>> parking_lot_long_rate(8, 3)
    0.1

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, sections II.A and III.
    """
    return 1 / (2 + xp.maximum(first, second))


@law(
    source=f"{PAPER}, section III (parking lot); values ours",
    unit="1",
    derivation="cadpc_network.parking_lot",
    own=OWN,
    other=OTHER,
)
def parking_lot_short_rate(own: Any, other: Any, *, xp: Any) -> Any:
    r"""Rate at rest of a flow over one of two links of equal capacity that one long flow passes.

    .. math:: \bar x = \frac{1 + \max(m_1, m_2)}{(2 + \max(m_1, m_2)) (1 + m_1)}

    Parameters
    ----------
    own : int or array
        m_1 [flows], whole, in [1, inf): short flows on the flow's own link, this one included.
    other : int or array
        m_2 [flows], whole, in [1, inf): short flows on the other link.

    Returns
    -------
    float or array
        The rate over the capacity of a link [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact. It is the max-min fair rate of a network with one flow more on each link, not that of the network itself:
    with 9 short flows on one link and 1 on the other, that one comes to rest at 5/11, the max-min fair rate is 9/10.

    Examples
    --------
    >>> parking_lot_short_rate(8, 3), parking_lot_short_rate(3, 8)
    (0.1, 0.225)

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, sections II.A and III.
    """
    most = xp.maximum(own, other)
    return (1 + most) / ((2 + most) * (1 + own))
