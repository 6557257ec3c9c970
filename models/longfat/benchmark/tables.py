"""Results of the benchmark as CSV, and as tables beside the paper's numbers in text and Markdown.

Tables 4.1 to 4.10 as printed have 174 numbers; the other cells are left empty by the paper.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from longfat.base.text_tables import columns, csv_text, markdown

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Cell:
    """Cell of a table of the paper, with its unit and a remark."""

    experiment: int  # 1 to 10
    scheme: str  # label in the table
    metric: str  # "transfer_time", "packet_delay_mean" or "..._std"; in experiment 7 "transfer_time_mean" or "..._std"
    connection: str  # "1", "2" or "probe"
    load_or_size: str  # load in experiment 7, size in experiment 3
    value: str  # number as printed; empty if the paper prints none
    unit: str  # unit as printed
    remark: str  # misprints, and why a cell is empty

    @property
    def key(self) -> tuple[int, str, str, str, str]:
        """Key that identifies the quantity: experiment, scheme, metric, connection, and load or size."""
        return self.experiment, self.scheme, self.metric, self.connection, self.load_or_size

    @property
    def misprint(self) -> bool:
        """Whether the remark calls the printed number a misprint, such as a number that belongs to another table."""
        return self.remark.startswith("misprint")

    @property
    def milliseconds(self) -> float | None:
        """Printed value [ms], or None; transfer times of table 4.9 are in ms, although its header names seconds."""
        if not self.value:
            return None
        return float(self.value) * (1000 if self.unit == "s" and self.metric != "transfer_time" else 1)


@cache
def cells() -> tuple[Cell, ...]:
    """Return all cells of the paper's tables, in the order of the tables.

    >>> sum(one.value != "" for one in cells()), len(cells())
    (174, 396)
    """
    text = files("longfat.benchmark").joinpath("printed.csv").read_text(encoding="utf-8")
    return tuple(
        Cell(**{**line, "experiment": int(line["experiment"])})  # type: ignore[arg-type]
        for line in csv.DictReader(text.splitlines())
    )


@cache
def by_key() -> dict[tuple[int, str, str, str, str], Cell]:
    """Return the cells by their keys; leave out misprints and cells without a number."""
    return {one.key: one for one in cells() if one.value and not one.misprint}


@dataclass(frozen=True)
class Row:
    """Result of the benchmark for one cell of the paper; ``value``, ``lower``, ``upper`` [ms], None if unknown."""

    experiment: int
    scheme: str
    metric: str
    connection: str
    load_or_size: str
    value: float | None
    unit: str
    remark: str
    lower: float | None = None
    upper: float | None = None

    @property
    def printed(self) -> float | None:
        """Value that the paper prints [ms]; None if it prints none."""
        # For experiment 9 the paper has one row without a case: compare it with the results for scaled files.
        case = "" if (self.experiment, self.load_or_size) == (9, "scaled") else self.load_or_size
        cell = by_key().get((self.experiment, self.scheme, self.metric, self.connection, case))
        return cell.milliseconds if cell else None


def rows(data: xr.Dataset) -> list[Row]:
    """Convert a result to rows, one for each number, ordered by experiment and scheme.

    Parameters
    ----------
    data : xarray.Dataset
        Result of `longfat.benchmark.run`.

    Examples
    --------
    >>> from longfat import benchmark
    >>> one, = rows(benchmark.run(["3-4"], ["optimal"], progress=False))
    >>> one.value, one.printed, one.load_or_size
    (44.4, 44.4, '4 pkts')
    """
    made = []
    for variant, number, case in zip(data.variant.values, data.experiment.values, data.case.values, strict=True):
        experiment, here = int(number), data.sel(variant=variant)
        time = "transfer_time_mean" if experiment == 7 else "transfer_time"
        wanted = []  # metric, variable of the result, connection
        for connection in ("1", "2")[: 1 + (experiment in (4, 6, 10))]:
            wanted.append((time, "transfer_time", connection))
            if experiment == 7:
                wanted.append(("transfer_time_std", "transfer_time_std", connection))
        if experiment not in (3, 4, 10):
            wanted += [(f"packet_delay_{name}", f"delay_{name}", "probe") for name in ("mean", "std")]
        for j, label in enumerate(data.label.values):
            for metric, name, connection in wanted:
                at = here.isel(scheme=j) if connection == "probe" else here.sel(connection=connection).isel(scheme=j)
                value, low, high = (_ms(at, name + end) for end in ("", "_lower", "_upper"))
                remark = "not complete in 400 s" if metric == time and value is None else ""
                made.append(Row(experiment, str(label), metric, connection, str(case), value, "ms", remark, low, high))
    return made


def _ms(data: xr.Dataset, name: str) -> float | None:
    value = 1e3 * float(data[name]) if name in data else math.nan
    return round(value, 6) if math.isfinite(value) else None


def to_csv(found: Iterable[Any], kind: type[Any] = Row) -> str:
    """Format records of a dataclass as CSV: field names, then a line for each record; None becomes an empty cell."""
    return csv_text([(one.name for one in fields(kind)), *map(astuple, found)])


@dataclass(frozen=True)
class Table:
    """Table of results: title, column heads, and lines of cells."""

    title: str
    heads: list[str]
    lines: list[list[str]]


Places = dict[tuple[str, str, str, str], Row]

TITLES = {
    1: "slow changes in cross traffic",
    2: "sudden changes in cross traffic",
    3: "short files, no cross traffic",
    4: "two round-trip times",
    5: "a bottleneck that moves",
    6: "traffic both ways",
    7: "uncontrolled cross traffic",
    8: "a tenth of the buffers",
    9: "a small bandwidth-delay product",
    10: "a torture test for rates",
}
_METRICS = {"packet_delay_mean": "delay", "packet_delay_std": "its std. dev."}


def tables(data: xr.Dataset) -> list[Table]:
    """Return a table for each experiment: simulated values, the paper's values in brackets, and ranks of the schemes.

    Schemes are ranked by the mean, over all columns of transfer times, of the ratio of their time to the shortest time
    of the column.
    """
    found = rows(data)
    made = []
    for experiment in dict.fromkeys(one.experiment for one in found):
        mine = [one for one in found if one.experiment == experiment and one.metric != "transfer_time_std"]
        columns = list(dict.fromkeys((one.load_or_size, one.metric, one.connection) for one in mine))
        schemes = list(dict.fromkeys(one.scheme for one in mine))
        here = [one for one in found if one.experiment == experiment]
        at: Places = {(one.scheme, one.load_or_size, one.metric, one.connection): one for one in here}
        best = _rank(schemes, [one for one in columns if one[1].startswith("transfer")], at)
        lines = [[scheme, *[_cell(at, scheme, column) for column in columns], best[scheme]] for scheme in schemes]
        heads = ["scheme", *[_head(*column, many=experiment in (4, 6, 10)) for column in columns], "rank"]
        made.append(Table(f"Experiment {experiment}: {TITLES[experiment]}; ms, in brackets as printed", heads, lines))
    return made


def _head(case: str, metric: str, connection: str, many: bool) -> str:
    what = _METRICS.get(metric, f"time of {connection}" if many else "transfer time")
    return f"{what}, {case}" if case else what


def _cell(at: Places, scheme: str, column: tuple[str, str, str]) -> str:
    """Format the simulated value and the paper's value; in experiment 7 add the standard deviation over runs."""
    one = at[scheme, *column]
    text = _number(one.value)
    if one.value is None and one.remark:
        text = one.remark
    spread = at.get((scheme, column[0], "transfer_time_std", column[2])) if column[1] == "transfer_time_mean" else None
    if spread is not None and spread.value is not None:
        text += f" ± {_number(spread.value)}"
    elif one.lower is not None and one.upper is not None and one.value is not None:
        text += f" ± {_number(one.upper - one.value)}"
    if one.printed is not None:
        text += f" ({one.printed:g})"
    return text


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}" if value >= 999.5 else f"{value:.3g}"


