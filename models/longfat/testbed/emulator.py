"""Emulated network, which carries packets of real hosts over the links of `longfat.sim` in virtual time.

The same compiled code as in a simulation decides on queueing, drops, marks and departures. Each flow with a scheme
becomes a flow of injected packets: the caller injects a packet into the first link, and receives the packet when it
reaches the other end. Other flows are simulated in the same network.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from longfat.base import headers
from longfat.sim import queues
from longfat.sim.kernel import records
from longfat.sim.kernel.source import compile_injection, inject
from longfat.sim.network.elements import Flow
from longfat.sim.network.network import Network
from longfat.sim.network.traffic import Traffic
from longfat.sim.runs.engine import Simulation, kernel
from longfat.sim.runs.run_state import rows

BUDGET = 1 << 20  # number of events after which the compiled loop returns to Python, so that Ctrl-C takes effect
#: Flags of a packet in the simulator; the index is the value of the packet's ECN field in IP (RFC 3168, section 5;
#: RFC 9331, section 4.1).
MARKS = (0, records.ECT | records.ECT1, records.ECT, records.ECT | records.CE)


class Delivery(NamedTuple):
    """Packet that has reached a host."""

    time_ns: int
    connection: int
    back: bool  # whether the packet goes from receiver to sender
    packet: bytes


class Emulator:
    """Network into which the caller injects packets, and which returns the packets that reach a host.

    Parameters
    ----------
    net : Network
        Links and flows; changes to `net` after the construction have no effect.
    rng : None, int, SeedSequence or Generator
        Seed of the random numbers.
    sample_every : float, optional
        Interval between the samples of the traces [s]; needs `duration`.
    duration : float
        Longest virtual time [s]; only needed for the traces.

    Raises
    ------
    ValueError
        If no flow has a scheme.
    SchemeError
        If a queue discipline fails in `inject`, `step` or `advance`.

    Examples
    --------
    >>> net = Network().link("a", "b", rate="8 Mbit/s", delay="10 ms", duplex=True).flow("reno", path=["a", "b"])
    >>> emulator = Emulator(net)
    >>> emulator.inject(0, False, 0, bytes(1000))
    >>> [(one.time_ns, one.connection, one.back) for one in emulator.advance(20_000_000)]
    [(11000000, 0, False)]
    """

    def __init__(
        self, net: Network, *, rng: Any = None, sample_every: float | None = None, duration: float | None = None
    ) -> None:
        span = {} if duration is None else {"duration": duration}
        self.simulation = Simulation(injected(net), rng=rng, sample_every=sample_every, **span)
        state = self.simulation.state
        # Flows of traffic generators belong to no connection between the hosts.
        self.flows: list[Flow] = [flow for flow in net.flows if flow.traffic is None]
        self._rows = [f for f, kind in enumerate(state.tallies["traffic"]) if kind == records.INJECTED]
        self._places = {f: c for c, f in enumerate(self._rows)}
        self._hops = [_first_hops(state, f) for f in self._rows]
        self._sent = [[0, 0] for _ in self._rows]  # packets sent in each direction
        self._inside: list[tuple[dict[int, bytes], dict[int, bytes]]] = [({}, {}) for _ in self._rows]
        self._found: list[Delivery] = []
        # A host may send a packet after every delivery, so the kernel must not compute later events in advance.
        state.hops["in_advance"] = records.AT_ARRIVAL
        state.left = rows(records.ROOM_LEFT, records.LEFT)
        self.simulation.prepare()
        compile_injection()
        self._loop = kernel()[0]
        self._scalars = {name: state.table[name] for name in ("now", "left_rows", "shortage", "arrivals", "clocks")}
        self._address = 0
        self._refresh()
        self._run(0)

    @property
    def now(self) -> int:
        """Virtual time [ns]."""
        return int(self._scalars["now"][0])

    @property
    def due(self) -> int:
        """Time of the next event [ns]; `records.NEVER` if there is none."""
        if self._found:
            return self.now
        time: int = records.NEVER
        if self._scalars["arrivals"][0]:
            time = int(self._arrivals[0])
        if self._scalars["clocks"][0]:
            time = min(time, int(self._clocks[0]))
        return time

    def inject(self, connection: int, back: bool, time: int, packet: bytes, number: int | None = None) -> None:
        """Send a packet into its first link at ``time`` [ns], or immediately if ``time`` is in the past.

        All other events of the same time precede it. `number` is the sequence number that disciplines see [packets]; by
        default it is the number of the transmission.
        """
        self._settle(time)
        transmission = self._sent[connection][back]
        self._sent[connection][back] = transmission + 1
        self._inside[connection][back][transmission] = packet
        inject(
            self._address,
            self._rows[connection],
            self._hops[connection][back],
            records.ACK if back else records.DATA,
            len(packet),
            transmission if number is None else number,
            transmission,
            MARKS[headers.codepoint(packet)],
        )
        self._settle(self.now)

    def step(self, time: int) -> list[Delivery]:
        """Advance to the next delivery, or to ``time`` [ns] if that is earlier; return the deliveries."""
        while not self._found and self._run(time):
            self._take()
        found, self._found = self._found, []
        return found

    def advance(self, time: int) -> list[Delivery]:
        """Advance to ``time`` [ns]; return all deliveries until then, in order of time."""
        found: list[Delivery] = []
        while more := self.step(time):
            found += more
        return found

    def _settle(self, time: int) -> None:
        """Advance to `time` [ns], and keep the deliveries for the next call of `step`."""
        while time >= self.now and self._run(time):
            self._take()

    def _run(self, time: int) -> bool:
        """Run the event loop; return True if a packet leaves the network, False if ``time`` [ns] is reached."""
        scalars = self._scalars
        while True:
            status = self._call(time)
            if status == records.AT_HOST:
                scalars["shortage"][0] = records.DONE
            elif status not in (records.DONE, records.PAUSED):
                self.simulation._make_room(status)
                self._refresh()
            if scalars["left_rows"][0]:
                return True
            if status == records.DONE:
                return False

    def _call(self, time: int) -> int:
        """Call the event loop once, and return its status; if a plug-in raises an error, name the plug-in in it."""
        try:
            return int(self._loop(self._address, time, BUDGET))
        except KeyboardInterrupt:
            raise
        except Exception as error:
            if self.simulation.state.row.link == records.NONE:
                raise
            raise self.simulation._failure(error) from None

    def _refresh(self) -> None:
        """Read the addresses of the arrays again after arrays have grown."""
        state = self.simulation.state
        self._address = state.address()
        self._arrivals, self._clocks = state.arrivals["time"], state.clocks["time"]

    def _take(self) -> None:
        """Remove the packets that have left the network; record a delivery for each that was not dropped."""
        count = int(self._scalars["left_rows"][0])
        self._scalars["left_rows"][0] = 0
        for time, transmission, f, flags, kind, dropped in self.simulation.state.left[:count].tolist():
            connection, back = self._places[f], kind == records.ACK
            packet = self._inside[connection][back].pop(transmission)
            if dropped:
                continue
            if flags & records.CE:
                packet = headers.mark(packet)
            self._found.append(Delivery(time, connection, back, packet))


def injected(net: Network) -> Network:
    """Return a copy of a network in which each flow that has a scheme is replaced by a flow of injected packets."""
    made = Network(net.name)
    made.links = dict(net.links)
    source = Traffic("injected", records.INJECTED, acknowledged=True)
    for flow in net.flows:
        if flow.traffic is None:
            flow = replace(flow, scheme=None, traffic=source, file=None, application=None, parameters={})
        made.flows.append(flow)
    if all(flow.traffic is not source for flow in made.flows):
        raise ValueError(f"net = {net!r} has no flow with a scheme: must have one or more")
    return made


def idle(net: Network) -> Network:
    """Return a copy of a network for handshakes, without losses, jitter, rate changes, marks and other traffic."""
    made = Network(net.name)
    made.links = {
        pair: replace(
            link, discipline=queues.FIFO, buffer=(float("inf"), float("inf")), loss=0.0, jitter=0.0, rate_changes=(),
        )
        for pair, link in net.links.items()
    }  # fmt: skip
    made.flows = [replace(flow, send_jitter=0.0) for flow in net.flows if flow.traffic is None]
    return made


def _first_hops(state: Any, f: int) -> tuple[int, int]:
    """Return the indices of the first hop of the data and of the first hop of the acknowledgments of a flow."""
    there = int(state.senders["first_hop"][f])
    end = there
    while state.hops["far_end"][end] != records.TO_HOST:
        end += 1
    return there, end + 1
