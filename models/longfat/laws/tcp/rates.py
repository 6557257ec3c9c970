"""Rate of a flow with additive increase and multiplicative decrease under a given loss rate."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.tcp.parameters import ACKED, DECREASE, INCREASE, LOSS, ROUND_TRIP, WINDOW

MATHIS = "Mathis, Semke, Mahdavi & Ott, Computer Communication Review 27(3), 1997"


@law(
    source=f"{MATHIS}, section 2",
    unit="packets/s",
    derivation="tcp.square_root_rate",
    loss=LOSS,
    round_trip_time=ROUND_TRIP,
    acked=ACKED,
)
def square_root_rate(loss: Any, round_trip_time: Any, acked: Any = 1, *, xp: Any) -> Any:
    r"""Rate of TCP in congestion avoidance when every 1/p-th packet is lost.

    .. math:: X = \frac{1}{R} \sqrt{\frac{3}{2 b p}}

    Parameters
    ----------
    loss : float or array
        p [probability], in (0, 1).
    round_trip_time : float or array
        R [s], in (0, inf).
    acked : float or array
        b [packets], in [1, inf): packets per acknowledgment, 2 where acknowledgments are delayed.

    Returns
    -------
    float or array
        X [packets/s].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for a fluid sawtooth. Validity: small p; timeouts, recovery and the receiver's window are left out.
    Against `pftk_rate` with b = 1 and T_0 = 4 R it is 1 % too high at p = 1e-3, 9 % at 1e-2, 48 % at 0.05.

    Examples
    --------
    >>> round(square_root_rate(0.01, 0.1), 1)
    122.5

    References
    ----------
    M. Mathis, J. Semke, J. Mahdavi and T. Ott, The Macroscopic Behavior of the TCP Congestion Avoidance
    Algorithm, CCR 27(3), 1997, section 2.
    """
    return 1 / (round_trip_time * xp.sqrt(2 * acked * loss / 3))


@law(
    source="Yang & Lam, General AIMD Congestion Control, ICNP 2000, without timeouts",
    unit="packets/s",
    derivation="tcp.gaimd_rate",
    loss=LOSS,
    round_trip_time=ROUND_TRIP,
    increase=INCREASE,
    decrease=DECREASE,
    acked=ACKED,
)
def gaimd_rate(loss: Any, round_trip_time: Any, increase: Any, decrease: Any, acked: Any = 1, *, xp: Any) -> Any:
    r"""Rate of a flow that adds alpha packets per window and multiplies the window by beta at a loss.

    .. math:: X = \frac{1}{R} \sqrt{\frac{\alpha (1 + \beta)}{2 b (1 - \beta) p}}

    Parameters
    ----------
    loss : float or array
        p [probability], in (0, 1).
    round_trip_time : float or array
        R [s], in (0, inf).
    increase : float or array
        alpha [packets], in (0, inf).
    decrease : float or array
        beta [1], in (0, 1).
    acked : float or array
        b [packets], in [1, inf).

    Returns
    -------
    float or array
        X [packets/s]; `square_root_rate` for alpha = 1, beta = 1/2.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    As for `square_root_rate`. By this rate alone alpha = 3 (1 - beta)/(1 + beta) would be fair to TCP; the
    usual alpha = 0.31 for beta = 7/8 counts timeouts in and is 1.24 times as fast where there are none.

    Examples
    --------
    >>> round(gaimd_rate(1e-4, 0.1, 0.31, 7 / 8) / square_root_rate(1e-4, 0.1), 3)
    1.245

    References
    ----------
    Y. R. Yang and S. S. Lam, ICNP 2000: the term of the rate that is left without timeouts.
    """
    spread = 2 * acked * loss * (1 - decrease)
    return 1 / (round_trip_time * xp.sqrt(spread / (increase * (1 + decrease))))


@law(
    source=f"{MATHIS}, section 2",
    unit="probability",
    derivation="tcp.loss_of_window",
    window=WINDOW,
    acked=ACKED,
)
def loss_of_window(window: Any, acked: Any = 1, *, xp: Any) -> Any:
    r"""Loss rate of a flow that loses one packet whenever its window reaches a given size.

    .. math:: p = \frac{8}{3 b W^2}

    Parameters
    ----------
    window : float or array
        W [packets], in [2, inf): the window just before it is halved.
    acked : float or array
        b [packets], in [1, inf).

    Returns
    -------
    float or array
        p [probability]; alone at a drop-tail link W is the bandwidth-delay product plus the buffer.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for a fluid sawtooth. Counted in whole packets, b = 1, a cycle has (3/8) W^2 + (3/4) W of them.
    Validity: large W; this is 2/W of p too much.

    Examples
    --------
    >>> round(loss_of_window(100), 6)
    0.000267

    References
    ----------
    Mathis et al., CCR 27(3), 1997, section 2.
    """
    return 8 / (3 * acked) / window / window
