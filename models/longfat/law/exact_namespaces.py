"""Exact arithmetics for laws: mpmath numbers and sympy expressions.

They implement the functions that `longfat.law.array_namespaces` lists, and some more for the laws of the package.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

Thunk = Callable[[], Any]
Branch = tuple[Any, Thunk]

#: Functions of one or two numbers: their name in the array API -> their name in mpmath (`MPMATH`) or in sympy
#: (`SYMPY`).
MPMATH = {
    "sqrt": "sqrt", "exp": "exp", "expm1": "expm1", "log": "log", "log1p": "log1p", "log10": "log10",
    "power": "power", "abs": "fabs", "sign": "sign", "floor": "floor", "ceil": "ceil",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh",
}  # fmt: skip
SYMPY = {
    "sqrt": "sqrt", "exp": "exp", "log": "log", "power": "Pow", "abs": "Abs", "sign": "sign", "floor": "floor",
    "ceil": "ceiling", "minimum": "Min", "maximum": "Max", "equal": "Eq", "not_equal": "Ne",
    "logical_and": "And", "logical_or": "Or", "logical_not": "Not",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh",
    "pi": "pi", "e": "E", "inf": "oo", "nan": "nan",
}  # fmt: skip


class Namespace:
    """Functions that all arithmetics have in common; the arithmetic of JAX overrides them."""

    def fixed(self, value: Any) -> Any:
        """Return the value unchanged: it carries no derivatives."""
        return value

    def implicit(self, residual: Callable[..., Any], solution: Any, *parameters: Any) -> Any:
        """Return ``solution``, a root of ``residual``, unchanged: it carries no derivatives."""
        return solution

    def repeat(self, times: int, step: Callable[..., tuple[Any, ...]], *state: Any) -> Any:
        """Apply ``state = step(i, *state)`` for i = 1 ... ``times``; return the state."""
        for i in range(1, times + 1):
            state = step(i, *state)
        return state


class ExactNamespace(Namespace):
    """Base class of `MpmathNamespace` and `SympyNamespace`, which compute with single numbers or expressions."""

    numbers = ""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"xp.{name} does not exist for {self.numbers}: "
            "help('longfat.law.array_namespaces') lists the functions of all arithmetics"
        )

    @staticmethod
    def sum(terms: Iterable[Any]) -> Any:
        """Return the sum of the terms."""
        return functools.reduce(operator.add, terms, 0)

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        """Return ``x`` limited to the bounds."""
        return self.minimum(self.maximum(x, low), high)

    @staticmethod
    def where_needed(condition: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(*arguments)``; the condition is ignored, because unused branches are not evaluated."""
        return function(*arguments)


