"""Assessments of every claim of Kanakia, Keshav & Mishra and of the 174 printed cells of tables 4.1 to 4.10.

Every cell is judged by the published rule (`longfat.verify.published.rule`) from the same evidence, whatever its
scheme: our value; for a transfer time the least one, which both sides contain; the runs of the paper's other schemes;
the range over what should not matter or is left open (`kkm_runs.perturbations`); every rule that the paper leaves open,
changed one at a time (`longfat.benchmark.interpretations`); and which free choice of ours was set by the table
(`FITTED`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from longfat.benchmark import VARIANTS, optimal
from longfat.benchmark.entries import OPTIMAL
from longfat.benchmark.printed import Cell, cells
from longfat.verify.published import kkm_runs as runs
from longfat.verify.published.claims_table import Assessment, Context, Finding, judged
from longfat.verify.published.rule import (
    Arithmetic,
    Declared,
    Difference,
    Estimate,
    Quantity,
    Together,
    printed,
)

_WORDS = {
    "transfer_time": "transfer time",
    "transfer_time_mean": "transfer time",
    "transfer_time_std": "standard deviation of the transfer time",
    "packet_delay_mean": "packet delay",
    "packet_delay_std": "standard deviation of the delay",
}
_TIMES = ("transfer_time", "transfer_time_mean")
#: Free choices of ours that were set by printed transfer times, by the beginning of the claims.
FITTED = {
    "table 4.1: pp, transfer": "the rate rises within two round trips, by tables 4.1, 4.5 and 4.6",
    "table 4.3: hbh, transfer": "start rate of a packet in 3 ms and hops of 5 ms, by tables 4.3 and 4.7a",
    "table 4.3: pp, transfer": "the second pair waits for the first, then ten packets at line rate, by table 4.3",
    "table 4.3: e2e-ef, transfer": "start rate of a packet in 1 ms, doubled every round trip, by tables 4.3 and 4.7a",
    "table 4.5: pp, transfer": "the rate rises within two round trips, by tables 4.1, 4.5 and 4.6",
    "table 4.6: pp, transfer": "the rate rises within two round trips, by tables 4.1, 4.5 and 4.6",
    "table 4.7a: hbh, transfer": "start rate of a packet in 3 ms and hops of 5 ms, by tables 4.3 and 4.7a",
    "table 4.7a: pp, transfer time, 0.2": "the rate rises within two round trips, as in tables 4.1, 4.5 and 4.6",
    "table 4.7a: e2e-ef, transfer": "start rate of a packet in 1 ms, doubled every round trip, by tables 4.3 and 4.7a",
    "table 4.9: pp, transfer": "size of the files, by table 4.9",
    "table 4.10": "size of the files, by table 4.10",
}
#: What we chose where the paper is silent or contradicts itself, shown in the rows of an experiment.
CHOICES = {
    7: "all sources active from time 0 (ours: the text has them start in turn)",
    9: "files scaled down with the capacity, time in ms (ours: the text has 2 MB and 500 kB, the table seconds)",
    10: "files of 2 MB (ours: not printed)",
}
#: Queue discipline of each scheme; the paper has "Fair Queueing" for the rate-based schemes.
DISCIPLINES = {
    "hbh": "self-clocked fair queueing (ours)",
    "pp": "bit-by-bit round-robin fair queueing (ours, after its reference 2)",
    "e2e-ef": "self-clocked fair queueing (ours)",
    "tcp (tahoe)": "FIFO",
    "decbit": "FIFO, a marking queue (ours: the packet in transmission does not count)",
}


def claim(cell: Cell) -> str:
    """Return the claim, the name of a cell in the table of claims.

    >>> claim(cells()[3])
    'table 4.1: hbh, transfer time'
    """
    table = f"table 4.{cell.experiment}"
    if cell.experiment == 7:
        table += "b" if cell.metric.startswith("packet") else "a"
    words = [cell.scheme, _WORDS[cell.metric]]
    if cell.experiment in (4, 6, 10) and cell.connection != "probe":
        words.append(f"connection {cell.connection}")
    return f"{table}: {', '.join([*words, *filter(None, [cell.load_or_size])])}"


def fitted(cell: Cell) -> str:
    """Return the free choice of ours that was set by the table of a cell, empty if there is none.

    >>> fitted(cells()[3])
    ''
    """
    return next((choice for beginning, choice in FITTED.items() if claim(cell).startswith(beginning)), "")


def evidence(cell: Cell, count: int, seed: int) -> Quantity:
    """Return what our runs show about a printed cell."""
    return Quantity(
        printed(cell.value),
        runs.ours(cell, cell.scheme, count, seed),
        optimum=runs.least(cell),
        others={
            label: one
            for label in runs.FIVE
            if label != cell.scheme and (one := runs.ours(cell, label, count, seed)).value == one.value
        },
        interpretations=runs.interpreted(cell, count, seed),
        spread=runs.spread(cell, count, seed),
        fitted=fitted(cell),
    )


def _cell(cell: Cell) -> Assessment:
    def assess(context: Context) -> Finding:
        count, unit = runs.replications(context), runs.unit(cell)
        found = evidence(cell, count, context.seed)
        others = [one.value for one in found.interpretations.values()]
        why = ""
        if (
            others
            and not (found.spread and found.spread.wide)
            and not any(map(found.meets, found.interpretations.values()))
        ):
            why = (
                f"none of {len(others)} interpretations meets it, they give {runs.digits(min(others))} to "
                f"{runs.digits(max(others))} {unit}"
            )
        return judged(found, runs.shown(found.ours, unit), why, scale=scale(cell, count, context.seed))

    return assess


def scale(cell: Cell, count: int, seed: int) -> str:
    """Return what is run for a cell, with the choices that are ours."""
    variant = runs.variant_of(cell)
    first = runs.measured(variant.name, runs.LABELS[cell.scheme], count, seed)
    text = f"{len(first)} run{'s' * (len(first) > 1)}, seed {seed}"
    return "; ".join(filter(None, [text, DISCIPLINES[cell.scheme], CHOICES.get(cell.experiment, "")]))


def _optimal_cell(cell: Cell) -> Assessment:
    """Judge a printed cell of the row "optimal": delays are zero by definition, times those of max-min fair shares."""

    def assess(_: Context) -> Finding:
        if cell.metric not in _TIMES:
            return judged(Declared("input", "zero by the definition of the optimal scheme"), "0 ms")
        least = runs.least(cell)
        assert least is not None
        if cell.misprint:
            return judged(Declared("not reproducible", cell.remark), f"{least:.5g} ms")
        repeats = next(row for row, (_, names) in OPTIMA.items() if runs.variant_of(cell).name in names)
        return judged(Quantity(printed(cell.value), Estimate(least)), f"{least:.5g} ms", repeats=repeats)

    return assess


def _misprint(cell: Cell) -> Assessment:
    """Judge a delay that repeats a transfer time."""
    return lambda _: judged(Declared("not reproducible", cell.remark), "at most 44 ms in a full buffer")


#: Rows of least transfer times: the printed numbers [ms] and the variants.
OPTIMA: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "optimal transfer time exp 1": (("1444",), ("1",)),
    "optimal transfer time exp 2": (("1444",), ("2",)),
    "optimal transfer time exp 3 (4/20/200 packets)": (("44.4", "46", "64"), ("3-4", "3-20", "3-200")),
    "optimal transfer time exp 4 conn 1 / conn 2": (("1844", "1882"), ("4",)),
    "optimal transfer time exp 5": (("644",), ("5",)),
    "optimal transfer time exp 6": (("1556",), ("6",)),
}


def _optimal(numbers: tuple[str, ...], names: tuple[str, ...]) -> Assessment:
    def assess(_: Context) -> Finding:
        ours = [1e3 * float(time) for name in names for time in optimal(VARIANTS[name]).values()][: len(numbers)]
        parts = tuple(Quantity(printed(text), Estimate(time)) for text, time in zip(numbers, ours, strict=True))
        return judged(Together(parts), f"max-min fair shares: {', '.join(f'{one:.5g}' for one in ours)} ms")

    return assess


def _input(ours: str, reason: str = "") -> Assessment:
    return lambda _: judged(Declared("input", reason), ours)


def _bandwidth_delay_product(_: Context) -> Finding:
    packet = 4000 / 1.5e6  # s
    return judged(
        Arithmetic(printed("5.5"), 1.5e6 * (0.012 + packet) / 4000), "1.5 Mbit/s (12 ms + 2.67 ms)/4000 bit = 5.5"
    )


def _alternate(_: Context) -> Finding:
    """Count the active sources of experiment 10 during a round trip, in steps of 0.1 ms.

    Each of two sources is on for 2.5 ms of every 4 ms, the first from 1.5 ms on, the second from 3 ms on.
    """
    begin, period, on = (15, 30), 40, 25  # 0.1 ms
    counts = [sum(t >= b and (t - b) % period < on for b in begin) for t in range(400, 602)]
    changes = [two for one, two in pairwise(counts) if two != one]
    return judged(
        Together((Arithmetic(printed("1"), min(counts)), Arithmetic(printed("2"), max(counts)))),
        f"{min(counts)} or {max(counts)} sources are active, {len(changes)} changes in 20.2 ms",
    )


def _order(experiment: str, labels: list[str]) -> Assessment:
    """Judge an order of transfer times by the difference of each scheme and the next, over runs with send jitter."""

    def assess(context: Context) -> Finding:
        found = runs.differences(experiment, labels, context.seed)
        named = [(f"{after} - {before}", one) for (before, after), one in zip(pairwise(labels), found, strict=True)]
        return judged(
            Difference(tuple(found)),
            "; ".join(f"{words}: {runs.shown(one)}" for words, one in named),
            f"not above 0 with the whole interval: {', '.join(words for words, one in named if one.low <= 0)}",
            scale=f"{runs.JITTER_RUNS} runs with up to a packet time of send jitter, seed {context.seed}",
        )

    return assess


def _start(context: Context) -> Finding:
    """Compare packet-pair's inverse-exponential start with a start at the full rate, in experiment 2."""
    saved = runs.starts(context.seed)
    text = (
        f"against full rate at once: {runs.shown(saved['dropped'], 'packets')} fewer are lost, the mean queue is "
        f"{runs.shown(saved['queue'], 'packets')} shorter"
    )
    return judged(
        Difference((saved["queue"], saved["dropped"])), text,
        scale=f"{runs.JITTER_RUNS} runs of experiment 2 with up to a packet time of send jitter, seed {context.seed}",
    )  # fmt: skip


