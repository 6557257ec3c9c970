"""Buffer rules for each scheme at a switch, and the utilisation by the scheme's laws."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from longfat.laws import bbr as laws_of_bbr
from longfat.laws import cubic as laws_of_cubic
from longfat.laws import dctcp as laws_of_dctcp
from longfat.laws.buffers import burst_for_policed_rate, policed_utilisation
from longfat.laws.tcp import aimd_utilisation_general

if TYPE_CHECKING:
    from longfat.sim.schemes import Scheme

LAW_SYNCHRONISED = "utilisation, law for one flow or flows that lose at the same time"
LAW_DESYNCHRONISED = "utilisation, lower bound for many flows that do not lose at the same time"


#: Name of a rule -> the flows for which the rule holds according to its source.
RULES = {
    "one BDP": "any number of flows that halve their windows",
    "BDP/sqrt(n)": "many flows whose losses do not coincide",
    "AIMD closed form": "one flow, or flows that all lose at the same time",
    "BDP/3": "no law: a third of the bandwidth-delay product (Kim and Farber, MS-CIS-94-55, section 4.2)",
}
ONE, ROOT = "one BDP", "BDP/sqrt(n)"
SMALLEST = "simulated"  # name of the row that follows the rules: the smallest simulated buffer that suffices


def size_in_lines(packets: int, flows: int, find: str) -> int:
    """Return the size for the lines of the answer [packets]: a buffer has at least one packet for each flow.

    Our choice, from measurements at a token bucket of Linux only: with space for 2 packets, which sufficed for the
    utilisation, one of 8 connections of BBR timed out; with space for 8 packets no connection did. The limits of other
    disciplines are raised, too, although no such measurement exists for them.
    """
    return max(packets, flows) if find == "buffer" else packets


def decrease_of(scheme: Scheme, parameters: Mapping[str, float]) -> float:
    """Return the factor by which the scheme multiplies its window at a loss [1]; NaN if no law describes the scheme.

    >>> from longfat.sim.schemes import scheme
    >>> decrease_of(scheme("reno"), {}), decrease_of(scheme("gaimd-window"), {"beta": 0.75})
    (0.5, 0.75)
    """
    if scheme.name in ("reno", "newreno", "sack"):
        return 0.5
    if scheme.name in ("gaimd-window", "cubic") and "beta" in scheme.parameters:
        return value_of(scheme, parameters, "beta")
    return math.nan


def buffer_of_share(share: float, decrease: float) -> float:
    r"""Return the smallest buffer B [bandwidth-delay products] with which one flow reaches a utilisation U, ``share``.

    .. math:: B = \max\left(\frac{1}{\beta + y} - 1, 0\right), \qquad y = \sqrt{(1 - \beta^2) \frac{1 - U}{U}}

    >>> round(buffer_of_share(0.75, 0.5), 12), buffer_of_share(1.0, 0.5), buffer_of_share(1.0, 0.8)
    (0.0, 1.0, 0.25)
    """
    idle = math.sqrt((1 - decrease) * (1 + decrease) * (1 - share) / share)
    return max(1 / (decrease + idle) - 1, 0.0)


@dataclass(frozen=True)
class Path:
    """Properties of a path that the laws need: bandwidth-delay product [packets] and round-trip time [s]."""

    bandwidth_delay_product: float
    round_trip_time: float


@dataclass(frozen=True)
class Laws:
    """Rules and laws of AIMD flows, which multiply the window by ``decrease`` at a loss and otherwise add a constant.

    ``decrease`` is NaN for schemes without a known law.

    >>> Laws(0.5).rules(0.75, 4)["BDP/sqrt(n)"], Laws(0.5).together(0.0, 1)
    (0.5, 0.75)
    """

    decrease: float

    @property
    def about(self) -> str:
        """Remarks on the sender and its law, printed below the table; empty if there are none."""
        return ""

    @property
    def ceiling(self) -> float:
        """Largest utilisation [1] that a law allows one flow with a large buffer; 1 if no law sets a limit."""
        return 1.0

    @property
    def holds(self) -> dict[str, str]:
        """Rules in order, each with the flows for which it holds according to its source."""
        return RULES

    def rules(self, share: float, flows: float) -> dict[str, float]:
        """Return the buffer of each rule [bandwidth-delay products]; NaN where a rule does not apply to the scheme."""
        closed = math.nan if math.isnan(self.decrease) else buffer_of_share(share, self.decrease)
        bounds = dict(zip(RULES, (1.0, 1 / math.sqrt(max(flows, 1.0)), closed, 1 / 3), strict=True))
        return {name: bounds.get(name, math.nan) for name in self.holds}

    def together(self, buffer: float, flows: float) -> float:
        """Return the utilisation [1] of one flow, or of flows with synchronised losses; NaN if there is no law."""
        return math.nan if math.isnan(self.decrease) else float(aimd_utilisation_general(buffer, self.decrease))

    def along(self, buffers: np.ndarray, flows: float) -> list[float]:
        """Return the utilisation [1] that `together` gives, at each of several buffers [bandwidth-delay products]."""
        return [self.together(float(one), flows) for one in buffers]

    def apart(self, buffer: float, flows: float) -> float:
        r"""Return a lower bound of the utilisation [1] of many flows whose losses are not synchronised.

        .. math::

            U \ge \operatorname{erf}\left(\frac{k}{2 \sqrt 2} \frac{B \sqrt n}{1 + B}\right), \qquad
            k = \sqrt 3 \, \frac{1 + \beta}{1 - \beta}

        A window that is uniformly distributed between beta w and w has the mean (1 + beta) w/2, and its standard
        deviation is 1/k of the mean. The sum of n independent windows is nearly normal, and its standard deviation is
        1/(k sqrt(n)) of its mean. If the mean lies in the middle of the buffer, the sum stays within the buffer with
        the probability that the equation gives, and the link is idle only when the sum is below the buffer. For beta =
        1/2, k is 3 sqrt(3). Appenzeller, Keslassy and McKeown, Sizing Router Buffers, SIGCOMM 2004, section 3. The
        result is NaN for one flow.

        >>> round(Laws(0.5).apart(0.1, 100), 4)  # B = BDP/sqrt(n)
        0.9817
        """
        if flows <= 1 or math.isnan(self.decrease):
            return math.nan
        k = math.sqrt(3) * (1 + self.decrease) / (1 - self.decrease)
        return math.erf(k / (2 * math.sqrt(2)) * buffer * math.sqrt(flows) / (1 + buffer))


@dataclass(frozen=True)
class NoLaws(Laws):
    """Buffer rules for a scheme whose utilisation no law describes, so that only simulations determine it.

    >>> list(NoLaws(math.nan, reason="No law.").rules(0.95, 4).values())
    [1.0, 0.5, 0.3333333333333333]
    """

    reason: str = field(default="", kw_only=True)

    @property
    def about(self) -> str:
        """Remarks on the law, printed below the table."""
        return self.reason

    @property
    def holds(self) -> dict[str, str]:
        """Rules in order, without AIMD's closed form, each with the flows for which it holds."""
        return {name: text for name, text in RULES.items() if name != "AIMD closed form"}


