"""The proofs for queues run, agree with the laws of the package, and can fail."""

import mpmath
import pytest
import sympy as sp

from derivations import constant_queues as constant
from derivations import queues as proofs
from longfat.laws import queues as laws
from longfat.laws.queues.constant import LIGHT, PLACES
from longfat.laws.queues.unlimited import ANY_LOAD, CAPACITY, LOAD, VARIATION

rho, K = proofs.rho, proofs.K
LETTERS = {LOAD.sympy: rho, ANY_LOAD.sympy: rho, CAPACITY.sympy: K, VARIATION.sympy: proofs.C}


def shipped(law):
    """Return the law's expression in the letters of the proofs."""
    return law.expr.subs(LETTERS)


@pytest.mark.parametrize("room", [1, 2, 5])
def test_exponential_service(room):
    proved = proofs.mm1k()
    for law, form in zip((laws.mm1k_loss, laws.mm1k_mean_number, laws.mm1k_wait), proved, strict=True):
        expression = shipped(law).subs(K, room).doit()
        if expression.has(sp.Piecewise):
            assert sp.simplify(expression.subs(rho, 1) - sp.limit(form.subs(K, room), rho, 1)) == 0
            expression = expression.args[-1][0]
        assert sp.simplify(expression - form.subs(K, room)) == 0


@pytest.mark.parametrize("room", [1, 2, 3, pytest.param(4, marks=pytest.mark.long)])
def test_constant_service(room):
    """The sums of the law, written out, equal the chain solved as a linear system."""
    for law, form in zip(
        (laws.md1k_loss, laws.md1k_mean_number, laws.md1k_wait), constant.md1k_solved(room), strict=True
    ):
        assert constant.fraction(law(rho, sp.Integer(room)).doit() - form) == 0
    number = shipped(laws.md1k_mean_number).atoms(sp.Sum)  # with K free there are sums over sums
    assert max(len(total.limits) for total in number) == 2


def test_the_positive_form_and_the_poles():
    assert constant.md1k_positive() is not None
    loss, number, wait = constant.md1k_poles()
    tau, n, E, F = constant.tau, *sp.symbols("n E F", positive=True)
    # at tau = 1/2, n = 100: the shipped floats at rho = tau/(exp(tau) - 1), K = 101
    half = sp.Rational(1, 2)
    at = {tau: half, n: 100, E: sp.exp(half), F: sp.exp(-50)}
    load = float(half / (sp.exp(half) - 1))
    assert laws.md1k_loss(load, 101) == pytest.approx(float(loss.subs(at).evalf(40)), rel=1e-12)
    assert laws.md1k_mean_number(load, 101) == pytest.approx(float(number.subs(at).evalf(40)), rel=1e-13)
    assert laws.md1k_wait(load, 101) == pytest.approx(float(wait.subs(at).evalf(40)), rel=1e-13)


@pytest.mark.parametrize("load", ["0.005", "0.02", "0.1", "0.25", "0.5", "0.9", "0.999", "1.001", "1.5", "2"])
def test_two_poles_are_enough(load):
    assert constant.md1k_poles_error(load, PLACES + 1) < 1e-14


def test_where_two_poles_are_not_enough():
    """With 33 places two poles are not sufficient at small loads, and below LIGHT the loss underflows."""
    assert constant.md1k_poles_error("0.1", 33) > 1e-13
    assert constant.md1k_poles_error("0.02", 33) > 1e-8
    with mpmath.workdps(400):
        assert laws.md1k_loss(mpmath.mpf(LIGHT), PLACES + 1) < mpmath.mpf(10) ** -324


def test_the_proofs_can_fail(monkeypatch):
    monkeypatch.setattr(constant, "b", lambda n: sp.exp(n * rho))  # without the alternating rest
    with pytest.raises(AssertionError, match="the chain itself"):
        constant.md1k_chain.__wrapped__()
    with pytest.raises(AssertionError, match="linear system"):
        constant.md1k.__wrapped__()
    monkeypatch.setattr(proofs, "geometric_sums", lambda last: (rho**last, rho**last))
    with pytest.raises(AssertionError):
        proofs.mm1k_distribution()
