"""Links that lose or mark the packets named, and a diary of the packets that a flow sends: for traces by hand."""

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from longfat.sim import Discipline, Network, Simulation, queues
from longfat.sim.kernel import records
from longfat.sim.plugin.functions import mark as mark_it
from longfat.sim.queues import DROP, ENQUEUE
from longfat.sim.runs.captures.capture import Capture
from tests.sim.own import of_flow

FINE = 0.35  # s
ACK, DATA = records.ACK, records.DATA


def drop_named(link, packet, now):
    """Lose data packets by their numbers, each once; mark others when they get through."""
    for k in range(12):
        if packet.kind == DATA and link.wanted[k] == packet.number and not link.done[k]:
            link.done[k] = True
            if k < 10:
                return DROP
            mark_it(link, packet)
    return ENQUEUE


def drop_acknowledgments(link, packet, now):
    """Lose the acknowledgments that packets of these numbers caused, each once."""
    for k in range(12):
        if packet.kind == ACK and link.wanted[k] == packet.echo and not link.done[k]:
            link.done[k] = True
            return DROP
    return ENQUEUE


def drop_numbers(*drop, mark=()):
    """Return a discipline that drops packets of these numbers, once for each mention, and marks others."""
    if not mark:
        return queues.scripted_loss(packets=[[0, number, count] for number, count in Counter(drop).items()])
    wanted = [*drop, *[-9] * (10 - len(drop)), *mark, *[-9] * (2 - len(mark))]
    return Discipline("drop-numbers", enqueue=drop_named, state={"wanted": wanted, "done": [False] * 12})


def drop_acks(*numbers):
    wanted = [*numbers, *[-9] * (12 - len(numbers))]
    return Discipline("drop-acks", enqueue=drop_acknowledgments, state={"wanted": wanted, "done": [False] * 12})


def delay_packets(link, packet, now):
    """Delay packets from a number on by some time, and drop one once."""
    if packet.number == link.lost and not link.done:
        link.done = True
        return DROP
    if packet.number >= link.number:
        link.hold_until = now + link.extra
    return ENQUEUE


def late(number, extra, lost=-1):
    """Return a discipline that delays packets from a number on [s], and drops one of them once."""
    parameters = {"number": float(number), "extra": extra, "lost": float(lost)}
    return Discipline("late", enqueue=delay_packets, parameters=parameters, state={"done": False})


@dataclass
class Entry:
    """A packet that was sent, and the state of the flow just after; the state is NaN before the time `fine`."""

    time: float
    number: int
    window: float
    inflation: float
    ssthresh: float


class Diary:
    """One flow on a link of 100 ms round trip without transmission time: rounds begin at 0, 0.1, 0.2, ... s."""

    def __init__(
        self, scheme, discipline="fifo", until=1.0, file=None, link_rate=math.inf, back="fifo", fine=FINE, **parameters
    ):
        net = Network().link("a", "b", rate=link_rate, delay=0.05, discipline=discipline)
        net.link("b", "a", rate=math.inf, delay=0.05, discipline=back)
        net.flow(scheme, path=["a", "b"], packet=1000, file=file, parameters=parameters)
        self.run = Simulation(net, rng=1)
        self.run.prepare()
        self.capture = Capture(self.run, None, None, most=10**9)  # so that the kernel traces the packets
        self.entries, self.fine = [], fine
        self.advance(until)

    @property
    def flow(self):
        return self.run.state.flows[0]

    @property
    def own(self):
        """The parameters and state of the scheme for this flow."""
        return of_flow(self.run)

    def advance(self, until):
        """Advance; from `fine` [s] on event by event, to record the window when a packet leaves."""
        if self.run.now < self.fine:
            self._advance(min(until, self.fine), 16)
        if until > self.fine:
            self._advance(until, 1)
        return self

    def _advance(self, until, budget):
        status = None
        while status != records.DONE:
            status = self.run._call(round(until * records.SECOND), budget)  # no thread for plug-ins that do not return
            trace = self.run.state.trace[: self.run.state.row.trace_rows]
            self.entries += [self._entry(row, budget == 1) for row in trace if row["what"] == records.SENT]
            self.run.state.row.trace_rows = 0
            if status not in (records.DONE, records.PAUSED):
                self.run._make_room(status)

    def _entry(self, row, seen):
        flow = self.flow
        state = (flow.window, flow.inflation, getattr(self.own, "ssthresh", math.nan)) if seen else (math.nan,) * 3
        return Entry(round(float(row["sent"]) / records.SECOND, 9), int(row["number"]), *map(float, state))

    def sent(self, time):
        """Return the numbers of the packets sent at one time."""
        return [entry.number for entry in self.entries if abs(entry.time - time) < 1e-6]

    def all(self, number):
        """Return all transmissions of a packet."""
        return [entry for entry in self.entries if entry.number == number]

    def due(self):
        """Return when the timer expires [s]; infinite if it does not run."""
        due = int(self.flow.due_ns[records.RTO])
        return math.inf if due == records.NEVER else due / records.SECOND

    @property
    def rounds(self):
        """The numbers of the packets sent, by time."""
        times = dict.fromkeys(entry.time for entry in self.entries)
        return {time: self.sent(time) for time in times}

    def field(self, name):
        """Return a field of the scheme or of the flow, or `due`, when the timer expires."""
        if name == "due":
            return self.due()
        value = getattr(self.own, name, None)
        return getattr(self.flow, name) if value is None else value


