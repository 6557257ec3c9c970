"""Process of one run, which creates the hosts, emulates the network and measures; records of its input and outcome.

Only a process with a single thread can enter a user namespace. The process therefore creates the hosts first, and then
imports the simulator, whose libraries start threads.
"""

from __future__ import annotations

import functools
import pickle
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.testbed import settings
from longfat.testbed.hosts import Senders, sockets, table
from longfat.testbed.network_namespaces import CannotRun, Host, create_hosts, die_with_parent
from longfat.testbed.plan import FIRST_PORT, Connection

if TYPE_CHECKING:
    import numpy as np

    from longfat.testbed.pump import Pump

SECOND = 1_000_000_000  # ns
SERVE_NS = 20_000_000  # interval between two calls of `Senders.serve`
ACCEPT_NS, LONGEST_HANDSHAKE_NS = 5_000_000, 60 * SECOND
#: An accepted run has at most this fraction of late packets, of time in which applications lagged, and of time in which
#: the network stood still (our choice).
MOST = 0.01
#: Largest fraction of the time in which the network may stand still if the clock paces a sender (BBR). Our choice:
#: packets that this sender sends during a pause wait until the pause ends. The mean queue of one BBR flow at 20 Mbit/s,
#: 40 ms and a buffer of two bandwidth-delay products is 5.75 packets in the simulator. On Linux it was 5.6 to 6.5
#: packets in 31 runs with a fraction of up to 0.2 % (5.7 to 6.2 in the twelve that tests/data/linux.csv has), and 5.8
#: to 9.4 in 13 runs with 0.2 to 0.4 %.
MOST_PACED = 0.002
#: In an accepted run no single pause of the network is longer than this [s] (our choice). Linux's timers continue
#: during a pause. The tail loss probe (after two round-trip times or more: RFC 8985, section 7.2) and the
#: retransmission timeout (after at least 0.2 s and a round-trip time) would expire without a loss; so would the
#: reordering window, a quarter of the smallest round-trip time (10 ms at 40 ms); and paced packets would gather before
#: the network. A pause delays only one packet, so the fraction of late packets does not show it.
LONGEST = 0.01


@dataclass(frozen=True)
class Trust:
    """Evidence on whether the results of a run may be used: late packets, pauses, drops, applications that lagged."""

    late: float  # fraction of packets that were written more than 2 ms after they were due
    packets: int  # number of packets that were written
    drops: int  # packets that the devices dropped
    #: Largest fraction of time in which an application made a connection wait: the send buffer or the receiver's window
    #: was full (TCP_INFO), or there was nothing to send.
    starved: float = 0.0
    lateness: dict[str, float] = field(default_factory=dict)  # quantiles [s]: "median", "99 %", "99.9 %", "largest"
    real_time: bool = False  # whether the emulator ran with real-time priority
    stood: float = 0.0  # fraction of time in which the network stood still, because packets were late
    paced: bool = False  # whether a sender was paced by the clock, not by acknowledgments

    @property
    def accepted(self) -> bool:
        """Whether the results of the run may be used."""
        return max(self.late, self.starved) <= MOST and not self.paused and self.drops == 0

    @property
    def paused(self) -> bool:
        """Whether the network stood still for too long, in one pause or in total."""
        return self.longest > LONGEST or self.stood > (MOST_PACED if self.paced else MOST)

    @property
    def longest(self) -> float:
        """Longest single pause of the network [s]."""
        return self.lateness.get("largest", 0.0)

    def __str__(self) -> str:
        words = f"{100 * self.late:.2g} % of {self.packets} packets were later than 2 ms"
        words += f", the network stood still for {100 * self.stood:.2g} % of the time"
        words += f", and for up to {self.longest:.3g} s in one pause"
        words += f", devices dropped {self.drops}" if self.drops else ""
        return words + (f", applications were late in {100 * self.starved:.2g} % of the time" if self.starved else "")


@dataclass(frozen=True)
class Outcome:
    """Results of one run, with the evidence on whether they may be used."""

    connections: list[Connection]  # in the order in which the emulator numbers them
    flows: list[str]  # names of the emulated network's flows: one for each connection, and other traffic
    links: list[str]
    measured: dict[str, np.ndarray]  # results of `longfat.sim.runs.results.measure`, from the warm-up to the end
    packet_counts: dict[str, int]  # counts of the emulated network, by `Simulation.packet_counts`
    trace: dict[str, Any] | None  # traces of the emulated network, by `results.traces`; None if the run has no samples
    before: list[Any]  # objects of `longfat.testbed.ledger.Account`, at the end of the warm-up
    after: list[Any]  # the same objects at the end of the run
    samples: np.ndarray  # TCP_INFO at the senders, by `hosts.table`, with the ends of warm-up and run
    settings: dict[str, str]  # settings of Linux, by name
    trust: Trust
    rejected: list[Trust] = field(default_factory=list)  # evidence of each earlier attempt that was rejected


@dataclass(frozen=True)
class Job:
    """Input of the process that makes a run."""

    connections: list[Connection]  # connections of Linux
    host_settings: dict[str, object]  # settings that the scenario determines
    given: dict[str, object]  # settings that the caller gave
    network: bytes  # scenario and generator of random numbers, pickled: the process loads them after it has hosts
    duration: float  # s
    warm_up: float = 0.0  # initial part that is not measured [s]
    sample_every: float | None = None  # interval between the samples of the traces [s]
    captures: tuple[Path, Path] | None = None  # files for the packets at the senders and at the receivers