def _rank(schemes: list[str], columns: list[tuple[str, str, str]], at: Places) -> dict[str, str]:
    """Rank schemes by the mean ratio of their times to the shortest; equal ratios share a rank; "optimal" has none."""
    scores = {}
    for scheme in schemes:
        if scheme == "optimal":
            continue
        ratios = []
        for column in columns:
            times = [at[other, *column].value or math.inf for other in schemes if other != "optimal"]
            ratios.append((at[scheme, *column].value or math.inf) / min(times) if min(times) < math.inf else 1.0)
        scores[scheme] = sum(ratios) / len(ratios)
    ranks = {scheme: str(1 + sum(other < score for other in scores.values())) for scheme, score in scores.items()}
    return {scheme: ranks.get(scheme, "") for scheme in schemes}


def to_text(made: Iterable[Table]) -> str:
    """Format tables as text for a terminal."""
    parts = []
    for one in made:
        parts += [one.title + "\n", *columns([one.heads, *one.lines], [-1, 0]), ""]
    return "\n".join(parts).rstrip()


def to_markdown(made: Iterable[Table], level: int = 2) -> str:
    """Format tables as Markdown."""
    parts = []
    for one in made:
        parts += ["#" * level + " " + one.title, "", *markdown(one.heads, one.lines), ""]
    return "\n".join(parts)
