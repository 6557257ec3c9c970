"""Processes that run the simulations of `longfat explore`; each is killed when its client has left.

The processes are forked from a process that has loaded the simulators, so that each starts in about 20 ms. Data go in,
never code: the text of a request, and the name of the user's file that the command was given.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
from collections.abc import AsyncGenerator
from multiprocessing.connection import Connection

from longfat.explore import simulations
from longfat.explore.lookup import chosen

MEMORY = 4 << 30  # address space of a simulation [bytes]; the libraries take 1 GiB of it
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["longfat.explore.__main__"])


def prepare() -> None:
    """Start the process from which the others are forked, and wait until it has loaded the simulators."""
    CONTEXT.Process(target=int, daemon=True).start()


async def events(text: bytes, file: str = "") -> AsyncGenerator[simulations.Event, None]:
    """Simulate a request in a separate process; yield the events of `simulations.estimates`.

    Parameters
    ----------
    text : bytes
        The request, as `simulations.read` takes it.
    file : str
        The user's file that defines the law; "" for the laws of longfat.
    """
    receiving, sending = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_work, args=(sending, text, file), daemon=True)
    starting = asyncio.ensure_future(asyncio.to_thread(process.start))
    try:
        await asyncio.shield(starting)
        sending.close()
        async for one in simulations.stream(receiving.recv):
            yield one
    except EOFError:
        why = "the simulation has ended: its process took too much memory, or was killed"
        yield {"kind": "error", "why": why}
    finally:
        await starting
        process.kill()
        process.join()


def _work(sending: Connection, text: bytes, file: str) -> None:
    """Simulate, and send each event."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.nice(5)  # lower priority than the page and its server
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):  # a user's law may print
        os.dup2(nowhere, output)
    try:
        asked = simulations.read(text, chosen(file))
        for one in simulations.estimates(asked, simulations.simulator(asked.state.law)):
            sending.send(one)
    except Exception as error:
        sending.send({"kind": "error", "why": f"{type(error).__name__}: {error}"})
