"""Kim and Farber's printed numbers that runs decide: table 1, ratios of powers, section 4.3.1."""

from __future__ import annotations

import numpy as np

from longfat.laws import power as laws
from longfat.verify.published import blt_runs as runs
from longfat.verify.published.blt_measured import (
    CLOSE,
    FILES,
    INCREASES,
    MEETS,
    PRINTED,
    at_load,
    best,
    best_as_printed,
    ceiling,
    gap,
    gaps,
    said,
    swept,
)
from longfat.verify.published.blt_scenarios import MBIT, SETS
from longfat.verify.published.rows import Context, Finding, Judge, judged


def cell(label: str, name: str, k: int) -> Judge:
    """A cell of table 1: within `MEETS`, and not above the ceiling by more than its interval."""

    def judge(context: Context) -> Finding:
        found, value, path = best(context, label, name, k), PRINTED[label, name][k], SETS[name][k]
        if found.lower > ceiling(path):
            return Finding(said(found), "differs", f"above the ceiling of {ceiling(path):.2f}: impossible")
        ours = f"{said(found)}, ceiling {ceiling(path):.2f}"
        if label == "BLT":
            ours += f"; corrected switch {said(best(context, 'BLT, corrected switch', name, k))}"
        if abs(found.mean - value) <= MEETS[label]:
            return Finding(ours, "reproduced")
        again, rate, _ = best_as_printed(context, label, name, k)
        return judged(
            abs(again.mean - value) <= MEETS[label],
            ours,
            "differs",
            f"printed throughputs are files over the time until the last is complete, of the longest of three runs; so "
            f"counted, {FILES} files a run give {said(again)} ({rate / MBIT:.0f} Mbit/s)",
        )

    return judge


def increase(label: str, k: int) -> Judge:
    """From 150 Mbit/s to 1 Gbit/s, within `CLOSE`."""

    def judge(context: Context) -> Finding:
        ours = best(context, label, "1 Gbit/s", k).mean - best(context, label, "reference", k).mean
        value = INCREASES[label][k]
        words = f"{ours:.2f}; printed cells: {PRINTED[label, '1 Gbit/s'][k] - PRINTED[label, 'reference'][k]:.1f}"
        if abs(ours - value) <= CLOSE:
            return Finding(words, "reproduced")
        again = (
            best_as_printed(context, label, "1 Gbit/s", k)[0].mean
            - best_as_printed(context, label, "reference", k)[0].mean
        )
        return judged(
            abs(again - value) < abs(ours - value),
            words,
            "differs",
            f"runs of one number of files are shorter at 1 Gbit/s, and their tail, a response time, is in the printed "
            f"throughput: {FILES} files a run so counted give {again:.2f}",
        )

    return judge


def ratio(k: int, value: float) -> Judge:
    """Greatest powers of the reference network, within `CLOSE` of the printed ratio in log10."""

    def judge(context: Context) -> Finding:
        ours = gap(context, "reference", k)
        words = f"{10**ours:.1f} (log10 {ours:.2f})"
        if abs(ours - np.log10(value)) <= CLOSE:
            return Finding(words, "reproduced")
        again = [best_as_printed(context, label, "reference", k)[0].mean for label in ("BLT", "TCP, every duplicate")]
        return judged(
            again[0] - again[1] > ours,
            words,
            "differs",
            f"TCP's share: with {FILES} files counted to the last, and every duplicate taken for a loss, "
            f"log10 {again[0] - again[1]:.2f}",
        )

    return judge


def far_at_60_kb(context: Context) -> Finding:
    """Abstract: 'far' is a factor of two at least, over BW_b = BW_N = 150 Mbit/s, 3 ms."""
    ours = gap(context, "3 ms", 2)
    if ours >= np.log10(2):
        return Finding(f"56.25 KB: power {10**ours:.2f} times TCP's", "reproduced")
    return judged(
        ours > 0.1, f"56.25 KB: power {10**ours:.2f} times TCP's", "differs",
        "ahead, but by less than a factor of two: its unloaded times differ by no more",
    )  # fmt: skip


