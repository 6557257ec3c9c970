"""Laws and proofs in the same letters: their symbols differ in assumptions."""

import sympy as sp


def in_letters(expression):
    """Return an expression in positive symbols of the same names, without the backslashes of LaTeX."""
    plain = {one: sp.Symbol(one.name.lstrip("\\"), positive=True) for one in expression.free_symbols}
    return expression.subs(plain)


def same(shipped, proved):
    """Return whether two expressions are equal in these letters."""
    return sp.simplify(in_letters(shipped) - in_letters(proved)) == 0
