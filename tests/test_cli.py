"""The command line: a table, files where they are wanted, and one line for every mistake."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import xarray as xr

from longfat import cli, design

DATA = Path(__file__).parent / "data"
SELECTIVE = ["--scheme", "selective-repeat"]  # TCP: tests/test_cli_window.py
PATH = ["--rate", "150Mbit/s", "--rtt", "20ms", "--loss", "1e-4,1e-2", "--points", "4", *SELECTIVE]


def test_table_and_files(tmp_path, capsys):
    assert cli.main(["window", *PATH, "--output", str(tmp_path / "out")]) == 0
    files = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert files == ["window.csv", "window.nc", "window.png", "window.svg"]
    out, err = capsys.readouterr()
    assert err == ""
    expected = design.window(
        rate="150Mbit/s", round_trip_time="20ms", loss="1e-4,1e-2", segment="16KiB", packet="1024B", points=4, rng=0,
    )  # fmt: skip
    # The table's figures are the Dataset's.
    for row, line in zip(
        (expected.isel(loss=0), expected.isel(loss=1)),
        [line for line in out.splitlines() if re.search(r"  (law|law, near|simulator)$", line)],
        strict=True,
    ):
        words = line.split()
        assert float(words[0]) == float(row.loss)
        assert int(words[1]) == int(row.window_segments)
        assert float(words[4]) == pytest.approx(float(row.window_bdp), abs=1e-3)
        assert row.source.item() in words[-2:] or words[-2] == f"{row.source.item()},"
    assert "2.5 BDPs (937.5 kB, 57 segments)" in out  # 2.5 * 375 kB = 57.2 * 16384 B
    with xr.open_dataset(tmp_path / "out" / "window.nc") as data:
        assert data.load().window_segments.equals(expected.window_segments)
        assert data.attrs["rate"] == 150e6 / 8
    table = pd.read_csv(tmp_path / "out" / "window.csv")
    assert list(table.kind.value_counts().sort_index()) == [2, 8, 2, 2]  # answers, curve, buffers, references
    assert set(table.protocol) == {"selective repeat, no congestion control"}
    assert (table[table.kind == "answer"].window_segments == expected.window_segments.values).all()
    assert (tmp_path / "out" / "window.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    "arguments",
    [
        ["window", *PATH],
        ["window", *PATH[:4], "--no-simulation"],
        ["buffer", "--rate", "12Mbit/s", "--rtt", "60ms", "--replications", "2"],
        ["curves", *PATH[:4], "--scheme", "reno", "--flows", "1", "--at", "0.1", "--file", "0B", "--replications", "2"],
        ["loss-load", *PATH[:4], "--loss", "9%", "--sources", "1", "--file", "9kB", "--k", "2", "--points", "2"],
    ],
)
def test_no_file_is_written_unasked(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_receive_buffer(tmp_path, capsys):
    path = ["--rate", "150Mbit/s", "--rtt", "20ms", "--loss", "1e-4", "--points", "2", *SELECTIVE]
    assert cli.main(["window", *path, "--tradeoff", "2", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"0\.0001 +1 +16 KiB +4\.2%", out)  # 1 of 24 segments
    assert "24/1  96/1" in out
    # What the answer is for is said before its numbers can be mistaken.
    parts = [out.index(words) for words in ("375 kB", "no congestion control", "NOT TCP", "NOT a TCP receive buffer")]
    assert parts == sorted(parts)
    assert "sysctl" not in out
    assert {"receive_buffer.png", "receive_buffer.svg"} <= {p.name for p in tmp_path.iterdir()}
    table = pd.read_csv(tmp_path / "window.csv")
    assert list(table[table.kind == "trade-off"].receive_buffer_segments) == [1, 1]
    assert cli.main(["window", *path, "--tradeoff", "-1", "--output", str(tmp_path)]) == 2
    assert "tradeoff = -1" in capsys.readouterr().err


def test_from_measurements(tmp_path, capsys):
    measured = ["--iperf3", str(DATA / "iperf3_udp.json"), "--ping", str(DATA / "ping.txt")]
    arguments = ["window", *measured, "--points", "2", *SELECTIVE]
    assert cli.main([*arguments, "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "round trip 20.464 ms" in out  # ping's minimum
    assert "remark" in out
    assert "estimate" in out
    with xr.open_dataset(tmp_path / "window.nc") as data:
        assert float(data.loss[()]) == pytest.approx(6 / 7142)
        assert "iperf3" in data.attrs["remarks"]
    # A flag wins over a measurement.
    assert cli.main([*arguments, "--rtt", "35ms", "--output", str(tmp_path)]) == 0
    assert "round trip 35 ms" in capsys.readouterr().out


def test_remarks_are_on_what_was_used(tmp_path, capsys):
    arguments = [
        "window",
        "--iperf3",
        str(DATA / "iperf3_tcp.json"),
        "--points",
        "2",
        *SELECTIVE,
        "--output",
        str(tmp_path),
    ]

    def remarks(*flags, words):
        assert cli.main([*arguments, *flags]) == 0
        out = capsys.readouterr().out
        assert words in out
        assert ("used for packets" in out) == ("--packet" in flags and "--loss" not in flags)
        shown = [line.split()[1] for line in out.splitlines() if line.startswith("remark")]
        with xr.open_dataset(tmp_path / "window.nc") as data:
            stored = [remark.split()[0] for remark in data.attrs["remarks"].splitlines()]
        assert shown == stored
        return shown

    # 11 x 1448 = 15928, the most whole packets of the measurement in 16 KiB
    measured = "segments of 15.928 kB in 11 packets"
    assert remarks(words=measured) == ["rate:", "loss:", "packet:", "round_trip_time:"]
    assert remarks("--rate", "10Gbit/s", "--rtt", "80ms", words=measured) == ["loss:", "packet:"]
    other = ("--packet", "1024B", "--segment", "16KiB")
    said = "loss: measured for packets of 1448 bytes, used for packets of 1024 bytes"
    assert "packet:" not in remarks(*other, words=said)
    given = ("--rate", "1Gbit/s", "--rtt", "8ms", "--loss", "0.1%")
    assert remarks(*given, *other, words=" in 16 packets") == []


def test_what_is_missing_is_named(capsys, tmp_path):
    assert cli.main(["window", "--rate", "1Gbit/s", "--loss", "0", *SELECTIVE, "--output", str(tmp_path)]) == 2
    assert "--rtt is missing" in capsys.readouterr().err
    assert cli.main(["widnow"]) == 2
    assert "widnow" in capsys.readouterr().err


def test_malformed_iperf3(tmp_path, capsys):
    (tmp_path / "bad.json").write_text('{"end": ')
    assert cli.main(["window", "--iperf3", str(tmp_path / "bad.json"), "--output", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert "bad.json" in err
    assert err.count("\n") == 1


def test_interrupted(tmp_path, monkeypatch, capsys):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(design, "window", interrupt)
    assert cli.main(["window", *PATH, "--output", str(tmp_path)]) == 130
    assert capsys.readouterr().err.strip() == "longfat: interrupted, no file was written"
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_in_the_middle(tmp_path):
    """A run of minutes ends at once when it is interrupted, and leaves no file."""
    program = Path(sys.executable).parent / "longfat"
    arguments = [program, "window", *PATH, "--loss", "0.5,0.6,0.7", "--points", "10000", "--output", tmp_path]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(5)  # into the simulation
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == ""
    assert "longfat: interrupted, no file was written" in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_as_a_program(tmp_path):
    """The installed command, with its real standard streams."""
    program = Path(sys.executable).parent / "longfat"
    help_text = subprocess.run([program, "window", "--help"], capture_output=True, text=True, check=True).stdout
    assert "--iperf3" in help_text
    bad = subprocess.run([program, "window", "--rate", "nan bit/s"], capture_output=True, text=True, cwd=tmp_path)
    assert (bad.returncode, bad.stdout, bad.stderr.count("\n")) == (2, "", 1)
    assert "Traceback" not in bad.stderr
