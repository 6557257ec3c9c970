"""The answer of `longfat window` as text: TCP first, then selective repeat, each labelled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.plot import rows
from longfat.quantities import text

if TYPE_CHECKING:
    import xarray as xr

LARGEST_WINDOW = 2**30  # bytes: RFC 7323, section 2.3


def table(data: xr.Dataset, notes: tuple[str, ...]) -> str:
    """Return the answer for people."""
    a = data.attrs
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: "
        f"bandwidth-delay product (BDP) {text(a['product'], 'bytes')}",
        *(f"note      {note}" for note in notes),
        "",
        *_tcp(data),
        "",
        *_windows(data),
    ]
    if "buffer_segments" in data:
        lines += ["", *_receive_buffers(data)]
    return "\n".join(lines)


def _tcp(data: xr.Dataset) -> list[str]:
    """Return the rate of TCP at each loss, the loss up to which it fills the path, and the receive window."""
    a = data.attrs
    simulated = "tcp_rate" in data
    lines = [
        f"TCP: one Reno flow with SACK, segments of {a['tcp_segment']} bytes, each acknowledged; random loss; a "
        "bottleneck buffer of",
        "one BDP. CUBIC (the default of Linux) and BBR are not covered.",
        "",
        f"{'loss':>8}  {'rate by law':>14}"
        + (f"  {'simulated':>14}  {_percent(a['confidence']) + ' interval':>30}" if simulated else "")
        + f"  {'of link':>7}  {'mean window':>11}",
    ]
    for row in rows(data):
        law, rate = float(row.tcp_rate_law), float(row.tcp_rate if simulated else row.tcp_rate_law)
        line = f"{float(row.loss):8.3g}  {_size(law, 'bytes/s'):>14}"
        if simulated:
            limits = float(row.tcp_rate_lower), float(row.tcp_rate_upper)
            interval = " .. ".join(_size(limit, "bytes/s") for limit in limits)
            line += f"  {_size(rate, 'bytes/s'):>14}  {interval if math.isfinite(limits[0]) else 'deterministic':>30}"
        share = f"{100 * rate / a['rate']:.3g}%" if math.isfinite(rate) else "-"
        lines.append(f"{line}  {share:>7}  {_size(rate * a['round_trip_time'], 'bytes'):>11}")
    law_loss = float(data.tcp_filling_loss_law)
    found = float(data.tcp_filling_loss) if "tcp_filling_loss" in data else math.nan
    known = (
        f"{found:.2g} (simulated; square-root law: {law_loss:.2g})" if math.isfinite(found) else f"{law_loss:.2g} (law)"
    )
    lines += [
        "",
        f"TCP carries {_percent(a['target'])} of this link up to a loss of {known}. For that it needs",
        f"  receive window  {text(a['tcp_receive_window'], 'bytes')}, two BDPs: one in flight, one that arrives while "
        "a lost segment is sent again",
        f"  Linux           net.ipv4.tcp_rmem, largest value: {text(a['tcp_linux_receive_buffer'], 'bytes')} or more "
        "(about half of a receive buffer holds data)",
        "A smaller receive window W limits TCP to W / round-trip time; a larger one does not help against loss.",
    ]
    if a["tcp_receive_window"] > LARGEST_WINDOW:
        lines.append(
            "TCP's largest window is 1 GiB (RFC 7323, section 2.3): one flow cannot fill this path in every case."
        )
    return lines


def _windows(data: xr.Dataset) -> list[str]:
    """Return the windows of selective repeat and what 2.5 bandwidth-delay products carry."""
    a = data.attrs
    interval = f"{_percent(a['confidence'])} interval"
    lines = [
        "Selective repeat with a fixed window and no congestion control (Gong and Parulkar 1992; NOT TCP):",
        f"segments of {text(a['segment'], 'bytes')} in {a['segment_packets']} packets, acknowledgment delay "
        f"{a['ack_segments']:.5g} segments.",
        f"Smallest window that carries {_percent(a['target'])} of the link's rate less the lost share, 1 - p:",
        "",
        f"{'loss':>8}  {'segments':>8}  {'bytes':>10}  {'BDPs':>8}  {'law':>6}  {'simulated':>9}  {interval:>16}  from",
    ]
    for row in rows(data):
        if row.status != "not reached":
            size = f"{int(row.window_segments):8d}  {text(float(row.window_bytes), 'bytes'):>10}"
            size += f"  {float(row.window_products):8.4g}"
        else:
            size = f"{'not reached':>30}"
        lines.append(
            f"{float(row.loss):8.3g}  {size}  {float(row.law):6.4f}  {float(row.simulated):9.4f}  "
            f"{_interval(row, '')}  {row.source.item()}{', near' if row.status == 'near' else ''}"
        )
    if a["reference_window"]:
        reference = f"{text(a['reference_products'] * a['product'], 'bytes')}, {a['reference_window']} whole segments"
        lines += ["", f"A window of {a['reference_products']} BDPs ({reference}) carries:", ""]
    for row in rows(data) if a["reference_window"] else []:
        share = float(row.reference_simulated) / (1 - float(row.loss))
        lines.append(
            f"{float(row.loss):8.3g}  {float(row.reference_simulated):.4f}  {_interval(row, 'reference_')}  "
            f"{share:.1%} of 1 - p (law: {float(row.reference_law):.4f})"
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
            'Rows "from simulator" lie outside the range in which the law is accurate; there the window is the',
            "smallest whose simulated efficiency reaches the goal with its lower limit.",
        ]
    return lines


def _receive_buffers(data: xr.Dataset) -> list[str]:
    """Return the receive buffers of selective repeat at these windows, and with wider ones."""
    lines = [
        "Smallest receive buffer that costs selective repeat no throughput at this window (NOT a TCP receive buffer:",
        "TCP advertises its buffer as the window). The receiver discards what does not fit (hard acknowledgment):",
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
