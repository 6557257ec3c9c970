"""`longfat testbed`: tables, JSON, pictures, and one line for what is missing or refused."""

import json
import re
import sys

import pytest
import xarray as xr

from longfat import cli, testbed
from longfat.sim.network import scenario
from longfat.testbed import datasets, runs
from longfat.testbed.one_run import Trust
from tests.testbed import stand_in

RENO = """
name = "one Reno flow"
link = [{from = "a", to = "b", rate = "20 Mbit/s", delay = "10 ms", buffer = 25, duplex = true}]
flow = [{name = "reno", scheme = "sack", path = ["a", "b"], packet = 1500, ack_path = "ideal"}]
run = {duration = "3 s", warm_up = "1 s", rng = 2}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a scenario, and the simulator in Linux's place."""
    monkeypatch.setattr(datasets, "outcomes", stand_in.outcomes)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.toml").write_text(RENO)
    return tmp_path


def answer(capsys, *arguments):
    assert cli.main(["testbed", "./net.toml", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys, *arguments, file="./net.toml"):
    assert cli.main(["testbed", file, *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_the_table_is_that_of_a_simulation(folder, capsys):
    out = answer(capsys)
    assert cli.main(["simulate", "./net.toml"]) == 0
    simulated = capsys.readouterr().out
    # all but the line with events and computing time
    assert out.splitlines()[:7] == simulated.splitlines()[:7]
    assert out.splitlines()[0] == "one Reno flow: 3 s, counted from 1 s on"
    assert out.splitlines()[-1] == "Linux 6.18.0: packets at most 3 ms late"


def test_json_has_the_same_keys(folder, capsys):
    made = json.loads(answer(capsys, "--json", "--replications", "2"))
    assert cli.main(["simulate", "./net.toml", "--json"]) == 0
    simulated = json.loads(capsys.readouterr().out)
    assert set(made) == {*simulated, "testbed"}
    assert made["run"].keys() == simulated["run"].keys()
    assert made["flows"][0]["goodput"] == pytest.approx(simulated["flows"][0]["goodput"])
    assert made["flows"][0]["goodput_upper"] >= made["flows"][0]["goodput"]
    assert made["run"]["conservation"]["balanced"] is True
    assert (made["run"]["events"], made["run"]["deterministic"], made["run"]["seed"]) == (None, False, "2")
    assert (made["testbed"]["release"], made["testbed"]["repeated"]) == ("6.18.0", 0)


def test_side_by_side(folder, capsys):
    """The figures of the rows are those of the Dataset, the law's the law's, and equal sides do not differ."""
    out = answer(capsys, "--compare")
    data = testbed.compare(scenario.load("./net.toml")[0], duration=3, warm_up=1, rng=2, progress=False)
    line = next(line for line in out.splitlines() if "utilisation" in line and line.startswith("a-b"))
    carried = f"{100 * float(data.utilisation.sel(face='Linux', link='a-b')):.4g}%"
    law = f"{100 * float(data.law_value[0]):.4g}%"
    assert re.split(r"  +", line) == ["a-b", "utilisation", carried, carried, "+0%", law]
    assert "law of utilisation: tcp.aimd_utilisation_general" in out
    assert "law of mean_queue: tcp.aimd_mean_queue" in out
    assert "b-a" not in out  # nothing happens there


def test_side_by_side_as_json(folder, capsys):
    made = json.loads(answer(capsys, "--compare", "--json"))
    assert set(made) == {"simulator", "Linux", "laws"}
    assert made["simulator"]["links"][0]["utilisation"] == pytest.approx(made["Linux"]["links"][0]["utilisation"])
    assert [(one["quantity"], one["of"], one["law"]) for one in made["laws"]] == [
        ("utilisation", "a-b", "tcp.aimd_utilisation_general"), ("mean_queue", "a-b", "tcp.aimd_mean_queue"),
    ]  # fmt: skip


def test_the_simulated_side_knows_the_round_trip_of_the_handshake(folder, capsys):
    """BBR paces its first packets by it; `testbed.compare` does the same."""
    (folder / "net.toml").write_text(RENO.replace('"sack"', '"bbr1"'))
    made = json.loads(answer(capsys, "--compare", "--json"))
    data = testbed.compare(scenario.load("./net.toml")[0], duration=3, warm_up=1, rng=2, progress=False)
    assert made["simulator"]["flows"][0]["goodput"] == float(data.goodput.sel(face="simulator")[0])
    assert made["simulator"]["links"][0]["mean_queue"] == float(data.mean_queue.sel(face="simulator", link="a-b"))


@pytest.mark.long
def test_pictures_and_files(folder, capsys):
    answer(capsys, "--compare", "--figure", "both.svg", "--output", "out")
    text = (folder / "both.svg").read_text()
    assert text.startswith("<?xml")
    names = sorted(path.name for path in (folder / "out").iterdir())
    assert names == ["flows.csv", "links.csv", "run.nc", "traces.png", "traces.svg"]
    with xr.open_dataset(folder / "out" / "run.nc") as data:
        assert data.attrs["made_by"] == "longfat.testbed.run"
        assert data.sizes["time"] == 1001
    answer(capsys, "--figure", "one.png")
    assert (folder / "one.png").read_bytes().startswith(b"\x89PNG")


def test_one_line_says_what_is_missing(folder, capsys, monkeypatch):
    """The real `longfat.testbed.runs.outcomes` finds no devices, as in a container without rights."""
    monkeypatch.setattr(datasets, "outcomes", runs.outcomes)
    monkeypatch.setattr(runs, "missing", lambda controls: ["/dev/net/tun is missing", "there is no program ip"])
    err = refused(capsys, "--output", "out")
    assert err == "longfat: /dev/net/tun is missing; there is no program ip\n"
    assert not (folder / "out").exists() or not list((folder / "out").iterdir())


LATE = Trust(late=0.5, packets=100, drops=0)


def test_spoilt_runs_are_counted(folder, capsys, monkeypatch):
    monkeypatch.setattr(datasets, "outcomes", lambda *_, **given: stand_in.outcomes(*_, **given, rejected=[LATE, LATE]))
    assert answer(capsys).endswith("packets at most 3 ms late, 2 repeated\n")


@pytest.mark.parametrize(("error", "words"), [
    (runs.RejectedRun(f"spoilt by the machine's load: {LATE}"), "50 % of 100 packets were later than 2 ms"),
    (runs.Killed("the process of the run ended with status -9"), "the process of the run ended with status -9"),
])  # fmt: skip
def test_runs_that_end_early_are_reported(folder, capsys, monkeypatch, error, words):
    def ended(*_, **given):
        raise error

    monkeypatch.setattr(datasets, "outcomes", ended)
    assert words in refused(capsys)


def test_the_list_is_that_of_simulate(capsys):
    assert cli.main(["testbed", "--list"]) == 0
    listed = capsys.readouterr().out
    assert cli.main(["simulate", "--list"]) == 0
    assert capsys.readouterr().out == listed


def test_a_terminal_shows_the_expected_duration(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert cli.main(["testbed", "./net.toml", "--replications", "2"]) == 0
    assert capsys.readouterr().err == "longfat: 2 x 3 s in real time, 6 s in total\n"
