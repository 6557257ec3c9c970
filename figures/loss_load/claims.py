"""Assessments of every claim of Prithviraj & Williamson; those of printed numbers are in ``numbers``.

Scenario 0 is judged with the formulas as printed, with and without the start of the transfer.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from figures.claims import Assessment, Context, Finding, arithmetic, given, judged, read
from figures.loss_load import runs, shaping
from figures.loss_load.cheating import cheating
from figures.loss_load.networks import EXCESS, FAIR_START, KS, NEAREST, PLAIN, Interpretation, scenario_1
from figures.loss_load.numbers import (
    END,
    IN_WORDS,
    POINTS,
    QUOTED,
    WEIGHT,
    defined,
    number,
    numbers,
    one_point,
    replications,
    scale_text,
)  # fmt: skip
from figures.rule import (
    Difference,
    Estimate,
    Formula,
    Printed,
    Quantity,
    Statement,
    Together,
    difference,
    mean,
    printed,
    texts,
)  # fmt: skip
from longfat import benchmark
from longfat.benchmark.tables import cells
from longfat.fluid import best_replies, integrate
from longfat.laws import loss_load as laws

#: Rules by which claims are judged, with Response(f) as printed. Printed numbers are judged with the weight that the
#: peaks have set, as their rows say.
AS_PRINTED = replace(NEAREST, round=1.0)
TO_PEAKS = f"with the {WEIGHT}, that the peaks have set"
FACTORS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
AMBIENT = [(0.0, 1.0), (0.3, 0.01), (-0.2, 0.05), (2.0, 0.4)]  # a, b


def _bounded(_: Context) -> Finding:
    """Assess the loss at the rate with the largest throughput, which is a root of another equation."""
    error = 0.0
    for k in KS:
        for a, b in AMBIENT:
            best = laws.throughput_optimal_rate(a, b, k)
            error = max(error, abs(float(laws.loss_probability(best, a, b, k)) * (k + 1) - 1))
    return judged(Formula(error), "P at the root of dt/df = 0, for k = 2, 5, 10, 20 and four pairs of a and b")


def _settled(k: float, sources: int) -> float:
    """Return the total load after the sources have adapted to each other in turn many times, from unequal rates."""
    rates = np.linspace(0.5, 1.5, sources) / sources
    for _ in range(12 * int(k)):
        for j in range(sources):
            others = np.delete(rates, j)
            rates[j] = laws.throughput_optimal_rate(others.sum() - 1, (others ** (k + 1)).sum(), k)
    return float(rates.sum())


def _equilibrium(_: Context) -> Finding:
    gaps = [abs(_settled(k, m) / ((k + 1) / k) - 1) for k in (2, 5) for m in (2, 3, 5)]
    return judged(Formula(max(gaps)), "2, 3 and 5 sources that adapt to each other in turn")


def _tends(_: Context) -> Finding:
    gaps = []
    for k in KS:
        best = float(laws.throughput_optimal_rate(0.5, 0.02, k))
        for packets, trip in ((1e12, 0.044), (1000.0, 1e-12)):
            gaps.append(abs(float(laws.response_optimal_rate(0.5, 0.02, k, packets, trip, 1e4)) / best - 1))
    holds = max(gaps) < 1e-3
    return judged(Statement(holds, "within 0.1 % at N = 1e12 and at R = 1 ps"), f"within {max(gaps):.0e}")


def _formula(ours: str, values: list[Any], expected: list[Any]) -> Assessment:
    error = max(abs(float(a) / float(b) - 1) for a, b in zip(values, expected, strict=True))
    return lambda _: judged(Formula(error), ours)


def _law(text: str, law: Callable[[float], float], k: float, unit: str) -> Assessment:
    """Return the assessment of a number by a law at one k; at the other k the law should not meet it."""
    others = {f"k = {one}": Estimate(law(one)) for one in KS if one != k}
    return lambda _: judged(Quantity(printed(text), Estimate(law(k)), others=others), f"{law(k):.4g}{unit}")


def _cited(value: str, unit: str) -> Assessment:
    assessed = f"{value}, quoted" if value == "na" else f"{value} {unit}, quoted; assessed in paper 001, table 4.1"
    return given(assessed)


def _two(context: Context, k: float, v: float, interpretation: Interpretation = PLAIN) -> dict[str, Estimate]:
    return runs.two_sources(k, v, interpretation, replications=replications(context), rng=context.seed)


def combined(*weighted: tuple[float, Estimate]) -> Estimate:
    """Return a weighted sum of means with its 95 % interval; means at different points are independent.

    >>> combined((1.0, Estimate(3.0, 2.0, 4.0)), (-1.0, Estimate(1.0, 0.0, 2.0))).value
    2.0
    """
    weights: dict[Estimate, float] = {}
    for weight, one in weighted:
        weights[one] = weights.get(one, 0.0) + weight
    mean = sum(weight * one.value for one, weight in weights.items())
    half = math.hypot(*(weight * (one.upper - one.lower) / 2 for one, weight in weights.items()))
    return Estimate(mean, mean - half, mean + half)


def _ms(time: Estimate) -> str:
    return f"{time.times(1e3).text(1)} ms"


def _factors(k: float) -> list[float]:
    return sorted({0.6, 0.8, float(laws.lossless_virtual_factor(k)), 1.0})


def minimised(context: Context) -> Finding:
    """Assess section 4.1.1: the transfer time is least near v = k/(k + 1), for every k."""
    words, holds = [], True
    for k in KS:
        times = {v: _two(context, k, v)["transfer_time"] for v in _factors(k)}
        here = times[float(laws.lossless_virtual_factor(k))]
        holds &= here.upper <= 1.02 * min(one.value for one in times.values())
        words.append(f"k = {k}: {_ms(here)}")
    claim = "at v = k/(k + 1) the upper end of the interval is at most 2 % above the least mean of all v"
    return judged(Statement(holds, claim), "; ".join(words), scale=scale_text(context, "scenario 0"))


def no_improvement(context: Context) -> Finding:
    """Assess section 4.1.1: the transfer time does not improve for v above k/(k + 1)."""
    gains = []
    for k in KS:
        best, full = (_two(context, k, v)["transfer_time"] for v in (float(laws.lossless_virtual_factor(k)), 1.0))
        gains.append(1 - full.value / best.value)
    claim = "at v = 1 the mean is at most 2 % below that at v = k/(k + 1), for every k"
    words = f"v = 1 is faster by {', '.join(f'{100 * one:.1f}' for one in gains)} % (k = 2, 5, 10, 20)"
    return judged(Statement(max(gains) < 0.02, claim), words, scale=scale_text(context, "scenario 0"))


def negligible(context: Context) -> Finding:
    """Assess section 4.1.2: negligible loss for v up to k/(k + 1), and increasing loss above."""
    words, found, grows = [], [], []
    for k in KS:
        factor = float(laws.lossless_virtual_factor(k))
        there, full, fair = _two(context, k, factor), _two(context, k, 1.0), _two(context, k, factor, FAIR_START)
        found.append((there["loss"].upper, there["late_loss"].upper, fair["loss"].upper))
        grows.append(combined((1.0, full["loss"]), (-1.0, there["loss"])))
        words.append(f"k = {k}: {there['loss'].value:.4f}, {there['late_loss'].value:.4f}, {fair['loss'].value:.4f}")
    in_all, late, fairly = (max(one) < 0.005 for one in zip(*found, strict=True))
    claim = "at v = k/(k + 1) less than 0.5 % of all packets"
    tried = {"after the first 100 ms": late, "if sources start at half of the capacity": fairly}
    return judged(
        Together((Statement(in_all, claim, tried), Difference(tuple(grows)))),
        "at v = k/(k + 1) over the whole transfer, after 0.1 s, and if sources start at C/2: " + "; ".join(words),
        "both sources find the link empty at the start, so that they lose 0.2 to 2 % of all packets there",
        scale=scale_text(context, "scenario 0"),
    )


def loss_at_one(context: Context) -> Finding:
    """Assess section 4.1.2: the loss at v = 1 is 1/(k + 1)."""
    words, parts = [], []
    for k in KS:
        plain, fair = _two(context, k, 1.0), _two(context, k, 1.0, FAIR_START)
        late = {"after the first 100 ms": plain["late_loss"], "if sources start at C/2": fair["loss"]}
        law = Printed(f"1/{k + 1}", 1 / (k + 1), 0.0)
        parts.append(Quantity(law, plain["loss"], interpretations=late))
        words.append(
            f"1/{k + 1} = {1 / (k + 1):.4f}: {plain['loss'].text(4)}, after 0.1 s {plain['late_loss'].text(4)}"
        )
    return judged(
        Together(tuple(parts)),
        "; ".join(words),
        "packets lost at the start of the transfer add 0.01 to 0.02 for k = 10 and 20",
        scale=scale_text(context, "scenario 0"),
    )


def overshoot(context: Context) -> Finding:
    """Assess section 4.2.1: peak load, oscillation and loss of scenario 1 grow with k."""
    found = [one_point(context, k, 1.0, AS_PRINTED) for k in KS]

    def growth(*weights: tuple[float, str]) -> tuple[tuple[Estimate, ...], dict[str, tuple[Estimate, ...]]]:
        """Return the growth of a weighted sum from each k to the next, and from the least k to the largest."""

        def step(one: dict[str, Estimate], other: dict[str, Estimate]) -> Estimate:
            return combined(*((w, other[name]) for w, name in weights), *((-w, one[name]) for w, name in weights))

        steps = tuple(step(one, other) for one, other in pairwise(found))
        return steps, {"only k = 2 and k = 20 compared": (step(found[0], found[-1]),)}

    peaks = Difference(*growth((1.0, "peak_load")))
    swings = Difference(*growth((1.0, "load_high"), (-1.0, "load_low")))
    losses = Difference(*growth((1.0, "loss")))
    words = [
        f"k = {k}: peak {one['peak_load'].value:.2f}, load {one['load_low'].value:.2f} .. "
        f"{one['load_high'].value:.2f}, loss {one['loss'].value:.3f}"
        for k, one in zip(KS, found, strict=True)
    ]
    scale = defined(scale_text(context), ("peak_load", "load_low", "load_high"))
    return judged(Together((peaks, swings, losses)), "; ".join(words), scale=scale)


def rather_v_than_k(context: Context) -> Finding:
    """Assess section 4.2.2: the transfer time depends more on v than on k, and flattens towards v = 1."""
    times = {(k, v): one_point(context, k, v, AS_PRINTED)["transfer_time"] for k in (2, 20) for v in (0.5, 0.8, 1.0)}
    differences = []
    for k in (2, 20):
        by_v = ((1.0, times[k, 0.5]), (-1.0, times[k, 1.0]))
        for v in (0.5, 0.8, 1.0):
            for sign in (1.0, -1.0):  # |x| < y means y - x > 0 and y + x > 0
                differences.append(combined(*by_v, (sign, times[2, v]), (-sign, times[20, v])))
        slopes = ((1 / 3, times[k, 0.5]), (-1 / 3, times[k, 0.8]), (-1 / 2, times[k, 0.8]), (1 / 2, times[k, 1.0]))
        differences.append(combined(*slopes))
    by_v_ms = [1e3 * (times[k, 0.5].value - times[k, 1.0].value) for k in (2, 20)]
    by_k_ms = [1e3 * abs(times[20, v].value - times[2, v].value) for v in (0.5, 0.8, 1.0)]
    steep = [1e3 * (times[k, 0.5].value - times[k, 0.8].value) / 3 for k in (2, 20)]
    flat = [1e3 * (times[k, 0.8].value - times[k, 1.0].value) / 2 for k in (2, 20)]
    return judged(
        Difference(tuple(differences)),
        f"from v = 0.5 to 1: {by_v_ms[0]:.0f} and {by_v_ms[1]:.0f} ms (k = 2, 20); from k = 2 to 20: "
        f"{', '.join(f'{one:.0f}' for one in by_k_ms)} ms (v = 0.5, 0.8, 1); in each 0.1 of v up to 0.8 and beyond: "
        f"{steep[0]:.0f} and {flat[0]:.0f} ms (k = 2), {steep[1]:.0f} and {flat[1]:.0f} ms (k = 20)",
        scale=scale_text(context),
    )


def worse_at_one(context: Context) -> Finding:
    """Assess section 4.2.2: with k = 2 the transfer time is longer at v = 1 than at v = 0.9."""
    count = max(replications(context), 100)  # the printed rise is 1 % of the transfer time

    def times(interpretation: Interpretation) -> tuple[Estimate, Estimate]:
        near, full = (
            runs.cross_traffic(2, v, interpretation, replications=count, rng=context.seed)["transfer_time"]
            for v in (0.9, 1.0)
        )
        return near, full

    tried = {
        IN_WORDS["excess"]: times(EXCESS),
        TO_PEAKS: times(NEAREST),
        "all formulas as printed, and an announced end": times(PLAIN),
    }
    rises = {words: combined((1.0, full), (-1.0, near)) for words, (near, full) in tried.items()}
    near, full = times(AS_PRINTED)
    words = "; ".join(
        f"{words}: {1e3 * one.value:+.1f} ({1e3 * one.low:+.1f} .. {1e3 * one.high:+.1f}) ms"
        for words, one in rises.items()
    )
    return judged(
        Difference(
            (combined((1.0, full), (-1.0, near)),),
            {words: (one,) for words, one in rises.items() if words != TO_PEAKS},
            fitted=END,
        ),
        f"{_ms(near)} at v = 0.9, {_ms(full)} at v = 1",
        f"the printed rise is 21 ms, of single runs; interpretations tried: {words}; "
        "figures/loss_load/loss_load_tables.md has all rules",
        scale=f"{count} runs of scenario 1, seed {context.seed}",
    )


def among_others(context: Context) -> Finding:
    """Assess section 4.2.4: loss-load is far faster than tcp and decbit, and slower than hbh, pp and e2e-ef.

    The transfer times of these five are those that the paper quotes.
    """
    ours = [one_point(context, 2, v, AS_PRINTED)["transfer_time"] for v in (0.9, 1.0)]
    announced = [one_point(context, 2, v, replace(AS_PRINTED, farewell=True))["transfer_time"] for v in (0.9, 1.0)]
    slower = [one.less(QUOTED[name])
              for one in ours for name in ("hbh", "pp", "e2e-ef")]  # fmt: skip
    half = 0.5 * min(QUOTED["tcp"], QUOTED["decbit"])
    far = Statement(max(one.upper for one in ours) < half, "far better: less than half of the transfer time")
    found = judged(
        Together((Difference(tuple(slower), fitted=END), far)),
        f"{_ms(ours[0])} at v = 0.9, {_ms(ours[1])} at v = 1, against the quoted 1534, 1569, 1621, 4430, 5566 ms",
        scale=scale_text(context),
    )
    why = (
        f"if the end of a file is announced, it is {_ms(announced[0])} at v = 0.9 and {_ms(announced[1])} at v = 1, "
        "where pp and e2e-ef are not faster; hbh, pp and e2e-ef had fair queueing, loss-load has FIFO (004-10 in "
        "ERRATA.md)"
    )
    return replace(found, reason="; ".join(filter(None, (found.reason, why))))


def settled_loads(interpretation: Interpretation) -> list[float]:
    """Return the equilibrium loads of scenario 1's eleven sources by the laws, before any has ended, for every k.

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

    mean = one_point(context, 2, 1.0)["load_mean"]
    return judged(
        Statement(
            inside(as_printed),
            "the eleven sources settle above 1 and below (k + 1)/k by the formulas as printed, k = 2, 5, 10, 20",
        ),
        f"{', '.join(f'{one:.3f}' for one in as_printed)}; {TO_PEAKS}: {', '.join(f'{one:.3f}' for one in loads)}, in "
        f"the run at k = 2 {mean.text(4)}",
        scale=defined(scale_text(context), ["load_mean"]),
    )


