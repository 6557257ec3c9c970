"""Checks that every proof uses: that a residual vanishes, and that a statement is true.

``python -m derivations.bbr`` runs the proofs of a module and prints each with its verdict.
"""

import importlib
import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

import sympy as sp
from sympy import Expr, Rational

Lemma = TypeVar("Lemma", bound=Callable[..., Any])
_PROVED: list[Any] = []


def once(lemma: Lemma) -> Lemma:
    """Decorate a lemma that several proofs use, so that it is proved only the first time that it is called."""
    kept = cache(lemma)
    _PROVED.append(kept)

    @wraps(lemma)
    def proved(*arguments: Any) -> Any:
        return kept(*arguments)

    return proved  # type: ignore[return-value]


def forget() -> None:
    """Discard all stored proofs, so that a test can change an assumption and see the proof fail."""
    for kept in _PROVED:
        kept.cache_clear()


def require_zero(residual: Expr, claim: str) -> None:
    """Raise an AssertionError that names the claim unless the residual simplifies to 0.

    A function is used because a plain `assert` would be removed by `python -O`. Most residuals vanish when they are
    expanded, or their numerator over a common denominator does, a small part of what `simplify` does. All three turn
    0/0 into 0 if they do not notice that the denominator is 0, so denominators are checked first.
    """
    for power in sp.sympify(residual).atoms(sp.Pow):
        base, exponent = power.args
        if exponent.could_extract_minus_sign() and not base.is_Symbol and not not_zero(base) and sp.simplify(base) == 0:
            raise AssertionError(f"{claim}: division by {base}, which is 0")
    if sp.expand(residual) == 0:
        return
    if sp.expand(sp.fraction(sp.together(residual))[0]) == 0:
        return
    if sp.simplify(residual) != 0:
        raise AssertionError(f"{claim}: residual {residual}")


@cache
def not_zero(expression: Expr) -> bool:
    """Return whether an expression differs from 0 at one point, where sympy evaluates it in up to 100 digits.

    Integer symbols are integers there, as an expression such as sin(pi n) may vanish at all integers and nowhere else.

    >>> not_zero(sp.Symbol("x") - 1), not_zero(sp.sin(sp.pi * sp.Symbol("n", integer=True)))
    (True, False)
    """
    letters = sorted(expression.free_symbols, key=str)
    point = {one: k + 2 if one.is_integer else Rational(3 * k + 4, 2 * k + 7) for k, one in enumerate(letters)}
    value = expression.evalf(15, subs=point)
    return bool(value.is_number and value.is_finite and abs(value) > Rational(1, 10**50))


def require(truth: object, claim: str) -> None:
    """Raise an AssertionError that names the claim unless the statement is True.

    None counts as a failure, because sympy returns it for a statement that it cannot decide.
    """
    if truth is not True and truth is not sp.true:
        raise AssertionError(claim)


def proofs(module: str) -> dict[str, Callable[[], Any]]:
    """Return the proofs of a module by their names: its public functions that take no argument.

    >>> list(proofs("derivations.fairness"))[0]
    'window'
    """
    functions = {
        name: one for name, one in vars(importlib.import_module(module)).items()
        if inspect.isfunction(one) and one.__module__ == module and not name.startswith("_")
    }  # fmt: skip
    return {name: one for name, one in functions.items() if not inspect.signature(one).parameters}


def run(module: str) -> int:
    """Run the proofs of a module, print each with its verdict, and return the exit status: 1 if one failed."""
    failed = 0
    for name, proof in proofs(module).items():
        try:
            proof()
        except Exception as error:
            failed += 1
            print(f"failed  {name}: {error or type(error).__name__}", flush=True)
        else:
            print(f"proved  {name}: {(inspect.getdoc(proof) or '').splitlines()[0]}", flush=True)
    return 1 if failed else 0
