"""Which runs a sweep needs: so many of each point, or as many as its intervals take to be narrow enough.

What a point ends with depends on the outcomes of its replications 0, 1, 2, ... in this order, whichever of them came
first and however many were under way or in the store. Which runs are asked for depends on nothing else either.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from longfat.sweeping.records import Failure, Record
from longfat.sweeping.stopping import Until, Widths

Place = tuple[int, int]  # index of the point, replication

DONE = "done"
WIDE = "not narrow enough"


@dataclass(frozen=True)
class Ended:
    """A point that needs no more runs: the records that count, in order, and what became of it."""

    index: int
    records: list[Record]
    status: str
    failure: Failure | None = None


@dataclass
class _Point:
    widths: Widths | None
    asked: int  # replications 0 to asked - 1 are needed, as far as is known
    given: int = 0  # replications 0 to given - 1 have been handed out
    looked: int = 0  # replications 0 to looked - 1 are there and have been looked at
    outcomes: dict[int, Record | Failure] = field(default_factory=dict)


class Plan:
    """Hands out the places of runs, and says of each outcome whether its point ends with it.

    Parameters
    ----------
    points : int
        How many there are.
    least, most : int
        Replications of each point [runs]; without ``until`` they are the same.
    until : Until or None
        Half widths at which a point has enough.
    confidence : float
        Of the intervals [probability].
    names : callable
        Of a record: the names of its variables that have intervals.

    Examples
    --------
    >>> from longfat.sweeping.records import record
    >>> plan = Plan(points=1, least=2, most=2, until=None, confidence=0.95, names=list)
    >>> plan.take(), plan.take(), plan.take()
    ((0, 0), (0, 1), None)
    >>> plan.arrived((0, 1), record(2.0)), plan.arrived((0, 0), record(1.0)).status
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
        self._begun = 0  # points 0 to begun - 1 have been opened
        self._more: deque[int] = deque()  # points that need more runs than they had been given
        self.expected = points * least

    def take(self) -> Place | None:
        """The next run that is needed; None if there is none before some outcome has come."""
        while True:
            if not self._more:
                if self._begun == self._points:
                    return None
                widths = None if self._until is None else Widths(self._until, self._confidence)
                self._open[self._begun] = _Point(widths, self._least)
                self._more.append(self._begun)
                self._begun += 1
            index = self._more[0]
            point = self._open.get(index)
            if point is not None and point.given < point.asked:
                point.given += 1
                return index, point.given - 1
            self._more.popleft()

    def arrived(self, place: Place, outcome: Record | Failure) -> Ended | None:
        """Take the outcome of a run; the end of its point, if this is it. A second time makes no difference."""
        index, replication = place
        point = self._open.get(index)
        if point is None or replication in point.outcomes:
            return None
        point.outcomes[replication] = outcome
        if isinstance(outcome, Failure) and replication < point.asked:
            self.expected -= point.asked - max(point.given, replication + 1)
            point.asked = max(point.given, replication + 1)  # no more of what fails
        while point.looked in point.outcomes:
            following = point.outcomes[point.looked]
            if isinstance(following, Failure):
                return self._end(index, point, f"failed: replication {point.looked}: {following.text}", following)
            point.looked += 1
            excess = self._look(point, following)
            if excess <= 1:
                return self._end(index, point, DONE)
            if point.looked == self._most or math.isnan(excess):
                return self._end(index, point, WIDE)
            if point.looked == point.asked:
                self._ask(index, point, excess)
        return None

    def counts(self, place: Place) -> bool:
        """Whether what comes of a run is sure to count: of a replication that every point needs."""
        return place[1] < self._least

    def _look(self, point: _Point, record: Record) -> float:
        """How much too wide the point is with one more replication."""
        if point.widths is None:
            return 0.0 if point.looked == self._most else math.inf
        point.widths.add(record, self._names(record))
        return point.widths.excess() if point.looked >= self._least else math.inf

    def _ask(self, index: int, point: _Point, excess: float) -> None:
        # Half widths fall as the root of the number: a tenth more at least, twice as many at most.
        had = point.asked
        guess = math.ceil(had * min(excess * excess, 2.0))
        point.asked = min(self._most, max(guess, had + max(1, had // 10)))
        self.expected += point.asked - had
        self._more.append(index)

    def _end(self, index: int, point: _Point, status: str, failure: Failure | None = None) -> Ended:
        del self._open[index]
        records = [point.outcomes[replication] for replication in range(point.looked)]
        return Ended(index, [one for one in records if isinstance(one, Record)], status, failure)
