"""The symbolic face of a law: its expression, evaluated at numbers, against the law in many digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from longfat.law import Law
from longfat.roots import Root
from longfat.verify import exact, faces
from longfat.verify.faces import Outcome
from longfat.verify.points import Point

DIGITS = 30  # of an evaluation
MOST_DIGITS = 6400  # that sympy may use for them where terms cancel
CLOSE = 40  # digits of a root within which the two sides of its equation change places


def symbolic(law: Law, points: Sequence[Point]) -> Outcome:
    """Compare the law's expression, with numbers for its letters, with the law in mpmath; of a root, its equation."""
    from sympy.core.function import AppliedUndef

    worst, where = faces._Worst(exact.TOLERANCE), None
    try:
        if isinstance(law, Root):
            return _equation(law, points)
        names = sorted(map(str, law.expr.atoms(AppliedUndef)))
        if names:
            return Outcome("not checked", note=f"{', '.join(names)} is a name for the limit of a recurrence")
        for where in points:
            worst.see(_error(law, where), where)
    except Exception as failure:
        return faces.failed(failure, where, worst.checks)
    return worst.outcome()


def _error(law: Law, point: Point) -> float:
    """Relative error of the expression; sympy computes with the digits that numbers have, so more of them may help."""
    digits = exact.enough_digits(point)
    for more in (1, 4, 16):
        off = exact.value_error(law, point, evaluated(law, point, more * digits))
        if off <= exact.TOLERANCE:
            break
    return off


def evaluated(law: Law, point: Mapping[str, float], digits: int = 60) -> float:
    """Return the law's expression at a point, whose numbers have so many digits, as sympy evaluates it.

    Raises
    ------
    ArithmeticError
        If no real number comes out.

    Examples
    --------
    >>> from longfat.laws.queues import mm1k_mean_number
    >>> round(evaluated(mm1k_mean_number, {"load": 2.0, "capacity": 10.0}), 12)  # 2/(1 - 2) - 11 * 2^11/(1 - 2^11)
    9.005373717636
    """
    import sympy
    from sympy.core.evalf import PrecisionExhausted

    values = {
        symbol.sympy: sympy.Integer(int(x)) if x == int(x) else sympy.Float(x, digits)
        for symbol, x in ((symbol, point[name]) for name, symbol in law.symbols.items())
    }
    expression = sympy.sympify(law.expr).subs(values)
    while digits < MOST_DIGITS:
        try:
            return _real(law, expression.evalf(DIGITS, maxn=digits, strict=True))
        except PrecisionExhausted:
            digits *= 4
    rest = _real(law, expression.evalf(DIGITS, maxn=digits))
    return 0.0 if abs(rest) < 1e-300 else rest  # what shrinks with the precision is 0


def _real(law: Law, value: Any) -> float:
    """A number of sympy as a float; infinities and NaN included."""
    import sympy

    if value is sympy.nan:
        return float("nan")
    if value.is_extended_real and value.is_number and not value.atoms(sympy.Function):
        return float(value)
    raise ArithmeticError(f"the expression of {law.name} evaluates to {str(value)[:80]}, which is no real number")


def _equation(law: Root, points: Sequence[Point]) -> Outcome:
    """Whether the sides of a root's equation change places at the root; where another case applies they need not."""
    import mpmath
    import sympy

    worst = faces._Worst(exact.TOLERANCE)
    left, right = (side.doit() for side in law.equation.args)
    assert law.unknown is not None
    letters = [law.unknown.sympy, *(symbol.sympy for symbol in law.symbols.values())]
    difference = sympy.lambdify(letters, left - right, modules="mpmath", cse=True)
    for point in points:
        if law.solve(**point).status != "converged":
            continue
        with mpmath.workdps(CLOSE + 20):
            values = {name: mpmath.mpf(point[name]) for name in law.symbols}  # in the order of the letters
            found = law(**values)
            beside = (found * (1 + side * mpmath.mpf(10) ** -CLOSE) for side in (-1, 1))
            below, above = (difference(x, *values.values()) for x in beside)
        worst.see(0.0 if below * above < 0 else float("inf"), point, "sides of the equation")
    return worst.outcome()
