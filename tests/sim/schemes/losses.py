"""Links that lose or mark the packets one names, and a diary of what a flow sends: for traces by hand."""

from dataclasses import dataclass

from longfat.sim import Discipline, Network, Simulation, records
from longfat.sim.kernel.links import ADMIT, DROP

DATA, CE, ECT = records.DATA, records.CE, records.ECT


def drop_arrive(link, packet, header, now, rng):
    """Each of the (at most 12) numbers once; p holds number + 1, u what is done."""
    for k in range(12):
        if packet.kind == DATA and link.p[k] == packet.number + 1 and link.u[k] == 0.0:
            link.u[k] = 1.0
            return DROP
    return ADMIT


def mark_arrive(link, packet, header, now, rng):
    for k in range(12):
        if packet.kind == DATA and link.p[k] == packet.number + 1 and link.u[k] == 0.0 and packet.marks & ECT:
            link.u[k] = 1.0
            packet.marks |= CE
    return ADMIT


def mark_and_drop_arrive(link, packet, header, now, rng):
    """The first number is marked, the others are dropped."""
    if packet.kind == DATA and link.p[0] == packet.number + 1 and link.u[0] == 0.0:
        link.u[0] = 1.0
        packet.marks |= CE
    for k in range(1, 12):
        if packet.kind == DATA and link.p[k] == packet.number + 1 and link.u[k] == 0.0:
            link.u[k] = 1.0
            return DROP
    return ADMIT


def acks_arrive(link, packet, header, now, rng):
    """Acknowledgments caused by these numbers, each once."""
    for k in range(12):
        if packet.kind == records.ACK and link.p[k] == packet.echo + 1 and link.u[k] == 0.0:
            link.u[k] = 1.0
            return DROP
    return ADMIT


def _named(name, hook, numbers):
    return Discipline(name, arrive=hook, parameters={str(k): number + 1.0 for k, number in enumerate(numbers)})


def drop_numbers(*numbers):
    """Packets of these numbers are lost; a number given twice is lost twice."""
    return _named("drop-numbers", drop_arrive, numbers)


def mark_numbers(*numbers):
    return _named("mark-numbers", mark_arrive, numbers)


def mark_and_drop(mark, *drop):
    return _named("mark-and-drop", mark_and_drop_arrive, (mark, *drop))


def drop_acks(*numbers):
    return _named("drop-acks", acks_arrive, numbers)


@dataclass
class Entry:
    """A packet that was sent, and the flow just after."""

    time: float
    number: int
    window: float
    inflation: float
    ssthresh: float


class Diary:
    """One flow on a line of 100 ms round trip without transmission time: rounds are at 0, 0.1, 0.2, ... s."""

    def __init__(self, scheme, discipline="fifo", until=1.0, file=None, rate=float("inf"), back="fifo", **parameters):
        net = Network().link("a", "b", rate=rate, delay=0.05, discipline=discipline)
        net.link("b", "a", rate=float("inf"), delay=0.05, discipline=back)
        net.flow(scheme, path=["a", "b"], packet=1000, file=file, parameters=parameters)
        self.run = Simulation(net, rng=1)
        self.entries = []
        self.advance(until)

    @property
    def flow(self):
        return self.run.world.flows[0]

    def advance(self, until):
        """Event by event, so that every packet sent is seen."""
        goal = round(until * records.SECOND)
        while True:
            status = self.run._chunk(goal, 1)
            flow = self.flow
            if len(self.entries) < flow.transmission:
                packets = self.run.world.packets
                row = packets[(packets["transmission"] == flow.transmission - 1) & (packets["kind"] == DATA)]
                number = int(row["number"][row["sent"].argmax()])
                entry = Entry(round(self.run.now, 9), number, flow.window, flow.inflation, flow.ssthresh)
                self.entries.append(entry)
            if status == records.DONE:
                return self
            if status != records.PAUSED:
                self.run._make_room(status)

    def sent(self, time):
        """The numbers sent at one time."""
        return [entry.number for entry in self.entries if abs(entry.time - time) < 1e-6]

    @property
    def rounds(self):
        """The numbers sent, by time."""
        times = dict.fromkeys(entry.time for entry in self.entries)
        return {time: self.sent(time) for time in times}
