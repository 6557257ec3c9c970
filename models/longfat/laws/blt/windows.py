"""Windows that grow by a factor: a BLT source sends W_0, W_1, ... in one burst, and k is the priority of W_k.

Packets of a burst are counted from 0. Proofs: derivations/blt.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.blt.parameters import BITS, GROWTH, KIM_FARBER, PACKET, WINDOW, WINDOWS
from longfat.laws.blt.sums import BEYOND, geometric_sum, whole_window


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="packets",
    derivation="blt.window_size",
    window=WINDOW,
    growth=GROWTH,
)
def window_size(window: Any, growth: Any = 2, *, xp: Any) -> Any:
    r"""Packets of one window of a BLT burst.

    .. math:: |W_k| = \gamma^k

    Parameters
    ----------
    window : float or array
        k [1], whole, in [0, inf); window 0 is a single packet.
    growth : float or array
        gamma [1], in [1, inf).

    Returns
    -------
    float or array
        \|W_k\| [packets]; not whole unless gamma is.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    A definition. The paper takes gamma = 2.

    Examples
    --------
    >>> window_size([0, 1, 2, 3])
    array([1., 2., 4., 8.])

    References
    ----------
    Kim and Farber, section 3.3.1 and its figure 2.
    """
    return xp.power(growth, window)


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="packets",
    derivation="blt.packets_in_windows",
    windows=WINDOWS,
    growth=GROWTH,
)
def packets_in_windows(windows: Any, growth: Any = 2, *, xp: Any) -> Any:
    r"""Packets in the first windows of a BLT burst, which is the number of the first packet of the next one.

    .. math:: F_m = \sum_{k=0}^{m-1} |W_k| = \frac{\gamma^m - 1}{\gamma - 1} = \frac{|W_m| - 1}{\gamma - 1}

    Parameters
    ----------
    windows : float or array
        m [1], whole, in [0, 1e9): windows 0 ... m - 1.
    growth : float or array
        gamma [1], in [1, inf); m packets for gamma = 1.

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
    Exact; in floats, too, for whole gamma and sums below 2^53. For gamma = 2 the windows before W_m have one packet
    less than W_m, as the paper says: a switch that keeps them all has selected W_m but for its last packet. For other
    gamma they are 1/(gamma - 1) of it: half of it for gamma = 3, and more than it for gamma < 2. (The packet excepted
    is p + 2^(k+1) - 1 where the paper has p + 2^(k+2) - 2, p being the burst's first packet.)

    Examples
    --------
    >>> packets_in_windows([0, 1, 2, 3, 4])
    array([ 0.,  1.,  3.,  7., 15.])

    References
    ----------
    Kim and Farber, section 3.3.1.
    """
    return geometric_sum(windows, growth, xp)


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="1",
    derivation="blt.packet_priority",
    packet=PACKET,
    growth=GROWTH,
)
def packet_priority(packet: Any, growth: Any = 2, *, xp: Any) -> Any:
    r"""Priority of a packet of a BLT burst: the number of its window; 0 is the best.

    .. math:: P(s) = \left\lfloor \log_\gamma\left(1 + (\gamma - 1) s\right) \right\rfloor

    Parameters
    ----------
    packet : float or array
        s [packets], whole, in [0, 9007199254740992): the packet's place in its burst, from 0.
    growth : float or array
        gamma [1], in [1, inf); s itself for gamma = 1.

    Returns
    -------
    float or array
        P(s) [1], whole; floor(log2(s + 1)) for gamma = 2.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact, in floats, too, for whole gamma and s < 2^53: no logarithm decides, but a comparison with the first
    packets of windows. For other gamma a packet next to the end of a window falls on either side by rounding, once
    gamma^k has more than 53 digits (gamma = 1.5: from s = 1.3 million on). log_gamma(s + 1) is the same for gamma = 2
    only: for gamma = 3 it would give window 0 two packets, 0 and 1.

    Examples
    --------
    >>> packet_priority(range(8))
    array([0., 1., 1., 2., 2., 2., 2., 3.])
    >>> packet_priority([0, 1, 3, 4, 12, 13], 3)
    array([0., 1., 1., 2., 2., 3.])

    References
    ----------
    Kim and Farber, section 3.3.1, where gamma is 2.
    """
    if hasattr(xp, "sympy"):
        ratio = xp.log(1 + (growth - 1) * packet) / xp.log(growth)
        return xp.sympy.Piecewise((packet, xp.equal(growth, 1)), (xp.floor(ratio), True))
    growth = xp.minimum(growth, BEYOND + 0 * growth)
    excess = growth - 1
    flat = excess * packet == 0  # gamma = 1 or packet 0, where the quotient would be 0/0
    spread = xp.where(flat, 1 + 0 * excess * packet, excess * packet)
    ratio = xp.log1p(spread) / xp.log1p(xp.where(flat, 1 + 0 * excess, excess))
    estimate = xp.floor(xp.where(flat, packet + 0 * excess, ratio))
    found = whole_window(packet, estimate, lambda k: geometric_sum(k, growth, xp), xp)
    return xp.where(flat, packet + 0 * excess, found)


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="packets",
    derivation="blt.packets_encodable",
    bits=BITS,
    growth=GROWTH,
)
def packets_encodable(bits: Any, growth: Any = 2, *, xp: Any) -> Any:
    r"""Packets of a burst that priorities of a few bits tell apart by window.

    .. math:: F_{2^\pi} = \frac{\gamma^{2^\pi} - 1}{\gamma - 1}, \qquad 2^{2^\pi} - 1 \text{ for } \gamma = 2

    Parameters
    ----------
    bits : float or array
        pi [bits], whole, in [0, 30).
    growth : float or array
        gamma [1], in [1, inf).

    Returns
    -------
    float or array
        Packets [packets] in 2^pi windows; for gamma = 2 it is exact up to 5 bits (4 294 967 295 packets), rounded from
        6 on, and inf from 10 on, 2^1024 being more than the largest double; mpmath gives all digits.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact. A longer burst needs a rule for the packets beyond, such as the last priority for all of them.

    Examples
    --------
    >>> packets_encodable(4)
    65535.0

    References
    ----------
    Kim and Farber, section 3.3.1.
    """
    # Not xp.power: 2^pi has to be whole in float32, too.
    count = 2**bits if hasattr(xp, "sympy") or hasattr(xp, "mp") else xp.round(xp.power(2 + 0 * bits, bits))
    return geometric_sum(count, growth, xp)
