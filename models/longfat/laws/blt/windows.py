"""Windows of BLT: a source sends windows W_0, W_1, ... in one burst; packets of W_k have priority k.

Windows grow by a factor or by a constant. Packets of a burst are counted from 0. Proofs: derivations/blt.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.references import KIM_FARBER

WINDOW = Symbol("k", "1", "[0, inf)", (0, 15), "Number of the window, from 0", integer=True)
WINDOWS = Symbol("m", "1", "[0, 1e9)", (0, 16), "Number of windows, from the first on", integer=True)
GROWTH = Symbol(r"\gamma", "1", "[1, inf)", (1.1, 4.0), "Size of a window over the size of the previous window")
STEP = Symbol(r"\alpha", "packets", "[0, inf)", (0.1, 10.0), "Packets by which a window exceeds the previous window")
PACKET = Symbol(
    "s", "packets", "[0, 9007199254740992)", (0, 65535), "Number of the packet in its burst, from 0", integer=True
)
BITS = Symbol(r"\pi", "bits", "[0, 30)", (0, 5), "Bits that encode the priority", integer=True)

DOUBLINGS = 53  # largest number of bits of an integer in a float
BEYOND = 2.0**60  # with this growth every packet but the first is in window 1; the square of 2^60 fits a float32
COUNTED = "counts the windows of a burst; unloaded_transfer_time, which is simulated, checks packets that follow them"


def geometric_sum(terms: Any, ratio: Any, xp: Any) -> Any:
    """Return 1 + g + ... + g^(m-1) by doubling: F_2e = F_e + g^e F_e, and F_(a+b) = F_a + g^a F_b for the bits of m.

    m is ``terms``, g is ``ratio``. All terms are positive, so nothing cancels. The sum is an integer if g is an
    integer, and as a polynomial in g it has a derivative at g = 1.
    """
    if hasattr(xp, "sympy"):
        one = xp.equal(ratio, 1)
        return xp.sympy.Piecewise((terms, one), ((ratio**terms - 1) / (ratio - 1), True))
    if hasattr(xp, "mp"):
        return terms if ratio == 1 else (ratio**terms - 1) / (ratio - 1)

    def double(_: Any, rest: Any, total: Any, power: Any, part: Any, base: Any) -> tuple[Any, ...]:
        half = xp.floor(rest / 2)
        odd = rest > 2 * half
        total = xp.where(odd, total + power * part, total)
        power = xp.where(odd, power * base, power)
        # The last bit needs no further powers, and they might overflow and make derivatives NaN: keep the present
        # values.
        more = half >= 1
        return half, total, power, xp.where(more, part + base * part, part), xp.where(more, base * base, base)

    zero = 0 * (terms + ratio)
    one = 1 + zero
    return xp.repeat(DOUBLINGS, double, terms + zero, zero, one, one, ratio + zero)[1]


def window_number(packet: Any, estimate: Any, before: Any, xp: Any) -> Any:
    """Return the largest integer k with ``before(k) <= packet``, from an estimate that is off by one at most."""
    low = xp.maximum(estimate, 1 + 0 * estimate)
    there = xp.where(before(low) <= packet, low, low - 1)
    return xp.where(before(low + 1) <= packet, low + 1, there)


@law(
    source=f"{KIM_FARBER}, section 3.3.1 and figure 2",
    result=r"\|W_k\| [packets], an integer if gamma is one",
    not_simulated=COUNTED,
    window=WINDOW.described(remark="Window 0 is a single packet"),
)
def window_size(window, growth: GROWTH = 2, *, xp):
    r"""Return the size of one window [packets] of a BLT burst whose windows grow by a factor.

    .. math:: |W_k| = \gamma^k

    A definition. The paper takes gamma = 2.

    >>> window_size([0, 1, 2, 3])
    array([1., 2., 4., 8.])
    """
    return xp.power(growth, window)


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    result="F_m [packets]; the first packet of window m is number F_m, rounded up",
    not_simulated=COUNTED,
    windows=WINDOWS.described(remark="These are windows 0 ... m - 1"),
    growth=GROWTH.described(remark="F_m is m for gamma = 1"),
)
def packets_in_windows(windows, growth=2, *, xp):
    r"""Return the number of packets in the first m windows of a BLT burst whose windows grow by a factor.

    .. math:: F_m = \sum_{k=0}^{m-1} |W_k| = \frac{\gamma^m - 1}{\gamma - 1} = \frac{|W_m| - 1}{\gamma - 1}

    Exact, also in floats for integer gamma and sums below 2^53. For gamma = 2 the windows before W_m together have one
    packet less than W_m, as the paper says: a switch that keeps all of them could keep W_m without its last packet. For
    other gamma these windows have about 1/(gamma - 1) of the packets of W_m: half for gamma = 3, and more than W_m for
    gamma < 2. (If W_(k+1) begins at packet p, its last packet is p + 2^(k+1) - 1, not p + 2^(k+2) - 2 as in the paper.)

    >>> packets_in_windows([0, 1, 2, 3, 4])
    array([ 0.,  1.,  3.,  7., 15.])
    """
    return geometric_sum(windows, growth, xp)


@law(
    source=f"{KIM_FARBER}, section 3.3.1, where gamma is 2",
    result="P(s) [1], an integer: the number of the packet's window; floor(log2(s + 1)) for gamma = 2",
    not_simulated=COUNTED,
    growth=GROWTH.described(remark="The priority is s itself for gamma = 1"),
)
def packet_priority(packet: PACKET, growth=2, *, xp):
    r"""Return the priority of a packet of a BLT burst whose windows grow by a factor; 0 is the highest.

    .. math:: P(s) = \left\lfloor \log_\gamma\left(1 + (\gamma - 1) s\right) \right\rfloor

    Exact, also in floats for integer gamma and s < 2^53, because a comparison with the first packets of windows
    decides, not a logarithm. For other gamma, rounding decides to which of two windows a packet next to their border
    belongs once gamma^k has more than 53 binary digits (gamma = 1.5: from s = 1.3 million on). log_gamma(s + 1) is the
    same for gamma = 2 only: for gamma = 3 it would put two packets, 0 and 1, into window 0.

    >>> packet_priority(range(8))
    array([0., 1., 1., 2., 2., 2., 2., 3.])
    >>> packet_priority([0, 1, 3, 4, 12, 13], 3)
    array([0., 1., 1., 2., 2., 3.])
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
    found = window_number(packet, estimate, lambda k: geometric_sum(k, growth, xp), xp)
    # For gamma > 1 and k >= 2, windows 0 to k - 1 have more than k packets in total, so packet k is not in window k,
    # even if the computed sum is rounded to k.
    found = xp.minimum(found, xp.maximum(packet - 1, 1 + 0 * found))
    return xp.where(flat, packet + 0 * excess, found)


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    result=(
        "Packets in 2^pi windows [packets]; for gamma = 2 exact up to 5 bits (4 294 967 295 packets), rounded from 6 "
        "on, and inf from 10 on, where 2^1024 exceeds the largest double; mpmath gives all digits"
    ),
    not_simulated=COUNTED,
)
def packets_encodable(bits: BITS, growth: GROWTH = 2, *, xp):
    r"""Return the largest number of packets of a BLT burst whose windows can be numbered in a given number of bits.

    .. math:: F_{2^\pi} = \frac{\gamma^{2^\pi} - 1}{\gamma - 1}, \qquad 2^{2^\pi} - 1 \text{ for } \gamma = 2

    Exact. A longer burst needs a rule for its further packets, such as the lowest priority for all of them.

    >>> packets_encodable(4)
    65535.0
    """
    # xp.power is rounded, because 2^pi must be an integer in float32, too.
    count = 2**bits if hasattr(xp, "sympy") or hasattr(xp, "mp") else xp.round(xp.power(2 + 0 * bits, bits))
    return geometric_sum(count, growth, xp)


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    result=r"\|W_k\| [packets]",
    not_simulated=COUNTED,
    window=WINDOW.described(remark="Window 0 is a single packet"),
)
def additive_window_size(window, step: STEP = 1, *, xp):
    r"""Return the size of one window [packets] of a BLT burst whose windows grow by a constant.

    .. math:: |W_k| = |W_{k-1}| + \alpha = 1 + \alpha k

    A definition. The paper gives the rule, but no value of alpha.

    >>> additive_window_size([0, 1, 2], step=3)
    array([1., 4., 7.])
    """
    return 1 + step * window


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    result="F_m [packets]; the first packet of window m is number F_m, rounded up",
    not_simulated=COUNTED,
    windows=WINDOWS.described(remark="These are windows 0 ... m - 1"),
)
def packets_in_additive_windows(windows, step: STEP = 1, *, xp):
    r"""Return the number of packets in the first m windows of a BLT burst whose windows grow by a constant.

    .. math:: F_m = m + \alpha \frac{m (m - 1)}{2}

    Exact, also in floats for integer alpha and sums below 2^53. Priorities of pi bits distinguish the packets of 2^pi
    windows: 136 packets for 4 bits and alpha = 1, compared with 65535 for windows that double.

    >>> packets_in_additive_windows([1, 2, 3, 16])
    array([  1.,   3.,   6., 136.])
    """
    return windows + step * (windows * (windows - 1) / 2)


