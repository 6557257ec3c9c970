"""Formulas that ERRATA.md says are wrong, held against simulators: all differ, and the corrected ones do not.

`tests.testing.printed_formulas` has them, `tests.testing.tables` writes docs/data/printed_formulas.csv.
"""

import csv
import re
from pathlib import Path

import pytest

from longfat.law import registered
from tests.testing.printed_formulas import BUDGET, FORMULAS, OTHERS

ROOT = Path(__file__).parents[2]
QUICK = ("000-1", "000-11", "003-3")


@pytest.mark.parametrize(
    "one",
    [pytest.param(one, id=one.erratum, marks=[] if one.erratum in QUICK else pytest.mark.long) for one in FORMULAS],
)
def test_the_printed_formula_differs_and_the_corrected_does_not(one):
    """Find the error of a printed formula, within the budget, and try the corrected formula where it was found."""
    seen, shrunk = one.found()
    print(one.erratum, len(seen), "points;", shrunk)
    assert sum(found.replications for found in seen) <= BUDGET
    assert shrunk.verdict == "differs"
    assert shrunk.alpha <= 1e-6
    assert one.repaired(shrunk.point).verdict == "agrees"


def test_every_printed_law_is_searched():
    """Each law that has `as_printed`, by the name in ERRATA.md."""
    names = {law.name for _, law in registered() if law.has_printed and law.place.startswith("longfat.")}
    assert names == {one.what.split(".")[0][1:] for one in FORMULAS if one.what.startswith("`")}


def test_every_erratum_is_a_formula_or_has_another_proof():
    page = (ROOT / "ERRATA.md").read_text(encoding="utf-8")
    blocks = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    kept = [block.split()[0] for block in blocks if "*Withdrawn:*" not in block]
    others = [one for some in OTHERS.values() for one in some]
    assert sorted(kept) == sorted([*{one.erratum for one in FORMULAS}, *others])
    proofs = {block.split()[0]: "*Proof:* `" in block for block in blocks}
    assert all(proofs[one] for one in others)


def test_the_table_has_every_formula():
    """A row each, with a point and numbers; they are those of the last run."""
    text = (ROOT / "docs" / "data" / "printed_formulas.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert [(row["erratum"], row["as printed"]) for row in rows] == [
        (one.erratum, one.what.replace("`", "")) for one in FORMULAS
    ]
    assert all(" = " in row["simplest point"] and float(row["printed"]) != float(row["simulated"]) for row in rows)


def test_the_table_has_every_other_erratum():
    text = (ROOT / "docs" / "data" / "other_errata.csv").read_text(encoding="utf-8")
    found = {row["are"]: row["namely"].split(", ") for row in csv.DictReader(text.splitlines())}
    assert found == {reason: list(some) for reason, some in OTHERS.items()}
