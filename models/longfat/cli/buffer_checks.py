"""Checks in the answer of `longfat buffer`: commands that measure rate and delay on Linux, and their results."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import rounded, text
from longfat.cli.paste import (
    CHECK,
    LONGEST,
    LONGEST_OMITTED,
    Line,
    format_of,
    one_iperf3,
    rates,
    sendable,
)
from longfat.design.senders import SENDERS
from longfat.design.tcp_windows import HEADERS, UTILISATION_ACCURACY, by_iperf3
from longfat.laws.tcp import achievable_throughput

if TYPE_CHECKING:
    import xarray as xr

OMITTED = 10  # s: least time that a check omits at its start (iperf3 -O), our choice
#: Least number of round trips that a check omits. Our choice: slow start doubles the window in each, from 10 packets
#: (RFC 6928) to 10 million.
OMITTED_TRIPS = 20
#: Name of a scheme -> its name in Linux, for iperf3 -C.
CONTROLS = {"sack": "reno", "newreno": "reno"} | {name: one.control for name, one in SENDERS.items()}
#: Disciplines whose line uses fq_codel, in which a ping does not wait behind the flows (RFC 8290, section 4.1).
OWN_QUEUES = ("step-marking", "fq-codel")
#: Relative difference within which Linux's mean queue is expected to agree with the simulated one. Our choice from the
#: differences for Reno and CUBIC (docs/linux.md): all their intervals are within 10 %, except those of two flows of
#: CUBIC at 0.1 BDP, +9.5 +- 5.6 %, and at 0.25 BDP, up to 11 %. For BBR the answer gives only the largest delay.
DELAY_ACCURACY = 0.1
#: Largest rate at which the answer's values were compared with Linux [bytes/s] (docs/advice.md). At higher rates the
#: hosts may limit the flows.
COMPARED = 1.25e7


def rate_to_expect(row: xr.Dataset, larger: bool = False) -> tuple[float, float]:
    """Return the interval of the rate of data that Linux is expected to reach [bytes/s].

    The lower end assumes that the link's rate counts Ethernet's headers, the upper end that it counts IP's. Linux's
    utilisation may differ from the simulated one by `UTILISATION_ACCURACY`, which is no bound of the observed
    differences. With ``larger`` the queue may hold more than the smallest sufficient buffer, so that the link may be
    full.
    """
    data = max(1, row.attrs["packet"] - HEADERS[0])
    least, most = (float(achievable_throughput(row.attrs["rate"], data, extra)) for extra in reversed(HEADERS))
    low, high = float(row.share_lower) - UTILISATION_ACCURACY, float(row.share_upper) + UTILISATION_ACCURACY
    return least * max(0.0, low), most * (1.0 if larger else min(1.0, high))


def delay_to_expect(row: xr.Dataset, raised: bool) -> tuple[float, float] | None:
    """Return the interval of the mean queueing delay [s] to expect; None for BBR, and None for a policer.

    The result is also None if the buffer in the pasted lines is ``raised`` above the simulated one.
    """
    if row.attrs["scheme"].startswith("bbr") or row.attrs["find"] == "burst" or raised:
        return None
    low, high = float(row.queueing_delay_lower), float(row.queueing_delay_upper)
    return (1 - DELAY_ACCURACY) * low, (1 + DELAY_ACCURACY) * high


def checks(row: xr.Dataset, raised: bool, joined: bool, largest: float | None = None) -> Line:
    """Return the lines that check rate and delay, or the reason why there are none.

    ``raised`` is whether the buffer in the pasted lines is larger than the simulated one. ``joined`` is whether a FIFO
    or a bucket has space for a joined packet in addition to the buffer. Other packets may fill this space, so that the
    rate may be higher than with the buffer alone. ``largest`` is the limit of a FIFO [bytes].
    """
    a = row.attrs
    control, cycle = CONTROLS.get(a["scheme"]), float(row.cycle)
    if control is None:
        return Line(f"No check: {a['scheme']} was not compared with a sender of Linux.")
    if cycle > LONGEST:
        return Line(
            f"No check: a window takes up to {rounded(cycle, 's', 2)} from loss to loss, and iperf3 {LONGEST} s."
        )
    data = max(1, int(a["packet"]) - HEADERS[0])
    at, streams = _to_hosts(a, int(row.flows))
    streams, more, remark = one_iperf3(streams, data)
    if not sendable(data):
        return Line(f"No check: {remark}.")
    lasts = 10 * math.ceil(cycle / 10) if cycle > CHECK else CHECK
    low, high = by_iperf3(*rate_to_expect(row, joined or raised), data, lasts)
    form, unit = format_of(high)
    command = f"iperf3 -c HOST {form} -P {streams} -O {_omitted(a)} -t {lasts} -C {control}{more}"
    ping: tuple[str, ...] = ("ping -i 0.2 HOST",)
    longer, beside = _longer(row, raised, joined, largest), ", with a ping beside it"
    if a["find"] == "burst" or a["discipline"] in OWN_QUEUES:
        # A policer has no queue.
        ping, longer, beside = (), "", "" if a["find"] == "burst" else "; a ping would wait in a queue of its own"
    compared = "" if a["rate"] <= COMPARED else f"; compared with Linux up to {text(COMPARED, 'bytes/s')} only"
    return Line(
        f"Check it, {at}{beside}{compared}{f'; {remark}' if remark else ''}:",
        (command, *ping),
        expect=f"receiver {rates(low, high, unit)} in the mean of several checks{longer}",
    )


def _longer(row: xr.Dataset, raised: bool, joined: bool, largest: float | None) -> str:
    """Return a text on the time that the queue adds to a ping: at most, and in the mean."""
    said = [] if largest is None else [f"by {rounded(largest / row.attrs['rate'], 's', 2)} at most"]
    if mean := delay_to_expect(row, raised):
        where = " if nothing is joined" if joined else ""
        said.append("{} to {} in the mean{}".format(*(rounded(end, "s", 2) for end in mean), where))
    return f"; ping longer {', '.join(said)}" if said else ""


def _to_hosts(a: dict[str, Any], flows: int) -> tuple[str, int]:
    """Return a text on the hosts of the check, and its number of streams to each; streams of one iperf3 share a path.

    The flows have the listed round-trip times in turn, as in the simulation (`LongFlows`).
    """
    trips = a.get("round_trip_times", [a["round_trip_time"]])[:flows]
    if len(trips) == 1:
        return f"at a round-trip time of {text(trips[0], 's')}", flows
    fewer = -flows % len(trips)
    last = f", the last {fewer} with one stream less" if fewer else ""
    hosts = ", ".join(text(one, "s") for one in trips)
    return f"at once to hosts at {hosts}{last}, whose rates are added", math.ceil(flows / len(trips))


def _omitted(a: dict[str, Any]) -> int:
    """Return the time that a check omits at its start, during slow start [s]."""
    longest: float = max(a.get("round_trip_times", [a["round_trip_time"]]))
    return min(max(OMITTED, math.ceil(OMITTED_TRIPS * longest)), LONGEST_OMITTED)
