"""ERRATA.md: every erratum has its size and its proof, and every proof exists."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import derivations
from longfat.benchmark.printed import cells
from longfat.law import registered

ROOT = Path(derivations.__file__).parents[1]
PAGE = (ROOT / "ERRATA.md").read_text(encoding="utf-8")
ITEMS = dict(zip(*[iter(re.split(r"^### (\d{3}-\d+)\n", PAGE, flags=re.MULTILINE)[1:])] * 2, strict=True))
PLACES = sorted({place for text in ITEMS.values() for place in re.findall(r"`([\w./:]+:[\w]+)`", text)})


def test_items():
    papers = {"000": 6, "001": 4, "002": 3, "003": 10, "004": 6}
    assert sorted(ITEMS) == sorted(f"{paper}-{k + 1}" for paper, count in papers.items() for k in range(count))
    assert len(PLACES) > 35


@pytest.mark.parametrize("item", ITEMS)
def test_every_erratum_has_a_size_and_a_proof(item):
    text = ITEMS[item]
    assert re.search(r"^\*Size:\* .+", text, flags=re.MULTILINE)
    (proof,) = re.findall(r"^\*Proof:\* (.+)$", text, flags=re.MULTILINE)
    assert all(place.strip("`") in PLACES for place in proof.split(", "))


@pytest.mark.parametrize("place", PLACES)
def test_the_proof_is_there(place):
    if "::" in place:
        path, name = place.split("::")
        functions = {one.name for one in ast.walk(ast.parse((ROOT / path).read_text())) if hasattr(one, "name")}
        assert name in functions
    else:
        module, name = place.split(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_every_printed_expression_that_is_wrong_is_on_the_page():
    named = set(re.findall(r"`(\w+)\.as_printed`", PAGE))
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
