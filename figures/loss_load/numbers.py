"""Prithviraj & Williamson's printed numbers of scenario 1: their assessments, and tables with the effect of each rule.

All are judged under one interpretation of the paper's open rules, `NEAREST`. Where a number is not met, it is compared
with the value under `EXCESS`, which the text allows as well, and a run with one rule changed shows on which rule it
depends. The paper shows single runs, so that the range of one run counts, too.

Every load is the sum of the rates of operation f_i as S1 knows them. Section 2.2 calls a source's rate its "offered
load" and the sum of rates the "aggregate ambient load on the link", and the bounds of 1 and (k + 1)/k with which
section 4.2.1 compares figure 7 are of this sum. Figure 7's "aggregate offered load arriving at switch S1" could also
be the packets that arrive; but these have no rate without an interval of counting, which the paper does not give.
They are an interpretation, counted in an interval that the printed peaks have set.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from figures.claims import Assessment, Context, Finding, judged
from figures.loss_load import runs
from figures.loss_load.networks import EXCESS, NEAREST, RULE_CHANGES, Interpretation
from figures.loss_load.runs import SETTLED
from figures.rule import FOR_RANGE, Estimate, Printed, Quantity, Spread, Together, of_one_run, printed
from longfat.base.text_tables import markdown

QUOTED = {"hbh": 1.534, "pp": 1.569, "e2e-ef": 1.621, "tcp": 4.430, "decbit": 5.566}  # s, table 1
OPTIMUM = 1444.0  # ms, table 1
CELLS = ((2, 1.0), (2, 0.9), (2, 0.6), (2, 0.5), (5, 0.9), (20, 0.9), (5, 1.0), (10, 1.0), (20, 1.0))  # simulated k, v
IN_WORDS = {
    "excess": "excess packets dropped regularly, and none that finds the link free",
    "counted_": "load as packets counted in 10 ms, a bin that the printed peaks have set",
    "quantile_": "10 % and 90 % quantiles for the least and largest load",
    "counted_quantile_": "these quantiles of packets counted in 10 ms",
}
LOADS = {
    "peak_load": "maximum before 500 ms",
    "load_low": f"minimum from {SETTLED} to 1000 ms",
    "load_high": f"maximum from {SETTLED} to 1000 ms",
    "load_mean": f"mean from {SETTLED} to 1000 ms",
}


class Point(NamedTuple):
    """A printed number of scenario 1: k, v, quantity, the number as printed, and its unit."""

    k: float
    v: float
    name: str
    text: str
    scale: float = 1.0  # printed units per unit of ours
    unit: str = ""

    @property
    def number(self) -> Printed:
        """The number with its rounding."""
        return printed(self.text)

    @property
    def optimum(self) -> float | None:
        """Least possible transfer time, in the printed unit, or the capacity, above which a load drops packets."""
        return OPTIMUM if self.name == "transfer_time" else 1.0 if self.name in LOADS else None

    def meets(self, ours: Estimate) -> bool:
        """Return whether our mean or its interval meets the printed number by the published rule."""
        one = ours.times(self.scale)
        return Quantity(self.number, one, self.optimum).meets(one)

    def words(self, ours: Estimate) -> str:
        """Format the mean and its interval in the printed unit."""
        digits = 0 if self.name == "transfer_time" else 3 if self.name == "loss" else 2
        return f"{ours.times(self.scale).text(digits)}{self.unit}"


def _transfer(v: float, text: str) -> Point:
    return Point(2, v, "transfer_time", text, 1e3, " ms")


POINTS = {
    "table 2, k = 2, v = 1.0: transfer time": _transfer(1.0, "1758"),
    "table 2, k = 2, v = 1.0: mean queueing delay": Point(2, 1.0, "queueing_delay_mean", "0.41", 1e3, " ms"),
    "table 2, k = 2, v = 1.0: standard deviation of the queueing delay": Point(
        2, 1.0, "queueing_delay_std", "0.09", 1e3, " ms"
    ),
    "table 2, k = 2, v = 1.0: loss": Point(2, 1.0, "loss", "0.15"),
    "table 2, k = 2, v = 0.9: transfer time": _transfer(0.9, "1737"),
    "table 2, k = 2, v = 0.9: mean queueing delay": Point(2, 0.9, "queueing_delay_mean", "0.45", 1e3, " ms"),
    "table 2, k = 2, v = 0.9: standard deviation of the queueing delay": Point(
        2, 0.9, "queueing_delay_std", "0.48", 1e3, " ms"
    ),
    "table 2, k = 2, v = 0.9: loss": Point(2, 0.9, "loss", "0.07"),
    "text, k = 2, v = 0.5: transfer time": _transfer(0.5, "2656"),
    "text, k = 2, v = 0.6: transfer time": _transfer(0.6, "2330"),
    "text, k = 2, v = 0.9: transfer time": _transfer(0.9, "1737"),
    "text, k = 2, v = 1.0: transfer time": _transfer(1.0, "1758"),
    "text, k = 5, v = 0.9: loss": Point(5, 0.9, "loss", "0.10"),
    "text, k = 20, v = 0.9: loss": Point(20, 0.9, "loss", "0.20"),
    "text, k = 2, v = 1.0: loss": Point(2, 1.0, "loss", "0.15"),
    "text, k = 20, v = 1.0: loss": Point(20, 1.0, "loss", "0.25"),
    "text, k = 2, v = 1.0: peak load": Point(2, 1.0, "peak_load", "1.58"),
    "text, k = 20, v = 1.0: peak load": Point(20, 1.0, "peak_load", "2.07"),
    "text, k = 2, v = 1.0: least load from 500 to 1000 ms": Point(2, 1.0, "load_low", "1.11"),
    "text, k = 2, v = 1.0: largest load from 500 to 1000 ms": Point(2, 1.0, "load_high", "1.15"),
}
# Rows that repeat a number of table 2, or of another row of the text.
REPEATED = {
    "text, k = 2, v = 0.9: transfer time": "table 2, k = 2, v = 0.9: transfer time",
    "text, k = 2, v = 1.0: transfer time": "table 2, k = 2, v = 1.0: transfer time",
    "text, k = 2, v = 1.0: loss": "table 2, k = 2, v = 1.0: loss",
}
# Free choices of ours that were set by a number. The peaks set the weight of a round of retransmissions. The transfer
# times set how the switch detects the end of a file; those at v = 0.5 and 0.6 are met with an announced end, too.
WEIGHT = "weight of a retransmission round, 5"
END = "a finished source counts for another 100 ms"
FITTED: dict[tuple[float, float, str], str] = {
    (2, 1.0, "peak_load"): WEIGHT,
    (20, 1.0, "peak_load"): WEIGHT,
    (2, 1.0, "transfer_time"): END,
    (2, 0.9, "transfer_time"): END,
}
# A rule whose change brings a number nearer to the printed one; `figures.loss_load` has the table of all rules.
MOVES: dict[tuple[float, float, str], str] = {
    (2, 1.0, "queueing_delay_mean"): "red packets that find 8 waiting are dropped",
    (2, 1.0, "queueing_delay_std"): "packets are dropped only when a buffer of 5 packets is full",
    (2, 0.9, "queueing_delay_mean"): "red packets that find 8 waiting are dropped",
    (2, 0.9, "queueing_delay_std"): "packets are dropped regularly",
}


def replications(context: Context) -> int:
    """Return the number of runs at each point: one per million packets, at least 4 and at most 100."""
    return context.runs(4, 100)


def one_point(context: Context, k: float, v: float, interpretation: Interpretation = NEAREST) -> dict[str, Estimate]:
    """Return all numbers of scenario 1 at one k and v, at the scale of an assessment."""
    return runs.cross_traffic(k, v, interpretation, replications=replications(context), rng=context.seed)


def scale_text(context: Context, what: str = "scenario 1") -> str:
    """Return the scale of the runs for a row, as text."""
    return f"{replications(context)} runs of {what}, seed {context.seed}"


def defined(scale: str, names: Iterable[str]) -> str:
    """Return a scale with the definition of the loads in a row."""
    words = ", ".join(LOADS[name] for name in dict.fromkeys(names) if name in LOADS)
    return scale + (f"; load: sum of the rates (section 2.2), {words}" if words else "")


def number_scale(context: Context, names: Iterable[str]) -> str:
    """Return the scale of the runs for a number, as text; the prediction interval is taken from more runs."""
    count = max(replications(context), FOR_RANGE)
    return defined(f"{scale_text(context)}; range of one run from {count} runs", names)


def one_run(values: np.ndarray) -> Spread:
    """Return the 95 % prediction interval of one more run: the paper shows one run.

    >>> found = one_run(np.arange(39.0))
    >>> found.lower, found.upper, found.over
    (0.0, 38.0, 'single runs (95 % of them, from 39 runs)')
    """
    return Spread(*of_one_run(values.tolist()), f"single runs (95 % of them, from {len(values)} runs)")


def _tried(point: Point, context: Context) -> dict[str, Estimate]:
    """Return the values under other interpretations."""
    if point.name not in LOADS:
        return {IN_WORDS["excess"]: one_point(context, point.k, point.v, EXCESS)[point.name]}
    ours = one_point(context, point.k, point.v)
    return {words: ours[prefix + point.name] for prefix, words in IN_WORDS.items() if prefix + point.name in ours}


def quantity(point: Point, context: Context) -> Quantity:
    """Measure one number of scenario 1 under `NEAREST`, at other k and v, and under other interpretations."""
    k, v, name = point.k, point.v, point.name
    ours = one_point(context, k, v)
    count = max(replications(context), FOR_RANGE)
    each = point.scale * runs.each_run(k, v, NEAREST, replications=count, rng=context.seed)[name]
    cells = [one for one in CELLS if one != (k, v) and (one[1] == v or "load" not in name)]
    return Quantity(
        point.number,
        ours[name].times(point.scale),
        optimum=point.optimum,
        others={f"k = {one[0]}, v = {one[1]}": one_point(context, *one)[name].times(point.scale) for one in cells},
        interpretations={words: value.times(point.scale) for words, value in _tried(point, context).items()},
        spread=one_run(each),
        fitted=FITTED.get((k, v, name), ""),
        predicted="" if (k, v, name) in FITTED else f"{WEIGHT}; {END}",
    )


def _reason(point: Point, context: Context) -> str:
    k, v, name = point.k, point.v, point.name
    text = "; ".join(f"with {words}: {point.words(value)}" for words, value in _tried(point, context).items())
    rule = MOVES.get((k, v, name))
    if rule is None:
        return text
    moved = one_point(context, k, v, replace(NEAREST, **RULE_CHANGES[rule]))[name]
    return f"{text}; with '{rule}': {point.words(moved)}"


def number(claim: str, context: Context) -> Finding:
    """Assess one number of scenario 1."""
    point = POINTS[claim]
    words = point.words(one_point(context, point.k, point.v)[point.name])
    evidence, reason = quantity(point, context), _reason(point, context)
    if any(evidence.meets(one) for one in evidence.interpretations.values()) and not evidence.open:
        reason = ""  # the rule names the interpretation
    scale = number_scale(context, [point.name])
    return judged(evidence, words, reason, scale=scale, repeats=REPEATED.get(claim, ""))


def numbers(*claims: str) -> Assessment:
    """Return the assessment of a row that prints numbers of other rows again; the worst verdict counts."""

    def assess(context: Context) -> Finding:
        found = [number(claim, context) for claim in claims]
        evidence = Together(tuple(quantity(POINTS[claim], context) for claim in claims))
        ours = "; ".join(one.ours for one in found)
        scale = number_scale(context, [POINTS[claim].name for claim in claims])
        return judged(evidence, ours, scale=scale, repeats="; ".join(REPEATED.get(one, one) for one in claims))

    return assess


EXCESS_RULE = "packets are dropped regularly, from a queue of 1 packet on"

NUMBERS = {(one.k, one.v, one.name): one for one in POINTS.values()}  # the text repeats some of table 2
NAMES = {
    "transfer_time": "transfer time",
    "loss": "packet loss",
    "peak_load": "peak load before 500 ms",
    "load_low": f"least load, {SETTLED} to 1000 ms",
    "load_high": f"largest load, {SETTLED} to 1000 ms",
    "queueing_delay_mean": "mean queueing delay",
    "queueing_delay_std": "its standard deviation",
}
SHORT = dict(zip(NAMES, ("T", "loss", "peak", "low", "high", "delay", "std"), strict=True))
Numbers = dict[tuple[float, float, str], Estimate]


def watched(points: Iterable[Any], what: str) -> Any:
    """Return the points with a progress bar, which is shown after two seconds."""
    from longfat.base.progress import bar

    return bar(list(points), task=what, unit="point", shown=True)


def measured(interpretation: Interpretation, replications: int) -> Numbers:
    """Simulate the printed numbers of scenario 1 under one interpretation."""
    return {
        (k, v, name): runs.cross_traffic(k, v, interpretation, replications=replications)[name]
        for k, v, name in NUMBERS
    }


def one_at_a_time(base: Interpretation, replications: int) -> dict[str, Numbers]:
    """Simulate `measured` numbers with one rule changed, for every rule that differs; "unchanged" first."""
    changed = {name: replace(base, **change) for name, change in RULE_CHANGES.items()}
    interpretations = {"unchanged": base} | {name: one for name, one in changed.items() if one != base}
    return {name: measured(one, replications) for name, one in watched(interpretations.items(), "tables")}


def row_name(point: Point) -> str:
    """Return the name of a number in the tables."""
    return f"k = {point.k:g}, v = {point.v:g}: {NAMES[point.name]}"


def _gap(point: Point, ours: Estimate) -> float:
    return abs(ours.value * point.scale - point.number.value)


def tables(nearest: dict[str, Numbers], plain: dict[str, Numbers], replications: int) -> str:
    """Return tables 1 and 2, the numbers of sections 4.2.1 to 4.2.3, and the effect of each rule, as Markdown."""
    base, plain_base, excess = nearest["unchanged"], plain["unchanged"], nearest[EXCESS_RULE]
    met = [sum(point.meets(found[key]) for key, point in NUMBERS.items()) for found in (base, excess, plain_base)]
    lines = [
        "# Prithviraj & Williamson, scenario 1: every printed number",
        "",
        f"Means of {replications} runs, seed 0, 95 % intervals in brackets; \\*: meets the printed number by the",
        "published rule (`figures.rule`): it overlaps the interval or is within 10 %; of transfer",
        "times what is above 1444 ms has to be within 25 %, too, and of loads what is above 1. The rows are those of",
        "the [scoreboard](../scoreboard.md), which counts the range of single runs as well, because the paper shows "
        "such:",
        "a mean may meet a number that single runs scatter about. *Ours*: a round of retransmissions costs five round",
        "trips (set by the two peaks), the response time is that of the whole file, and a finished source counts at",
        "the switch for another 100 ms (set by the times at v = 0.9 and 1); otherwise the formulas as printed.",
        "*Excess only*: the switch drops the excess packets regularly, not at random, and none that finds the link",
        "free. *As printed*: the formulas as printed. Every load is the sum of the rates that the switch knows, as",
        "section 2.2 has it; its least and largest values are the minimum and the maximum of a run.",
        "",
        f"Met are {met[0]} of {len(NUMBERS)} numbers by ours, {met[1]} by *excess only*, {met[2]} by *as printed*.",
        "",
    ]
    rows = []
    for key, point in NUMBERS.items():
        best = min(nearest, key=lambda name: _gap(point, nearest[name][key]))
        moved = "none" if best == "unchanged" else f"{best}: {point.words(nearest[best][key])}"
        ours, only, as_printed = (
            point.words(found[key]) + ("\\*" if point.meets(found[key]) else "") for found in (base, excess, plain_base)
        )
        share = 100 * (base[key].value * point.scale / point.number.value - 1)
        printed = f"{point.text}{point.unit}"
        rows.append([row_name(point), printed, ours, f"{share:+.0f} %", only, as_printed, moved])
    heads = ["number", "published", "ours", "difference", "excess only", "as printed", "rule that brings it nearest"]
    times = [[name, f"{1e3 * time:.0f}"] for name, time in QUOTED.items()]
    for v in (1.0, 0.9):
        point = NUMBERS[2, v, "transfer_time"]
        times.append([f"loss-load, k = 2, v = {v}, ours", point.words(base[2, v, "transfer_time"])])
    lines += [*markdown(heads, rows), "", "## Table 1, quoted from Kanakia et al., and our transfer times", "",
              *markdown(["scheme", "transfer time [ms]"], times)]  # fmt: skip
    for title, found in (("our rules", nearest), ("the formulas as printed", plain)):
        rows = [["printed", "", *(f"{one.text}{one.unit}" for one in NUMBERS.values())]]
        for name, row in found.items():
            count = sum(one.meets(row[key]) for key, one in NUMBERS.items())
            cells = [
                one.words(row[key]).split()[0] + ("\\*" if one.meets(row[key]) else "") for key, one in NUMBERS.items()
            ]
            rows.append([name, str(count), *cells])
        lines += [
            "", f"## One rule changed at a time, from {title}", "",
            "Headings: number (k, v); T: transfer time; delay, std: mean queueing delay, its standard deviation.", "",
            *markdown(["rule", "met", *(f"{SHORT[name]}({k:g}, {v:g})" for k, v, name in NUMBERS)], rows),
        ]  # fmt: skip
    return "\n".join(lines) + "\n"
