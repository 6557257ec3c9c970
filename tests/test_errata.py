"""ERRATA.md and docs/papers/refinements.md: items have kind, size, proof, and numbers that functions compute."""

import ast
import importlib
import re
from decimal import Decimal
from pathlib import Path

import pytest

import derivations
from longfat.benchmark.tables import cells
from longfat.law import registered

ROOT = Path(derivations.__file__).parents[1]
ERRATA = (ROOT / "ERRATA.md").read_text(encoding="utf-8")
REFINEMENTS = (ROOT / "docs" / "papers" / "refinements.md").read_text(encoding="utf-8")
KINDS = {"misprint", "contradiction", "false claim"}
MODULES = {"000": "blt", "001": "kkm", "002": "cadpc", "003": "gong_parulkar", "004": "loss_load", "9438": "rfcs",
           "6349": "rfcs", "8033": "rfcs", "8290": "rfcs"}  # fmt: skip


def items(page):
    """Return the items of a page by their identifiers."""
    parts = re.split(r"^### (\d{3,4}-\d+)\n|^##? .*\n", page, flags=re.MULTILINE)[1:]
    found = [(name, text) for name, text in zip(parts[::2], parts[1::2], strict=True) if name]
    assert len(dict(found)) == len(found), "an identifier occurs twice"
    return dict(found)


def field(text, name):
    """Return a field of an item, which may go on over several lines, in one line; "" if there is none."""
    (found,) = re.findall(rf"^\*{name}:\* (.+?)(?=^\*\w+:\* |^\n|\Z)", text, re.MULTILINE | re.DOTALL) or [""]
    return " ".join(found.split())


def numbers(text):
    """Return module, call, number as printed, and "(long)" or "", of each number of an item; "..." repeats a module."""
    found, module = [], ""
    for entry in filter(None, re.split(r"; ?", field(text, "Numbers"))):
        parts = re.fullmatch(r"`([\w.]+):(\w+\(.*\))` = (-?[\d.]+(?:e-?\d+)?)( \(long\))?", entry)
        assert parts, f"{entry!r} is not `module:function(literals)` = number"
        module = module if parts[1] == "..." else parts[1]
        found.append((module, parts[2], parts[3], (parts[4] or "").strip()))
    return found


def value(module, call):
    """Return what a call gives, whose arguments are literals."""
    (expression,) = ast.parse(call).body
    given = [ast.literal_eval(one) for one in expression.value.args]
    named = {one.arg: ast.literal_eval(one.value) for one in expression.value.keywords}
    return float(getattr(importlib.import_module(module), expression.value.func.id)(*given, **named))


def half_a_unit(printed):
    """Return half a unit of the last digit of a number as printed."""
    return float(Decimal(1).scaleb(Decimal(printed).as_tuple().exponent)) / 2


OF_ERRATA, OF_REFINEMENTS = items(ERRATA), items(REFINEMENTS)
WITHDRAWN = {name: text for name, text in OF_ERRATA.items() if field(text, "Withdrawn")}
ITEMS = {name: text for name, text in (OF_ERRATA | OF_REFINEMENTS).items() if name not in WITHDRAWN}
PLACES = sorted(set(re.findall(r"`([\w./:]+:[\w]+)`", ERRATA + REFINEMENTS)))
NUMBERS = [
    pytest.param(name, *found[:3], id=f"{name} {found[1]}", marks=[pytest.mark.long] if found[3] else [])
    for name, text in ITEMS.items()
    for found in numbers(text)
]


def test_identifiers():
    """Every identifier is on one of the pages, as an item or as withdrawn, and none is given again."""
    assert not set(OF_ERRATA) & set(OF_REFINEMENTS)
    first = {"000": 6, "001": 4, "002": 3, "003": 10, "004": 6, "9438": 2, "6349": 2, "8033": 1, "8290": 2}
    for paper, count in first.items():
        given = sorted(
            int(number)
            for one, _, number in (name.partition("-") for name in {*OF_ERRATA, *OF_REFINEMENTS})
            if one == paper
        )
        assert given == list(range(1, len(given) + 1))
        assert len(given) >= count
    assert len(PLACES) > 35