BUCKET = 1.1  # token rate over the mean rate of a source


def _shaped(context: Context, load: float, tokens: float) -> list[dict[str, float]]:
    seeds = np.random.SeedSequence([context.seed, 4]).spawn(replications(context))
    return [shaping.observe(load, tokens, np.random.default_rng(one)) for one in seeds]


def _bucket_scale(context: Context) -> str:
    return f"{replications(context)} runs of {shaping.DURATION:g} s at each load, seed {context.seed}"


def smooth(context: Context) -> Finding:
    """Assess section 2.1: behind shapers packets wait little at the switch, even at a load of 0.9.

    Little is taken to be less than three transmission times, and less than without shapers.
    """
    packet = shaping.PACKET / shaping.CAPACITY
    waits = {
        load: [mean([one["queue_delay"] for one in _shaped(context, load, tokens)]) for tokens in (BUCKET, 0.0)]
        for load in shaping.LOADS
    }
    return judged(
        Together((
            Difference(tuple(difference(without, shaped) for shaped, without in waits.values())),
            Statement(all(shaped.high < 3 * packet for shaped, _ in waits.values()),
                      "little: less than three transmission times"),
        )),
        "mean wait in transmission times, with a token rate of 1.1 times the mean rate and without shapers: "
        + "; ".join(f"load {load:g}: {texts((one.times(1 / packet) for one in both), 1)}"
                    for load, both in waits.items()),
        "packets wait longer", scale=_bucket_scale(context),
    )  # fmt: skip