@dataclass
class Trace:
    """A flow worked out by hand: the scheme, the discipline of the link, parameters, and what is expected.

    `sent` has the numbers of the packets sent at a time, `times` when the transmissions of a packet leave, `packets`
    fields after the k-th transmission of a packet, `windows` all windows after packets sent at a time, `departures` the
    times of all packets from the first of these times on, and `at` fields at a time. Times are in seconds, and ascend.
    """

    scheme: str
    link: Discipline | str = "fifo"
    given: dict = field(default_factory=dict)
    sent: dict = field(default_factory=dict)
    times: dict = field(default_factory=dict)
    packets: dict = field(default_factory=dict)
    windows: dict = field(default_factory=dict)
    departures: list = field(default_factory=list)
    at: dict = field(default_factory=dict)

    def compared(self):
        """Return the values of the diary and the expected ones, each by kind and place."""
        fine = FINE if self.packets or self.windows else math.inf
        diary, found, expected = Diary(self.scheme, self.link, 0.0, fine=fine, **self.given), {}, {}
        for time, fields in self.at.items():
            diary.advance(time)
            expected["at", time] = fields
            found["at", time] = {name: diary.field(name) for name in fields}
        again = [time for times in self.times.values() for time in times]
        diary.advance(max([*self.at, *self.sent, *self.windows, *self.departures, *again]) + 0.05)
        for time, numbers in self.sent.items():
            found["sent", time], expected["sent", time] = diary.sent(time), numbers
        for number, times in self.times.items():
            found["times", number] = [entry.time for entry in diary.all(number)]
            expected["times", number] = pytest.approx(times, abs=1e-7)
        for (number, k), fields in self.packets.items():
            entry = diary.all(number)[k]
            found["packet", number, k] = {name: getattr(entry, name) for name in fields}
            expected["packet", number, k] = fields
        for time, windows in self.windows.items():
            found["windows", time] = sorted({entry.window for entry in diary.entries if abs(entry.time - time) < 1e-6})
            expected["windows", time] = windows
        if self.departures:
            late = [entry.time for entry in diary.entries if entry.time > self.departures[0] - 1e-6]
            found["departures"] = late[: len(self.departures)]
            expected["departures"] = pytest.approx(self.departures, abs=1e-7)
        return found, {key: rounded(value) for key, value in expected.items()}


def compared(traces):
    """Return a test that compares each of these traces."""

    @pytest.mark.parametrize("trace", traces.values(), ids=traces)
    def test(trace):
        found, expected = trace.compared()
        assert found == expected

    return test


def rounded(value):
    """Return an expected value, or those of a dictionary, with a tolerance; a given tolerance is kept."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return value if hasattr(value, "rel") else pytest.approx(value, rel=1e-9, abs=1e-9)


def grown(window, times, gain=1.0):
    """Return a window after so many acknowledgments in congestion avoidance (RFC 5681, section 3.1)."""
    for _ in range(times):
        window += gain / window
    return window


def rounds_of(*sizes):
    """Return the numbers of the packets sent in rounds of these sizes, one each 0.1 s."""
    ends = [sum(sizes[:k]) for k in range(len(sizes) + 1)]
    return {0.1 * k: list(range(*one)) for k, one in enumerate(pairwise(ends))}
