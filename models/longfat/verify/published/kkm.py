"""Assessments of every claim of Kanakia, Keshav & Mishra and of the 174 printed cells of tables 4.1 to 4.10.

A cell is reproduced if it agrees within 10 %. A delay is also reproduced within the transmission time of a packet at
the slow link, a standard deviation over runs also if an F test of variances (95 %, ten runs each) does not tell the
two apart. For every other cell, each rule that the paper leaves open is changed, one at a time
(`longfat.benchmark.interpretations`). The reason names the interpretation that brings the cell within 10 %, or says
that none does. If that interpretation is used for all packet delays of a scheme (`kkm_runs.COLUMNS`), the cell is
reproduced by it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from longfat.benchmark import VARIANTS, optimal
from longfat.benchmark.printed import Cell, cells
from longfat.verify.published import kkm_runs as runs
from longfat.verify.published.claims_table import Assessment, Context, Finding, assessed

_WORDS = {
    "transfer_time": "transfer time",
    "transfer_time_mean": "transfer time",
    "transfer_time_std": "standard deviation of the transfer time",
    "packet_delay_mean": "packet delay",
    "packet_delay_std": "standard deviation of the delay",
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


def _cell(cell: Cell) -> Assessment:
    def assess(context: Context) -> Finding:
        printed = float(cell.milliseconds or 0.0)
        ours = runs.cell(cell, runs.replications(context), context.seed)
        text = runs.shown(ours)
        if runs.meets(cell, ours):
            return Finding(text, "reproduced")
        if cell.misprint:
            return assessed(printed > 2 * ours.mean, text, "not reproducible", cell.remark)
        off = 100 * (ours.mean / printed - 1) if printed else 0.0
        why = runs.explained(cell, runs.replications(context), context.seed)
        of_all = why.by in runs.COLUMNS.get(runs.LABELS[cell.scheme], ())
        side = (
            f"ours is {abs(off):.0f} % {'higher' if off > 0 else 'lower'}" if printed else f"{ours.mean:.3g} ms for 0"
        )
        end = "; this interpretation is used for all packet delays of this scheme" if of_all else ""
        return Finding(text, "reproduced" if of_all else "differs", f"{side}; {why.text}{end}")

    return assess


def _optimal(names: list[str], printed: list[float], connections: tuple[str, ...] = ("1",)) -> Assessment:
    def assess(_: Context) -> Finding:
        ours = [1e3 * float(optimal(VARIANTS[name])[one]) for name in names for one in connections]
        met = all(abs(a - b) < 0.05 for a, b in zip(ours, printed, strict=True))
        return assessed(met, f"max-min fair shares: {', '.join(f'{one:.5g}' for one in ours)} ms", "reproduced")

    return assess


def _input(ours: str) -> Assessment:
    return lambda _: Finding(ours, "input")


def _bandwidth_delay_product(_: Context) -> Finding:
    packet = 4000 / 1.5e6  # s
    return assessed(
        abs(1.5e6 * (0.012 + packet) / 4000 - 5.5) < 1e-9, "1.5 Mbit/s (12 ms + 2.67 ms)/4000 bit = 5.5", "reproduced"
    )


def _alternate(_: Context) -> Finding:
    """Assess how often the number of active sources changes within a round trip, in steps of 0.1 ms.

    Each of two sources is on for 2.5 ms of every 4 ms, the first from 1.5 ms on, the second from 3 ms on.
    """
    begin, period, on = (15, 30), 40, 25  # 0.1 ms
    counts = [sum(t >= b and (t - b) % period < on for b in begin) for t in range(400, 602)]
    changes = [two for one, two in pairwise(counts) if two != one]
    met = set(counts) == {1, 2} and len(changes) >= 8
    return assessed(met, f"1 or 2 sources are backlogged, {len(changes)} changes in 20.2 ms", "reproduced")


def _power(_: Context) -> Finding:
    size, times = 2e6, (1.5, 3.0)
    powers = [size / time / time for time in times]
    return assessed(powers[0] / powers[1] == (times[1] / times[0]) ** 2, "(size/T)/T, by the definition", "reproduced")


def _order(experiment: str, labels: list[str]) -> Assessment:
    def assess(context: Context) -> Finding:
        times = [runs.value(experiment, one, context.seed) for one in labels]
        text = ", ".join(f"{one} {time:.0f}" for one, time in zip(labels, times, strict=True))
        if times == sorted(times):
            return Finding(text + " ms", "ordering reproduced")
        wrong = [
            f"{labels[k + 1]} is faster than {labels[k]}" for k in range(len(times) - 1) if times[k + 1] < times[k]
        ]  # fmt: skip
        return Finding(text + " ms", "differs", "; ".join(wrong) + f", see the rows of table 4.{experiment}")

    return assess


def _start(context: Context) -> Finding:
    """Compare packet-pair's inverse-exponential start with a start at the full rate, in experiment 2."""
    slow, fast = runs.starts(context.seed)
    text = (
        f"against full rate at once: {slow['dropped']:.0f} instead of {fast['dropped']:.0f} packets lost, delay "
        f"{1e3 * slow['delay_mean']:.2f} instead of {1e3 * fast['delay_mean']:.2f} ms, mean queue {slow['queue']:.0f} "
        f"instead of {fast['queue']:.0f} packets"
    )
    return assessed(slow["queue"] < fast["queue"] and slow["dropped"] < fast["dropped"], text, "ordering reproduced")


ASSESSMENTS: dict[str, Assessment] = {
    "fast line rate": _input("100 Mbit/s"),
    "slow line rate": _input("40 Mbit/s, 1.5 in experiment 9"),
    "packet size": _input("500 B"),
    "ack size": _input("40 B"),
    "probe period of the single-packet-delay source": _input("20 ms, 500 ms in experiment 9"),
    "optimal transfer time exp 1": _optimal(["1"], [1444]),
    "optimal transfer time exp 2": _optimal(["2"], [1444]),
    "optimal transfer time exp 3 (4/20/200 packets)": _optimal(["3-4", "3-20", "3-200"], [44.4, 46, 64]),
    "optimal transfer time exp 4 conn 1 / conn 2": _optimal(["4"], [1844, 1882], ("1", "2")),
    "optimal transfer time exp 5": _optimal(["5"], [644]),
    "optimal transfer time exp 6": _optimal(["6"], [1556]),
    "buffers in exp 8 (exp 1 has)": _input("44 (440)"),
    "bandwidth-delay product exp 9": _bandwidth_delay_product,
    "backlogged sources alternate 1-2-1 within one 20.2 ms RTT; cross source on 2.5 ms at C/4, off 1.5 ms": _alternate,
    "inverse-exponential start of packet-pair reduces buffer build-up and packet losses": _start,
    "power is proportional to the inverse square of the transfer time": _power,
    "order exp 1: hbh < pp < e2e-ef < tcp(tahoe) < decbit": _order(
        "1", ["hbh", "pp", "e2e-ef", "tcp (tahoe)", "decbit"]
    ),
    "order exp 2: hbh < pp < e2e-ef < tcp < decbit": _order("2", ["hbh", "pp", "e2e-ef", "tcp (tahoe)", "decbit"]),
    "order exp 5: hbh < e2e-ef <= pp < tcp < decbit": _order("5", ["hbh", "e2e-ef", "pp", "tcp (tahoe)", "decbit"]),
    "all other cells of tables 4.1-4.10": _input("each is a row of its own"),
    **{claim(one): _cell(one) for one in cells() if one.value},
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
