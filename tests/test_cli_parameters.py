"""The command line itself: help, completion, values of options, and files with schemes and laws."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from longfat import benchmark, cli, sim, verify
from longfat.cli import parameters
from longfat.design import switch_buffer, tcp_windows
from longfat.explore import server, state
from longfat.law import Law
from longfat.sim import Scheme
from longfat.sim.network import scenario

ONE = (
    "from longfat.sim import Scheme\ndef ack(flow, event):\n    return 4.0\nfour = Scheme('four', start=ack, ack=ack)\n"
)
LAW = """
from longfat.law import Symbol, law

@law(source="notes", result="[1]", x=Symbol("x", "1", "[0, 1]", typical=(0.1, 1)))
def half(x, *, xp):
    return x / 2
"""
BUFFER = ["buffer", "--rate", "1Gbit/s", "--rtt", "100ms"]
WINDOW = ["window", "--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "1e-3"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(ONE)
    (tmp_path / "law.py").write_text(LAW)
    return tmp_path


class Stopped(Exception):
    """Raised in place of the computation, with its arguments."""


@pytest.fixture
def called(monkeypatch):
    """Return the arguments that a command passes to the library, without computing anything."""

    def call(*arguments):
        def stop(*args, **kwargs):
            raise Stopped(args, kwargs)

        for module, name in ((tcp_windows, "answers"), (switch_buffer, "answered"), (benchmark, "run"),
                             (verify, "run"), (scenario, "load"), (server, "serve")):  # fmt: skip
            monkeypatch.setattr(module, name, stop)
        with pytest.raises(Stopped) as stopped:
            cli.main(list(arguments))
        return stopped.value.args

    return call


def test_bare_longfat_prints_its_help(capsys):
    assert cli.main([]) == 2  # as click does: a script that lost the command fails
    bare = capsys.readouterr()
    assert cli.main(["--help"]) == 0
    asked = capsys.readouterr()
    assert (bare.out, bare.err) == ("", asked.out)
    assert len(bare.err.splitlines()) > 10
    assert not bare.err.startswith("longfat:")


def test_commands_receive_values(called):
    """By hand: 10 Gbit/s are 1.25e9 bytes/s, 16 KiB are 16384 bytes."""
    _, given = called("window", "--rate", "8..10G", "--rtt", "80 msec", "--loss", "0.1%,1e-2", "--mss", "8948B")
    assert {name: given.get(name) for name in ("rate", "round_trip_time", "loss", "segment", "buffer", "scheme")} == {
        "rate": (1e9, 1.25e9), "round_trip_time": (0.08, 0.08), "loss": [(0.001, 0.001), (0.01, 0.01)],
        "segment": 8948, "buffer": 1.0, "scheme": "cubic",
    }  # fmt: skip
    _, given = called(*BUFFER, "--flows", "1,16", "--packet", "9 kB")
    assert (given["flows"], given["packet"], given["scheme"]) == ([1, 16], 9000, "cubic")
    assert "spread" not in given  # the library's default
    assert called(*BUFFER, "--flows", "4")[1]["flows"] == 4
    assert called(*BUFFER)[1].get("flows") is None
    assert called(*BUFFER, "--file", "10kB")[1]["file"] == 10_000
    arguments, given = called("benchmark", "--experiment", "3-4, 9b", "--scheme", "pp,mine.py:four")
    assert arguments == (["3-4", "9b"], ["pp", "mine.py:four"])
    assert (given["replications"], given["rng"]) == (10, 0)


def test_files_with_schemes_and_laws(folder, called):
    for name in ("mine.py", "mine.py:four"):
        given = called(*BUFFER, "--scheme", name)[1]["scheme"]
        assert isinstance(given, Scheme)
        assert given.name == "four"
        assert benchmark.entry(name).name == "four"
    for name in ("law.py", "law.py:half"):
        ((laws,), _) = called("verify", "--law", name, "--law", "queues.*")
        assert isinstance(laws[0], Law)
        assert (laws[0].name, laws[1]) == ("half", "queues.*")
        assert called("explore", "--law", name)[0][4] == name


def test_a_law_of_ones_own_is_verified(folder, capsys):
    assert cli.main(["verify", "--law", "law.py", "--quick", "--workers", "1"]) == 0
    assert re.search(r"^law\.half .* ok ", capsys.readouterr().out, re.MULTILINE)


def test_a_law_of_ones_own_is_explored(folder):
    assert [one.name for one in state.chosen(str(folder / "law.py")).values()] == ["half"]
    assert state.find("md1_wait").name == "md1_wait"
    assert cli.main(["explore", "--law", "law.py:half", "--output", "site"]) == 0
    assert "queues.mm1_wait" not in Path("site/index.html").read_text(encoding="utf-8")
    assert "longfatView.mount" in Path("site/laws/law/half/index.html").read_text(encoding="utf-8")


def test_a_trusted_scenario_may_lead_elsewhere(folder, capsys):
    (folder / "here").mkdir()
    (folder / "here" / "net.toml").write_text(
        'link = [{from = "a", to = "b", rate = "1 Mbit/s", buffer = 10, duplex = true}]\n'
        'flow = [{scheme = "../mine.py:four", path = ["a", "b"], file = "50 kB"}]'
    )
    assert cli.main(["simulate", "here/net.toml", "--trust"]) == 0
    assert "four" in capsys.readouterr().out


def record(command, flag):
    """An option's line in the help."""
    found = cli.commands.commands[command]
    context = click.Context(found)
    (one,) = (param for param in found.params if flag in param.opts)
    return " ".join(one.get_help_record(context))


