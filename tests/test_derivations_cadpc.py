"""The proofs of the CADPC laws run, agree with the laws of the package, and can fail."""

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

from derivations import cadpc as proofs
from derivations import cadpc_delay as delay
from derivations import cadpc_network as network
from derivations import cadpc_spectrum as spectrum
from longfat.laws import cadpc as laws
from tests.letters import in_letters, same

# The laws of the package equal the proved ones


@pytest.mark.parametrize(
    ("name", "proved"),
    [
        ("step", lambda: proofs.update(proofs.x, proofs.L)),
        ("equilibrium_rate", lambda: proofs.equilibria().rate),
        ("equilibrium_traffic", lambda: proofs.equilibria().traffic),
        ("trajectory", proofs.trajectory),
        ("logistic_rate", proofs.logistic),
        ("update_time", proofs.update_time),
        ("weighted_step", lambda: network.weights().subs(network.traffic, sp.Symbol("L", positive=True))),
        ("weighted_equilibrium_rate", lambda: sp.Symbol("w") * network.lowest_link().subs(network.C, 1)),
        ("difference_multiplier", lambda: spectrum.spectrum().difference.subs(spectrum.W, sp.Symbol("n"))),
        ("updates_to_fairness", spectrum.updates_to_fairness),
        ("newcomer_growth", spectrum.newcomer),
    ],
)
def test_laws(name, proved):
    law = getattr(laws, name)
    assert same(law.expr, proved())
    assert not same(law.expr, 2 * proved())


def test_updates_to_fraction():
    """Inside the Max of the law; |1 - y| and |y - 1| are written differently."""
    inside = [part for part in laws.updates_to_fraction.expr.args if part != 0]
    at = {"x_0": sp.Rational(1, 50), "n": 10, "varphi": sp.Rational(9, 10)}
    shipped, proved = (in_letters(side) for side in (inside[0], proofs.updates_to_fraction()))
    values = {symbol: at[symbol.name] for symbol in shipped.free_symbols}
    assert sp.N(shipped.subs(values) - proved.subs(values), 40) == 0
    assert values.keys() == proved.free_symbols


def test_startup():
    piece, condition = laws.startup_multiplicity.expr.args[0]
    assert same(piece, proofs.startup())
    assert same(condition.lhs - condition.rhs, proofs.x + proofs.L - 1)
    assert laws.startup_multiplicity.expr.args[1][0] == 1


def test_parking_lot():
    rates = network.parking_lot()
    own, other = (symbol.sympy for symbol in laws.parking_lot_short_rate.symbols.values())
    shipped = laws.parking_lot_short_rate.expr
    for first, second in ((9, 1), (5, 5), (50, 2)):
        at = {network.m_1: first, network.m_2: second}
        assert shipped.subs({own: first, other: second}) == rates.crowded.subs(at)
        assert shipped.subs({own: second, other: first}) == rates.other.subs(at)
        long = laws.parking_lot_long_rate
        assert long.expr.subs({symbol.sympy: at[symbol.sympy] for symbol in long.symbols.values()}) == rates.long.subs(
            at
        )


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


# Each check can fail: a wrong assumption put under a proof stops it.


def other_update(rate, traffic, smoothing=proofs.a):
    """Return the update of a flow that does not count its own rate twice."""
    return rate * (1 + smoothing * (1 - traffic))


def steeper(rate, traffic, smoothing=proofs.a):
    return rate * (1 + smoothing * (1 - 2 * rate - traffic))


@pytest.mark.parametrize(
    ("module", "name", "wrong", "stopped"),
    [
        (proofs, "update", other_update, proofs.equilibria),
        (proofs, "update", steeper, proofs.equilibria),
        (proofs, "update", steeper, proofs.deviation_update),
        (proofs, "update", steeper, proofs.trajectory),
        (proofs, "deviation", lambda rate: 1 - proofs.n * rate, proofs.trajectory),
        (proofs, "deviation_update", lambda: proofs.e**3, proofs.trajectory),
        (proofs, "update", steeper, proofs.logistic),
        (proofs, "update", steeper, proofs.conjugate),
        (proofs, "multiplicity", lambda rate, traffic: proofs.m_0 * (1 - rate / (1 - traffic)), proofs.startup),
        (proofs, "multiplicity", lambda rate, traffic: proofs.m_0 - (proofs.m_0 - 1) * rate, proofs.startup),
        (spectrum, "update", steeper, spectrum.difference),
        (spectrum, "update", steeper, spectrum.total),
        (spectrum, "update", lambda rate, traffic: rate * (1 + proofs.a * (1 - traffic) / 2), spectrum.newcomer),
        (spectrum, "update", other_update, spectrum.total),
        (spectrum, "spectrum", lambda: spectrum.Spectrum(0, spectrum.W), spectrum.updates_to_fairness),
        (delay, "late_update", lambda rate, late: other_update(rate, late), delay.characteristic),
        (delay, "characteristic", lambda: delay.z**2 - (1 - delay.s) * delay.z + delay.s, delay.one_update_late),
        (delay, "characteristic", lambda: delay.z ** (delay.d + 1) + delay.n * delay.s, delay.crossing),
        (delay, "on_the_circle", lambda: (sp.sin(2 * delay.h), sp.cos(2 * delay.h)), delay.boundary),
        (delay, "on_the_circle", lambda: (sp.sin(2 * delay.h), sp.cos(2 * delay.h)), delay.monotone),
        (network, "update", steeper, network.weights),
        (network, "update", other_update, network.at_rest),
        (network, "fill", lambda routes, c, w: ([x / 2 for x in w], c), network.network),
    ],
)
def test_wrong_assumptions_are_found(monkeypatch, module, name, wrong, stopped):
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises(AssertionError):
        stopped()
