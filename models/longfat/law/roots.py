"""Laws given by an equation, whose root is computed in floats, arrays, JAX and mpmath.

`newton` finds the root, safeguarded by a bracket; no derivative passes through the iteration. ``xp.implicit``
(array_namespaces.py) then adds the derivatives by the implicit function theorem. `root` declares the law, which has an
equation instead of an expression.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.law import Law, Symbol, array_namespaces, law, register

if TYPE_CHECKING:
    import sympy

BLOCK = 2**15  # elements that NumPy solves together
NEWTON_ONLY = 20  # steps; after them, every second step halves the bracket, so that all brackets close


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
    >>> root = newton(lambda x, y: (x * x - y, 2 * x), *np.float64([0, 2, 1, 2]), xp=array_namespaces.NUMPY)
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


@dataclass(frozen=True, eq=False, repr=False)
class Root(Law):
    """Law given by an equation: a `Law` with ``equation`` instead of ``expr``.

    ``unknown`` is the variable that the equation is solved for. ``sides`` takes the unknown and the parameters and
    returns the two sides of the equation. ``other_case`` is a condition on the value and the parameters: where it holds
    the value is not a root of the equation, but a limit or the like.
    """

    unknown: Symbol | None = None
    sides: Callable[..., tuple[Any, Any]] | None = None
    other_case: Callable[..., Any] = lambda *_: False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the root in the arithmetic that the types of the arguments select; symbols raise a TypeError."""
        if any(array_namespaces._is(value, "sympy", "Basic") for value in (*args, *kwargs.values())):
            raise TypeError(f"{self.name} is a root without a formula: its equation is in {self.name}.equation")
        return super().__call__(*args, **kwargs)

    def _arrays(self, values: list[Any], xp: array_namespaces.ArrayNamespace) -> Any:
        """Return the law's values, computed in blocks that fit into the cache if the NumPy arrays are large."""
        shape = np.broadcast_shapes(*(np.shape(value) for value in values)) if xp is array_namespaces.NUMPY else ()
        if math.prod(shape) <= BLOCK:
            return super()._arrays(values, xp)
        self._check(values)
        flat = [np.broadcast_to(array, shape).ravel() for array in array_namespaces.as_arrays(values, xp)]
        result = np.empty_like(flat[0])
        for begin in range(0, result.size, BLOCK):
            part = slice(begin, begin + BLOCK)
            result[part] = super()._arrays([array[part] for array in flat], xp)
        return result.reshape(shape)

    @property
    def equation(self) -> sympy.Eq:
        """Equation that the root solves, in the paper's symbols."""
        import sympy

        assert self.sides is not None
        assert self.unknown is not None
        letters = (symbol.sympy for symbol in self.symbols.values())
        return sympy.Eq(*self.sides(self.unknown.sympy, *letters))

    @property
    def expr(self) -> sympy.Expr:  # type: ignore[override]
        """Raise an AttributeError: the law has an equation instead of an expression."""
        raise AttributeError(f"{self.name} is a root without a formula: its equation is in {self.name}.equation")

    def _repr_latex_(self) -> str:
        from sympy import latex

        return f"$\\displaystyle {latex(self.equation)}$"


def root(
    *,
    unknown: Symbol,
    equation: Callable[..., tuple[Any, Any]],
    other_case: Callable[..., Any],
    **declaration: Any,
) -> Callable[[Callable[..., Any]], Root]:
    """Return a decorator that declares a law given by an equation, and registers it among the laws.

    Parameters
    ----------
    unknown : Symbol
        The variable that the equation is solved for.
    equation : callable
        Takes the unknown and the parameters, returns the left and the right side.
    other_case : callable
        Condition on the value and the parameters under which the value is not a root of the equation.
    **declaration
        As for `longfat.law.law`.

    Examples
    --------
    >>> square = Symbol("y", "1", "[0, inf)", typical=(0, 9))
    >>> side = Symbol("x", "1", "[0, inf)", typical=(0, 3))
    >>> law = Root(
    ...     lambda y, *, xp: y**0.5, {"y": square}, "1", "an example", unknown=side, sides=lambda x, y: (x**2, y)
    ... )
    >>> law.equation, law(4.0)
    (Eq(x**2, y), 2.0)
    """

    def declare(function: Callable[..., Any]) -> Root:
        plain = law(**declaration)(function)
        record = {one.name: getattr(plain, one.name) for one in fields(plain)}
        return register(Root(**record, unknown=unknown, sides=equation, other_case=other_case))

    return declare
