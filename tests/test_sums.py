"""Sums that sympy estimates wrongly or not at all, added up term by term."""

import pytest
import sympy as sp

from longfat.law.sums import Sum

i, j, n = sp.Symbol("i", integer=True, positive=True), *sp.symbols("j n", integer=True, nonnegative=True)
r, p, s = sp.symbols("r p s", positive=True)


def mean(total):
    """Return the mean of 0 ... 10 with weights 2^j: (9 * 2^11 + 2)/(2^11 - 1) = 18434/2047."""
    return (total(j * r**j, (j, 0, n)) / total(r**j, (j, 0, n))).subs({r: 2.0, n: 10.0})


def test_where_sympy_is_wrong():
    assert float(mean(Sum)) == pytest.approx(18434 / 2047, rel=1e-14)
    assert float(mean(Sum).evalf(30) - sp.Rational(18434, 2047)) == pytest.approx(0, abs=1e-14)  # 2.0 has 15 digits


@pytest.mark.long  # 13 s in sympy's own sum
def test_sympy_is_still_wrong():
    """Once it is right, Sum can go."""
    assert abs(float(mean(sp.Sum)) - 18434 / 2047) > 1


@pytest.mark.parametrize("x", [20, 400, sp.Float(80), 80.0])
def test_terms_that_cancel(x):
    """exp(-x) from terms of up to exp(x); a substituted float counts as its exact fraction."""
    total = Sum((-1) ** j * (r * (n - j)) ** j * sp.exp(r * (n - j)) / sp.factorial(j), (j, 0, n))
    terms = ((-1) ** k * (int(x) * (9 - k)) ** k * sp.exp(int(x) * (9 - k)) / sp.factorial(k) for k in range(9))
    exact = sum(terms)
    assert total.subs({r: x, n: 9}).evalf(30) == pytest.approx(exact.evalf(30, maxn=2000), rel=1e-25)
    alternating = Sum((-x) ** j / sp.factorial(j), (j, 0, 1500))
    assert alternating.evalf(25) == pytest.approx(sp.exp(-int(x)).evalf(25), rel=1e-24)


def test_without_end():
    total = Sum(1 - (1 - p**i) ** s, (i, 1, sp.oo))
    # s = 2: sum of 2 p^i - p^(2i) = 2 p/(1 - p) - p^2/(1 - p^2)
    for value in (sp.Rational(1, 10), sp.Rational(99, 100), sp.Rational(1, 10**40), sp.Rational(1, 10**300)):
        expected = 2 * value / (1 - value) - value**2 / (1 - value**2)
        assert abs(total.subs({p: value, s: 2}).evalf(25) / expected - 1) < 1e-24
    assert total.subs(s, 2).subs(p, 0).evalf() == 0
    assert Sum(1 / i**2, (i, 1, sp.oo)).evalf(20) == pytest.approx(sp.N(sp.pi**2 / 6, 20), rel=1e-19)  # slow: sympy's


def test_sums_over_sums():
    """Sum over n < 4 of sum over j <= n of n j: 0 + 1 + 2 * 3 + 3 * 6 = 25; one of the two without an upper limit."""
    total = Sum(Sum(n * j, (j, 0, n)), (n, 0, 3))
    assert len(total.limits) == 2
    assert float(total) == 25
    inner = Sum(Sum(j * p**i, (j, 0, 3)), (i, 1, sp.oo)).subs(p, sp.Rational(1, 2))
    assert float(inner) == pytest.approx(6, rel=1e-14)


def test_empty_sums_and_sums_that_cannot_be_evaluated():
    assert Sum((-1) ** j * sp.binomial(5, j), (j, 0, 5)).evalf() == 0
    assert Sum(j, (j, 3, 2)).evalf() == 0
    assert Sum(sp.binomial(2, j), (j, 0, 5)).evalf() == 4.0  # binomial(2, 3) is 0
    free = Sum(r**j, (j, 0, n))
    assert free.evalf() == free
    assert free.subs({r: sp.Rational(1, 2), n: 2}).doit() == sp.Rational(7, 4)
    assert sp.latex(free) == r"\sum_{j=0}^{n} r^{j}"
