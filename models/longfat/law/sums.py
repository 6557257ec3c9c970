"""Sums and functions of sympy with correct numerical values.

sympy evaluates a sum by the Euler-Maclaurin formula, and its estimate of the error can be wrong: the mean of a
truncated geometric distribution came out negative, and a sum whose terms cancel has no correct digit. The `Sum` here
prints, differentiates and substitutes like sympy's, but is evaluated by adding up its terms.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mpmath
import sympy
from sympy.printing.precedence import PRECEDENCE

GUARD = 30  # bits in addition to the requested precision
MOST_BITS = 2**16  # a sum that is still 0 at this precision counts as 0
MOST_TERMS = 20_000  # most terms of an infinite sum that are added; sympy evaluates sums that converge more slowly


class _Exact:
    """Base class of expressions in which substituted floats become exact fractions."""

    def _eval_subs(self, old: Any, new: Any) -> Any:
        """Substitute a float as an exact fraction, because rounded products would lose digits where terms cancel."""
        if new.is_Float and new.is_finite:
            return self._subs(old, sympy.Rational(new))  # type: ignore[attr-defined]
        return super()._eval_subs(old, new)  # type: ignore[misc]


class Computed(_Exact, sympy.Function):  # type: ignore[misc]  # sympy has no types
    """Real function of sympy that ``compute`` evaluates in mpmath.

    It is printed as its ``formula`` if it has one, else as its name with the first argument.
    """

    is_real = True
    compute: Callable[..., Any]
    formula: Callable[..., Any] | None = None

    def _eval_evalf(self, prec: int) -> Any:
        if self.free_symbols:
            return None
        with mpmath.workprec(prec + GUARD):
            numbers = [one._to_mpmath(prec + GUARD) for one in self.args]
            return sympy.Expr._from_mpmath(mpmath.mpf(self.compute(*numbers)), prec)

    def _eval_derivative(self, symbol: Any) -> Any:
        return super()._eval_derivative(symbol) if self.formula is None else self.formula(*self.args).diff(symbol)

    @property
    def precedence(self) -> Any:
        """Precedence for printing: that of a sum if a formula is printed, so that a product puts it in brackets."""
        return PRECEDENCE["Atom" if self.formula is None else "Add"]

    def _printed(self, printer: Any, **options: Any) -> Any:
        if self.formula is not None:
            shown = printer._print(self.formula(*self.args))
            return rf"\left({shown}\right)^{{{options['exp']}}}" if "exp" in options else shown
        return printer._print(sympy.Function(self.func.__name__)(self.args[0]), **options)

    _sympystr = _latex = _printed


def written(expression: Any) -> Any:
    """Replace each computed function that has a formula by this formula, so that terms of the expression may cancel."""
    return expression.replace(
        lambda part: isinstance(part, Computed) and part.formula is not None, lambda part: part.formula(*part.args)
    )


class Sum(_Exact, sympy.Sum):  # type: ignore[misc]
    """Sum that is evaluated by adding up its terms, at a precision that is raised until the value converges.

    Examples
    --------
    >>> j = sympy.Symbol("j", integer=True, nonnegative=True)
    >>> Sum((-1) ** j * 80**j / sympy.factorial(j), (j, 0, 400)).evalf(10)  # exp(-80), from terms of up to 1e33
    1.804851388e-35
    """

    def _eval_evalf(self, prec: int) -> Any:
        if self.free_symbols or any(len(one) != 3 for one in self.limits):
            return None
        if self.function.is_zero:
            return sympy.Integer(0)
        before = None
        bits = prec + GUARD
        while bits <= MOST_BITS:
            with mpmath.workprec(bits):
                total = _total(_compiled(self), ())
            if total is None:
                return sympy.Sum(*self.args)._evalf(prec)
            if total and before is not None and abs(total - before) <= mpmath.ldexp(abs(total), -prec):
                return sympy.Expr._from_mpmath(total, prec)
            before = total
            bits *= 2
        return sympy.Integer(0) if not before else None


Ranges = tuple[tuple[Callable[..., Any], Callable[..., Any]], ...]


@functools.lru_cache(maxsize=64)
def _compiled(total: Sum) -> tuple[Callable[..., Any], Ranges]:
    """Return functions for the terms and for the index ranges, outermost first, in mpmath at the working precision."""
    limits = total.limits[::-1]
    indices = [index for index, _, _ in limits]
    ranges = tuple((_number(indices, first), _number(indices, last)) for _, first, last in limits)
    return _number(indices, total.function), ranges


def _number(indices: list[Any], expression: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = sympy.lambdify(indices, expression, modules=[{"binomial": mpmath.binomial}, "mpmath"])
    return found


def _total(compiled: tuple[Callable[..., Any], Ranges], outer: tuple[Any, ...]) -> Any:
    """Return the sum over the inner indices at given outer ones; None for an infinite sum that converges too slowly."""
    # The indices are mpmath numbers, because Python gives 10**(-1) as a float.
    term, ranges = compiled
    if len(outer) == len(ranges):
        return mpmath.mpf(term(*outer))
    zeros = (0,) * (len(ranges) - len(outer))
    first, last = (bound(*outer, *zeros) for bound in ranges[len(outer)])
    if last != mpmath.inf:
        parts = [_total(compiled, (*outer, mpmath.mpf(i))) for i in range(int(first), int(last) + 1)]
        return None if None in parts else mpmath.fsum(parts)
    total = before = mpmath.mpf(0)
    for i in range(int(first), int(first) + MOST_TERMS):
        one = _total(compiled, (*outer, mpmath.mpf(i)))
        if one is None:
            return None
        total, size = total + one, abs(one)
        if size == before == 0:
            return total
        if size < before and size * size / before <= (1 - size / before) * mpmath.eps * abs(total):
            return total
        before = size
    return None
