"""The suite of paths: LEDBAT++ as written and as a field report read it, the criterion by hand, and the command."""

import json

import pytest
import xarray as xr

from longfat.cli import main
from longfat.design import scheme_paths as paths

#: SSTHRESH is set behind the reduction, and the round trips with 2 packets do not count: a slowdown in each round trip.
MISREAD = """
from dataclasses import replace
from longfat.sim import inline
from longfat.sim.schemes import ledbat_plus_plus as module

as_written = inline(module.ack)

def misread(flow, event):
    if flow.phase == module.AVOIDANCE and event.now >= flow.next_slowdown:
        flow.window = 2.0
    window = as_written(flow, event)
    if flow.phase == module.AVOIDANCE:
        flow.next_slowdown = max(flow.next_slowdown, flow.entered + flow.srtt)
    return window

MISREAD = replace(module.LEDBAT_PLUS_PLUS, name="misread", ack=misread)(freeze=0)
"""
FEW = {"round_trips": [0.001, 0.137], "buffers": [0.5, 2.0], "losses": [0.0], "progress": False}


def test_a_misread_ledbat_is_broken_at_137_ms_and_the_right_one_is_not(tmp_path):
    """A field report: green tests at low latency, a collapse at 137 ms (docs/rules/delay-based.md)."""
    (tmp_path / "mine.py").write_text(MISREAD)
    wrong, right = paths.run(f"{tmp_path / 'mine.py'}:MISREAD", **FEW), paths.run("ledbat-plus-plus", **FEW)
    assert wrong.far.sel(round_trip=0.137).all()
    assert not wrong.far.sel(round_trip=0.001).any()  # what the tests of the report saw
    assert not right.far.any()
    said = paths.to_text(wrong)
    assert said.startswith("misread alone on paths of 20 Mbit/s")
    assert "far from it in 2 of 4 cells, at round trips of 137 ms" in said
    assert len(said.splitlines()) <= 20


def point(goodput, delay, dropped):
    values = {"goodput_share": goodput, "queueing_delay": delay, "dropped_share": dropped}
    return xr.Dataset(values, coords={"round_trip": 0.1})


@pytest.mark.parametrize(
    ("mine", "is_far"),
    [
        ((0.9, 0.02, 0.001), False),
        ((0.236, 0.02, 0.001), False),
        ((0.234, 0.02, 0.001), True),  # 0.94/4 is 0.235
        ((0.9, 0.079, 0.001), False),
        ((0.9, 0.081, 0.001), True),  # four times the delay, and more by a tenth of the round trip
        ((0.9, 0.02, 0.0109), False),
        ((0.9, 0.02, 0.0111), True),  # more by a hundredth
    ],
)
def test_the_criterion(mine, is_far):
    cubic = point(0.94, 0.02, 0.001)
    assert bool(paths.far(point(*mine), cubic)) == is_far


def test_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(paths, "run", lambda scheme, real=paths.run, **more: real(scheme, **{**FEW, **more}))
    call = ["benchmark", "--suite", "paths", "--scheme", "vegas"]
    assert main([*call, "--figure", str(tmp_path / "paths.png"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 8  # two schemes
    assert (tmp_path / "paths.png").stat().st_size > 10_000
