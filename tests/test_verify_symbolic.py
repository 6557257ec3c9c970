"""Sympy expressions against their laws: errors are found, and skipped checks give a reason."""

import json
import math
from dataclasses import replace

import mpmath
import pytest
import sympy

from longfat import cli, verify
from longfat.law import Law, Symbol, registered
from longfat.law.declaring import _REGISTRY
from longfat.laws import cubic, loss_load, queues, selective_repeat
from longfat.verify import points, report
from longfat.verify.symbolic import evaluated, symbolic

P = Symbol("p", "probability", "(0, 1)", (1e-6, 0.1))


def wrong(p, *, xp):
    return 2 * p * p if hasattr(xp, "sympy") else p * p


def unfinished(p, *, xp):
    return xp.sympy.Function("unknown")(p, p) if hasattr(xp, "sympy") else p * p


def infinite(p, *, xp):
    return xp.sympy.zoo if hasattr(xp, "sympy") else p * p


def raises(p, *, xp):
    if hasattr(xp, "sympy"):
        raise KeyError("a slip")
    return p * p


def found(function):
    return symbolic(Law(function, {"p": P}, "1", "an example"), [{"p": 0.25}, {"p": 0.5}])


def test_a_wrong_expression_differs():
    outcome = found(wrong)
    assert (outcome.status, outcome.where, outcome.checks) == ("differs", {"p": 0.25}, 2)
    assert outcome.error == pytest.approx(1)
    table = verify.run([Law(wrong, {"p": P}, "1", "an example")], quick=True)
    assert (table.symbolic.item(), table.numeric.item(), table.jax.item()) == ("differs", "agrees", "agrees")
    assert not table.attrs["agrees"]
    assert "wrong, symbolic: differs, 1 at p = " in report.to_text(table)
    assert json.loads(report.to_json(table))["laws"][0]["symbolic"]["status"] == "differs"
    assert '<td class="differs">FAILS 1e+00</td>' in report.to_html(table)


def test_the_command_line_fails(monkeypatch, capsys):
    record = Law(wrong, {"p": P}, "1", "an example")
    monkeypatch.setitem(_REGISTRY, record.place, record)
    assert cli.main(["verify", "--law", record.public_name, "--quick", "--workers", "1"]) == 1
    assert "symbolic: differs" in capsys.readouterr().out


def test_an_exception_is_an_error():
    for function, said in ((raises, "KeyError: 'a slip'"), (infinite, "evaluates to zoo, which is no real number")):
        outcome = found(function)
        assert outcome.status == "error"
        assert said in outcome.remark


def test_expressions_that_cannot_be_evaluated_have_a_reason():
    outcome = found(unfinished)
    assert (outcome.status, outcome.remark) == ("not checked", "sympy has no value for unknown(p, p)")


@pytest.mark.parametrize(
    ("law", "point"),
    [
        pytest.param(cubic.utilisation_general, (0.1, 1000, 0.01, 0.4, 0.7), marks=pytest.mark.long),  # a root: 15 s
        (selective_repeat.throughput_efficiency_many_rounds, (40, 0.01, 16, 23)),  # the limit of a recurrence, M
        (selective_repeat.rounds_pmf, (30, 0.1, 16)),  # two powers whose difference is 1.44e-28
        (selective_repeat.rounds_pmf, (5, 0.001, 16)),
        (selective_repeat.rounds_pmf, (1, 0.25, 3)),
        (queues.md1k_wait, (0.37, 1)),  # no packet waits if there is room for one
    ],
)
def test_expressions_have_values_at_floats(law, point):
    """Substituted floats, evalf(subs=) and fractions give what the law has in 50 digits, and no other number."""
    letters = [symbol.sympy for symbol in law.symbols.values()]
    with mpmath.workdps(50):
        expected = law(*map(mpmath.mpf, point))
        values = dict(zip(letters, point, strict=True))
        found = [
            law.expr.subs(values).evalf(20),
            law.expr.evalf(20, subs=values),
            law.expr.subs({letter: sympy.Rational(x) for letter, x in values.items()}).evalf(20),
        ]
        for one in found:
            assert abs(mpmath.mpf(one) - expected) <= abs(expected) * mpmath.mpf(10) ** -13