def _printed_cell(cell: Cell) -> Assessment:
    judges: Callable[[Cell], Assessment] = _optimal_cell if cell.scheme == OPTIMAL else _cell
    return _misprint(cell) if cell.misprint and cell.scheme != OPTIMAL else judges(cell)


ASSESSMENTS: dict[str, Assessment] = {
    "fast line rate": _input("100 Mbit/s"),
    "slow line rate": _input("40 Mbit/s, 1.5 in experiment 9"),
    "packet size": _input("500 B"),
    "ack size": _input("40 B"),
    "probe period of the single-packet-delay source": _input("20 ms, 500 ms in experiment 9"),
    **{row: _optimal(numbers, names) for row, (numbers, names) in OPTIMA.items()},
    "buffers in exp 8 (exp 1 has)": _input("44 (440)"),
    "bandwidth-delay product exp 9": _bandwidth_delay_product,
    "backlogged sources alternate 1-2-1 within one 20.2 ms RTT; cross source on 2.5 ms at C/4, off 1.5 ms": _alternate,
    "inverse-exponential start of packet-pair reduces buffer build-up and packet losses": _start,
    "power is proportional to the inverse square of the transfer time": _input(
        "(size/T)/T", "by the definition of power, throughput over delay"
    ),
    "order exp 1: hbh < pp < e2e-ef < tcp(tahoe) < decbit": _order(
        "1", ["hbh", "pp", "e2e-ef", "tcp (tahoe)", "decbit"]
    ),
    "order exp 2: hbh < pp < e2e-ef < tcp < decbit": _order("2", ["hbh", "pp", "e2e-ef", "tcp (tahoe)", "decbit"]),
    "order exp 5: hbh < e2e-ef <= pp < tcp < decbit": _order("5", ["hbh", "e2e-ef", "pp", "tcp (tahoe)", "decbit"]),
    "all other cells of tables 4.1-4.10": _input("each is a row of its own"),
    **{claim(one): _printed_cell(one) for one in cells() if one.value},
}


