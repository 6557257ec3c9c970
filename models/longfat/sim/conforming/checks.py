"""Checks of `longfat.sim.conformance`: each examines the records of the runs, and returns a verdict and a message."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from longfat.sim.conforming.findings import FAILED, NOT_APPLICABLE, PASSED
from longfat.sim.conforming.trials import DELAY, LINK, RATE, Record, Subject, Trial
from longfat.sim.kernel import jit

UNLIMITED = 2.0**25  # packets; the simulator cannot have as many in flight
TICK_NS = 2  # for two times that are rounded to nanoseconds


@dataclass
class Evidence:
    """Records of a plug-in's runs, for the checks."""

    subject: Subject
    trials: tuple[Trial, ...]
    runs: list[Record] = field(default_factory=list)  # one for each trial, as all the lists
    again: list[Record] = field(default_factory=list)  # with the same seed
    other: list[Record] = field(default_factory=list)  # with another seed
    compiled: list[Record] = field(default_factory=list)  # shorter runs, to compare with the interpreted ones
    interpreted: list[Record] = field(default_factory=list)
    not_interpreted: str = ""  # reason why there are no interpreted runs
    refused: str = ""  # reason why there are no runs at all


Result = tuple[str, list[str], str]


def _of_each(runs: list[Record], look: Callable[[Record], str]) -> Result:
    """Return the result of a check that is made on each run; the message is that of the first failure."""
    names = [one.trial for one in runs]
    if not runs:
        return NOT_APPLICABLE, [], "not checked, because no run was completed"
    for one in runs:
        message = look(one)
        if message:
            return FAILED, names, f"network {one.trial!r}: {message}"
    return PASSED, names, ""


def _complete(found: Evidence) -> list[Record]:
    """Return the runs that were completed and whose packet counts balance."""
    return [one for one in found.runs if not one.error and not one.unbalanced]


def return_values(found: Evidence) -> Result:
    """Check that the plug-in compiles and that the simulator accepts the values that it returns."""
    if found.refused:
        return FAILED, [], found.refused
    return _of_each(found.runs, lambda one: "" if one.refused_value else one.error)


def _finite(found: Evidence) -> Result:
    """Check that windows and rates are valid numbers, and that a flow that was limited remains so."""
    if not found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a discipline sets no window"

    def look(one: Record) -> str:
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
                    return f"{shown} at {now:.6g} s, so that nothing limits it any more"
        return ""

    return _of_each(found.runs, look)


def _conservation(found: Evidence) -> Result:
    """Check that the link neither loses nor creates packets or bytes."""

    def look(one: Record) -> str:
        if one.unbalanced:
            return f"the packet counts do not balance: {one.unbalanced}"
        entered = {line[1:3]: line for line in one.entered}
        for when, flow, transmission, size, _ in one.left:
            before = entered.pop((flow, transmission), None)
            if before is None or before[3] != size:
                came = "never arrived there" if before is None else f"arrived with {before[3]} bytes"
                return f"a packet of {size} bytes left link {LINK} at {_s(when)} that {came}"
        link, size = one.link, sum(line[3] for line in one.left)
        counted = tuple(link[name] for name in ("dropped", "served", "served_bytes"))
        if one.drained and not one.others and (len(entered), len(one.left), size) != counted:
            return (
                f"of {len(one.entered)} packets that entered link {LINK} {len(one.left)} left it, of {size} bytes; it "
                f"counts {link['dropped']} dropped and {link['served']} sent, of {link['served_bytes']} bytes, and "
                f"is empty at {one.now:.6g} s"
            )
        return ""

    return _of_each([one for one in found.runs if not one.error], look)


def _order(found: Evidence) -> Result:
    """Check that packets leave in order of arrival; with fair queueing or priorities, within each flow."""
    discipline = found.subject.discipline
    if found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a scheme does not order packets"
    strict = discipline.scheduler is None or discipline.scheduler.in_order

    def look(one: Record) -> str:
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

    return _of_each(_complete(found), look)


def _departures(one: Record) -> list[tuple[int, int, int]]:
    """Return arrival [ns], begin of transmission [ns] and size [bytes] of each packet sent, in order of departure."""
    entered = {line[1:3]: line[0] for line in one.entered}
    sent = []
    for when, flow, transmission, size, _ in one.left:
        end = when - round(DELAY * 1e9)
        sent.append((entered.get((flow, transmission), end), end - round(size * 1e9 / RATE), size))
    return sent