CUBIC_FORM, FULL_LINK = "CUBIC without fast convergence", "(1-beta)/beta BDP"


@dataclass(frozen=True)
class CubicLaws(Laws):
    """Rules and laws of CUBIC, whose sawtooth depends on the bandwidth-delay product and on the round-trip time.

    The bound `apart` assumes windows that are uniformly distributed between beta w and w; their mean is
    sqrt(3) (1 + beta)/(1 - beta) = 9.8 standard deviations. The bound also holds in the cubic region, because a window
    that follows the cubic function from beta w to w varies less: its mean is (3 + beta) w/4 and its variance
    (1 - beta)^2 w^2 (1/7 - 1/16), so that the mean is sqrt(7) (3 + beta)/(3 (1 - beta)) = 10.9 standard deviations.
    """

    path: Path
    c: float
    reno_friendly: bool = True

    about = (
        'CUBIC\'s law, also in the column "together", is that of RFC 9438 in a fluid without fast convergence, as\n'
        "section 4.7 asks where a flow is alone. Hosts have it on, and need a larger buffer than by the law."
    )

    @property
    def holds(self) -> dict[str, str]:
        """Rules in order, each with the flows for which it holds according to its source."""
        one, root, _, third = RULES
        return {
            one: RULES[one],
            root: RULES[root],
            CUBIC_FORM: "one flow, or flows of equal round-trip times that all lose at the same time; hosts have fast "
            "convergence (RFC 9438, section 4.7)",
            FULL_LINK: f"one flow that multiplies its window by beta = {self.decrease:g} at a loss: never idle",
            third: RULES[third],
        }

    def rules(self, share: float, flows: float) -> dict[str, float]:
        """Return the buffer of each rule [bandwidth-delay products]."""
        own = {CUBIC_FORM: _buffer_of_share(self, share, flows), FULL_LINK: (1 - self.decrease) / self.decrease}
        return super().rules(share, flows) | own

    def together(self, buffer: float, flows: float) -> float:
        """Return the utilisation [1] of one flow, or of flows that share buffer and path equally."""
        return self.along(np.array([buffer]), flows)[0]

    def along(self, buffers: np.ndarray, flows: float) -> list[float]:
        """Return the utilisation [1] at each buffer [bandwidth-delay products], by a single call of the law."""
        if not self.reno_friendly:
            found = laws_of_cubic.utilisation(buffers, self.decrease)
        else:
            packets = self.path.bandwidth_delay_product / max(flows, 1.0)
            trip = self.path.round_trip_time
            found = laws_of_cubic.utilisation_general(buffers, packets, trip, self.c, self.decrease)
        return [float(one) for one in found]


