r"""Statements on whether Linux's TCP and the simulator agree in the same scenario, with the values of laws.

Each of the two verdicts "agrees" and "differs" is a test of one side at a time (Schuirmann 1987: two one-sided tests).
A verdict is wrong with a probability of at most 5 %, even if runs are added to the planned number after a look at the
verdict. By Bonferroni's inequality the errors of all looks add up to at most 5 %: the first look, at the planned number
of runs, has a 95 % interval and spends 2.5 %; each later look has a 99 % interval and spends 0.5 %, so five later looks
spend the rest. 99 % is our choice: in a simulation of normal runs the error stays at 5.0 % even with a look after each
run, for 3, 4 or 8 planned runs and up to nine times as many in all, which no stored case reaches. With 95 % at every
look the error would be 13 to 14 %; with four looks it would be 7 %, where this rule gives 3.4 %.

Evidence that is valid at any look (`longfat.testing.evidence`) would need at least five runs for a finite interval, and
does not cover the difference of two samples of unequal variances.

References
----------
D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence
of average bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680.
C. Jennison and B. W. Turnbull, Group Sequential Methods with Applications to Clinical Trials (2000), chapter 7: an
error that is spent over the looks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from figures.linux.cases import Accuracy, Case, cases
from longfat import sim
from longfat.base.html_pages import html_table, page
from longfat.base.text_tables import columns
from longfat.replication import intervals, replicate

if TYPE_CHECKING:
    import xarray as xr


SIMULATOR, LINUX = "simulator", "Linux"
CONFIDENCE = 0.95  # at the planned number of runs
LATER_CONFIDENCE = 0.99  # with runs that were added after a look at the verdict
QUICK = 2  # runs
LINK = "a-b"  # the bottleneck
TRACED = {"mean_window", "middle_window"}  # quantities that need samples of the window
SAMPLE_EVERY = 0.02  # s
ATTEMPTS = 6  # ours: largest number of attempts at a run, which the machine's load may spoil


def _window(data: xr.Dataset) -> np.ndarray:
    """Return the window of the first flow at all sampled times after the warm-up [packets]."""
    counted = data.time.values >= float(data.attrs["warm_up"])
    return np.asarray(data.window_trace.isel(flow=0).values[counted])


def _goodput(data: xr.Dataset) -> float:
    return float(data.goodput.sum())


#: Name of a quantity -> its unit, its meaning, and the function that computes it from the results of a run.
QUANTITIES: dict[str, tuple[str, str, Callable[[xr.Dataset], float]]] = {
    "utilisation": ("1", "fraction of time in which the link transmits", lambda d: float(d.utilisation.sel(link=LINK))),
    "mean_queue": ("packets", "mean backlog", lambda d: float(d.mean_queue.sel(link=LINK))),
    "mean_wait": ("s", "mean waiting time", lambda d: float(d.mean_wait.sel(link=LINK))),
    "goodput": ("bytes/s", "goodput of all flows", _goodput),
    "first_share": ("1", "share of the first flow in the goodput", lambda d: float(d.goodput[0]) / _goodput(d)),
    "transfer_time": ("s", "time of the transfer", lambda d: float(d.transfer_time[0])),
    "mean_window": ("packets", "mean window", lambda d: float(_window(d).mean())),
    "middle_window": ("packets", "median of the window over time", lambda d: float(np.median(_window(d)))),
}


@dataclass(frozen=True)
class Statement:
    """Values of one quantity of a case by law, in the simulator and on Linux, with a verdict on their agreement."""

    case: Case
    quantity: str
    law: float  # NaN without a law
    law_name: str
    simulated: float
    simulated_width: float  # half of the confidence interval
    measured: float
    measured_width: float
    difference: float  # value of Linux minus value of the simulator
    width: float  # half width of its confidence interval, at the confidence `confidence(case, runs)`
    accuracy: Accuracy
    runs: int  # on Linux

    @property
    def confidence(self) -> float:
        """Confidence level of the interval of the difference."""
        return confidence(self.case, self.runs)

    @property
    def verdict(self) -> str:
        """Return "spoilt" if a run on Linux was spoilt, else the verdict on the difference (the function `verdict`)."""
        if math.isnan(self.measured):
            return "spoilt"
        return verdict(self.difference, self.width, self.accuracy.of(self.measured))


def verdict(difference: float, width: float, limit: float) -> str:
    """Return the verdict on a difference from the half-width of its interval and the largest allowed difference.

    The verdict is "agrees" if the interval lies within (-limit, limit), "differs" if it lies outside, else "undecided".

    >>> verdict(0.01, 0.01, 0.03), verdict(0.05, 0.01, 0.03), verdict(0.025, 0.01, 0.03), verdict(0.0, math.nan, 1.0)
    ('agrees', 'differs', 'undecided', 'undecided')
    """
    if abs(difference) + width <= limit:
        return "agrees"
    return "differs" if abs(difference) - width > limit else "undecided"


def confidence(case: Case, runs: int) -> float:
    """Return the confidence level of the interval of a difference: higher after more runs than were planned.

    >>> from figures.linux.cases import cases
    >>> case = cases("window")[0]
    >>> case.replications, confidence(case, 3), confidence(case, 4)
    (3, 0.95, 0.99)
    """
    return CONFIDENCE if runs <= case.replications else LATER_CONFIDENCE


def compared(
    measured: Sequence[float], simulated: Sequence[float], paired: bool, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return the mean measured value minus the mean simulated value, and the half-width of its confidence interval.

    The interval is Student's for pairs, else Welch's for two independent samples, with degrees of freedom rounded down.

    >>> difference, width = compared([2.0, 3.0, 4.0], [1.0, 2.0, 3.0], True)
    >>> difference, width
    (1.0, 0.0)
    """
    one, other = np.asarray(measured, float), np.asarray(simulated, float)
    difference = float(one.mean() - other.mean())
    if paired:
        pairs = one - other
        return difference, float(intervals.half_width(pairs, confidence))
    if min(len(one), len(other)) < 2:
        return difference, math.nan
    # Degrees of freedom by Welch's approximation: A. M. Law, Simulation Modeling and Analysis, 5th ed., 2015, section
    # 10.2.2, equation (10.2).
    parts = np.array([one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)])
    if not parts.any():
        return difference, 0.0
    degrees = parts.sum() ** 2 / (parts**2 / np.array([len(one) - 1, len(other) - 1])).sum()
    return difference, intervals.student_quantile(max(1, math.floor(degrees)), confidence) * math.sqrt(parts.sum())


