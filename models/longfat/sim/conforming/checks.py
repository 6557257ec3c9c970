"""The checks of `longfat.sim.conformance`: each looks at what was recorded of the runs, and may complain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from longfat.sim import jit
from longfat.sim.conforming.report import FAILED, NOT_APPLICABLE, PASSED
from longfat.sim.conforming.trials import DELAY, LINK, RATE, Record, Subject, Trial

BOUNDLESS = 2.0**25  # packets: more than the simulator can have in flight
TICK = 2  # ns: two roundings to whole nanoseconds


@dataclass
class Evidence:
    """What was seen of a plug-in, for the checks."""

    subject: Subject
    trials: tuple[Trial, ...]
    runs: list[Record] = field(default_factory=list)  # of each trial
    again: list[Record] = field(default_factory=list)  # with the same seed
    other: list[Record] = field(default_factory=list)  # with another one
    compiled: list[Record] = field(default_factory=list)  # the shorter runs
    interpreted: list[Record] = field(default_factory=list)
    not_interpreted: str = ""  # why there are none
    refused: str = ""  # why there are no runs at all


Result = tuple[str, list[str], str]


def _of_each(runs: list[Record], look: Callable[[Record], str]) -> Result:
    """Look at each run; the first complaint counts."""
    names = [one.trial for one in runs]
    if not runs:
        return NOT_APPLICABLE, [], "not made, because no run came to its end"
    for one in runs:
        said = look(one)
        if said:
            return FAILED, names, f"network {one.trial!r}: {said}"
    return PASSED, names, ""


def _complete(found: Evidence) -> list[Record]:
    """Return the runs that came to their end, with all packets."""
    return [one for one in found.runs if not one.error and not one.unbalanced]


def answers(found: Evidence) -> Result:
    """Check that there are runs at all."""
    if found.refused:
        return FAILED, [], found.refused
    return _of_each(found.runs, lambda one: "" if one.refused_value else one.error)


def _finite(found: Evidence) -> Result:
    if not found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a discipline sets no window"

    def look(one: Record) -> str:
        if one.refused_value:
            return one.error
        limited = set()  # flows that were; the others send a file at once on purpose
        for now, flows in one.samples:
            for name, flow in flows.items():
                if name == "poisson":
                    continue
                shown = f"flow {name!r} has window {flow['window']:g} packets and rate {flow['rate']:g} bytes/s"
                if not (flow["window"] >= 0 and flow["rate"] >= 0 and flow["inflation"] >= 0):
                    return f"{shown}, inflation {flow['inflation']:g} packets, at {now:.6g} s"
                if flow["transmission"] == 0:  # it has not begun
                    continue
                if flow["window"] <= BOUNDLESS or flow["rate"] < math.inf:
                    limited.add(name)
                elif name in limited:
                    return f"{shown} at {now:.6g} s, so that nothing limits it any more"
        return ""

    return _of_each(found.runs, look)


def _conservation(found: Evidence) -> Result:
    def look(one: Record) -> str:
        if one.unbalanced:
            return f"packets have vanished, or stand in two places: {one.unbalanced}"
        entered = {line[1:3]: line for line in one.entered}
        for when, flow, transmission, size, _ in one.left:
            before = entered.pop((flow, transmission), None)
            if before is None or before[3] != size:
                came = "never came there" if before is None else f"came with {before[3]} bytes"
                return f"a packet of {size} bytes left link {LINK} at {_s(when)} that {came}"
        link, size = one.link, sum(line[3] for line in one.left)
        counted = tuple(link[name] for name in ("dropped", "served", "served_bytes"))
        if one.drained and not one.others and (len(entered), len(one.left), size) != counted:
            return (
                f"of {len(one.entered)} packets that entered link {LINK} {len(one.left)} came out, of {size} bytes; it "
                f"counts {link['dropped']} dropped and {link['served']} served, of {link['served_bytes']} bytes, and "
                f"holds none at {one.now:.6g} s"
            )
        return ""

    return _of_each([one for one in found.runs if not one.error], look)


def _order(found: Evidence) -> Result:
    discipline = found.subject.discipline
    if found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a scheme orders no packets"
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


def _waits(one: Record) -> list[tuple[int, int, int]]:
    """Return when each packet that was sent entered, when its transmission began, and its size; as they left."""
    entered = {line[1:3]: line[0] for line in one.entered}
    waits = []
    for when, flow, transmission, size, _ in one.left:
        end = when - round(DELAY * 1e9)
        waits.append((entered.get((flow, transmission), end), end - round(size * 1e9 / RATE), size))
    return waits


def _buffer(found: Evidence) -> Result:
    if found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a scheme has no buffer"

    def look(one: Record) -> str:
        limit, limit_bytes = one.link["limit_packets"], one.link["limit_bytes"]
        if one.link["hold_until"] > 0:  # the packet that is held back counts as in transmission
            limit, limit_bytes = limit + 1, limit_bytes + max((line[3] for line in one.left), default=0)
        if one.link["largest_backlog"] > limit:
            return f"link {LINK} had {one.link['largest_backlog']} packets waiting, and has room for {limit}"
        changes = [(came + TICK, 1, size) for came, begun, size in _waits(one) if begun - came > 2 * TICK]
        changes += [(begun - TICK, -1, -size) for came, begun, size in _waits(one) if begun - came > 2 * TICK]
        packets = held = 0
        for when, count, size in sorted(changes):
            packets, held = packets + count, held + size
            if packets > limit or held > limit_bytes:
                return (
                    f"{packets} packets of {held} bytes that left link {LINK} later were waiting there at "
                    f"{_s(when)}, and it has room for {_room(limit, limit_bytes)}"
                )
        return ""

    return _of_each(_complete(found), look)


def _s(nanoseconds: float) -> str:
    return f"{nanoseconds * 1e-9:.9g} s"


def _room(packets: int, size: int) -> str:
    return f"{packets} packets" if packets < 2**62 else f"{size} bytes"


def _work_conservation(found: Evidence) -> Result:
    if found.subject.is_scheme:
        return NOT_APPLICABLE, [], "a scheme serves no link"
    serving = found.subject.discipline.scheduler
    if (serving is not None and not serving.work_conserving) or any(one.link["hold_until"] > 0 for one in found.runs):
        return NOT_APPLICABLE, [], "it holds packets back on purpose"

    def look(one: Record) -> str:
        idle: float = 0  # since when, if nothing is sent
        waits = _waits(one)
        earliest = math.inf
        still = []  # of each departure on: when the first of the packets entered that had not been sent
        for came, _, _ in reversed(waits):
            earliest = min(earliest, came)
            still.append(earliest)
        for (_, begun, size), waiting_since in zip(waits, reversed(still), strict=True):
            since = max(idle, waiting_since)
            if begun > since + TICK:
                return f"link {LINK} was idle from {_s(since)} to {_s(begun)}, although a packet was waiting"
            idle = begun + round(size * 1e9 / RATE)
        return ""

    return _of_each(_complete(found), look)


def _completion(found: Evidence) -> Result:
    if not found.subject.scheme.acknowledged:
        return NOT_APPLICABLE, [], "without acknowledgments there are no files"
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
            f"flow {name!r} stood still: packet {flow['una']:g} of {flow['packets']:g} is not acknowledged at "
            f"{one.now:g} s, the last progress was at {since:.3g} s; window {flow['window']:g} packets, rate "
            f"{flow['rate']:g} bytes/s; link {LINK} dropped {one.link['dropped']} packets, served "
            f"{one.link['served']} and holds {one.link['backlog']}"
        )

    return _of_each([one for one in _complete(found) if one.trial in limits and one.samples], look)


def _difference(left: Record, right: Record, those: str, these: str) -> str:
    """Say where two runs differ first."""
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
    pairs = {id(one): pair for one, *pair in zip(found.runs, found.again, found.other, strict=True)}

    def look(one: Record) -> str:
        again, other = pairs[id(one)]
        said = _difference(one, again, "in one run", "in another with the same seed")
        if not said and not one.drew:
            said = _difference(one, other, "with one seed", "with another")
            said = said and said + ", although it draws no random number by longfat.sim.random"
        return said

    return _of_each(found.runs, look)


def _compilation(found: Evidence) -> Result:
    if found.not_interpreted:
        return NOT_APPLICABLE if not jit.COMPILED else FAILED, [], found.not_interpreted
    pairs = dict(zip(map(id, found.compiled), found.interpreted, strict=True))
    verdict, networks, said = _of_each(
        found.compiled, lambda one: _difference(one, pairs[id(one)], "compiled", "in plain Python")
    )
    return verdict, networks, said and f"{said} (x**3 is rounded otherwise when it is compiled; x*x*x is not)"


#: By name: what each checks, and how.
CHECKS: dict[str, tuple[str, Callable[[Evidence], Result]]] = {
    "answers": ("It compiles, and every answer is one that the simulator can use.", answers),
    "windows and rates": ("Windows and rates are numbers, not negative, and what was finite remains so.", _finite),
    "conservation": ("Every packet and byte that entered the link was sent, dropped or is still there.", _conservation),
    "order": ("Packets leave in order of arrival, under fair queueing and priorities those of each flow.", _order),
    "buffer": ("Never more packets or bytes wait than the buffer holds.", _buffer),
    "work conservation": ("The link is busy whenever packets wait.", _work_conservation),
    "completion": ("Every file is transferred in time, also with random losses.", _completion),
    "determinism": ("The same seed gives the same run; another seed matters only if numbers are drawn.", _determinism),
    "compilation": ("Compiled and in plain Python it gives the same run to the last bit.", _compilation),
}
