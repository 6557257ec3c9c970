"""The pages in docs/rules have every scheme with its source, and name tests that exist; and what is conformed to."""

import re
from pathlib import Path

import pytest

from longfat.sim import conformance, schemes
from tests.sim.test_rules import unnamed

ROOT = Path(__file__).resolve().parents[3]
PAGES = {page: (ROOT / "docs" / "rules" / page).read_text("utf-8") for page in
         ("tcp.md", "cubic.md", "bbr.md", "l4s.md", "delay-based.md", "rate-based.md", "explicit-feedback.md",
          "sstp.md")}  # fmt: skip
SECTIONS = [section for page in PAGES.values() for section in page.split("\n## ")[1:]]


def section_of(name):
    """Return the section whose first line after its title begins with the name of the scheme."""
    found = [one for one in SECTIONS if f"`{name}`" in one.split("\n\n")[1].split(". ")[0]]
    assert len(found) == 1, (
        f"docs/rules needs one section on {name!r}, whose text begins with `{name}`; see its README.md"
    )
    return found[0]


@pytest.mark.parametrize("name", schemes.names())
def test_every_scheme_is_documented_as_it_is(name):
    one, section = schemes.scheme(name), section_of(name)
    if name not in ("gaimd-window", "cadpc-files"):  # second forms of a scheme
        missing = unnamed(one.source, section)
        assert not missing, f"the section on {name} does not name {missing} of its source: {one.source}"


def named_tests(page):
    """Yield (file, function) of the tests that the text of a page names, as in "`reno: timeout`, `fast_recovery`"."""
    for line in PAGES[page].splitlines():
        file = None
        for name in re.findall(r"`((?:\w+: )?\w+)`", line):
            if ": " in name:
                file, name = name.split(": ")
            if file:
                yield file, name


@pytest.mark.parametrize("page", PAGES)
def test_the_tests_that_hold_the_rules_exist(page):
    for file, name in named_tests(page):
        folder = ROOT / "tests" / "sim"
        path = next(one for one in (folder / "schemes", folder) if (one / f"test_{file}.py").exists())
        text = (path / f"test_{file}.py").read_text("utf-8")
        assert f"def test_{name}(" in text, f"{page} names test_{name} of test_{file}.py, which does not exist"


@pytest.mark.long  # tests/sim/test_every_plug_in.py has pauses, domains and choices of all schemes
@pytest.mark.parametrize(
    ("name", "given"),
    [("copa", {}), ("ledbat-plus-plus", {}), ("cubic-search", {}), ("cubic-resume", {"saved_window": 100})],
)
def test_conformance(name, given):
    report = conformance(schemes.scheme(name)(**given), progress=False)
    assert report.passed, str(report)


def test_the_check_can_fail():
    with pytest.raises(AssertionError, match="docs/rules needs one section on 'quick'"):
        section_of("quick")