def at_the_expense(context: Context) -> Finding:
    """Assess section 2.1: shapers delay and drop packets more than the queue at the switch does without them."""
    found, words = [], []
    for load in shaping.LOADS:
        pairs = list(zip(_shaped(context, load, BUCKET), _shaped(context, load, 0.0), strict=True))
        delay = mean([shaped["delay"] - without["delay"] for shaped, without in pairs])
        loss = mean([shaped["loss"] - without["loss"] for shaped, without in pairs])
        found += [delay, loss]
        words.append(f"load {load:g}: delay {_ms(delay)}, loss {loss.text(4)}")
    return judged(
        Difference(tuple(found)),
        f"with a token rate of 1.1 times the mean rate less without shapers: {'; '.join(words)}",
        "the whole delay or the loss is not larger", scale=_bucket_scale(context),
    )  # fmt: skip


@functools.cache
def _first_load(context: Context, k: float) -> Estimate:
    """Return the load at the switch that connection 1 of scenario 1 offers, alone from 70 to 100 ms."""
    data = runs.observed(k, 1.0, NEAREST, replications=replications(context), rng=context.seed)
    return mean(runs.load(data).sel(time=slice(0.0699, 0.0999)).mean("time").values)


def first_load(context: Context) -> Finding:
    """Assess section 4.2.1: the load rises to 1.0 when connection 1 begins."""
    found = {k: _first_load(context, k) for k in KS}
    return judged(
        Together(tuple(Quantity(printed("1.0"), one) for one in found.values())),
        ", ".join(f"k = {k}: {one.text(3)}" for k, one in found.items()), "it is not 1",
        scale=scale_text(context),
    )  # fmt: skip


