"""Compiling before anybody waits for it: ``python -m longfat.sim.ahead`` does all of it, once for each installation.

What is compiled is kept on disk, beside the package or where ``NUMBA_CACHE_DIR`` says. Without this command the first
run of each simulator, scheme and discipline compiles what it needs.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future


@contextmanager
def announced(what: str, after: float = 2.0) -> Iterator[None]:
    """Say what takes so long to whoever looks on; nothing if it is done within so many seconds."""
    looks_on = sys.stderr.isatty() or "ipykernel" in sys.modules
    timer = threading.Timer(after, lambda: print(what, file=sys.stderr, flush=True))
    timer.daemon = True
    if looks_on:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def compile_all() -> int:
    """Compile both simulators, and every scheme and discipline that ships; how many of these there are.

    The loop takes as long as all the rest: each in a process of its own.
    """
    from concurrent.futures import ProcessPoolExecutor, as_completed  # not for the engine, which takes `announced`
    from multiprocessing import get_context

    from longfat.progress import bar

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rest = pool.submit(_rest)
        halves: list[Future[Any]] = [pool.submit(_loop), rest]
        for half in bar(as_completed(halves), task="compiling", unit="half", shown=True, total=len(halves)):
            half.result()
        return rest.result()


def _loop() -> None:
    from longfat.sim import engine

    engine.kernel()


def _rest() -> int:
    from longfat.sim import queues, schemes, segments

    segments.simulate(window=4, loss=0.1, segment_packets=2, ack_segments=1, segments=1, rng=1, progress=False)
    disciplines = {one.name: one for one in queues.NAMED.values()}
    for scheme in schemes.names():
        schemes.scheme(scheme).compiled()
    for discipline in disciplines.values():
        discipline.compiled()
    return len(schemes.names()) + len(disciplines)


if __name__ == "__main__":
    print(f"compiled: the simulators, and {compile_all()} schemes and disciplines")
