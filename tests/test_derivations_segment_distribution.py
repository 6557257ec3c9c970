"""The proofs about the distribution of a segment's rounds and delay give the laws of the package."""

import mpmath
import pytest
import sympy as sp

from derivations import segment_distribution as proofs
from longfat.laws import selective_repeat as laws
from longfat.laws.selective_repeat import tolerance, variance


def test_the_quantile_in_the_law_is_the_proved_one():
    at = {proofs.q: sp.Rational(999, 1000), proofs.p: sp.Rational(1, 100), proofs.s: 16}
    assert int(proofs.quantile().subs(at)) == laws.rounds_quantile(0.999, 0.01, 16) == 3


def test_bounds_of_neglected_terms():
    """The bound holds, and the constants of the laws keep the neglected terms below the documented error."""
    for few in (0, 1, 8, tolerance.MOST):
        sure = few + tolerance.CERTAIN + mpmath.sqrt(tolerance.CERTAIN**2 + 2 * tolerance.CERTAIN * few)
        for packets in (300, 10**6):
            x = sure / packets
            terms = (mpmath.binomial(packets, j) * x**j * (1 - x) ** (packets - j) for j in range(few + 1))
            assert mpmath.fsum(terms) <= mpmath.exp(-tolerance.CERTAIN) * 1.0001
        assert mpmath.log(sure) + variance.SPLIT <= tolerance.TERMS * variance.SPLIT
    assert mpmath.log(variance.CERTAIN) + variance.SPLIT <= variance.TERMS * variance.SPLIT
    # Var K >= about s p^2 >= CERTAIN^2/s once s p = CERTAIN is left out as exp(-CERTAIN)
    assert mpmath.exp(-variance.CERTAIN) < 1e-16 * variance.CERTAIN**2 / 1e12
    # binomial with mean 65: beyond 140 lies less than 1e-14 of what lies beyond 64
    poisson = [mpmath.exp(-65) * mpmath.mpf(65) ** j / mpmath.factorial(j) for j in range(400)]
    assert sum(poisson[tolerance.PLACES :]) < 1e-14 * sum(poisson[65:])


@pytest.mark.parametrize(("decay", "height"), [("0.5", 7.57e-9), ("0.7", 1.8e-6), ("2", 0.01017)])
def test_the_oscillation_is_its_first_harmonic(decay, height):
    """Measured, not proved: half of the swing is 2 |Gamma(2 pi i/lam)|/lam, to a thousandth up to lam = 2."""
    u = mpmath.mpf(decay)
    first = 2 * abs(mpmath.gamma(2j * mpmath.pi / u)) / u
    assert float(first) == pytest.approx(height, rel=2e-3)
    assert float(proofs.oscillation_height(decay)) == pytest.approx(float(first), rel=1e-3)


@pytest.mark.parametrize("segments", [1, 10, 10**6, 10**12])
def test_growth_of_the_largest(segments):
    """The mean lies between H_n/lam and 1 more; from one period to the next it grows by exactly 1, as n grows."""
    low, high = proofs.growth()
    got = laws.max_rounds(0.1, 16, segments)
    harmonic = mpmath.harmonic(16 * segments) / mpmath.log(10)
    assert harmonic <= got < harmonic + 1
    assert high - low == 1
    assert low == sp.harmonic(proofs.n) / proofs.lam
    if segments > 10**5:
        assert laws.max_rounds(0.1, 16, 10 * segments) - got == pytest.approx(1, abs=1e-6)
