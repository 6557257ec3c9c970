"""Function `conformance`, which checks that a scheme, discipline or service keeps the rules of the simulator.

Each check has a rule, and a function that looks for a violation of the rule in the runs of a network.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from longfat.base.domains import generator
from longfat.base.progress import bar
from longfat.base.text_tables import columns
from longfat.sim.conforming.trials import (
    ABOUT,
    DELAY,
    LINK,
    RATE,
    Interpreted,
    Record,
    Runs,
    Subject,
    observe,
    observe_interpreted,
    subject_of,
    trials_for,
)
from longfat.sim.kernel import jit

__all__ = ["CHECKS", "Check", "Report", "conformance"]

TIME_LIMIT = 60.0  # s of wall time for the runs without compilation, which usually take 2 to 3 s
UNLIMITED = 2.0**25  # packets; more than the simulator can have in flight
PACKET = 1000  # bytes; largest packet of the trials
TICK_NS = 2  # tolerance [ns] in the comparison of two times, each of which is rounded to nanoseconds
PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "not applicable"
NO_RUN = "return values"  # check that fails if no run can begin


class Check(NamedTuple):
    """Check of a plug-in by one rule, and its result."""

    name: str
    meaning: str
    verdict: str  # "passed", "failed" or "not applicable"
    networks: tuple[str, ...] = ()  # networks on which the check was made
    message: str = ""  # the fault, with numbers, network and simulated time; or why the check does not apply


@dataclass(frozen=True)
class Report:
    """Result of `conformance`; printing it shows a table.

    Parameters
    ----------
    plug_in : str
        Plug-in that was checked, such as "scheme 'reno'".
    checks : tuple of Check
        All checks with their results.
    networks : mapping of str to str
        Networks by name, each with a description.
    seed : int
        Seed of the random numbers.
    """

    plug_in: str
    checks: tuple[Check, ...]
    networks: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    @property
    def passed(self) -> bool:
        """Whether every applicable check passed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """Checks that failed."""
        return tuple(one for one in self.checks if one.verdict == FAILED)

    def __str__(self) -> str:
        made = sum(one.verdict != NOT_APPLICABLE for one in self.checks)
        rows = [("check", "verdict", "networks", "what is checked")]
        for one in self.checks:
            text = one.message if one.verdict == NOT_APPLICABLE else one.meaning
            verdict = one.verdict.upper() if one.verdict == FAILED else one.verdict
            rows.append((one.name, verdict, ", ".join(one.networks) or "-", text))
        heads, *table = columns(rows)
        lines = [f"{self.plug_in}: {made - len(self.failed)} of {made} checks passed", "", heads]
        for one, line in zip(self.checks, table, strict=True):
            lines += [line, f"    {one.message}"] if one.verdict == FAILED else [line]
        lines += ["", "networks", *(f"  {name}: {about}" for name, about in self.networks.items())]
        return "\n".join([*lines, f"seed {self.seed}"])

    __repr__ = __str__


def _s(nanoseconds: float) -> str:
    return f"{nanoseconds * 1e-9:.9g} s"


# The functions of the checks. Each returns a message if the runs of a trial break its rule, otherwise "".


def _invalid(subject: Subject, runs: Runs) -> str:
    """Return a message if an error ended the run, a window or rate is invalid, or a flow is no longer limited."""
    if runs.first.error or not subject.is_scheme:
        return runs.first.error
    limited = set()  # flows that a window or rate has limited; a flow without any limit may send its file in a burst
    for now, flows in runs.first.samples:
        for name, flow in flows.items():
            if name == "poisson":
                continue
            shown = f"flow {name!r} has window {flow['window']:g} packets and rate {flow['rate']:g} bytes/s"
            if not (flow["window"] >= 0 and flow["rate"] >= 0 and flow["inflation"] >= 0):
                return f"{shown}, inflation {flow['inflation']:g} packets, at {now:.6g} s"
            if flow["transmission"] == 0:  # the flow has not started
                continue
            if flow["window"] <= UNLIMITED or flow["rate"] < math.inf:
                limited.add(name)
            elif name in limited:
                return f"{shown} at {now:.6g} s: nothing limits it any more"
    return ""