def conservative(context: Context) -> Finding:
    """Assess sections 2.1 and 2.4: a leaky bucket uses its token rate of an empty link, a loss-load source all."""
    bucket = shaping.idle_link(np.random.default_rng(context.seed))["utilisation"]
    curve = _first_load(context, 2)
    return judged(
        Difference((curve.less(bucket),)),
        f"a bucket for a tenth of the link uses {bucket:.3f} of it when the others are silent, a loss-load source "
        f"{curve.text(3)}", "both use as much", scale=scale_text(context),
    )  # fmt: skip


def aware(_: Context) -> Finding:
    """Assess footnote 3: a source that knows the capacity has more goodput than its fair share."""
    found = cheating(KS, [0.5, 0.9], [2, 11])
    gain = found.gain
    return judged(
        Statement(bool((gain > 1).all()), "its goodput is above the fair share for every k, v and number of sources"),
        f"among 2 and 11 sources, with v of 0.5 and 0.9, k of {', '.join(map(str, KS))}, it has {gain.min():.2f} to "
        f"{gain.max():.2f} fair shares; the others keep {found.harm.min():.2f} or more of theirs",
        "it gains nothing at some of them",
    )  # fmt: skip


def faster_with_small_k(_: Context) -> Finding:
    """Assess section 2.2: the smaller k, the fewer rounds of best replies until the load is at its equilibrium."""
    rates = integrate(best_replies(5), 60, {"rate": 1.0}, k=list(KS), method="numpy").rate
    final = rates.isel(update=-1)
    rounds = (abs(rates - final) > 1e-9 * final).any("source").sum("update").values
    return judged(
        Statement(bool((np.diff(rounds) > 0).all()), "the number of updates until equilibrium rises with k"),
        f"five sources, k of {', '.join(map(str, KS))}: {', '.join(f'{one:g}' for one in rounds)} updates",
        "the number of updates does not rise with k",
    )  # fmt: skip


