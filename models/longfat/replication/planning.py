"""Plan of the runs that a sweep needs: a fixed number for each point, or as many as its confidence intervals require.

The result of a point, and the runs requested for it, depend only on the outcomes of its replications 0, 1, 2, ... in
this order, but not on the order in which these ended, nor on the number of runs in progress or in the store.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longfat.base import quantities
from longfat.base.domains import number, out_of_range, wrong_type
from longfat.replication.intervals import student_quantile
from longfat.replication.outcomes import Failure, Record

RunIndex = tuple[int, int]  # index of the point, replication

DONE = "done"
WIDE = "not narrow enough"


@dataclass(frozen=True)
class HalfWidth:
    """Allowed half width of a confidence interval: a number in the variable's unit, or a fraction of the mean.

    >>> float(HalfWidth(0.25, relative=True).allowed(10.0))  # 0.25 / 1.25 of the sample mean
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


Until = Mapping[str | None, HalfWidth]  # allowed half widths by the variables' names; None means all variables


def half_widths(until: Any) -> Until:
    """Convert a sweep's argument ``until``: a percentage, or a mapping of names to percentages or to half widths.

    >>> half_widths({"wait": 0.1, "queue": "5 %"})["queue"]
    HalfWidth(value=0.05, relative=True)
    """
    if isinstance(until, str):
        return {None: _half_width("until", until)}
    if not isinstance(until, Mapping) or not until or not all(isinstance(name, str) for name in until):
        expected = (
            "None, a percentage of the mean such as '5 %', or a mapping of names of variables to such percentages "
            "or to half widths in the units of the variables"
        )
        raise wrong_type("until", until, expected)
    return {name: _half_width(f"until: {name}", value) for name, value in until.items()}


def _half_width(name: str, value: Any) -> HalfWidth:
    if not isinstance(value, str):
        return HalfWidth(number(name, value, "in the variable's unit", "(0, inf)"), relative=False)
    percent = quantities.percent(value)
    if percent is None:
        allowed = "a percentage of the mean such as '5 %' or, for one variable, a half width in the variable's unit"
        raise out_of_range(name, repr(value), "1", allowed)
    return HalfWidth(number(name, percent, "%", "(0, 100)") / 100, relative=True)


def as_text(until: Until) -> str:
    """Return the allowed half widths as text for the attributes of a Dataset."""
    texts = {name: f"{100 * one.value:g} %" if one.relative else one.value for name, one in until.items()}
    return str(texts[None]) if None in texts else json.dumps(texts)


@dataclass(frozen=True)
class Ended:
    """Finished point: its status, and the records to be averaged, in the order of replications."""

    index: int
    records: list[Record]
    status: str
    failure: Failure | None = None


@dataclass
class _Point:
    needed: int  # the outcomes so far require the replications 0 to needed - 1
    issued: int = 0  # replications 0 to issued - 1 have been returned by `Plan.next_run`
    examined: int = 0  # replications 0 to examined - 1 have ended and have been examined
    outcomes: dict[int, Record | Failure] = field(default_factory=dict)
    #: Mean and sum of squared deviations of each variable.
    moments: dict[str, tuple[Any, Any]] = field(default_factory=dict)