def _uncounted(subject: Subject, runs: Runs) -> str:
    """Return a message if a packet was lost or created without being counted."""
    unbalanced = runs.first.unbalanced
    return unbalanced and f"the packet counts do not balance: {unbalanced}"


def _overtaking(subject: Subject, runs: Runs) -> str:
    """Return a message if a packet left before an earlier arrival; with fair queueing, before one of its own flow."""
    one, service = runs.first, subject.discipline.scheduler
    strict = service is None or service.in_order
    place = {line[1:3]: k for k, line in enumerate(one.entered)}
    last: dict[int, int] = {}
    for when, flow, transmission, *_ in one.left:
        now = place.get((flow, transmission), -1)
        of = -1 if strict else flow
        if now < last.get(of, -1):
            _, first, number, *_ = one.entered[last[of]]
            return (
                f"transmission {transmission} of flow {flow} left link {LINK} at {_s(when)}, behind "
                f"transmission {number} of flow {first}, which had entered after it"
            )
        last[of] = now
    return ""


def _overfull(subject: Subject, runs: Runs) -> str:
    """Return a message if the backlog exceeded the buffer; a packet on hold counts as in transmission."""
    one, link = runs.first, runs.first.link
    on_hold = link["hold_until"] > 0
    limit, limit_bytes = link["limit_packets"] + on_hold, link["limit_bytes"] + on_hold * PACKET
    if link["largest_backlog"] > limit:
        return f"link {LINK} had a backlog of {link['largest_backlog']} packets, but a buffer of {limit}"
    if one.most_bytes > limit_bytes:
        return f"link {LINK} had a backlog of {one.most_bytes} bytes, but a buffer of {limit_bytes}"
    return ""


def _idle(subject: Subject, runs: Runs) -> str:
    """Return a message if the link was idle although it had a backlog."""
    entered = {line[1:3]: line[0] for line in runs.first.entered}
    sent = []  # arrival, start and end of the transmission of each packet [ns], in order of departure
    for when, flow, transmission, size, _ in runs.first.left:
        end = when - round(DELAY * 1e9)
        sent.append((entered.get((flow, transmission), end), end - round(size * 1e9 / RATE), end))
    earliest = math.inf
    still = []  # for each packet, from the last on: earliest arrival of it and of all later departures [ns]
    for came, _, _ in reversed(sent):
        earliest = min(earliest, came)
        still.append(earliest)
    idle: float = 0  # end of the last transmission [ns]
    for (_, begun, end), backlogged_since in zip(sent, reversed(still), strict=True):
        since = max(idle, backlogged_since)
        if begun > since + TICK_NS:
            return f"link {LINK} was idle from {_s(since)} to {_s(begun)}, although it had a backlog"
        idle = end
    return ""


def _unfinished(subject: Subject, runs: Runs) -> str:
    """Return a message if a file was not transferred before the end of the run."""
    one = runs.first
    if one.done:
        return ""
    _, flows = one.samples[-1]
    name = next(name for name, flow in flows.items() if flow["una"] < flow["packets"] < 2**60)
    flow = flows[name]
    since = next(now for now, before in one.samples if before[name]["una"] == flow["una"])
    return (
        f"flow {name!r} made no progress: packet {flow['una']:g} of {flow['packets']:g} is not acknowledged at "
        f"{one.now:g} s, the last progress was at {since:.3g} s; window {flow['window']:g} packets, rate "
        f"{flow['rate']:g} bytes/s; link {LINK} dropped {one.link['dropped']} packets, sent "
        f"{one.link['served']} and has a backlog of {one.link['backlog']} packets"
    )


