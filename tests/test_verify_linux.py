"""Statements about Linux and the simulator: verdicts, intervals, cases, and what is stored."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from docs import linux as page
from figures.linux import equivalence
from figures.linux import pictures as figure
from figures.linux.cases import BUFFERS, FLOWS, LOSSES, Accuracy, Case, cases
from longfat.sim import run
from longfat.testbed.plan import with_handshakes
from tests.benchmarks import linux as stored

RENO = Case(
    "full link", "by hand", ("sack",), 0.5, {"utilisation": Accuracy(0.01), "mean_queue": Accuracy(relative=0.03)}
)


def runs(utilisation, queue):
    return [{"utilisation": u, "mean_queue": q} for u, q in zip(utilisation, queue, strict=True)]


def test_intervals_of_differences():
    """Pairs: differences 1, 2, 3 have the mean 2 and t(2) 1/sqrt(3) = 4.3027/1.7321 = 2.4841.

    Two samples: 1, 3 and 2, 2, 2, 6: variances 2/2 = 1 and 4/4 = 1, sqrt(2) = 1.4142; degrees of freedom
    4/(1/1 + 1/3) = 3, t = 3.1824: 4.5007.
    """
    assert equivalence.compared([2.0, 4.0, 6.0], [1.0, 2.0, 3.0], paired=True) == (2.0, pytest.approx(2.4841, abs=1e-4))
    difference, width = equivalence.compared([1.0, 3.0], [2.0, 2.0, 2.0, 6.0], paired=False)
    assert (difference, width) == (-1.0, pytest.approx(4.5007, abs=2e-4))
    assert equivalence.compared([1.0, 1.0], [3.0, 3.0], paired=False) == (-2.0, 0.0)
    assert math.isnan(equivalence.compared([1.0], [3.0, 3.0], paired=False)[1])


def test_verdicts_of_a_case():
    """0.960 +- 0 and 0.962 agree within 0.01; queues of 20 and 22 differ by more than 3 % of 22, 0.66."""
    first, second = equivalence.state(
        RENO, runs([0.962] * 3, [22.0, 22.1, 21.9]), runs([0.960] * 3, [20.0, 20.1, 19.9])
    )
    assert (first.verdict, second.verdict) == ("agrees", "differs")
    assert second.difference == pytest.approx(2.0)
    # 33 packets over 2500000 x 0.0406/1500 = 67.67: B = 0.4877, U = 3 x 1.4877^2/(4 x (1 + 0.4877 + 0.2378)) = 0.9620
    assert first.law == pytest.approx(0.9620, abs=1e-4)
    assert equivalence.summary([first, second]).startswith(
        "Simulator and Linux agree in 1 of 2 statements and differ in 1"
    )
    table = equivalence.to_text([first, second])
    assert [word in table for word in ("full link, by hand", "22 +- 0.2 (3)", "+9.09 +- 0 %", "3 %")] == [True] * 4


def test_an_interval_that_is_too_wide_decides_nothing():
    """Queues of 20, 25 and 21, 24.5 on Linux: 0.25 +- 12.7 x 0.75 of 22.75."""
    _, second = equivalence.state(RENO, runs([0.9, 0.9], [21.0, 24.5]), runs([0.9, 0.9], [20.0, 25.0]))
    assert second.verdict == "undecided"


def test_statements_with_added_runs_have_wider_intervals():
    """Six runs of -0.01, 0, 0.01 (twice), where four were planned: t(5) at 99 % is 4.0321, at 95 % 2.5706.

    The standard deviation is sqrt(4/5) 0.01, so that half widths are 4.0321 (2.5706) x 0.01 sqrt(4/5)/sqrt(6).
    """
    case = Case("random loss", "by hand", ("sack",), 0.5, {"utilisation": Accuracy(0.01)}, loss=0.01)
    there, here = runs([0.89, 0.9, 0.91] * 2, [1.0] * 6), runs([0.9] * 6, [1.0] * 6)
    for planned, confidence, quantile in ((4, 0.99, 4.0321), (6, 0.95, 2.5706)):
        (one,) = equivalence.state(replace(case, replications=planned), there, here)
        assert one.confidence == confidence
        assert one.width == pytest.approx(quantile * 0.01 * math.sqrt(4 / 5 / 6), rel=1e-4)


def test_the_cases_are_those_that_were_asked_for():
    """Three schemes, five buffers, three losses, alone and with 2 and 10 flows; every name is there once."""
    every = cases()
    assert len({one.name for one in every}) == len(every)
    plain = [one for one in every if not one.rules]
    for group, values in (("full link", BUFFERS), ("random loss", LOSSES)):
        assert sum(one.group == group for one in plain) == 3 * len(FLOWS) * len(values)
    for one in every:
        net = one.network(1)
        assert [flow.start for flow in net.flows] == [flow.start for flow in one.network(1).flows]


def test_linux_can_run_every_case():
    """No case asks what Linux refuses."""
    from longfat.testbed import refusals

    assert {name: refusals(one.network(0, linux=True)) for one in cases() if (name := one.name)} == {
        one.name: [] for one in cases()
    }


def test_runs_on_linux_are_given_back_by_case(monkeypatch):
    """Each case gets its replications in order, also if several run at once."""
    monkeypatch.setattr(equivalence, "measure", lambda case, k: {"case": case.name, "run": k})
    chosen = cases()[:3]
    found = equivalence.runs_on_linux(chosen, 2, progress=False)
    assert [[(run["case"], run["run"]) for run in runs] for runs in found] == [
        [(case.name, k) for k in range(case.replications)] for case in chosen
    ]


def test_packets_are_late_in_the_simulator_alone():
    """Linux's own are late by themselves; the same run of Linux stands beside cases that differ here alone."""
    late = [one for one in cases() if one.late > 0]
    assert [one.network(0).flows[0].send_jitter for one in late] == [1e-4] * len(late)
    assert {one.network(0, linux=True).flows[0].send_jitter for one in late} == {0.0}
    plain = "full link, BBR, 1 flow, buffer 0.1"
    assert {one.name_on_linux for one in late if one.buffer == 0.1} == {
        plain, f"{plain}, no acknowledgments compressed on Linux",
    }  # fmt: skip


