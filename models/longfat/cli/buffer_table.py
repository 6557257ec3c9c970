"""The answer of `longfat buffer` as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.cli import buffer_lines, paste

if TYPE_CHECKING:
    import xarray as xr


#: What is sought, in words.
OF = {
    "buffer": "Buffer of the switch (not a socket buffer, not tcp_rmem)",
    "threshold": "Threshold of the discipline",
    "burst": "Bucket of the policer (its burst)",
}


def table(data: xr.Dataset) -> str:
    """Return the answer as a text table."""
    a = data.attrs
    power = a["criterion"] == "power"
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: bandwidth-delay "
        f"product {text(a['rate'] * a['round_trip_time'], 'bytes')}, {a['bandwidth_delay_product']:.5g} packets of "
        f"{text(a['packet'], 'bytes')}",
    ]
    if power:
        lines += [
            f"files     {text(a['file'], 'bytes')} each, by {a['scheme']}, at random; discipline {a['discipline']}",
            f"power     {a['attainable']:.4g} bytes/s² at most with these buffers and loads; no discipline exceeds "
            f"{a['first_come_ceiling']:.4g}",
        ]
    else:
        spread = f", round-trip times ±{100 * a['spread']:.4g}%" if a["spread"] else ", equal round-trip times"
        above = f" above {a['mark_above']:g} packets" if "mark_above" in a else ""
        spread = spread if (data.flows > 1).any() else ""
        lines.append(f"flows     {a['scheme']}, long-lived{spread}; discipline {a['discipline']}{above}")
        if a["sender"]:
            lines += [f"{'sender' if not k else '':9} {one}" for k, one in enumerate(a["sender"].split(" | "))]
        lines.append(_simulated(data))
    goal = "greatest power" if power else "policed rate" if a.get("find") == "burst" else "capacity"
    interval = f"{100 * a['confidence']:.6g}% interval"
    lines += [
        "",
        f"{OF.get(a.get('find', ''), OF['buffer'])} for {100 * a['share']:.6g}% of the {goal}:",
        "",
    ]
    said = "  load  of greatest" if power else "  together    apart  simulated"
    width = max(16, *(len(one) for one in data.rule.values))
    sizes = f"{'BDP':>8}  {'packets':>7}  {'bytes':>10}"
    lines.append(f"{'flows':>5}  {'rule':{width}}  {sizes}{said}  {interval:>16}  queueing delay")
    every = data if "flows" in data.dims else data.expand_dims("flows")
    for k in range(every.sizes["flows"]):
        for rule in data.rule.values:
            lines.append(_line(every.isel(flows=k).sel(rule=rule), power, width))
    if a.get("find") == "burst":
        lines.append("")
    elif not power:
        lines += [
            "",
            "together: utilisation by the law for one flow, or for flows that all lose at the same time; apart: lower",
            "bound by the law for many flows that lose at different times. BDP/3: a third of the bandwidth-delay",
            "product (Kim and Farber 1994); no law shows that it is sufficient.",
        ]
    if not power:
        lines += a["about"].splitlines()
        lines += ["", "# Lines to paste. Nothing has been changed on this machine.", ""]
        lines += paste.shown(buffer_lines.lines(data))
    return "\n".join(lines)


def _simulated(data: xr.Dataset) -> str:
    """Return lines that describe the simulated path and the path for which the answer is valid."""
    a = data.attrs
    simulated = data.simulated_bdp.values.ravel()
    bdps = ", ".join(sorted({f"{one:.5g}" for one in simulated}, key=float))
    if (simulated > 0.999 * a["bandwidth_delay_product"]).all():
        return "simulated over the path as given"
    said = f"simulated over a slower link with a bandwidth-delay product of {bdps} packets"
    if a["scale_free"] and a["kept"]:
        changed = "with another C, which keeps"
        return "\n".join([f"{said},", *(f"          {changed} {one}" for one in a["kept"].split(" | "))])
    if a["scale_free"]:
        return f"{said}: {a['scheme']} reaches a utilisation that depends only on buffer/BDP"
    return (
        f"{said}, as given by --bdp;\n"
        f"          the answer is valid for that link only: {a['scheme']} with {a['discipline']} "
        "is not known to be scale-free"
    )


def _line(row: Any, power: bool, width: int) -> str:
    """Return the row of one rule: its buffer, and the utilisation or power that the simulation gave."""
    flows = f"{int(row.flows):5d}" if "flows" in row.coords else f"{'':5}"
    if not math.isfinite(row.buffer_bdp):
        why = "no buffer reaches it" if row.rule == "simulated" else "does not apply to this scheme"
        a = row.attrs
        if row.rule == "simulated" and int(row.get("flows", 1)) == 1 and a.get("ceiling", 1.0) < a["share"]:
            why += f": it is above the {a['ceiling']:.4f} that ProbeRTT leaves to one flow by the law"
        if row.rule == "one BDP":
            why = "is not above the threshold"
        return f"{flows}  {row.rule.item():{width}}  {why}"
    size = f"{float(row.buffer_bdp):8.4g}  {int(row.buffer_packets):7d}  {_size(float(row.buffer_bytes)):>10}"
    if power:
        size += f"  {float(row.best_load):4.2f}  {float(row.share):11.4f}"
    else:
        size += "".join(f"  {_or_dash(float(row[name]))}" for name in ("law_together", "law_apart"))
        size += f"  {float(row.share):9.4f}"
    limits = f"{float(row.share_lower):6.4f} .. {float(row.share_upper):6.4f}"
    wait = text(float(f"{float(row.queueing_delay):.3g}"), "s")
    return f"{flows}  {row.rule.item():{width}}  {size}  {limits:>16}  {wait}, {row.status.item()}"


def _size(value: float) -> str:
    return text(float(f"{value:.4g}"), "bytes")


def _or_dash(value: float) -> str:
    return f"{value:8.4f}" if math.isfinite(value) else f"{'-':>8}"