@pytest.mark.parametrize("name", WITHDRAWN)
def test_withdrawn_items_have_only_a_reason(name):
    assert len(field(WITHDRAWN[name], "Withdrawn")) > 20
    assert not re.search(r"\*(?:Kind|Size|Proof|Numbers):\*", WITHDRAWN[name])


@pytest.mark.parametrize("name", ITEMS)
def test_every_item_has_a_size_a_proof_a_kind_and_numbers_that_its_text_states(name):
    text = ITEMS[name]
    assert field(text, "Size")
    assert all(place.strip("`") in PLACES for place in field(text, "Proof").split(", "))
    assert field(text, "Kind") in ({"refinement"} if name in OF_REFINEMENTS else KINDS)
    stated = text.partition("*Proof:*")[0]
    assert numbers(text)
    for module, _, printed, _ in numbers(text):
        assert module == f"derivations.errata.{MODULES[name.partition('-')[0]]}"
        assert re.search(rf"(?<![\d.]){re.escape(printed)}(?![\d]|\.\d)", stated), f"{printed} is not in the text"


@pytest.mark.parametrize(("name", "module", "call", "printed"), NUMBERS)
def test_numbers(name, module, call, printed):
    """Each is what its function gives, within half a unit of the last digit printed."""
    assert abs(value(module, call) - float(printed)) <= half_a_unit(printed) * (1 + 1e-9), name


def test_numbers_are_read_as_printed():
    text = "*Numbers:* `a.b:c(1, k=2.5)` = 0.300; `...:d()` = -12\n(long); `a.b:e()` = 1e-3\n"
    assert numbers(text) == [
        ("a.b", "c(1, k=2.5)", "0.300", ""),
        ("a.b", "d()", "-12", "(long)"),
        ("a.b", "e()", "1e-3", ""),
    ]
    # Half a unit: of the third decimal, of one, and of a thousandth.
    assert [half_a_unit(one) for one in ("0.300", "12", "1e-3")] == [0.0005, 0.5, 0.0005]
    with pytest.raises(AssertionError, match="is not `module:function"):
        numbers("*Numbers:* `a.b:c()` is 3\n")
    with pytest.raises(ValueError, match="malformed"):
        value("math", "sqrt(abs(2))")
    assert value("math", "sqrt(4)") == 2


def test_the_proofs_are_there():
    for place in PLACES:
        if "::" in place:
            path, name = place.split("::")
            assert re.search(rf"^ *def {name}\(", (ROOT / path).read_text(), re.MULTILINE), place
        else:
            module, name = place.split(":")
            assert callable(getattr(importlib.import_module(module), name)), place


def test_every_printed_expression_that_is_wrong_is_on_the_page():
    named = set(re.findall(r"`(\w+)\.as_printed`", ERRATA))
    assert named == {record.name for _, record in registered() if record.has_printed}


def test_printed_schemes_that_beat_the_optimal_time():
    """The printed optimal time is beaten at load 0.2 in table 4.7a, and nowhere else."""
    times = {
        (one.experiment, one.connection, one.load_or_size, one.scheme): float(one.milliseconds)
        for one in cells()
        if one.value and one.metric in ("transfer_time", "transfer_time_mean")
    }
    faster = {key for key, time in times.items() if time < times.get((*key[:3], "optimal"), 0.0)}
    assert faster == {(7, "1", "0.2", scheme) for scheme in ("hbh", "pp", "e2e-ef")}


def test_printed_delays_that_are_transfer_times():
    printed = {
        metric: {(one.scheme, one.load_or_size): one.value for one in cells() if one.experiment == 7 and one.value
                 and one.metric == metric}
        for metric in ("transfer_time_mean", "packet_delay_mean")
    }  # fmt: skip
    delays, times = printed["packet_delay_mean"], printed["transfer_time_mean"]
    repeated = {key for key, value in delays.items() if value == times.get(key)}
    assert repeated == {("tcp (tahoe)", "0.2"), ("decbit", "0.2")}