class Plan:
    """Plan that chooses the runs which a sweep still needs, and determines when a point is finished.

    Each point needs ``least`` to ``most`` replications [runs]; without ``until`` these numbers are equal. ``names``
    returns the names of those variables of a record that have intervals.

    >>> from longfat.replication.outcomes import record
    >>> plan = Plan(points=1, least=2, most=2, until=None, confidence=0.95, names=list)
    >>> plan.next_run(), plan.next_run(), plan.next_run()
    ((0, 0), (0, 1), None)
    >>> plan.record_outcome((0, 1), record(2.0)), plan.record_outcome((0, 0), record(1.0)).status
    (None, 'done')
    """

    def __init__(
        self,
        points: int,
        least: int,
        most: int,
        until: Until | None,
        confidence: float,
        names: Callable[[Record], list[str]],
    ) -> None:
        self._points, self._least, self._most = points, least, most
        self._until, self._confidence, self._names = until, confidence, names
        self._open: dict[int, _Point] = {}
        self._opened = 0  # points 0 to opened - 1 have been opened
        self._unfinished: deque[int] = deque()  # points that need more runs than have been issued
        self.expected = points * least

    def next_run(self) -> RunIndex | None:
        """Return the index of the next needed run; None if this depends on runs in progress, or if no run is needed."""
        while True:
            if not self._unfinished:
                if self._opened == self._points:
                    return None
                self._open[self._opened] = _Point(self._least)
                self._unfinished.append(self._opened)
                self._opened += 1
            index = self._unfinished[0]
            point = self._open.get(index)
            if point is not None and point.issued < point.needed:
                point.issued += 1
                return index, point.issued - 1
            self._unfinished.popleft()

    def record_outcome(self, run_index: RunIndex, outcome: Record | Failure) -> Ended | None:
        """Record the outcome of a run; return the point if this outcome finishes it, else None.

        A second outcome of the same run is ignored.
        """
        index, replication = run_index
        point = self._open.get(index)
        if point is None or replication in point.outcomes:
            return None
        point.outcomes[replication] = outcome
        if isinstance(outcome, Failure) and replication < point.needed:
            self.expected -= point.needed - max(point.issued, replication + 1)
            point.needed = max(point.issued, replication + 1)  # issue no more runs of a point that fails
        while point.examined in point.outcomes:
            following = point.outcomes[point.examined]
            if isinstance(following, Failure):
                return self._close(index, point, f"failed: replication {point.examined}: {following.text}", following)
            point.examined += 1
            excess = self._excess(point, following)
            if excess <= 1:
                return self._close(index, point, DONE)
            if point.examined == self._most or math.isnan(excess):
                return self._close(index, point, WIDE)
            if point.examined == point.needed:
                self._request_more(index, point, excess)
        return None

    def is_required(self, run_index: RunIndex) -> bool:
        """Return whether the replication of a run is one of the `least` replications that every point needs."""
        return run_index[1] < self._least

    def _excess(self, point: _Point, record: Record) -> float:
        """Add a record; return the largest ratio of a half width to its target, at most 1 if all are narrow enough.

        The result is infinite while required runs are missing, and NaN if an interval can never be narrow enough,
        because a mean or variance is not finite.
        """
        if self._until is None:
            return 0.0 if point.examined == self._most else math.inf
        count, largest = point.examined, 0.0
        for name, target in self._targets(self._until, record).items():
            values = record.variables[name].values
            mean, squares = point.moments.get(name, (0.0, 0.0))
            with np.errstate(invalid="ignore", over="ignore"):
                step = values - mean  # Welford's recurrence, without cancellation
                mean = mean + step / count
                squares = squares + step * (values - mean)
            point.moments[name] = mean, squares
            if count < self._least:
                continue
            if not (np.isfinite(mean).all() and np.isfinite(squares).all()):
                return math.nan
            width = student_quantile(count - 1, self._confidence) * np.sqrt(squares / (count - 1) / count)
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                ratio = np.where(width == 0, 0.0, width / target.allowed(mean))  # a constant 0 has the ratio 0
            largest = max(largest, float(ratio.max(initial=0.0)))
        return largest if count >= self._least else math.inf

    def _targets(self, until: Until, record: Record) -> dict[str, HalfWidth]:
        """Return the allowed half width of each variable that has one; refuse names that the record lacks."""
        names = self._names(record)
        if None in until:
            return dict.fromkeys(names, until[None])
        for name in until:
            if name not in names:
                raise ValueError(f"until: {name!r} is no variable of the function, which returned {', '.join(names)}")
        return {str(name): target for name, target in until.items()}

    def _request_more(self, index: int, point: _Point, excess: float) -> None:
        # Half widths are inversely proportional to the square root of the number of runs. Therefore multiply the number
        # of runs by the square of `excess`, but at most by 2; add a tenth (rounded down) or one run at least.
        had = point.needed
        guess = math.ceil(had * min(excess * excess, 2.0))
        point.needed = min(self._most, max(guess, had + max(1, had // 10)))
        self.expected += point.needed - had
        self._unfinished.append(index)

    def _close(self, index: int, point: _Point, status: str, failure: Failure | None = None) -> Ended:
        del self._open[index]
        records = [point.outcomes[replication] for replication in range(point.examined)]
        return Ended(index, [one for one in records if isinstance(one, Record)], status, failure)
