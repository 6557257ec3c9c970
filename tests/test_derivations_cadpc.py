"""The proofs of the CADPC laws run and agree with the laws of the package."""

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

from derivations import cadpc as proofs
from derivations import cadpc_delay as delay
from derivations import cadpc_network as network
from derivations import cadpc_spectrum as spectrum
from longfat.laws import cadpc as laws

# The laws of the package equal the proved ones, where these have several cases or are no expressions


def test_startup():
    """The proved multiplicity applies as long as the link has room, x + L < 1."""
    rate, traffic, _ = (symbol.sympy for symbol in laws.startup_multiplicity.symbols.values())
    (_, condition), (beyond, _) = laws.startup_multiplicity.expr.args
    assert sp.expand(condition.lhs - condition.rhs - (rate + traffic - 1)) == 0
    assert beyond == 1


def test_networks():
    routes, capacities, weights = [[1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 1, 1]], [5, 2, 7], [1, 1, 4, 0.5]
    exact = network.network()[2]
    np.testing.assert_allclose(
        laws.network_equilibrium(routes, capacities, weights), [float(x) for x in exact], rtol=1e-14
    )


def test_multipliers():
    """The polynomial of the proof vanishes at the multipliers of the law, which are all of its roots."""
    for flows, smoothing, late in ((3, 1.0, 2), (10, 0.5, 1), (7, 1.3, 4)):
        polynomial = delay.characteristic().subs(delay.d, late)
        polynomial = sp.Poly(polynomial.subs({delay.n: flows, delay.s: sp.Rational(smoothing) / (1 + flows)}), delay.z)
        shipped = laws.total_multipliers(flows, smoothing, late)
        assert len(shipped) == polynomial.degree()
        expected = np.array([complex(root) for root in polynomial.nroots(30)])
        np.testing.assert_allclose(np.sort_complex(shipped), np.sort_complex(expected), atol=1e-12)


def test_boundary():
    """The polynomial at the bound of the law, and its closed forms for delays of one and two updates."""
    proved = delay.boundary()
    for flows, late in ((1, 1), (4, 3), (25, 6)):
        ends = [np.pi / (2 * (2 * late + 1)), 1.01 * np.pi / (2 * (late + 1))]
        h = brentq(sp.lambdify(delay.h, proved.equation.subs({delay.n: flows, delay.d: late})), *ends, xtol=1e-15)
        bound = proved.smoothing.subs({delay.d: late, delay.h: h})
        assert laws.largest_stable_smoothing(flows, late) == pytest.approx(float(bound), rel=1e-12)
    modulus, two = delay.one_update_late(), delay.two_updates_late()
    for flows in (1, 2, 9):
        leaves = sp.solve(modulus.subs(delay.n, flows) - 1, proofs.a)
        assert [laws.largest_stable_smoothing(flows, 1)] == pytest.approx([float(x) for x in leaves])
        assert laws.largest_stable_smoothing(flows, 2) == pytest.approx(float(two.subs(delay.n, flows)), rel=1e-13)
    limit = delay.many_flows()
    for late in (0, 1, 2, 3, 10):
        many = float(limit.subs(delay.d, late))
        assert laws.largest_stable_smoothing(float("inf"), late) == pytest.approx(many, rel=1e-14)


@pytest.mark.parametrize(
    "run",
    [
        proofs.deviation_update,
        proofs.conjugate,
        spectrum.difference,
        spectrum.total,
        delay.monotone,
        delay.crossing,
        network.at_rest,
    ],
    ids=lambda run: run.__name__,
)
def test_the_rest_of_the_proofs(run):
    assert run() is not None
