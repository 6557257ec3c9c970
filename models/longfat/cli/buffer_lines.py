"""Lines that `longfat buffer` gives for Linux: queue disciplines with the limits that were found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.cli.paste import Line, rates
from longfat.design.tcp_window import HEADERS
from longfat.laws.tcp import achievable_throughput
from longfat.quantities import text

if TYPE_CHECKING:
    import xarray as xr

FRAME = 14  # bytes of a packet that tc counts besides IP's: the header of Ethernet
#: Linux's names of schemes, for iperf3 -C.
CONTROLS = {
    "cubic": "cubic",
    "sack": "reno",
    "newreno": "reno",
    "reno": "reno",
    "bbr1": "bbr",
    "bbr": "bbr",
    "dctcp": "dctcp",
}
#: A token bucket that works by timers needs burst >= rate/HZ (tc-tbf(8)); HZ is 250 in the usual kernels, 100 at least.
TICKS = 100.0


def lines(data: xr.Dataset) -> list[Line]:
    """Return the queue at the bottleneck, and the checks of rate and queueing delay."""
    a = data.attrs
    every = data if "flows" in data.dims else data.expand_dims("flows")
    rows = [every.isel(flows=k).sel(rule="simulated") for k in range(every.sizes["flows"])]
    found = [row for row in rows if math.isfinite(float(row.buffer_packets))]
    if not found:
        return [Line("None: no buffer that was simulated reaches the share.", ())]
    if not a["scale_free"] and float(every.simulated_bdp.max()) < 0.999 * a["bandwidth_delay_product"]:
        return [
            Line("None: the simulated link is smaller than yours, and the answer is not known to hold for both.", ())
        ]
    row = max(found, key=lambda one: float(one.buffer_packets))
    packets = int(row.buffer_packets)
    if a["discipline"] == "step-marking":
        return [_marks(a, packets), *_checks(a, row, packets)]
    if a["discipline"] != "fifo":
        return [Line(f"None: no queue discipline of Linux is known to be the simulated {a['discipline']}.", ())]
    return [*_fifo(a, row, packets), *_checks(a, row, packets)]


def _fifo(a: dict[str, Any], row: xr.Dataset, packets: int) -> list[Line]:
    size = packets * (a["packet"] + FRAME)
    delay = packets * a["packet"] / a["rate"]
    rate = round(8 * a["rate"])
    burst = max(math.ceil(a["rate"] / TICKS), 2 * (a["packet"] + FRAME))
    share = f"{100 * a['share']:.6g}%"
    most = f"{int(row.flows)} {a['scheme']} flows" if int(row.flows) > 1 else f"one {a['scheme']} flow"
    return [
        Line(
            f"On the host or router whose interface DEV is the bottleneck, as root: {packets} packets, {size} bytes, "
            f"{text(float(f'{delay:.3g}'), 's')} at this rate, are the smallest buffer with which {most} carried "
            f"{share} of the link. The limit is in bytes, because a packet of Linux may be many "
            "of the wire (segmentation offload). It replaces the queue discipline of DEV; a scheduler such as fq_codel "
            "may serve you better.",
            (f"tc qdisc replace dev DEV root bfifo limit {size}",),
            "tc -s qdisc show dev DEV",
            f"limit {size}b; dropped above 0 while the flows run: else the queue is not here",
        ),
        Line(
            f"If the interface is faster than the {text(a['rate'], 'bytes/s')} and this host is to be the bottleneck: "
            f"the same buffer behind a token bucket; at most {burst} bytes go at once, which a timer of 10 ms needs.",
            (f"tc qdisc replace dev DEV root tbf rate {rate}bit burst {burst}b limit {size}",),
        ),
    ]


def _marks(a: dict[str, Any], packets: int) -> Line:
    threshold = math.ceil(1e6 * a["mark_above"] * a["packet"] / a["rate"])
    return Line(
        f"On the bottleneck, as root: marks above {a['mark_above']:g} packets, which wait {threshold} us at this rate: "
        f"Linux counts in time (ce_threshold). The limit is the simulated one, {packets} packets. For senders "
        "and receivers with DCTCP only: others lose by it.",
        (f"tc qdisc replace dev DEV root fq_codel limit {packets} ce_threshold {threshold}us ecn",),
        "tc -s qdisc show dev DEV",
        "ce_mark above 0 while the flows run, and dropped 0 or nearly so",
    )


def _checks(a: dict[str, Any], row: xr.Dataset, packets: int) -> list[Line]:
    """Return the checks of rate and delay; the rate of data, between Ethernet's and IP's count of headers."""
    flows, control = int(row.flows), CONTROLS.get(a["scheme"])
    low, high = rate_to_expect(a, row)
    largest = packets * a["packet"] / a["rate"]
    mean = float(row.queueing_delay)
    command = f"iperf3 -c HOST -f m -P {flows} -O 10 -t 60" + (f" -C {control}" if control else "")
    return [
        Line(
            f"Then measure through the bottleneck, with round-trip times of {text(a['round_trip_time'], 's')} "
            "(the mean), and look at a ping beside it.",
            (command, "ping -i 0.2 HOST"),
            expect=f'in the line "receiver" {rates(low, high)} in the mean of several checks; round trips longer '
            f"than without load by {text(float(f'{mean:.2g}'), 's')} on the average and by "
            f"{text(float(f'{largest:.2g}'), 's')} at most",
        )
    ]


def rate_to_expect(a: dict[str, Any], row: xr.Dataset) -> tuple[float, float]:
    """Return the interval of the rate of data [bytes/s], between Ethernet's and IP's count of headers."""
    data = max(1, a["packet"] - HEADERS[0])
    least, most = (float(achievable_throughput(a["rate"], data, extra)) for extra in reversed(HEADERS))
    return least * float(row.share_lower), most * min(1.0, float(row.share_upper))
