"""The answer of `longfat window` as text: TCP first, then selective repeat, each labelled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.plot import rows
from longfat.quantities import text

if TYPE_CHECKING:
    import xarray as xr

LARGEST_WINDOW = 2**30  # bytes: RFC 7323, section 2.3


def table(data: xr.Dataset, remarks: tuple[str, ...]) -> str:
    """Return the answer as text tables, TCP first."""
    a = data.attrs
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: "
        f"bandwidth-delay product (BDP) {text(a['bandwidth_delay_product'], 'bytes')}",
        *(f"remark    {remark}" for remark in remarks),
        "",
        *_tcp(data),
        "",
        *_windows(data),
    ]
    if "buffer_segments" in data:
        lines += ["", *_receive_buffers(data)]
    elif a["rate_measured_by"] == "TCP":
        lines += ["", "No receive buffer of selective repeat is computed, because the path was measured with TCP."]
    return "\n".join(lines)


def _tcp(data: xr.Dataset) -> list[str]:
    """Return the rate of TCP at each loss, the largest loss at which it reaches the goal, and its receive window."""
    a = data.attrs
    simulated = "tcp_rate" in data
    lines = [
        f"TCP: one Reno flow with SACK, segments of {a['tcp_segment']} bytes, each acknowledged; random loss; a "
        "bottleneck buffer of",
        "one BDP. CUBIC (the default of Linux) and BBR are not covered; they can be faster at the same loss.",
        "",
        f"{'loss':>8}  {'rate by law':>14}"
        + (f"  {'simulated':>14}  {_percent(a['confidence']) + ' interval':>30}" if simulated else "")
        + f"  {'of link':>7}  {'rate x RTT':>10}",
    ]
    for row in rows(data):
        law, rate = float(row.tcp_rate_law), float(row.tcp_rate if simulated else row.tcp_rate_law)
        line = f"{float(row.loss):8.3g}  {_size(law, 'bytes/s'):>14}"
        if simulated:
            limits = float(row.tcp_rate_lower), float(row.tcp_rate_upper)
            interval = " .. ".join(_size(limit, "bytes/s") for limit in limits)
            line += f"  {_size(rate, 'bytes/s'):>14}  {interval if math.isfinite(limits[0]) else 'deterministic':>30}"
        share = f"{100 * rate / a['rate']:.3g}%" if math.isfinite(rate) else "-"
        lines.append(f"{line}  {share:>7}  {_size(rate * a['round_trip_time'], 'bytes'):>10}")
    return [*lines, "", *_receive_window(data)]


def _receive_window(data: xr.Dataset) -> list[str]:
    """Return the largest loss at which Reno reaches the goal, and the socket buffers that it needs.

    No size is given if the rate was measured with a TCP flow: the rate of the link may be higher, and buffers for the
    measured rate would limit TCP.
    """
    a = data.attrs
    law_loss = float(data.tcp_filling_loss_law)
    found = float(data.tcp_filling_loss) if "tcp_filling_loss" in data else math.nan
    known = f"{law_loss:.2g} (square-root law, for evenly spaced losses)"
    if math.isfinite(found):
        known = f"{found:.2g} (simulated; {law_loss:.2g} by the law, for evenly spaced losses)"
    limit = found if math.isfinite(found) else law_loss
    lines = [f"Reno carries {_percent(a['target'])} of this link up to a loss of {known}."]
    above = [f"{float(row.loss):.3g}" for row in rows(data) if float(row.loss) > limit]
    if above:
        lines.append(f"At {', '.join(above)} it does not, and no window or buffer changes that.")
    if a["rate_measured_by"] == "TCP":
        return [
            *lines,
            "Socket buffers: none is recommended, because the rate was measured with a TCP flow. Give the rate of",
            "the link by --rate.",
        ]
    window = text(a["tcp_receive_window"], "bytes")
    lines += [
        f"Receive window that never limits TCP on this path: {window}, two BDPs. One is",
        "in flight when a segment is lost; up to one more arrives before its retransmission, and the receiver stores",
        "both.",
        "Linux: about half of a socket buffer holds data, so the third value of net.ipv4.tcp_rmem (receiver) and of",
        f"net.ipv4.tcp_wmem (sender) must be at least {a['tcp_linux_receive_buffer']:.0f} bytes. Do not lower larger "
        "values. A receive window",
        "of W limits TCP to W / round-trip time or less.",
    ]
    if a["tcp_receive_window"] > LARGEST_WINDOW:
        lines.append(
            "TCP's largest window is 1 GiB (RFC 7323, section 2.3): one flow cannot fill this path in every case."
        )
    return lines


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


def _size(value: float, unit: str) -> str:
    """Return a quantity to three digits, rates in bits per second, or a dash where there is none."""
    scale = 8 if unit == "bytes/s" else 1
    return text(float(f"{scale * value:.3g}") / scale, unit) if math.isfinite(value) else "-"


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"


def _interval(row: Any, prefix: str) -> str:
    low, high = (float(row[f"{prefix}simulated_{side}"]) for side in ("lower", "upper"))
    return f"{low:6.4f} .. {high:6.4f}"