@functools.lru_cache(maxsize=64)  # called for the buffers by rule, and again for the simulated answer
def _buffer_of_share(laws: CubicLaws, share: float, flows: float) -> float:
    """Return the smallest buffer [bandwidth-delay products] at which the law's utilisation reaches a share.

    >>> laws = CubicLaws(0.7, Path(1e4, 0.1), 0.4)
    >>> round(laws.together(_buffer_of_share(laws, 0.95, 1), 1), 9), _buffer_of_share(laws, 0.9, 1)
    (0.95, 0.0)
    """
    low, high = 0.0, (1 - laws.decrease) / laws.decrease  # at larger buffers the link is never idle
    if share >= 1 or laws.together(low, flows) >= share:
        return high if share >= 1 else low
    while high - low > 1e-9:
        tried = np.linspace(low, high, 33)[1:]  # the last of these buffers reaches the share
        first = int(np.argmax(np.array(laws.along(tried, flows)) >= share))
        low, high = float(tried[first - 1]) if first else low, float(tried[first])
    return high


def marking_threshold(packets: float) -> int:
    """Return the smallest integer above a seventh of the BDP: the threshold [packets] with which DCTCP fills a link.

    ``packets`` is the bandwidth-delay product [packets]. Alizadeh and others 2010, section 3.3.

    >>> marking_threshold(83.0)  # 83/7 = 11.86
    12
    """
    return math.floor(float(laws_of_dctcp.least_threshold(packets))) + 1


ABOVE_THRESHOLD = "threshold + flows"
BY_MARKS = {
    ABOVE_THRESHOLD: "any number of DCTCP flows of equal round-trip times in congestion avoidance",
    "one BDP": RULES["one BDP"],
}


@dataclass(frozen=True)
class DctcpLaws(Laws):
    """Rules and laws of DCTCP at a queue that marks packets above a threshold [packets]."""

    path: Path
    threshold: float
    holds = BY_MARKS

    @property
    def about(self) -> str:
        """Remarks on the law, printed below the table."""
        least = float(laws_of_dctcp.least_threshold(self.path.bandwidth_delay_product))
        return (
            f"DCTCP: thresholds above BDP/7 = {least:.4g} packets keep the link busy with any number of flows,\n"
            "and the queue is at most threshold + flows (Alizadeh and others 2010, section 3.3; a fluid of\n"
            "synchronised flows). Packets come in bursts: simulated flows lose some with that buffer. With a smaller\n"
            "buffer there is no law."
        )

    def rules(self, share: float, flows: float) -> dict[str, float]:
        """Return the buffer of each rule [bandwidth-delay products]; NaN for one BDP if the threshold is as large."""
        packets = self.path.bandwidth_delay_product
        largest = float(laws_of_dctcp.largest_queue(round(max(flows, 1.0)), self.threshold))
        one = 1.0 if packets >= self.threshold + 1 else math.nan
        return dict(zip(self.holds, (math.ceil(largest) / packets, one), strict=True))

    def together(self, buffer: float, flows: float) -> float:
        """Return the utilisation [1] of synchronised flows; NaN where the buffer or the windows are too small.

        With a threshold K, a BDP C R and a marked fraction alpha, the sum of N windows grows by N packets a round trip,
        from (1 - alpha/2) (C R + K + N) to C R + K + N packets: an AIMD sawtooth with the buffer K + N.

        >>> round(DctcpLaws(math.nan, Path(100.0, 1e-4), 20.0).together(1.0, 2), 4)
        1.0
        """
        path, count = self.path.bandwidth_delay_product, round(max(flows, 1.0))
        largest = float(laws_of_dctcp.largest_queue(count, self.threshold))
        window = (path + self.threshold) / count
        if buffer * path < largest - 1e-9 or window < 2:  # packets: the least window of congestion avoidance
            return math.nan
        decrease = 1 - float(laws_of_dctcp.marked_share(window)) / 2
        return float(aimd_utilisation_general(largest / path, decrease))


