"""Small networks on which `longfat.sim.conformance` runs a plug-in, and the records of these runs.

The runs without compilation are in a process of their own.
"""

from __future__ import annotations

import io
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numba
import numpy as np

from longfat.base import domains
from longfat.sim import queues, schemes
from longfat.sim.network import traffic
from longfat.sim.network.network import Network
from longfat.sim.queues import Discipline
from longfat.sim.runs import peek
from longfat.sim.runs.engine import SchemeError, Simulation
from longfat.sim.schemes import Parameter, Scheme
from longfat.sim.services import Service
from longfat.sim.switch.log import Log

SAMPLES, FEW = 100, 20  # number of samples of windows, rates and packet counts in a run, and in a short run
ROOM = 20_000  # largest number of packets in a log
RATE, DELAY, BUFFER = 1e6, 0.01, 10  # link under test: bytes/s, s, packets or kB
LINK = "a-b"
PATH = ("s", "a", "b", "d")  # nodes; s-a and b-d, without transmission time, log the traffic into and out of a-b
FILE = 100_000  # bytes
ABOUT = f"{RATE * 8e-6:g} Mbit/s, {DELAY * 1e3:g} ms one way, buffer of {BUFFER} packets or {BUFFER} kB"


@dataclass(frozen=True)
class Subject:
    """Plug-in under test, and the scheme or discipline with which it is combined."""

    plug_in: Scheme | Discipline
    scheme: Scheme
    discipline: Discipline

    @property
    def is_scheme(self) -> bool:
        """Whether the plug-in under test is a scheme."""
        return isinstance(self.plug_in, Scheme)


@dataclass(frozen=True)
class Trial:
    """Network on which plug-ins are tested, and the duration of its runs."""

    name: str
    about: str
    add: Callable[[Network, Subject], Any]  # adds the flows to the network
    until: float  # greatest simulated time [s]
    until_slow: float  # `until` of runs in plain Python, which take 1 ms per packet, and of those to compare [s]
    loss: float = 0.0  # loss probability of the link, in both directions
    in_bytes: bool = False  # whether the buffer is limited in bytes


def _set_priority(flow, packet):  # type: ignore[no-untyped-def]
    packet.priority = int(flow.priority)
    return 0


def prioritised() -> Scheme:
    """Return Reno with an additional parameter `priority`, the priority of its packets."""
    reno = schemes.scheme("reno")
    given = {**reno.parameters, "priority": Parameter(0.0, "1", "[0, 7]")}
    return replace(reno, name="reno with a priority", send=_set_priority, parameters=given)


def _add(net: Network, subject: Subject, name: str, start: float, packets: int) -> None:
    """Add a flow of the subject's scheme: a file of `packets` packets, or data until 2 s if it has no acks."""
    ends = {"file": 1000 * packets} if subject.scheme.acknowledged else {"stop": 2.0}
    net.flow(subject.scheme, path=PATH, name=name, start=start, **ends)


def _one_file(net: Network, subject: Subject) -> None:
    _add(net, subject, "x", 0.0, 100)


def _shared(net: Network, subject: Subject) -> None:
    _add(net, subject, "x0", 0.0, 300)
    _add(net, subject, "x1", 0.05, 300)
    net.flow(traffic.poisson(RATE / 4), path=PATH, name="poisson", stop=2.0)


def _three_files(net: Network, subject: Subject) -> None:
    for k in range(3):
        own = {"priority": float(k)} if "priority" in subject.scheme.parameters else {}
        net.flow(subject.scheme, path=PATH, name=f"file{k}", file=FILE, start=0.0051 * k, parameters=own)


def _overload(net: Network, subject: Subject) -> None:
    net.flow(traffic.constant(RATE), path=PATH, name="large", stop=1.0)
    net.flow(traffic.constant(RATE / 2), path=PATH, name="small", packet=700, start=0.00013, stop=1.0)


def _random(net: Network, subject: Subject) -> None:
    net.flow(traffic.poisson(0.9 * RATE), path=PATH, name="poisson", stop=1.0)
    net.flow(subject.scheme, path=PATH, name="file", file=FILE)


