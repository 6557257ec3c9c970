"""Symbolic check of a law: its sympy expression, evaluated at numbers, against the law in high precision."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from longfat.law import Law
from longfat.verify import faces, high_precision
from longfat.verify.faces import Outcome
from longfat.verify.points import Point

DIGITS = 30  # precision of an evaluation
MOST_DIGITS = 6400  # most digits that sympy may use where terms cancel
CLOSE = 40  # the difference of an equation's sides must change its sign within 10^-CLOSE times the root


def symbolic(law: Law, points: Sequence[Point], *, quick: bool = False) -> Outcome:
    """Compare the law's sympy expression with the law in mpmath at points; if the law is a root, check its equation.

    A full run lets sympy substitute and evaluate. A quick run compiles expressions without sums to functions of mpmath,
    which takes a tenth of the time.
    """
    import sympy
    from sympy.core.function import AppliedUndef

    try:
        if law.solves is not None:
            return _equation(law, points)
        names = sorted(map(str, law.expr.atoms(AppliedUndef)))
        quick = quick and not names and not law.expr.has(sympy.Sum)
        value = compiled(law) if quick else functools.partial(evaluated, law)
    except Exception as failure:
        return faces.failed(failure)
    if names:
        return Outcome("not checked", remark=f"sympy has no value for {', '.join(names)}")
    return faces.worst(points, lambda point: [(_error(law, point, value), point, "")], high_precision.TOLERANCE)


def _error(law: Law, point: Point, value: Callable[[Point, int], float]) -> float:
    """Return the relative error of the sympy expression; if the error is too large, try again with more digits.

    ``value`` evaluates the expression at a point with a number of digits.
    """
    digits = high_precision.enough_digits(point)
    for more in (1, 4, 16):
        off = high_precision.value_error(law, point, value(point, more * digits))
        if off <= high_precision.TOLERANCE:
            break
    return off


def compiled(law: Law) -> Callable[[Mapping[str, float], int], float]:
    """Compile the law's sympy expression to a function of a point and a number of digits, which mpmath evaluates.

    Sympy evaluates functions that mpmath lacks.

    >>> from longfat.laws.queues import mm1_wait
    >>> compiled(mm1_wait)({"load": 0.5}, 60)
    1.0
    """
    import mpmath
    import sympy

    from longfat.law.sums import Computed, written

    expression = written(sympy.sympify(law.expr))
    own = {one.func.__name__: one.compute for one in expression.atoms(Computed)}
    letters = [symbol.sympy for symbol in law.symbols.values()]
    function = sympy.lambdify(letters, expression, modules=[own, "mpmath"], cse=True)

    def value(point: Mapping[str, float], digits: int) -> float:
        try:
            with mpmath.workdps(digits):
                return float(function(*(mpmath.mpf(point[name]) for name in law.symbols)))
        except (NameError, TypeError):  # mpmath's function is absent or has fewer arguments, as for harmonic numbers
            return evaluated(law, point, digits)

    return value


def evaluated(law: Law, point: Mapping[str, float], digits: int = 60) -> float:
    """Return the law's expression at a point, evaluated by sympy with numbers of ``digits`` digits.

    >>> from longfat.laws.queues import mm1k_mean_number
    >>> round(evaluated(mm1k_mean_number, {"load": 2.0, "capacity": 10.0}), 12)  # 2/(1 - 2) - 11 * 2^11/(1 - 2^11)
    9.005373717636
    """
    import sympy
    from sympy.core.evalf import PrecisionExhausted

    from longfat.law.sums import written

    values = {
        symbol.sympy: sympy.Integer(int(x)) if x == int(x) else sympy.Float(x, digits)
        for symbol, x in ((symbol, point[name]) for name, symbol in law.symbols.items())
    }
    expression = written(sympy.sympify(law.expr)).subs(values)
    while digits < MOST_DIGITS:
        try:
            return _real(law, expression.evalf(DIGITS, maxn=digits, strict=True))
        except PrecisionExhausted:
            digits *= 4
    rest = _real(law, expression.evalf(DIGITS, maxn=digits))
    return 0.0 if abs(rest) < 1e-300 else rest  # rounding errors alone: the value is 0


def _real(law: Law, value: Any) -> float:
    """Convert a sympy number, which may be infinite or NaN, to a float."""
    import sympy

    if value is sympy.nan:
        return float("nan")
    if value.is_extended_real and value.is_number and not value.atoms(sympy.Function):
        return float(value)
    raise ArithmeticError(f"the expression of {law.name} evaluates to {str(value)[:80]}, which is no real number")


def _equation(law: Law, points: Sequence[Point]) -> Outcome:
    """Check that the left side of a root's equation minus its right side changes its sign at the root.

    Points at which another case of the law applies are skipped.
    """
    import mpmath
    import sympy

    equation = law.solves
    assert equation is not None
    left, right = (side.doit() for side in law.equation.args)
    letters = [equation.unknown.sympy, *(symbol.sympy for symbol in law.symbols.values())]
    difference = sympy.lambdify(letters, left - right, modules="mpmath", cse=True)

    def errors(point: Point) -> Iterator[faces.Found]:
        if equation.other_case(law(**point), *(point[name] for name in law.symbols)):
            return
        with mpmath.workdps(CLOSE + 20):
            values = {name: mpmath.mpf(point[name]) for name in law.symbols}  # these are in the order of `letters`
            found = law(**values)
            beside = (found * (1 + side * mpmath.mpf(10) ** -CLOSE) for side in (-1, 1))
            below, above = (difference(x, *values.values()) for x in beside)
        yield 0.0 if below * above < 0 else float("inf"), point, "sides of the equation"

    return faces.worst(points, errors, high_precision.TOLERANCE)
