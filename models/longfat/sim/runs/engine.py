"""Simulation of a network: calls of the compiled event loop, progress, interruption, and packet conservation."""

from __future__ import annotations

import copy
import functools
import math
import sys
import threading
import time
from concurrent.futures import Future, wait
from typing import Any

import numba
import numpy as np

from longfat.base import code_cache
from longfat.base.domains import generator, number, out_of_range
from longfat.base.progress import announced
from longfat.replication.repeating import stopping
from longfat.sim import schemes as known
from longfat.sim.kernel import acknowledgment, callbacks, jit, link, loop, memory, records
from longfat.sim.network.network import Network
from longfat.sim.runs import results
from longfat.sim.runs.assemble import Keyed, assemble
from longfat.sim.runs.run_state import rows

PATIENCE = 0.2  # s of wall time that a call of the kernel should take, because Ctrl-C takes effect between calls
ENDLESS = 2.0  # s, ten times PATIENCE: a plug-in that does not return within this time after Ctrl-C is abandoned
LONGEST = 4e9  # s, 127 years: less than half of the range of an integer of 64 bits, in ns
#: A run that lasts until all files are transferred is stopped with an error after this time without any delivery, in
#: multiples of the largest retransmission timeout. Our choice: 20 min with the usual timeout of 60 s, while hosts give
#: up a connection after at least 100 s (RFC 1122, section 4.2.3.5).
HOPELESS = 20
#: A run is stopped with an error at this number of packets in memory if the window alone limits a flow. Our choice:
#: these packets take 200 MB.
BOUNDLESS = 2**20
#: A run is stopped with an error after this number of events at one simulated time for each packet, flow and link.
STANDSTILL = 1000


class SchemeError(ValueError):
    """Error of a plug-in: it raised an exception or returned an invalid value."""


