"""Figures of a path from flent's data files, such as those of its tests rrul, tcp_download and tcp_upload.

The format is that of "The Data File Format" in flent's documentation and of flent/resultset.py: JSON, packed by gzip,
with ``x_values`` and series of ``results``; rates in Mbit/s and round-trip times in ms.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from longfat.measured.fields import Field
from longfat.measured.figures import Measurement
from longfat.measured.loaded import measurement

__all__ = ["KIND", "looks_like", "read"]

KIND = "flent"
#: Series of the round-trip time in order of preference; a test has one or several of them.
PINGS = ("Ping (ms) ICMP", "Ping (ms) UDP", "Ping (ms) avg")
MBIT, MS = 1e6 / 8, 1e-3  # bytes/s and s


def looks_like(content: Any) -> bool:
    """Return whether the content of a JSON file may be flent's."""
    return isinstance(content, dict) and {"metadata", "x_values", "results"} <= content.keys()


def read(path: str, content: Any) -> Measurement:
    """Read the download, or the upload if there is no download, and the round-trip times during the test."""
    file = Field(path, "", content)
    times, results = file["x_values"].elements(), file["results"].entries()
    ping = next((name for name in (*PINGS, *results) if name in results and name.startswith("Ping (ms)")), None)
    if ping is None:
        raise ValueError("holds no series 'Ping (ms) ...' of flent: a test with ping is needed, such as tcp_download")
    found = {direction: _rate(results, f"TCP {direction}") for direction in ("download", "upload")}
    direction = next((one for one in found if found[one]), None)
    if direction is None:
        raise ValueError("holds no series 'TCP download' and 'TCP upload' of flent")
    remarks, both = [], all(found.values())
    if both:
        remarks.append(f"the upload is left out; its queue is in the round-trip times as well ({KIND})")
    units = file["metadata"].entries().get("SERIES_META", {})
    for name, unit in ((found[direction], "Mbits/s"), (ping, "ms")):
        given = units.get(name, {}) if isinstance(units, dict) else {}
        if isinstance(given, dict) and given.get("UNITS", unit) != unit:
            raise ValueError(f"metadata.SERIES_META.{name}.UNITS holds {given['UNITS']!r:.40}, must hold {unit!r}")
    rates, trips = _points(file, found[direction], times, MBIT), _points(file, ping, times, MS)
    raw = file.value.get("raw_values")
    if isinstance(raw, dict) and isinstance(raw.get(ping), list) and raw[ping]:
        trips = _raw(Field(path, f"raw_values.{ping}", raw[ping]), trips)
    return measurement(path, KIND, direction, rates, trips, remarks, is_alone=not both)


def _rate(results: dict[str, Any], name: str) -> str:
    """Return the name of the series of all flows of a direction, or of its only flow; empty if there is neither."""
    return next((one for one in (f"{name} sum", name) if one in results), "")


def _points(file: Field, name: str, times: list[Field], factor: float) -> list[tuple[float, float]]:
    """Return times [s] and values of a series, without missing values, which the file has as null."""
    values = file["results"][name].elements()
    if len(values) != len(times):
        raise ValueError(f"results.{name} holds {len(values)} values, must hold {len(times)}, as many as x_values")
    return [
        (time.number("s", "(-inf, inf)"), value.number("", "[0, inf)") * factor)
        for time, value in zip_longest(times, values)
        if value.value is not None
    ]


def _raw(samples: Field, binned: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the single round-trip times, at times on the axis of the binned series, whose values are interpolated.

    Times of the binned series count from the begin of the test, times of the single samples are those of the clock;
    both begin with the first reply.
    """
    found = [
        (one["t"].number("s", "[0, inf)"), one["val"].number("ms", "(0, inf)") * MS)
        for one in samples.elements()
        if isinstance(one.value, dict) and "val" in one.value
    ]
    if not found or not binned:
        return binned
    shift = found[0][0] - binned[0][0]
    return [(time - shift, trip) for time, trip in found]