def simulate(case: Case, seed: int) -> dict[str, float]:
    """Run a case in the simulator, and return its quantities by name."""
    from longfat.testbed.plan import with_handshakes

    data = sim.run(with_handshakes(case.network(seed)), rng=seed, progress=False, **_options(case))
    return _quantities(case, data)


def measure(case: Case, seed: int) -> dict[str, float]:
    """Run a case on Linux, and return its quantities by name.

    Raises
    ------
    RejectedRun
        If the machine's load spoilt the run and each of its repetitions.
    """
    from longfat import testbed

    data = testbed.run(
        case.network(seed, linux=True), rng=seed, settings=dict(case.settings), attempts=ATTEMPTS, progress=False,
        **_options(case),
    )  # fmt: skip
    return _quantities(case, data)


def _measured(case: Case, seed: int) -> dict[str, float]:
    """Run a case on Linux, and return its quantities; NaN if the load of the machine spoilt every attempt."""
    from longfat.testbed import RejectedRun

    try:
        return measure(case, seed)
    except RejectedRun:
        return dict.fromkeys(case.quantities, math.nan)


def _options(case: Case) -> dict[str, Any]:
    every = {"sample_every": SAMPLE_EVERY} if TRACED & set(case.quantities) else {}
    return {"duration": case.duration, "warm_up": case.warm_up, **every}


def _quantities(case: Case, data: xr.Dataset) -> dict[str, float]:
    return {name: QUANTITIES[name][2](data) for name in case.quantities}


def law(case: Case, quantity: str) -> tuple[float, str]:
    """Return a quantity's value by the law that applies, and the law's name; NaN and "" if none applies."""
    from longfat.testbed.law_values import law_values

    net = case.network(0)
    found = [one for one in law_values(net, case.duration) if one.quantity == quantity]
    if quantity == "first_share":
        found = [one for one in law_values(net, case.duration) if one.quantity == "goodput"][:1]
        return (found[0].value / net.links["a", "b"].rate, found[0].law) if found else (math.nan, "")
    first = [one for one in found if one.law == found[0].law]
    return (sum(one.value for one in first), first[0].law) if first else (math.nan, "")


def state(case: Case, measured: Sequence[dict[str, float]], simulated: Sequence[dict[str, float]]) -> list[Statement]:
    """Return a statement on each quantity of a case, from the quantities of its runs."""
    made = []
    for quantity, accuracy in case.quantities.items():
        there, here = ([one[quantity] for one in runs] for runs in (measured, simulated))
        widths = [float(intervals.half_width(np.asarray(values), CONFIDENCE)) for values in (here, there)]
        value, name = law(case, quantity)
        made.append(
            Statement(
                case, quantity, value, name, float(np.mean(here)), widths[0], float(np.mean(there)), widths[1],
                *compared(there, here, case.paired, confidence(case, len(there))), accuracy, len(there),
            )
        )  # fmt: skip
    return made


