"""Long-lived flows over one switch; a slower link is simulated if the results depend on buffer over BDP only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from longfat.base.labelled import Labelled, attrs
from longfat.design import scaled_path, signalling
from longfat.design.bottleneck import CURVE, MOST_PACKETS, Bottleneck, floor_of, threshold_of
from longfat.design.buffer_laws import LAW_DESYNCHRONISED, LAW_SYNCHRONISED, PROBE_INTERVAL, Laws, is_bbr, value_of
from longfat.design.replicating import LOOKS, Effort, advance, advance_to_losses, observed
from longfat.replication.intervals import is_decided
from longfat.sim import Network, Simulation, queues, schemes
from longfat.sim.queues import Discipline
from longfat.sim.schemes import Scheme

SMALLEST_CUBIC = 500  # packets: least simulated bandwidth-delay product of CUBIC, whose sawtooth is shallower
SMALLEST_BDP = 200  # packets: least simulated bandwidth-delay product of other schemes; relative error about 1/BDP
EACH = 40  # packets: least simulated bandwidth-delay product for each flow, to make timeouts as rare as on the path
#: Several flows of CUBIC are simulated over the path itself if a cycle of the sawtooth has at most so many packets.
#: Between two losses the window of CUBIC grows in proportion to its size: over a slower link a flow adds fewer packets
#: in the round trip in which the buffer overflows, fewer flows lose a packet, and the link is busier than that of the
#: path. 16 flows at 10 Gbit/s, 100 ms and a buffer of 0.05 BDP had a utilisation of 0.978 over a link with 1,280
#: packets, 0.960 with 5,120 and 0.948 with 10,240. A flow of Reno adds one packet in a round trip over any link. Our
#: choice: an answer for one number of flows then takes at most about a minute of processor time. A slower link that
#: drops packets of other flows along with each dropped packet has too low a utilisation: at 1 Gbit/s, 100 ms and a
#: buffer of 0.06 BDP, it was 0.919 with 4 flows over such a link with 1,280 packets, and 0.948 over the path; the
#: standard error was 0.003 to 0.005.
LARGEST_CYCLE = 1e6
#: Disciplines without a threshold in packets or seconds, so that a slower link can be simulated in place of the path.
SCALE_FREE_DISCIPLINES = ("fifo", "fair", "round-robin", "bit-round")
CYCLES = 12.0  # sawtooth cycles observed at a point of a design curve; `longfat buffer` observes until it can decide
WARM_UP = 3.0  # sawtooth cycles before the observed ones
SAWTOOTHS = ("reno", "newreno", "sack", "cubic", "dctcp")  # schemes whose windows grow by the rule of Reno or CUBIC
#: Largest factor by which a change reduces the buffer of a run; the cycle after each change is not observed. Our choice
#: from the utilisation by 16 flows of CUBIC, whose mean over 200 cycles was 0.921. In the first three cycles after a
#: change by a factor of 5.3 the utilisation was 0.888, 0.921 and 0.914. In new runs, which lose packets in slow start,
#: the utilisation was 0.50 in the first cycle, and below 0.91 for seven cycles.
STEP = 5.0
#: Least buffer at the start of a run [bandwidth-delay products]; our choice, because slow start loses many packets at a
#: small buffer, and a cycle of the sawtooth lasts twice as long at one bandwidth-delay product. With this start the
#: utilisation by 16 flows of CUBIC at a buffer of 0.067 had reached its long-term mean in the first cycle, and that by
#: 64 flows at 0.023 in the second.
START = 0.3
POLL = 2.0  # round trips between two checks whether a packet was lost: short compared with a cycle
RUNS = 3  # parallel runs, whose phases differ
NARROW = 0.01  # half width of an interval that ends the sampling, even if the interval contains the goal; our choice
FASTER = 10.0  # ratio of the rate of the link behind a policer to the policed rate
ROOM_OF_LINK = 10.0  # bandwidth-delay products: buffer of the link behind a policer, for bursts that pass it
DENSE = np.geomspace(CURVE[0] / 2, 2 * CURVE[1], 101)  # buffers [bandwidth-delay products] at which laws are drawn
BURST_OF_RENO = 18.0  # Reno needs a bucket of N^2/18 packets for a BDP of N: `laws.buffers.burst_for_policed_rate`
PROBES = 10.0  # observation of BBR, in units of the longest interval of ProbeRTT

QUANTITIES = {
    "utilisation": ("1", "share of the time in which the link transmits"),
    "goodput": ("1", "rate of new data received, over the capacity"),
    "queueing_delay": ("s", "mean queueing delay in the switch"),
}


def sender_of(scheme: Scheme, parameters: Mapping[str, float]) -> str:
    """Return a text on the rules of a sender that differ between hosts, from the parameters of its scheme.

    >>> sender_of(schemes.scheme("sack"), {"delayed_ack": 2.0}).split(", ")[:2]
    ['initial window 1', 'an acknowledgment for 2 packets']
    """
    words = {
        "initial_window": "initial window {:g}",
        "delayed_ack": "an acknowledgment for {:g} packets",
        "hystart": "HyStart++ {}",
        "prr": "proportional rate reduction {}",
        "rack": "RACK-TLP {}",
        "fast_convergence": "fast convergence {}",
        "pacing": "pacing {}",
    }
    values = {name: value_of(scheme, parameters, name) for name in words if name in scheme.parameters}
    said = [
        words[name].format(value if name in ("initial_window", "delayed_ack") else ("off", "on")[value > 0])
        for name, value in values.items()
    ]
    if values.get("hystart") == 2.0:
        said = [one.replace("HyStart++ on", "HyStart of Linux") for one in said]
    return ", ".join(said).replace("for 1 packets", "for each packet")


@dataclass(frozen=True)
class LongFlows(Bottleneck):
    """Long-lived flows that always have data to send; SI units."""

    flows: int
    scheme: Scheme
    parameters: Mapping[str, float] = field(default_factory=dict)
    spread: float = 0.0  # round-trip times are uniform in R (1 - spread) to R (1 + spread)
    most: int | None = None  # packets: largest bandwidth-delay product that is simulated
    #: Round-trip times that the flows take in turn [s], with the mean `round_trip_time`; if empty, `spread` sets them.
    round_trip_times: tuple[float, ...] = ()
    finds: str = "buffer"  # quantity sought: "buffer", "threshold" of the discipline, or "burst" of a policer

    criterion = "utilisation"
    within: ClassVar[dict[str, tuple[float, float]]] = {"share": (0.0, 1.0)}  # possible range of the share
    further: ClassVar[dict[str, tuple[str, str]]] = {}
    points = 1  # networks simulated at each buffer
    quantities = QUANTITIES
    fineness = 0.02  # relative tolerance of the smallest buffer

    @property
    def cubic(self) -> bool:
        """Whether the scheme is CUBIC, whose constant C must be adapted to a slower link."""
        return self.scheme is schemes.scheme("cubic")

    @property
    def scale_free(self) -> bool:
        """Whether a slower link, with the scheme's parameters adapted, has the same utilisation as the path."""
        scheme = self.scheme
        options = [name for name in scheme.scale_free_unless if name in scheme.parameters]
        scales = scheme.scale_free and not any(value_of(scheme, self.parameters, name) for name in options)
        # CUBIC's C can be adapted for a single round-trip time, but not for several `round_trip_times`.
        scales = scales or (self.cubic and not self.round_trip_times)
        return scales and queues.discipline(self.discipline).name in SCALE_FREE_DISCIPLINES and self.finds != "burst"

    @property
    def simulated_bdp(self) -> float:
        """Bandwidth-delay product of the path that is simulated [packets].

        A slower path with the same round-trip time is simulated if scheme and discipline are scale-free or ``most`` is
        given; otherwise the path itself is simulated.
        """
        if self.most is not None:
            return min(self.bandwidth_delay_product, float(self.most))
        if not self.scale_free:
            return self.bandwidth_delay_product
        least: float = SMALLEST_CUBIC if self.cubic else SMALLEST_BDP
        if self.cubic and self.flows > 1:
            each = self.bandwidth_delay_product / self.flows
            rounds = scaled_path.round_trips(self.scheme, self.parameters, each, self.round_trip_time)
            least = max(least, math.floor(LARGEST_CYCLE / max(1.0, rounds)))
        return min(self.bandwidth_delay_product, float(max(least, EACH * self.flows)))

    @property
    def adapted(self) -> dict[str, float]:
        """Parameters of the scheme: given values, and values adapted to a slower link, in place of its defaults."""
        given, ratio = dict(self.parameters), self.simulated_bdp / self.bandwidth_delay_product
        if not self.scale_free or ratio >= 1:
            return given
        # Our choice: do not round windows to integers. Over the slower link windows have fewer packets, so that
        # rounding would have a larger effect than over the path.
        if "integer_windows" in given:
            given["integer_windows"] = 0.0
        if not self.cubic:
            return given
        packets = self.bandwidth_delay_product / self.flows
        return given | scaled_path.parameters(self.scheme, given, packets, self.round_trip_time, ratio)

    @property
    def kept(self) -> str:
        """Text on the quantity, besides buffer/BDP, that is equal on the slower link and on the path; may be empty."""
        if not self.cubic or not self.scale_free or self.simulated_bdp >= self.bandwidth_delay_product:
            return ""
        if self.adapted.get("reno_friendly", 1.0) > 0:
            return "C R^3 BDP^2, on which the Reno-friendly region depends"
        return "C R^3/BDP; the Reno-friendly region, which the path does not reach, is off"

    @property
    def overestimates(self) -> bool:
        """Whether the simulated link is busier than the path's link: it is slower, and carries several CUBIC flows."""
        return self.cubic and self.flows > 1 and self.scale_free and self.simulated_bdp < self.bandwidth_delay_product

    @property
    def sender(self) -> str:
        """Text on the sender's rules that differ between hosts; empty for schemes without such rules."""
        return sender_of(self.scheme, self.adapted)

    @property
    def stagger(self) -> float:
        """Time within which flows start at random [s].

        For BBR it is the longest interval between two ProbeRTTs, so that flows enter ProbeRTT at different times.
        """
        return max(PROBE_INTERVAL.values()) if is_bbr(self.scheme) else self.round_trip_time

    def ends(self) -> tuple[float, float, float]:
        """Return the smallest buffer that may be the answer, and both ends of the simulated curve [packets].

        The smallest buffer is above the threshold, because the discipline would have no effect in a smaller buffer.
        """
        size = self.simulated_bdp
        floor = 1.0
        if self.finds == "buffer":
            floor = floor_of(self.scheme, self.discipline, size)
        elif self.finds == "threshold":
            floor = signalling.least_threshold(queues.discipline(self.discipline).name, self.rate / self.packet)
        least, most = (max(floor, end * size) for end in CURVE)
        if floor > 1:
            most = max(most, 2 * floor)
        return floor, least, max(most, size * size / BURST_OF_RENO) if self.finds == "burst" else most

    def competing(self, seen: Mapping[int, dict[str, Any]]) -> float:
        """Return the number of flows for which to evaluate the rules."""
        return float(self.flows)

    def attainable(self, seen: Mapping[int, dict[str, Any]]) -> float:
        """Return the attainable utilisation [1]: 1, because a link may always be busy."""
        return 1.0

    @classmethod
    def further_data(cls, subjects: Sequence[LongFlows], answers: Sequence[Any], laws: Laws) -> Labelled:
        """Return the utilisation by laws at many buffers; its attributes describe the flows and the simulated path."""
        along = ("flows", "law_buffer")
        bounds = [[laws.apart(one, subject.flows) for one in DENSE] for subject in subjects]
        curves = [laws.along(DENSE, subject.flows) for subject in subjects]
        # If the law does not depend on the number of flows, all curves are equal: return only one.
        same = all(np.array_equal(one, curves[0], equal_nan=True) for one in curves)
        together = ("law_buffer", curves[0]) if same else (along, curves)
        variables: dict[str, Any] = {}
        variables["dense_synchronised"] = (*together, attrs("1", LAW_SYNCHRONISED))
        variables["dense_desynchronised"] = (along, bounds, attrs("1", LAW_DESYNCHRONISED))
        coordinates = {
            "flows": ("flows", [one.flows for one in subjects], attrs("flows", "flows without end")),
            "law_buffer": ("law_buffer", DENSE, attrs("1", "buffer over bandwidth-delay product")),
        }
        one = subjects[0]
        made: dict[str, Any] = {"round_trip_times": list(one.round_trip_times)} if one.round_trip_times else {}
        scale_free = all(each.scale_free for each in subjects)
        made |= {"find": one.finds, "spread": one.spread, "attainable": 1.0, "scale_free": int(scale_free)}
        overestimated = [each.flows for each in subjects if each.overestimates]
        made |= {"overestimated_flows": overestimated} if overestimated else {}
        if laws.ceiling < 1:
            made["ceiling"] = laws.ceiling
        for name in ("sender", "kept"):  # texts for all numbers of flows, each text once
            texts = [getattr(each, name) for each in subjects]
            made[name] = " | ".join(dict.fromkeys(text for text in texts if text))
        return Labelled(variables, coordinates, made)

    def _queue(self, size: int) -> tuple[Discipline | str, int]:
        """Return discipline and buffer of the link [packets] for a trial value of buffer, threshold or burst."""
        if self.finds == "burst":
            rate = self.rate * self.simulated_bdp / self.bandwidth_delay_product
            return queues.policer(rate=rate, burst=size * self.packet), math.ceil(ROOM_OF_LINK * self.simulated_bdp)
        if self.finds == "buffer":
            return self.discipline, size
        name = queues.discipline(self.discipline).name
        delay = size / self.simulated_bdp * self.round_trip_time
        spread = self.spread if self.flows > 1 else 0.0
        longest = max(self.round_trip_times, default=self.round_trip_time * (1 + spread))
        made = signalling.with_threshold(name, size, delay, self.packet, longest)
        return made, math.ceil(size + signalling.ROOM * self.simulated_bdp)

    def network(self, buffer: int, stream: Any) -> Network:
        """Return a network of the switch and the flows, which begin in the middle of their sawtooth."""
        random = np.random.default_rng(stream)
        scale = self.simulated_bdp / self.bandwidth_delay_product
        rate, one_way = self.rate * scale * self.faster, self.round_trip_time / 2
        spread = self.spread if self.flows > 1 and not self.round_trip_times else 0.0
        # Draw a random value in each of `flows` equal strata of [0, 1), so that the mean round-trip time hardly varies
        # between runs.
        places = (np.arange(self.flows) + random.random(self.flows)) / self.flows
        trips = self.round_trip_times
        shortest = min(trips) / 2 if trips else one_way * (1 - spread)
        discipline, room = self._queue(buffer)
        net = Network().link("switch", "sinks", rate=rate, delay=shortest, buffer=room, discipline=discipline)
        standing = threshold_of(self.discipline) or (0 if self.finds == "burst" else buffer)
        largest, adapted = (self.simulated_bdp + standing) / self.flows, self.adapted
        for k, place in enumerate(places):
            path = ["switch", "sinks"]
            further = trips[k % len(trips)] / 2 - shortest if trips else 2 * one_way * spread * place
            if spread > 0 or trips:
                # A link behind the switch has the rest of the flow's delay, because the simulator needs no separate
                # event for an arrival on such a link.
                net.link("sinks", f"sink-{k}", rate=math.inf, delay=further)
                path.append(f"sink-{k}")
            begun = max(2.0, largest * random.uniform(0.5, 1.0))
            known = {"initial_ssthresh": begun} if "initial_ssthresh" in self.scheme.parameters else {}
            net.flow(
                self.scheme, path=path, name=f"flow-{k}", packet=self.packet, ack_path="ideal",
                start=self.stagger * random.random(), access_rate=self.access_rate * scale,
                parameters=known | adapted,
            )  # fmt: skip
        return net

    @property
    def faster(self) -> float:
        """Ratio of the rate of the simulated link to that of the path [1]: `FASTER` behind a policer, otherwise 1."""
        return FASTER if self.finds == "burst" else 1.0

    def watch(self, buffer: int) -> tuple[float, float]:
        """Return the times at which the observation begins and ends [s], from the scheme's cycle or BBR's probes."""
        if is_bbr(self.scheme):
            interval = max(PROBE_INTERVAL.values())
            begin = self.stagger + 2 * interval + 50 * self.round_trip_time
            return begin, begin + max(PROBES * interval, 200 * self.round_trip_time)
        cycle = self._sawtooth(float(buffer), self.simulated_bdp, self.adapted)
        # If packets are marked, settling takes 200 round trips, because DCTCP estimates the fraction of marked packets
        # over 16 round trips (RFC 8257, section 4.2). The estimate begins at 1 (section 3.3), so that the first mark
        # halves the window, which then grows by a packet in a round trip.
        threshold = self._threshold(float(buffer))
        settling = (200 if threshold else 20) * self.round_trip_time
        begin = WARM_UP * cycle + settling
        if threshold:
            begin += (self.simulated_bdp + threshold) / (2 * self.flows) * self.round_trip_time
        return begin, begin + CYCLES * cycle + settling

    def cycle(self, multiple: float) -> float:
        """Return the longest time between two losses, or marks, of a flow on the path [s]; NaN outside `SAWTOOTHS`.

        ``multiple`` is the buffer or threshold [bandwidth-delay products].
        """
        packets = self.bandwidth_delay_product
        known = self.scheme.name in SAWTOOTHS
        return self._sawtooth(multiple * packets, packets, self.parameters) if known else math.nan

    def _threshold(self, buffer: float) -> float:
        """Return the backlog above which packets are marked [packets], or 0; ``buffer`` if a threshold is sought."""
        marks = queues.discipline(self.discipline).name == "step-marking"
        return buffer if marks and self.finds == "threshold" else threshold_of(self.discipline)

    def _sawtooth(self, buffer: float, packets: float, parameters: Mapping[str, float]) -> float:
        """Return the longest time [s] between two losses, or marks, of a flow whose window grows as in Reno or CUBIC.

        ``packets`` is the bandwidth-delay product [packets], ``parameters`` are those of the scheme. The round-trip
        time is that with a full buffer.
        """
        if threshold := self._threshold(buffer):
            largest = 1 + threshold / packets  # ratio of the round-trip time with the queue to that without
            # A cycle of DCTCP has sqrt((C R + K)/(2 N)) round trips; a cycle of Reno has the square of this number.
            rounds = math.sqrt((packets + threshold) / (2 * self.flows))
            if self.scheme.name != "dctcp":
                rounds *= rounds
            return rounds * largest * self.round_trip_time
        # Without a queue, as at a policer, the window is at most 2/(1 + beta) bandwidth-delay products: use at most 2
        # for any bucket.
        relative = min(1.0, buffer / packets) if self.finds == "burst" else buffer / packets
        window = (1 + relative) * packets / self.flows
        trip = max(self.round_trip_times, default=self.round_trip_time)
        longest = trip * (1 + 0.75 * relative)  # longest round-trip time, queueing included
        rounds = window / 2
        if self.cubic:
            rounds = scaled_path.round_trips(self.scheme, parameters, window, self.round_trip_time)
            if parameters.get("reno_friendly") == 0:  # the window is a function of time, not of round trips
                longest = trip
        return max(1.0, rounds) * longest

    def refuse_too_long(self, runs: int) -> None:
        """Raise a ValueError if the path cannot be scaled down and its simulation would take hours."""
        simulated = self.simulated_bdp
        packets = runs * self.watch(round(simulated))[1] * simulated / self.round_trip_time
        if self.most is None and not self.scale_free and packets > MOST_PACKETS:
            raise ValueError(
                f"scheme {self.scheme.name!r} with discipline {queues.discipline(self.discipline).name!r} is not known "
                f"to be scale-free, so that the path's own {simulated:.6g} packets in flight would be simulated: about "
                f"{packets:.2g} packets in total, more than {MOST_PACKETS:.2g}; bandwidth_delay_product = 200 "
                "(in Python) simulates a slower path, and the answer is valid for that path only"
            )

    @property
    def resized(self) -> bool:
        """Whether a run may continue with another buffer: flows adapt to a new limit in packets within a few cycles."""
        plain = queues.discipline(self.discipline).scheduler is None
        return self.finds == "buffer" and plain and not is_bbr(self.scheme)

    @property
    def alone(self) -> bool:
        """Whether one flow has a drop-tail queue of its own, so that cycles last from loss to loss."""
        return self.flows == 1 and self.resized and queues.discipline(self.discipline).name == "fifo"

    def _sample(self, buffer: int) -> float:
        """Return the duration of a sample, about one cycle of the sawtooth [s]."""
        begin, until = self.watch(buffer)
        return (until - begin) / CYCLES

    def begun(self, buffer: int, effort: Effort, runs: list[Simulation] | None) -> list[Simulation]:
        """Return runs that have adapted to a buffer: ``runs``, which have had another buffer, or new runs.

        New runs begin with a buffer of at least `START`, which is reduced later, because slow start loses many packets
        at a small buffer and CUBIC needs ten cycles to recover. After the buffer has changed, the runs continue for one
        cycle, in which an excess backlog drains; but for `WARM_UP` cycles, in which the windows grow, if the buffer was
        more than doubled, or enlarged at all for a single flow, whose samples hardly vary.
        """
        if runs is None:
            streams = effort.streams()[: RUNS if self.resized and self.flows > 1 else 1]
            size = max(buffer, round(START * self.simulated_bdp)) if self.resized else buffer
            runs = [Simulation(self.network(size, stream), rng=stream.spawn(1)[0]) for stream in streams]
            cycle = self._sample(size) if size > buffer else 0.0  # the loop below adds it
            advance(runs, self.watch(size)[0] - cycle)
        else:
            size = int(runs[0].state.links["limit_packets"][0])
        while size != buffer:
            cycles = WARM_UP if buffer > (1 if self.flows == 1 else 2) * size else 1.0
            size = max(buffer, math.ceil(size / STEP))
            for run in runs:
                run.state.links["limit_packets"][0] = size
            advance(runs, runs[0].now + cycles * self._sample(size))
        return runs

    def simulate(
        self, buffer: int, effort: Effort, runs: list[Simulation] | None = None, looks: Sequence[int] = LOOKS
    ) -> dict[str, Any]:  # fmt: skip
        """Simulate a buffer [packets]; return utilisation, goodput, mean queueing delay [s], ``samples`` and ``runs``.

        ``never_full`` is whether the backlog was below the buffer in all samples, so that a larger buffer would not
        change them.

        ``runs`` are runs of another buffer, which are continued. ``samples`` has the utilisation in each cycle of each
        run; for a single flow in every two cycles, because fast convergence makes every other cycle of CUBIC smaller.
        ``looks`` are the ratios of the number of samples to ``replications`` at which the samples may suffice; with a
        single look the number of samples does not depend on their values.
        """
        cycle, runs = self._sample(buffer), self.begun(buffer, effort, runs)
        capacity = self.rate * self.simulated_bdp / self.bandwidth_delay_product

        def sample(run: Simulation) -> None:
            if self.alone:
                advance_to_losses(run, 2, cycle, POLL * self.round_trip_time)
            else:
                run.advance(run.now + cycle * (2 if self.flows == 1 else 1))

        if self.alone:
            advance_to_losses(runs[0], 1, cycle, POLL * self.round_trip_time)
        links = [run.state.links for run in runs]
        for link in links:
            link["largest_backlog"][0] = link["backlog"][0]
        found: dict[str, Any] = {"runs": runs}
        parts: list[dict[str, float]] = []
        for look in looks:
            count = math.ceil(look * effort.replications / len(runs)) - len(parts) // len(runs)
            parts += [
                {
                    # A policer passes slightly more than its rate if its bucket is full at the start: limit the ratio
                    # to 1.
                    "utilisation": min(1.0, self.faster * float(one["utilisation"][0])),
                    "goodput": float(one["goodput"].sum()) / capacity,
                    "queueing_delay": float(np.nan_to_num(one["mean_wait"][0])),
                }
                for each in observed(runs, 0.0, sample, count=count)
                for one in each
            ]
            samples = [one["utilisation"] for one in parts]
            found.update(effort.summed(parts, {"utilisation": (0.0, 1.0), "goodput": (0.0, 1.0)}), samples=samples)
            effort.deciding(f"{self.flows} flows: {buffer / self.simulated_bdp:.3g} BDP", found, "utilisation")
            narrow = found["utilisation_upper"] - found["utilisation_lower"] < 2 * NARROW
            # At the first look, which has few samples, the interval must be narrow and exclude the goal. At the last
            # two looks a narrow interval is enough.
            decided = is_decided(samples, effort.goal, effort.confidence, len(LOOKS))
            if (decided and (narrow or look > LOOKS[0])) or (narrow and look >= LOOKS[-2]):
                break
        effort.tell(1)
        full = any(link["largest_backlog"][0] >= buffer for link in links)
        return found | {"never_full": self.finds == "buffer" and not full}