class MpmathNamespace(ExactNamespace):
    """Arithmetic of mpmath numbers at the working precision."""

    numbers = "mpmath numbers"
    equal, not_equal = staticmethod(operator.eq), staticmethod(operator.ne)
    logical_not = staticmethod(operator.not_)  # ``~True`` is -2, which counts as true

    def __init__(self) -> None:
        import mpmath

        self.mp = mpmath.mp
        self.pi, self.e, self.inf, self.nan = mpmath.pi, mpmath.e, mpmath.inf, mpmath.nan
        self.minimum, self.maximum = min, max  # set here: Sphinx cannot read the docstrings of min and max

    def __getattr__(self, name: str) -> Any:
        if name not in MPMATH:
            return super().__getattr__(name)
        return functools.partial(self._real, getattr(self.mp, MPMATH[name]))

    def _real(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return the value of an mpmath function, or NaN if the value is complex, as NumPy does."""
        result = function(*arguments)
        return self.nan if hasattr(result, "_mpc_") else result

    @staticmethod
    def expm1(x: Any) -> Any:
        """Return exp(x) - 1."""
        return expm1(x)

    def log2(self, x: Any) -> Any:
        """Return the logarithm to base 2."""
        return self.log(x) / self.mp.log(2)

    @staticmethod
    def logical_and(left: Any, right: Any) -> bool:
        """Return whether both conditions hold; a number holds if it is not 0, as in NumPy."""
        return bool(left and right)

    @staticmethod
    def logical_or(left: Any, right: Any) -> bool:
        """Return whether at least one condition holds; a number holds if it is not 0, as in NumPy."""
        return bool(left or right)

    @staticmethod
    def where(condition: Any, yes: Any, no: Any) -> Any:
        """Return ``yes`` if the condition holds, else ``no``."""
        return yes if condition else no

    @staticmethod
    def logaddexp(left: Any, right: Any) -> Any:
        """Return log(exp(left) + exp(right))."""
        import mpmath

        return max(left, right) + mpmath.log1p(mpmath.exp(-abs(left - right)))

    def bits(self, like: Any) -> int:
        """Return the number of fraction bits at the working precision: the next number above 1 is 1 + 2^-bits."""
        return int(self.mp.prec) - 1

    @staticmethod
    def smallest(like: Any) -> int:
        """Return 0: mpmath numbers of any size have full precision."""
        return 0

    @staticmethod
    def iterate(more: Callable[..., Any], step: Callable[..., tuple[Any, ...]], *state: Any) -> Any:
        """Repeat ``state = step(*state)`` while ``more(*state)`` holds; return the state."""
        while more(*state):
            state = step(*state)
        return state

    @staticmethod
    def piecewise(default: Thunk, *branches: Branch) -> Any:
        """Return the value of the first branch whose condition holds, else the default."""
        return next((value for condition, value in branches if condition), default)()


def expm1(x: Any) -> Any:
    """Return exp(x) - 1 of an mpmath number; mpmath's own function takes five times as long.

    The subtraction cancels the leading binary digits of exp(x), so exp(x) is computed with that many more digits.

    >>> import mpmath
    >>> float(expm1(mpmath.mpf("1e-30"))), expm1(mpmath.ninf)
    (1e-30, mpf('-1.0'))
    """
    from mpmath import libmp, mp

    x = mp.convert(x)
    digits, rounding = mp._prec_rounding
    _, mantissa, exponent, bits = x._mpf_
    size = -(exponent + bits) if mantissa else 0  # 0, infinity and NaN have no mantissa
    if size > digits + 2:
        return x + x * x / 2
    power = libmp.mpf_exp(x._mpf_, digits + max(0, size) + 8, rounding)
    return mp.make_mpf(libmp.mpf_sub(power, libmp.fone, digits, rounding))


class SympyNamespace(ExactNamespace):
    """Functions for sympy expressions, which are written in the usual form, such as b^s for exp(s log(b))."""

    numbers = "symbols"

    def __init__(self) -> None:
        import sympy

        self.sympy = sympy

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sympy, SYMPY[name]) if name in SYMPY else super().__getattr__(name)

    def expm1(self, x: Any) -> Any:
        """Return exp(x) - 1, with exp(s log(b)) written as b^s."""
        factor, logarithm = self.sympy.sympify(x).as_independent(self.sympy.log)
        if isinstance(logarithm, self.sympy.log):
            return logarithm.args[0] ** factor - 1
        return self.sympy.exp(x) - 1

    def log1p(self, x: Any) -> Any:
        """Return log(1 + x)."""
        return self.sympy.log(1 + x)

    def log2(self, x: Any) -> Any:
        """Return the logarithm to base 2."""
        return self.sympy.log(x, 2)

    def log10(self, x: Any) -> Any:
        """Return the logarithm to base 10."""
        return self.sympy.log(x, 10)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """Return sympy's Piecewise of two cases."""
        return self.sympy.Piecewise((yes, condition), (no, True))

    def piecewise(self, default: Thunk, *branches: Branch) -> Any:
        """Return sympy's Piecewise of all branches."""
        return self.sympy.Piecewise(*((value(), condition) for condition, value in branches), (default(), True))

    @staticmethod
    def computed(name: str, function: Callable[..., Any], *arguments: Any, formula: Any = None) -> Any:
        """Return a sympy function, printed by name or formula; ``function(*arguments, xp)`` evaluates it in mpmath."""
        return _computed(name, function, formula)(*arguments)


@functools.cache
def _computed(name: str, function: Callable[..., Any], formula: Any) -> Any:
    """Return the sympy function of a name; the cache makes equal expressions compare equal."""
    from longfat.law.sums import Computed

    compute = staticmethod(lambda *numbers: function(*numbers, MpmathNamespace()))
    return type(name, (Computed,), {"compute": compute, "formula": formula and staticmethod(formula)})
