"""Assessments of every claim of Kanakia, Keshav & Mishra and of the 174 printed cells of tables 4.1 to 4.10.

Every cell is judged by the published rule (`figures.rule`) from the same evidence, whatever its scheme: our value; for
a transfer time the least one, which both sides contain; the runs of the paper's other schemes; the range over what
should not matter or is open (`figures.kkm.runs.perturbations`); other interpretations of the experiment and of what is
measured (`figures.kkm.interpretations`); and which free choices of ours were set by the table
(`figures.kkm.choices`). The other schemes are those of the paper in the same experiment, whether or not the paper
prints a number for them there: many cells are blank, and table 4.8 marks two schemes with an "x". Rules of a scheme
that the paper leaves open are changed for all cells or for none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from figures.claims import Assessment, Context, Finding, arithmetic, given, judged
from figures.kkm import choices, runs
from figures.rule import (
    Arithmetic,
    Declared,
    Difference,
    Formula,
    Quantity,
    Together,
    difference,
    judge,
    printed,
)
from longfat.benchmark import ENTRIES, VARIANTS, optimal
from longfat.benchmark.entries import OPTIMAL
from longfat.benchmark.tables import Cell, cells

_WORDS = {
    "transfer_time": "transfer time",
    "transfer_time_mean": "transfer time",
    "transfer_time_std": "standard deviation of the transfer time",
    "packet_delay_mean": "packet delay",
    "packet_delay_std": "standard deviation of the delay",
}
#: Queue discipline of each scheme; the paper has "Fair Queueing" for the rate-based schemes, "FCFS" for the others.
DISCIPLINES = {
    "hbh": "self-clocked fair queueing (ours)",
    "pp": "bit-by-bit round-robin fair queueing (ours)",
    "e2e-ef": "self-clocked fair queueing (ours)",
    "tcp (tahoe)": "FIFO",
    "decbit": "FIFO that marks, not counting the packet in transmission (ours)",
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
    """Return our choices that were set by the table of a cell; empty if there are none.

    These are values that the paper does not print, and interpretations between which the table has decided.

    >>> fitted(cells()[3])
    ''
    """
    entry, variant = ENTRIES[runs.LABELS[cell.scheme]], runs.variant_of(cell)
    found = sorted(choices.decided(entry, variant, cell.metric), key=lambda one: one.kind)  # fitted ones first
    return "; ".join(one.words for one in found)


def evidence(cell: Cell, count: int, seed: int) -> Quantity:
    """Return the evidence of our runs about a printed cell."""
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


def assess(cell: Cell, context: Context) -> Finding:
    """Assess a printed cell; a delay that repeats a transfer time is a misprint."""
    if cell.scheme == OPTIMAL:
        return _optimal_cell(cell)
    if cell.misprint:
        return judged(Declared("not reproducible", cell.remark), "at most 44 ms in a full buffer")
    count, unit = runs.replications(context), runs.unit(cell)
    found = evidence(cell, count, context.seed)
    why = ""
    if judge(found)[0] == "differs":
        others = [one.value for one in runs.ruled(cell, count, context.seed).values()]
        same = runs.digits(runs.alike(cell, count, context.seed).value)
        why = (
            f"{len(others)} changes of its rules, one at a time: {runs.digits(min(others))} to "
            f"{runs.digits(max(others))} {unit}"
        ) + f" ({same} without, over the same {count} runs)" * (cell.experiment == 7)
    if judge(found)[0] == "differs" and cell.experiment == 3:
        trip = "at a round trip of 40 ms, which the times of TCP and DECbit in this table imply (ERRATA 001-4), "
        why = f"{trip}{runs.shown(runs.at_40_ms(cell, count, context.seed))}; {why}"
    return judged(found, runs.shown(found.ours, unit), why, scale=scale(cell, count, context.seed))


def scale(cell: Cell, count: int, seed: int) -> str:
    """Return the scale of the runs for a cell as text, with our choices."""
    variant, entry = runs.variant_of(cell), ENTRIES[runs.LABELS[cell.scheme]]
    first = runs.measured(variant.name, entry.name, count, seed)
    parts = [f"{len(first)} run{'s' * (len(first) > 1)}, seed {seed}", DISCIPLINES[cell.scheme]]
    decided = [one.words for one in choices.decided(entry, variant, cell.metric)]
    parts += [
        f"ours: {one.words}" for one in choices.OF_VARIANT.get(variant.name, ())
        if one.words not in decided and (one.kind != "open" or cell.metric.startswith(one.metric))
    ]  # fmt: skip
    parts += [f"decided by this table: {', '.join(decided)}"] * bool(decided)
    parts += ["others tried: the paper's schemes in this experiment, also those that it does not print"] * _blank(cell)
    return "; ".join(parts)


def _blank(cell: Cell) -> bool:
    """Return whether the table of a cell has no number for some of the paper's schemes."""
    same = {
        one.scheme for one in cells() if one.value and one.scheme in runs.FIVE
        and (one.experiment, one.metric, one.connection, one.load_or_size)
        == (cell.experiment, cell.metric, cell.connection, cell.load_or_size)
    }  # fmt: skip
    return len(same) < len(runs.FIVE)


