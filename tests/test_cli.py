"""The command line: a table, files where they are wanted, and one line for every mistake."""

from pathlib import Path

import pytest
import xarray as xr

from longfat import cli

pytestmark = pytest.mark.usefixtures("drawn_quickly")

DATA = Path(__file__).parent / "data"
PATH = ["--rate", "150Mbit/s", "--rtt", "20ms", "--loss", "1e-4"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["window", *PATH[:4]],
        ["window", *PATH, "--no-simulation"],
        ["buffer", "--rate", "12Mbit/s", "--rtt", "60ms", "--replications", "2"],
        ["curves", *PATH[:4], "--scheme", "reno", "--flows", "1", "--at", "0.1", "--file", "0B", "--replications", "2"],
    ],
)
def test_no_file_is_written_unasked(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_from_measurements(tmp_path, capsys):
    files = [str(DATA / "iperf3_udp.json"), str(DATA / "ping.txt")]
    arguments = ["window", *files, "--no-simulation", "--verbose", "--output", str(tmp_path)]
    assert cli.main(arguments) == 0
    out = capsys.readouterr().out
    assert "round trip 20.464 ms" in out  # ping's minimum
    assert "remark" in out
    assert "estimate" in out
    with xr.open_dataset(tmp_path / "window.nc") as data:
        # The flow may have caused all of its losses: from none to Garwood's upper end for 6 events, 13.06 (his table)
        assert float(data.loss_high) == pytest.approx(13.06 / 7142, rel=1e-3)
        assert "iperf3" in data.attrs["remarks"]
    # A flag wins over a measurement.
    assert cli.main([*arguments, "--rtt", "35ms"]) == 0
    assert "round trip 35 ms" in capsys.readouterr().out


def test_remarks_are_on_the_measurements_used(tmp_path, capsys):
    arguments = ["window", str(DATA / "iperf3_tcp.json"), "--no-simulation", "--verbose", "--output", str(tmp_path)]

    def remarks(*flags):
        assert cli.main([*arguments, *flags]) == 0
        lines = capsys.readouterr().out.splitlines()
        shown = [line.split()[1] for line in lines if line.startswith("remark")]
        # the short answer begins with the assumption on losses
        shown += ["loss:" for line in lines if line.startswith("losses ")]
        with xr.open_dataset(tmp_path / "window.nc") as data:
            stored = [remark.split()[0] for remark in data.attrs["remarks"].splitlines()]
        assert sorted(shown) == sorted(stored)
        return set(shown)

    assert {"rate:", "loss:", "packet:", "round_trip_time:"} <= remarks()
    assert not remarks("--rate", "1Gbit/s", "--rtt", "8ms", "--loss", "0.1%") & {"rate:", "loss:", "round_trip_time:"}
