"""Simulated points for the live plots: ``python -m docs.handbook.simulated [LAW ...]`` simulates and stores them.

For each law that declares a simulator one parameter varies over the range in which the simulator judges the law; the
others stay where the page begins, or at the nearest values that can be simulated. The table has the digest of each
law's expression; points of a law that has changed since are not shown.
"""

from __future__ import annotations

import csv
import functools
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from docs.handbook.markup import bracketed, number, table
from docs.handbook.records import digest
from longfat.handbook import law_records
from longfat.law import Law
from longfat.law.symbols import Symbol
from longfat.replication.intervals import half_width
from longfat.verify.points import between
from longfat.verify.simulators import Simulator, simulator_of

STORED = Path(__file__).resolve().parent / "simulated.csv"
COUNT, REPLICATIONS, CONFIDENCE, SEED = 8, 10, 0.95, 1
PACKETS, FEWEST = 2e7, 3  # for the points of a law, by the first run; fewest replications
HEAD = ("law", "digest", "across", "at", "mean", "low", "high", "replications", "packets")
Row = dict[str, str]


def setting(law: Law) -> tuple[str, dict[str, float], list[float]]:
    """Return the parameter that varies, the values of all, and those along it.

    >>> from longfat.laws.queues import mm1_wait
    >>> across, _, places = setting(mm1_wait)
    >>> across, len(places), places[0], places[-1]
    ('load', 8, 0.05, 0.8)
    """
    assert law.simulated is not None
    ranges = {name: law.simulated.ranges.get(name, symbol.typical) for name, symbol in law.symbols.items()}
    across = next(name for name, one in ranges.items() if isinstance(one, tuple) or len(_list(one)) > 1)
    values = {name: _nearest(ranges[name], start) for name, start in law_records.starts(law).items()}
    return across, values, _places(law.symbols[across], ranges[across])


def _list(given: Any) -> list[float]:
    """Return a list of values, or a number, as a list."""
    return given if isinstance(given, list) else [float(given)]


def _nearest(given: Any, value: float) -> float:
    """Return the value of a range, or of a list, that is nearest to another value."""
    if isinstance(given, tuple):
        return float(min(max(value, given[0]), given[1]))
    return float(min(_list(given), key=lambda one: abs(one - value)))


def _places(symbol: Symbol, given: Any) -> list[float]:
    """Return values of a range, or some of a list, at equal distances on the parameter's scale."""
    if isinstance(given, list):
        chosen = np.linspace(0, len(given) - 1, min(COUNT, len(given))).round()
        return [float(given[int(k)]) for k in chosen]
    return list(dict.fromkeys(between(symbol, given, k / (COUNT - 1), symbol.logarithmic) for k in range(COUNT)))


def simulate(law: Law, simulator: Simulator) -> Iterator[Row]:
    """Simulate the points of a law, each with so many replications, and yield their rows."""
    across, values, places = setting(law)
    values = _simulable(simulator, values)
    points = [_simulable(simulator, values | {across: x}) for x in places]
    beside = [point for point in points if point | {across: values[across]} == values]  # on the same curve
    runs = 1 if simulator.deterministic else _replications(simulator(SEED, **beside[-1])[1] * len(beside))
    for k, point in enumerate({point[across]: point for point in beside}.values()):
        found = [simulator(SEED + 1000 * k + run, **point) for run in range(runs)]
        means, packets = np.array([one[0] for one in found]), sum(one[1] for one in found)
        error = half_width(means, CONFIDENCE) if runs > 1 else 0.0
        mean = float(means.mean())
        at = ";".join(f"{name}={value!r}" for name, value in point.items())
        interval = (f"{one:.6g}" for one in (mean, mean - error, mean + error))
        yield dict(
            zip(HEAD, (law.public_name, digest(law), across, at, *interval, f"{runs}", f"{packets:.0f}"), strict=True)
        )


