"""The proofs about power give results known by hand, and can fail."""

import pytest
import sympy as sp

from derivations import power as proofs
from longfat.laws import power as laws


def test_by_hand():
    at = {proofs.C: 10, proofs.F: 1}
    assert proofs.greatest().subs(at | {proofs.h: 1, proofs.D: sp.Rational(3, 10)}) == sp.Rational(100, 9)
    assert proofs.refusing().subs(at | {proofs.rho: 1, proofs.D: 0}) == 50  # half the time busy, S = 1/10
    half = sp.Rational(1, 2)
    assert sp.simplify(proofs.unequal_sharing().subs(proofs.rho, half) - (1 + sp.log(2))) == 0


def test_fairness():
    """f = 1/(1 + c^2); 1 - f is a sum of squares (Lagrange's identity), and f n - 1 of products: 1/n <= f <= 1."""
    x = sp.symbols("x:4", positive=True)
    index = laws.jain_index(x)
    squares = sum(v**2 for v in x)
    apart = sum((a - b) ** 2 for i, a in enumerate(x) for b in x[:i])
    assert sp.simplify(1 - index - apart / (4 * squares)) == 0
    products = sum(2 * a * b for i, a in enumerate(x) for b in x[:i])
    assert sp.simplify(4 * index - 1 - products / squares) == 0
    mean = sum(x) / 4
    assert sp.simplify(index - 1 / (1 + (squares / 4 - mean**2) / mean**2)) == 0


def test_the_proofs_can_fail(monkeypatch):
    # Both as proved, which takes seconds.
    monkeypatch.setattr(proofs, "fair_stretch", lambda: 1 / (1 - proofs.rho))
    monkeypatch.setattr(proofs, "waiting", lambda: (1 + proofs.V) / 2 * proofs.rho / (1 - proofs.rho))
    monkeypatch.setattr(proofs, "odds", lambda: proofs.alpha * (1 + proofs.delta) / proofs.h)
    with pytest.raises(AssertionError, match="M/D/1"):
        proofs.knee()
    monkeypatch.setattr(proofs, "schedules", lambda arrived, sizes, slots: iter([[1, 2, 3]] * 9))
    with pytest.raises(AssertionError, match="n-th completion"):
        proofs.first_come_is_best()
    monkeypatch.setattr(proofs, "waiting", lambda: proofs.rho / (1 - proofs.rho))
    with pytest.raises(AssertionError, match="W_q"):
        proofs.relative_power.__wrapped__()
