"""Suites of situations: their cases as data, measurements by hand, one cheap case of each suite from end to end."""

import csv
import io
import json
import math

import numpy as np
import pytest

from longfat.benchmark import ENTRIES, suites
from longfat.benchmark.suites import running
from longfat.benchmark.suites.case import NAMES, Case, Expectation, Probe
from longfat.benchmark.suites.running import SAMPLED, Observed
from longfat.cli import main
from longfat.sim import schemes
from longfat.sim.runs import results

OF_COUNTS = ("sum", "mean", "min", "max", "jain", "share", "last")
CASES = [case for name in NAMES for case in suites.suite(name).cases]


def test_every_test_case_of_the_draft_is_there():
    assert [case.section for case in suites.suite("bbr").cases] == [f"A.{k}" for k in range(1, 23)]


def test_every_section_of_criteria_is_there():
    """RFC 9743, sections 5.1.1 to 5.2.3, 6.1 to 6.4 and 7.1 to 7.9; RFC 9743, section 5.3, asks for texts."""
    sections = {case.section for case in suites.suite("bcp133").cases}
    wanted = {f"5.1.{k}" for k in range(1, 6)} | {f"5.2.{k}" for k in range(1, 4)} | {f"6.{k}" for k in range(1, 5)}
    assert wanted | {f"7.{k}" for k in range(1, 10)} <= sections


@pytest.mark.parametrize("case", CASES, ids=lambda one: f"{one.suite}-{one.name}")
def test_cases_are_complete(case):
    """The network can be built, and each expectation has a measurement that exists, with bounds in order."""
    reno = schemes.scheme("reno")
    net, options = case.network(reno, reno, {})
    names = {
        "flow": [name for flow in net.flows for name in flow.names],
        "link": [one.name for one in net.links.values()],
    }
    assert options["duration"] > options.get("warm_up", 0)
    expectations = case.expectations({})
    assert bool(expectations) != bool(case.not_run)
    for one in expectations:
        assert one.rule
        assert one.within is None or one.within[0] <= one.within[1]
        assert not one.never or one.within == (0, 0)
        assert not one.visits or one.within == (1, 1)
        probes = [one.probe] if not (one.visits or one.never) else []
        while probes:
            probe = probes.pop()
            assert bool(probe.field) != bool(probe.count)
            assert probe.how in (OF_COUNTS if probe.count else (*SAMPLED, "time"))
            if probe.count:
                dimension = results.QUANTITIES[probe.count][0]
                assert any(name.startswith(probe.of) for name in names[dimension])
            else:
                assert case.sample > 0
            probes += [probe.per] if isinstance(probe.per, Probe) else []
        phases = suites.suite(case.suite).phases
        assert {part for name in (*one.visits, *one.never) for part in name.split("|")} <= set(phases)


#: Ten samples: A at 1 to 3 s, B at 4 to 6 s, A at 7 and 8 s, C at 9 and 10 s.
SEEN = Observed(
    {"time": np.arange(1.0, 11.0), "phase": np.array([0, 0, 0, 1, 1, 1, 0, 0, 2, 2.0]), "x": np.arange(10.0) ** 2},
    {"goodput": np.array([1.0, 3.0, 4.0]), "utilisation": np.array([0.5, 0.75])},
    ["tested-1", "tested-2", "other"], ["a-b", "b-a"], ("A", "B", "C"), False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("probe", "value"),
    [
        (Probe("x", how="first", during="B"), 9.0),
        (Probe("x", how="last", during="A"), 4.0),
        (Probe("x", how="last", during="A", visit=2), 49.0),
        (Probe("x", how="last", during="A", visit=-1), 49.0),
        (Probe("x", how="first", during="A", after=3.5), 36.0),
        (Probe("time", how="first", during="B", plus=0.5), 4.5),
        (Probe("x", how="next", during="B"), 36.0),
        (Probe("x", how="time", during="B"), 3.0),
        (Probe("x", how="change", during="B|C"), 16.0),
        (Probe("x", how="max", begin=2, end=4, per=3), 3.0),
        (Probe("x", how="mean", begin=2, end=4), 14 / 3),
        (Probe("x", during="C", per=Probe("x", how="first", during="C")), 81 / 64),
        (Probe("x", during="A", visit=3), math.nan),
        (Probe("y"), math.nan),
        (Probe(count="goodput", how="share", of="tested"), 0.5),
        (Probe(count="goodput", how="jain", of="tested"), 0.8),  # 4^2/(2 (1 + 9))
        (Probe(count="utilisation", of="a-b"), 0.5),
    ],
)
def test_measurements_by_hand(probe, value):
    assert running.value_of(Expectation("", probe=probe), SEEN) == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize(
    ("visits", "never", "after", "value"),
    [
        (("A", "B"), (), 0.0, 1), (("A", "B|C"), (), 5.0, 1), (("A", "B"), (), 5.0, 0), (("B", "C"), (), 0.0, 0),
        ((), ("B", "C"), 0.0, 2), ((), ("B",), 5.0, 0),
    ],
)  # fmt: skip
def test_phases_by_hand(visits, never, after, value):
    assert running.value_of(Expectation("", probe=Probe(after=after), visits=visits, never=never), SEEN) == value


