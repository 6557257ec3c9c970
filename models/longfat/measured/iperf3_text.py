"""Reader of the text that iperf3 prints without ``--json``, by conversion to the form of its JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from longfat.base.layers import layer_sizes
from longfat.measured import iperf3
from longfat.measured.fields import BINARY, PREFIXES
from longfat.measured.figures import Measurement

KIND = "iperf3"
#: Pattern of a line of an interval or of the summary. Groups: stream, end, bytes and prefix, rate with prefix and unit,
#: and the rest of the line, which in the summary ends with "sender" or "receiver".
_LINE = re.compile(
    r"\[ *(\d+|SUM)\] +[\d.]+- *([\d.]+) +sec +([\d.]+) ([KMGT]?)Bytes +([\d.]+) ([KMGT]?)(bits|Bytes)/sec(.*)"
)
_HEAD = re.compile(r"\[ ID\](?:\[Role\])? +Interval +Transfer +Bitrate")
_RESENT = re.compile(r" +(\d+)(?= |$)")
_WINDOW = re.compile(r"([\d.]+) ([KMGT]?)Bytes")
_LOST = re.compile(r"(\d+)/(\d+) \(")
#: Pattern of the processor times of both sides; "local" is the side that printed the text, whether client or server.
_CPU = re.compile(r"CPU Utilization: local/\w+ ([\d.]+)% .*, remote/\w+ ([\d.]+)%")
#: Segment size [bytes] that is assumed if the text was printed without -V: Ethernet packets with TCP time stamps.
_SEGMENT = int(layer_sizes()["data"])


def looks_like(text: str) -> bool:
    """Return whether a text may be the text output of iperf3."""
    return bool(_HEAD.search(text)) or "Connecting to host" in text


def read(path: str, text: str) -> Measurement:
    """Return the measurement of one run; its text has no round-trip times, and rates of three digits."""
    made = iperf3.read(path, _content(text))
    remarks = [one.replace("(iperf3", "(text of iperf3") for one in made.figures.remarks]
    if "TCP MSS:" not in text:
        said = f"packet: {_SEGMENT} bytes are assumed, as iperf3 prints the segment size with -V or --json only"
        remarks = [said if one.startswith("packet:") and made.figures.transport == "TCP" else one for one in remarks]
    return replace(made, kind=KIND, figures=replace(made.figures, remarks=tuple(remarks)))


def _content(text: str) -> dict[str, Any]:
    """Convert the text to the document that ``--json`` would have written."""
    if "[Role]" in text:
        raise ValueError("the file holds a run in both directions: measure each alone, without --bidir")
    rows = [_row(*found.groups()) for found in map(_LINE.search, text.splitlines()) if found]
    intervals = [{"streams": [row]} for row in rows if row["side"] is None and row["stream"] != "SUM"]
    sums: dict[str, Any] = {}
    for name, side in (("sum_sent", "sender"), ("sum_received", "receiver")):
        each = [row for row in rows if row["side"] == side]
        total = [row for row in each if row["stream"] == "SUM"] or each
        if len(total) > 1:
            raise ValueError(f"the file holds {len(total)} runs of iperf3, must hold one")
        sums |= {name: total[0]} if total else {}
    is_server = "Accepted connection from" in text  # a server prints only its own side
    if not sums or not (is_server or "sum_received" in sums):
        raise ValueError(
            "the file has no summary of iperf3, whose last line ends with the word 'receiver': it may have been cut off"
        )
    streams = {row["stream"] for row in rows} - {"SUM"}
    end: dict[str, Any] = sums | {"streams": [{"sender": {"mean_rtt": 0}} for _ in streams]}  # as iperf3 -R writes it
    if found := _CPU.search(text):
        here, there = map(float, found.groups())
        end["cpu_utilization_percent"] = {"host_total": here, "remote_total": there}
    if found := re.search(r"snd_tcp_congestion (\w+)", text):
        end["sender_tcp_congestion"] = found[1]
    version, mss = (re.search(words, text) for words in (r"iperf (\d[\d.]*)", r"TCP MSS: (\d+)"))
    test = {"protocol": "UDP" if "Datagrams" in text else "TCP", "reverse": int("Reverse mode" in text)}
    start: dict[str, Any] = {"test_start": test, "tcp_mss_default": int(mss[1]) if mss else _SEGMENT}
    start |= {"version": version[1]} if version else {}
    if is_server:
        start["accepted_connection"] = {}
        test["reverse"] = int("sum_received" not in sums)
    elif test["protocol"] == "UDP":
        counted = end["sum"] = sums["sum_received"]
        if not counted.get("packets"):
            raise ValueError("the file holds a UDP run of iperf3 without datagrams")
        counted["lost_percent"] = 100 * counted["lost"] / counted["packets"]
        test["blksize"] = round(sums["sum_sent"]["bytes"] / counted["packets"]) if "sum_sent" in sums else 0
    return {"start": start, "intervals": intervals, "end": end}


def _row(stream: str, end: str, *rest: str) -> dict[str, Any]:
    """Return the values of a line by their names in the JSON, with its stream and side (None for an interval)."""
    size, prefix, rate, scale, unit, more = rest
    side = next((side for side in ("sender", "receiver") if more.rstrip().endswith(side)), None)
    # iperf3 prints bytes in powers of 1024, and bits in powers of 1000 (units.c of iperf3).
    bits = float(rate) * PREFIXES[scale] if unit == "bits" else 8 * float(rate) * BINARY[scale]
    row = {"stream": stream, "side": side, "end": float(end), "bytes": float(size) * BINARY[prefix]}
    row |= {"bits_per_second": bits, "omitted": "(omitted)" in more}
    if lost := _LOST.search(more):
        return row | {"lost": int(lost[1]), "packets": int(lost[2])}
    if resent := _RESENT.match(more):
        row["retransmits"] = int(resent[1])
    if window := _WINDOW.search(more):
        row["snd_cwnd"] = float(window[1]) * BINARY[window[2]]
    return row
