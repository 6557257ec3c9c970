"""The pages on rules: every scheme, discipline and service is there, with the source of the code and its tests."""

import csv
import importlib
import re
from pathlib import Path

import pytest

from docs.handbook import rules
from longfat.sim import queues, schemes, services

ROOT = Path(__file__).parents[2]
DISCIPLINES = sorted({one.name: one for one in queues.NAMED.values()}.items())
SERVICES = sorted((name, one) for name, one in services.SERVICES.items() if one is not None)
SCHEMES = [(name, schemes.scheme(name)) for name in schemes.names()]
SECOND_FORMS = ("gaimd-window", "cadpc-files")  # their sections name the source of the first form
#: Parts of a reference that a reader can look up.
LOOK_UP = r"RFC \d+|\b(19|20)\d\d\b|ns-2\.35|doi:10\.|Ours, because"
#: Page, section, rule, file and function of each test that holds a rule.
TESTED = [tuple(row) for row in csv.reader((ROOT / "docs" / "data" / "rule_tests.csv").read_text().splitlines()[1:])]


def section(kind, name):
    """Return page, heading and text of the section on a plug-in, on one line."""
    found = rules.sections().get((kind, name))
    assert found, f"docs/rules has no section on {kind} `{name}`: add its rules and their sources; see its README.md"
    return found[0].stem, found[1], " ".join(found[2].split())


def unnamed(source, text):
    """Return the names of a full reference that a text lacks: documents by their numbers, files, first authors."""
    named = re.findall(r"RFC \d+|draft-[\w-]+|[A-Z]+(?:-[A-Z]+)*-\d\d-\d+|\b94-7\b|ns-2\.35|\b[\w-]+\.[ch]+\b", source)
    first = re.findall(r"(?:^|; |after |by |in )(?:[A-Z]\. )+(?:De )?([A-Z][a-z-]+)", source)
    return sorted({one for one in [*named, *first] if one not in text})


@pytest.mark.parametrize(
    ("kind", "name", "plug_in"),
    [(kind, *one) for kind, all_of_it in (("scheme", SCHEMES), ("discipline", DISCIPLINES), ("service", SERVICES))
     for one in all_of_it],
)  # fmt: skip
def test_the_page_has_the_source_of_the_code_and_a_test(kind, name, plug_in):
    page, heading, text = section(kind, name)
    assert re.search(LOOK_UP, plug_in.source), f"source = {plug_in.source!r} names nothing that a reader can look up"
    assert text.startswith("Source: ") or kind == "scheme"
    assert name in SECOND_FORMS or unnamed(plug_in.source, text) == []
    assert all(one.meaning for one in plug_in.parameters.values()), "a parameter has no about="
    tested = [row for row in TESTED if row[:2] == (page, heading)]
    assert tested, f"docs/data/rule_tests.csv names no test for the section {heading!r}"


def broken(row):
    """Return the names in a row of the table of tests that do not exist, or an empty text."""
    page, heading, number, file, function = row
    text = (ROOT / "docs" / "rules" / f"{page}.md").read_text(encoding="utf-8")
    _, found, rest = re.sub("\n#+ ", "\n# ", text).partition(f"\n# {heading}\n")
    if not found:
        return f"section {heading!r}"
    rules_of_it = rest.partition("\n# ")[0].replace("`", "")
    if number and not re.search(rf"^(\| {re.escape(number)} \||{re.escape(number)}\. )", rules_of_it, re.MULTILINE):
        return f"rule {number!r} of section {heading!r}"
    path = Path(__file__).parent / file
    if not path.exists():
        return file
    test, _, trace = function.rstrip("]").partition("[")
    exists = re.search(rf"^(def {test}\(|{test} = )", path.read_text(encoding="utf-8"), re.MULTILINE) or not function
    if trace:
        exists = trace in importlib.import_module(f"tests.sim.schemes.{path.stem}").TRACES
    return "" if exists else f"{file}::{function}"


@pytest.mark.parametrize("page", sorted({row[0] for row in TESTED}))
def test_rules_and_tests_exist_that_the_table_names(page):
    rows = [row for row in TESTED if row[0] == page]
    assert len(rows) > 5
    assert [found for row in rows if (found := broken(row))] == []
