"""Stopping rule of a point: confidence intervals as narrow as requested, checked in the order of replications."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longfat.base import quantities
from longfat.base.domains import number, out_of_range, wrong_type
from longfat.replication.intervals import interval, student_quantile
from longfat.replication.outcomes import Record


def is_decided(samples: Sequence[float], goal: float, confidence: float, looks: int = 1) -> bool:
    r"""Return whether the confidence interval of a mean lies entirely below a goal, or entirely at or above the goal.

    A growing sample may be examined ``looks`` times. The interval of each look has the
    confidence :math:`1 - (1 - c)/looks`, so by Bonferroni's inequality the probability of a wrong decision at any look
    is at most 1 - c, for independent samples with a normal distribution (Law, Simulation Modeling and Analysis, 5th
    ed., section 9.7).

    >>> is_decided([0.94, 0.96, 0.97], 0.95, 0.95), is_decided([0.97, 0.98, 0.98], 0.95, 0.95)
    (False, True)
    >>> is_decided([0.97, 0.98, 0.98], 0.95, 0.95, looks=4)
    False
    """
    _, lower, upper = interval(samples, 1 - (1 - confidence) / looks)
    return bool(lower >= goal or upper < goal)


@dataclass(frozen=True)
class HalfWidth:
    """Allowed half width of a confidence interval: a number in the variable's unit, or a fraction of the mean.

    >>> float(HalfWidth(0.25, relative=True).allowed(10.0))  # 0.25 / 1.25 of the mean that was seen
    2.0
    """

    value: float
    relative: bool

    def allowed(self, mean: Any) -> Any:
        r"""Return the allowed half width for a sample mean, in the variable's unit.

        A fraction :math:`\gamma` refers to the true mean: :math:`|\bar x - \mu| \le \gamma |\mu|` follows from
        :math:`|\bar x - \mu| \le \frac{\gamma}{1 + \gamma} |\bar x|` (A. M. Law,
        Simulation Modeling and Analysis, section 9.4.1), which is the condition used here.
        """
        return np.abs(mean) * (self.value / (1 + self.value)) if self.relative else self.value


@dataclass(frozen=True)
class Until:
    """Requested half widths by the variables' names; the key None means all variables."""

    widths: Mapping[str | None, HalfWidth]

    @classmethod
    def parse(cls, until: Any) -> Until:
        """Convert the argument ``until``: a percentage, or a mapping of names to percentages or to half widths.

        >>> Until.parse({"wait": 0.1, "queue": "5 %"}).widths["queue"]
        HalfWidth(value=0.05, relative=True)
        """
        if isinstance(until, str):
            return cls({None: _half_width("until", until)})
        if not isinstance(until, Mapping) or not until or not all(isinstance(name, str) for name in until):
            expected = (
                "None, a percentage of the mean such as '5 %', or a mapping of names of variables to such percentages "
                "or to half widths in the units of the variables"
            )
            raise wrong_type("until", until, expected)
        return cls({name: _half_width(f"until: {name}", value) for name, value in until.items()})

    def attribute(self) -> str:
        """Return the requested half widths as text for ``attrs``."""
        texts = {
            name or "": f"{100 * one.value:g} %" if one.relative else one.value for name, one in self.widths.items()
        }
        return str(texts[""]) if "" in texts else json.dumps(texts)


def _half_width(name: str, value: Any) -> HalfWidth:
    if not isinstance(value, str):
        return HalfWidth(number(name, value, "in the variable's unit", "(0, inf)"), relative=False)
    percent = quantities.percent(value)
    if percent is None:
        allowed = "a percentage of the mean such as '5 %' or, for one variable, a half width in the variable's unit"
        raise out_of_range(name, repr(value), "1", allowed)
    return HalfWidth(number(name, percent, "%", "(0, 100)") / 100, relative=True)


class Widths:
    """Running means and half widths of the variables at one point.

    >>> from longfat.replication.outcomes import record
    >>> widths = Widths(Until.parse({"result": 13.0}), confidence=0.95)
    >>> for value in (1.0, 3.0):
    ...     widths.add(record(value), ["result"])
    >>> round(widths.excess(), 4)  # t is 12.706 with one degree of freedom, s / sqrt(2) is 1
    0.9774
    """

    def __init__(self, until: Until, confidence: float) -> None:
        self._until, self._confidence = until, confidence
        self._count = 0
        self._sums: dict[str, tuple[HalfWidth, Any, Any]] = {}

    def add(self, record: Record, names: Iterable[str]) -> None:
        """Add the record of the next replication; ``names`` are the variables that have intervals."""
        if not self._count:
            self._sums = {name: (half, 0.0, 0.0) for name, half in self._selected(list(names))}
        self._count += 1
        for name, (half, mean, squares) in self._sums.items():
            with np.errstate(invalid="ignore", over="ignore"):
                step = record.variables[name].values - mean  # Welford's recurrence, without cancellation
                mean = mean + step / self._count
                squares = squares + step * (record.variables[name].values - mean)
            self._sums[name] = (half, mean, squares)

    def excess(self) -> float:
        """Return the largest ratio of a half width to its target: at most 1 if all intervals are narrow enough.

        The result is NaN if an interval can never be narrow enough, because a mean or variance is not finite.
        """
        largest = 0.0
        for half, mean, squares in self._sums.values():
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                width = student_quantile(self._count - 1, self._confidence) * np.sqrt(
                    squares / (self._count - 1) / self._count
                )
                ratio = np.where(width == 0, 0.0, width / half.allowed(mean))  # the relative width of a constant 0 is 0
            if not (np.isfinite(mean).all() and np.isfinite(squares).all()):
                return math.nan
            largest = max(largest, float(ratio.max(initial=0.0)))
        return largest

    def _selected(self, names: list[str]) -> list[tuple[str, HalfWidth]]:
        widths = self._until.widths
        if None in widths:
            return [(name, widths[None]) for name in names]
        for name in widths:
            if name not in names:
                raise ValueError(f"until: {name!r} is no variable of the function, which returned {', '.join(names)}")
        return [(str(name), half) for name, half in widths.items()]
