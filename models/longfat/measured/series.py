"""Measurements of one file: the figures of the path, and series over time for a picture."""

from __future__ import annotations

from dataclasses import dataclass

from longfat.measured.figures import PathFigures

__all__ = ["Measurement", "Series"]


@dataclass(frozen=True)
class Series:
    """Values of one quantity over time.

    Attributes
    ----------
    name : str
        Measured quantity, such as "rate".
    unit : str
        Unit of the values, SI.
    times : tuple of float
        Times since the first value of the file [s], or numbers of samples where the file has no times.
    values : tuple of float
        Values in the unit.
    timed : bool
        Whether the file has times.
    """

    name: str
    unit: str
    times: tuple[float, ...]
    values: tuple[float, ...]
    timed: bool = True


@dataclass(frozen=True)
class Measurement:
    """Measurement of the path from one file.

    Attributes
    ----------
    file : str
        Name of the file.
    kind : str
        Which program wrote it, a name in `longfat.measured.KINDS`.
    figures : PathFigures
        The figures of the path.
    series : tuple of Series
        Values over time; empty if the file has none.
    """

    file: str
    kind: str
    figures: PathFigures
    series: tuple[Series, ...] = ()
