"""The proofs of the laws of credit windows agree with the laws, and each of their steps can fail."""

import pytest
import sympy as sp

from derivations import credits
from longfat import laws

LAWS = laws.credits


@pytest.mark.parametrize(
    ("batch", "reserve", "loop"),
    [(1, 5, 21), (1, 21, 21), (4, 10, 21), (5, 8, sp.Rational(41, 2)), (5, 21, 21), (3, 1, 8), (7, 0, 3)],
)
def test_the_recursion_has_the_rate_of_the_law(batch, reserve, loop):
    """(5, 8): q = 2, r = 3, 10 cells in 20.5 + 5 - 3 = 22.5 cell times."""
    share = credits.measured_share(batch, reserve, sp.sympify(loop))
    assert float(share) == pytest.approx(LAWS.throughput(batch + reserve, batch, 1.0, float(loop)), rel=1e-14)


@pytest.mark.long
def test_the_recursion_on_a_grid():
    for batch in range(1, 8):
        for reserve in range(16):
            for loop in (0, 1, 4, sp.Rational(15, 2), 13):
                share = credits.measured_share(batch, reserve, sp.sympify(loop))
                assert float(share) == pytest.approx(
                    LAWS.throughput(batch + reserve, batch, 1.0, float(loop)), rel=1e-14
                )


def test_the_laws_are_what_is_proved():
    at = {credits.W: 1300, credits.u: 500, credits.q: 2, credits.R: 2, credits.C: 1000}  # 1000/(2 + 0.2)
    assert float(credits.throughput().subs(at)) == pytest.approx(LAWS.throughput(1300, 500, 1000.0, 2.0), rel=1e-14)
    at = {credits.u: 10, credits.X: sp.Rational(1, 4), credits.R: 200}
    assert float(credits.window_for_rate().subs(at)) == LAWS.window_for_rate(10, 0.25, 200.0) == 60
    assert LAWS.throughput(60, 10, 1.0, 200.0) >= 0.25
    at = {credits.k: 3, credits.G: sp.Rational(3, 2)}  # 1, 2.5, 4.75, 8.125
    assert float(credits.adaptive_allocation().subs(at)) == LAWS.adaptive_allocation(3, 1.5) == 8.125


def test_a_credit_that_is_late_by_a_cell_is_noticed(monkeypatch):
    original = credits.first_times
    monkeypatch.setattr(credits, "first_times", lambda b, r, loop, cells: original(b, r, loop + 1, cells))
    assert float(credits.measured_share(5, 8, sp.Integer(20))) != pytest.approx(
        LAWS.throughput(13, 5, 1.0, 20.0), rel=1e-3
    )
