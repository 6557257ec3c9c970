"""Parent process of the testbed, which starts runs, repeats runs that the machine's load spoilt, and cleans up."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.base import quantities
from longfat.base.domains import conflict, generator, integer
from longfat.base.files import AtomicFiles
from longfat.testbed import settings as host_settings
from longfat.testbed.network_namespaces import SYSCTL, CannotRun, missing
from longfat.testbed.one_run import Job, Outcome, Trust
from longfat.testbed.plan import controlled, plan, settings_of

if TYPE_CHECKING:
    from longfat.sim.network.network import Network

POLL = 0.2  # time between two updates of the progress bar [s]


class RejectedRun(RuntimeError):
    """Error: every attempt at a run was rejected; the message has the evidence, such as the lateness of packets."""


class DriverError(RuntimeError):
    """Error: the process of a run failed; the message names the cause."""


class Killed(DriverError):
    """Error: the process of a run ended without a result, for example because it was killed."""


def outcomes(
    net: Network,
    *,
    duration: float | str,
    warm_up: float | str = 0.0,
    replications: int = 1,
    rng: Any = None,
    sample_every: float | str | None = None,
    settings: Mapping[str, object] | None = None,
    pcap: str | Path | None = None,
    attempts: int = 3,
    progress: bool = True,
) -> list[Outcome]:
    """Run a scenario with Linux's TCP in real time, and return the outcome of each replication.

    The arguments and the errors are those of `longfat.testbed.run`. After Ctrl-C the results are lost.
    """
    until = quantities.read("duration", duration, "s", "(0, 1e5]")
    begin = quantities.read("warm_up", warm_up, "s", f"[0, {until:g})")
    replications = integer("replications", replications, "runs", "[1, 1e6]")
    attempts = integer("attempts", attempts, "runs", "[1, 100]")
    every = None if sample_every is None else quantities.read("sample_every", sample_every, "s", "[1e-4, 1e9]")
    connections = plan(net)
    if lacking := missing([one.control for one in connections]):
        raise CannotRun("; ".join(lacking))
    asked = settings_of(net) | host_settings.buffers(in_flight(net), len(connections), host_settings.memory())
    given = dict(settings or {})
    _check(given)
    from numba import cloudpickle  # pickles a user's discipline, too, although its file is no module

    from longfat.base.progress import bar
    from longfat.testbed.pump import NAMES

    made: list[Outcome] = []
    with ExitStack() as stack:
        captures = None
        if pcap is not None:
            files = stack.enter_context(AtomicFiles(pcap, "pcap"))
            captures = (files.path(NAMES[0]), files.path(NAMES[1]))
        shown = stack.enter_context(bar(task="running Linux", unit="s", shown=progress, total=replications * until))
        try:
            for random in generator(rng).spawn(replications):
                job = Job(connections, asked, given, cloudpickle.dumps((net, random)), until, begin, every, captures)
                made.append(_trusted(job, attempts, shown.update))
                captures = None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{len(made)} of {replications} runs were complete; the results are lost") from None
    return made


def in_flight(net: Network) -> float:
    """Return the largest amount of data that a flow can have in flight [bytes]; a buffer counts as 10 MB at most."""
    most = 0.0
    for flow in {flow.name: flow for flow, _ in controlled(net)}.values():
        there = [net.links[pair] for pair in itertools.pairwise(flow.path)]
        round_trip = 2 * sum(link.delay for link in there)
        finite = [link for link in there if link.rate < math.inf]
        buffers = sum(min(flow.packet * link.buffer_packets, link.buffer_bytes, 1e7) for link in finite)
        most = max(most, min((link.rate for link in finite), default=0.0) * round_trip + buffers)
    return most or 1e7


def _check(given: Mapping[str, object]) -> None:
    """Raise a ValueError for a setting that this Linux does not have."""
    for path in host_settings.of_hosts(given):
        if not (SYSCTL / path).exists():
            raise conflict(f"setting {path.removeprefix('ipv4/')!r}", "is unknown to this Linux")


def _trusted(job: Job, attempts: int, tell: Callable[[float], object]) -> Outcome:
    """Run a job up to ``attempts`` times; return the first outcome that is accepted, or raise `RejectedRun`."""
    rejected: list[Trust] = []
    for _ in range(attempts):
        outcome = attempt(job, tell)
        if outcome.trust.accepted:
            outcome.rejected.extend(rejected)
            return outcome
        rejected.append(outcome.trust)
        tell(-job.duration)
    reasons = "; ".join(map(str, rejected))
    counted = f"{attempts} attempt{'s' if attempts > 1 else ''}"
    raise RejectedRun(f"the machine's load spoilt {counted} at a run: {reasons}; stop other work, or use lower rates")


def attempt(job: Job, tell: Callable[[float], object] = lambda seconds: None) -> Outcome:
    """Run a job once in a separate process; return the outcome, whether it can be accepted or not."""
    from multiprocessing import Pipe

    here, there = Pipe()
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from longfat.testbed import one_run; "
        f"one_run.main({there.fileno()}, {os.getpid()})"
    )
    with here:
        with there:  # the child has its own session, so Ctrl-C reaches only this process, which ends the child
            process = subprocess.Popen(
                [sys.executable, "-c", code],
                pass_fds=[there.fileno()],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
            )
        try:
            here.send(job)
            return _result(here, job, tell)
        except (EOFError, ConnectionError):  # a ConnectionError if the process ends before it has read the job
            raise Killed(f"the process of the run ended with status {process.wait()}") from None
        finally:
            process.kill()  # this also removes the applications, the devices and the namespaces
            process.wait()


def _result(pipe: Any, job: Job, tell: Callable[[float], object]) -> Outcome:
    """Wait for the outcome that the process of a run sends, show the progress, and return the outcome."""
    began, shown = None, 0.0
    while True:
        if pipe.poll(POLL):
            name, *rest = pipe.recv()
            if name == "done":
                tell(job.duration - shown)
                return rest[0]  # type: ignore[no-any-return]
            if name == "cannot":
                raise CannotRun(rest[0])
            if name == "failed":
                error = DriverError(rest[0])
                error.add_note(rest[1])
                raise error
            began = time.monotonic()
        elif began is not None:
            now = min(time.monotonic() - began, job.duration)
            tell(now - shown)
            shown = now
