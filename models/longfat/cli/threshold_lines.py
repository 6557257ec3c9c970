"""Lines of `tc` for queue disciplines with a threshold or a target that `longfat buffer` has found."""

from __future__ import annotations

import math
from typing import Any

from longfat.base.quantities import text
from longfat.cli.paste import Line
from longfat.design.signalling import LARGEST_PROBABILITY, NAMES, RED_LEAST, ROOM, TIMES_LOW, interval

__all__ = ["NAMES", "line", "marks"]

#: RED's weight of a new sample in Linux is 2^-9, which is nearest to the simulated 0.002 (Floyd and Jacobson, 1993).
RED_EXPONENT = 9
OF = {"codel": "RFC 8289", "fq-codel": "RFC 8290", "pie": "RFC 8033", "dualpi2": "RFC 9332", "red": "Floyd 1997"}


def line(a: dict[str, Any], packets: int) -> Line:
    """Return the discipline with a threshold of so many packets."""
    if a["discipline"] == "step-marking":
        return marks(a, packets, _limit(a, packets))
    delay, limit = packets * a["packet"] / a["rate"], _limit(a, packets)
    name, target = a["discipline"], _time(delay)
    longest = max(a.get("round_trip_times", [a["round_trip_time"] * (1 + a["spread"])]))
    apart = f"target {target} interval {_time(max(interval(longest), delay))}"
    command = {
        "codel": f"codel limit {limit} {apart}",
        "fq-codel": f"fq_codel limit {limit} {apart}",
        "pie": f"pie limit {limit} target {target} tupdate 15ms",
        "dualpi2": f"dualpi2 limit {limit} target {target}",
        "red": _red(a, packets, limit),
    }[name]
    what = f"average queue of {packets} packets" if name == "red" else f"target of {text(float(f'{delay:.3g}'), 's')}"
    return Line(
        f"On the bottleneck, as root: a {what} ({packets} packets at this rate, {OF[name]}) is the smallest with which "
        f"these flows carried {100 * a['share']:.6g}% of the link; behind it there is room for {limit} packets. Marks "
        "instead of drops only between hosts with ECN."
        + (" tc has dualpi2 since iproute2 6.16, Linux since 6.17." if name == "dualpi2" else ""),
        (f"tc qdisc replace dev DEV root {command}",),
        "tc -s qdisc show dev DEV",
        "the same numbers; dropped (or marked) above 0 while the flows run: else the queue is not here",
    )


def _limit(a: dict[str, Any], packets: int) -> int:
    return math.ceil(packets + ROOM * float(a["bandwidth_delay_product"]))


def _time(seconds: float) -> str:
    return f"{math.ceil(1e6 * seconds - 1e-6)}us"


def _red(a: dict[str, Any], packets: int, limit: int) -> str:
    size, packets = a["packet"], max(packets, RED_LEAST)
    return (
        f"red limit {limit * size} min {packets * size} max {round(TIMES_LOW * packets) * size} avpkt {size} "
        f"burst {_burst(packets)} bandwidth {round(8 * a['rate'])}bit probability {LARGEST_PROBABILITY}"
    )


def _burst(low: int) -> int:
    """Return the least burst for which tc chooses the weight 2^-9 (iproute2, tc_red.c, tc_red_eval_ewma()).

    It takes the first W = 2^-n for which burst + 1 - min/avpkt is at most (1 - (1 - W)^burst)/W.
    """
    weight = 2.0 ** (1 - RED_EXPONENT)
    burst = low + 1
    while burst + 1 - low <= (1 - (1 - weight) ** burst) / weight:
        burst += 1
    return burst


def marks(a: dict[str, Any], above: float, limit: int) -> Line:
    """Return step marking, which Linux does by time."""
    threshold = _time(above * a["packet"] / a["rate"])
    return Line(
        f"On the bottleneck, as root: marks above {above:g} packets, which wait {threshold} at this rate: "
        f"Linux counts in time (ce_threshold). The limit is the simulated one, {limit} packets. For senders "
        "and receivers with DCTCP only: others lose by it.",
        (f"tc qdisc replace dev DEV root fq_codel limit {limit} ce_threshold {threshold} ecn",),
        "tc -s qdisc show dev DEV",
        "ce_mark above 0 while the flows run, and dropped 0 or nearly so",
    )
