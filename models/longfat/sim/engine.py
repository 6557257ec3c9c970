"""Running a network: chunks of the compiled loop, with progress, interruption, and the books checked at the end."""

from __future__ import annotations

import copy
import functools
import math
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from longfat.domains import generator, number, out_of_range
from longfat.progress import announced
from longfat.sim import assemble, calls, installed, jit, memory, records
from longfat.sim import schemes as known
from longfat.sim.kernel import acknowledgments, census, loop
from longfat.sim.network import Network
from longfat.sim.run_state import RunState, rows

if TYPE_CHECKING:
    import xarray as xr

PATIENCE = 0.2  # s between two looks at the keyboard
LONGEST = 4e9  # s, 127 years: whole nanoseconds with room for what lies ahead
#: Greatest retransmission timeouts in a row without any delivery, after which a run that waits for its files gives up.
#: Ours: 20 min with the usual 60 s; hosts give a connection up after 100 s at least (RFC 1122, 4.2.3.5).
HOPELESS = 20
STANDSTILL = 1000  # events at one time for each packet, flow and link that there is


class SchemeError(ValueError):
    """A scheme or discipline of somebody's failed, or answered nonsense."""


class Simulation:
    """One run of a network, which can be carried on.

    Parameters
    ----------
    net : Network
        What is run; later changes of it do not count.
    rng : None, int, SeedSequence or Generator
        Of the random numbers: traffic and network have streams of their own, so that schemes can be compared under the
        same traffic.
    sample_every : float, optional
        Distance of the samples of the traces [s]; needs `duration`.
    duration : float
        Longest time to be run [s]; only for the traces.

    Raises
    ------
    ValueError
        For networks without flows, or too many schemes.
    SchemeError
        By `advance`, when a scheme fails: with its name and the simulated time.
    KeyboardInterrupt
        By `advance`, on Ctrl-C: with the simulated time. The run can be carried on from there.

    Examples
    --------
    >>> net = Network()
    >>> _ = net.link("a", "b", rate="8 Mbit/s", delay="10 ms", duplex=True)
    >>> _ = net.flow("reno", path=["a", "b"], file="10 kB")
    >>> run = Simulation(net, rng=1)
    >>> run.advance(5.0)
    >>> int(run.state.flows[0].expect)
    10
    """

    def __init__(
        self, net: Network, *, rng: Any = None, sample_every: float | None = None, duration: float = math.inf
    ) -> None:
        self.assembly = assemble.assemble(net, sample_every=sample_every, duration=duration)
        self._begin(rng)

    def _begin(self, rng: Any) -> None:
        self.random = generator(rng)
        self.rng, self.traffic = self.random.spawn(2)
        row = self.state.row
        row.random_state, row.random_next = memory.stream(self.rng)
        row.traffic_state, row.traffic_next = memory.stream(self.traffic)
        self._first = self._streams()
        self.wall_time = 0.0
        self.stop = threading.Event()
        self._compiled: list[tuple[jit.Callback, ...]] = []

    def again(self, rng: Any) -> Simulation:
        """The same network with other random numbers, before either of them has begun; faster than a new one."""
        if self.state.row.events:
            raise ValueError(f"again: the run has begun, it is at {self.now:g} s")
        other = copy.copy(self)
        other.assembly = replace(self.assembly, state=self.state.copy())
        other._begin(rng)
        return other

    @property
    def state(self) -> RunState:
        """The arrays of the run as they are now."""
        return self.assembly.state

    @property
    def now(self) -> float:
        """Simulated time [s]."""
        return float(self.state.row.now) / records.SECOND

    def advance(self, until: float, progress: Any = None, *, to_the_end: bool = False) -> None:
        """Run until a simulated time [s], or until every file is transferred; from where the last call ended."""
        until = number("until", until, "s", f"[0, {LONGEST:g}]")
        goal = round(until * records.SECOND)
        if goal < self.state.row.now:
            raise out_of_range("until", until, "s", f"[{self.now!r}, {LONGEST:g}], because time does not run back")
        try:
            self._advance(goal, progress, to_the_end)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped at {self.now:.6g} s of {until:g} s simulated") from None

    def _advance(self, goal: int, progress: Any, to_the_end: bool) -> None:
        budget, still = 1 << 14, 0
        self.prepare()
        self.state.row.unfinished = self._unfinished() if to_the_end else records.NONE
        delivered, since = self._delivered(), self.now
        while True:
            begun, before = time.perf_counter(), int(self.state.row.now)
            status = self._chunk(goal, budget)
            spent = time.perf_counter() - begun
            self.wall_time += spent
            still = still + budget if status == records.PAUSED and self.state.row.now == before else 0
            if spent > 0:
                budget = int(min(max(budget * PATIENCE / spent, 1 << 10), 1 << 24))
            if progress is not None:
                progress(self.now)
            if self._delivered() != delivered or self._starts_later():
                delivered, since = self._delivered(), self.now
            elif to_the_end and self.now - since > HOPELESS * float(self.state.timers["max_rto"].max()):
                raise SchemeError(f"nothing was delivered from {since:.6g} s to {self.now:.6g} s: {self.stands()}")
            if status == records.DONE:
                return
            if status != records.PAUSED:
                self._make_room(status)
            elif still > STANDSTILL * (
                1000 + len(self.state.packets) + len(self.state.senders) + len(self.state.links)
            ):
                raise SchemeError(
                    f"the clock stands still at {self.now:.9g} s after {still} events; {self._busiest()}: "
                    "give its path some delay, or a scheme that limits its window or rate"
                )
            if self.stop.is_set():
                raise KeyboardInterrupt

    def _delivered(self) -> int:
        """Return how many acknowledgments, and packets that cause none, have arrived."""
        receivers = self.state.receivers
        silent = receivers["received"][receivers["answers"] == 0].sum()
        return int(self.state.senders["acks_received"].sum() + silent)

    def _starts_later(self) -> bool:
        return bool((self.state.tallies["start"] > self.state.row.now).any())

    def stands(self) -> str:
        """Say how far the first unfinished file is, and which link drops most."""
        state, named = self.state, len(self.assembly.flow_names)
        files = state.senders["packets"][:named] < records.FOREVER
        f = int(np.argmax(files & (state.tallies["finish"][:named] == records.NEVER)))
        links = state.links[: len(self.assembly.link_names)]
        flow, link = state.senders[f], links[int(np.argmax(links["dropped"]))]
        return (
            f"of flow {self._name(f)!r} {int(flow.una)} of {flow.packets:g} packets are acknowledged, its window is "
            f"{flow.window:g} packets and its rate {flow.rate:g} bytes/s; link "
            f"{self.assembly.link_names[link.number]!r} has dropped {int(link.dropped)} packets and served "
            f"{int(link.served)}"
        )

    def _make_room(self, status: int) -> None:
        """What the kernel has asked for when it returned before the end of its budget."""
        if status == records.BAD_VALUE:
            raise self._failure(None)
        if status == records.TOO_LATE:
            raise self._too_late()
        try:
            if status == records.NO_FLOWS:
                template = int(self.state.row.flow)
                self.state.add_connections(template, int((self.state.tallies["template"] == template).sum()))
            else:
                self.state.grow(self.state.short() or status)  # of several the first, whatever was noticed last
        except MemoryError as error:
            raise SchemeError(f"{error or 'no memory'} at {self.now:.9g} s; {self._busiest()}") from None

    def _too_late(self) -> SchemeError:
        """Say which link has more to send than there is time."""
        link = self.state.links[self.state.row.link]
        named = self.state.row.link < len(self.assembly.link_names)
        packet = self.state.packets[link.tail]
        where = f"link {self.assembly.link_names[link.number]!r}" if named else "the line of its own"
        rate = f"{link.rate / (8 * link.scale):g} bytes/s" if link.scale else "any rate"
        kind = "fifo" if link.discipline == records.NONE else self.assembly.disciplines[link.discipline].name
        return SchemeError(
            f"{where} of flow {self._name(packet.flow)!r} has {int(link.waiting)} packets waiting at {self.now:.9g} s, "
            f"and would send the last, of {int(packet.length)} bytes, after {records.HORIZON / records.SECOND:g} s, "
            f"the last time that 64 bits of nanoseconds can hold, at {rate} and with discipline {kind!r}: give it a "
            "buffer or a higher rate, or the flow less to send"
        )

    def _busiest(self) -> str:
        """The flow with the most on its way."""
        f = int(np.argmax(self.state.flows["sent"] - self.state.flows["received"] - self.state.flows["dropped"]))
        if self.state.row.sending != records.NONE:
            f = int(self.state.row.sending)
        flow = self.state.flows[f]
        scheme = f" (scheme {self.assembly.schemes[flow.scheme].name!r})" if self.assembly.schemes else ""
        return f"flow {self._name(f)!r}{scheme} has window {flow.window:g} packets and rate {flow.rate:g} bytes/s"

    def _name(self, f: int) -> str:
        """A flow's name, for a connection that of the flow that started it."""
        template = int(self.state.tallies[f].template)
        return self.assembly.flow_names[f if template == records.NONE else template]

    def prepare(self) -> None:
        """Compile what has to be; `advance` does it too."""
        if not self._compiled:
            schemes = [one.compiled() for one in self.assembly.schemes or [known.scheme("reno")]]
            disciplines = [one.compiled() for one in self.assembly.disciplines]
            services = [one.compiled() for one in self.assembly.services]
            self._compiled = schemes + disciplines + services  # kept: the kernel has but their addresses
            state = self.state
            state.callbacks, state.hooks, state.verbs = map(_addresses, (schemes, disciplines, services))
            kernel()

    def _chunk(self, goal: int, budget: int) -> int:
        """One call of the kernel: until a time [ns], or that many events and packets sent."""
        self.prepare()
        self.state.renumber()
        try:
            with np.errstate(divide="raise", over="ignore", invalid="ignore"):  # as in compiled code, with jit off
                return int(kernel()[0](self.state.address(), goal, budget))
        except KeyboardInterrupt:
            raise
        except Exception as error:
            if self.state.row.callback == records.NONE and self.state.row.link == records.NONE:
                raise
            raise self._failure(error) from None

    def _failure(self, error: Exception | None) -> SchemeError:
        """One sentence that names scheme, callback, flow and simulated time."""
        row = self.state.row
        when = f"at {self.now:.9g} s"
        if row.callback == records.NONE:
            link = self.assembly.link_names[row.link]
            bad = self.state.links[row.link]
            if bad.discipline != records.NONE:
                whose = f"discipline {self.assembly.disciplines[bad.discipline].name!r}"
            else:
                whose = f"service {self.assembly.services[bad.service].name!r}"
            return SchemeError(f"{whose} failed on link {link!r} {when}: {_said(error)}")
        f = int(row.flow)
        flow = self.state.flows[f]
        scheme = self.assembly.schemes[flow.scheme]
        whom = f"scheme {scheme.name!r}, {calls.CALLBACKS[row.callback]}, flow {self._name(f)!r} {when}"
        if error is not None:
            return SchemeError(f"{whom}: {_said(error)}")
        if self.state.recoveries[f].impatience >= acknowledgments.IMPATIENCE:
            return SchemeError(
                f"{whom}: {acknowledgments.IMPATIENCE} times in a row flow.alarm was set to no later than now"
            )
        if flow.window > acknowledgments.MOST_AT_ONCE and flow.rate >= 1e300:
            return SchemeError(
                f"{whom}: nothing limits it: the window is {flow.window:g} packets, no rate paces it, and "
                + ("it has no file" if flow.packets >= records.FOREVER else f"its file is {flow.packets:g} packets")
                + f"; at most {acknowledgments.MOST_AT_ONCE} packets may be sent at once: "
                "give a file, access_rate, a window or a rate"
            )
        unit = "window [packets]" if flow.window_decides else "rate [bytes/s]"
        return SchemeError(f"{whom}: {float(row.value):g} is no {unit}: must be in [0, inf]")

    @property
    def drew(self) -> bool:
        """Whether any random number has been drawn so far; if not, every replication is the same."""
        return self._streams() != self._first

    def _streams(self) -> list[str]:
        """Where both streams of random numbers stand."""
        return [repr(stream.bit_generator.state) for stream in (self.rng, self.traffic)]

    def transfers(self) -> xr.Dataset:
        """Every transfer that is complete: ``start`` and ``finish`` [s], packets ``sent`` and ``dropped``, ``flow``.

        Of flows of `longfat.sim.traffic.arrivals` every connection is one.
        """
        from longfat.sim import results

        return results.transfers(self)

    def all_done(self) -> bool:
        """Whether every file has been transferred."""
        return self._unfinished() == 0

    def _unfinished(self) -> int:
        named = len(self.assembly.flow_names)
        tallies, senders = self.state.tallies[:named], self.state.senders[:named]
        transfers = (tallies["traffic"] == records.TRANSFER) & (senders["packets"] < records.FOREVER)
        return int(((tallies["finish"] == records.NEVER) & transfers).sum())

    def count(self) -> int:
        """Count what links have done until now and the packets in the network; return the number of these."""
        state = self.state
        sizes = len(self.assembly.link_names), len(state.links), len(state.queues), len(state.lines)
        return int(kernel()[1](state.address(), *sizes))

    def packet_counts(self) -> dict[str, int]:
        """Every packet accounted for: sent = received + dropped + in flight, for data, acknowledgments and notes.

        Raises
        ------
        RuntimeError
            If not: then the simulator is wrong, or a discipline lost packets.
        """
        state, row = self.state, self.state.row
        found = self.count()
        if found + int(row.free_packets) != len(state.packets):
            raise RuntimeError(f"{found} packets on links and {row.free_packets} free of {len(state.packets)}")
        receivers, tallies = state.receivers, state.tallies
        totals = {
            "sent": int(state.senders["transmission"].sum() + tallies["sent"].sum()),
            "received": int(receivers["received"].sum()),
            "dropped": int(tallies["dropped"].sum()),
        }
        acks = [
            int(receivers["received"][receivers["answers"] == 1].sum()),
            int(state.senders["acks_received"].sum()),
            int(tallies["acks_dropped"].sum()),
        ]
        notes = [int(row[name]) for name in ("fed", "fed_received", "fed_dropped")]
        in_flight = row.in_use
        rows = ((totals["sent"], totals["received"], totals["dropped"]), acks, notes)
        for name, (sent, received, dropped), under_way in zip(
            ("data packets", "acknowledgments", "notes"), rows, in_flight, strict=True
        ):
            if sent != received + dropped + under_way:
                raise RuntimeError(
                    f"the books do not balance: {name} sent {sent}, received {received}, dropped {dropped}, "
                    f"in flight {under_way}"
                )
        of_acks = {f"acks_{name}": count for name, count in zip(totals, acks, strict=True)}
        return {**totals, "in_flight": int(in_flight[0]), **of_acks, "acks_in_flight": int(in_flight[1])}


def _said(error: Exception | None) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, TypeError) and "NoneType" in text:  # only with jit off: compilation refuses it
        return jit.NOTHING
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


_PREPARED = threading.Lock()


@functools.cache
def _prepare() -> Any:
    """Compile the loop for the one signature it has, or load it from disk."""
    if jit.COMPILED:
        with announced("longfat: compiling the packet simulator, this once: half a minute or so"):
            loop.run.compile((numba.int64,) * 3)
            census.count.compile((numba.int64,) * 5)
        installed.tell_if_lost(loop.run)
        loop.run.disable_compile()
    return loop.run, census.count


def kernel() -> Any:
    """The loop, and what counts, compiled once, whatever the number of threads that ask for it."""
    with _PREPARED:
        return _prepare()


def _addresses(compiled: list[tuple[jit.Callback, ...]]) -> np.ndarray:
    """A row for each scheme or discipline."""
    found = [one.address for row in compiled for one in row]
    table = rows(len(found), records.WORD)
    table["x"] = found
    return table