def _difference(left: Record, right: Record, those: str, these: str) -> str:
    """Return a sentence on the first difference between two runs, "" if there is none.

    `those` and `these` are the words for the first and the second run, such as "in one run".
    """
    for what, mine, others in (("entered", left.entered, right.entered), ("left", left.left, right.left)):
        for k, (a, b) in enumerate(zip(mine, others, strict=False)):
            if a != b:
                return (
                    f"packet {k + 1} that {what} link {LINK} is number {a[4]} of flow {a[1]} at {_s(a[0])} {those}, "
                    f"and number {b[4]} of flow {b[1]} at {_s(b[0])} {these}"
                )
        if len(mine) != len(others):
            return f"{len(mine)} packets {what} link {LINK} {those}, and {len(others)} {these}"
    if left.error != right.error:
        return f"{those}: {left.error or 'no error'}; {these}: {right.error or 'no error'}"
    for name, value in left.state.items():
        if repr(value) != repr(right.state.get(name)):
            return f"{name} is {value!r} {those}, and {right.state.get(name)!r} {these}, at {left.now:.6g} s"
    return ""


def _undetermined(subject: Subject, runs: Runs) -> str:
    """Return a message if two runs with one seed differ, or two with different seeds although none draws a number."""
    message = _difference(runs.first, runs.again, "in one run", "in another with the same seed")
    if not message and not runs.first.drew:
        message = _difference(runs.first, runs.other, "with one seed", "with another")
        message = message and message + ", although the plug-in draws no random number by longfat.sim.random"
    return message


def _changed_by_compilation(subject: Subject, runs: Runs) -> str:
    """Return a message if the run in plain Python differs from the compiled run."""
    message = _difference(runs.compiled, runs.interpreted, "compiled", "in plain Python")
    return message and f"{message} (compiled code rounds x**3 differently from Python, but not x*x*x)"


def _exempt(name: str, subject: Subject, runs: list[Runs]) -> str:
    """Return the reason why a check does not apply, "" if it does."""
    service = subject.discipline.scheduler
    if name in ("order", "buffer", "work conservation") and subject.is_scheme:
        return "a scheme does not queue packets"
    if name == "work conservation":
        delaying = service is not None and not service.work_conserving
        delaying = delaying or any(one.first.link["hold_until"] > 0 for one in runs)
        return "it delays packets on purpose" if delaying else ""
    if name == "completion" and not subject.scheme.acknowledged:
        return "a scheme without acknowledgments transfers no files"
    if name == "completion" and not jit.COMPILED:
        return "without compilation the runs are too short"
    return "compilation is off in this process, too" if name == "compilation" and not jit.COMPILED else ""


#: Name of each check -> its rule, and the function that returns the fault in the runs of a network.
CHECKS: dict[str, tuple[str, Callable[[Subject, Runs], str]]] = {
    NO_RUN: (
        "The plug-in compiles, the simulator accepts every value that it returns, and a limited flow remains limited.",
        _invalid,
    ),
    "conservation": ("Every packet was received, dropped or is in the network.", _uncounted),
    "order": (
        "Packets leave in order of arrival; with fair queueing or priorities, the packets of a flow do.", _overtaking
    ),
    "buffer": ("The backlog never exceeds the buffer, in packets or bytes.", _overfull),
    "work conservation": ("The link transmits whenever it has a backlog.", _idle),
    "completion": ("Every file is transferred before the run ends, also with random losses.", _unfinished),
    "determinism": (
        "Equal seeds give equal runs; the seed matters only if random numbers are drawn.", _undetermined
    ),
    "compilation": (
        "The plug-in gives the same run, bit by bit, compiled and in plain Python.", _changed_by_compilation
    ),
}  # fmt: skip
#: Checks that examine every run; the other checks leave out runs that an error ended.
OF_ANY_RUN = (NO_RUN, "determinism", "compilation")


