"""The proofs of the TCP laws run and agree with the laws of the package."""

from fractions import Fraction

import mpmath
import pytest
import sympy as sp

from derivations import tcp as proofs
from longfat.laws import tcp as laws

# The laws of the package equal the proved ones, where these have several cases


def test_mean_queue():
    """With B such that beta (1 + B) is below and above 1."""
    symbols = [symbol.sympy for symbol in laws.aimd_mean_queue.symbols.values()]
    shipped = laws.aimd_mean_queue.expr
    for proved, values in zip(proofs.aimd_mean_queue(), (((1, 1), (2, 1)), ((1, 2), (3, 9))), strict=True):
        for excess, buffer in values:  # 1/beta - 1
            beta, given = sp.Rational(1, 1 + excess), sp.Rational(buffer)
            expected = proved.subs({proofs.beta: beta, proofs.B: given})
            assert shipped.subs(dict(zip(symbols, (given, beta), strict=True))) == expected > 0


@pytest.mark.parametrize(("largest", "case"), [(10**6, "unlimited"), (5, "limited"), (2, "limited")])
def test_full_rate(largest, case):
    full = proofs.pftk_full_rate()
    for loss, acked in ((Fraction(1, 1000), 1), (Fraction(1, 50), 2)):
        at = {proofs.p: sp.Rational(loss), proofs.b: acked, proofs.R: sp.Rational(1, 10), proofs.T_0: 1}
        window = full.window.subs(at) if case == "unlimited" else sp.Integer(largest)
        share = sp.Min(1, proofs.timeout_share().subs(at).subs(proofs.w, window))
        rate = getattr(full, case).subs(at).subs({proofs.W: window, sp.Symbol("Q", positive=True): share})
        with mpmath.workdps(50):
            shipped = laws.pftk_full_rate(
                mpmath.mpf(loss.numerator) / loss.denominator, mpmath.mpf("0.1"), 1, largest, acked
            )
            assert abs(shipped - mpmath.mpf(sp.N(rate, 50))) < mpmath.mpf(10) ** -45


def test_slow_start():
    proved = proofs.slow_start_rounds()
    finish = proofs.slow_start_transfer_time().time
    for packets, first in ((1, 1), (4, 1), (20, 1), (200, 3), (1000, 10)):
        rounds = laws.slow_start_rounds(packets, first)
        assert rounds == float(proved.subs({proofs.n: packets, sp.Symbol("W_0", positive=True): first}))
        for path in (0, 7, 31, 400):
            values = {proofs.n: packets, proofs.W_0: first, proofs.path: path, proofs.t: 1}
            longest = max(finish.subs(values).subs(proofs.j, j) for j in range(int(rounds)))
            assert laws.slow_start_transfer_time(packets, float(path), 1.0, first) == float(longest)
