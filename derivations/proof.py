"""What every proof rests on: residuals that vanish and truths that are known."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

import sympy as sp
from sympy import Expr

Lemma = TypeVar("Lemma", bound=Callable[..., Any])
_PROVED: list[Any] = []


def once(lemma: Lemma) -> Lemma:
    """A lemma that others rest on, proved the first time that it is needed."""
    kept = cache(lemma)
    _PROVED.append(kept)

    @wraps(lemma)
    def proved(*arguments: Any) -> Any:
        return kept(*arguments)

    return proved  # type: ignore[return-value]


def forget() -> None:
    """Prove everything anew from now on: for who changes an assumption to see the proof fail."""
    for kept in _PROVED:
        kept.cache_clear()


def require_zero(residual: Expr, claim: str) -> None:
    """Every residual passes here; a plain `assert` would vanish under `python -O`."""
    if sp.simplify(residual) != 0:
        raise AssertionError(f"{claim}: residual {residual}")


def require(truth: object, claim: str) -> None:
    """Only True will do: None is how sympy says that it does not know."""
    if truth is not True and truth is not sp.true:
        raise AssertionError(claim)