def main(descriptor: int, parent: int) -> None:
    """Read a job from a pipe, run it, and write the outcome to the pipe.

    The messages to the parent are ("running",) at time 0, and at the end ("done", outcome), ("cannot", message) or
    ("failed", message, traceback).
    """
    from multiprocessing.connection import Connection as Pipe

    die_with_parent(parent)
    pipe: Any = Pipe(descriptor)
    job: Job = pipe.recv()
    try:
        made = create_hosts()
        die_with_parent(parent)  # called again, because a new user namespace clears the setting
        settings.apply(made, job.connections, job.host_settings, job.given)
        pipe.send(("done", _run(job, made, lambda: pipe.send(("running",)))))
    except CannotRun as error:
        pipe.send(("cannot", str(error)))
    except Exception as error:
        pipe.send(("failed", f"{type(error).__name__}: {error}", traceback.format_exc()))


def _run(job: Job, hosts: Sequence[Host], running: Callable[[], None]) -> Outcome:
    """Run the applications over the emulated network, and return the measurements."""
    options = settings.socket_options(job.given)
    senders = Senders(job.connections, *sockets(hosts, job.connections, options), options)
    # Import the simulator only now, after the hosts exist, because its libraries start threads.
    from longfat.sim.runs import results
    from longfat.testbed.emulator import Emulator, idle
    from longfat.testbed.ledger import Account
    from longfat.testbed.pump import Captures, Pump

    net, rng = pickle.loads(job.network)
    emulator = Emulator(net, rng=rng, sample_every=job.sample_every, duration=job.duration)
    simulation = emulator.simulation
    accounts = [Account() if one.file is None else Account(goal=one.file) for one in job.connections]
    captures = None if job.captures is None else Captures(*job.captures)
    carrier = functools.partial(
        Pump, hosts=(hosts[0].device, hosts[1].device), classify=number_of, accounts=accounts, captures=captures
    )
    if captures is not None:
        captures.shift_ns = -LONGEST_HANDSHAKE_NS
    # Handshakes cross a network without other traffic, so that the first round-trip time that a connection measures is
    # that of its empty path.
    accept = [(at, senders.accept) for at in range(ACCEPT_NS, LONGEST_HANDSHAKE_NS, ACCEPT_NS)]
    carrier(Emulator(idle(net))).run(LONGEST_HANDSHAKE_NS, [(0, senders.open), *accept], senders.opened)
    senders.check()
    if captures is not None:
        captures.shift_ns = 0
    measured: list[Any] = []

    def measure() -> None:
        present = [replace(one, blocks=list(one.blocks)) for one in accounts]
        measured.append((results.snapshot(simulation), present))

    calls = _calls(job, senders, measure)
    running()
    end = round(job.duration * SECOND)
    pump = carrier(emulator)
    pump.run(end, calls)
    if captures is not None:
        captures.close()
    (before, accounts_before), (after, accounts_after) = measured
    samples = table(b"".join(senders.samples))
    return Outcome(
        connections=job.connections,
        flows=list(simulation.state.flow_names),
        links=list(simulation.state.link_names),
        measured=results.measure(simulation, before, after),
        packet_counts=simulation.packet_counts(),
        trace=None if job.sample_every is None else results.traces(simulation, job.sample_every),
        before=accounts_before,
        after=accounts_after,
        samples=samples,
        settings=settings.recorded(hosts[0]),
        trust=_trust(pump, end, sum(host.drops() for host in hosts), samples, senders, job),
    )


def _calls(job: Job, senders: Senders, measure: Callable[[], None]) -> list[tuple[int, Callable[[], None]]]:
    """Return the calls of functions that the run needs, as (virtual time [ns], function) in order of time."""
    end, warm = (round(at * SECOND) for at in (job.duration, job.warm_up))
    step = end if job.sample_every is None else round(job.sample_every * SECOND)
    made: list[tuple[int, int, Callable[[], None]]] = [(warm, 1, measure), (end, 4, measure)]
    for at in sorted({*range(0, end, step), warm, end}):
        made.append((at, 3, functools.partial(senders.sample, at)))
    made += [(at, 5, senders.serve) for at in range(SERVE_NS, end, SERVE_NS)]
    for one in job.connections:
        start, stop = round(one.start * SECOND), min(one.stop, 2 * job.duration) * SECOND
        made.append((start, 0, functools.partial(senders.start, one.number)))
        made.append((round(stop), 2, functools.partial(senders.stop, round(stop), one.number)))
    return [(at, action) for at, _, action in sorted(made, key=lambda one: one[:2]) if at <= end]


def number_of(packet: bytes) -> int:
    """Return the number of the connection of a packet; a negative number if the packet belongs to no connection."""
    if len(packet) < 40 or packet[0] != 0x45 or packet[9] != 6:  # IPv4 without options, TCP
        return -1
    return int.from_bytes(packet[22:24], "big") - FIRST_PORT  # both ends have the same port


def _trust(pump: Pump, end: int, drops: int, samples: np.ndarray, senders: Senders, job: Job) -> Trust:
    """Return the evidence from which `Trust.accepted` decides whether the results may be used."""
    import numpy as np

    last = samples[[np.flatnonzero(samples["connection"] == k)[-1] for k in np.unique(samples["connection"])]]
    waited = np.maximum(last["rwnd_limited"], last["sndbuf_limited"])
    quantiles = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "largest": 1.0} if pump.lateness else {}
    return Trust(
        late=pump.late,
        packets=len(pump.lateness),
        drops=drops + pump.refused,
        starved=max(
            float((waited / np.maximum(last["busy_time"], 1)).max(initial=0.0)), senders.dry / max(senders.looks, 1)
        ),
        lateness={name: float(f"{np.quantile(pump.lateness, q) / SECOND:.3g}") for name, q in quantiles.items()},
        real_time=pump.real_time,
        stood=pump.stood / end,
        paced=any(one.control == "bbr" for one in job.connections),
    )
