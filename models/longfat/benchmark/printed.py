"""What the paper prints in tables 4.1 to 4.10: 174 numbers, and which cells it leaves open."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Cell:
    """One cell of a table, with the unit and the notes of whoever read it.

    Parameters
    ----------
    experiment : int
        1 to 10.
    scheme : str
        As in the table.
    metric : str
        "transfer_time", "packet_delay_mean", "packet_delay_std"; "transfer_time_mean" and "..._std" in experiment 7.
    connection : str
        "1", "2" or "probe".
    load_or_size : str
        Load in experiment 7, size in 3.
    value : str
        As printed; empty where there is none.
    unit : str
        As printed.
    note : str
        Misprints, and why a cell is empty.
    """

    experiment: int
    scheme: str
    metric: str
    connection: str
    load_or_size: str
    value: str
    unit: str
    note: str

    @property
    def key(self) -> tuple[int, str, str, str, str]:
        """Which quantity it is of."""
        return self.experiment, self.scheme, self.metric, self.connection, self.load_or_size

    @property
    def misprint(self) -> bool:
        """Whether the number is that of another table."""
        return self.note.startswith("misprint")

    @property
    def milliseconds(self) -> float | None:
        """The number [ms]. Experiment 9's header says seconds, which fits the delays but not the transfer times."""
        if not self.value:
            return None
        return float(self.value) * (1000 if self.unit == "s" and self.metric != "transfer_time" else 1)


@cache
def cells() -> tuple[Cell, ...]:
    """All cells, in the order of the tables.

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
    """The cells with a number that is no misprint."""
    return {one.key: one for one in cells() if one.value and not one.misprint}