@law(
    source=f"{KIM_FARBER}, section 3.3.1 (windows that grow by a constant); the closed form is ours",
    result="P(s) [1], an integer: the number of the packet's window",
    not_simulated=COUNTED,
    step=STEP.described(remark="The priority is s itself for alpha = 0"),
)
def additive_priority(packet: PACKET, step=1, *, xp):
    r"""Return the priority of a packet of a BLT burst whose windows grow by a constant; 0 is the highest.

    .. math:: P(s) = \left\lfloor \frac{2 s}{h + \sqrt{h^2 + 2 \alpha s}} \right\rfloor, \qquad
        h = 1 - \frac{\alpha}{2}

    Exact, also in floats for integer alpha and s < 2^53, because a comparison with the first packets of windows
    decides. For other alpha, rounding decides to which of two windows a packet next to their border belongs.

    >>> additive_priority(range(7))
    array([0., 1., 1., 2., 2., 2., 3.])
    """
    if not hasattr(xp, "sympy"):
        step = xp.minimum(step, BEYOND + 0 * step)
    half = 1 - step / 2
    root = xp.sqrt(half * half + 2 * step * packet)
    if hasattr(xp, "sympy"):
        return xp.sympy.Piecewise((packet * 0, xp.equal(packet, 0)), (xp.floor(2 * packet / (half + root)), True))
    # There are two forms of the root. Where a form is used, it neither subtracts nearly equal numbers nor divides by 0.
    wide = half < 0
    ratio = xp.where(
        wide,
        (root - half) / xp.where(wide, step, 1 + 0 * step),
        2 * packet / xp.where(wide | (packet == 0), 1 + 0 * root, half + root),
    )
    return window_number(packet, xp.floor(ratio), lambda k: packets_in_additive_windows.function(k, step, xp=xp), xp)
