"""Window of a DCTCP flow under a given share of marked packets: spaced out at random, or by a threshold."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.dctcp.parameters import MARKING
from longfat.laws.references import DCTCP_2010, RFC_9332


@law(
    source=f"{RFC_9332}, appendix C.2, equation (6)",
    unit="packets",
    result="W",
    derivation="dctcp.window_at_random_marking",
    not_simulated="no simulated scheme is about it yet",
    marking=MARKING,
)
def window_at_random_marking(marking: Any, *, xp: Any) -> Any:
    r"""Return the window of a DCTCP or Prague flow whose packets are marked with a given probability.

    .. math:: W = \frac{2}{p}

    Notes
    -----
    Every round trip adds a packet and takes the share p/2 of the window away. It takes for granted that every round
    trip brings a mark; of a window of 2/p packets with independent marks 13.5 % have none, so that the window is
    larger, by about a tenth.

    Examples
    --------
    >>> window_at_random_marking(0.1)
    20.0
    """
    return 2 / marking


@law(
    source=f"{DCTCP_2010}, section 3.3, solved for the window by us",
    unit="packets",
    result="W, that at which the queue reaches the threshold; it tends to 2/p^2 for small p",
    derivation="dctcp.window_at_step_marking",
    not_simulated="the inverse of marked_share",
    marking=MARKING,
)
def window_at_step_marking(marking: Any, *, xp: Any) -> Any:
    r"""Return the window of DCTCP flows of whose packets a threshold marks a given share.

    .. math:: W = \frac{1 - r + \sqrt{1 - r}}{r}, \qquad r = p^2 \left(1 - \frac{p}{4}\right)

    Notes
    -----
    The inverse of `marked_share`. A threshold marks all packets of one round trip in a cycle and none of the others,
    so a given share of marks is one for far larger windows than if it were spread over all round trips, as in
    `window_at_random_marking`.

    Examples
    --------
    >>> round(window_at_step_marking(0.1), 1), window_at_step_marking(1)
    (203.6, 1.0)
    """
    rest = 1 - marking / 4
    unmarked = 1 - marking * marking * rest
    return (unmarked + xp.sqrt(unmarked)) / rest / marking / marking