def test_help_names_ranges_and_choices():
    assert "[default: (0)]" in record("window", "--loss")
    assert record("buffer", "--rtt").endswith("or a list.  [required]")  # that it is positive need not be said
    assert record("window", "--scheme").startswith("--scheme [cubic|reno|bbr|bbr1|dctcp] ")
    names = "E.g. cubic, reno, bbr, bbr1, dctcp, FILE.py[:SCHEME] (--list)."
    assert record("buffer", "--scheme").endswith(names)
    assert "E.g. step-marking, red, codel, fq-codel, pie, dualpi2 (--list)." in record("buffer", "--discipline")
    assert " 9a, 9b." in record("benchmark", "--experiment")


@pytest.mark.parametrize("name", ["buffer", "window"])
def test_the_help_fits_on_a_screen(name):
    text = cli.commands.commands[name].get_help(click.Context(cli.commands.commands[name], terminal_width=80))
    assert len(text.split("Options:\n")[1].splitlines()) <= 24


def test_all_names_are_listed(capsys):
    for command in ("buffer", "curves"):
        assert cli.main([command, "--list"]) == 0
        out = capsys.readouterr().out
        assert f"schemes: {', '.join(sim.schemes.names())}\n" in out
        assert ("disciplines: aggregation, avq" in out) == (command == "buffer")


@pytest.mark.parametrize("command", list(cli.commands.commands))
def test_every_option_has_a_type_and_a_sentence(command):
    for param in cli.commands.commands[command].params:
        if isinstance(param, click.Option):
            assert param.is_flag or type(param.type).__module__ == parameters.__name__, param.opts
            assert re.match(r"[A-Z].*[.\]]$", param.help), param.help


COMPLETED = [
    ("longfat buffer --scheme re", ["reno", "file re"]),
    ("longfat benchmark --scheme tahoe,re", ["tahoe,reno", "tahoe,red", "file tahoe,re"]),
    ("longfat buffer --discipline fi", ["fifo", "fifo-departures"]),
    ("longfat window --scheme b", ["bbr", "bbr1"]),
    ("longfat buffer --find b", ["buffer", "burst"]),
    ("longfat verify --law power.l", ["power.little_mean_number", "file power.l"]),
    ("longfat benchmark --experiment 1,7-0.9", ["1,7-0.9", "1,7-0.9-ramp"]),
    ("longfat window ip", ["file ip"]),
    ("longfat window --output o", ["dir o"]),
    ("longfat simulate ne", ["file ne"]),
    ("longfat buffer --scheme bad.py --find t", ["threshold"]),  # and bad.py is not run
]


@pytest.mark.parametrize(("line", "expected"), COMPLETED)
def test_completion(folder, line, expected):
    (folder / "bad.py").write_text("open('was-run', 'w').close()")
    *words, incomplete = line.split(" ")[1:]
    found = click.shell_completion.ShellComplete(cli.commands, {}, "longfat", "_LONGFAT_COMPLETE").get_completions(
        words, incomplete
    )
    assert [one.value if one.type == "plain" else f"{one.type} {one.value}" for one in found] == expected
    assert not (folder / "was-run").exists()


def test_the_shell_is_answered(folder):
    """As bash asks, by the environment."""
    environment = {
        "COMP_WORDS": "longfat buffer --scheme vega",
        "COMP_CWORD": "3",
        "_LONGFAT_COMPLETE": "bash_complete",
    }
    command = [sys.executable, "-m", "longfat.cli"]

    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["plain,vegas", "file,vega"]


def test_names_are_completed_without_compiling():
    code = (
        "from longfat.cli import parameters as p; from numba.core import event\n"
        "with event.install_recorder('numba:compile') as recorder:\n"
        "    p.schemes(), p.disciplines(), list(p.entries()), list(p.experiments()), list(p.laws())\n"
        "print(len(recorder.buffer))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "0"
