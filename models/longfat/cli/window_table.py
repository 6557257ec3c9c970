"""The answer of `longfat window --scheme selective-repeat` as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longfat.base.quantities import text
from longfat.plot import rows

if TYPE_CHECKING:
    import xarray as xr


def table(data: xr.Dataset, remarks: tuple[str, ...]) -> str:
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
    interval = f"{_percent(a['confidence'])} interval"
    lines = [
        "Selective repeat with a fixed window and no congestion control (Gong and Parulkar 1992; NOT TCP):",
        f"segments of {text(a['segment'], 'bytes')} in {a['segment_packets']} packets, acknowledgment delay (the round "
        f"trip) {a['ack_segments']:.5g} segment times.",
        f"Smallest window with an efficiency of {_percent(a['target'])} of 1 - p (p: loss):",
        "",
        f"{'loss':>8}  {'segments':>8}  {'bytes':>10}  {'BDPs':>8}  {'law':>6}  {'simulated':>9}  {interval:>16}  from",
    ]
    for row in rows(data):
        if row.status != "not reached":
            size = f"{int(row.window_segments):8d}  {text(float(row.window_bytes), 'bytes'):>10}"
            size += f"  {float(row.window_bdp):8.4g}"
        else:
            size = f"{'not reached':>30}"
        lines.append(
            f"{float(row.loss):8.3g}  {size}  {float(row.law):6.4f}  {float(row.simulated):9.4f}  "
            f"{_interval(row, '')}  {row.source.item()}{', near' if row.status == 'near' else ''}"
        )
    if a["reference_window"]:
        size = text(a["reference_bdp"] * a["bandwidth_delay_product"], "bytes")
        reference = f"{size}, {a['reference_window']} segments"
        lines += ["", f"Selective repeat with a window of {a['reference_bdp']} BDPs ({reference}): efficiency", ""]
    for row in rows(data) if a["reference_window"] else []:
        share = float(row.reference_simulated) / (1 - float(row.loss))
        lines.append(
            f"{float(row.loss):8.3g}  {float(row.reference_simulated):.4f}  {_interval(row, 'reference_')}  "
            f"{share:.1%} of 1 - p"
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
        f"{'loss':>8}  {'segments':>8}  {'bytes':>10}  {'of window':>9}  {'simulated':>9}",
    ]
    for row in rows(data):
        if row.status == "not reached":
            continue
        lines.append(
            f"{float(row.loss):8.3g}  {int(row.buffer_segments):8d}  {text(float(row.buffer_bytes), 'bytes'):>10}  "
            f"{float(row.buffer_share):9.1%}  {float(row.buffer_simulated):9.4f}  {_interval(row, 'buffer_')}"
        )
    if "tradeoff" in data.dims:
        lines += ["", "and with wider windows: window / receive buffer [segments]", ""]
        for row in rows(data):
            pairs = zip(row.tradeoff_window.values, row.tradeoff_buffer.values, strict=True)
            lines.append(f"{float(row.loss):8.3g}  " + "  ".join(f"{w:.0f}/{b:.0f}" for w, b in pairs if w > 0))
    return lines


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"


def _interval(row: Any, prefix: str) -> str:
    low, high = (float(row[f"{prefix}simulated_{side}"]) for side in ("lower", "upper"))
    return f"{low:6.4f} .. {high:6.4f}"
