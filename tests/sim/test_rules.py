"""The pages on rules and sources: every discipline and service is there, with the parameters and source of the code."""

import re
from pathlib import Path

import pytest

from longfat.sim import queues, services
from longfat.sim.plugin.parameters import YES_OR_NO

PAGE = Path(__file__).parents[2] / "docs" / "rules" / "queue-disciplines.md"
DISCIPLINES = sorted({one.name: one for one in queues.NAMED.values()}.items())
SERVICES = sorted((name, one) for name, one in services.SERVICES.items() if one is not None)
#: What a reader can look up.
LOOK_UP = r"RFC \d+|\b(19|20)\d\d\b|ns-2\.35|doi:10\.|Ours, because"


def section(heading):
    """Return the section below a heading, on one line."""
    _, found, rest = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}")
    assert found, f"docs/rules/queue-disciplines.md has no section '## {heading}': add its rules and their sources"
    return " ".join(rest.partition("\n## ")[0].split())


def row(name, parameter):
    """Return the row of a parameter in the table of its discipline."""
    allowed, default = parameter.domain, "none"
    if isinstance(parameter.default, float):
        default = f"{parameter.default:g}"
    if allowed == YES_OR_NO:
        allowed, default = "yes or no", "yes" if parameter.default else "no"
    unit = "" if parameter.unit == "1" or allowed == "yes or no" else parameter.unit
    return " ".join(f"| `{name}` | {default} | {unit} | {allowed} | {parameter.meaning} |".split())


@pytest.mark.parametrize(
    ("heading", "plug_in"),
    [(f"`{name}`: ", one) for name, one in DISCIPLINES] + [(f"Service `{name}`: ", one) for name, one in SERVICES],
    ids=[name for name, _ in DISCIPLINES] + [f"service {name}" for name, _ in SERVICES],
)
def test_the_page_has_the_source_and_parameters_of_the_code(heading, plug_in):
    text = section(heading)
    assert re.search(LOOK_UP, plug_in.source), f"source = {plug_in.source!r} names nothing that a reader can look up"
    assert f"Source: {plug_in.source}." in text
    for name, parameter in plug_in.parameters.items():
        assert row(name, parameter) in text
        assert parameter.meaning, f"parameter {name!r} has no about="
    assert "Tests: " in text
    rows = re.findall(r"\| `(\w+)` \| \S+ \|", text)
    assert rows == list(plug_in.parameters)


def test_the_tests_exist_that_the_pages_name():
    for page in (PAGE, PAGE.with_name("traffic.md")):
        text, file = page.read_text(encoding="utf-8"), None
        for path, function in re.findall(r"`((?:\w+/)*test_\w+\.py)?(?:::(test_\w+))?`", text):
            file = path or file
            if not path and not function:
                continue
            file = file.removeprefix("tests/sim/")
            code = (Path(__file__).parent / file).read_text(encoding="utf-8")
            assert not function or f"def {function}(" in code, f"{page.name}: {file}::{function}"
