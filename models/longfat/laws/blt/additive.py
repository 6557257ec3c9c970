"""Windows that grow by a constant: the alternative that the paper names. Proofs: derivations/blt.py."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.blt.parameters import KIM_FARBER, PACKET, STEP, WINDOW, WINDOWS
from longfat.laws.blt.sums import BEYOND, whole_window


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="packets",
    derivation="blt.additive_window_size",
    window=WINDOW,
    step=STEP,
)
def additive_window_size(window: Any, step: Any = 1, *, xp: Any) -> Any:
    r"""Packets of one window of a BLT burst whose windows grow by a constant.

    .. math:: |W_k| = |W_{k-1}| + \alpha = 1 + \alpha k

    Parameters
    ----------
    window : float or array
        k [1], whole, in [0, inf); window 0 is a single packet.
    step : float or array
        alpha [packets], in [0, inf).

    Returns
    -------
    float or array
        \|W_k\| [packets].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A definition. The paper gives the rule and not alpha.

    Examples
    --------
    >>> additive_window_size([0, 1, 2], step=3)
    array([1., 4., 7.])

    References
    ----------
    Kim and Farber, section 3.3.1.
    """
    return 1 + step * window


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="packets",
    derivation="blt.packets_in_additive_windows",
    windows=WINDOWS,
    step=STEP,
)
def packets_in_additive_windows(windows: Any, step: Any = 1, *, xp: Any) -> Any:
    r"""Packets in the first windows, which is the number of the first packet of the next one.

    .. math:: F_m = m + \alpha \frac{m (m - 1)}{2}

    Parameters
    ----------
    windows : float or array
        m [1], whole, in [0, 1e9): windows 0 ... m - 1.
    step : float or array
        alpha [packets], in [0, inf).

    Returns
    -------
    float or array
        F_m [packets]; the first packet of window m is F_m, or the next whole number.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact; in floats, too, for whole alpha and sums below 2^53. pi bits reach F_m with m = 2^pi: 136 packets for 4
    bits and alpha = 1, where windows that double have 65535.

    Examples
    --------
    >>> packets_in_additive_windows([1, 2, 3, 16])
    array([  1.,   3.,   6., 136.])

    References
    ----------
    Kim and Farber, section 3.3.1.
    """
    return windows + step * (windows * (windows - 1) / 2)


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="1",
    derivation="blt.additive_priority",
    packet=PACKET,
    step=STEP,
)
def additive_priority(packet: Any, step: Any = 1, *, xp: Any) -> Any:
    r"""Priority of a packet of a burst whose windows grow by a constant: the number of its window; 0 is the best.

    .. math:: P(s) = \left\lfloor \frac{2 s}{h + \sqrt{h^2 + 2 \alpha s}} \right\rfloor, \qquad
        h = 1 - \frac{\alpha}{2}

    Parameters
    ----------
    packet : float or array
        s [packets], whole, in [0, 9007199254740992): the packet's place in its burst, from 0.
    step : float or array
        alpha [packets], in [0, inf); s itself for alpha = 0.

    Returns
    -------
    float or array
        P(s) [1], whole.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact, in floats, too, for whole alpha and s < 2^53: a comparison with the first packets of windows decides. For
    other alpha a packet next to the end of a window falls on either side by rounding.

    Examples
    --------
    >>> additive_priority(range(7))
    array([0., 1., 1., 2., 2., 2., 3.])

    References
    ----------
    Kim and Farber, section 3.3.1, for the windows; derived in derivations/blt.py.
    """
    if not hasattr(xp, "sympy"):
        step = xp.minimum(step, BEYOND + 0 * step)
    half = 1 - step / 2
    root = xp.sqrt(half * half + 2 * step * packet)
    if hasattr(xp, "sympy"):
        return xp.sympy.Piecewise((packet * 0, xp.equal(packet, 0)), (xp.floor(2 * packet / (half + root)), True))
    # Neither form subtracts nearly equal numbers where it is taken, nor divides by 0.
    wide = half < 0
    ratio = xp.where(
        wide,
        (root - half) / xp.where(wide, step, 1 + 0 * step),
        2 * packet / xp.where(wide | (packet == 0), 1 + 0 * root, half + root),
    )
    return whole_window(packet, xp.floor(ratio), lambda k: packets_in_additive_windows.function(k, step, xp=xp), xp)
