"""Claims of Prithviraj & Williamson that are assessed by simulation.

All numbers of scenario 1 are judged under one interpretation of what the paper leaves open, `NEAREST`. Where a number
is not met, it is compared with what `EXCESS` gives, which the text allows as well, and a run with one rule changed
shows on which rule it depends. The paper shows single runs, so that the range of one run counts, too. Scenario 0 is
judged with the formulas as printed, with and without the start of the transfer.

Every load is the sum of the rates of operation f_i as S1 knows them. Section 2.2 calls a source's rate its "offered
load" and the sum of rates the "aggregate ambient load on the link", and the bounds of 1 and (k + 1)/k with which
section 4.2.1 compares figure 7 are of this sum. Figure 7's "aggregate offered load arriving at switch S1" could also
be the packets that arrive; but these have no rate without an interval of counting, which the paper does not give.
They are an interpretation, counted in an interval that the printed peaks have set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from figures.claims import Assessment, Context, Finding, judged
from figures.loss_load import runs
from figures.loss_load.scenarios import (
    EXCESS,
    FAIR_START,
    KS,
    NEAREST,
    PLAIN,
    RULE_CHANGES,
    Interpretation,
)
from figures.rule import (
    FOR_RANGE,
    Difference,
    Estimate,
    Printed,
    Quantity,
    Spread,
    Statement,
    Together,
    of_one_run,
    printed,
)
from longfat.laws import loss_load as laws
from longfat.sim.runs.statistics import Interval

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
    "load_low": "minimum from 500 to 1000 ms",
    "load_high": "maximum from 500 to 1000 ms",
    "load_mean": "mean from 500 to 1000 ms",
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

    def estimate(self, ours: Interval) -> Estimate:
        """Return our mean with its interval in the printed unit."""
        return Estimate(*(one * self.scale for one in ours))

    def meets(self, ours: Interval) -> bool:
        """Return whether our mean or its interval meets the printed number by the published rule."""
        one = self.estimate(ours)
        return Quantity(self.number, one, self.optimum).meets(one)

    def words(self, ours: Interval) -> str:
        """Format the mean and its interval in the printed unit."""
        digits = 0 if self.name == "transfer_time" else 3 if self.name == "loss" else 2
        mean, low, high = (f"{one * self.scale:.{digits}f}" for one in ours)
        return f"{mean} ({low} .. {high}){self.unit}"


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
# Rows that print a number of table 2, or of another row of the text, again.
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
    return int(min(max(context.packets / 1e6, 4), 100))


def _one(context: Context, k: float, v: float, interpretation: Interpretation = NEAREST) -> dict[str, Interval]:
    return runs.cross_traffic(k, v, interpretation, replications=replications(context), rng=context.seed)


def _two(context: Context, k: float, v: float, interpretation: Interpretation = PLAIN) -> dict[str, Interval]:
    return runs.two_sources(k, v, interpretation, replications=replications(context), rng=context.seed)


def _scale(context: Context, what: str = "scenario 1") -> str:
    return f"{replications(context)} runs of {what}, seed {context.seed}"


def _defined(scale: str, names: Iterable[str]) -> str:
    """Return a scale with the definition of the loads in a row."""
    words = ", ".join(LOADS[name] for name in dict.fromkeys(names) if name in LOADS)
    return scale + (f"; load: sum of the rates (section 2.2), {words}" if words else "")


def _number_scale(context: Context, names: Iterable[str]) -> str:
    """Return the scale of numbers, of which the range of one run is taken from more runs."""
    count = max(replications(context), FOR_RANGE)
    return _defined(f"{_scale(context)}; range of one run from {count} runs", names)


def one_run(values: np.ndarray) -> Spread:
    """Return the 95 % prediction interval of one more run: the paper shows one run.

    >>> found = one_run(np.arange(39.0))
    >>> found.lower, found.upper, found.over
    (0.0, 38.0, 'single runs (95 % of them, from 39 runs)')
    """
    return Spread(*of_one_run(values.tolist()), f"single runs (95 % of them, from {len(values)} runs)")


def _tried(point: Point, context: Context) -> dict[str, Interval]:
    """Return what other interpretations give."""
    if point.name not in LOADS:
        return {IN_WORDS["excess"]: _one(context, point.k, point.v, EXCESS)[point.name]}
    ours = _one(context, point.k, point.v)
    return {words: ours[prefix + point.name] for prefix, words in IN_WORDS.items() if prefix + point.name in ours}


def quantity(point: Point, context: Context) -> Quantity:
    """Measure one number of scenario 1 under `NEAREST`, at other k and v, and under what else the text allows."""
    k, v, name = point.k, point.v, point.name
    ours = _one(context, k, v)
    count = max(replications(context), FOR_RANGE)
    each = point.scale * runs.each_run(k, v, NEAREST, replications=count, rng=context.seed)[name]
    cells = [one for one in CELLS if one != (k, v) and (one[1] == v or "load" not in name)]
    return Quantity(
        point.number,
        point.estimate(ours[name]),
        optimum=point.optimum,
        others={f"k = {one[0]}, v = {one[1]}": point.estimate(_one(context, *one)[name]) for one in cells},
        interpretations={words: point.estimate(value) for words, value in _tried(point, context).items()},
        spread=one_run(each),
        fitted=FITTED.get((k, v, name), ""),
    )


def _reason(point: Point, context: Context) -> str:
    k, v, name = point.k, point.v, point.name
    text = "; ".join(f"with {words}: {point.words(value)}" for words, value in _tried(point, context).items())
    rule = MOVES.get((k, v, name))
    if rule is None:
        return text
    moved = _one(context, k, v, replace(NEAREST, **RULE_CHANGES[rule]))[name]
    return f"{text}; with '{rule}': {point.words(moved)}"


def number(claim: str) -> Assessment:
    """Return the assessment of one number of scenario 1."""
    point = POINTS[claim]

    def assess(context: Context) -> Finding:
        words = point.words(_one(context, point.k, point.v)[point.name])
        evidence, reason = quantity(point, context), _reason(point, context)
        if any(evidence.meets(one) for one in evidence.interpretations.values()) and not evidence.open:
            reason = ""  # the rule names the interpretation
        scale = _number_scale(context, [point.name])
        return judged(evidence, words, reason, scale=scale, repeats=REPEATED.get(claim, ""))

    return assess


def numbers(*claims: str) -> Assessment:
    """Return the assessment of a row that prints numbers of other rows again; the worst verdict counts."""

    def assess(context: Context) -> Finding:
        found = [number(claim)(context) for claim in claims]
        evidence = Together(tuple(quantity(POINTS[claim], context) for claim in claims))
        ours = "; ".join(one.ours for one in found)
        scale = _number_scale(context, [POINTS[claim].name for claim in claims])
        return judged(evidence, ours, scale=scale, repeats="; ".join(REPEATED.get(one, one) for one in claims))

    return assess


def combined(*weighted: tuple[float, Interval]) -> Estimate:
    """Return a weighted sum of means with its 95 % interval; those of different points are independent.

    >>> combined((1.0, Interval(3.0, 2.0, 4.0)), (-1.0, Interval(1.0, 0.0, 2.0))).value
    2.0
    """
    weights: dict[Interval, float] = {}
    for weight, one in weighted:
        weights[one] = weights.get(one, 0.0) + weight
    mean = sum(weight * one.mean for one, weight in weights.items())
    half = math.hypot(*(weight * (one.upper - one.lower) / 2 for one, weight in weights.items()))
    return Estimate(mean, mean - half, mean + half)


def _ms(time: Interval) -> str:
    return f"{1e3 * time.mean:.1f} ({1e3 * time.lower:.1f} .. {1e3 * time.upper:.1f}) ms"


def _share(loss: Interval) -> str:
    return f"{loss.mean:.4f} ({loss.lower:.4f} .. {loss.upper:.4f})"


def _factors(k: float) -> list[float]:
    return sorted({0.6, 0.8, float(laws.lossless_virtual_factor(k)), 1.0})


def minimised(context: Context) -> Finding:
    """Assess section 4.1.1: the transfer time is least near v = k/(k + 1), for every k."""
    words, holds = [], True
    for k in KS:
        times = {v: _two(context, k, v)["transfer_time"] for v in _factors(k)}
        here = times[float(laws.lossless_virtual_factor(k))]
        holds &= here.upper <= 1.02 * min(one.mean for one in times.values())
        words.append(f"k = {k}: {_ms(here)}")
    claim = "at v = k/(k + 1) the upper end of the interval is at most 2 % above the least mean of all v"
    return judged(Statement(holds, claim), "; ".join(words), scale=_scale(context, "scenario 0"))


def no_improvement(context: Context) -> Finding:
    """Assess section 4.1.1: the transfer time does not improve for v above k/(k + 1)."""
    gains = []
    for k in KS:
        best, full = (_two(context, k, v)["transfer_time"] for v in (float(laws.lossless_virtual_factor(k)), 1.0))
        gains.append(1 - full.mean / best.mean)
    claim = "at v = 1 the mean is at most 2 % below that at v = k/(k + 1), for every k"
    words = f"v = 1 is faster by {', '.join(f'{100 * one:.1f}' for one in gains)} % (k = 2, 5, 10, 20)"
    return judged(Statement(max(gains) < 0.02, claim), words, scale=_scale(context, "scenario 0"))


def negligible(context: Context) -> Finding:
    """Assess section 4.1.2: negligible loss for v up to k/(k + 1), and increasing loss above."""
    words, found, grows = [], [], []
    for k in KS:
        factor = float(laws.lossless_virtual_factor(k))
        there, full, fair = _two(context, k, factor), _two(context, k, 1.0), _two(context, k, factor, FAIR_START)
        found.append((there["loss"].upper, there["late_loss"].upper, fair["loss"].upper))
        grows.append(combined((1.0, full["loss"]), (-1.0, there["loss"])))
        words.append(f"k = {k}: {there['loss'].mean:.4f}, {there['late_loss'].mean:.4f}, {fair['loss'].mean:.4f}")
    in_all, late, fairly = (max(one) < 0.005 for one in zip(*found, strict=True))
    claim = "at v = k/(k + 1) less than 0.5 % of all packets"
    tried = {"after the first 100 ms": late, "if sources start at half of the capacity": fairly}
    return judged(
        Together((Statement(in_all, claim, tried), Difference(tuple(grows)))),
        "at v = k/(k + 1) over the whole transfer, after 0.1 s, and if sources start at C/2: " + "; ".join(words),
        "both sources find the link empty at the start, so that they lose 0.2 to 2 % of all packets there",
        scale=_scale(context, "scenario 0"),
    )


def loss_at_one(context: Context) -> Finding:
    """Assess section 4.1.2: the loss at v = 1 is 1/(k + 1)."""
    words, parts = [], []
    for k in KS:
        plain, fair = _two(context, k, 1.0), _two(context, k, 1.0, FAIR_START)
        late = {"after the first 100 ms": plain["late_loss"], "if sources start at C/2": fair["loss"]}
        law = Printed(f"1/{k + 1}", 1 / (k + 1), 0.0)
        tried = {name: Estimate(*one) for name, one in late.items()}
        parts.append(Quantity(law, Estimate(*plain["loss"]), interpretations=tried))
        words.append(
            f"1/{k + 1} = {1 / (k + 1):.4f}: {_share(plain['loss'])}, after 0.1 s {_share(plain['late_loss'])}"
        )
    return judged(
        Together(tuple(parts)),
        "; ".join(words),
        "packets lost at the start of the transfer add 0.01 to 0.02 for k = 10 and 20",
        scale=_scale(context, "scenario 0"),
    )


def overshoot(context: Context) -> Finding:
    """Assess section 4.2.1: peak load, oscillation and loss of scenario 1 grow with k."""
    found = [_one(context, k, 1.0) for k in KS]

    def growth(*weights: tuple[float, str]) -> tuple[tuple[Estimate, ...], dict[str, tuple[Estimate, ...]]]:
        """Return the growth of a weighted sum from each k to the next, and from the least k to the largest."""

        def step(one: dict[str, Interval], other: dict[str, Interval]) -> Estimate:
            return combined(*((w, other[name]) for w, name in weights), *((-w, one[name]) for w, name in weights))

        steps = tuple(step(one, other) for one, other in pairwise(found))
        return steps, {"only k = 2 and k = 20 compared": (step(found[0], found[-1]),)}

    peaks = Difference(*growth((1.0, "peak_load")), fitted=WEIGHT)
    swings = Difference(*growth((1.0, "load_high"), (-1.0, "load_low")))
    losses = Difference(*growth((1.0, "loss")))
    words = [
        f"k = {k}: peak {one['peak_load'].mean:.2f}, load {one['load_low'].mean:.2f} .. {one['load_high'].mean:.2f}, "
        f"loss {one['loss'].mean:.3f}"
        for k, one in zip(KS, found, strict=True)
    ]
    scale = _defined(_scale(context), ("peak_load", "load_low", "load_high"))
    return judged(Together((peaks, swings, losses)), "; ".join(words), scale=scale)


def rather_v_than_k(context: Context) -> Finding:
    """Assess section 4.2.2: the transfer time depends more on v than on k, and flattens towards v = 1."""
    times = {(k, v): _one(context, k, v)["transfer_time"] for k in (2, 20) for v in (0.5, 0.8, 1.0)}
    differences = []
    for k in (2, 20):
        by_v = ((1.0, times[k, 0.5]), (-1.0, times[k, 1.0]))
        for v in (0.5, 0.8, 1.0):
            for sign in (1.0, -1.0):  # |x| < y means y - x > 0 and y + x > 0
                differences.append(combined(*by_v, (sign, times[2, v]), (-sign, times[20, v])))
        slopes = ((1 / 3, times[k, 0.5]), (-1 / 3, times[k, 0.8]), (-1 / 2, times[k, 0.8]), (1 / 2, times[k, 1.0]))
        differences.append(combined(*slopes))
    by_v_ms = [1e3 * (times[k, 0.5].mean - times[k, 1.0].mean) for k in (2, 20)]
    by_k_ms = [1e3 * abs(times[20, v].mean - times[2, v].mean) for v in (0.5, 0.8, 1.0)]
    steep = [1e3 * (times[k, 0.5].mean - times[k, 0.8].mean) / 3 for k in (2, 20)]
    flat = [1e3 * (times[k, 0.8].mean - times[k, 1.0].mean) / 2 for k in (2, 20)]
    return judged(
        Difference(tuple(differences)),
        f"from v = 0.5 to 1: {by_v_ms[0]:.0f} and {by_v_ms[1]:.0f} ms (k = 2, 20); from k = 2 to 20: "
        f"{', '.join(f'{one:.0f}' for one in by_k_ms)} ms (v = 0.5, 0.8, 1); in each 0.1 of v up to 0.8 and beyond: "
        f"{steep[0]:.0f} and {flat[0]:.0f} ms (k = 2), {steep[1]:.0f} and {flat[1]:.0f} ms (k = 20)",
        scale=_scale(context),
    )


def worse_at_one(context: Context) -> Finding:
    """Assess section 4.2.2: with k = 2 the transfer time is longer at v = 1 than at v = 0.9."""
    count = max(replications(context), 100)  # the printed rise is 1 % of the transfer time

    def times(interpretation: Interpretation) -> tuple[Interval, Interval]:
        near, full = (
            runs.cross_traffic(2, v, interpretation, replications=count, rng=context.seed)["transfer_time"]
            for v in (0.9, 1.0)
        )
        return near, full

    tried = {
        IN_WORDS["excess"]: times(EXCESS),
        "Response(f) as printed": times(replace(NEAREST, round=1.0)),
        "all formulas as printed, and an announced end": times(PLAIN),
    }
    rises = {words: combined((1.0, full), (-1.0, near)) for words, (near, full) in tried.items()}
    near, full = times(NEAREST)
    words = "; ".join(
        f"{words}: {1e3 * one.value:+.1f} ({1e3 * one.low:+.1f} .. {1e3 * one.high:+.1f}) ms"
        for words, one in rises.items()
    )
    return judged(
        Difference((combined((1.0, full), (-1.0, near)),), {words: (one,) for words, one in rises.items()}, fitted=END),
        f"{_ms(near)} at v = 0.9, {_ms(full)} at v = 1",
        f"the printed rise is 21 ms, of single runs; interpretations tried: {words}; "
        "figures/loss_load/loss_load_tables.md has all rules",
        scale=f"{count} runs of scenario 1, seed {context.seed}",
    )


def among_others(context: Context) -> Finding:
    """Assess section 4.2.4: loss-load is far faster than tcp and decbit, and slower than hbh, pp and e2e-ef.

    The transfer times of these five are those that the paper quotes.
    """
    ours = [_one(context, 2, v)["transfer_time"] for v in (0.9, 1.0)]
    announced = [_one(context, 2, v, replace(NEAREST, farewell=True))["transfer_time"] for v in (0.9, 1.0)]
    slower = [Estimate(*(x - QUOTED[name] for x in one))
              for one in ours for name in ("hbh", "pp", "e2e-ef")]  # fmt: skip
    half = 0.5 * min(QUOTED["tcp"], QUOTED["decbit"])
    far = Statement(max(one.upper for one in ours) < half, "far better: less than half of the transfer time")
    found = judged(
        Together((Difference(tuple(slower), fitted=END), far)),
        f"{_ms(ours[0])} at v = 0.9, {_ms(ours[1])} at v = 1, against the quoted 1534, 1569, 1621, 4430, 5566 ms",
        scale=_scale(context),
    )
    why = (
        f"if the end of a file is announced, it is {_ms(announced[0])} at v = 0.9 and {_ms(announced[1])} at v = 1, "
        "where pp and e2e-ef are not faster; hbh, pp and e2e-ef had fair queueing, loss-load has FIFO (004-10 in "
        "ERRATA.md)"
    )
    return replace(found, reason="; ".join(filter(None, (found.reason, why))))


def settled_loads(interpretation: Interpretation) -> list[float]:
    """Return the loads at which scenario 1's eleven sources settle by the laws, none having ended, for every k.

    Each source replies to all others; steps are damped, because full ones alternate.
    """
    k, round_trip = np.array(KS, float)[:, None], interpretation.round * 0.044
    packets = np.array([4000.0] + 10 * [1000.0])
    f = np.full((len(KS), len(packets)), 1.3 / len(packets))
    for _ in range(2000):
        others, powers = f.sum(1, keepdims=True) - f, (f ** (k + 1)).sum(1, keepdims=True) - f ** (k + 1)
        reply = np.asarray(laws.response_optimal_rate(others - 1, powers, k, packets, round_trip, 1e4))
        if np.abs(reply / f - 1).max() < 1e-6:
            break
        f += 0.05 * (reply - f)
    return [float(one) for one in f.sum(1)]


def stable_region(context: Context) -> Finding:
    """Assess section 4.2.1: the load at equilibrium is always between 1 and (k + 1)/k."""
    loads, as_printed = settled_loads(NEAREST), settled_loads(PLAIN)

    def inside(found: list[float]) -> bool:
        return all(1 + 1e-6 < load < (k + 1) / k for k, load in zip(KS, found, strict=True))

    mean = _one(context, 2, 1.0)["load_mean"]
    return judged(
        Statement(
            inside(loads),
            "the eleven sources settle above 1 and below (k + 1)/k by the laws, k = 2, 5, 10, 20",
            {"a round of retransmissions costs one round trip, as printed": inside(as_printed)},
        ),
        f"{', '.join(f'{one:.3f}' for one in loads)}, as printed {', '.join(f'{one:.3f}' for one in as_printed)}; in "
        f"the run at k = 2: {_share(mean)}",
        "not always: sources settle on a load of exactly 1 if a loss costs enough, see 004-4 in ERRATA.md",
        scale=_defined(_scale(context), ["load_mean"]),
    )
