"""The table of mutants does not rot, and the check can fail."""

import pytest

from tests import mutations
from tests.mutations import MUTANTS, ROOT


def test_every_mutant_is_one_place():
    """Its text stands once in its file, it changes something, and its test is there."""
    for one in MUTANTS:
        assert (ROOT / one.path).read_text(encoding="utf-8").count(one.text) == 1, (one.path, one.text)
        assert one.text != one.replacement, one.path
        file, name = one.tests.split("::")
        test, _, row = name.rstrip("]").partition("[")  # a row of a table has a key
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {test}(" in text or f"\n{test} = " in text, one.tests
        assert not row or f'"{row}": ' in text, one.tests


def test_there_are_mutants_of_every_kind():
    assert len(MUTANTS) >= 20
    places = {one.path.removeprefix("models/longfat/").split("/")[0] for one in MUTANTS}
    assert places >= {"laws", "sim", "fluid", "base", "cli", "derivations"}


def test_killer():
    assert (
        mutations.killer("F\nFAILED tests/laws/test_tcp.py::test_a[MB/s] - assert 1 == 2\n")
        == "test_tcp.py::test_a[MB/s]"
    )


@pytest.mark.long
def test_a_survivor_is_reported(monkeypatch, capsys):
    """A mutant that changes a comment lives, and its table ends with 1."""
    harmless = mutations.Mutant(
        "models/longfat/laws/tcp/window.py", "return 3 / (3 + idle * idle)", "return 3 / (3 + idle * idle) + 0",
        "tests/laws/test_by_hand.py::test_values",
    )  # fmt: skip
    monkeypatch.setattr(mutations, "MUTANTS", [harmless])
    assert mutations.main() == 1
    assert "SURVIVED" in capsys.readouterr().out


@pytest.mark.long
def test_all_die():
    assert mutations.main() == 0
