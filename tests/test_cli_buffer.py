"""`longfat buffer`: table, JSON, CSV, four files, and one line for every mistake."""

import io
import json

import pandas as pd
import pytest
import xarray as xr

from longfat.cli import main
from longfat.cli.buffer import _sayable, _table

PATH = ["--rate", "1Gbit/s", "--rtt", "100ms", "--bdp", "60", "--points", "2", "--replications", "2"]


def test_table_and_files(tmp_path, capsys):
    assert main(["buffer", *PATH, "--output", str(tmp_path / "out")]) == 0
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [
        f"buffer.{kind}" for kind in ("csv", "nc", "png", "svg")
    ]
    out, err = capsys.readouterr()
    assert err == ""
    assert "bandwidth-delay product 12.5 MB, 8333.3 packets" in out
    assert "Buffer of the switch (not a socket buffer, not tcp_rmem) for 95% of the capacity" in out
    with xr.open_dataset(tmp_path / "out" / "buffer.nc") as data:
        for rule in data.rule.values:
            line = next(one for one in out.splitlines() if one[7:23].strip() == rule)
            row = data.sel(rule=rule)
            assert f"{float(row.buffer_bdp):.4g}" in line
            assert f"{float(row.share):.4f}" in line
            assert line.endswith(str(row.status.values))
        table = pd.read_csv(tmp_path / "out" / "buffer.csv")
        assert list(table.rule) == [*data.rule.values, "curve", "curve"]
        assert table.buffer_bytes[:5].values == pytest.approx(data.buffer_bytes.values)
    assert (tmp_path / "out" / "buffer.svg").read_text().startswith("<?xml")


def test_json(tmp_path, capsys):
    flags = ["--flows", "1,2", "--scheme", "gaimd-window", "--share", "0.9", "--output", str(tmp_path)]
    assert main(["buffer", *PATH, *flags, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["path"]["decrease"] == 7 / 8
    assert [row["flows"] for row in answer["rules"]] == [1] * 5 + [2] * 5
    assert len(answer["curve"]) == 4
    assert answer["rules"][0]["law_apart"] is None  # one flow is not many
    assert answer["rules"][0]["buffer_bytes"] == pytest.approx(12.5e6)
    assert answer["path"]["access_rate"] is None  # unlimited


def test_power_and_csv(tmp_path, capsys):
    path = ["--rate", "30Mbit/s", "--rtt", "6ms", "--packet", "500B", "--points", "2", "--replications", "2"]
    files = ["--file", "20kB", "--loads", "0.6", "--scheme", "newreno", "--access", "100Mbit/s"]
    assert main(["buffer", *path, *files, "--csv", "--output", str(tmp_path)]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    pd.testing.assert_frame_equal(printed, pd.read_csv(tmp_path / "buffer.csv"))
    with xr.open_dataset(tmp_path / "buffer.nc") as data:
        assert data.attrs["file"] == 20_000
        assert data.power.attrs["units"] == "bytes/s^2"
        table = _table(data.load())
    assert printed.best_load.dropna().eq(0.6).all()
    assert {"power [bytes/s^2]", "throughput_upper [bytes/s]", "queueing_delay [s]", "buffer_bytes"} <= set(printed)
    assert "for 95% of the greatest power" in table
    assert table.endswith("reached")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--rate", "0bit/s"], "rate = "),
        (["--rtt", "0s"], "rtt = 0 s"),
        (["--share", "0"], "share = 0"),
        (["--flows", "1,x"], "flows must be an integer in"),
        (["--flows", "3,3"], "flows = [3, 3]"),
        (["--scheme", "rino"], "rino"),
        (["--discipline", "fifi"], "fifi"),
        (["--decrease", "2"], "decrease = 2"),
        (["--spread", "100%"], "spread = "),
        (["--points", "many"], "points must be an integer in"),
        (["--loads", "0.5"], "--loads needs --file"),
        (["--bdp", "1"], "bdp = 1"),
        (["--search", "guess"], "search 'guess' is unknown; available: bisect, scan"),
        (["--access", "0B/s"], "access = "),
        (["--json", "--csv"], "--json and --csv exclude each other"),
        (["--file", "10kB"], "--bdp and --file exclude each other"),
        (["--output", "/proc/nowhere"], "output = /proc/nowhere cannot be written to"),
        (["--colour"], "option '--colour' is unknown; available: --access"),
    ],
)
def test_one_line_and_status_2(tmp_path, monkeypatch, capsys, flags, words):
    monkeypatch.chdir(tmp_path)
    assert main(["buffer", *PATH, *flags]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.startswith("longfat: ")
    assert list(tmp_path.iterdir()) == []


def test_what_is_missing_is_named(capsys):
    assert main(["buffer", "--rate", "1Gbit/s"]) == 2
    assert "--rtt" in capsys.readouterr().err


def test_a_terminal_without_greek(monkeypatch):
    class Stream(io.StringIO):
        encoding = "ascii"

    monkeypatch.setattr("sys.stdout", Stream())
    assert _sayable("±10%, 3 bytes/s²") == "+-10%, 3 bytes/s^2"