class Simulation:
    """One run of a network, which can be continued step by step.

    Parameters
    ----------
    net : Network
        Network to simulate; later changes of it have no effect.
    rng : None, int, SeedSequence or Generator
        Seed of the random numbers. Traffic and network have separate streams, to compare schemes under the same
        traffic.
    sample_every : float, optional
        Interval between the samples of the traces [s]; needs `duration`.
    duration : float
        Longest simulated time [s]; needed only with `sample_every`.

    Raises
    ------
    ValueError
        For a network without flows, or with too many links, flows or queues.
    SchemeError
        Raised by `advance` if a plug-in fails; the message has the plug-in's name and the simulated time.
    KeyboardInterrupt
        Raised by `advance` on Ctrl-C; the message has the simulated time, from which the run can be continued.

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
        self.state = assemble(net, sample_every=sample_every, duration=duration)
        self._begin(rng)

    def _begin(self, rng: Any) -> None:
        self.rng, self.traffic = generator(rng).spawn(2)
        row = self.state.row
        row["random_state"], row["random_next"] = memory.stream(self.rng)
        row["traffic_state"], row["traffic_next"] = memory.stream(self.traffic)
        self._first = self._streams()
        self.wall_time = 0.0
        self._compiled: list[tuple[jit.Callback, ...]] = []
        self._trusted = True
        self._watched: Future[int] | None = None
        self.capture: Any = None  # capture of `longfat.sim.runs.captures`, if the run is traced

    def again(self, rng: Any) -> Simulation:
        """Return a copy of the run in its present state, to be continued with other random numbers.

        Copying is faster than a new simulation, and a run that has warmed up can be continued in several ways. A traced
        run cannot be copied.
        """
        if self.capture is not None:
            raise ValueError("again: the run is traced, so a copy would write into the same files: must be untraced")
        other = copy.copy(self)
        other.state = self.state.copy()
        other._begin(rng)
        return other

    @property
    def now(self) -> float:
        """Simulated time [s]."""
        return float(self.state.row["now"]) / records.SECOND

    def advance(self, until: float, progress: Any = None, *, to_the_end: bool = False) -> None:
        """Continue to the time `until` [s] or, with `to_the_end`, to the end of all transfers if that is earlier.

        `progress` is called with the simulated time [s] whenever the kernel returns.
        """
        until = number("until", until, "s", f"[0, {LONGEST:g}]")
        goal = round(until * records.SECOND)
        if goal < self.state.row["now"]:
            raise out_of_range("until", until, "s", f"[{self.now!r}, {LONGEST:g}], because time does not run back")
        try:
            self._advance(goal, progress, to_the_end)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped at {self.now:.6g} s of {until:g} s simulated") from None

    def _advance(self, goal: int, progress: Any, to_the_end: bool) -> None:
        """Call the kernel in chunks until the time `goal` [ns] or until all files have been transferred."""
        budget, still = 1 << 14, 0
        self.prepare()
        self.state.row["unfinished"] = self._unfinished() if to_the_end else records.NONE
        delivered, since = self._delivered() if to_the_end else 0, self.now
        while True:
            begun, before = time.perf_counter(), int(self.state.row["now"])
            status = self._chunk(goal, budget)
            if self.capture is not None:
                self.capture.drain()
            spent = time.perf_counter() - begun
            self.wall_time += spent
            still = still + budget if status == records.PAUSED and self.state.row["now"] == before else 0
            if spent > 0:
                budget = int(min(max(budget * PATIENCE / spent, 1 << 10), 1 << 24))
            if progress is not None:
                progress(self.now)
            if to_the_end:
                before_chunk, delivered = delivered, self._delivered()
                if delivered != before_chunk or (self.state.tallies["start"] > self.state.row.now).any():
                    since = self.now
                elif self.now - since > HOPELESS * float(self.state.timers["max_rto"].max()):
                    raise SchemeError(
                        f"nothing was delivered from {since:.6g} s to {self.now:.6g} s: {self.progress_summary()}"
                    )
            if status == records.DONE:
                return
            if status != records.PAUSED:
                self._make_room(status)
            elif still > STANDSTILL * (
                1000 + len(self.state.packets) + len(self.state.senders) + len(self.state.links)
            ):
                raise SchemeError(
                    f"the clock stands still at {self.now:.9g} s after {still} events; {self._busiest()}: "
                    "give the flow's path some delay, or the flow a scheme that limits its window or rate"
                )
            if stopping()[0]:
                raise KeyboardInterrupt

    def _delivered(self) -> int:
        """Return the number of acknowledgments that arrived, plus that of packets of flows without acknowledgments."""
        receivers = self.state.receivers
        silent = receivers["received"][receivers["acknowledges"] == 0].sum()
        return int(self.state.senders["acks_received"].sum() + silent)

    def progress_summary(self) -> str:
        """Return a sentence on the first unfinished file and the link with the most drops."""
        state, named = self.state, len(self.state.flow_names)
        files = self._files()
        f = int(np.argmax(files & (state.tallies["finish"][:named] == records.NEVER)))
        links = state.links[: len(self.state.link_names)]
        flow, link = state.senders[f], links[int(np.argmax(links["dropped"]))]
        return (
            f"of flow {self._name(f)!r} {int(flow.una)} of {flow.packets:g} packets are acknowledged, its window is "
            f"{flow.window:g} packets and its rate {flow.rate:g} bytes/s; link "
            f"{self.state.link_names[link.number]!r} has dropped {int(link.dropped)} packets and served "
            f"{int(link.served)}"
        )

    def _make_room(self, status: int) -> None:
        """Enlarge the array that is too small for the kernel, or raise the error that ended the kernel's call."""
        if status == records.BAD_VALUE:
            raise self._failure(None)
        if status == records.TOO_LATE:
            raise self._too_late()
        if len(self.state.packets) >= BOUNDLESS and self._is_boundless(f := self._with_most_in_flight()):
            raise SchemeError(
                f"{self._flow(f)} at {self.now:.9g} s: nothing limits it: no rate paces it, no link of its path has a "
                "rate, and it has no file: give a link a rate, or the flow a file, access_rate, a window or a rate"
            )
        try:
            if status == records.NO_FLOWS:
                template = int(self.state.row.flow)
                self.state.add_connections(template, int((self.state.tallies["template"] == template).sum()))
            else:
                self.state.grow(self.state.shortage() or status)  # the first array that is too small
        except MemoryError as error:
            raise SchemeError(f"{error or 'no memory'} at {self.now:.9g} s; {self._busiest()}") from None

    def _too_late(self) -> SchemeError:
        """Return the error for a link whose backlog needs more time than the clock can represent."""
        link = self.state.links[self.state.row.link]
        named = self.state.row.link < len(self.state.link_names)
        packet = self.state.packets[link.tail]
        where = f"link {self.state.link_names[link.number]!r}" if named else "the access link"
        rate = f"{link.rate / (8 * link.scale):g} bytes/s" if link.scale else "any rate"
        kind = "fifo" if link.discipline == records.NONE else self.state.disciplines[link.discipline].name
        return SchemeError(
            f"{where} of flow {self._name(packet.flow)!r} has {int(link.backlog)} packets waiting at {self.now:.9g} s, "
            f"and would send the last, of {int(packet.length)} bytes, after {records.HORIZON / records.SECOND:g} s, "
            f"more than 64 bits of nanoseconds can hold; it sends at {rate} with discipline {kind!r}: give it a buffer "
            "or a higher rate, or the flow less to send"
        )

    def _with_most_in_flight(self) -> int:
        """Return the number of the flow that is sending or, if none is, of the flow with the most packets in flight."""
        if self.state.row.sending_flow != records.NONE:
            return int(self.state.row.sending_flow)
        flows = self.state.flows
        return int(np.argmax(flows["sent"] - flows["received"] - flows["dropped"]))

    def _is_boundless(self, f: int) -> bool:
        """Return whether the window alone limits flow f: no file, no rate, and no link on its path that takes time."""
        flow, hops = self.state.senders[f], self.state.hops
        first = last = int(flow.first_hop)
        while hops["far_end"][last] == records.NEXT_HOP:
            last += 1
        links = self.state.links[hops["link"][first : last + 1]]
        fast = (links["scale"] == 0) & (links["jitter"] == 0) & (links["discipline"] == records.NONE)
        many = acknowledgment.MOST_PACKETS_AT_ONCE
        unpaced = flow.rate >= 1e300 and flow.access_link == 0
        return bool(unpaced and flow.packets - flow.next > many and (fast & (links["service"] == records.NONE)).all())

    def _busiest(self) -> str:
        """Return a sentence on the flow with the most packets in flight."""
        return self._flow(self._with_most_in_flight())

    def _flow(self, f: int) -> str:
        """Return a clause for messages that names flow f, its scheme, window and rate."""
        flow = self.state.senders[f]
        scheme = f" (scheme {self.state.schemes[flow.scheme].name!r})" if self.state.schemes else ""
        return f"flow {self._name(f)!r}{scheme} has window {flow.window:g} packets and rate {flow.rate:g} bytes/s"

    def _name(self, f: int) -> str:
        """Return a flow's name; a connection has the name of the flow that started it."""
        template = int(self.state.tallies[f].template)
        return self.state.flow_names[f if template == records.NONE else template]

    def prepare(self) -> None:
        """Compile the plug-ins and the kernel, unless they are compiled; `advance` calls this function."""
        if not self._compiled:
            with _PREPARED:
                schemes, disciplines, services = (
                    [_compiled(Keyed(one.code, one)) for one in plug_ins]
                    for plug_ins in (
                        self.state.schemes or [known.scheme("reno")],
                        self.state.disciplines,
                        self.state.services,
                    )
                )
            self._compiled = schemes + disciplines + services  # keeps the code in memory: the kernel has only addresses
            self._trusted = all(one.trusted for row in self._compiled for one in row)
            state = self.state
            state.callbacks, state.hooks, state.verbs = map(_addresses, (schemes, disciplines, services))
            kernel()

    def _chunk(self, goal: int, budget: int) -> int:
        """Call the kernel until `goal` [ns] or for `budget` events and packets; return why the kernel stopped."""
        self.prepare()
        self.state.renumber()
        return self._call(goal, budget) if self._trusted else self._watch(goal, budget)

    def _watch(self, goal: int, budget: int) -> int:
        """Call the kernel in a separate thread, and abandon the thread if a plug-in does not return after Ctrl-C.

        Compiled code cannot be interrupted. The thread ends with the process.
        """
        if self._watched is not None and not self._watched.done():
            raise SchemeError(f"{self._plug_in()} has not returned, so that the run cannot be continued")
        call: Future[int] = Future()
        self._watched = call

        def end() -> None:
            try:
                call.set_result(self._call(goal, budget))
            except BaseException as error:
                call.set_exception(error)

        threading.Thread(target=end, daemon=True).start()
        try:
            while not stopping()[0] and wait([call], PATIENCE).not_done:
                pass
        finally:
            if wait([call], ENDLESS).not_done:
                print(f"longfat: {self._plug_in()} has not returned since Ctrl-C", file=sys.stderr, flush=True)
                raise KeyboardInterrupt
        return call.result()

    def _call(self, goal: int, budget: int) -> int:
        """Call the kernel; if a plug-in fails, raise an error that names the plug-in."""
        try:
            with np.errstate(divide="raise", over="ignore", invalid="ignore"):  # for plain Python: as in compiled code
                return int(kernel()[0](self.state.address(), goal, budget))
        except KeyboardInterrupt:
            raise
        except Exception as error:
            if self.state.row.callback == records.NONE and self.state.row.link == records.NONE:
                raise
            raise self._failure(error) from None

    def _plug_in(self) -> str:
        """Describe the kernel's last call of a plug-in for messages: plug-in, function, flow or link, and time."""
        row = self.state.row
        when = f"at {self.now:.9g} s"
        if row.callback == records.NONE:
            link, name = self.state.links[row.link], self.state.link_names[row.link]
            if row.hook < callbacks.HOOK_COUNT:
                whose = f"discipline {self.state.disciplines[link.discipline].name!r}"
            else:
                whose = f"service {self.state.services[link.service].name!r}"
            return f"{whose}, {callbacks.OF_LINKS[row.hook]}, link {name!r} {when}"
        scheme = self.state.schemes[self.state.senders[row.flow].scheme]
        name = tuple(callbacks.CALLBACKS)[row.callback]
        return f"scheme {scheme.name!r}, {name}, flow {self._name(int(row.flow))!r} {when}"

    def _failure(self, error: Exception | None) -> SchemeError:
        """Return the error of a plug-in that raised `error` or, if this is None, returned an invalid value."""
        row, where = self.state.row, self._plug_in()
        if error is not None:
            return SchemeError(f"{where}: {_said(error)}")
        f = int(row.flow)
        flow = self.state.flows[f]
        most = acknowledgment.MOST_IMMEDIATE_CALLS
        if self.state.recoveries[f].immediate_calls >= most:
            late = f"flow.alarm was set to a time that is not after now {most} times in a row"
            return SchemeError(f"{where}: {late}: must be later")
        if flow.window > acknowledgment.MOST_PACKETS_AT_ONCE and flow.rate >= 1e300:
            return SchemeError(
                f"{where}: nothing limits it: the window is {flow.window:g} packets, no rate paces it, and "
                + ("it has no file" if flow.packets >= records.FOREVER else f"its file is {flow.packets:g} packets")
                + f"; must be at most {acknowledgment.MOST_PACKETS_AT_ONCE} packets in a burst: "
                "give a file, access_rate, a window or a rate"
            )
        unit = "window [packets]" if flow.window_decides else "rate [bytes/s]"
        return SchemeError(f"{where}: {float(row.bad_value):g} is no {unit}: must be in [0, inf]")

    @property
    def drew(self) -> bool:
        """Whether any random number has been drawn so far; if not, all replications are equal."""
        return self._streams() != self._first

    def _streams(self) -> list[str]:
        return [repr(stream.bit_generator.state) for stream in (self.rng, self.traffic)]

    transfers = results.transfers

    def all_done(self) -> bool:
        """Return whether every file has been transferred."""
        return self._unfinished() == 0

    def _unfinished(self) -> int:
        """Return the number of files that are not completely transferred."""
        named = len(self.state.flow_names)
        tallies = self.state.tallies[:named]
        transfers = (tallies["traffic"] == records.TRANSFER) & self._files()
        return int(((tallies["finish"] == records.NEVER) & transfers).sum())

    def _files(self) -> np.ndarray:
        """Return for each flow whether its amount of data is finite."""
        senders = self.state.senders[: len(self.state.flow_names)]
        if not len(self.state.sources):
            return np.asarray(senders["packets"] < records.FOREVER)
        written = senders["transfer"] == records.FROM_APPLICATION
        sizes = np.where(written, self.state.sources["total"][: len(senders)], senders["packets"])
        return np.asarray(sizes < records.FOREVER)

    def count(self) -> int:
        """Update the counters of links to the present time; return the number of packets in the network."""
        state = self.state
        sizes = len(self.state.link_names), len(state.links), len(state.queues), len(state.access_links)
        delaying = len(state.delayed_acks)
        return int(kernel()[1](state.address(), *sizes, delaying))

    def packet_counts(self) -> dict[str, int]:
        """Return packet counts, after checking conservation: sent = received + dropped + in flight.

        Data packets, acknowledgments and feedback are checked.

        Raises
        ------
        RuntimeError
            If packets are not conserved: then the simulator is wrong, or a discipline lost packets.
        """
        state, row = self.state, self.state.row
        found = self.count()
        free = int(row["free_packets"])
        if found + free != len(state.packets):
            raise RuntimeError(
                f"packets are not conserved: {found} in the network and {free} free of {len(state.packets)}"
            )
        receivers, tallies = state.receivers, state.tallies
        acks_sent = receivers["received"][receivers["acknowledges"] == 1].sum() - tallies["acks_merged"].sum()
        acks_sent += tallies["acks_injected"].sum()
        sums = {
            "data packets": (state.sent.sum(), receivers["received"].sum(), tallies["dropped"].sum()),
            "acknowledgments": (acks_sent, state.senders["acks_received"].sum(), tallies["acks_dropped"].sum()),
            "feedback packets": (row["feedback_sent"], row["feedback_received"], row["feedback_dropped"]),
        }
        counts = {}
        for (kind, (sent, received, dropped)), left in zip(sums.items(), row["in_use"], strict=True):
            if sent != received + dropped + left:
                raise RuntimeError(
                    f"packets are not conserved: {kind} sent {sent}, received {received}, dropped {dropped}, "
                    f"in flight {left}"
                )
            of_kind = {"sent": sent, "received": received, "dropped": dropped, "in_flight": left}
            counts[kind] = {name: int(count) for name, count in of_kind.items()}
        return counts["data packets"] | {f"acks_{name}": n for name, n in counts["acknowledgments"].items()}


