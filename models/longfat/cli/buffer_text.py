"""Answer of `longfat buffer` as text: smallest sufficient buffers, advice, lines to paste, and a table of all rules."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import rounded, text
from longfat.cli import buffer_lines, paste, tables
from longfat.cli.output import MORE
from longfat.cli.tables import Column, interval, number, packets, percent, quantity
from longfat.design.buffer_laws import ONE, ROOT, compared, marking_threshold
from longfat.laws.bbr import share
from longfat.laws.dctcp import largest_queue
from longfat.plot import rows

if TYPE_CHECKING:
    import xarray as xr

    from longfat.design.switch_buffer import ByRule

STEP = "step-marking"  # discipline whose threshold is sought for DCTCP if no discipline is given
#: Value of ``find`` -> name of the sought quantity, and a verb for flows, where {} is a percentage ("carry 95%").
SOUGHT = {
    "buffer": ("buffer of the switch", "carry {}"),
    "threshold": ("threshold of {}", "carry {}"),
    "burst": ("bucket of a policer", "get {} of its rate"),
}
COLUMNS = (
    Column("flows", 5, number("flows", "d"), always=True),
    Column("packets", 7, number("buffer_packets", "d")),
    Column("interval", 14, lambda row: _interval(row)),
    Column("bytes", 9, quantity("buffer_bytes", "bytes")),
    Column("BDP", 6, number("buffer_bdp", ".3g")),
    Column("if full", 8, lambda row: rounded(float(row.if_full), "s") if row.attrs["find"] == "buffer" else "-"),
    Column("mean wait", 9, quantity("queueing_delay", "s", 3)),
    Column("carried", 7, lambda row: _share(row)),
    Column("rule to compare with", -20, lambda row: str(row.compared.item())),
)


#: Value of ``find`` -> title of the table of all rules.
TITLES = {
    "buffer": "Buffer of the switch (not a socket buffer, not tcp_rmem)",
    "threshold": "Threshold of the discipline",
    "burst": "Bucket of the policer (its burst)",
}
FIRST = (
    Column("flows", 5, number("flows", "d"), always=True),
    Column("rule", -16, lambda row: str(row.rule.item()), always=True),
    Column("BDP", 8, number("buffer_bdp", ".4g")),
    Column("packets", 7, number("buffer_packets", "d")),
    Column("bytes", 10, quantity("buffer_bytes", "bytes")),
)
FLOWS = (
    Column("together", 8, number("law_synchronised", ".4f")),
    Column("apart", 8, number("law_desynchronised", ".4f")),
    Column("simulated", 9, number("share", ".4f")),
)
FILES = (Column("load", 4, number("best_load", ".2f")), Column("of greatest", 11, number("share", ".4f")))
LAST = (
    Column("{confidence} interval", 16, interval("share", "6.4f")),
    Column("queueing delay", -14, lambda row: f"{rounded(float(row.queueing_delay), 's')}, {_status(row)}"),
)


#: Longest round-trip time at which DCTCP is advised [s]. Our choice of a bound for data centers, for which RFC 8257,
#: section 1, defines DCTCP.
DATA_CENTER = 1e-3


def by_rules(asked: dict[str, Any], found: list[ByRule]) -> str:
    """Return lines with the path, the sought quantity and the buffers by common rules, which need no simulation."""
    trips = asked["round_trip_time"]
    trip = trips if isinstance(trips, float) else sum(trips) / len(trips)
    bdp, packet = asked["rate"] * trip, asked["packet"]
    what, does = SOUGHT[asked["find"]]
    scheme = asked["scheme"] if isinstance(asked["scheme"], str) else asked["scheme"].name
    lines = [
        f"{text(asked['rate'], 'bytes/s')}, {text(trip, 's')}: BDP {rounded(bdp, 'bytes')}, {bdp / packet:.4g} "
        f"packets of {text(packet, 'bytes')}. Smallest {what.format(asked.get('discipline', STEP))} with which "
        f"{scheme} flows {does.format(percent(asked['share']))}:"
    ]
    of_rule: dict[str, list[str]] = {}
    for flows, rule, size in found:
        of_rule.setdefault(rule, []).append(f"{size:g} ({flows})")
    if of_rule:
        words = "; ".join(f"{rule} {', '.join(counts)}" for rule, counts in of_rule.items())
        lines += tables.wrapped(f"By rule, in packets (for so many flows): {words}")
    return "\n".join(lines)


def answer(data: xr.Dataset, verbose: bool = False) -> str:
    """Return the simulated buffers, advice, the lines to paste and the check.

    ``verbose`` adds all rules with laws and intervals, and further lines to paste, each with a check.
    """
    found = [_compared(one) for one in rows(data, "flows")]
    lines = ["", *tables.table(COLUMNS, found, _missing), *_larger(data)]
    advice = first_measures(data)
    lines += [""] if advice else []
    for one in advice:
        lines += tables.wrapped(one, "- ")
    lines += ["", table(data)] if verbose else []
    pasted = buffer_lines.lines(data)
    lines += ["", *paste.shown(pasted, brief=not verbose), *_variable(data)]
    return "\n".join(lines if verbose else [*lines, MORE])


def _compared(one: xr.Dataset) -> xr.Dataset:
    """Return the row of the smallest buffer, with a text ``compared`` on the buffer of the rule to compare with.

    ``if_full`` is the waiting time [s] behind the smallest buffer when it is full; the pasted limit may be larger.
    """
    rule = compared(map(str, np.asarray(one.rule)), int(one.flows))
    other = one.sel(rule=rule)
    said = f"{rule}: "
    if math.isfinite(float(other.buffer_packets)):
        count = int(other.buffer_packets)
        said += f"{packets(count)} {'carries' if count == 1 else 'carry'} {_share(other)}"
    else:
        said += "does not apply"
    row = one.sel(rule="simulated").assign(compared=said)
    return row.assign(if_full=float(row.buffer_bytes) / row.attrs["rate"])


def _larger(data: xr.Dataset) -> list[str]:
    """Return a warning if a smaller path was simulated, on which fewer CUBIC flows lose packets together."""
    flows = data.attrs.get("overestimated_flows", [])
    if not flows:
        return []
    bdps = {f"{float(row.simulated_bdp):.6g}" for row in rows(data, "flows") if int(row.flows) in flows}
    sizes = " or ".join(sorted(bdps, key=float))
    said = (
        f"{', '.join(map(str, flows))} flows: simulated with {sizes} packets in a BDP. More flows of the path lose "
        "together: it needs a larger buffer, and the interval does not say how much larger."
    )
    return tables.wrapped(said)


def _variable(data: xr.Dataset) -> list[str]:
    """Return a warning, except in a data center, that no single buffer suits a path whose rate varies."""
    one = buffer_lines.decisive(data)
    if one is None or data.attrs["find"] != "buffer" or data.attrs["round_trip_time"] <= DATA_CENTER:
        return []
    size = rounded(buffer_lines.in_lines(buffer_lines.pasted(one)) * one.attrs["packet"], "bytes")
    return [f"Wi-Fi, LTE, Starlink: no one buffer fits; a full one of {size} waits {size}/least rate. See --rate-trace"]


def _share(row: xr.Dataset) -> str:
    return percent(float(row.share), 3)


def _interval(row: xr.Dataset) -> str:
    """Return the interval that contains the smallest sufficient buffer [packets].

    The interval begins above the largest simulated buffer that does not suffice, and ends at the smallest that does.
    """
    missed, packets = float(row.missed_bdp) * row.attrs["bandwidth_delay_product"], int(row.buffer_packets)
    least = 1 if math.isnan(missed) else min(packets, math.floor(missed) + 1)
    return f"{least} .. {packets}"


def _missing(row: xr.Dataset) -> str:
    """Return the reason why a row of the short answer has no buffer; an empty text if the row has a buffer."""
    return "" if math.isfinite(float(row.buffer_packets)) else f"{_no_buffer(row)}; {row.compared.item()}"


def _status(row: xr.Dataset) -> str:
    """Return the status of a row, and a remark if the law's lower bound exceeds the simulated utilisation."""
    is_above = "share_upper" in row and float(row.get("law_desynchronised", math.nan)) > float(row.share_upper)
    return str(row.status.item()) + ("; below the lower bound of the law: see apart" if is_above else "")