SCHEME_TRIALS = (
    Trial("alone", "one file of 100 packets, no random loss", _one_file, 60.0, 1.0),
    Trial("lossy", "the same file, 2 % of all packets lost at random", _one_file, 120.0, 1.5, loss=0.02),
    Trial("shared", "two files of 300 packets, 25 % Poisson traffic for 2 s", _shared, 60.0, 0.25),
)
DISCIPLINE_TRIALS = (
    Trial("files", "three files of 100 packets each", _three_files, 60.0, 0.4),
    Trial("overload", "constant traffic of 150 % for 1 s, two packet sizes", _overload, 5.0, 0.15, in_bytes=True),
    Trial("random", "90 % Poisson traffic, one file, 2 % of all packets lost", _random, 120.0, 0.2, loss=0.02),
)


def trials_for(subject: Subject) -> tuple[Trial, ...]:
    """Return the trials for the subject: `SCHEME_TRIALS` for a scheme, otherwise `DISCIPLINE_TRIALS`."""
    return SCHEME_TRIALS if subject.is_scheme else DISCIPLINE_TRIALS


@dataclass
class Record:
    """Record of a run of a trial: errors, samples, final state, and logs of the link under test."""

    trial: str = ""
    error: str = ""  # the simulator's message when it refused a returned value
    unbalanced: str = ""  # message, if the packet counts do not balance
    now: float = 0.0  # s
    drew: bool = False  # whether a random number was drawn
    done: bool = False  # whether every file was transferred
    state: dict[str, Any] = field(default_factory=dict)  # all fields of the flows and the link at the end
    samples: list[tuple[float, dict[str, dict[str, float]]]] = field(default_factory=list)
    entered: list[tuple[int, ...]] = field(default_factory=list)  # rows of the log before the link
    left: list[tuple[int, ...]] = field(default_factory=list)  # rows of the log behind the link
    link: dict[str, Any] = field(default_factory=dict)
    most_bytes: int = 0  # largest backlog of the link in the samples


@dataclass
class Runs:
    """Records of the runs of one trial."""

    first: Record = field(default_factory=Record)
    again: Record = field(default_factory=Record)  # run with the same seed
    other: Record = field(default_factory=Record)  # run with another seed
    compiled: Record = field(default_factory=Record)  # shorter run, to compare with `interpreted`
    interpreted: Record = field(default_factory=Record)


def network(trial: Trial, subject: Subject, logs: tuple[Log, Log]) -> Network:
    """Build the network of a trial, with a log before and a log behind the link under test."""
    net = Network(trial.name)
    service = subject.discipline.scheduler
    # A service with a workspace needs a buffer in packets, because the number of packets determines the workspace.
    packets = not trial.in_bytes or (service is not None and service.workspace is not None)
    buffer = BUFFER if packets else f"{BUFFER * 1000} B"
    options: dict[str, Any] = {"rate": RATE, "delay": DELAY, "buffer": buffer, "loss": trial.loss}
    net.link("s", "a", rate=math.inf, discipline=logs[0].discipline)
    net.link("a", "b", **options, discipline=subject.discipline)
    net.link("b", "d", rate=math.inf, discipline=logs[1].discipline)
    net.link("d", "b", rate=math.inf).link("b", "a", **options).link("a", "s", rate=math.inf)
    trial.add(net, subject)
    return net


def observe(trial: Trial, subject: Subject, seed: int, *, slow: bool = False) -> Record:
    """Run a trial and return its record; `slow` selects the shorter duration for runs in plain Python."""
    logs = Log(ROOM), Log(ROOM)
    record = Record(trial.name)
    run = Simulation(network(trial, subject, logs), rng=seed)
    until, samples = (trial.until_slow, FEW) if slow else (trial.until, SAMPLES)
    try:
        for k in range(1, samples + 1):
            run.advance(until * (k / samples) ** 2)  # denser at the beginning, where most values change
            record.samples.append((run.now, {name: _sample(run, name) for name in run.state.flow_names}))
            record.most_bytes = max(record.most_bytes, int(peek.link(run, LINK).backlog_bytes))
            counts = run.packet_counts()
            record.done = run.all_done()
            if record.done and counts["in_flight"] + counts["acks_in_flight"] == 0 and run.now >= 2.0:
                break
    except SchemeError as error:
        record.error = str(error)
    except RuntimeError as error:
        record.unbalanced = f"{error} (at {run.now:.6g} s)"
    record.now, record.drew = run.now, run.drew
    record.link = peek.fields(peek.link(run, LINK))
    record.state = {f"link {LINK}: {name}": value for name, value in record.link.items()}
    for name in run.state.flow_names:
        record.state |= {f"flow {name!r}: {one}": value for one, value in peek.fields(peek.flow(run, name)).items()}
    record.entered, record.left = ([tuple(line) for line in log.lines.tolist()] for log in logs)
    return record