def _said(error: Exception | None) -> str:
    """Return the type and text of a plug-in's exception in one line; a ValueError may have several arguments."""
    words = error.args if isinstance(error, ValueError) else (error,)
    text = " ".join(" ".join(f"{one:g}" if isinstance(one, float) else str(one) for one in words).split())
    if isinstance(error, TypeError) and "NoneType" in text:  # the callback returned None; JIT refuses this earlier
        return jit.NOTHING
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@functools.lru_cache(maxsize=256)  # more plug-ins than most programs use at a time; drops the least recently used
def _compiled(plug_in: Keyed) -> tuple[jit.Callback, ...]:
    """Return the functions of a plug-in, compiled for the kernel."""
    return plug_in.thing.compiled()  # type: ignore[no-any-return]


#: Held while code is loaded or compiled: the threads of replications need the same functions at the same time.
_PREPARED = threading.Lock()


@functools.cache
def _prepare() -> Any:
    """Compile the kernel's two entry points for the one signature that each has, or load them from disk."""
    if jit.COMPILED:
        with announced("longfat: compiling the packet simulator, this once: half a minute or so"):
            loop.run.compile((numba.int64,) * 3)
            link.count.compile((numba.int64,) * 6)
        code_cache.tell_if_lost(loop.run)
        loop.run.disable_compile()
    return loop.run, link.count


def kernel() -> Any:
    """Return the kernel's entry points `loop.run` and `link.count`, compiled once for all threads."""
    with _PREPARED:
        return _prepare()


def _addresses(compiled: list[tuple[jit.Callback, ...]]) -> np.ndarray:
    """Return the addresses of the functions of plug-ins, one row for each plug-in."""
    found = [one.address for row in compiled for one in row]
    table = rows(len(found), records.WORD)
    table["x"] = found
    return table