def first_measures(data: xr.Dataset) -> list[str]:
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

    Source: RFC 8290, sections 1.3 and 4.2. There is no advice if those packets would wait as long as behind a full
    buffer.
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


def table(data: xr.Dataset) -> str:
    """Return a text table of all rules with laws, intervals and explanations; with --file it is the whole answer."""
    a = data.attrs
    power = a["criterion"] == "power"
    lines = _files(a) if power else _flows(data)
    goal = "greatest power" if power else "policed rate" if a.get("find") == "burst" else "capacity"
    columns = [*FIRST, *(FILES if power else FLOWS), *LAST]
    answers = [row for one in rows(data, "flows") for row in by_rule(one)]
    lines += ["", f"{TITLES[a.get('find', 'buffer')]} for {percent(a['share'])} of the {goal}:", ""]
    lines += tables.table(columns, answers, _no_row, confidence=percent(a["confidence"]))
    if power:
        return "\n".join(lines)
    lines += [""]
    if a["find"] != "burst":
        lines += [
            "together: utilisation by the law for one flow, or for flows that all lose at the same time; apart: lower",
            "bound by the law for many flows that lose at different times, and have no timeouts: few flows, or flows",
            "that lose together, may carry less. BDP/3: a third of the bandwidth-delay product (Kim and Farber 1994);",
            "no law shows that it is sufficient.",
        ]
    return "\n".join([*lines, *a["about"].splitlines()])


