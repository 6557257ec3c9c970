"""Interactive HTML page of design curves, in one file that needs no network."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.handbook import pages

if TYPE_CHECKING:
    import xarray as xr

MODULES = ("quantities.js", "chart.js", "scheme_curves.js")  # in the order of loading: each imports earlier ones only
STYLES = ("view.css", "page.css", "scheme_curves.css")
#: Variable -> title of its panel, and whether its y axis is logarithmic. The panels appear in this order.
PANELS = {
    "utilisation": ("utilisation", False),
    "queueing_delay": ("mean queueing delay", True),
    "queueing_delay_99": ("99th percentile of the queueing delay", True),
    "loss": ("loss", True),
    "transfer_time": ("completion time of short transfers", True),
}


def document(curves: Sequence[xr.Dataset]) -> str:
    """Return one page for one or several results of `longfat.design.curves` that have the same schemes and flows.

    >>> from longfat import design
    >>> data = design.curves(rate="20Mbit/s", round_trip_time="20ms", schemes=["reno"], flows=[1], at=[0.5, 1],
    ...                      file=None, replications=2, progress=False)
    >>> page = document([data])
    >>> page.startswith("<!DOCTYPE html>"), "stylesheet" in page
    (True, False)
    """
    sets = pages.json_text([_set(one) for one in curves])
    title = f"Curves of {', '.join(map(str, curves[0].scheme.values))}: {_path(curves[0])}"
    said = "".join(f"<p>{escape(one)}</p>\n" for one in _remarks(curves))
    body = f'<h1>{escape(title)}</h1>\n<div id="curves"><noscript>The plots need JavaScript.</noscript></div>\n{said}'
    mounted = f'mountCurves(document.getElementById("curves"), {sets});'
    script = f"(() => {{\n{pages.joined(MODULES)}\n{mounted}\n}})();\n"
    return pages.document(title, body, after=script, styles=STYLES)


def _path(data: xr.Dataset) -> str:
    return f"{text(data.attrs['rate'], 'bytes/s')}, {text(data.attrs['round_trip_time'], 's')}"


def _remarks(curves: Sequence[xr.Dataset]) -> list[str]:
    """Return the remarks that the page has below its panels."""
    a = curves[0].attrs
    runs = (
        f"Points: simulated, {a['replications']} runs each, {100 * a['confidence']:.4g}% intervals, seed {a['seed']}; "
        "the queue is drop tail"
    )
    fixed = [one.attrs["buffer"] for one in curves if "buffer" in one.attrs]
    if fixed:
        runs += f", with a buffer of {fixed[0]:g} BDP in the curves over the window"
    lines = (
        "Lines: laws of flows that lose at the same time, CUBIC's without fast convergence; where windows limit, "
        "Little's law. Thin lines join points without a law. Dotted: the delay of a full buffer. On a logarithmic axis "
        "there is no point where nothing was lost or queued."
    )
    found = [
        f"The bandwidth-delay product (BDP) is {a['bandwidth_delay_product']:.5g} packets of "
        f"{text(a['packet'], 'bytes')}.",
        f"{runs}.",
        lines,
    ]
    if "file" in a:
        found.append(
            f"Short transfers of {text(a['file'], 'bytes')} arrive at random with {100 * a['load']:.3g}% of the rate, "
            "in separate runs. Grey: over an empty link, by the law of slow start."
        )
    return [*found, f"longfat {a['longfat_version']}"]


def _set(data: xr.Dataset) -> dict[str, Any]:
    """Convert a Dataset to plain data for the page's script, with None for NaN."""
    a, over = data.attrs, data.attrs["over"]
    bdp, packet, trip = a["bandwidth_delay_product"], a["packet"], a["round_trip_time"]
    return {
        "axis": "buffer" if over == "buffer" else "window of each flow",
        "schemes": [str(one) for one in data.scheme.values],
        "flows": data.flows.values.tolist(),
        "values": data[over].values.tolist(),
        "packets": data.packets.values.tolist(),
        "dense": data[f"law_{over}"].values.tolist(),
        "units": [
            {"title": "bandwidth-delay products", "symbol": "BDP", "unit": "1", "factor": 1.0},
            {"title": "packets", "symbol": "packets", "unit": "1", "factor": bdp},
            {"title": "bytes", "symbol": "", "unit": "bytes", "factor": bdp * packet},
            {"title": "time at the link's rate", "symbol": "", "unit": "s", "factor": trip},
        ],
        "panels": [_panel(data, name) for name in PANELS if name in data],
    }


def _panel(data: xr.Dataset, name: str) -> dict[str, Any]:
    title, logarithmic = PANELS[name]
    over, trip = data.attrs["over"], data.attrs["round_trip_time"]
    dense = data[f"law_{over}"].values.tolist()
    law = _numbers(data[f"law_{name}"].values.tolist()) if f"law_{name}" in data and name != "transfer_time" else None
    grey: list[dict[str, Any]] = []
    if name.startswith("queueing_delay"):
        full = [one if over == "buffer" else data.attrs["buffer"] for one in dense]
        grey = [{"kind": "full", "ys": [trip * one for one in full]}]
    elif name == "transfer_time":
        shortest = {value for row in data.law_transfer_time.values[:, 0, 0:1] for value in row.tolist()}
        grey = [{"kind": "empty", "ys": [one] * len(dense)} for one in sorted(shortest) if math.isfinite(one)]
    return {
        "name": name,
        "title": title,
        "unit": data[name].attrs["units"],
        "logarithmic": logarithmic,
        **{
            what: _numbers(data[f"{name}{end}"].values.tolist())
            for what, end in (("mean", ""), ("lower", "_lower"), ("upper", "_upper"))
        },
        "law": law,
        "grey": grey,
    }


def _numbers(values: Any) -> Any:
    """Return nested lists of numbers, rounded to six digits; NaN becomes None."""
    if isinstance(values, list):
        return [_numbers(one) for one in values]
    return float(f"{values:.6g}") if math.isfinite(values) else None
