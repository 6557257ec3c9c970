"""The answer of `longfat window --scheme selective-repeat` as text and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.cli.tables import Column, interval, number, percent, quantity, table
from longfat.plot import rows

if TYPE_CHECKING:
    import xarray as xr

EXACT = 17  # significant digits of a float
PROTOCOL = "selective repeat, no congestion control"
LOSS = Column("loss", 8, number("loss", ".3g"), always=True)


def _source(row: xr.Dataset) -> str:
    """Return the source of the window, and whether the window reaches the goal."""
    return str(row.source.item()) + ("" if row.status == "reached" else f", {row.status.item()}")


WINDOWS = (
    LOSS,
    Column("segments", 8, number("window_segments", "d")),
    Column("bytes", 10, quantity("window_bytes", "bytes", EXACT)),
    Column("BDPs", 8, number("window_bdp", ".4g")),
    Column("law", 6, number("law", ".4f")),
    Column("simulated", 9, number("simulated", ".4f")),
    Column("{confidence} interval", 16, interval("simulated", "6.4f")),
    Column("from", -4, _source),
)
RECEIVE_BUFFERS = (
    LOSS,
    Column("segments", 8, number("buffer_segments", "d")),
    Column("bytes", 10, quantity("buffer_bytes", "bytes", EXACT)),
    Column("of window", 9, number("buffer_share", ".1%")),
    Column("simulated", 9, number("buffer_simulated", ".4f")),
    Column("", 16, interval("buffer_simulated", "6.4f")),
)


def answer(data: xr.Dataset, remarks: tuple[str, ...]) -> str:
    """Return the answer as text tables."""
    a = data.attrs
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: "
        f"bandwidth-delay product (BDP) {text(a['bandwidth_delay_product'], 'bytes')}",
        *(f"remark    {remark}" for remark in remarks),
        "",
        *_windows(data),
    ]
    if "buffer_segments" in data:
        lines += ["", *_receive_buffers(data)]
    return "\n".join(lines)


def _windows(data: xr.Dataset) -> list[str]:
    """Return the windows of selective repeat, and the efficiency of 2.5 bandwidth-delay products."""
    a = data.attrs
    lines = [
        "Selective repeat with a fixed window and no congestion control (Gong and Parulkar 1992; NOT TCP):",
        f"segments of {text(a['segment'], 'bytes')} in {a['segment_packets']} packets, acknowledgment delay (the round "
        f"trip) {a['ack_segments']:.5g} segment times.",
        f"Smallest window with an efficiency of {percent(a['target'])} of 1 - p (p: loss):",
        "",
        *table(WINDOWS, rows(data), confidence=percent(a["confidence"])),
    ]
    if a["reference_window"]:
        size = text(a["reference_bdp"] * a["bandwidth_delay_product"], "bytes")
        reference = f"{size}, {a['reference_window']} segments"
        lines += ["", f"Selective repeat with a window of {a['reference_bdp']} BDPs ({reference}): efficiency", ""]
    for row in rows(data) if a["reference_window"] else []:
        share = float(row.reference_simulated) / (1 - float(row.loss))
        lines.append(
            f"{float(row.loss):8.3g}  {float(row.reference_simulated):.4f}  "
            f"{interval('reference_simulated', '6.4f')(row)}  {share:.1%} of 1 - p"
            + (f" (law: {float(row.reference_law):.4f})" if row.source == "law" else " (outside the law's range)")
        )
    if any(row.status == "near" for row in rows(data)):
        lines += [
            "",
            'Rows "near": the law reaches the goal, the simulation stays below it within the accuracy of the law.',
            "--source simulator finds the window whose simulated efficiency reaches the goal.",
        ]
    if a["source_wanted"] == "auto" and any(row.source == "simulator" for row in rows(data)):
        lines += [
            "",
            'Rows "from simulator" are outside the range in which the law is accurate; there the window is the',
            "smallest whose simulated efficiency reaches the goal with its lower limit.",
        ]
    return lines


def _receive_buffers(data: xr.Dataset) -> list[str]:
    """Return the receive buffers of selective repeat at these windows, and with wider ones."""
    lines = [
        "Smallest receive buffer with which selective repeat, simulated, reaches the goal with its lower limit at this",
        "window, or costs at most 0.2 % if the window itself does not reach it (NOT a TCP receive buffer: TCP uses its",
        "buffer as the window). Segments beyond it are discarded:",
        "",
        *table(RECEIVE_BUFFERS, [row for row in rows(data) if row.status != "not reached"]),
    ]
    if "tradeoff" in data.dims:
        lines += ["", "and with wider windows: window / receive buffer [segments]", ""]
        for row in rows(data):
            pairs = zip(row.tradeoff_window.values, row.tradeoff_buffer.values, strict=True)
            lines.append(f"{float(row.loss):8.3g}  " + "  ".join(f"{w:.0f}/{b:.0f}" for w, b in pairs if w > 0))
    return lines


def csv(data: xr.Dataset) -> str:
    """Return one tidy table: the windows, the reference window, curves, receive buffers.

    ``law`` and ``simulated`` are efficiencies.

    >>> from longfat import design
    >>> data = design.window(rate="15Mbit/s", round_trip_time="20ms", loss=1e-3, segment="9kB", packet="900B", points=2)
    >>> [line.split('"')[2].split(",")[1] for line in csv(data).splitlines()[1:]]
    ['answer', 'reference', 'curve', 'curve', 'receive buffer']
    """
    import pandas as pd

    segment, bandwidth_delay_product = data.attrs["segment"], data.attrs["bandwidth_delay_product"]

    def line(kind: str, row: xr.Dataset, window: Any, prefix: str | None, **more: Any) -> dict[str, Any]:
        size = float(window)
        sizes = {"window_segments": size, "window_bytes": size * segment}
        sizes["window_bdp"] = size * segment / bandwidth_delay_product
        names = () if prefix is None else ("law", "simulated", "simulated_lower", "simulated_upper")
        values = {name: float(row[f"{prefix}{name}"]) for name in names}
        return {"protocol": PROTOCOL, "kind": kind, "loss": float(row.loss)} | sizes | values | more

    every = rows(data)
    made = [
        line("answer", row, row.window_segments, "", source=row.source.item(), status=row.status.item())
        for row in every
    ]
    made += [line("reference", row, data.attrs["reference_window"], "reference_") for row in every]
    for row in every if "window" in data.dims else []:
        for point in rows(row, "window"):
            further = {name: float(point[f"curve_{name}"]) for name in ("as_printed", "many_rounds")}
            made.append(line("curve", point, point.window, "curve_", **further))
    for row in every if "buffer_segments" in data else []:
        buffer = float(row.buffer_segments)
        made.append(line("receive buffer", row, row.window_segments, "buffer_", receive_buffer_segments=buffer))
        for point in rows(row, "tradeoff") if "tradeoff" in data.dims else []:
            if point.tradeoff_window > 0:
                buffer = float(point.tradeoff_buffer)
                made.append(line("trade-off", row, point.tradeoff_window, None, receive_buffer_segments=buffer))
    return str(pd.DataFrame(made).to_csv(index=False))