def test_a_law_at_floats_of_sympy():
    """The probability of 30 rounds is 16 (0.1^29 - 0.1^30) for 16 packets, except for a part of 1e-28."""
    found = selective_repeat.rounds_pmf(sympy.Integer(30), sympy.Float(0.1), sympy.Integer(16)).evalf()
    assert float(found) == pytest.approx(1.44e-28, rel=1e-13)
    expr = selective_repeat.rounds_pmf.expr
    assert str(expr) == "(1 - p**k)**s - (1 - p**(k - 1))**s"
    assert str(2 * expr**3) == "2*((1 - p**k)**s - (1 - p**(k - 1))**s)**3"
    assert sympy.latex(expr**3) == rf"\left({sympy.latex(expr)}\right)^{{3}}"


def test_equations_of_roots():
    law = loss_load.throughput_optimal_rate
    typical = points.typical(law, 4, 1)
    slow = typical[0] | {"access_rate": law(**typical[0]) / 2}  # the rate is that of the access link, and no root
    assert symbolic(law, [slow, *typical]).status == "agrees"
    sides = law.solves.sides
    for wrong in (lambda left, right: (2 * left, right), lambda left, right: (left + sympy.Rational(1, 100), right)):
        equation = replace(law.solves, sides=lambda *letters, wrong=wrong: wrong(*sides(*letters)))
        assert symbolic(replace(law, solves=equation), typical).status == "differs"


# What was wrong or could not be evaluated, by hand.


@pytest.mark.parametrize("number", [float, sympy.Float, sympy.Integer])
def test_means_of_a_full_queue(number):
    """Load 2: weights 1, 2, ..., 2^10 for M/M/1/10, whose mean is 18434/2047; for the wait K is 9: 8194/1023."""
    load, capacity = (symbol.sympy for symbol in queues.mm1k_wait.symbols.values())
    letters = {load: number(2), capacity: 10}
    assert float(queues.mm1k_mean_number.expr.subs(letters)) == pytest.approx(18434 / 2047, rel=1e-14)
    assert float(queues.mm1k_wait.expr.subs(letters)) == pytest.approx(8194 / 1023, rel=1e-14)
    at_one = letters | {load: number(1)}
    assert float(queues.mm1k_mean_number.expr.subs(at_one)) == 5
    assert float(queues.mm1k_wait.expr.subs(at_one)) == 4.5


def test_light_loads_and_constant_service():
    """K = 2: 1 - P = (1 + rho) ... P = rho - 1 + exp(-rho) over the same + 1; at rho = 1 that is 1/(1 + e)."""
    load, capacity = (symbol.sympy for symbol in queues.md1k_loss.symbols.values())
    assert float(queues.md1k_loss.expr.subs({load: 1.0, capacity: 2})) == pytest.approx(1 / (1 + math.e), rel=1e-14)
    # a float put in, terms of up to exp(10), and a loss of 1e-11: no digit was left
    light = queues.md1k_loss.expr.subs({load: 0.5, capacity: 20})
    assert float(light) == pytest.approx(queues.md1k_loss(0.5, 20), rel=1e-11)
    assert queues.md1k_wait.expr.subs({load: 0, capacity: 5}) == 0
    for law in (queues.md1k_mean_number, queues.md1k_wait):
        assert evaluated(law, {"load": 0.9, "capacity": 7.0}) == pytest.approx(law(0.9, 7), rel=1e-13)


def test_no_loss_and_all_lost():
    window = {"efficiency": 0.25, "loss": 0.0, "segment_packets": 16.0, "ack_segments": 23.0}
    assert evaluated(selective_repeat.window_for_efficiency, window) == 6.0  # e (w_a + 1)
    file = {"rate": 1.0, "spread": 0.0, "k": 1.0, "packets": 5.0, "round_trip_time": 1.0, "capacity_packets": 1000.0}
    assert evaluated(loss_load.response_time, file | {"excess": 0.5}) == math.inf
    assert evaluated(loss_load.response_time, file | {"excess": -1.0}) == 1.005  # 5/1000 s and a round trip


def test_tolerances_beyond_the_segment():
    """The tolerance may exceed the number of packets."""
    assert evaluated(
        selective_repeat.rounds_cdf_tolerant, {"rounds": 2.0, "loss": 0.1, "segment_packets": 2.0, "tolerance": 7.0}
    ) == pytest.approx(1.0, rel=1e-15)


def test_points_reach_the_ends():
    law = dict(registered())["longfat.laws.queues.constant.md1k_wait"]
    loads = {point["load"] for point in points.for_symbols(law, 2, 1, at_ends=True)}
    assert {0.0, 0.05, 5.0} <= loads
    assert len(points.for_symbols(law, 2, 1, at_ends=False)) == 2
