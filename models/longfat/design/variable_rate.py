"""Queues at a link whose rate varies, such as Wi-Fi, LTE or a satellite: simulated rates and waiting times."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains
from longfat.design.replicating import Effort, sampling_interval
from longfat.design.senders import sender
from longfat.replication import replicate
from longfat.sim import Network, run
from longfat.sim.network.options import MOST_CHANGES

if TYPE_CHECKING:
    from longfat.sim.schemes import Scheme

MTU = 1500.0  # bytes of a delivery opportunity (Mahimahi, man page of mm-link)
#: Time [s] over which the smallest and the greatest rate are averaged. Our choice: a queue bridges shorter gaps.
SPAN = 0.1
STEP = 0.01  # s: least time over which opportunities are averaged to a rate; our choice: each rate takes memory
SKIPPED, LASTS = 10.0, 60.0  # s: slow start, and least observation; a shorter trace is repeated, as in mm-link
SHAPED = 0.95  # ratio of the shaper's rate to the least rate; our choice, to let the queue of the link drain
ROOM = 10240  # packets: limit of fq_codel in Linux (net/sched/sch_fq_codel.c, fq_codel_init())


@dataclass(frozen=True)
class Trace:
    """Rate of a link over time, with period ``period`` [s]: ``rates`` [bytes/s] begin at ``times`` [s], first at 0."""

    times: tuple[float, ...]
    rates: tuple[float, ...]
    period: float

    def repeated(self, until: float) -> tuple[np.ndarray, np.ndarray]:
        """Repeat the trace up to a time [s]; return the times [s] at which rates begin, and the rates [bytes/s]."""
        count = max(1, math.ceil(until / self.period))
        domains.integer("number of changes of the rate", count * len(self.times), "1", f"[1, {MOST_CHANGES}]")
        times = (np.arange(count)[:, None] * self.period + np.asarray(self.times)).ravel()
        kept = times <= until
        return times[kept], np.tile(self.rates, count)[kept]

    def means(self) -> tuple[float, float, float]:
        """Return the smallest, the mean and the greatest rate [bytes/s]; the two extremes are means over `SPAN`.

        >>> Trace((0.0, 1.0), (2e6, 1e6), 2.0).means()
        (1000000.0, 1500000.0, 2000000.0)
        """
        edges = np.arange(max(1, round(self.period / SPAN)) + 1) * SPAN
        carried = np.diff(carried_until(*self.repeated(edges[-1]), edges)) / SPAN
        average = float(np.dot(self.rates, np.diff([*self.times, self.period]))) / self.period
        return float(carried.min()), average, float(carried.max())


def carried_until(times: np.ndarray, rates: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Return the bytes that the link can carry from time 0 to each time in ``at`` [s]; the last rate lasts forever."""
    return np.asarray(np.interp(at, *_carried(times, rates, float(max(np.max(at), times[-1])) + 1.0)))