def at_best(context: Context) -> Finding:
    """Twenty times; the text's own numbers give 17."""
    ours = max(gaps(context, "1 Gbit/s"))
    again = [best_as_printed(context, label, "1 Gbit/s", 2)[0].mean for label in ("BLT", "TCP")]
    return judged(
        ours < np.log10(12) and again[0] - again[1] > ours,
        f"{10**ours:.1f}",
        "differs",
        "more than 8, the rounds of slow start of 200 packets, needs losses at the load of the greatest power: there "
        f"are next to none; {FILES} files a run, counted to the last, give {10 ** (again[0] - again[1]):.0f}",
    )


def _gigabit(context: Context, label: str) -> tuple[float, float, float]:
    """At the greatest power over 1 Gbit/s: throughput [Mbit/s], response time [s], load."""
    data = swept(context, label, "1 Gbit/s")
    _, load = runs.greatest_power(data, label, 1000.0)
    here = data.isel(label=0, bottleneck=2).sel(load=load)
    return float(here.throughput) / MBIT, float(here.response_time), load


def gigabit(label: str, what: str, value: float, within: float = 0.1) -> Judge:
    """Section 4.3.1, within a tenth; beside it as the paper counts."""

    def judge(context: Context) -> Finding:
        rate, time, load = _gigabit(context, label)
        _, printed_rate, printed_time = best_as_printed(context, label, "1 Gbit/s", 2)
        ours, again = (rate, printed_rate / MBIT) if what == "throughput" else (time, printed_time)
        unit, digits = ("Mbit/s", 0) if what == "throughput" else ("s", 4)
        words = f"{ours:.{digits}f} {unit} at load {load:g}"
        if abs(ours / value - 1) <= within:
            return Finding(words, "reproduced")
        counted = f"{FILES} files a run, until the last is complete, longest of three runs: {again:.{digits}f} {unit}"
        reason = (
            "the time in which it is counted includes the tail; " if what == "throughput"
            else "our greatest power is at a load without losses, eight rounds of slow start; "
        )  # fmt: skip
        return Finding(words, "differs", reason + counted)

    return judge


def gigabit_ratio(what: str, value: float) -> Judge:
    """Section 4.3.1, within a quarter."""

    def judge(context: Context) -> Finding:
        b, t = _gigabit(context, "BLT"), _gigabit(context, "TCP")
        pb, pt = (best_as_printed(context, label, "1 Gbit/s", 2) for label in ("BLT", "TCP"))
        ours, again = {
            "throughput": (b[0] / t[0], pb[1] / pt[1]),
            "time": (t[1] / b[1], pt[2] / pb[2]),
            "power": (b[0] / t[0] * t[1] / b[1], pb[1] / pt[1] * pt[2] / pb[2]),
        }[what]
        if abs(ours / value - 1) <= 0.25:
            return Finding(f"{ours:.1f}", "reproduced")
        return Finding(
            f"{ours:.1f}", "differs",
            f"as above; {FILES} files a run, counted to the last: {again:.1f}",
        )  # fmt: skip

    return judge


def best_arrivals(context: Context) -> Finding:
    """Section 4.3.1: 900/s; how far its power is from the greatest."""
    _, _, load = _gigabit(context, "BLT")
    path = SETS["1 Gbit/s"][2]
    there = float(np.log10(at_load(context, "BLT", path, 900 / path.most_arrivals)["power"]).mean())
    top = best(context, "BLT", "1 Gbit/s", 2).mean
    ours = f"{load * path.most_arrivals:.0f}/s; the law says {1250 * float(laws.knee_load(37.5)):.0f}/s"
    if abs(load * path.most_arrivals / 900 - 1) <= 0.1:
        return Finding(ours, "reproduced")
    return judged(abs(top - there) < 0.1, ours, "differs",
                  f"the maximum is flat: at 900/s log10 of the power is less by {top - there:.2f}")  # fmt: skip