def _optimal_cell(cell: Cell) -> Finding:
    """Assess a printed cell of the row "optimal": times are those of max-min fair shares, delays are not defined.

    Both times are exact, so that they must be equal.
    """
    least = runs.least(cell)
    ours = "not defined" if least is None else f"{least:.5g} ms"
    if cell.misprint:
        return judged(Declared("not reproducible", cell.remark), ours)
    if least is None:
        reason = "the paper prints 0 and does not define the delay of the optimal scheme"
        return judged(Declared("input", reason), ours)
    repeats = next(row for row, (_, names) in OPTIMA.items() if runs.variant_of(cell).name in names)
    return judged(Formula(_largest_error([cell.value], [least])), ours, repeats=repeats)


#: Rows of least transfer times: the printed numbers [ms] and the variants.
OPTIMA: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "optimal transfer time exp 1": (("1444",), ("1",)),
    "optimal transfer time exp 2": (("1444",), ("2",)),
    "optimal transfer time exp 3 (4/20/200 packets)": (("44.4", "46", "64"), ("3-4", "3-20", "3-200")),
    "optimal transfer time exp 4 conn 1 / conn 2": (("1844", "1882"), ("4",)),
    "optimal transfer time exp 5": (("644",), ("5",)),
    "optimal transfer time exp 6": (("1556",), ("6",)),
}


def _optimal(numbers: tuple[str, ...], names: tuple[str, ...], _: Context) -> Finding:
    """Assess printed least transfer times [ms] of some variants."""
    ours = [1e3 * float(time) for name in names for time in optimal(VARIANTS[name]).values()][: len(numbers)]
    times = ", ".join(f"{one:.5g}" for one in ours)
    return judged(Formula(_largest_error(numbers, ours)), f"max-min fair shares: {times} ms")


def _largest_error(numbers: Sequence[str], ours: Sequence[float]) -> float:
    """Return the largest relative difference of our values and the printed numbers."""
    return max(abs(value / float(text) - 1.0) for text, value in zip(numbers, ours, strict=True))


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


def _order(experiment: str, labels: list[str], context: Context) -> Finding:
    """Assess an order of transfer times by the difference of each scheme and the next, over runs with send jitter."""
    found = runs.differences(experiment, labels, context.seed)
    named = [(f"{after} - {before}", one) for (before, after), one in zip(pairwise(labels), found, strict=True)]
    return judged(
        Difference(tuple(found)),
        "; ".join(f"{words}: {runs.shown(one)}" for words, one in named),
        f"not above 0 with the whole interval: {', '.join(words for words, one in named if one.low <= 0)}",
        scale=f"{runs.JITTER_RUNS} runs with up to a packet time of send jitter, seed {context.seed}",
    )


def _start(context: Context) -> Finding:
    """Compare packet-pair's inverse-exponential start with a start at the full rate, in experiment 2."""
    saved = runs.starts(context.seed)
    text = (
        f"full rate at once less inverse-exponential start: {runs.shown(saved['dropped'], 'packets')} lost, mean queue "
        f"of {runs.shown(saved['queue'], 'packets')}"
    )
    return judged(
        Difference((saved["queue"], saved["dropped"])), text, "not above 0 with the whole interval",
        scale=f"{runs.JITTER_RUNS} runs of experiment 2 with up to a packet time of send jitter, seed {context.seed}",
    )  # fmt: skip


