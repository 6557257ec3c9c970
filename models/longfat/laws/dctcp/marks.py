"""Window of a DCTCP flow under a given share of marked packets: evenly spaced, at random, or by a threshold."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.dctcp.parameters import MARKING
from longfat.laws.references import DCTCP_2010, RFC_9332


@law(
    source=f"{RFC_9332}, appendix C.2, equation (6)",
    unit="packets",
    result="W",
    derivation="dctcp.window_at_spaced_marks",
    simulated=SimulatedBy("window_at_spaced_marks", {"marking": (0.005, 0.03)}, relative=0.05),
    marking=MARKING,
)
def window_at_spaced_marks(marking: Any, *, xp: Any) -> Any:
    r"""Return the window of a DCTCP or Prague flow of which every 1/p-th packet is marked.

    .. math:: W = \frac{2}{p}

    Notes
    -----
    Every round trip adds a packet, has two marks and takes the share p/2 of the window away. It holds for small p: a
    simulated window is smaller by the share 0.8 p. With independent marks the window is larger,
    `window_at_random_marks`, because some windows have none.

    Examples
    --------
    >>> window_at_spaced_marks(0.1)
    20.0
    """
    return 2 / marking


@law(
    source="Ours, by the rules of RFC 8257, section 3.3",
    unit="packets",
    result="W, 1.37 times that of `window_at_spaced_marks`",
    derivation="dctcp.window_at_random_marks",
    simulated=SimulatedBy("window_at_random_marks", {"marking": (0.005, 0.02)}, relative=0.08),
    marking=MARKING,
)
def window_at_random_marks(marking: Any, *, xp: Any) -> Any:
    r"""Return the mean window of a DCTCP flow whose packets are marked independently with a given probability.

    .. math:: W = \frac{1 + \sqrt 3}{p}

    Notes
    -----
    A cut takes the share p/2 of the window away. It is followed by a round trip without another one and then by the
    wait for the next mark, 1/p packets in the mean. It holds for small p: a simulated window is smaller by the share
    1.6 p. RFC 9332 has 2/p for any spread marks; its own discipline spaces them evenly.

    Examples
    --------
    >>> round(window_at_random_marks(0.01), 1)
    273.2
    """
    return (1 + xp.sqrt(3 + 0 * marking)) / marking


@law(
    source=f"{DCTCP_2010}, section 3.3, solved for the window by us",
    unit="packets",
    result="W, that at which the queue reaches the threshold; it tends to 2/p^2 for small p",
    derivation="dctcp.window_at_threshold_marks",
    not_simulated="the inverse of marked_share",
    marking=MARKING,
)
def window_at_threshold_marks(marking: Any, *, xp: Any) -> Any:
    r"""Return the window of DCTCP flows of whose packets a threshold marks a given share.

    .. math:: W = \frac{1 - r + \sqrt{1 - r}}{r}, \qquad r = p^2 \left(1 - \frac{p}{4}\right)

    Notes
    -----
    The inverse of `marked_share`. A threshold marks all packets of one round trip in a cycle and none of the others,
    so a given share of marks is one for far larger windows than if it were spread over all round trips, as in
    `window_at_spaced_marks`.

    Examples
    --------
    >>> round(window_at_threshold_marks(0.1), 1), window_at_threshold_marks(1)
    (203.6, 1.0)
    """
    rest = 1 - marking / 4
    unmarked = 1 - marking * marking * rest
    return (unmarked + xp.sqrt(unmarked)) / rest / marking / marking