def transient_losses(context: Context) -> Finding:
    """Assess section 4.2.3: in scenario 1 at v = 1 the loss is not 1/(k + 1), and is larger for k = 20 than for 2."""
    few, many = (one_point(context, k, 1.0)["loss"] for k in (2, 20))
    law = {k: float(laws.bounded_loss(k)) for k in (2, 20)}
    return judged(
        Difference((combined((-1.0, few)).less(-law[2]), many.less(law[20]), difference(many, few))),
        f"loss of {few.text(3)} for k = 2, where 1/(k + 1) is {law[2]:.3f}, and {many.text(3)} for k = 20, where it is "
        f"{law[20]:.3f}", "they are alike", scale=scale_text(context),
    )  # fmt: skip


#: Changes of scenario 1, each of which takes away a reason of section 4.2.1. Ours: delays like those of scenario 0,
#: whose round trip is 4 ms, not 44; four sources in place of each one.
REASONS: dict[str, dict[str, Any]] = {
    "feedback delays eleven times shorter": {"nearer": 11.0},
    "raw throughput maximised": {"response": 0},
    "four times as many sources, with the same data": {"crowd": 4},
}


@functools.cache
def _overload(context: Context, k: float, change: str = "") -> Estimate:
    """Return the mean of the load above the capacity from 100 to 1000 ms of scenario 1 at v = 1."""
    net = scenario_1(k, 1.0, AS_PRINTED, **REASONS.get(change, {}))
    data = runs.observe(net, replications=replications(context), rng=context.seed, longest=1.1)
    return mean((runs.load(data).sel(time=slice(0.0999, 0.9999)) - 1.0).clip(min=0.0).mean("time").values)