def test_a_scheme_without_phases_has_no_value():
    found = suites.run("bbr", "reno", ["a02"], progress=False)
    assert {one.verdict for one in found} == {"no value"}


def test_a_case_of_bbr():
    """DRAIN ends on inflight; at 10 Mbit/s and 40 ms."""
    found = suites.run("bbr", cases=["a03"], progress=False)
    assert {one.verdict for one in found} == {"pass"}
    assert found[0].value == 0.5
    assert "| step | rule |" in suites.to_markdown("bbr", found)


MINE = """
from longfat.sim import Scheme

def keep(flow, event):
    return 20.0

mine = Scheme("mine", start=keep, ack=keep, loss=keep, timeout=keep)
"""


def test_a_case_of_bcp_133_for_a_scheme_of_ones_own(tmp_path, capsys):
    """A window of 20 packets in a round trip of 40.8 ms uses 20 * 8000 bit/40.8 ms, 39 % of 10 Mbit/s."""
    (tmp_path / "mine.py").write_text(MINE)
    words = ["benchmark", "--suite", "bcp133", "--scheme", f"{tmp_path}/mine.py:mine", "--experiment", "wired"]
    assert main([*words, "--replications", "2", "--output", str(tmp_path / "out"), "--csv"]) == 0
    text = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert float(rows[0]["value"]) == pytest.approx(0.392, abs=0.005)
    assert float(rows[0]["reference"]) > 0.8
    assert float(rows[0]["lower"]) < float(rows[0]["value"]) < float(rows[0]["upper"])
    assert {one.name for one in (tmp_path / "out").iterdir()} == {"bcp133.csv", "bcp133.md", "runs"}
    assert (tmp_path / "out" / "bcp133.csv").read_text().rstrip("\n") == text.rstrip("\n")
    assert "RFC 9743" in (tmp_path / "out" / "bcp133.md").read_text()
    assert main([*words, "--replications", "2", "--output", str(tmp_path / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["value"] == pytest.approx(float(rows[0]["value"]))


HASTY = """
from longfat.sim import Parameter, Scheme

def keep(flow, event):
    return 20.0

mine = Scheme(
    "mine", start=keep, ack=keep, loss=keep, timeout=keep,
    parameters={"longest": Parameter(1.0, "s", "(0, 9]", "max_rto")},
)
"""


def test_a_failure_is_an_exit_status(capsys, tmp_path):
    """A scheme that sends 20 packets per second for ever has no full backoff."""
    (tmp_path / "mine.py").write_text(HASTY)
    assert main(["benchmark", "--suite", "bcp133", "--scheme", f"{tmp_path}/mine.py", "--experiment", "collapse"]) == 1
    assert "Transmissions in 120 s without any acknowledgment (sum sent" in capsys.readouterr().out


SEED = np.random.SeedSequence(1)


def test_placeholders_are_found_in_a_first_run(monkeypatch):
    """The time at which the second value of `phase` begins, and a field then; without the phase nothing has a value."""
    text = (
        'find = [{name = "t", during = "B", plus = 0.12345678, before = "9"},\n'
        '{name = "x", during = "B", field = "x", before = "1"}]\n'
        "[[expect]]\nrule = 'r'\nfield = 'x'\nbegin = $t\nper = $x\n[[expect]]\nrule = 's'\nnever = ['B']\n"
    )
    case = Case("bbr", "c", "", "", text)
    assert case.expectations({"t": "4"})[0].probe.begin == 4.0
    assert case.fields() == {"phase", "time", "x"}
    asked = []

    def observe(case, tested, reference, rng, found):
        assert (tested.name, reference.name) == ("reno", "vegas")
        asked.append(dict(found))
        return SEEN

    monkeypatch.setattr(running, "observe", observe)
    assert running.measure(case, ENTRIES["reno"], ENTRIES["vegas"], SEED) == {"e0": 81 / 9, "e1": 1.0, "random": 0.0}
    assert asked == [{}, {"t": "4.12345678"}, {"t": "4.12345678", "x": "9"}]
    never = Case("bbr", "c", "", "", text.replace('"B"', '"D"'))
    assert running.measure(never, ENTRIES["reno"], ENTRIES["vegas"], SEED) == pytest.approx(
        {"e0": math.nan, "e1": math.nan, "random": 0.0}, nan_ok=True
    )


def test_each_run_has_its_schemes_and_its_seed(monkeypatch):
    """The tested scheme and the reference both compete with the reference; nothing is run for a case of words."""
    seen = []

    def measure(case, tested, reference, rng):
        seen.append((tested.name, reference.name, *rng.entropy))
        return {"e0": 1.0, "e1": 2.0, "e2": 3.0, "random": 1.0}

    monkeypatch.setattr(running, "measure", measure)
    found = suites.run("bcp133", "cubic", ["wired", "tunnels"], replications=2, rng=7, progress=False)
    assert sorted(seen) == [(one, "reno", 7, draw) for one in ("cubic", "reno") for draw in (0, 1)]
    assert [one.verdict for one in found] == ["reported"] * 3 + ["not run"]


def test_counters_begin_after_the_warm_up():
    """An application writes 500 packets of 1000 bytes per second; the counters are those of the second half second."""
    text = (
        "[case]\n[[link]]\nfrom = 'a'\nto = 'b'\nrate = '10 Mbit/s'\ndelay = '5 ms'\n"
        "[[link]]\nfrom = 'b'\nto = 'a'\nrate = '10 Mbit/s'\ndelay = '5 ms'\n"
        "[[flow]]\nscheme = 'suite:tested'\npath = ['a', 'b']\napplication = {kind = 'constant', rate = '4 Mbit/s'}\n"
        "[run]\nduration = 1\nwarm_up = 0.5\n"
    )
    for sample in (0.0, 0.01):
        seen = running.observe(Case("bbr", "c", "", "", text, sample=sample), schemes.scheme("reno"), None, SEED, {})
        assert seen.counts["sent"].sum() == pytest.approx(250, abs=2)
    lossy = Case("bbr", "c", "", "", text.replace("delay = '5 ms'", "delay = '5 ms'\nloss = 0.01", 1))
    one, again = (running.observe(lossy, schemes.scheme("reno"), None, SEED, {}) for _ in range(2))
    assert one.random
    assert one.counts["mean_delay"] == again.counts["mean_delay"]  # the same seed, the same random numbers


#: Expectations that the scheme does not meet, and why.
KNOWN = {
    # draft-ietf-ccwg-bbr-06, section 5.3.1.3, sets full_bw_reached alone; appendix A.2 wants full_bw_now, too.
    ("a02", "full_bw_now is set, too"),
}


@pytest.mark.long
def test_every_test_case_of_bbr():
    found = suites.run("bbr", progress=False)
    assert {(one.case, one.rule) for one in found if one.verdict not in ("pass", "reported", "not run")} == KNOWN
    assert not [one for one in found if one.verdict == "not run"]


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["cubic", "bbr"])
def test_every_situation_of_bcp_133(scheme):
    found = suites.run("bcp133", scheme, replications=2, progress=False)
    assert not [one for one in found if one.verdict in ("no value", "fail")]
