"""Rate of one TCP flow on a path that loses packets: simulated as a user measures it, for a while after a start."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from longfat.design import slow_motion
from longfat.design.buffer_laws import PROBE_INTERVAL
from longfat.design.replicating import Effort, measured
from longfat.design.senders import Sender
from longfat.laws.dctcp import least_threshold
from longfat.sim import Network, queues, schemes, statistics

#: Bytes of data in a packet of 1500 bytes: less 40 bytes of headers and 12 of time stamps (RFC 7323), as in Linux.
SEGMENT = 1448
#: The share of the link depends on p N^2 (N: the bandwidth-delay product in packets) while windows are many packets and
#: timeouts are rare: Reno's sawtooth has no scale of its own. So a path is simulated that loses more and is smaller, up
#: to this loss or down to this product. Ours; tests/test_design_tcp.py compares paths of equal p N^2.
SCALED_LOSS = 1e-4
SCALED_BDP = 100.0
#: The same for BBR, and for CUBIC where its cubic function rules: their rules are times in seconds and shares of the
#: product. With a product of 150 packets CUBIC was simulated up to 9 % too fast, with 500 as fast as on its own path.
SCALED_BDP_IN_TIME = 500.0
#: Packets of a run up to which the path itself is simulated. Ours, so that an answer takes seconds.
MOST_PACKETS = 4e5
CYCLES, SKIPPED = 10, 2  # mean times between two reductions that a check lasts and that are skipped before it
SHORTEST_CHECK, LONGEST_CHECK = 30.0, 60.0  # s; ours: what people are willing to wait
SHORTEST_SKIPPED, LONGEST_SKIPPED = 5.0, 20.0  # s: slow start, and what it loses
FINENESS = 1.3  # factor to which the loss is found up to which TCP fills the path


@dataclass(frozen=True)
class Scaled:
    """Path that is simulated: its size, loss and parameters; ``clock`` is how long a second of the path takes there."""

    ratio: float
    loss: float
    clock: float
    parameters: dict[str, float]


@dataclass(frozen=True)
class TcpPath:
    """Path as one TCP flow sees it, in SI units; headers are left out."""

    rate: float
    round_trip_time: float
    segment: int
    sender: Sender
    buffer: float = 1.0  # bandwidth-delay products at the bottleneck

    @property
    def bandwidth_delay_product(self) -> float:
        """Bandwidth-delay product [packets]."""
        return self.rate * self.round_trip_time / self.segment

    def law(self, loss: float) -> float:
        """Return the rate by the law of the sender, at most the link's [bytes/s]; NaN where it does not hold."""
        return self.sender.rate(self.rate, self.round_trip_time, loss, self.segment)

    def law_loss(self, share: float) -> float:
        """Return the loss up to which the law fills a share of the link."""
        return self.sender.filling_loss(share * self.bandwidth_delay_product, self.round_trip_time)

    def pace(self, loss: float) -> float:
        """Return about how many packets the flow sends in a second."""
        return min(self.bandwidth_delay_product, self.sender.window(loss, self.round_trip_time)) / self.round_trip_time

    def cycle(self, loss: float) -> float:
        """Return the mean time between two reductions of the window [s]: by a loss, or by a full buffer."""
        if self.sender.is_bbr:
            return PROBE_INTERVAL[self.sender.scheme]
        largest = (1 + self.buffer) * self.bandwidth_delay_product
        rounds = largest / 2
        if self.sender.scheme == "cubic":
            scheme = schemes.scheme("cubic")
            rounds = slow_motion.round_trips(scheme, self.sender.parameters, largest, self.round_trip_time)
        own = max(1.0, rounds) * self.round_trip_time * (1 + self.buffer / 2)
        return min(own, 1 / (loss * self.pace(loss))) if loss > 0 else own

    def check(self, loss: float) -> tuple[float, float]:
        """Return how long a check of the rate skips at its start, and how long it then measures [s]."""
        skipped = min(max(SKIPPED * self.cycle(loss), SHORTEST_SKIPPED), LONGEST_SKIPPED)
        lasts = min(max(CYCLES * self.cycle(loss), SHORTEST_CHECK), LONGEST_CHECK)
        return math.ceil(skipped), 10.0 * math.ceil(lasts / 10)

    def scaled(self, loss: float) -> Scaled:
        """Return the path itself if a check on it is short enough, else a smaller one of the same shape."""
        own, given = self.bandwidth_delay_product, self.sender.parameters
        if sum(self.check(loss)) * self.pace(loss) <= MOST_PACKETS:
            return Scaled(1.0, loss, 1.0, given)
        if self.sender.is_bbr:
            return Scaled(min(1.0, SCALED_BDP_IN_TIME / own), loss, 1.0, given)
        least = min(1.0, SCALED_BDP / own)
        adapted: dict[str, float] = {}
        if self.sender.scheme == "cubic":
            # In a fluid, C in proportion to N and p to 1/N keep the course of the window in time, where the cubic
            # function rules; else C and p in proportion to 1/N^2 keep it, but N times slower, as Reno's.
            scheme, window = schemes.scheme("cubic"), min(own, self.sender.window(loss, self.round_trip_time))
            adapted = slow_motion.parameters(scheme, given, window, self.round_trip_time, least)
        in_time = adapted.get("reno_friendly", 1.0) == 0.0
        least, power = (min(1.0, SCALED_BDP_IN_TIME / own), 1) if in_time else (least, 2)
        ratio = min(1.0, max(least, (loss / SCALED_LOSS) ** (1 / power)))
        if adapted and ratio < 1:
            adapted = slow_motion.parameters(schemes.scheme("cubic"), given, window, self.round_trip_time, ratio)
        return Scaled(ratio, loss / ratio**power, 1.0 if in_time else ratio, given | (adapted if ratio < 1 else {}))

    def shares(self, loss: float, effort: Effort) -> tuple[list[float], list[float]]:
        """Return the simulated goodput of each run over the link's rate, and its mean queueing delay [s].

        The check is simulated from the start of the flow: CUBIC's window forgets slowly where it began. On a smaller
        path where time runs faster a check is so short that slow start would be most of it: there the flow begins in
        the middle of its sawtooth.
        """
        small = self.scaled(loss)
        skipped, lasts = self.check(loss)
        simulated = self.bandwidth_delay_product * small.ratio
        rate = simulated * self.segment / self.round_trip_time
        own = small.clock == 1.0
        # Where time runs faster, several cycles are skipped and observed, also where the check itself is shorter.
        cycle = small.clock * self.cycle(loss)
        begin = skipped if own else 3 * cycle + 20 * self.round_trip_time
        until = begin + (lasts if own else max(small.clock * lasts, CYCLES * cycle))
        window = min((1 + self.buffer / 2) * simulated, self.sender.window(small.loss, self.round_trip_time))
        known = {} if own or self.sender.is_bbr else {"initial_ssthresh": max(2.0, window), "hystart": 0.0}
        known = {name: value for name, value in known.items() if name in schemes.scheme(self.sender.scheme).parameters}

        def network() -> Network:
            room, discipline = max(1, round(self.buffer * simulated)), queues.FIFO
            if self.sender.scheme == "dctcp":
                # Above the bound, which is exclusive (Alizadeh and others 2010, section 3.3).
                discipline = queues.step_marking(packets=math.floor(float(least_threshold(simulated))) + 1)
            link = Network().link(
                "sender", "receiver", rate=rate, delay=self.round_trip_time / 2, buffer=room, loss=small.loss,
                discipline=discipline,
            )  # fmt: skip
            return link.flow(
                self.sender.scheme, path=["sender", "receiver"], packet=self.segment, ack_path="ideal",
                parameters=small.parameters | known,
            )  # fmt: skip

        streams = effort.streams() if loss > 0 else effort.streams()[:1]  # without loss nothing is random
        runs = measured([network() for _ in streams], streams, begin, until, effort.tell)
        return [float(run["goodput"].sum()) / rate for run in runs], [float(run["mean_wait"][0]) for run in runs]


