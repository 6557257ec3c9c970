"""Advice on a bottleneck in the answer of `longfat buffer`, with the most effective measure first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import rounded
from longfat.cli import buffer_lines
from longfat.cli.tables import packets, percent
from longfat.design.buffer_laws import ONE, marking_threshold
from longfat.laws.bbr import share
from longfat.laws.dctcp import largest_queue

if TYPE_CHECKING:
    import xarray as xr

#: Longest round-trip time at which DCTCP is advised [s]. Our choice of a bound for data centers, for which RFC 8257,
#: section 1, defines DCTCP.
DATA_CENTER = 1e-3


def first(data: xr.Dataset) -> list[str]:
    """Return at most three sentences of advice, each with the expected gain and its source."""
    of_flows = buffer_lines.decisive(data)
    if of_flows is None:
        return []
    row = of_flows.sel(rule="simulated")
    a = data.attrs
    if a["find"] == "burst":
        return ["A queue instead of the policer (--find buffer) needs less memory, and loses less."]
    if a["find"] != "buffer":
        return []
    said = [_beside_cubic(a)] if "bbr_share" in a else []
    if a["discipline"] == "fifo":
        said += [*_fair_queueing(row), *_data_center(row)]
    one = of_flows.sel(rule=ONE) if ONE in of_flows.rule else row
    if float(one.buffer_packets) > buffer_lines.in_lines(row):
        said += _not_more(row, one)
    return said[:3]


def beside_cubic(data: xr.Dataset) -> dict[str, float]:
    """Simulate BBR beside a CUBIC flow with the drop-tail buffer found; return BBR's fraction of the total rate.

    The result is empty if no buffer was found, or the answer is not about a drop-tail buffer.
    """
    from longfat.design import beside_cubic as neighbours
    from longfat.design.replicating import Effort
    from longfat.design.senders import SENDERS
    from longfat.design.tcp import TcpPath

    a = data.attrs
    of_flows = buffer_lines.decisive(data)
    if of_flows is None or (a["find"], a["discipline"]) != ("buffer", "fifo"):
        return {}
    buffer = buffer_lines.in_lines(of_flows.sel(rule="simulated")) / a["bandwidth_delay_product"]
    path = TcpPath(a["rate"], a["round_trip_time"], a["packet"], SENDERS[a["scheme"]], buffer)
    found = neighbours.beside_cubic(path, Effort(int(a["seed"]), neighbours.RUNS, a["confidence"], str))
    # The law describes only version 1 of BBR (2016): NaN for other schemes.
    law = float(share(buffer, a["bandwidth_delay_product"])) if a["scheme"] == "bbr1" else math.nan
    return {name: found[name] for name in ("bbr_share", "bbr_share_lower", "bbr_share_upper", "bbr_loss")} | {
        "bbr_share_law": law
    }


def _beside_cubic(a: dict[str, Any]) -> str:
    """Return a sentence on BBR's version and on its fraction of the total rate beside one CUBIC flow."""
    version = "version 1, Linux's" if a["scheme"] == "bbr1" else "version 3, not Linux's"
    taken, low, high = (f"{100 * a[f'bbr_share{end}']:.3g}" for end in ("", "_lower", "_upper"))
    law = f"law {percent(a['bbr_share_law'], 3)}" if math.isfinite(a["bbr_share_law"]) else "no law"
    return (
        f"{a['scheme']} ({version}) beside a CUBIC flow: {taken}% of both rates ({low} .. {high} simulated, {law}), "
        f"{percent(a['bbr_loss'], 2)} lost"
    )


def _fair_queueing(row: xr.Dataset) -> list[str]:
    """Return the advice to use fair queueing, in which packets of sparse flows wait for one packet of each bulk flow.

    Source: RFC 8290, sections 1.3 and 4.2. There is no advice if sparse flows wait as long as behind a full buffer.
    """
    flows, buffer = int(row.flows), buffer_lines.in_lines(row)
    if flows >= buffer:
        return []
    wait, full = (rounded(count * row.attrs["packet"] / row.attrs["rate"], "s") for count in (flows, buffer))
    return [
        f"fq_codel or CAKE: flows that send little wait about {wait} (RFC 8290), not up to {full}. See --discipline "
        "fq-codel"
    ]


def _not_more(row: xr.Dataset, one: xr.Dataset) -> list[str]:
    """Return a sentence that compares delay and throughput with a buffer of one BDP and with the buffer found.

    There is no sentence if the rounded delays are equal, because a larger buffer then has no disadvantage.
    """
    wait, longer = (rounded(float(each.queueing_delay), "s") for each in (row, one))
    carried, more = (percent(float(each.share), 3) for each in (row, one))
    if wait == longer:
        return []
    if buffer_lines.has_free_room(row, one):
        return [f"More room is free, and takes bursts: with one BDP packets wait {longer} instead of {wait} (mean)"]
    carries = "no more" if more == carried else f"{more} instead of {carried}"
    return [f"Not more: one BDP carries {carries}, and packets wait {longer} instead of {wait} (mean)"]


def _data_center(row: xr.Dataset) -> list[str]:
    """Return the advice to use DCTCP, with its largest queue by the fluid law, if the path is within a data center.

    There is no advice if that queue is as long as a full buffer.
    """
    a = row.attrs
    if a["round_trip_time"] > DATA_CENTER or a["scheme"].startswith("bbr"):
        return []
    threshold = marking_threshold(a["bandwidth_delay_product"])
    queue = float(largest_queue(int(row.flows), threshold))
    if queue >= buffer_lines.in_lines(row):
        return []
    wait = rounded(queue * a["packet"] / a["rate"], "s")
    return [
        f"DCTCP at all hosts, marks above {packets(threshold)}: full link, {wait} of queue at most (law of a fluid). "
        "See --scheme dctcp"
    ]