def checked(name: str, subject: Subject, made: list[Runs], faults: Mapping[str, str]) -> Check:
    """Return the result of a check of the runs `made` in each trial, with a message on the first run that fails.

    `faults` has a message for each check that fails because runs could not be made.
    """
    meaning, find_fault = CHECKS[name]
    if name in faults:
        return Check(name, meaning, FAILED, message=faults[name])
    runs = [one for one in made if name in OF_ANY_RUN or not one.first.error]
    if runs:
        reason = _exempt(name, subject, runs)
    else:
        reason = "not checked, because no run was completed" if made else "not checked, because no run could begin"
    if reason:
        return Check(name, meaning, NOT_APPLICABLE, message=reason)
    found = ((one.first.trial, find_fault(subject, one)) for one in runs)
    message = next((f"network {trial!r}: {fault}" for trial, fault in found if fault), "")
    networks = tuple(one.first.trial for one in runs)
    return Check(name, meaning, FAILED if message else PASSED, networks, message)


def conformance(plug_in: Any, *, beside: Any = None, rng: Any = 1, progress: bool = True) -> Report:
    """Check that a congestion-control scheme, a queue discipline or a service keeps the rules of the simulator.

    The rules: the plug-in compiles and returns valid values, every lost packet is counted, the backlog fits the buffer,
    packets keep their order, a link with a backlog transmits, files arrive, and the seed determines the run, compiled
    or not. The report has a sentence on each rule. Three small networks are simulated, each of them twice with one
    seed and once with another. Shorter runs, compiled and in plain Python, are compared. This takes about five to ten
    seconds.

    Parameters
    ----------
    plug_in : Scheme, Discipline, Service or str
        Plug-in to check, or its name.
    beside : Discipline, Scheme or str, optional
        Discipline of the bottleneck for a scheme, by default "fifo"; scheme of the flows for a discipline, by default
        Reno with packets of priority 0, 1 or 2.
    rng : None, int, SeedSequence or Generator
        Seed of the random numbers.
    progress : bool
        Whether to show a progress bar after two seconds.

    Returns
    -------
    Report
        ``passed`` is true if no check failed; ``checks`` has the verdict and the message of each. It prints as a table.

    Examples
    --------
    >>> conformance("reno", progress=False).passed  # doctest: +SKIP
    True
    """
    subject = subject_of(plug_in, beside)
    seed, other = (int(one) for one in generator(rng).integers(2**32, size=2))
    runs, faults = _simulated(subject, seed, other, progress)
    checks = tuple(checked(name, subject, runs, faults) for name in CHECKS)
    about = {trial.name: trial.about for trial in trials_for(subject)} | {"all": ABOUT}
    return Report(subject.plug_in.title, checks, about, seed)


def _simulated(subject: Subject, seed: int, other: int, progress: bool) -> tuple[list[Runs], dict[str, str]]:
    """Return the runs of each trial, and a message for each check that fails because runs could not be made.

    Runs in plain Python come first, because only these can be stopped if a callback has an endless loop.
    """
    trials = trials_for(subject)
    made, faults = [Runs() for _ in trials], {}
    with bar(task="checking", unit="run", shown=progress, total=1 + 4 * len(trials)) as shown:
        try:
            if jit.COMPILED:
                for runs, record in zip(made, observe_interpreted(subject, seed, TIME_LIMIT), strict=True):
                    runs.interpreted = record
        except Interpreted as error:
            faults["compilation"] = str(error)
        except TimeoutError:
            why = "perhaps a callback has an endless loop"
            return [], {NO_RUN: f"the runs without compilation did not end in {TIME_LIMIT:g} s: {why}"}
        shown.update(1)
        try:
            for runs, trial in zip(made, trials, strict=True):
                for name, one in (("first", seed), ("again", seed), ("other", other), ("compiled", seed)):
                    slow = name == "compiled" or not jit.COMPILED
                    setattr(runs, name, observe(trial, subject, one, slow=slow))
                    shown.update(1)
        except ValueError as error:  # the plug-in does not compile, or refuses the network, such as its buffer
            return [], {NO_RUN: str(error)}
    return made, faults