def run(
    chosen: Iterable[Case] | None = None,
    *,
    quick: bool = False,
    seed: int = 0,
    at_once: int = 2,
    progress: bool = True,
) -> list[Statement]:
    """Run cases on Linux and in the simulator, and return a statement on each of their quantities, in their order.

    By default these are all cases, and with ``quick`` one of each group, which runs twice. Run k of a case has the seed
    plus k; Linux runs ``at_once`` scenarios at the same time. The verdict is "spoilt" if the machine's load has spoilt
    a run and each of its repetitions.

    Raises
    ------
    CannotRun
        If this machine lacks something that the testbed needs.
    """
    chosen = list(cases() if chosen is None else chosen)
    if quick:
        firsts = list({one.group: one for one in reversed(chosen)}.values())[::-1]
        chosen = [replace(one, replications=QUICK) for one in firsts]
    measured = runs_on_linux(chosen, at_once, seed=seed, progress=progress)
    return [
        statement
        for case, there in zip(chosen, measured, strict=True)
        for statement in state(case, there, [simulate(case, seed + k) for k in range(case.simulated)])
    ]


def runs_on_linux(
    chosen: Sequence[Case], at_once: int, *, seed: int = 0, progress: bool = True
) -> list[list[dict[str, float]]]:
    """Return the quantities of each run of each case on Linux; NaN for runs that the machine's load spoilt."""
    from longfat.base.progress import bar

    each = {
        (case.name_on_linux, seed + k): (case, seed + k) for case in chosen for k in range(case.replications)
    }  # cases that differ only in the simulator have the same runs on Linux
    with bar(task="running on Linux", unit="runs", shown=progress, total=len(each)) as shown:
        found = replicate(lambda one: _measured(*one), each.values(), at_once, progress=shown.update)
    made = dict(zip(each, found, strict=True))
    return [[made[case.name_on_linux, seed + k] for k in range(case.replications)] for case in chosen]


HEADS = ("case", "quantity", "law", "simulator", "Linux (runs)", "difference", "accuracy", "verdict")


def cells(one: Statement) -> list[str]:
    """Return a statement as the cells of a table row; the difference is in percent if its limit is relative."""
    scale, unit = (100 / one.measured, " %") if one.accuracy.relative else (1.0, "")
    return [
        one.case.name,
        one.quantity,
        "" if math.isnan(one.law) else f"{one.law:.5g}",
        f"{one.simulated:.5g} +- {one.simulated_width:.1g}",
        f"{one.measured:.5g} +- {one.measured_width:.1g} ({one.runs})",
        f"{scale * one.difference:+.3g} +- {scale * one.width:.2g}{unit}",
        str(one.accuracy),
        one.verdict,
    ]


def to_text(statements: Sequence[Statement]) -> str:
    """Return the statements as a text table, followed by the number of statements with each verdict."""
    return "\n".join([*columns([HEADS, *map(cells, statements)]), "", summary(statements)])


def summary(statements: Sequence[Statement]) -> str:
    """Return a sentence with the numbers of statements that agree, differ, are undecided or are spoilt."""
    words = ("agrees", "differs", "undecided", "spoilt")
    count = {word: sum(one.verdict == word for one in statements) for word in words}
    spoilt = f" The machine's load has spoilt the runs of {count['spoilt']}." if count["spoilt"] else ""
    return (
        f"Simulator and Linux agree in {count['agrees']} of {len(statements)} statements and differ in "
        f"{count['differs']}; {count['undecided']} are undecided.{spoilt}"
    )


def to_json(statements: Sequence[Statement]) -> str:
    """Return the statements as JSON text, with values in s, bytes/s, packets or 1; null replaces NaN."""
    rows = [
        {
            "case": one.case.name,
            "quantity": one.quantity,
            "law": _number(one.law),
            "law_name": one.law_name,
            "simulator": [_number(one.simulated), _number(one.simulated_width)],
            "linux": [_number(one.measured), _number(one.measured_width)],
            "runs": one.runs,
            "difference": [_number(one.difference), _number(one.width)],
            "confidence": one.confidence,
            "accuracy": _number(one.accuracy.of(one.measured)),
            "verdict": one.verdict,
        }
        for one in statements
    ]
    return json.dumps({"summary": summary(statements), "statements": rows}, indent=1, allow_nan=False)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def to_html(statements: Sequence[Statement]) -> str:
    """Return the statements as an HTML page."""
    kinds = ("agrees", "differs", "undecided", "spoilt")
    body: list[Any] = [[(word, "", word if word in kinds else "") for word in cells(one)] for one in statements]
    text = f"<p>{escape(summary(statements))}</p>" + html_table(HEADS, body)
    return page("Linux's TCP as judge", text)
