"""`longfat curves`: table, CSV, files, picture, page, and one line for every mistake."""

import io
import json
import math
import re

import pandas as pd
import pytest
import xarray as xr

from longfat.cli import curves, main

pytestmark = pytest.mark.usefixtures("drawn_quickly")

PATH = ["--rate", "12Mbit/s", "--rtt", "50ms", "--scheme", "reno", "--flows", "1,2", "--replications", "2"]
PATH += ["--at", "0.3,1", "--file", "15kB"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the folder of the files of one call, and what it printed."""
    folder = tmp_path_factory.mktemp("curves")
    figures = ["--figure", str(folder / "paper.pdf"), "--figure", str(folder / "more" / "paper.SVG")]
    with pytest.MonkeyPatch.context() as patched:
        out = io.StringIO()
        patched.setattr("sys.stdout", out)
        assert main(["curves", *PATH, *figures, "--html", str(folder / "page.html"), "--output", str(folder)]) == 0
    return folder, out.getvalue()


def test_table_and_files(made):
    folder, out = made
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    kinds = {f"curves_buffer.{kind}" for kind in ("csv", "nc", "svg", "png")}
    assert names == kinds | {"paper.pdf", "more/paper.SVG", "page.html"}
    assert (folder / "paper.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "more" / "paper.SVG").read_text().startswith("<?xml")
    table = pd.read_csv(folder / "curves_buffer.csv")
    assert list(table.scheme) == ["reno"] * 4
    assert {"queueing_delay [s]", "loss_upper", "law_utilisation", "flows", "bytes"} <= set(table)
    with xr.open_dataset(folder / "curves_buffer.nc") as data:
        assert data.attrs["made_by"] == "longfat.design.curves"
        assert table.utilisation.values == pytest.approx(data.utilisation.values.ravel())
        for flows in (1, 2):
            one = float(data.utilisation.sel(scheme="reno", flows=flows, buffer=0.3))
            assert re.search(rf"^reno +{flows} +0\.3 +15 +{one:.4f} ", out, re.MULTILINE)
    assert "12 Mbit/s, round trip 50 ms: bandwidth-delay product 50 packets of 1.5 kB" in out
    assert "2 runs of each point, seed 0" in out


def test_the_page_is_one_file_with_the_numbers(made):
    folder, _ = made
    page = (folder / "page.html").read_text()
    assert not re.search(r"(src|href)=(?!\"data:,)", page)  # nothing is fetched
    sets = json.loads(re.search(r"mountCurves\(.*?, (\[.*\])\);", page)[1])
    table = pd.read_csv(folder / "curves_buffer.csv")
    panels = {one["name"]: one for one in sets[0]["panels"]}
    assert list(panels) == ["utilisation", "queueing_delay", "queueing_delay_99", "loss", "transfer_time"]
    (means,) = panels["utilisation"]["mean"]
    assert [*means[0], *means[1]] == pytest.approx(table.utilisation.tolist(), rel=1e-5)
    assert panels["queueing_delay"]["unit"] == "s"
    assert [one["factor"] for one in sets[0]["units"]] == pytest.approx([1, 50, 75000, 0.05])


def test_csv(tmp_path, capsys):
    flags = ["--at", "1", "--flows", "1", "--file", "0B", "--csv", "--output", str(tmp_path)]
    assert main(["curves", *PATH, *flags]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    pd.testing.assert_frame_equal(printed, pd.read_csv(tmp_path / "curves_buffer.csv"))
    assert "transfer_time [s]" not in printed


def test_no_file_is_left_incomplete(tmp_path, monkeypatch, capsys):
    """A page that cannot be made leaves no file, also none of the others."""

    def broken(curves):
        raise ValueError("no page")

    monkeypatch.setattr("longfat.handbook.curves_page.document", broken)
    flags = ["--at", "1", "--flows", "1", "--file", "0B", "--html", str(tmp_path / "page.html")]
    assert main(["curves", *PATH, *flags, "--figure", str(tmp_path / "a.png"), "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "longfat: no page\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_both_axes(tmp_path, capsys):
    flags = ["--over", "buffer,window", "--html", str(tmp_path / "page.html"), "--output", str(tmp_path)]
    assert main(["curves", *PATH[:-4], "--file", "15kB", *flags]) == 0
    names = {f"curves_{over}.{kind}" for over in ("buffer", "window") for kind in ("csv", "nc", "svg", "png")}
    assert {path.name for path in tmp_path.iterdir()} == names | {"page.html"}
    sets = json.loads(re.search(r"mountCurves\(.*?, (\[.*\])\);", (tmp_path / "page.html").read_text())[1])
    assert [one["axis"] for one in sets] == ["buffer", "window of each flow"]


def test_the_time_of_a_short_transfer_has_no_exponent():
    data = xr.Dataset({"transfer_time": 20.0, "law_transfer_time": 16.34}, attrs={"file": 1e6, "confidence": 0.95})
    assert "in runs of their own; 16340 ms over an empty link" in curves._remarks(data)[2]
    assert "; 3.456 ms over an empty link" in curves._remarks(data.assign(law_transfer_time=3.456e-3))[2]
    assert "short: transfers of 1 MB," in curves._remarks(data)[2]


@pytest.mark.parametrize(
    ("mean", "lower", "upper", "cell", "remarked"),
    [
        (0.1, 0.0506, 0.2, " 50.6 ..  200", False),
        (0.1, 0.0, 137.0, "below 137000", False),  # Student's interval reached below 0, and was clipped
        (math.nan, math.nan, math.nan, "-", True),
    ],
)
def test_the_interval_of_a_short_transfer(mean, lower, upper, cell, remarked):
    row = {"transfer_time": mean, "transfer_time_lower": lower, "transfer_time_upper": upper}
    assert curves.SHORT[1].cell(row) == cell
    data = xr.Dataset(row | {"law_transfer_time": 1.0}, attrs={"file": 1e6, "confidence": 0.95})
    assert ("no such transfer was complete" in " ".join(curves._remarks(data))) == remarked


def test_a_long_number_does_not_touch_its_neighbour(made):
    """The law's delay behind a buffer of a packet is 0.00399 ms: "0.02160.00399" had been printed."""
    with xr.open_dataset(made[0] / "curves_buffer.nc") as data:
        table = curves.table(data.assign(law_queueing_delay=0 * data.law_queueing_delay + 3.99e-6))
    rows = [line.split() for line in table.splitlines() if line.startswith("reno ")]
    assert [row[7] for row in rows] == ["0.00399"] * 4


def test_no_column_without_short_transfers(capsys):
    assert main(["curves", *PATH[:-4], "--at", "1", "--flows", "1", "--file", "0B"]) == 0
    assert "short" not in capsys.readouterr().out