def _replications(packets: float) -> int:
    """Return the number of replications within the budget, from the packets of one run of all points."""
    return int(min(REPLICATIONS, max(FEWEST, PACKETS // max(packets, 1.0))))


def _simulable(simulator: Simulator, values: dict[str, float]) -> dict[str, float]:
    """Return the nearest point that can be simulated."""
    return simulator.nearest(values) or values


@functools.cache
def stored() -> dict[str, list[Row]]:
    """Return the stored rows by the laws' names."""
    found: dict[str, list[Row]] = {}
    if STORED.is_file():
        with STORED.open(encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                found.setdefault(row["law"], []).append(row)
    return found


def rows_of(law: Law) -> list[Row]:
    """Return the stored rows of a law, if they are of its present expression."""
    return [row for row in stored().get(law.public_name, []) if row["digest"] == digest(law)]


def point_of(row: Row) -> dict[str, float]:
    """Return the parameters of a row.

    >>> point_of({"at": "load=0.5;capacity=3.0"})
    {'load': 0.5, 'capacity': 3.0}
    """
    return {name: float(value) for name, _, value in (one.partition("=") for one in row["at"].split(";"))}


def points(law: Law) -> dict[str, Any] | None:
    """Return the points for the view, as `longfat.handbook.pages` takes them; None if there are none."""
    rows = rows_of(law)
    if not rows:
        return None
    across = rows[0]["across"]
    values = {name: repr(value) for name, value in point_of(rows[0]).items() if name != across}
    bars = [
        {"x": point_of(row)[across], **{name: float(row[name]) for name in ("mean", "low", "high")}} for row in rows
    ]
    return {"across": across, "values": values, "points": bars}


def verdict(law: Law, row: Row) -> str:
    """Return whether an interval lies within the tolerance of the law, outside of it, or neither."""
    assert law.simulated is not None
    point = point_of(row)
    value, allowed = float(law(**point)), law.simulated.allowed(law, point)
    low, high = float(row["low"]) - value, float(row["high"]) - value
    if -allowed <= low and high <= allowed:
        return "within"
    return "outside" if low > allowed or high < -allowed else "undecided"


def of(law: Law) -> str:
    """Return the points of a law as a table; nothing if there are none."""
    rows = rows_of(law)
    if not rows:
        return ""
    across, values = rows[0]["across"], point_of(rows[0])
    fixed = ", ".join(f"`{name}` = {number(value)}" for name, value in values.items() if name != across)
    runs = rows[0]["replications"]
    how = "one deterministic run each" if runs == "1" else f"means of {runs} replications with 95 % intervals (Student)"
    at, unit = bracketed(law.symbols[across].unit), bracketed(law.unit)
    head = [f"{across}{at}", f"law{unit}", "simulated", "interval", "packets", "tolerance"]
    lines = []
    for row in rows:
        point = point_of(row)
        interval = "" if runs == "1" else f"{float(row['low']):.4g} to {float(row['high']):.4g}"
        shown = (f"{float(law(**point)):.4g}", f"{float(row['mean']):.4g}", interval, f"{float(row['packets']):.3g}")
        lines.append((number(point[across]), *shown, verdict(law, row)))
    text = f"The points of the plot, {how}{' at ' + fixed if fixed else ''}; each alone is no verdict on the law."
    return f"{text}\n\n{table(head, lines)}"


def main(names: list[str]) -> None:
    """Simulate the points of the laws that are named, by default of all, and store them."""
    found = stored()
    for law in law_records.laws():
        simulator = simulator_of(law)
        if simulator is not None and (not names or law.public_name in names):
            begun = time.process_time()
            found[law.public_name] = [*simulate(law, simulator)]
            print(f"{law.public_name}: {time.process_time() - begun:.1f} s", file=sys.stderr, flush=True)
            _write(found)


def _write(found: dict[str, list[Row]]) -> None:
    """Write the table."""
    with STORED.open("w", encoding="utf-8", newline="") as file:
        file.write(
            f"# made by python -m docs.handbook.simulated; {100 * CONFIDENCE:g} % intervals (Student), seed {SEED}\n"
        )
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        for _, rows in sorted(found.items()):
            writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
