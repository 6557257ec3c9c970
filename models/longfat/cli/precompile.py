"""Compilation of the simulators in advance: ``python -m longfat.cli.precompile``, once for each installation.

The compiled code is stored beside the package, or in the directory ``NUMBA_CACHE_DIR``. Without this command the first
run of each simulator, scheme and discipline compiles the code that it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future


def compile_all() -> int:
    """Compile both simulators and all plug-ins of the package; return the number of schemes and disciplines.

    Two processes compile the event loop and all other parts, because each of the two takes about the same time.
    """
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    from longfat.base.progress import bar

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rest = pool.submit(_rest)
        halves: list[Future[Any]] = [pool.submit(_loop), rest]
        for half in bar(as_completed(halves), task="compiling", unit="half", shown=True, total=len(halves)):
            half.result()
        return rest.result()


def _loop() -> None:
    """Compile the event loop of the packet simulator."""
    from longfat.sim.runs import engine

    engine.kernel()


def _rest() -> int:
    """Compile everything except the event loop; return the number of schemes and disciplines."""
    from longfat import segments
    from longfat.sim import queues, schemes, services
    from longfat.sim.kernel.source import compile_injection
    from longfat.sim.switch import ptp

    compile_injection()
    segments.simulate(window=4, loss=0.1, segment_packets=2, ack_segments=1, segments=1, rng=1, progress=False)
    disciplines = {one.name: one for one in queues.NAMED.values()}
    for name in schemes.names():
        scheme = schemes.scheme(name)
        for chosen in ({}, schemes.linux(name)):  # the default components, and the components of Linux
            scheme.assembled(chosen).compiled()
    # The commands window and buffer simulate long transfers of Linux's CUBIC from after its slow start.
    schemes.scheme("cubic").assembled({**schemes.linux("cubic"), "hystart": 0.0}).compiled()
    # Where buffer scales a path down, windows are not rounded, and the Reno-friendly estimate is left out.
    scaled = {"integer_windows": 0.0, "reno_friendly": 0.0}
    schemes.scheme("cubic").assembled({**schemes.linux("cubic"), **scaled}).compiled()
    for discipline in (*disciplines.values(), ptp.responder()):
        discipline.compiled()
    for service in services.SERVICES.values():
        if service is not None:
            service.compiled()
    return len(schemes.names()) + len(disciplines)


if __name__ == "__main__":
    print(f"compiled: the simulators, and {compile_all()} schemes and disciplines")