def _carried(times: np.ndarray, rates: np.ndarray, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the times of rate changes and ``last`` [s], and the bytes that the link can carry until each time."""
    edges = np.append(times, last)
    return edges, np.append(0.0, np.cumsum(rates * np.diff(edges)))


def waiting_times(times: np.ndarray, rates: np.ndarray, at: np.ndarray, backlog: np.ndarray) -> np.ndarray:
    """Return the waiting times [s] of packets that arrive at times ``at`` [s], when a FIFO holds ``backlog`` [bytes].

    >>> waiting_times(np.array([0.0, 1.0]), np.array([2e6, 1e6]), np.array([0.5]), np.array([1.5e6]))
    array([1.])
    """
    last = float(np.max(at)) + float(np.max(backlog)) / float(np.min(rates)) + times[-1] + 1.0
    edges, carried = _carried(times, rates, last)
    # Round waiting times to a nanosecond, the time step of the simulator.
    return np.asarray(np.round(np.interp(np.interp(at, edges, carried) + backlog, carried, edges) - at, 9))


def read(text: str, name: str = "rate_trace") -> Trace:
    r"""Read a trace: each line has a time [s] and a rate [Mbit/s], or a delivery opportunity [ms] as in Mahimahi.

    A rate lasts until the time of the next line, and the last rate as long as the one before it. Text after # is a
    comment.

    >>> read("0 8 \n 0.5 4")  # 8 Mbit/s are 1e6 bytes/s
    Trace(times=(0.0, 0.5), rates=(1000000.0, 500000.0), period=1.0)
    >>> read("1")  # a packet of 1500 bytes in each millisecond
    Trace(times=(0.0,), rates=(1500000.0,), period=0.001)
    """
    rows = [line.partition("#")[0].split() for line in text.replace(",", " ").splitlines()]
    lines = [(number, words) for number, words in enumerate(rows, 1) if words]
    if not lines:
        raise domains.out_of_range(name, "an empty file", "1", "a file with at least one line")
    width, values = len(lines[0][1]), []
    for number, words in lines:
        try:
            row = [float(word) for word in words]
        except ValueError:
            row = []
        if len(row) != width or width > 2 or not all(0 <= value < math.inf for value in row):
            expected = "a time [s] and a rate [Mbit/s] in each line, or a delivery opportunity [ms] as Mahimahi has it"
            raise domains.wrong_type(f"line {number} of {name}", " ".join(words)[:40], expected)
        values.append(row)
    return _of_rates(values, name) if width == 2 else _of_opportunities(np.ravel(values), name)


def _of_rates(values: list[list[float]], name: str) -> Trace:
    """Make a trace from pairs of time [s] and rate [Mbit/s]; refuse times that do not rise, and rates of 0 or less."""
    times = [time - values[0][0] for time, _ in values]
    for before, after in itertools.pairwise(times):
        if after <= before:
            raise domains.out_of_range(f"time in {name}", after, "s", f"({before:g}, inf)")
    for time, rate in values:
        if rate <= 0:
            asked = "(0, inf), because the simulated link never stops: write an outage as delivery opportunities [ms]"
            raise domains.out_of_range(f"rate at {time:g} s in {name}", rate, "Mbit/s", asked)
    last = times[-1] - times[-2] if len(times) > 1 else 1.0
    return Trace(tuple(times), tuple(rate * 1e6 / 8 for _, rate in values), times[-1] + last)


def _of_opportunities(stamps: np.ndarray, name: str) -> Trace:
    """Make a trace from delivery opportunities [ms], spread evenly in their millisecond; rates average `STEP` or more.

    Gaps are kept: a packet whose transmission begins before a gap ends after the gap. A packet that arrives at an idle
    link within a gap is late by up to the length of the gap.
    """
    found, counts = np.unique(stamps, return_counts=True)
    period = float(found[-1])
    if period < 1 or np.any(found != np.floor(found)):
        raise domains.out_of_range(f"time in {name}", period, "ms", "integers, of which the last is 1 or more")
    if found[0] == 0:  # time 0 is the end of the previous period
        counts[-1] += counts[0]
        found, counts = found[1:], counts[1:]
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)  # index within its millisecond
    ends = (np.repeat(found - 1, counts) + (place + 1) / np.repeat(counts, counts)) / 1e3
    times, rates = [0.0], list[float]()
    count, last = 0, 0.0

    def close() -> None:
        rates.append(count * MTU / (last - times[-1]))
        times.append(last)

    for end in ends.tolist():
        if count and end - last > STEP:
            close()
            count = 0
        count, last = count + 1, end
        if last - times[-1] >= STEP:
            close()
            count = 0
    if count:
        close()
    return Trace(tuple(times[:-1]), tuple(rates), period / 1e3)


@dataclass(frozen=True)
class VariablePath:
    """Path of one or more flows over a link whose rate varies; SI units."""

    trace: Trace
    round_trip_time: float
    packet: int = 1500
    scheme: str | Scheme = "cubic"
    flows: int = 1

    def full(self, packets: int) -> tuple[float, float]:
        """Return the shortest and the longest waiting time [s] behind a full buffer, over arrivals within the trace."""
        times = np.arange(0.0, self.trace.period, min(SPAN, self.trace.period))
        size = np.full(len(times), float(packets * self.packet))
        most = self.trace.period + packets * self.packet / min(self.trace.rates)
        found = waiting_times(*self.trace.repeated(most), times, size)
        return float(found.min()), float(found.max())

    @property
    def shaped(self) -> float:
        """Rate of the shaper [bytes/s], `SHAPED` times the least rate."""
        return SHAPED * self.trace.means()[0]

    def buffers(self) -> dict[str, int]:
        """Return three buffers [packets] by name: bandwidth-delay products at the least, mean and greatest rate."""
        names = ("least", "mean", "greatest")
        sizes = (rate * self.round_trip_time / self.packet for rate in self.trace.means())
        return {f"FIFO, BDP at {name} rate": max(1, round(size)) for name, size in zip(names, sizes, strict=True)}

    def network(self, buffer: int, discipline: str, shaped: float, starts: np.ndarray) -> tuple[Network, float]:
        """Return the network and the length of its run [s]; ``shaped`` is the shaper's rate [bytes/s] or 0."""
        until = SKIPPED + max(1, math.ceil(LASTS / self.trace.period)) * self.trace.period
        times, rates = self.trace.repeated(until)
        changes = [(float(time), float(rate)) for time, rate in zip(times[1:], rates[1:], strict=True)]
        net, path = Network(), ["switch", "sinks"]
        net.link(
            "switch", "sinks", rate=float(rates[0]), delay=self.round_trip_time / 2, rate_changes=changes,
            buffer=ROOM if shaped else buffer, discipline="fifo" if shaped else discipline,
        )  # fmt: skip
        if shaped:
            net.link("shaper", "switch", rate=shaped, buffer=buffer, discipline=discipline)
            path.insert(0, "shaper")
        scheme, parameters = sender(self.scheme)
        for start in starts:
            net.flow(scheme, path=path, packet=self.packet, ack_path="ideal", start=float(start), parameters=parameters)
        return net, until

    def measured(self, buffer: int, discipline: str, shaped: float, stream: np.random.SeedSequence) -> dict[str, float]:
        """Simulate one run; return the rate of all flows [bytes/s], mean and 95th percentile of waiting times [s]."""
        starts = self.round_trip_time * np.random.default_rng(stream.spawn(1)[0]).random(self.flows)
        net, until = self.network(buffer, discipline, shaped, starts)
        every = sampling_interval(self.round_trip_time, until)
        data = run(net, duration=until, warm_up=SKIPPED, sample_every=every, rng=stream, progress=False)
        times = data.time.values
        backlogs = {str(link): self.packet * data.queue_trace.sel(link=link).values for link in data.link.values}
        waited = waiting_times(*self.trace.repeated(until), times, backlogs["switch-sinks"])
        if shaped:
            waited = waited + backlogs["shaper-switch"] / shaped
        waited = waited[times >= SKIPPED]
        found = {"rate": float(data.goodput.sum()), "mean_wait": float(waited.mean())}
        return found | {"wait": float(np.quantile(waited, 0.95))}

    def queues(
        self, replications: int = 3, confidence: float = 0.95, seed: int = 0, tell: Callable[[int], Any] = str
    ) -> dict[str, dict[str, Any]]:
        """Simulate queues: a FIFO of each size in `buffers`, fq_codel at the link, and fq_codel at a shaper.

        The result of a queue has ``packets``, the buffer, and values with confidence limits. ``rate`` [bytes/s] is the
        goodput of all flows. ``wait`` and ``mean_wait`` [s] are the 95th percentile and the mean of the waiting time,
        over all times at which a packet may arrive, if packets are served in order of arrival.
        """
        asked: dict[str, tuple[int, str, float]] = {name: (size, "fifo", 0.0) for name, size in self.buffers().items()}
        asked["fq_codel at the link"] = ROOM, "fq-codel", 0.0
        asked[f"fq_codel, shaped to {100 * SHAPED:g}% of least"] = ROOM, "fq-codel", self.shaped
        effort = Effort(seed, replications, confidence, tell)
        jobs: Any = [(*each, stream) for each in asked.values() for stream in effort.streams()]
        runs = replicate(lambda job: self.measured(*job), jobs, progress=tell)
        return {
            name: {"packets": size} | effort.summed(runs[k * replications : (k + 1) * replications], {})
            for k, (name, (size, *_)) in enumerate(asked.items())
        }