def limits(values: list[float], confidence: float) -> dict[str, float]:
    """Return mean, confidence limits of the mean, and the limits in which one more value is expected.

    With n values of standard deviation s they are mean -+ t s/sqrt(n) and mean -+ t s sqrt(1 + 1/n). A single value,
    of a run without random numbers, has no limits: all are the value.

    >>> {name: round(value, 3) for name, value in limits([1.0, 2.0, 3.0], 0.95).items()}  # t = 4.303
    {'mean': 2.0, 'lower': -0.484, 'upper': 4.484, 'least': -2.968, 'most': 6.968}
    """
    if len(values) == 1:
        return dict.fromkeys(("mean", "lower", "upper", "least", "most"), values[0])
    mean, lower, upper = statistics.replications(values, confidence)
    half = (upper - lower) / 2 * math.sqrt(len(values) + 1)
    return {"mean": mean, "lower": lower, "upper": upper, "least": mean - half, "most": mean + half}


def loss_that_fills(path: TcpPath, share: float, effort: Effort) -> float:
    """Return the largest loss, to `FINENESS`, at which the mean of the simulations reaches a share of the link.

    NaN if none does. The search begins at the loss of the law.
    """

    def reaches(loss: float) -> bool:
        return float(np.mean(path.shares(loss, effort)[0])) >= share

    return largest_loss(reaches, path.law_loss(share))


def largest_loss(reaches: Callable[[float], bool], first: float) -> float:
    """Return the largest loss between ``first``/256 and 4 ``first`` for which ``reaches`` is true, to `FINENESS`.

    >>> 1 / FINENESS <= largest_loss(lambda loss: loss < 2e-6, 1e-5) / 2e-6 <= 1
    True
    """
    low, high = first, 4 * first
    for _ in range(5):
        if reaches(low):
            break
        low, high = low / 4, low
    else:
        return math.nan
    while high > FINENESS * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if reaches(middle) else (low, middle)
    return low
