"""Networks and runs that many tests of the simulator have in common."""

import math
from collections import deque
from fractions import Fraction
from types import SimpleNamespace
from typing import NamedTuple

from longfat.sim import Network, Scheme, Simulation
from longfat.sim.network.traffic import Traffic
from longfat.sim.switch.log import Log
from tests.reference import Events, Link
from tests.sim.spy import Spy

#: Options of a link; all others that `one_link` takes are those of a flow.
OF_LINKS = {
    "rate", "delay", "buffer", "discipline", "loss", "jitter", "rate_changes", "counter_refresh", "coarse_clock",
    "stamps", "duplex",
}  # fmt: skip


def one_link(flow, *, back=None, **options):
    """Return a link a - b and a flow over it; options are those of the link and of the flow.

    With `duplex` or `back` acknowledgments return over a link b - a, else they take the ideal path. `back` is the rate
    of that link, which has the same delay, or a dictionary of its options.
    """
    link = {name: options.pop(name) for name in OF_LINKS & options.keys()}
    net = Network().link("a", "b", **link)
    if back is not None:
        given = back if isinstance(back, dict) else {"rate": back}
        net.link("b", "a", **{"delay": link.get("delay", 0.0), **given})
    elif not link.get("duplex") and not isinstance(flow, Traffic):
        options = {"ack_path": "ideal", **options}
    return net.flow(flow, path=["a", "b"], **options)


def keep_window(flow, event):
    return flow.window


def holding(window, name="holding", **options):
    """Return a scheme with a constant window [packets], or rate [bytes/s] with `controls="rate"`."""

    def keep(flow, event):
        return window

    return Scheme(name, start=keep, ack=keep, **options)


def simulated(net, until, rng=1):
    """Return a simulation of a network until a time [s], which has conserved packets."""
    run = Simulation(net, rng=rng)
    run.advance(until)
    run.packet_counts()
    return run


def seen_behind(flows, until, *, rng=1, **link):
    """Return the packets that leave a link a - b with these options, as a spy behind it records them, and the run.

    `flows` are schemes or traffic, or pairs of one and its options. Without `rate` the link takes no time.
    """
    spy = Spy()
    net = (
        Network().link("a", "b", **{"rate": math.inf, **link}).link("b", "c", rate=math.inf, discipline=spy.discipline)
    )
    for one in flows:
        flow, options = one if isinstance(one, tuple) else (one, {})
        net.flow(flow, path=["a", "b", "c"], ack_path="ideal", **options)
    run = simulated(net, until, rng)
    return spy.data, run


def python(part):
    """Return a part, compiled or not, as plain Python."""
    return getattr(part, "py_func", part)


def as_python(monkeypatch, module, *names):
    """Let parts of a module be called as plain Python."""
    for name in names:
        monkeypatch.setattr(module, name, python(getattr(module, name)))


def logged(flows, discipline, until, *, rate=1e6, buffer=None, rng=1, behind=None):
    """Return the lines of packets that enter a link and of those that leave it, and the run.

    A line is (time [ns], flow, transmission, size, number). The link s - a before it and b - d behind it take no time;
    `flows` are pairs of a scheme or traffic and its options; `behind` is another discipline of b - d than a log.
    """
    entered, left = Log(200_000), Log(200_000)
    net = Network().link("s", "a", rate=math.inf, discipline=entered.discipline)
    net.link("a", "b", rate=rate, discipline=discipline, buffer=buffer)
    net.link("b", "d", rate=math.inf, discipline=behind or left.discipline)
    for flow, options in flows:
        net.flow(flow, path=["s", "a", "b", "d"], ack_path="ideal", **options)
    run = simulated(net, until, rng)
    return entered.lines.tolist(), left.lines.tolist(), run


class Observed(NamedTuple):
    """Run of a link of 1 MB/s, its arrivals (time [ns], size, flow, transmission), and departures (begin, arrival)."""

    run: Simulation
    arrivals: list
    departures: list
    until: int  # ns

    def agrees_with(self, plain):
        """Assert that the same packets leave a plain queue at the same times; one may be in transmission at the end."""
        expected = transmissions(plain, self.arrivals, self.until)
        assert self.departures == expected[: len(self.departures)]
        assert len(expected) - len(self.departures) <= 1


def observed(flows, discipline, until, **options):
    """Return what `logged` sees, for comparison with plain queues."""
    entered, left, run = logged(flows, discipline, until, **options)
    arrivals = [(time, size, flow, transmission) for time, flow, transmission, size, _ in entered]
    came = {one[2:]: one for one in arrivals}
    departures = [(time - 1000 * size, came[flow, transmission]) for time, flow, transmission, size, _ in left]
    return Observed(run, arrivals, departures, round(until * 1e9))


class Queue:
    """Interface of a plain queue for `transmissions`: admit packets, and return the next one to send."""

    tick = math.inf  # ns; when `update` is called next
    now = 0  # ns

    def put(self, packet, idle):
        """Admit a packet (time [ns], size, ...), or drop it; an idle link sends at once."""
        raise NotImplementedError

    def take(self):
        """Return the packet whose transmission begins, None if there is none."""
        raise NotImplementedError


class Stamped(Queue):
    """Packets that wait as tuples which begin with a stamp and end with the packet: the least is taken first."""

    def take(self):
        if not self.waiting:
            return None
        first = min(self.waiting)
        self.waiting.remove(first)
        return first[-1]


def transmissions(queue, arrivals, until=math.inf, nanoseconds_a_byte=1000):
    """Return (begin [ns], packet) of each transmission before a time [ns] at a link with a plain queue.

    Of events at the same time ends of transmissions come first, then updates.
    """
    arrivals, made, free = deque(arrivals), [], math.inf
    while (now := min(free, arrivals[0][0] if arrivals else math.inf, queue.tick)) < until:
        queue.now = now
        if now == free:
            free = math.inf
        elif now == queue.tick:
            queue.update()
        else:
            queue.put(arrivals.popleft(), free == math.inf)
        if free == math.inf and (sent := queue.take()) is not None:
            made.append((now, sent))
            free = now + sent[1] * nanoseconds_a_byte
    return made


class Line(Link):
    """Drop-tail link of the reference with a rate [bit/s]; packets arrive one by one, and no link follows.

    `log` has arrival, begin and end of the transmission of each packet [ns].
    """

    def __init__(self, rate, packets):
        super().__init__(Events(), Fraction(rate), packets=packets)

    def backlog(self, now):
        """Return how many packets wait at a time [ns]."""
        return sum(begin > now for begin, _ in self.waiting)

    def is_full(self, now):
        """Return whether a packet that arrived at a time [ns] would be dropped."""
        return self.transmitter.free > now and self.backlog(now) >= self.packets

    def takes(self, now, size):
        """Let a packet arrive at a time [ns], and return whether it is admitted."""
        self.events.now, dropped = now, self.dropped
        self.admit(SimpleNamespace(size=size, expected=0, flow=SimpleNamespace(dropped=0)))
        return self.dropped == dropped