BUCKET_RULE = "AIMD, whole rate"
OF_BUCKET = {BUCKET_RULE: "one paced flow that grows by a packet a round trip", "one BDP": "no law"}


@dataclass(frozen=True)
class PolicerLaws(Laws):
    """Rule for the bucket of a policer that limits one flow with additive increase.

    >>> PolicerLaws(0.5, Path(90.0, 0.1)).rules(0.95, 1)
    {'AIMD, whole rate': 5.0, 'one BDP': 1.0}
    """

    path: Path

    holds = OF_BUCKET
    about = (
        "A policer has no queue: packets that find no tokens are dropped. The bucket with which one flow gets the\n"
        "whole rate is N^2/2 ((1-beta)/(1+beta))^2 packets by the law, N^2/18 for Reno, where N packets are one\n"
        "BDP, if packets are paced. Packets sent in bursts need tokens for a burst besides."
    )

    def rules(self, share: float, flows: float) -> dict[str, float]:
        """Return the token bucket by each rule [bandwidth-delay products]; NaN for schemes without such a law."""
        packets = self.path.bandwidth_delay_product
        alone = flows <= 1 and not math.isnan(self.decrease)
        known = float(burst_for_policed_rate(packets, self.decrease)) if alone else math.nan
        return dict(zip(self.holds, (known / packets, 1.0), strict=True))

    def together(self, buffer: float, flows: float) -> float:
        """Return the fraction of the policed rate that one flow reaches [1]; NaN for several flows."""
        if flows > 1 or math.isnan(self.decrease):
            return math.nan
        packets = self.path.bandwidth_delay_product
        return float(policed_utilisation(max(1.0, buffer * packets), packets, self.decrease))

    def apart(self, buffer: float, flows: float) -> float:
        """Return NaN: no lower bound of the fraction of the policed rate is known for several flows."""
        return math.nan


#: Interval between two ProbeRTTs of BBR [s]: of version 3 by draft-ietf-ccwg-bbr-06, section 2.16.2; of version 1
#: (2016) by its constant RTpropFilterLen.
PROBE_INTERVAL = {"bbr": 5.0, "bbr1": 10.0}
PROBE_WINDOW = 4.0  # packets in flight in ProbeRTT, BBR of 2016
#: Amount in flight in ProbeRTT of BBR version 3 [bandwidth-delay products] (draft-ietf-ccwg-bbr-06, section 5.6.4.5,
#: ProbeRTTCwnd()).
PROBE_GAIN = 0.5
QUEUE_OF_PROBE = 0.25  # bandwidth-delay products: queue after a round trip with the gain 5/4, BBR of 2016

#: Smallest buffer that may be the answer for BBR [bandwidth-delay products]: the smallest at which simulated BBR was
#: compared with Linux's (docs/linux.md). With a buffer of one packet, Linux's BBR had 86 to 94 % of the simulated rate
#: of BBR with the rules of 2016 (docs/data/advice.csv, row 14).
LEAST_OF_BBR = 0.1


def is_bbr(scheme: Scheme) -> bool:
    """Return whether the scheme is BBR, of version 3 or of 2016."""
    return scheme.name in PROBE_INTERVAL and scheme.delivery_rate