def _growth(context: Context, change: str = "") -> Estimate:
    """Return by how much the overload of scenario 1 is larger with k = 20 than with k = 2."""
    return difference(_overload(context, 20, change), _overload(context, 2, change))


def reasons(context: Context) -> Finding:
    """Assess section 4.2.1: delays, response times and few sources are reasons why the overload grows with k.

    Without one of these reasons the overload should grow by less.
    """
    usual = _growth(context)
    found = {words: _growth(context, words) for words in REASONS}
    return judged(
        Difference(tuple(difference(usual, one) for one in found.values())),
        f"overload, the mean load above 1 from 100 to 1000 ms, with k = 20 less with k = 2: {usual.text(3)}; "
        + "; ".join(f"{words}: {one.text(3)}" for words, one in found.items()),
        "it does not grow by less without each of them", scale=scale_text(context),
    )  # fmt: skip


def first_reason(context: Context) -> Finding:
    """Assess section 4.2.1: of these reasons the feedback delays are the most important."""
    delays, *others = (_growth(context, words) for words in REASONS)
    return judged(
        Difference(tuple(difference(one, delays) for one in others)),
        "the overload grows from k = 2 to k = 20 by " + "; ".join(
            f"{one.text(3)} with {words}" for words, one in zip(REASONS, (delays, *others), strict=True)
        ),
        "without another reason it grows by less", scale=scale_text(context),
    )  # fmt: skip


#: Experiments of Kanakia, Keshav and Mishra, of which 1 is scenario 1, by the variants of the benchmark for which their
#: tables have times of TCP, DECbit, hbh, pp or e2e-ef. The printed time of experiment 9 is that of scaled files.
FULLER = ["1", "2", "3-4", "3-20", "3-200", "4", "5", "6", "7-0.2", "7-0.4", "7-0.6", "7-0.8", "7-0.9", "8", "9b", "10"]
SLOW, FAST = ("tcp (tahoe)", "decbit"), ("hbh", "pp", "e2e-ef")


def fuller_set(context: Context) -> Finding:
    """Assess section 4.2.4: in other experiments loss-load is far faster than TCP and DECbit, and slower than the rest.

    The times of the others are those that Kanakia, Keshav and Mishra print.
    """
    parts, words = [], []
    for name in FULLER:
        variant, entry = benchmark.VARIANTS[name], benchmark.ENTRIES["loss-load"]
        seeds = [np.random.SeedSequence([context.seed, one]) for one in range(replications(context))]
        ours = mean([1e3 * benchmark.measure(variant, entry, one)["transfer_time_1"] for one in seeds])
        others = {
            cell.scheme: float(cell.value) for cell in cells()
            if cell.experiment == variant.experiment and cell.metric in ("transfer_time", "transfer_time_mean")
            and cell.connection in ("1", "") and cell.load_or_size in (variant.case, "") and cell.value
        }  # fmt: skip
        slow, fast = ([others[one] for one in group if one in others] for group in (SLOW, FAST))
        said = [f"{name}: {ours.text(0)} ms"]
        if slow:
            parts.append(combined((-1.0, ours)).less(-min(slow)))
            said.append(f"TCP and DECbit {min(slow):g} and more")
        if fast:
            parts.append(ours.less(max(fast)))
            said.append(f"the others {max(fast):g} or less")
        words.append(", ".join(said))
    return judged(
        Difference(tuple(parts)), f"experiments {'; '.join(words)}",
        "loss-load, with k = 5 and v = 1, is not between them everywhere",
        scale=f"{replications(context)} runs of each experiment, seed {context.seed}",
    )  # fmt: skip