@pytest.mark.parametrize(("more", "seeds"), [(0, [0, 1, 2, 3]), (2, ["stored", 1, 2])])
def test_runs_replace_the_stored_ones_or_follow_them(monkeypatch, more, seeds):
    """One run is stored; two more have the seeds 1 and 2. Without `more` the case is run as often as it says."""
    case = Case("full link", "by hand", ("sack",), 0.5, {"utilisation": Accuracy(0.01)}, replications=4)
    monkeypatch.setattr(equivalence, "measure", lambda case, k: {"utilisation": k})
    before = {case.name: {equivalence.LINUX: [{"utilisation": "stored"}]}}
    found = stored.measured([case], before, 2, more)
    assert {name: [run["utilisation"] for run in runs] for name, runs in found.items()} == {case.name: seeds}


def test_cases_with_spoilt_runs_are_reported(monkeypatch):
    """The other cases keep their verdicts."""
    from longfat.testbed import RejectedRun

    def measure(case, k):
        if case is one:
            raise RejectedRun("late")
        return dict.fromkeys(case.quantities, 0.5)

    one, other = cases()[:2]
    monkeypatch.setattr(equivalence, "measure", measure)
    monkeypatch.setattr(equivalence, "simulate", lambda case, seed: dict.fromkeys(case.quantities, 0.5))
    made = equivalence.run([one, other], progress=False)
    assert [each.verdict for each in made] == ["spoilt"] * len(one.quantities) + ["agrees"] * len(other.quantities)
    assert equivalence.summary(made).endswith("0 are undecided. The machine's load has spoilt the runs of 2.")
    assert '"verdict": "spoilt"' in equivalence.to_json(made)


def test_storing_and_reading(tmp_path):
    """What is written is read again; cases that are not listed are left out."""
    case = cases()[0]
    values = [dict.fromkeys(case.quantities, 0.5), dict.fromkeys(case.quantities, 0.25)]
    stored.write({case.name: {equivalence.LINUX: values}, "gone": {equivalence.LINUX: values}}, tmp_path / "one.csv")
    assert stored.read(tmp_path / "one.csv") == {case.name: {equivalence.LINUX: values}}


