"""Checks that every proof uses: that a residual vanishes, and that a statement is true."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

import sympy as sp
from sympy import Expr

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
    expanded, a small part of what `simplify` does.
    """
    if sp.expand(residual) != 0 and sp.simplify(residual) != 0:
        raise AssertionError(f"{claim}: residual {residual}")


def require(truth: object, claim: str) -> None:
    """Raise an AssertionError that names the claim unless the statement is True.

    None counts as a failure, because sympy returns it for a statement that it cannot decide.
    """
    if truth is not True and truth is not sp.true:
        raise AssertionError(claim)