ASSESSMENTS: dict[str, Assessment] = {
    "traffic behind the shaper experiences little or no queueing delay at switches": smooth,
    "good network-level performance at the expense of delay and loss at the shaper": at_the_expense,
    "the leaky bucket does not exploit available capacity": conservative,
    "suggested values of k": given("quoted; the experiments have 2, 5, 10 and 20"),
    "smaller values of k converge faster": faster_with_small_k,
    "sources aware of the network lying about its capacity obtain more than their fair share": aware,
    "load of 1.0 at the beginning of connection 1": first_load,
    "loss at v=1 in scenario 1 differs from 1/(k+1), and grows with k": transient_losses,
    "feedback delays, response time and few sources are why the overload grows with k": reasons,
    "large feedback delays are the most important of these reasons": first_reason,
    "similar results on a fuller set of benchmark scenarios": fuller_set,
    "loss at raw-throughput optimum": _bounded,
    "offered load at equilibrium": _equilibrium,
    "response-time optimal rate tends to raw optimum as R->0 or N->inf": _tends,
    "loss for k=10": _law("9.1", lambda k: 100 * float(laws.bounded_loss(k)), 10, " %"),
    "offered load with virtual capacity": _formula(
        "the law equilibrium_load, as a fraction",
        [laws.equilibrium_load(k, v) for k in KS for v in FACTORS],
        [Fraction(k + 1, k) * Fraction(str(v)) for k in KS for v in FACTORS],
    ),
    "optimal transfer time scenario 0": arithmetic(
        "2 * 2e6 B * 8/40e6 bit/s = 0.8 s", ("800", 1e3 * 2 * 2e6 * 8 / 40e6)
    ),
    "transfer time minimised near v": minimised,
    "no improvement of transfer time for v above k/(k+1)": no_improvement,
    "loss negligible for v <= k/(k+1); grows above": negligible,
    "loss at v=1 close to": loss_at_one,
    "peak load k=2": numbers("text, k = 2, v = 1.0: peak load"),
    "peak load k=20": numbers("text, k = 20, v = 1.0: peak load"),
    "load between 500 and 1000 ms for k=2": numbers(
        "text, k = 2, v = 1.0: least load from 500 to 1000 ms",
        "text, k = 2, v = 1.0: largest load from 500 to 1000 ms",
    ),
    "expected load under raw throughput k=2": _law("1.5", lambda k: float(laws.equilibrium_load(k, 1.0)), 2, ""),
    "load in the stable region lies between 1 and (k+1)/k": stable_region,
    "overshoot and oscillation grow with k; smaller k has lower loss in scenario 1": overshoot,
    "transfer time k=2 v=0.5 -> 0.6": numbers(
        "text, k = 2, v = 0.5: transfer time", "text, k = 2, v = 0.6: transfer time"
    ),
    "transfer time k=2 v=0.9 -> 1.0": worse_at_one,
    "transfer time depends more on v than on k; flattens for v 0.8-1.0": rather_v_than_k,
    "loss v=0.9, k=5 / k=20": numbers("text, k = 5, v = 0.9: loss", "text, k = 20, v = 0.9: loss"),
    "loss v=1.0, k=2 / k=20": numbers("text, k = 2, v = 1.0: loss", "text, k = 20, v = 1.0: loss"),
    "vll transfer k=2 v=1.0 / v=0.9": numbers(
        "table 2, k = 2, v = 1.0: transfer time", "table 2, k = 2, v = 0.9: transfer time"
    ),
    "vll far better than tcp and decbit, worse than pp, hbh, e2e-ef": among_others,
    **{claim: functools.partial(number, claim) for claim in POINTS},
    **{row.claim: _cited(row.value, row.unit) for row in read("004") if row.kind == "cited"},
}