def test_windows_after_the_warm_up():
    """Mean and median of the window count from the warm-up on."""
    import xarray as xr

    data = xr.Dataset(
        {"window_trace": (("time", "flow"), np.array([[9.0], [1.0], [2.0], [6.0]]))},
        {"time": [0.0, 1.0, 2.0, 3.0]},
        {"warm_up": 1.0},
    )
    assert (equivalence.QUANTITIES["mean_window"][2](data), equivalence.QUANTITIES["middle_window"][2](data)) == (
        3.0,
        2.0,
    )
    assert SimpleNamespace(**equivalence._options(RENO)).duration == RENO.duration


def test_held_out_statements_are_counted_apart(monkeypatch):
    """Two held-out statements, of which one agrees, do not change the count of the others; without them no word."""
    held = replace(RENO, group="held out")
    both = equivalence.state(held, runs([0.962] * 3, [22.0, 22.1, 21.9]), runs([0.960] * 3, [20.0, 20.1, 19.9]))
    assert page.held([]) == ""
    assert page.held(both) == " Of 2 held-out statements 1 agree and 1 differ."
    assert [row.split(" | ")[3] for row in page.quantities(both)] == ["1 of 2"]
    stored_ones = [one for one in page.statements(page.read()) if one.case.group != "held out"]
    monkeypatch.setattr(page, "statements", lambda _: [*stored_ones, *both])
    with_them = page.page()
    monkeypatch.setattr(page, "statements", lambda _: stored_ones)
    count = "simulator and\nLinux agree in {agrees} of {all} statements"
    some = [one for one in stored_ones if not one.case.rules]
    count = count.format(all=len(some), **page.counted(some))
    assert [count in text for text in (with_them, page.page())] == [True, True]
    assert [page.held(both) in text for text in (with_them, page.page())] == [True, False]


def test_goodput_without_two_rules_of_recovery():
    """Differences of 4, 2 and 1 % of Linux's goodput, and no word unless both rules were run."""
    every = []
    for case in cases():
        if case.group == "random loss" and case.loss == LOSSES[-1] and case.schemes[0] != "bbr1":
            for rule, value in (("", 96.0), ("no F-RTO on Linux", 98.0), ("no loss probes on Linux", 99.0)):
                if case.rules == rule:
                    every += equivalence.state(case, [{"goodput": 100.0}] * 3, [{"goodput": value}] * 3)
    assert "differs by +4 % in the mean, without F-RTO on Linux by +2 %" in page.recoveries(every)
    assert "without loss probes there by +1 %" in page.recoveries(every)
    assert page.recoveries([one for one in every if one.case.rules != "no F-RTO on Linux"]) == ""


@pytest.mark.parametrize(("shown", "hystart"), [
    (0, {}), (1, {}),
    pytest.param(1, {"hystart": 1.0}, id="1-hystart++", marks=pytest.mark.long),  # shows that the comparison can fail
])  # fmt: skip
def test_windows_follow_linux(shown, hystart):
    """In 97 % of the samples the simulated window is within a packet of Linux's, as stored; not with HyStart++.

    The others are in recoveries, where the window falls by a packet in a millisecond. Before the start there is no
    window; interpolation between equal times rounds, so that a packet more is 1 + 4e-14.
    """
    (scheme, buffer), head = figure.SHOWN[shown], figure.HEADS[shown]
    net = with_handshakes(Case("figure", scheme, (scheme,), buffer, {}, parameters=hystart).network(0))
    data = run(net, duration=figure.DURATION, sample_every=figure.EVERY, rng=0, progress=False)
    seen = figure.PART.kept()[figure.NAME].window_trace.sel(column=head, face="Linux")
    apart = abs(data.window_trace.isel(flow=0).interp(time=seen.time) - seen).dropna("time")
    assert 480 < apart.size < seen.size == 501
    assert (float((apart <= 1 + 1e-9).mean()) >= 0.97) == (not hystart)