@dataclass(frozen=True)
class BbrLaws(NoLaws):
    """Rules and laws of BBR; with a large buffer only ProbeRTT lowers the utilisation.

    >>> bbr1 = BbrLaws(math.nan, Path(333.3, 0.04), "bbr1")
    >>> round(bbr1.ceiling, 4), bbr1.together(0.1, 1)
    (0.9768, nan)
    """

    path: Path
    version: str

    @property
    def about(self) -> str:
        """Remarks on the law, printed below the table."""
        said = (
            f"BBR: by the law of ProbeRTT one flow carries {self.ceiling:.4f} of the link in a large buffer.\n"
            f"Below {LEAST_OF_BBR:g} BDP no buffer is tried: there Linux's BBR was not compared with this one.\n"
        )
        if self.version == "bbr":
            return (
                f"{said}Version 3 also paces 1 % below its estimate: there is no law of both; the simulation decides."
            )
        queue = float(laws_of_bbr.standing_queue(self.path.bandwidth_delay_product))
        return (
            f"{said}Its rules are those of Linux. With less than BDP/4 probes lose packets: the simulation decides.\n"
            f"Several flows hold a standing queue of {queue:.4g} packets by the law."
        )

    @property
    def ceiling(self) -> float:
        """Utilisation of one flow with a large buffer [1]; it is below 1 because of ProbeRTT."""
        low = PROBE_GAIN if self.version == "bbr" else min(1.0, PROBE_WINDOW / self.path.bandwidth_delay_product)
        interval = PROBE_INTERVAL[self.version]
        return float(laws_of_bbr.probe_rtt_utilisation(self.path.round_trip_time, low, interval))

    def together(self, buffer: float, flows: float) -> float:
        """Return the utilisation [1] of one flow of BBR of 2016 if its probes cause no loss; else NaN."""
        known = self.version == "bbr1" and flows <= 1 and buffer >= QUEUE_OF_PROBE
        return self.ceiling if known else math.nan


def laws_of(
    scheme: Scheme, parameters: Mapping[str, float], path: Path, threshold: float = 0.0, discipline: str = "fifo"
) -> Laws:
    """Return the rules and laws of a scheme with given parameters on a path.

    ``threshold`` is the backlog above which the queue discipline marks packets [packets], or 0 if it has none.
    """
    if scheme.name == "dctcp" and "gain" in scheme.parameters and threshold:
        return DctcpLaws(math.nan, path, threshold)
    decrease = decrease_of(scheme, parameters)
    if discipline != "fifo" and (is_bbr(scheme) or not math.isnan(decrease)):
        return NoLaws(
            math.nan,
            reason=f"The laws of {scheme.name} are for drop tail (fifo): beside {discipline} the simulation decides.",
        )
    if scheme.name == "cubic" and "c" in scheme.parameters:
        friendly = value_of(scheme, parameters, "reno_friendly") > 0
        return CubicLaws(decrease, path, value_of(scheme, parameters, "c"), friendly)
    if is_bbr(scheme):
        return BbrLaws(math.nan, path, scheme.name)
    return Laws(decrease)


def value_of(scheme: Scheme, parameters: Mapping[str, float], name: str) -> float:
    """Return the value of a scheme's parameter: that in ``parameters``, or the default if it is not there."""
    return float(parameters.get(name, scheme.parameters[name].default))  # type: ignore[arg-type, union-attr]


#: Rules that `compared` does not choose: BDP/3 is not derived by a law, and FULL_LINK gives the buffer for a link that
#: is always busy, although a lower utilisation may be required.
FURTHER = (FULL_LINK, "BDP/3")


def compared(rules: Iterable[str], flows: int) -> str:
    """Return the rule to compare an answer with: the law of the scheme, or BDP/sqrt(n) for several flows.

    >>> compared(["one BDP", "BDP/sqrt(n)", "AIMD closed form", "BDP/3"], 1)
    'AIMD closed form'
    >>> compared(["one BDP", "BDP/sqrt(n)", "BDP/3"], 1)
    'one BDP'
    """
    known = list(rules)
    if flows > 1 and ROOT in known:
        return ROOT
    own = [one for one in known if one not in (ONE, ROOT, *FURTHER, SMALLEST)]
    return own[0] if own else ONE
