"""TCP flows on a path that loses packets: laws, simulated rates of long transfers and of checks, time of a file."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from longfat.design import scaled_path
from longfat.design.buffer_laws import PROBE_GAIN, PROBE_INTERVAL, PROBE_WINDOW, marking_threshold, value_of
from longfat.design.senders import LARGEST_LOSS_OF_BBR1, Sender
from longfat.laws import bbr, cubic
from longfat.laws.tcp import loss_of_window, slow_start_transfer_time, square_root_rate

if TYPE_CHECKING:
    from longfat.design.replicating import Effort
    from longfat.sim.schemes import Scheme

#: Largest loss at which the laws of CUBIC and Reno are used. The laws neglect timeouts: the square-root law is 9 % too
#: high at 0.01 (see the record of that law).
LARGEST_LOSS_OF_LAW = 0.01
#: Smallest window for which these laws are used [packets]: the least slow-start threshold of RFC 5681, section 3.1.
#: With this window the laws give a loss of 0.375 or more.
LEAST_WINDOW_OF_LAW = 2.0
#: Shortest time between two probes of BBR version 3 [s] (draft-ietf-ccwg-bbr-06, BBRPickProbeWait: 2 to 3 s). Between
#: probes each round trip with a loss lowers bw_shortterm and inflight_shortterm (BBRAdaptLowerBoundsFromCongestion).
#: With more than one loss in this time no law of the rate is known. The threshold BBRLossThresh of 2 % limits
#: only the volume in flight of probes (BBRHandleLostPacket).
BETWEEN_PROBES = 2.0
#: Largest loss p and smallest bandwidth-delay product N [packets] of a smaller path that is simulated in place of a
#: path of Reno flows. The utilisation depends only on p N^2 if windows have many packets and timeouts are rare, because
#: Reno's sawtooth has no inherent scale. Our choice; tests/test_design_tcp.py compares paths of equal p N^2.
SCALED_LOSS = 1e-4
SCALED_BDP = 100.0
#: Smallest simulated bandwidth-delay product [packets] of BBR, and of CUBIC in the cubic region. The rules of both have
#: times in seconds and fractions of the bandwidth-delay product. With 150 packets CUBIC's simulated rate was up to 9 %
#: higher than that of the path, with 500 packets it was the same.
SCALED_BDP_IN_TIME = 500.0
#: Largest number of packets in a run of the path itself; beyond it a smaller path is simulated. Our choice: an answer
#: then takes seconds.
MOST_PACKETS = 4e5
CYCLES, SKIPPED = 10, 2  # duration of a check and of the time skipped before it, in mean times between reductions
SHORTEST_CHECK, LONGEST_CHECK = 30.0, 60.0  # s; our choice: users have to wait for the check
SHORTEST_SKIPPED, LONGEST_SKIPPED = 5.0, 20.0  # s: time for slow start and its losses
#: Duration of a long transfer, and of the time skipped before it, in mean times between two window reductions. Our
#: choice: the rates of runs of 100 such times spread by 8 %, of 50 by 12 %. The initial window, which is the mean
#: window by the law, has no effect after five reductions.
LONG_CYCLES, LONG_SKIPPED = 100, 10
LONG_CYCLES_WITHOUT_LOSS, LONG_SKIPPED_WITHOUT_LOSS = 10, 3  # the window is periodic without loss
#: Several flows are simulated for LONG_CYCLES divided by their number, but for at least this number of cycles. Our
#: choice: the mean over several flows with random losses needs no more samples in total than the mean of one flow.
LONG_CYCLES_OF_FLOWS = 20
#: Least number of packets that a full link carries during a long transfer. Our choice: a packet more or less changes
#: the rate by 0.1 %. If the bandwidth-delay product is below ten packets, LONG_CYCLES cycles carry fewer packets.
LONG_PACKETS = 1000
#: Long transfers are simulated over a path scaled down until the mean window has LONG_WINDOW packets. If the cubic
#: function determines the window, at least LONG_ROUNDS round trips remain between two reductions. Our choice: the rates
#: are then within 3 % of the law and of the rates on larger paths (tests/test_design_tcp.py).
LONG_WINDOW, LONG_ROUNDS = 60.0, 20.0
#: Least number of packets in the buffer of a smaller path, unless the buffer of the path itself has fewer. Our choice:
#: in a buffer of one packet CUBIC loses bursts that its own acknowledgments release. With 0.01 bandwidth-delay products
#: it carried 87 % of 1 Gbit/s at 10 ms, where this buffer has 8 packets, but 3 % of a smaller path of 60 packets, where
#: it has one. With 6 packets or more the rates differed by at most 2 % (buffers of 0.01, 0.05 and 0.1).
LEAST_BUFFER = 6
#: Largest number of packets in a run of a path that is kept large enough for `LEAST_BUFFER`; it takes some ten seconds.
#: Our choice: if the run had more, the path is made smaller, and its buffer gets more bandwidth-delay products.
LARGEST_RUN = 1e7
INITIAL_WINDOW = 10  # packets: RFC 6928, section 2
MOST_OF_FILE = 1e7  # packets of the largest file that is simulated, which takes about a minute; our choice
ROUNDS_TO_FILL = 3.0  # round trips in which slow start fills the path from a tenth of it on


@dataclass(frozen=True)
class Scaled:
    """Smaller path that is simulated in place of the given path, with the scheme's parameters for the smaller path."""

    ratio: float  # bandwidth-delay product relative to that of the real path
    loss: float
    clock: float  # s: simulated time for each second of the real path
    parameters: dict[str, float]


