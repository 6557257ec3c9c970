"""Full answer of `longfat buffer` as a text table: all rules with laws, simulated results and intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.quantities import rounded, text
from longfat.cli import tables
from longfat.cli.tables import Column, interval, number, percent, quantity
from longfat.design.buffers_by_rule import ROOT
from longfat.plot import rows

if TYPE_CHECKING:
    import xarray as xr

#: Value of ``find`` -> name of the sought quantity.
OF = {
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
OF_FLOWS = (
    Column("together", 8, number("law_together", ".4f")),
    Column("apart", 8, number("law_apart", ".4f")),
    Column("simulated", 9, number("share", ".4f")),
)
OF_FILES = (Column("load", 4, number("best_load", ".2f")), Column("of greatest", 11, number("share", ".4f")))
LAST = (
    Column("{confidence} interval", 16, interval("share", "6.4f")),
    Column("queueing delay", -14, lambda row: f"{rounded(float(row.queueing_delay), 's')}, {_status(row)}"),
)


def _status(row: xr.Dataset) -> str:
    """Return the status of a row, and a remark if the law's lower bound exceeds the simulated utilisation."""
    is_above = "share_upper" in row and float(row.get("law_apart", math.nan)) > float(row.share_upper)
    return str(row.status.item()) + ("; below the lower bound of the law: see apart" if is_above else "")


def table(data: xr.Dataset) -> str:
    """Return a text table of all rules with laws and intervals, and explanations: the whole answer for files."""
    a = data.attrs
    power = a["criterion"] == "power"
    lines = _files(a) if power else _flows(data)
    goal = "greatest power" if power else "policed rate" if a.get("find") == "burst" else "capacity"
    columns = [*FIRST, *(OF_FILES if power else OF_FLOWS), *LAST]
    answers = [row for one in rows(data, "flows") for row in by_rule(one)]
    lines += ["", f"{OF.get(a.get('find', ''), OF['buffer'])} for {percent(a['share'])} of the {goal}:", ""]
    lines += tables.table(columns, answers, _missing, confidence=percent(a["confidence"]))
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
    spread = f", round-trip times ±{100 * a['spread']:.4g}%" if a["spread"] else ", equal round-trip times"
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


def _missing(row: xr.Dataset) -> str:
    """Return the reason why a row has no buffer: the rule does not apply, or no buffer suffices; else empty."""
    if math.isfinite(row.buffer_bdp):
        return ""
    if row.rule != "simulated":
        return "is not above the threshold" if row.rule == "one BDP" else "does not apply to this scheme"
    return no_buffer(row)


def no_buffer(row: xr.Dataset) -> str:
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
