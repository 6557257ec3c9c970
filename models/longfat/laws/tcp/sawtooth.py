"""One flow with additive increase and multiplicative decrease, alone at a drop-tail link."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.tcp.parameters import BUFFER, DECREASE, UTILISATION

SOURCE = "Jacobson, SIGCOMM 1988, section 3, in the fluid limit"


@law(source=SOURCE, unit="1", derivation="tcp.aimd_utilisation", buffer=BUFFER)
def aimd_utilisation(buffer: Any, *, xp: Any) -> Any:
    r"""Utilisation of a drop-tail link by one flow that halves its window at a loss.

    .. math:: U = \begin{cases} \dfrac{3 (1 + B)^2}{4 (1 + B + B^2)} & 0 \le B \le 1 \\ 1 & B > 1 \end{cases}
        \qquad = \frac{3}{3 + y^2}, \quad y = \frac{\max(1 - B, 0)}{1 + B}

    Parameters
    ----------
    buffer : float or array
        B [1], in [0, inf): the buffer over the bandwidth-delay product of the empty path.

    Returns
    -------
    float or array
        U [1], from 3/4 without a buffer to 1 at B = 1, where the slope is 0 on both sides.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The window goes from (1 + B)/2 to 1 + B products; a round trip takes max(1, w) of the empty path's, since
    the queue is part of it. Validity: a fluid limit. It holds for products of many packets (a product of N
    packets changes U by the order of 1/N), one loss per cycle, no timeouts, and no time lost in recovery.

    Examples
    --------
    >>> round(aimd_utilisation(0.5), 4)
    0.9643

    References
    ----------
    V. Jacobson, Congestion Avoidance and Control, SIGCOMM 1988, section 3 (the rules); G. Appenzeller,
    I. Keslassy and N. McKeown, Sizing Router Buffers, SIGCOMM 2004, section 2 (B = 1 fills the link). The
    value between is derived in derivations/tcp.py.
    """
    idle = xp.maximum(1 - buffer, 0 * buffer) / (1 + buffer)
    return 3 / (3 + idle * idle)


@law(
    source=SOURCE + ", other factors than 1/2",
    unit="1",
    derivation="tcp.aimd_utilisation_general",
    buffer=BUFFER,
    decrease=DECREASE,
)
def aimd_utilisation_general(buffer: Any, decrease: Any, *, xp: Any) -> Any:
    r"""Utilisation of a drop-tail link by one flow that multiplies its window by a factor at a loss.

    .. math:: U = \frac{1 - \beta^2}{1 - \beta^2 + y^2}, \qquad y = \max\left(\frac{1}{1 + B} - \beta, 0\right)

    Parameters
    ----------
    buffer : float or array
        B [1], in [0, inf): the buffer over the bandwidth-delay product of the empty path.
    decrease : float or array
        beta [1], in (0, 1).

    Returns
    -------
    float or array
        U [1], from (1 + beta)/2 without a buffer to 1 at B = 1/beta - 1. The increase is of no account.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `aimd_utilisation`, which is beta = 1/2.

    Examples
    --------
    >>> aimd_utilisation_general(0, 7 / 8)
    0.9375

    References
    ----------
    Derived in derivations/tcp.py; the factor is that of Y. R. Yang and S. S. Lam, General AIMD Congestion
    Control, ICNP 2000.
    """
    idle = xp.maximum(1 / (1 + buffer) - decrease, 0 * (buffer + decrease))
    spread = (1 - decrease) * (1 + decrease)
    return spread / (spread + idle * idle)


@law(
    source="ours: aimd_utilisation solved for the buffer",
    unit="1",
    derivation="tcp.buffer_for_utilisation",
    utilisation=UTILISATION,
)
def buffer_for_utilisation(utilisation: Any, *, xp: Any) -> Any:
    r"""Smallest buffer with which one flow that halves its window fills a drop-tail link to a given share.

    .. math:: B = \frac{\max(4 U - 3, 0)}{\left(\sqrt{U} + \sqrt{3 (1 - U)}\right)^2}

    Parameters
    ----------
    utilisation : float or array
        U [1], in (0, 1].

    Returns
    -------
    float or array
        B [1], in bandwidth-delay products; 0 up to U = 3/4, 1 at U = 1, where the slope is infinite.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As good as `aimd_utilisation`, which it inverts.

    Examples
    --------
    >>> round(aimd_utilisation(buffer_for_utilisation(0.9)), 12)
    0.9

    References
    ----------
    Derived in derivations/tcp.py.
    """
    root = xp.sqrt(utilisation) + xp.sqrt(3 * (1 - utilisation))
    return xp.maximum(4 * utilisation - 3, 0 * utilisation) / (root * root)
