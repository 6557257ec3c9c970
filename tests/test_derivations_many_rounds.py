"""The proofs of our own law run, agree with the law of the package, and can fail."""

from fractions import Fraction

import pytest
import sympy as sp

from derivations import many_rounds as proofs
from longfat.laws import selective_repeat as laws


def test_proofs_by_hand():
    # W = 12, w_a = 23, g = 1/4: M_0 = 12 and n = 12/23; d = (12 + 12/23)/(1 + 12/23) = 288/35
    values = {proofs.W: 12, proofs.n: sp.Rational(12, 23)}
    assert proofs.distance().subs(values) == sp.Rational(288, 35)
    # q = (1/4 * 288/35)/(1/4 * 288/35 + 3/4) = 288/(288 + 105)
    share = proofs.share_of_waiting().subs({proofs.g: sp.Rational(1, 4), proofs.d: sp.Rational(288, 35)})
    assert share == sp.Rational(288, 393)
    small, middle = proofs.one_repetition()
    at = {proofs.W: 12, proofs.w: 23, proofs.g: sp.Rational(1, 4)}
    assert sp.simplify(small.subs(at)) == 12 / (12 + 12 + 23 * sp.Rational(288, 393))
    # W = 30: (30 + 3)/(47 + 3)
    assert middle.subs({proofs.W: 30, proofs.w: 23, proofs.g: sp.Rational(1, 4)}) == sp.Rational(33, 50)
    assert proofs.one_segment().subs({proofs.w: 23, sp.Symbol("S", positive=True): 2}) == sp.Rational(1, 47)


def by_proof(window, loss, packets, ack):
    """Compute the law from the parts of the derivation, in fractions, until later rounds are negligible."""
    waits, short, spare = proofs.step()
    distance, share = proofs.distance(), proofs.share_of_waiting()
    window, loss, ack = sp.Rational(window), sp.Rational(loss), sp.Rational(ack)
    t = 1 / (1 - loss)
    waiting, k = ack + 1 - window * t, 1
    while loss**k * packets * ack > 1e-18:
        g = sp.Float(1 - (1 - loss**k) ** packets, 40)
        n = max(waiting, 0) / ack
        d = distance.subs({proofs.W: window, proofs.n: n})
        q = share.subs({proofs.g: g, proofs.d: d})
        case = waits if waiting >= 0 else short if waiting > -ack else spare
        waiting, k = sp.Float(case.subs({proofs.M: waiting, proofs.w: ack, proofs.q: q}), 40), k + 1
    idle = sp.Symbol("H", nonnegative=True)
    return proofs.efficiency().subs({idle: max(waiting, 0), proofs.W: window, proofs.t: t})


@pytest.mark.parametrize("window", [1, 7, 24, 30, 60])
@pytest.mark.parametrize("loss", [Fraction(1, 1000), Fraction(1, 10)])
def test_the_shipped_law_equals_the_combined_proofs(window, loss):
    expected = by_proof(window, loss, 16, 23)
    got = laws.throughput_efficiency_many_rounds(window, float(loss), 16, 23.0)
    assert got == pytest.approx(float(expected), rel=1e-13)