SAMPLED = ("window", "rate", "inflation", "una", "packets", "transmission")


def _sample(run: Simulation, name: str) -> dict[str, float]:
    flow = peek.flow(run, name)
    return {one: float(getattr(flow, one)) for one in SAMPLED}


def subject_of(plug_in: Any, beside: Any) -> Subject:
    """Return the plug-in to test, given as an object or by name, and the plug-in with which it is combined."""
    given = _by_name(plug_in)
    given.require_values()
    if isinstance(given, Scheme):
        return Subject(given, given, queues.discipline("fifo" if beside is None else beside))
    return Subject(given, prioritised() if beside is None else schemes.scheme(beside), given)


def _by_name(plug_in: Any) -> Scheme | Discipline:
    if isinstance(plug_in, Scheme | Discipline):
        return plug_in
    if isinstance(plug_in, Service):
        return Discipline(plug_in.name, plug_in)
    if not isinstance(plug_in, str):
        raise domains.wrong_type("plug_in", plug_in, "a Scheme, a Discipline, a Service or a name")
    if plug_in in schemes.NAMED and plug_in in queues.NAMED:
        raise ValueError(
            f"plug_in = {plug_in!r} is the name of a scheme and of a discipline: give "
            f"sim.schemes.scheme({plug_in!r}) or sim.queues.discipline({plug_in!r})"
        )
    named: dict[str, Scheme | Discipline] = {**schemes.NAMED, **queues.NAMED}
    if plug_in not in named:
        raise domains.unknown("scheme or discipline", plug_in, named)
    return named[plug_in]


# Runs without compilation, in a separate process.


class Interpreted(Exception):
    """Error if the process without compilation gives no result; the message has the reason."""


def observe_interpreted(subject: Subject, seed: int, timeout: float) -> list[Record]:
    """Run all trials in plain Python in a separate process, for `timeout` [s] at most; return the records."""
    try:
        sent = portable((subject, seed))
    except Exception as error:  # a user's class may raise any exception
        raise Interpreted(f"the plug-in cannot be sent to another process: {type(error).__name__}: {error}") from None
    try:
        answer = subprocess.run(
            [sys.executable, "-c", "from longfat.sim.conforming.trials import answer; answer()"],
            input=sent,
            env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    if answer.returncode:
        lines = answer.stderr.decode(errors="replace").strip().splitlines() or [f"exit status {answer.returncode}"]
        raise Interpreted(f"the plug-in cannot be run without compilation: {lines[-1]}")
    return pickle.loads(answer.stdout)  # type: ignore[no-any-return]


def answer() -> None:
    """Read a subject and a seed from standard input, run all trials, and write the records to standard output."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # keeps output of the plug-in out of the result
    subject, seed = pickle.load(sys.stdin.buffer)
    np.seterr(all="ignore")
    out.write(pickle.dumps([observe(trial, subject, seed, slow=True) for trial in trials_for(subject)]))


def portable(thing: Any) -> bytes:
    """Pickle a subject and a seed, with the plug-in's functions by value and compiled functions as plain ones."""
    import cloudpickle

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
        def reducer_override(self, one: Any) -> Any:
            if not isinstance(one, numba.core.dispatcher.Dispatcher):
                return super().reducer_override(one)
            if one.__module__.startswith("longfat."):
                return getattr, (sys.modules[one.__module__], one.__name__)
            return _plain, (one.py_func,)

    file = io.BytesIO()
    modules = _modules(thing[0].plug_in)
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        Pickler(file).dump(thing)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    return file.getvalue()


def _modules(plug_in: Any) -> list[Any]:
    """Return the modules of the plug-in's functions that the other process may not be able to import."""
    service = getattr(plug_in, "scheduler", None)
    functions = [*plug_in.callbacks.values(), *(service.callbacks.values() if service else ())]
    names = {getattr(one, "py_func", one).__module__ or "" for one in functions}
    return [sys.modules[name] for name in names if not name.startswith("longfat.") and name in sys.modules]


def _plain(function: Any) -> Any:
    return function
