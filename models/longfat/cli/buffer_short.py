"""Short answer of `longfat buffer`: the smallest sufficient buffers, advice, lines to paste, and a check."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import rounded, text
from longfat.cli import buffer_advice, buffer_lines, paste, tables
from longfat.cli.output import MORE
from longfat.cli.tables import Column, number, packets, percent, quantity
from longfat.design import buffers_by_rule
from longfat.plot import rows

if TYPE_CHECKING:
    import xarray as xr

#: Value of ``find`` -> name of the sought quantity, and predicate with the required fraction, such as "carry 95%".
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
    Column("if full", 8, lambda row: "-" if row.attrs["find"] == "burst" else rounded(float(row.if_full), "s")),
    Column("mean wait", 9, quantity("queueing_delay", "s", 3)),
    Column("carried", 7, lambda row: _share(row)),
    Column("rule to compare with", -20, lambda row: str(row.compared.item())),
)


def by_rules(asked: dict[str, Any]) -> str:
    """Return lines with the path, the sought quantity and the buffers by common rules, which need no simulation."""
    known = ("rate", "round_trip_time", "scheme", "share", "packet", "find")
    further = {name: asked[name] for name in ("flows", "discipline", "mark_above", "parameters") if name in asked}
    found = buffers_by_rule.by_rule(**{name: asked[name] for name in known}, **further)
    trips = asked["round_trip_time"]
    trip = trips if isinstance(trips, float) else sum(trips) / len(trips)
    bdp, packet = asked["rate"] * trip, asked["packet"]
    what, does = SOUGHT[asked["find"]]
    scheme = asked["scheme"] if isinstance(asked["scheme"], str) else asked["scheme"].name
    lines = [
        f"{text(asked['rate'], 'bytes/s')}, {text(trip, 's')}: BDP {rounded(bdp, 'bytes')}, {bdp / packet:.4g} "
        f"packets of {text(packet, 'bytes')}. Smallest {what.format(asked.get('discipline', ''))} with which "
        f"{scheme} flows {does.format(percent(asked['share']))}:"
    ]
    of_rule: dict[str, list[str]] = {}
    for one in found:
        if not math.isnan(one.packets):
            of_rule.setdefault(one.rule, []).append(f"{one.packets:g} ({one.flows})")
    if of_rule:
        words = "; ".join(f"{rule} {', '.join(counts)}" for rule, counts in of_rule.items())
        lines += textwrap.wrap(f"By rule, in packets (for so many flows): {words}", 118, subsequent_indent="  ")
    return "\n".join(lines)


def answer(data: xr.Dataset, verbose: bool = False) -> str:
    """Return the simulated buffers, advice, the lines to paste and the check.

    ``verbose`` adds all rules with laws and intervals, and further lines to paste, each with a check.
    """
    from longfat.cli.buffer_table import table

    found = [_compared(one) for one in rows(data, "flows")]
    lines = ["", *tables.table(COLUMNS, found, _missing), *_larger(data)]
    advice = buffer_advice.first(data)
    lines += [""] if advice else []
    for one in advice:
        lines += textwrap.wrap(one, 118, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
    lines += ["", table(data)] if verbose else []
    pasted = buffer_lines.lines(data)
    lines += ["", *(paste.shown(pasted) if verbose else paste.in_short(pasted)), *_variable(data)]
    return "\n".join(lines if verbose else [*lines, MORE])


def _compared(one: xr.Dataset) -> xr.Dataset:
    """Return the simulated results for one number of flows, with a text ``compared`` on the buffer by a rule.

    ``if_full`` is the time for which packets wait behind the full buffer of the pasted lines [s].
    """
    rule = buffers_by_rule.compared(map(str, np.asarray(one.rule)), int(one.flows))
    other = one.sel(rule=rule)
    said = f"{rule}: "
    if math.isfinite(float(other.buffer_packets)):
        count = int(other.buffer_packets)
        said += f"{packets(count)} {'carries' if count == 1 else 'carry'} {_share(other)}"
    else:
        said += "does not apply"
    row = one.sel(rule="simulated").assign(compared=said)
    return row.assign(if_full=_bytes(one) / row.attrs["rate"]) if math.isfinite(float(row.buffer_packets)) else row


def _bytes(one: xr.Dataset) -> int:
    """Return the buffer of the pasted lines for one number of flows [bytes of IP packets]."""
    size: int = buffer_lines.in_lines(buffer_lines.pasted(one)) * one.attrs["packet"]
    return size


def _larger(data: xr.Dataset) -> list[str]:
    """Return a warning if a smaller path was simulated, on which fewer CUBIC flows lose together than on the path."""
    flows = data.attrs.get("overestimated_flows", [])
    if not flows:
        return []
    bdps = {f"{float(row.simulated_bdp):.6g}" for row in rows(data, "flows") if int(row.flows) in flows}
    sizes = " or ".join(sorted(bdps, key=float))
    said = (
        f"{', '.join(map(str, flows))} flows: simulated with {sizes} packets in a BDP. More flows of the path lose "
        "together: it needs a larger buffer, and the interval does not say how much larger."
    )
    return textwrap.wrap(said, 118, subsequent_indent="  ")


def _variable(data: xr.Dataset) -> list[str]:
    """Return a line of warning that no single buffer fits a path of varying rate; no line for a data center."""
    one = buffer_lines.decisive(data)
    if one is None or data.attrs["find"] != "buffer" or data.attrs["round_trip_time"] <= buffer_advice.DATA_CENTER:
        return []
    size = rounded(_bytes(one), "bytes")
    return [f"Wi-Fi, LTE, Starlink: no one buffer fits; a full one of {size} waits {size}/least rate. See --rate-trace"]


def _share(row: xr.Dataset) -> str:
    return f"{100 * float(row.share):.3g}%"


def _interval(row: xr.Dataset) -> str:
    """Return the interval that contains the smallest sufficient buffer [packets].

    The interval begins above the largest simulated buffer that does not suffice, and ends at the smallest that does.
    """
    missed, packets = float(row.missed_bdp) * row.attrs["bandwidth_delay_product"], int(row.buffer_packets)
    least = 1 if math.isnan(missed) else min(packets, math.floor(missed) + 1)
    return f"{least} .. {packets}"


def _missing(row: xr.Dataset) -> str:
    """Return the reason why a row has no buffer; an empty text if the row has a buffer."""
    from longfat.cli.buffer_table import no_buffer

    return "" if math.isfinite(float(row.buffer_packets)) else f"{no_buffer(row)}; {row.compared.item()}"
