"""`longfat benchmark`: what it prints and writes, and what it says when it is asked wrongly."""

import csv
import io
import json

import pytest

from longfat.cli import main
from tests.test_benchmark import BROKEN

pytestmark = pytest.mark.usefixtures("drawn_quickly")


def asked(capsys, *words):
    status = main(["benchmark", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_table(capsys):
    status, out, err = asked(capsys, "--experiment", "3", "--scheme", "optimal,pp")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "Experiment 3: short files, no cross traffic; ms, in brackets as printed"
    assert "44.4 (44.4)" in out
    assert "(146)" in out


def test_rows(capsys):
    _, text, _ = asked(capsys, "--experiment", "3-20", "--scheme", "hbh", "--csv")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["experiment"], row["scheme"], row["metric"], row["unit"]) == ("3", "hbh", "transfer_time", "ms")
    assert float(row["value"]) == pytest.approx(71, rel=0.01)
    _, text, _ = asked(capsys, "--experiment", "3-20", "--scheme", "hbh", "--json")
    (one,) = json.loads(text)
    assert one["value"] == float(row["value"])
    assert one["printed"] == 73


def test_files(capsys, tmp_path):
    folder = tmp_path / "out"
    _, first, _ = asked(capsys, "--experiment", "3-4", "--scheme", "reno", "--output", str(folder))
    names = {f"benchmark.{kind}" for kind in ("csv", "md", "nc")}
    assert {path.name for path in folder.iterdir()} == names | {"runs"}
    _, again, _ = asked(capsys, "--experiment", "3-4", "--scheme", "reno", "--output", str(folder))
    assert again == first


def test_a_scheme_that_fails(capsys, tmp_path):
    file, folder = tmp_path / "broken.py", tmp_path / "out"
    file.write_text(BROKEN)
    status, out, err = asked(
        capsys, "--experiment", "3-4", "--scheme", f"optimal,{file}", "--output", str(folder), "--replications", "1"
    )
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("longfat: experiment 3-4: scheme 'broken', ack, flow '1' at 0.0441944 s: ")
    assert f"finished runs are kept in {folder / 'runs'}" in err
    assert not (folder / "benchmark.csv").exists()


def test_interrupted(capsys, tmp_path, monkeypatch):
    from longfat import benchmark

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(benchmark, "run", stop)
    status, _, err = asked(capsys, "--output", str(tmp_path / "o"))
    assert status == 130
    assert "the same call continues from them" in err
