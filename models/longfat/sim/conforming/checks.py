"""Checks of `longfat.sim.conformance`: each is a rule with a function that finds a fault in the record of a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from longfat.sim.conforming.findings import FAILED, NOT_APPLICABLE, PASSED, Check
from longfat.sim.conforming.trials import DELAY, LINK, RATE, Record, Subject, Trial
from longfat.sim.kernel import jit

UNLIMITED = 2.0**25  # packets; more than the simulator can have in flight
TICK_NS = 2  # ns, tolerance: each of two times is rounded to nanoseconds


@dataclass
class Evidence:
    """Records of all runs of a plug-in, which the checks examine."""

    subject: Subject
    trials: tuple[Trial, ...]
    runs: list[Record] = field(default_factory=list)  # one record for each trial, as in the other lists
    again: list[Record] = field(default_factory=list)  # the same runs with the same seed
    other: list[Record] = field(default_factory=list)  # the same runs with another seed
    compiled: list[Record] = field(default_factory=list)  # shorter runs, to compare with the interpreted ones
    interpreted: list[Record] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)  # messages on faults found before any run, by check


def _of_trial(records: list[Record], trial: str) -> Record:
    return next(one for one in records if one.trial == trial)


def _s(nanoseconds: float) -> str:
    return f"{nanoseconds * 1e-9:.9g} s"


# Functions that find faults: each returns a message if the record breaks the rule, otherwise "".


def _refused_value(found: Evidence, one: Record) -> str:
    """Find an error that ended the run, unless its cause was an invalid window or rate."""
    return "" if one.refused_value else one.error


def _unlimited(found: Evidence, one: Record) -> str:
    """Find an invalid window or rate, or a flow that was limited by its window or rate and later is not."""
    if one.refused_value:
        return one.error
    limited = set()  # flows that a window or rate has limited; others may send a file in one burst on purpose
    for now, flows in one.samples:
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


def _uncounted(found: Evidence, one: Record) -> str:
    """Find a packet or byte that the link lost or created without counting it."""
    if one.unbalanced:
        return f"the packet counts do not balance: {one.unbalanced}"
    entered = {line[1:3]: line for line in one.entered}
    for when, flow, transmission, size, _ in one.left:
        before = entered.pop((flow, transmission), None)
        if before is None or before[3] != size:
            came = "never arrived there" if before is None else f"arrived with {before[3]} bytes"
            return f"a packet of {size} bytes that {came} left link {LINK} at {_s(when)}"
    link, size = one.link, sum(line[3] for line in one.left)
    counted = tuple(link[name] for name in ("dropped", "served", "served_bytes"))
    if one.drained and not one.others and (len(entered), len(one.left), size) != counted:
        return (
            f"of {len(one.entered)} packets that entered link {LINK}, {len(one.left)} left it, with {size} bytes; it "
            f"counts {link['dropped']} dropped and {link['served']} sent, with {link['served_bytes']} bytes, and "
            f"is empty at {one.now:.6g} s"
        )
    return ""


def _overtaking(found: Evidence, one: Record) -> str:
    """Find a packet that left before an earlier arrival; with fair queueing or priorities, only within a flow."""
    service = found.subject.discipline.scheduler
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


def _departures(one: Record) -> list[tuple[int, int, int]]:
    """Return arrival [ns], start of transmission [ns] and size [bytes] of each packet sent, in order of departure."""
    entered = {line[1:3]: line[0] for line in one.entered}
    sent = []
    for when, flow, transmission, size, _ in one.left:
        end = when - round(DELAY * 1e9)
        sent.append((entered.get((flow, transmission), end), end - round(size * 1e9 / RATE), size))
    return sent


def _overfull(found: Evidence, one: Record) -> str:
    """Find a backlog beyond the limit of the buffer."""
    limit, limit_bytes = one.link["limit_packets"], one.link["limit_bytes"]
    if one.link["hold_until"] > 0:  # a packet on hold counts as in transmission
        limit, limit_bytes = limit + 1, limit_bytes + max((line[3] for line in one.left), default=0)
    if one.link["largest_backlog"] > limit:
        return f"link {LINK} had a backlog of {one.link['largest_backlog']} packets, but a buffer of {limit}"
    changes = []
    for came, begun, size in _departures(one):
        if begun - came > 2 * TICK_NS:
            changes += [(came + TICK_NS, 1, size), (begun - TICK_NS, -1, -size)]
    packets = size = 0
    for when, count, change in sorted(changes):
        packets, size = packets + count, size + change
        if packets > limit or size > limit_bytes:
            room = f"{limit} packets" if limit < 2**62 else f"{limit_bytes} bytes"
            return (
                f"link {LINK} had a backlog of at least {packets} packets and {size} bytes at {_s(when)}, "
                f"but a buffer of {room}"
            )
    return ""


def _idle(found: Evidence, one: Record) -> str:
    """Find a time at which the link was idle although it had a backlog."""
    idle: float = 0  # ns, end of the last transmission
    sent = _departures(one)
    earliest = math.inf
    still = []  # ns, for each packet, last first: earliest arrival of this and all later departures
    for came, _, _ in reversed(sent):
        earliest = min(earliest, came)
        still.append(earliest)
    for (_, begun, size), backlogged_since in zip(sent, reversed(still), strict=True):
        since = max(idle, backlogged_since)
        if begun > since + TICK_NS:
            return f"link {LINK} was idle from {_s(since)} to {_s(begun)}, although it had a backlog"
        idle = begun + round(size * 1e9 / RATE)
    return ""


def _unfinished(found: Evidence, one: Record) -> str:
    """Find a file that was not transferred before the end of the run."""
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

    `those` and `these` describe the first and the second run, such as "in one run".
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


def _undetermined(found: Evidence, one: Record) -> str:
    """Find a difference between two runs with the same seed, or, if no random number is drawn, with different seeds."""
    again, other = (_of_trial(records, one.trial) for records in (found.again, found.other))
    message = _difference(one, again, "in one run", "in another with the same seed")
    if not message and not one.drew:
        message = _difference(one, other, "with one seed", "with another")
        message = message and message + ", although the plug-in draws no random number by longfat.sim.random"
    return message


def _changed_by_compilation(found: Evidence, one: Record) -> str:
    """Find a difference between the compiled and the interpreted plug-in."""
    message = _difference(one, _of_trial(found.interpreted, one.trial), "compiled", "in plain Python")
    return message and f"{message} (compiled code rounds x**3 differently from Python, but not x*x*x)"


# Functions that return the runs that a check examines, or the reason why a check does not apply.


def _accepted(found: Evidence) -> list[Record]:
    return [one for one in found.runs if not one.error]


def _complete(found: Evidence) -> list[Record]:
    return [one for one in _accepted(found) if not one.unbalanced]


def _of_disciplines(found: Evidence) -> str:
    return "a scheme does not queue packets" if found.subject.is_scheme else ""


def _of_work_conserving(found: Evidence) -> str:
    service = found.subject.discipline.scheduler
    delaying = service is not None and not service.work_conserving
    delaying = delaying or any(one.link["hold_until"] > 0 for one in found.runs)
    return _of_disciplines(found) or ("it delays packets on purpose" if delaying else "")


def _of_files(found: Evidence) -> str:
    if not found.subject.scheme.acknowledged:
        return "a scheme without acknowledgments transfers no files"
    return "" if jit.COMPILED else "without compilation the runs are too short"


@dataclass(frozen=True)
class Rule:
    """Rule for plug-ins: its text; functions that find a fault, select runs, and return why it does not apply."""

    meaning: str
    fault: Callable[[Evidence, Record], str]
    runs: Callable[[Evidence], list[Record]] = lambda found: found.runs
    exempt: Callable[[Evidence], str] = lambda found: ""

    def check(self, name: str, found: Evidence) -> Check:
        """Apply the rule to all selected runs and return the result; it describes the fault of the first faulty run."""
        if VALUES in found.faults and name != VALUES:
            return Check(name, self.meaning, (), NOT_APPLICABLE, "not checked, because no run could begin")
        if name in found.faults:
            return Check(name, self.meaning, (), FAILED, found.faults[name])
        runs, reason = self.runs(found), self.exempt(found)
        if reason or not runs:
            return Check(name, self.meaning, (), NOT_APPLICABLE, reason or "not checked, because no run was completed")
        faults = ((one.trial, self.fault(found, one)) for one in runs)
        message = next((f"network {trial!r}: {fault}" for trial, fault in faults if fault), "")
        return Check(name, self.meaning, tuple(one.trial for one in runs), FAILED if message else PASSED, message)


VALUES, COMPILATION = "return values", "compilation"
CHECKS = {
    VALUES: Rule("The plug-in compiles, and the simulator accepts every value that it returns.", _refused_value),
    "windows and rates": Rule(
        "Windows and rates are numbers of at least 0, and a limited flow remains limited.",
        _unlimited,
        exempt=lambda found: "" if found.subject.is_scheme else "a discipline sets no window",
    ),
    "conservation": Rule(
        "Every packet and byte that entered the link was sent, dropped or is queued.", _uncounted, _accepted
    ),
    "order": Rule(
        "Packets leave in order of arrival; with fair queueing or priorities, the packets of a flow do.",
        _overtaking,
        _complete,
        _of_disciplines,
    ),
    "buffer": Rule("The backlog never exceeds the buffer, in packets or bytes.", _overfull, _complete, _of_disciplines),
    "work conservation": Rule("The link transmits whenever it has a backlog.", _idle, _complete, _of_work_conserving),
    "completion": Rule(
        "Every file is transferred before the run ends, also with random losses.", _unfinished, _complete, _of_files
    ),
    "determinism": Rule(
        "Equal seeds give equal runs; the seed matters only if random numbers are drawn.", _undetermined
    ),
    COMPILATION: Rule(
        "The plug-in gives the same run, bit by bit, compiled and in plain Python.",
        _changed_by_compilation,
        lambda found: found.compiled,
        lambda found: "" if jit.COMPILED else "compilation is off in this process, too",
    ),
}
