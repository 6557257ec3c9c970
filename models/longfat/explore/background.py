"""Background simulations: one thread, the newest task only, and no results of cancelled tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longfat.explore.simulations import Points

PAUSE = 0.3  # time without a change of the settings before a simulation begins [s]


@dataclass(frozen=True)
class Progress:
    """Progress of a task: points simulated, points done, the total, and an error."""

    points: Points
    done: int
    total: int
    error: str = ""

    @property
    def finished(self) -> bool:
        """Whether the task has ended."""
        return bool(self.error) or self.done == self.total


class Background:
    """Thread that runs one task at a time; a new task, or `cancel`, discards the previous one.

    A cancelled task delivers no more results, and ends after the point that it is simulating.

    Parameters
    ----------
    deliver : callable, optional
        Schedules the call of a function without arguments, for example in the kernel's event loop. By default the
        function is called at once, in the background thread.
    pause : float
        Time before a task begins [s], so that a moving slider starts none.

    Examples
    --------
    >>> received = []
    >>> background = Background(pause=0)
    >>> background.start([{"x": 1.0}, {"x": 2.0}], lambda point: (point["x"],) * 3, "x", 2, received.append)
    >>> background.join()
    >>> received[-1].points.value, received[-1].finished
    ((1.0, 2.0), True)
    """

    def __init__(self, deliver: Callable[[Callable[[], None]], Any] | None = None, pause: float = PAUSE) -> None:
        self._deliver = deliver or (lambda function: function())
        self._pause = pause
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._turn = threading.Lock()  # a simulation cannot be interrupted, so the next one waits for its end

    def start(
        self,
        points: Sequence[Mapping[str, float]],
        estimate: Callable[[Mapping[str, float]], tuple[float, ...] | None],
        across: str,
        replications: int,
        on_progress: Callable[[Progress], None],
    ) -> None:
        """Simulate these points instead of those of the previous task; call ``on_progress`` after each."""
        self.cancel()
        self._stop = stop = threading.Event()

        def report(progress: Progress) -> None:
            # Check again at delivery, because the settings may have changed in between.
            self._deliver(lambda: None if stop.is_set() else on_progress(progress))

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
                    except Exception as error:  # shown on the page, because the traceback of a thread is not
                        report(Progress(found, k, len(points), f"{type(error).__name__}: {error}"))
                        return
                    found = (
                        replace(found, refused=found.refused + 1)
                        if result is None
                        else found.and_at(point[across], (result[0], result[1], result[2]))
                    )
                    report(Progress(found, k + 1, len(points)))

        self._thread = threading.Thread(target=work, daemon=True, name="longfat-explore")
        self._thread.start()

    def cancel(self) -> None:
        """End the task after its present point; none of its results are delivered any more."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the task has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
