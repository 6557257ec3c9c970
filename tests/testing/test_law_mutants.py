"""Mutants of laws: `longfat.testing` finds them, or they are inside the accuracy of their law.

`tests.testing.law_mutants` makes and searches them, `tests.testing.tables` writes docs/data/law_mutants.csv.
"""

import csv
from pathlib import Path

import pytest
import sympy

from longfat.laws import cadpc, queues, tcp
from longfat.testing.holding import Allowance
from longfat.verify.symbolic import evaluated
from tests.testing.law_claims import simulated_laws
from tests.testing.law_mutants import NO_VALUE, chosen, deviations, mutants, search

TABLE = Path(__file__).parents[2] / "docs" / "data" / "law_mutants.csv"
RHO = queues.mm1_wait.symbols["load"].sympy


def test_mutants_by_hand():
    """Of rho/(1 - rho) and n/(n + 1): each number, exponent and term once."""
    found = {(one.kind, one.expr) for one in mutants(queues.mm1_wait)}
    larger = sympy.Rational(21, 20)
    assert found == {
        ("exponent", RHO),
        ("term", RHO / -RHO),
        ("term", RHO),
        ("constant", RHO / (larger - RHO)),
        ("constant", RHO / (1 - larger * RHO)),
    }
    n = cadpc.equilibrium_traffic.symbols["flows"].sympy
    assert {one.expr for one in mutants(cadpc.equilibrium_traffic) if one.kind == "term"} == {sympy.Integer(1), n}


def test_cases_change_places():
    found = [one.expr for one in mutants(cadpc.parking_lot_long_rate) if one.kind == "case"]
    first, second = (symbol.sympy for symbol in cadpc.parking_lot_long_rate.symbols.values())
    assert found == [1 / (sympy.Min(first, second) + 2)]
    (swapped,) = [one for one in mutants(queues.mm1k_wait) if one.kind == "case"]
    assert evaluated(swapped, {"load": 0.5, "capacity": 5.0}) == 2.0  # K/2 - 1/2, the case of rho = 1


def test_mutants_without_a_value():
    """1 - rho without the 1, in a square root."""
    (one,) = [
        one for one in mutants(tcp.gaimd_rate) if one.kind == "term" and "1 - " in one.change and "-\\" in one.change
    ]
    point = {"loss": 0.001, "round_trip_time": 0.1, "acked": 1.0, "increase": 1.0, "decrease": 0.5}
    assert one(**point) == NO_VALUE


def test_deviations_by_hand():
    """rho (C_b^2 + 1.05)/(2 (1 - rho)): at a load of 0.8, without variation, 2.1 where the law is 2, within 0.11."""
    load, variation = (symbol.sympy for symbol in queues.mg1_wait.symbols.values())
    wrong = load * (variation + sympy.Rational(21, 20)) / (2 - 2 * load)
    (one,) = [one for one in mutants(queues.mg1_wait) if sympy.simplify(one.expr - wrong) == 0]
    found = deviations(one)
    assert len(found) > 20_000
    assert found.max() == pytest.approx(0.1 / 0.11, rel=1e-9)


def test_a_mutant_is_found_and_its_law_is_not():
    (one,) = [one for one in mutants(cadpc.equilibrium_rate) if one.kind == "exponent"]
    found = search(one)
    assert (found.outcome, found.law.verdict) == ("found", "agrees")
    assert found.seen[-1].verdict == "differs"


@pytest.mark.long
def test_thirty_mutants_are_found_or_inside_the_accuracy():
    """The stored table has the same outcomes."""
    rows = csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines())
    stored = [(row["law"], row["mistake"], row["outcome"]) for row in rows]
    found = [search(one) for one in chosen()]
    assert [(one.mutant.law.public_name, one.mutant.kind, one.outcome) for one in found] == stored
    assert {one.outcome for one in found} == {"found", "inside"}


@pytest.mark.long
@pytest.mark.parametrize("law", simulated_laws(), ids=lambda law: law.public_name)
def test_laws_agree_at_corners_and_where_their_cases_change(law):
    """A mutant is found only if its law agrees there."""
    from tests.testing.law_claims import claim_of

    seen, _ = claim_of(law).examine(8, Allowance(budget=1000))
    assert "differs" not in [one.verdict for one in seen]
