"""Pool of processes that simulate: each replication goes to the first that is free, in the order of the requests.

A client that leaves, or whose time is over, leaves a replication behind. If that does not end soon its process is
killed, so that nothing simulates for nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from longfat.law import Law

PATIENCE = 1.0  # time that a replication may go on for nobody [s]; a new process takes about as long to start
MOST = 4  # processes; each takes about 300 MB and a core


class Worker:
    """One process, and its lines of questions and answers."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> Worker:
        """Start the process."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches the server only, which ends the process
        )
        return cls(process)

    async def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a question."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(ConnectionError):
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
            await self.process.stdin.drain()
        line = await self.process.stdout.readline()
        if not line:
            return {"error": "the simulation has ended: its process took too much memory, or was killed"}
        found: dict[str, Any] = json.loads(line)
        return found

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.returncode is None

    async def kill(self) -> None:
        """End the process at once."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


class Workers:
    """Processes that simulate, started when they are needed.

    Parameters
    ----------
    command : sequence of str, optional
        What starts a process; by default `longfat.explore.worker`.
    most : int, optional
        Largest number of processes; by default the number of cores, at least two and at most four.
    """

    def __init__(self, command: Sequence[str] | None = None, most: int | None = None) -> None:
        self._command = command or (sys.executable, "-m", "longfat.explore.worker")
        self._places = asyncio.Semaphore(most or max(2, min(MOST, os.cpu_count() or 1)))
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._left: set[asyncio.Task[None]] = set()

    async def prepare(self) -> None:
        """Start a process before it is needed; it loads the simulators."""
        async with self._places:
            self._idle.append(await self._start())

    async def run(self, law: Law, point: Mapping[str, float], seed: int) -> tuple[float, float]:
        """Return value and packets of one replication.

        Raises
        ------
        ValueError
            For a point that the simulator refuses.
        RuntimeError
            If the simulation fails.
        """
        await self._places.acquire()
        try:
            worker = self._idle.pop() if self._idle else await self._start()
        except BaseException:
            self._places.release()
            raise
        asking = asyncio.ensure_future(worker.ask({"law": law.public_name, "point": dict(point), "seed": seed}))
        try:
            found = await asyncio.shield(asking)
        finally:
            if asking.done():
                self._free(worker)
            else:
                task = asyncio.ensure_future(self._leave(worker, asking))
                self._left.add(task)
                task.add_done_callback(self._left.discard)
        if "refused" in found:
            raise ValueError(found["refused"])
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["value"], found["packets"]

    async def _start(self) -> Worker:
        worker = await Worker.start(self._command)
        self._all.add(worker)
        return worker

    def _free(self, worker: Worker) -> None:
        """Keep a process for the next replication, the one that was used last first: it has loaded most."""
        if worker.alive:
            self._idle.append(worker)
        else:
            self._all.discard(worker)
        self._places.release()

    async def _leave(self, worker: Worker, asking: asyncio.Future[Any]) -> None:
        """Wait a moment for the end of a replication that nobody needs; then kill the process."""
        _, late = await asyncio.wait([asking], timeout=PATIENCE)
        if late:
            await worker.kill()
            await asking
        self._free(worker)

    async def close(self) -> None:
        """End all processes at once."""
        for task in list(self._left):
            task.cancel()
        await asyncio.gather(*(worker.kill() for worker in self._all))
