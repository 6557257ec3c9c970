"""Root search for laws that are given by an equation, in floats, arrays, JAX and mpmath.

`newton` finds the root, safeguarded by a bracket; no derivative passes through the iteration. ``xp.implicit``
(array_namespaces.py) then adds the derivatives by the implicit function theorem.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

NEWTON_ONLY = 20  # number of steps, after which every second step halves the bracket, so that all brackets close


def newton(
    function: Callable[..., tuple[Any, Any]],
    low: Any,
    high: Any,
    start: Any,
    *parameters: Any,
    scale: float = 0.0,
    xp: Any,
) -> Any:
    """Return the zero of an increasing function, elementwise, by Newton's method inside a bracket.

    Parameters
    ----------
    function : callable
        Takes x and the parameters, returns the function's value and its derivative with respect to x.
    low, high, start : float or array
        The function is not positive at ``low`` and not negative at ``high``; the iteration begins at ``start``.
    *parameters : float or array
        Parameters of the function; all shapes broadcast to the shape of ``start``.
    scale : float
        Step sizes are compared relative to max(abs(x), scale): use 0 for unknowns of any size, 1 for logarithms.
    xp : namespace
        The arithmetic.

    Returns
    -------
    float or array
        The root, up to rounding errors of the function; NaN where a value is NaN or the bracket does not close.

    Notes
    -----
    A step that leaves the bracket is replaced by bisection. The iteration ends at a step of a few units in the last
    place, or when small steps no longer decrease, because of rounding in the function. No derivative passes through it.

    Examples
    --------
    >>> import numpy as np
    >>> from longfat.law.array_namespaces import NUMPY
    >>> root = newton(lambda x, y: (x * x - y, 2 * x), *np.float64([0, 2, 1, 2]), xp=NUMPY)
    >>> round(float(root), 15)
    1.414213562373095
    """
    bits = xp.bits(start)
    limit = 3 * NEWTON_ONLY + 2 * bits
    two = 2 + 0 * start
    tiny, small = two ** (2 - bits), two ** (-bits // 2)
    parameters = (tiny, small, *parameters)

    def more(count: Any, x: Any, low: Any, high: Any, step: Any, going: Any, *parameters: Any) -> Any:
        return going & (count < limit)

    def advance(count: Any, x: Any, low: Any, high: Any, step: Any, going: Any, *parameters: Any) -> tuple[Any, ...]:
        tiny, small, *others = parameters
        value, slope = function(x, *others)
        low, high = xp.where(value < 0, x, low), xp.where(value > 0, x, high)
        new = x - value / xp.where(slope > 0, slope, 1 + 0 * slope)
        halve = (slope <= 0) | (new < low) | (new > high) | ((count > NEWTON_ONLY) & (count % 2 > 0))
        new = xp.where(halve & (value != 0), low + (high - low) / 2, new)
        now, size = abs(new - x), xp.maximum(abs(new), scale + 0 * new)
        still = (now > tiny * size) & ((now > small * size) | (now < step))  # False for NaN
        return count + 1, xp.where(going, new, x), low, high, now, going & still, *parameters

    state = 0 * start, start, low, high, high - low, start == start, *parameters  # NaN is not equal to itself
    _, x, _, _, _, going, *_ = xp.iterate(more, advance, *state)
    return xp.where(going, xp.nan + 0 * x, x)
