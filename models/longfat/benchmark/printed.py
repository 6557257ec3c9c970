"""Tables 4.1 to 4.10 as printed: 174 numbers, and the cells that the paper leaves empty."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Cell:
    """One cell of a printed table, with its unit and our remarks.

    Parameters
    ----------
    experiment : int
        Number of the experiment, 1 to 10.
    scheme : str
        Label in the table.
    metric : str
        "transfer_time", "packet_delay_mean", "packet_delay_std"; "transfer_time_mean" and "..._std" in experiment 7.
    connection : str
        "1", "2" or "probe".
    load_or_size : str
        Load in experiment 7, size in 3.
    value : str
        Printed value; empty where there is none.
    unit : str
        Printed unit.
    remark : str
        Misprints, and why a cell is empty.
    """

    experiment: int
    scheme: str
    metric: str
    connection: str
    load_or_size: str
    value: str
    unit: str
    remark: str

    @property
    def key(self) -> tuple[int, str, str, str, str]:
        """Key of the quantity: experiment, scheme, metric, connection, load or size."""
        return self.experiment, self.scheme, self.metric, self.connection, self.load_or_size

    @property
    def misprint(self) -> bool:
        """Whether the number is a misprint: one that the paper has taken from another table."""
        return self.remark.startswith("misprint")

    @property
    def milliseconds(self) -> float | None:
        """Printed value [ms], or None; transfer times of table 4.9 are in ms, although its header says seconds."""
        if not self.value:
            return None
        return float(self.value) * (1000 if self.unit == "s" and self.metric != "transfer_time" else 1)


@cache
def cells() -> tuple[Cell, ...]:
    """Return all cells, in the order of the tables.

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
    """Return the cells with a number that is no misprint, by their keys."""
    return {one.key: one for one in cells() if one.value and not one.misprint}
