"""Simulations in the background: one thread, the newest task only, nothing of older ones delivered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longfat.explore.simulations import Points

PAUSE = 0.3  # s that settings have to rest before simulating begins


@dataclass(frozen=True)
class Progress:
    """How far a task is: points found, points done of how many, and what went wrong."""

    points: Points
    done: int
    total: int
    error: str = ""

    @property
    def finished(self) -> bool:
        """Whether nothing more will come."""
        return bool(self.error) or self.done == self.total


class Background:
    """Runs one task at a time; a new one, or `cancel`, makes the one before it silent and ends it at its next point.

    Parameters
    ----------
    deliver : callable, optional
        Given a function without arguments, has it called where results are wanted: the kernel's event loop. At once, in
        the thread, by default.
    pause : float
        Time that a task waits before it begins, so that a moving slider starts none [s].

    Examples
    --------
    >>> heard = []
    >>> background = Background(pause=0)
    >>> background.start([{"x": 1.0}, {"x": 2.0}], lambda point: (point["x"],) * 3, "x", 2, heard.append)
    >>> background.join()
    >>> heard[-1].points.value, heard[-1].finished
    ((1.0, 2.0), True)
    """

    def __init__(self, deliver: Callable[[Callable[[], None]], Any] | None = None, pause: float = PAUSE) -> None:
        self._deliver = deliver or (lambda function: function())
        self._pause = pause
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._turn = threading.Lock()  # a simulation that cannot be interrupted ends before the next one begins

    def start(
        self,
        points: Sequence[Mapping[str, float]],
        estimate: Callable[[Mapping[str, float]], tuple[float, ...] | None],
        across: str,
        replications: int,
        tell: Callable[[Progress], None],
    ) -> None:
        """Simulate these points in place of what was going on; ``tell`` hears of each."""
        self.cancel()
        self._stop = stop = threading.Event()

        def say(progress: Progress) -> None:
            # Asked again where it is delivered: between the two the settings may have changed.
            self._deliver(lambda: None if stop.is_set() else tell(progress))

        def work() -> None:
            if stop.wait(self._pause):
                return
            with self._turn:
                found = Points(replications=replications)
                for k, point in enumerate(points):
                    if stop.is_set():
                        return
                    try:
                        result = estimate(point)
                    except Exception as error:  # said where it can be seen; a thread's traceback is not
                        say(Progress(found, k, len(points), f"{type(error).__name__}: {error}"))
                        return
                    found = (
                        replace(found, refused=found.refused + 1)
                        if result is None
                        else found.and_at(point[across], (result[0], result[1], result[2]))
                    )
                    say(Progress(found, k + 1, len(points)))

        self._thread = threading.Thread(target=work, daemon=True, name="longfat-explore")
        self._thread.start()

    def cancel(self) -> None:
        """End what is going on at its next point; nothing of it is delivered any more."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the task has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
