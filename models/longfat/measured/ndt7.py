"""Reader of M-Lab's ndt7: lines of ``ndt7-client -format json``, and the server's archived result.

The messages follow the ndt7 protocol specification, the archive follows the data-format specification; both are in
github.com/m-lab/ndt-server. TCPInfo has the fields of Linux's struct tcp_info, times in microseconds.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from longfat.measured.counting import loss_interval
from longfat.measured.fields import Field
from longfat.measured.figures import Measurement, PathFigures, Series
from longfat.measured.limits import by_time, of_busy, queued_or_lost

KIND = "ndt7"
_TESTS = ("download", "upload")


def looks_like(content: Any) -> bool:
    """Return whether the content of a JSON file, or the list of its lines, has the keys of ndt7."""
    if isinstance(content, list):
        return bool(content) and isinstance(content[0], dict) and {"Key", "Value"} <= content[0].keys()
    return isinstance(content, dict) and bool({"Download", "Upload"} & content.keys()) and "StartTime" in content


def read(path: str, content: Any) -> Measurement:
    """Return the measurement of the download, in which the server sends, or of the upload if there is no download."""
    found = _client(path, content) if isinstance(content, list) else _server(path, content)
    test = next((test for test in _TESTS if found[test]), None)
    if test is None:
        raise ValueError("the file holds no measurement of ndt7: was the test cut off?")
    measurements = found[test]
    receiver = "client" if test == "download" else "server"
    seen = [one["AppInfo"] for origin, one in measurements if origin == receiver and "AppInfo" in one.entries()]
    known = [one["TCPInfo"] for origin, one in measurements if origin != receiver and "TCPInfo" in one.entries()]
    if test == "upload":  # the sending client gives no TCPInfo, and the server's is that of a receiver
        seen = seen or [one["AppInfo"] for _, one in measurements if "AppInfo" in one.entries()]
    if not seen and not known:
        raise ValueError("the file holds no AppInfo and no TCPInfo of ndt7: was the test cut off?")
    remarks = [f"measured by the {test} (ndt7)"]
    if isinstance(content, list) and not any(_completes(line, test) for line in content):
        remarks.append(f"the file is cut off, or the {test} was stopped: its line 'complete' is missing (ndt7)")
    if any(found[other] for other in _TESTS if other != test):
        remarks.append("the upload is left out: it is another direction (ndt7)")
    return Measurement(path, KIND, _figures(test, seen, known, remarks), _series(seen, known))


def _client(path: str, lines: list[Any]) -> dict[str, list[tuple[str, Field]]]:
    """Return (origin, message) of each measurement, by the name of the test, from the lines that a client printed."""
    made: dict[str, list[tuple[str, Field]]] = {test: [] for test in _TESTS}
    for i, line in enumerate(lines):
        if not isinstance(line, dict) or line.get("Key") not in ("measurement", "error"):
            continue  # "starting", "connected", "complete", and the summary at the end
        value = Field(path, f"line {i + 1}", line)["Value"]
        if line["Key"] == "error":
            raise ValueError(f"the test failed: {value.entries().get('Failure', 'no reason is given')}")
        test = value["Test"].value
        if test in _TESTS:
            made[test].append((str(value["Origin"].value), value))
    return made


def _completes(line: Any, test: str) -> bool:
    value = line.get("Value") if isinstance(line, dict) and line.get("Key") == "complete" else None
    return isinstance(value, dict) and value.get("Test") == test


def _server(path: str, content: Any) -> dict[str, list[tuple[str, Field]]]:
    """Return (origin, message) of each measurement, by the name of the test, from the server's archive."""
    made: dict[str, list[tuple[str, Field]]] = {test: [] for test in _TESTS}
    for test in _TESTS:
        result = content.get(test.capitalize())
        for origin in ("server", "client") if isinstance(result, dict) else ():
            field = Field(path, test.capitalize(), result).entries().get(f"{origin.capitalize()}Measurements")
            name = f"{test.capitalize()}.{origin.capitalize()}Measurements"
            made[test] += [(origin, one) for one in Field(path, name, field).elements()] if field else []
    return made


def _figures(test: str, seen: list[Field], known: list[Field], remarks: list[str]) -> PathFigures:
    found: dict[str, Any] = {"rate": None}
    if seen:
        elapsed = seen[-1]["ElapsedTime"].number("us", "(0, inf)") / 1e6
        found["rate"] = seen[-1]["NumBytes"].number("bytes", "[0, inf)") / elapsed or None
        remarks.append(f"rate: an estimate, what the receiver of the {test} saw (ndt7); the path may carry more")
    if known:
        last = known[-1]
        mss = last["SndMSS"].number("bytes", "[1, 65535]")
        trips = [one["RTT"].number("us", "[0, inf)") / 1e6 for one in known]
        mean = sum(trips) / len(trips)
        base = last["MinRTT"].number("us", "(0, inf)") / 1e6
        remarks.append("round_trip_time: Linux's minimum at the server (ndt7)")
        remarks.append("queueing_delay: the mean of the smoothed round-trip times less the minimum (ndt7)")
        found |= {"packet": mss, "round_trip_time": base, "queueing_delay": max(0.0, mean - base)}
        total = last["BytesSent"].number("bytes", "[1, inf)")
        again = last["BytesRetrans"].number("bytes", "[0, inf)")
        if again < total:
            sent, loss = total / mss, again / total
            found |= {"loss": loss, "packets_sent": sent, "loss_interval": loss_interval(again / mss, sent)}
            found["policed"] = queued_or_lost(base, mean, loss)
            remarks.append(
                f"loss: an estimate, {again:.0f} of {total:.0f} bytes retransmitted (ndt7), queue drops included"
            )
        times = (last[name].number("us", "[0, inf)") for name in ("BusyTime", "RWndLimited", "SndBufLimited"))
        busy, window, buffer = times
        if limit := by_time(busy, window, buffer, application=False):
            remarks.append(f"limited_by: {of_busy(busy, window, buffer)} (ndt7)")
            found["limited_by"] = limit
            found["limited_share"] = buffer / busy if limit == "send buffer" else None
        if found["rate"] is None and "BytesAcked" in last.entries() and "ElapsedTime" in last.entries():
            acked = last["BytesAcked"].number("bytes", "[0, inf)")
            found["rate"] = acked / (last["ElapsedTime"].number("us", "(0, inf)") / 1e6) or None
            remarks.append("rate: an estimate, what was acknowledged (ndt7); the path may carry more")
    return PathFigures(**found, transport="TCP", remarks=tuple(remarks))


def _series(seen: list[Field], known: list[Field]) -> tuple[Series, ...]:
    """Return series of the rate between the receiver's messages and of the round-trip time in the sender's messages."""
    points = [
        (one["ElapsedTime"].number("us", "[0, inf)") / 1e6, one["NumBytes"].number("bytes", "[0, inf)")) for one in seen
    ]
    rates = [
        (late, (more - less) / (late - early))
        for (early, less), (late, more) in pairwise(points)
        if late > early and more >= less
    ]
    trips = [
        (one["ElapsedTime"].number("us", "[0, inf)") / 1e6, one["RTT"].number("us", "[0, inf)") / 1e6)
        for one in known
        if "ElapsedTime" in one.entries()
    ]
    return Series.of(("rate", "bytes/s", rates), ("round-trip time", "s", trips))