def rows() -> list[dict[str, Any]]:
    """Return the cells as rows of ``kkm.csv``."""
    return [
        {
            "paper": "001", "section": f"4.{one.experiment}", "claim": claim(one), "value": one.value, "unit": one.unit,
            "conditions": one.remark, "kind": "analytic" if one.scheme == "optimal" else "measured",
        }
        for one in cells() if one.value
    ]  # fmt: skip


def of_all_cells(found: Mapping[str, Finding]) -> list[list[str]]:
    """Count for each scheme how many printed numbers an interpretation meets if it is used for all of them.

    Returns
    -------
    list of list of str
        A line for each scheme and interpretation: its numbers of printed numbers for which the interpretation can be
        told from the benchmark's setting, how many of these the setting meets, and how many the interpretation.
    """
    tally: dict[tuple[str, str], list[int]] = {}
    for name, one in found.items():
        if not isinstance(one.evidence, Quantity):
            continue
        scheme = name.split(": ")[1].split(", ")[0]
        for words, value in one.evidence.interpretations.items():
            counts = tally.setdefault((scheme, words), [0, 0, 0])
            counts[0] += 1
            counts[1] += one.evidence.meets(one.evidence.ours)
            counts[2] += one.evidence.meets(value)
    return [[*key, *map(str, counts)] for key, counts in sorted(tally.items())]


def cell_findings(context: Context, experiments: tuple[int, ...] = tuple(range(1, 11))) -> dict[str, Finding]:
    """Return the findings of all printed cells of some experiments, by claim."""
    chosen = [claim(one) for one in cells() if one.value and one.experiment in experiments]
    return {name: ASSESSMENTS[name](context) for name in chosen}
