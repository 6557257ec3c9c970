"""What every proof rests on: residuals that vanish and truths that are known."""

import sympy as sp
from sympy import Expr


def require_zero(residual: Expr, claim: str) -> None:
    """Every residual passes here; a plain `assert` would vanish under `python -O`."""
    if sp.simplify(residual) != 0:
        raise AssertionError(f"{claim}: residual {residual}")


def require(truth: object, claim: str) -> None:
    """Only True will do: None is how sympy says that it does not know."""
    if truth is not True and truth is not sp.true:
        raise AssertionError(claim)