def _buffer(found: Evidence) -> Result:
    """Check that the backlog never exceeds the limit of the buffer."""
    if found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a scheme has no buffer"

    def look(one: Record) -> str:
        limit, limit_bytes = one.link["limit_packets"], one.link["limit_bytes"]
        if one.link["hold_until"] > 0:  # a packet on hold counts as in transmission
            limit, limit_bytes = limit + 1, limit_bytes + max((line[3] for line in one.left), default=0)
        if one.link["largest_backlog"] > limit:
            return f"link {LINK} had a backlog of {one.link['largest_backlog']} packets, and has room for {limit}"
        changes = [(came + TICK_NS, 1, size) for came, begun, size in _departures(one) if begun - came > 2 * TICK_NS]
        changes += [
            (begun - TICK_NS, -1, -size) for came, begun, size in _departures(one) if begun - came > 2 * TICK_NS
        ]
        packets = size = 0
        for when, count, change in sorted(changes):
            packets, size = packets + count, size + change
            if packets > limit or size > limit_bytes:
                return (
                    f"link {LINK} had a backlog of at least {packets} packets and {size} bytes at {_s(when)}, "
                    f"and has room for {_room(limit, limit_bytes)}"
                )
        return ""

    return _of_each(_complete(found), look)


def _s(nanoseconds: float) -> str:
    return f"{nanoseconds * 1e-9:.9g} s"


def _room(packets: int, size: int) -> str:
    return f"{packets} packets" if packets < 2**62 else f"{size} bytes"


def _work_conservation(found: Evidence) -> Result:
    """Check that the link transmits whenever it has a backlog."""
    if found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a scheme does not schedule a link"
    service = found.subject.discipline.scheduler
    if (service is not None and not service.work_conserving) or any(one.link["hold_until"] > 0 for one in found.runs):
        return NOT_APPLICABLE, [], "it delays packets on purpose"

    def look(one: Record) -> str:
        idle: float = 0  # ns, end of the last transmission
        sent = _departures(one)
        earliest = math.inf
        still = []  # ns, at each departure: first arrival of a packet that had not been sent
        for came, _, _ in reversed(sent):
            earliest = min(earliest, came)
            still.append(earliest)
        for (_, begun, size), backlogged_since in zip(sent, reversed(still), strict=True):
            since = max(idle, backlogged_since)
            if begun > since + TICK_NS:
                return f"link {LINK} was idle from {_s(since)} to {_s(begun)}, although it had a backlog"
            idle = begun + round(size * 1e9 / RATE)
        return ""

    return _of_each(_complete(found), look)


def _completion(found: Evidence) -> Result:
    """Check that every file is transferred before the end of its run."""
    if not found.subject.scheme.acknowledged:
        return NOT_APPLICABLE, [], "a scheme without acknowledgments transfers no files"
    if not jit.COMPILED:
        return NOT_APPLICABLE, [], "without compilation the runs are too short"
    limits = {trial.name: trial.until for trial in found.trials}

    def look(one: Record) -> str:
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
            f"{one.link['served']} and has a backlog of {one.link['backlog']}"
        )

    return _of_each([one for one in _complete(found) if one.trial in limits and one.samples], look)


def _difference(left: Record, right: Record, those: str, these: str) -> str:
    """Return a sentence on the first difference between two runs; "" if there is none."""
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


def _determinism(found: Evidence) -> Result:
    """Check that the seed determines the run, and that it matters only if random numbers are drawn."""
    pairs = {id(one): pair for one, *pair in zip(found.runs, found.again, found.other, strict=True)}

    def look(one: Record) -> str:
        again, other = pairs[id(one)]
        message = _difference(one, again, "in one run", "in another with the same seed")
        if not message and not one.drew:
            message = _difference(one, other, "with one seed", "with another")
            message = message and message + ", although it draws no random number by longfat.sim.random"
        return message

    return _of_each(found.runs, look)


def _compilation(found: Evidence) -> Result:
    """Check that the compiled and the interpreted plug-in give the same run."""
    if found.not_interpreted:
        return NOT_APPLICABLE if not jit.COMPILED else FAILED, [], found.not_interpreted
    pairs = dict(zip(map(id, found.compiled), found.interpreted, strict=True))
    verdict, networks, message = _of_each(
        found.compiled, lambda one: _difference(one, pairs[id(one)], "compiled", "in plain Python")
    )
    return (
        verdict,
        networks,
        message and f"{message} (compiled code rounds x**3 otherwise than Python, but not x*x*x)",
    )


#: Checks by name: a sentence for the report, and the function.
CHECKS: dict[str, tuple[str, Callable[[Evidence], Result]]] = {
    "return values": ("It compiles, and the simulator accepts every value that it returns.", return_values),
    "windows and rates": ("Windows and rates are numbers of at least 0, and a limited flow remains limited.", _finite),
    "conservation": ("Every packet and byte that entered the link was sent, dropped or is queued.", _conservation),
    "order": ("Packets leave in order of arrival; with fair queueing and priorities, those of each flow.", _order),
    "buffer": ("The backlog never exceeds the buffer, in packets or bytes.", _buffer),
    "work conservation": ("The link transmits whenever it has a backlog.", _work_conservation),
    "completion": ("Every file is transferred before the run ends, also with random losses.", _completion),
    "determinism": ("Equal seeds give equal runs; the seed matters only if random numbers are drawn.", _determinism),
    "compilation": ("Compiled and in plain Python it gives the same run, bit by bit.", _compilation),
}
