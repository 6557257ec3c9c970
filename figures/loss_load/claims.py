"""Assessments of every claim of Prithviraj & Williamson; those that need no simulation are defined here."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from figures.claims import Assessment, Context, Finding, judged, read
from figures.loss_load import measured
from figures.loss_load.scenarios import KS
from figures.rule import Arithmetic, Declared, Estimate, Formula, Quantity, Statement, printed
from longfat.laws import loss_load as laws

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
    """Return the assessment of a number that a law gives at one k; at the other k it should not be met."""
    others = {f"k = {one}": Estimate(law(one)) for one in KS if one != k}
    return lambda _: judged(Quantity(printed(text), Estimate(law(k)), others=others), f"{law(k):.4g}{unit}")


def _cited(value: str, unit: str) -> Assessment:
    assessed = f"{value}, quoted" if value == "na" else f"{value} {unit}, quoted; assessed in paper 001, table 4.1"
    return lambda _: judged(Declared("input"), assessed)


ASSESSMENTS: dict[str, Assessment] = {
    "loss at raw-throughput optimum": _bounded,
    "offered load at equilibrium": _equilibrium,
    "response-time optimal rate tends to raw optimum as R->0 or N->inf": _tends,
    "loss for k=10": _law("9.1", lambda k: 100 * float(laws.bounded_loss(k)), 10, " %"),
    "offered load with virtual capacity": _formula(
        "the law equilibrium_load, as a fraction",
        [laws.equilibrium_load(k, v) for k in KS for v in FACTORS],
        [Fraction(k + 1, k) * Fraction(str(v)) for k in KS for v in FACTORS],
    ),
    "optimal transfer time scenario 0": lambda _: judged(
        Arithmetic(printed("800"), 1e3 * 2 * 2e6 * 8 / 40e6), "2 * 2e6 B * 8/40e6 bit/s = 0.8 s"
    ),
    "transfer time minimised near v": measured.minimised,
    "no improvement of transfer time for v above k/(k+1)": measured.no_improvement,
    "loss negligible for v <= k/(k+1); grows above": measured.negligible,
    "loss at v=1 close to": measured.loss_at_one,
    "peak load k=2": measured.numbers("text, k = 2, v = 1.0: peak load"),
    "peak load k=20": measured.numbers("text, k = 20, v = 1.0: peak load"),
    "load between 500 and 1000 ms for k=2": measured.numbers(
        "text, k = 2, v = 1.0: least load from 500 to 1000 ms",
        "text, k = 2, v = 1.0: largest load from 500 to 1000 ms",
    ),
    "expected load under raw throughput k=2": _law("1.5", lambda k: float(laws.equilibrium_load(k, 1.0)), 2, ""),
    "load in the stable region lies between 1 and (k+1)/k": measured.stable_region,
    "overshoot and oscillation grow with k; smaller k has lower loss in scenario 1": measured.overshoot,
    "transfer time k=2 v=0.5 -> 0.6": measured.numbers(
        "text, k = 2, v = 0.5: transfer time", "text, k = 2, v = 0.6: transfer time"
    ),
    "transfer time k=2 v=0.9 -> 1.0": measured.worse_at_one,
    "transfer time depends more on v than on k; flattens for v 0.8-1.0": measured.rather_v_than_k,
    "loss v=0.9, k=5 / k=20": measured.numbers("text, k = 5, v = 0.9: loss", "text, k = 20, v = 0.9: loss"),
    "loss v=1.0, k=2 / k=20": measured.numbers("text, k = 2, v = 1.0: loss", "text, k = 20, v = 1.0: loss"),
    "vll transfer k=2 v=1.0 / v=0.9": measured.numbers(
        "table 2, k = 2, v = 1.0: transfer time", "table 2, k = 2, v = 0.9: transfer time"
    ),
    "vll far better than tcp and decbit, worse than pp, hbh, e2e-ef": measured.among_others,
    **{claim: measured.number(claim) for claim in measured.POINTS},
    **{row.claim: _cited(row.value, row.unit) for row in read("004") if row.kind == "cited"},
}