@dataclass(frozen=True)
class Run:
    """Results of one run of the flows."""

    share: float  # ratio of the total goodput to the rate of the link
    queueing_delay: float  # mean queueing delay [s]
    lost: float  # share of packets lost


@dataclass(frozen=True)
class TcpPath:
    """Path of TCP flows between two hosts, in SI units; the rate is that of data, without headers.

    If the flows fill the path, each has 1/``flows`` of it; rules that depend on a window use the window of one flow.
    """

    rate: float
    round_trip_time: float
    segment: int
    sender: Sender
    buffer: float = 1.0  # bandwidth-delay products at the bottleneck
    flows: int = 1

    @property
    def bandwidth_delay_product(self) -> float:
        """Bandwidth-delay product [packets]."""
        return self.rate * self.round_trip_time / self.segment

    @property
    def _largest_window(self) -> float:
        """Window of each flow when the flows have filled the buffer [packets]."""
        return (1 + self.buffer) * self.bandwidth_delay_product / self.flows

    def law(self, loss: float) -> float:
        """Return the total rate of the flows by law [bytes/s], at most the link's; NaN where the law is not valid.

        A random loss affects one flow only, so that N flows are N times as fast as one (Hacker, Athey and Noble, "The
        End-to-End Performance Effects of Parallel TCP Sockets on a Lossy Wide-Area Network", IPDPS 2002).
        """
        if loss > self.law_until:
            return math.nan
        if self.sender.is_bbr:
            scheme, trip = self.sender.scheme, self.round_trip_time
            first = min(1.0, self.flows * PROBE_WINDOW * self.segment / (self.rate * trip))
            left = first if scheme == "bbr1" else PROBE_GAIN
            return self.rate * (float(bbr.probe_rtt_utilisation(trip, left, PROBE_INTERVAL[scheme])) * (1 - loss))
        if loss <= 0:
            return self.rate
        return min(self.rate, self.flows * self.segment * self._unlimited_window(loss) / self.round_trip_time)

    def _unlimited_window(self, loss: float) -> float:
        """Return the mean window by the law [packets]; infinity without loss, and for BBR, which has no such law."""
        if loss <= 0 or self.sender.is_bbr:
            return math.inf
        trip = self.round_trip_time
        if self.sender.scheme == "cubic":
            # The law of random losses is evaluated with fast convergence, which hosts use. In the Reno-friendly region
            # the law of losses at equal distances gives the larger window.
            random = float(cubic.average_window_random(loss, trip, fast_convergence=1))
            return max(random, float(cubic.average_window(loss, trip)))
        return float(square_root_rate(loss, trip)) * trip

    @property
    def law_until(self) -> float:
        """Largest loss at which the law holds."""
        return self.law_loss(1.0) if self.sender.is_bbr else LARGEST_LOSS_OF_LAW

    def law_loss(self, share: float) -> float:
        """Return the largest loss at which the flows fill the fraction ``share`` of the link by the law.

        For BBR this is the largest loss at which the law of the rate holds.
        """
        if self.sender.scheme == "bbr1":
            return LARGEST_LOSS_OF_BBR1
        packets, trip = share * self.bandwidth_delay_product / self.flows, self.round_trip_time
        if self.sender.is_bbr:
            return min(1.0, trip / (packets * BETWEEN_PROBES))
        packets = max(packets, LEAST_WINDOW_OF_LAW)
        if self.sender.scheme == "cubic":
            # The window under random losses is proportional to p^(-3/4). `_unlimited_window` is the larger of the
            # windows under random and under equally spaced losses: take the larger of the two losses here.
            most = float(cubic.average_window_random(LARGEST_LOSS_OF_LAW, trip, fast_convergence=1))
            random = LARGEST_LOSS_OF_LAW * math.pow(most / packets, 4 / 3)
            return min(LARGEST_LOSS_OF_LAW, max(random, float(cubic.loss_of_window(packets, trip))))
        # `loss_of_window` takes the window at which a loss occurs: 4/3 of the mean of Reno's sawtooth.
        return min(LARGEST_LOSS_OF_LAW, float(loss_of_window(packets * 4 / 3)))

    def law_streams(self, loss: float, share: float) -> float:
        """Return the number of flows that fill the fraction ``share`` of the link by the law; NaN if none is known.

        >>> from longfat.design.senders import SENDERS
        >>> path = TcpPath(1.25e8, 0.1, 1250, SENDERS["reno"])  # 10,000 packets; sqrt(1.5/1e-4) = 122.47 for a flow
        >>> path.law_streams(1e-4, 0.95), path.law_streams(0.0, 0.95), path.law_streams(0.1, 0.95)
        (78, 1, nan)
        """
        one = replace(self, flows=1).law(loss)
        if self.sender.is_bbr:
            return 1 if one >= share * self.rate else math.nan
        return math.nan if math.isnan(one) else math.ceil(share * self.rate / one) if one < share * self.rate else 1

    def law_own_loss(self) -> float:
        """Return the loss that flows cause by overflowing the buffer when they fill the link, by the law of one flow.

        All flows have the same window, and each loses a packet when the sum of the windows is the bandwidth-delay
        product plus the buffer. If the path has a smaller loss than this, more flows add losses and no rate. The result
        is NaN for BBR.

        >>> from longfat.design.senders import SENDERS
        >>> path = TcpPath(1.25e8, 0.1, 1250, SENDERS["reno"], flows=100)
        >>> f"{path.law_own_loss():.3g}"  # 8/(3 x 200^2)
        '6.67e-05'
        """
        if self.sender.is_bbr:
            return math.nan
        largest = max(LEAST_WINDOW_OF_LAW, self._largest_window)
        if self.sender.scheme == "cubic":
            mean = float(cubic.mean_window(largest, self.round_trip_time))
            return float(cubic.loss_of_window(max(mean, LEAST_WINDOW_OF_LAW), self.round_trip_time))
        return float(loss_of_window(largest))

    @property
    def _room(self) -> float:
        """Number of packets in the buffer, at most `LEAST_BUFFER`."""
        return min(self.buffer * self.bandwidth_delay_product, LEAST_BUFFER)

    def pace(self, loss: float) -> float:
        """Return the approximate number of packets that each flow sends per second."""
        return self._window(loss) / self.round_trip_time

    def cycle(self, loss: float) -> float:
        """Return the mean time between two reductions of the window [s]: by a loss, or by a full buffer."""
        if self.sender.is_bbr:
            return PROBE_INTERVAL[self.sender.scheme]
        largest = self._largest_window
        rounds = largest / 2
        if self.sender.scheme == "cubic":
            rounds = scaled_path.round_trips(*self._scheme, largest, self.round_trip_time)
        own = max(1.0, rounds) * self.round_trip_time * (1 + self.buffer / 2)
        return min(own, 1 / (loss * self.pace(loss))) if loss > 0 else own

    def check(self, loss: float) -> tuple[float, float]:
        """Return the time that a check of the rate skips at its start, and the time that it measures [s]."""
        skipped = min(max(SKIPPED * self.cycle(loss), SHORTEST_SKIPPED), LONGEST_SKIPPED)
        lasts = min(max(CYCLES * self.cycle(loss), SHORTEST_CHECK), LONGEST_CHECK)
        return math.ceil(skipped), 10.0 * math.ceil(lasts / 10)

    def _window(self, loss: float) -> float:
        """Return the mean window of a flow by the law [packets], at most its part of the bandwidth-delay product."""
        return min(self.bandwidth_delay_product / self.flows, self._unlimited_window(loss))

    @cached_property
    def _scheme(self) -> tuple[Scheme, dict[str, float]]:
        """Scheme of the simulator and its parameters."""
        return self.sender.simulated, self.sender.parameters

    def _is_cubic(self, loss: float) -> bool:
        """Return whether the cubic function alone determines the window, as it does for a large window of CUBIC."""
        known = self._window(loss), self.round_trip_time
        return self.sender.scheme == "cubic" and scaled_path.is_cubic(*self._scheme, *known)

    def scaled(self, loss: float) -> Scaled:
        """Return the path for checks: the path itself if it needs few packets, else a smaller, equivalent one."""
        own = self.bandwidth_delay_product
        if sum(self.check(loss)) * self.flows * self.pace(loss) <= MOST_PACKETS:
            return Scaled(1.0, loss, 1.0, self.sender.parameters)
        if self.sender.is_bbr:
            ratio = max(self.flows * SCALED_BDP_IN_TIME / own, self._least_ratio(loss))
            return Scaled(min(1.0, ratio), loss, 1.0, self.sender.parameters)
        least, power = (SCALED_BDP_IN_TIME, 1) if self._is_cubic(loss) else (SCALED_BDP, 2)
        return self._smaller(loss, max(self.flows * least / own, (loss / SCALED_LOSS) ** (1 / power)), 1.0)

    def scaled_long(self, loss: float) -> Scaled:
        """Return the path for long transfers: the path itself, or a smaller, equivalent one.

        If the size of the smaller path follows from `LEAST_BUFFER`, because the buffer has few packets, time does not
        pass faster there: otherwise the window would grow by more than the buffer in a round trip, and timeouts would
        last longer.
        """
        ratio, rounds = LONG_WINDOW / self._window(loss), self.cycle(loss) / self.round_trip_time
        return self._smaller(loss, ratio, 1.0 if self._least_ratio(loss) > ratio else LONG_ROUNDS / rounds)

    def _smaller(self, loss: float, ratio: float, clock: float) -> Scaled:
        """Return a path with ``ratio`` times the bandwidth-delay product N, and with loss p and CUBIC's C to match.

        The ratio of window to N has the same course over both paths. By a fluid model of the cubic region this is so if
        C k^3/N and p N k are the same, where a second of the path takes k seconds (``clock``) over the smaller path.
        Otherwise C N^2 and p N^2 are the same, and the course takes a time in proportion to N, as Reno's does.
        """
        (scheme, given), ratio = self._scheme, min(1.0, max(ratio, self._least_ratio(loss)))
        if self._is_cubic(loss):
            # Limit the clock so that the adapted C stays within its domain.
            least = (value_of(scheme, given, "c") * ratio / scaled_path.LARGEST_C) ** (1 / 3)
            clock = min(1.0, max(clock, least))
            given = given | {"clock_tick": clock * given["clock_tick"]}
        else:
            clock = ratio
        if scheme.name == "cubic":
            given = given | scaled_path.parameters(
                scheme, given, self._window(loss), self.round_trip_time, ratio, clock
            )
        return Scaled(ratio, loss / (ratio * clock), clock, given)

    def _least_ratio(self, loss: float) -> float:
        """Return the least ratio of a smaller path's size to this path's at which the buffer has enough packets."""
        own = self.bandwidth_delay_product
        sent = own / self.round_trip_time * sum(self.check(loss))
        return min(LEAST_BUFFER / (self.buffer * own), LARGEST_RUN / sent)

    def checks(self, loss: float, effort: Effort) -> list[Run]:
        """Simulate short measurements of the rate, each over a new connection that begins with slow start.

        A ``clock`` below 1 shortens the measurement, but not the number of round trips of slow start. A flow therefore
        begins with as many packets as fit into the buffer, and its slow start ends at the window that a flow has after
        a usual slow start: CUBIC with HyStart fills the link, and Reno keeps half of the packets that link and buffer
        hold (RFC 5681, equation 4). On paths of 1000 to 4000 packets Reno kept a fraction of 0.50 to 0.52 with buffers
        of one to four bandwidth-delay products, 0.8 with a buffer of 0.5, and 0.25 with one of 0.1.
        """
        small = self.scaled(loss)
        skipped, lasts = (small.clock * time for time in self.check(loss))
        if small.clock == 1.0:
            return self._runs(small, {}, skipped, lasts, effort)
        own = small.ratio * self.bandwidth_delay_product
        full = own if self.sender.scheme == "cubic" else own * (1 + self.buffer) / 2
        at_once = min(full, own * self.buffer)
        known = {
            "initial_window": float(max(1, round(at_once / self.flows))),
            "initial_ssthresh": max(2.0, full / self.flows),
        }
        begin = skipped + ROUNDS_TO_FILL * self.round_trip_time
        return self._runs(small, known, begin, lasts, effort)

    def time(self, loss: float) -> float:
        """Return the duration of a long transfer [s]; for BBR that of a check, because its rate settles in seconds."""
        if self.sender.is_bbr:
            return self.check(loss)[1]
        cycles = max(LONG_CYCLES_OF_FLOWS, LONG_CYCLES // self.flows)
        lasts = (cycles if loss > 0 else LONG_CYCLES_WITHOUT_LOSS) * self.cycle(loss)
        lasts = max(lasts, LONG_PACKETS * self.segment / self.rate)
        return max(lasts, self.check(loss)[1]) if self._times_out(loss) else lasts

    def _times_out(self, loss: float) -> bool:
        """Return whether timeouts are frequent: a run then lasts as long as a check, because timeouts are long.

        They are frequent above `LARGEST_LOSS_OF_LAW`, and with a buffer of fewer than `LEAST_BUFFER` packets.
        """
        return loss > LARGEST_LOSS_OF_LAW or self._room < LEAST_BUFFER

    def transfers(self, loss: float, effort: Effort) -> list[Run]:
        """Simulate long transfers, after skipping the time in which the initial window matters."""
        small = self.scaled_long(loss)
        skipped = (LONG_SKIPPED if loss > 0 else LONG_SKIPPED_WITHOUT_LOSS) * self.cycle(loss)
        if self._room < LEAST_BUFFER:
            skipped = max(skipped, self.check(loss)[0])
        full = (1 + self.buffer / 2) * self.bandwidth_delay_product  # the link, and half of the buffer
        window = min(full / self.flows, self._unlimited_window(loss))
        known = {"initial_ssthresh": max(2.0, small.ratio * window)}
        return self._runs(small, known, small.clock * skipped, small.clock * self.time(loss), effort)

    def transfer_time(
        self, size: float, loss: float, header: float = 0.0, simulate: bool = True, progress: bool = False
    ) -> tuple[float, float | None]:
        """Return the transfer time [s] of a file of ``size`` bytes by the law of slow start, and as simulated.

        The law is a lower bound: it assumes no losses, and that slow start goes on until the path is full. Without
        ``simulate``, and for more than `MOST_OF_FILE` packets, the second value is None. A transfer ends when all data
        are acknowledged. Each packet has ``header`` bytes of headers; the last one may have less data than the others.

        >>> from longfat.design.senders import SENDERS
        >>> law, simulated = TcpPath(1.25e6, 0.05, 1448, SENDERS["reno"], buffer=4).transfer_time(1e6, 0.0)
        >>> round(law, 2), round(simulated, 2)  # 4 x 50 ms, and 621 + 3 packets of 1.158 ms after rounds of 10, 20, 40
        (0.92, 0.92)
        """
        packets, per_packet = math.ceil(size / self.segment), self.segment / self.rate
        # The packets of ping are short: the law adds the transmission time of a packet. The last packet may be short.
        law = float(slow_start_transfer_time(packets, self.round_trip_time, per_packet, INITIAL_WINDOW))
        saved = (packets - size / self.segment) * self.segment / (self.segment + header) * per_packet
        if not simulate or packets > MOST_OF_FILE:
            return law - saved, None
        from longfat.sim import Network
        from longfat.sim.runs.run import answer

        room = max(1, round(self.buffer * self.rate * self.round_trip_time / self.segment))
        net = Network().link(
            "sender", "receiver", rate=self.rate, delay=self.round_trip_time / 2, buffer=room, loss=loss
        )
        net.flow(
            self.sender.scheme, path=["sender", "receiver"], packet=self.segment, file=packets * self.segment,
            ack_path="ideal", parameters=self.sender.parameters,
        )  # fmt: skip
        return law - saved, float(answer(net, rng=0, progress=progress)[0]["transfer_time"][0]) - saved

    def _runs(self, small: Scaled, known: dict[str, float], begin: float, lasts: float, effort: Effort) -> list[Run]:
        """Simulate the flows; ``known`` is their initial window and threshold, or empty for slow start with HyStart.

        Several flows begin at random within a round trip.
        """
        from longfat.design.replicating import measured
        from longfat.sim import Network, queues

        parameters = small.parameters | ({"hystart": 0.0} | known if known else {})
        simulated = self.bandwidth_delay_product * small.ratio
        rate = simulated * self.segment / self.round_trip_time

        def network(stream: np.random.SeedSequence) -> Network:
            room, discipline = max(1, round(self.buffer * simulated), round(self._room)), queues.FIFO
            if self.sender.scheme == "dctcp":
                discipline = queues.step_marking(packets=marking_threshold(simulated))
            link = Network().link(
                "sender", "receiver", rate=rate, delay=self.round_trip_time / 2, buffer=room, loss=small.loss,
                discipline=discipline,
            )  # fmt: skip
            starts = np.zeros(1)
            if self.flows > 1:
                starts = self.round_trip_time * np.random.default_rng(stream.spawn(1)[0]).random(self.flows)
            for start in starts:
                link.flow(
                    self.sender.scheme, path=["sender", "receiver"], packet=self.segment, ack_path="ideal",
                    start=float(start), parameters=parameters,
                )  # fmt: skip
            return link

        streams = effort.streams()
        if small.loss == 0 and self.flows == 1:
            streams = streams[:1]  # without randomness all runs are equal
        runs = measured([network(stream) for stream in streams], streams, begin, begin + lasts, effort.tell)
        return [
            Run(float(run["goodput"].sum()) / rate, float(run["mean_wait"][0]), float(run["loss"].mean()))
            for run in runs
        ]


def limits(values: list[float], confidence: float) -> dict[str, float]:
    """Return the mean, its confidence limits, and the prediction limits of one more value.

    For n values of standard deviation s the limits are mean -+ t s/sqrt(n) and mean -+ t s sqrt(1 + 1/n). For a single
    value, which comes from a run without random numbers, all limits equal the value.

    >>> {name: round(value, 3) for name, value in limits([1.0, 2.0, 3.0], 0.95).items()}  # t = 4.303
    {'mean': 2.0, 'lower': -0.484, 'upper': 4.484, 'least': -2.968, 'most': 6.968}
    """
    if len(values) == 1:
        return dict.fromkeys(("mean", "lower", "upper", "least", "most"), values[0])
    from longfat.replication import interval

    mean, lower, upper = interval(values, confidence)
    half = (upper - lower) / 2 * math.sqrt(len(values) + 1)
    return {"mean": mean, "lower": lower, "upper": upper, "least": mean - half, "most": mean + half}