def _waiting_at_the_host(context: Context) -> Finding:
    """Compare packet-pair with hop-by-hop control in experiment 1: less delay in the network, a longer transfer."""
    count = runs.replications(context)
    found = {}
    for metric in ("packet_delay_mean", "transfer_time"):
        for scheme in ("hbh", "pp"):
            cell = next(one for one in cells() if (one.experiment, one.scheme, one.metric) == (1, scheme, metric))
            found[metric, scheme] = runs.ours(cell, scheme, count, context.seed)
    delay = difference(found["packet_delay_mean", "hbh"], found["packet_delay_mean", "pp"])
    time = difference(found["transfer_time", "pp"], found["transfer_time", "hbh"])
    return judged(
        Difference((delay, time)),
        f"experiment 1: pp's packets are delayed by {runs.shown(delay)} less than hbh's, and its file, which waits at "
        f"the host, takes {runs.shown(time)} longer",
        "one of them is not above 0",
        scale=f"{count} runs of experiment 1, or one where others would be equal, seed {context.seed}",
    )  # fmt: skip


ORDER = ["hbh", "pp", "e2e-ef", "tcp (tahoe)", "decbit"]
ASSESSMENTS: dict[str, Assessment] = {
    "fast line rate": given("100 Mbit/s"),
    "slow line rate": given("40 Mbit/s, 1.5 in experiment 9"),
    "packet size": given("500 B"),
    "ack size": given("40 B"),
    "probe period of the single-packet-delay source": given("20 ms, 500 ms in experiment 9"),
    **{row: partial(_optimal, numbers, names) for row, (numbers, names) in OPTIMA.items()},
    "buffers in exp 8 (exp 1 has)": given("44 (440)"),
    "bandwidth-delay product exp 9": arithmetic(
        "1.5 Mbit/s (12 ms + 2.67 ms)/4000 bit = 5.5", ("5.5", 1.5e6 * (0.012 + 4000 / 1.5e6) / 4000)
    ),
    "backlogged sources alternate 1-2-1 within one 20.2 ms RTT; cross source on 2.5 ms at C/4, off 1.5 ms": _alternate,
    "inverse-exponential start of packet-pair reduces buffer build-up and packet losses": _start,
    "mean packet size in the DARPA Internet": given("quoted"),
    "additional hops of the hop-by-hop configuration": given(f"{ENTRIES['hop-by-hop'].hops}, with the same round trip"),
    "network delay is reduced at the expense of wait times at a host": _waiting_at_the_host,
    "power is proportional to the inverse square of the transfer time": given(
        "(size/T)/T", "by the definition of power, throughput over delay"
    ),
    "order exp 1: hbh < pp < e2e-ef < tcp(tahoe) < decbit": partial(_order, "1", ORDER),
    "order exp 2: hbh < pp < e2e-ef < tcp < decbit": partial(_order, "2", ORDER),
    "order exp 5: hbh < e2e-ef <= pp < tcp < decbit": partial(
        _order, "5", ["hbh", "e2e-ef", "pp", "tcp (tahoe)", "decbit"]
    ),
    "all other cells of tables 4.1-4.10": given("each is a row of its own"),
    **{claim(one): partial(assess, one) for one in cells() if one.value},
}


def of_all_cells(context: Context, found: Mapping[str, Finding]) -> list[list[str]]:
    """Count, for each scheme, the printed numbers that it meets with one rule changed in all experiments.

    A line for each scheme and rule has the scheme's printed numbers that the rule can change, how many of these the
    benchmark's setting meets, and how many are met with the rule changed; ``found`` has findings by claim.
    """
    tally: dict[tuple[str, str], list[int]] = {}
    for cell in cells():
        shown = found[claim(cell)].evidence if cell.value and claim(cell) in found else None
        if not isinstance(shown, Quantity) or cell.scheme == OPTIMAL:
            continue
        count = runs.replications(context)
        usual = runs.alike(cell, count, context.seed)
        for words, value in runs.ruled(cell, count, context.seed).items():
            counts = tally.setdefault((cell.scheme, words), [0, 0, 0])
            counts[0] += 1
            counts[1] += shown.meets(usual)
            counts[2] += shown.meets(value)
    return [[*key, *map(str, counts)] for key, counts in tally.items()]


def cell_findings(context: Context) -> dict[str, Finding]:
    """Return the findings of all printed cells, by claim."""
    return {name: ASSESSMENTS[name](context) for name in (claim(one) for one in cells() if one.value)}