def _files(a: dict[str, Any]) -> list[str]:
    """Return lines that describe the path, the files and the attainable network power."""
    return [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: bandwidth-delay "
        f"product {text(a['rate'] * a['round_trip_time'], 'bytes')}, {a['bandwidth_delay_product']:.5g} packets of "
        f"{text(a['packet'], 'bytes')}",
        f"files     {text(a['file'], 'bytes')} each, by {a['scheme']}, at random; discipline {a['discipline']}",
        f"power     {a['attainable']:.4g} bytes/s² at most with these buffers and loads; no discipline exceeds "
        f"{a['first_come_ceiling']:.4g}",
    ]


def _flows(data: xr.Dataset) -> list[str]:
    """Return lines that describe the flows, their senders and the simulated path."""
    a = data.attrs
    spread = f", round-trip times ±{percent(a['spread'], 4)}" if a["spread"] else ", equal round-trip times"
    above = f" above {a['mark_above']:g} packets" if "mark_above" in a else ""
    spread = spread if (data.flows > 1).any() else ""
    senders = a["sender"].split(" | ") if a["sender"] else []
    return [
        f"flows     {a['scheme']}, long-lived{spread}; discipline {a['discipline']}{above}",
        *(f"{'sender' if not k else '':9} {one}" for k, one in enumerate(senders)),
        _simulated(data),
    ]


def _simulated(data: xr.Dataset) -> str:
    """Return lines that describe the simulated path and the path for which the answer is valid."""
    a = data.attrs
    simulated = np.ravel(data.simulated_bdp)
    as_given = simulated > 0.999 * a["bandwidth_delay_product"]
    if as_given.all():
        return "simulated over the path as given"
    bdps = ", ".join(sorted({f"{one:.5g}" for one in simulated[~as_given]}, key=float))
    said = f"simulated over a slower link with a bandwidth-delay product of {bdps} packets"
    if as_given.any():
        said = f"other numbers of flows are simulated over the path as given\n{said}"
    if a["kept"]:
        changed = "with another C, which keeps"
        return "\n".join([f"{said},", *(f"          {changed} {one}" for one in a["kept"].split(" | "))])
    if a["scale_free"]:
        return f"{said}: {a['scheme']} reaches a utilisation that depends only on buffer/BDP"
    return f"{said}; the answer is valid for that link only"


def _no_row(row: xr.Dataset) -> str:
    """Return the reason why a row has no buffer: the rule does not apply, or none suffices; empty if it has one."""
    if math.isfinite(row.buffer_bdp):
        return ""
    if row.rule != "simulated":
        return "is not above the threshold" if row.rule == "one BDP" else "does not apply to this scheme"
    return _no_buffer(row)


def _no_buffer(row: xr.Dataset) -> str:
    """Return the statement that no buffer was found, and the law's limit of the utilisation if this is the reason."""
    a = row.attrs
    ceiling = a.get("ceiling", 1.0)
    if int(row.get("flows", 1)) > 1 or ceiling >= a["share"]:
        return "the search found none"
    return f"no buffer reaches it: it is above the {ceiling:.4f} that ProbeRTT leaves to one flow by the law"


def by_rule(one: xr.Dataset) -> list[xr.Dataset]:
    """Return the rows of the rules for one number of flows; leave out BDP/sqrt(n) for n = 1, which equals one BDP."""
    alone = "flows" in one and int(one.flows) == 1
    return [row for row in rows(one, "rule") if not (alone and row.rule == ROOT)]
