"""BLT windows that grow by a constant instead of a factor. Proofs: derivations/blt.py."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.blt.parameters import PACKET, STEP, WINDOW, WINDOWS
from longfat.laws.blt.sums import BEYOND, window_number
from longfat.laws.references import KIM_FARBER


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="packets",
    result=r"\|W_k\|",
    derivation="blt.additive_window_size",
    not_simulated=(
        "counts the windows of a burst; unloaded_transfer_time, which is simulated, checks packets that follow them"
    ),
    window=WINDOW.described(remark="Window 0 is a single packet"),
    step=STEP,
)
def additive_window_size(window: Any, step: Any = 1, *, xp: Any) -> Any:
    r"""Return the size of one window of a BLT burst whose windows grow by a constant.

    .. math:: |W_k| = |W_{k-1}| + \alpha = 1 + \alpha k

    Notes
    -----
    A definition. The paper gives the rule, but no value of alpha.

    Examples
    --------
    >>> additive_window_size([0, 1, 2], step=3)
    array([1., 4., 7.])
    """
    return 1 + step * window


@law(
    source=f"{KIM_FARBER}, section 3.3.1",
    unit="packets",
    result="F_m; the first packet of window m is number F_m, rounded up",
    derivation="blt.packets_in_additive_windows",
    not_simulated=(
        "counts the windows of a burst; unloaded_transfer_time, which is simulated, checks packets that follow them"
    ),
    windows=WINDOWS.described(remark="These are windows 0 ... m - 1"),
    step=STEP,
)
def packets_in_additive_windows(windows: Any, step: Any = 1, *, xp: Any) -> Any:
    r"""Return the packets in the first m windows of a BLT burst whose windows grow by a constant.

    .. math:: F_m = m + \alpha \frac{m (m - 1)}{2}

    Notes
    -----
    Exact, also in floats for integer alpha and sums below 2^53. Priorities of pi bits distinguish the packets of 2^pi
    windows: 136 packets for 4 bits and alpha = 1, against 65535 with windows that double.

    Examples
    --------
    >>> packets_in_additive_windows([1, 2, 3, 16])
    array([  1.,   3.,   6., 136.])
    """
    return windows + step * (windows * (windows - 1) / 2)


@law(
    source=f"{KIM_FARBER}, section 3.3.1 (windows that grow by a constant); the closed form is ours",
    unit="1",
    result="P(s), an integer: the number of the packet's window",
    derivation="blt.additive_priority",
    not_simulated=(
        "counts the windows of a burst; unloaded_transfer_time, which is simulated, checks packets that follow them"
    ),
    packet=PACKET,
    step=STEP.described(remark="The priority is s itself for alpha = 0"),
)
def additive_priority(packet: Any, step: Any = 1, *, xp: Any) -> Any:
    r"""Return the priority of a packet of a BLT burst whose windows grow by a constant; 0 is the highest.

    .. math:: P(s) = \left\lfloor \frac{2 s}{h + \sqrt{h^2 + 2 \alpha s}} \right\rfloor, \qquad
        h = 1 - \frac{\alpha}{2}

    Notes
    -----
    Exact, also in floats for integer alpha and s < 2^53, because a comparison with the first packets of windows
    decides. For other alpha, rounding decides to which of two windows a packet next to their border belongs.

    Examples
    --------
    >>> additive_priority(range(7))
    array([0., 1., 1., 2., 2., 2., 3.])
    """
    if not hasattr(xp, "sympy"):
        step = xp.minimum(step, BEYOND + 0 * step)
    half = 1 - step / 2
    root = xp.sqrt(half * half + 2 * step * packet)
    if hasattr(xp, "sympy"):
        return xp.sympy.Piecewise((packet * 0, xp.equal(packet, 0)), (xp.floor(2 * packet / (half + root)), True))
    # Where each form is used, it neither subtracts nearly equal numbers nor divides by 0.
    wide = half < 0
    ratio = xp.where(
        wide,
        (root - half) / xp.where(wide, step, 1 + 0 * step),
        2 * packet / xp.where(wide | (packet == 0), 1 + 0 * root, half + root),
    )
    return window_number(packet, xp.floor(ratio), lambda k: packets_in_additive_windows.function(k, step, xp=xp), xp)
