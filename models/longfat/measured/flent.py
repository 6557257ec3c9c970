"""Reader of flent's data files: rates and round-trip times of tests such as rrul, tcp_download and tcp_upload.

The format is that of "The Data File Format" in flent's documentation and of flent/resultset.py: JSON, packed by gzip,
with ``x_values`` and series of ``results``; rates in Mbit/s and round-trip times in ms.
"""

from __future__ import annotations

from typing import Any

from longfat.measured.fields import Field
from longfat.measured.figures import Measurement
from longfat.measured.loaded import measurement

KIND = "flent"
#: Names of flent's series of round-trip times, in order of preference; a test has one or several of them.
PINGS = ("Ping (ms) ICMP", "Ping (ms) UDP", "Ping (ms) avg")
UNITS = {"Mbit/s": 1e6 / 8, "ms": 1e-3}  # factors that convert to bytes/s and s


def looks_like(content: Any) -> bool:
    """Return whether the content of a JSON file has the keys of flent's data files."""
    return isinstance(content, dict) and {"metadata", "x_values", "results"} <= content.keys()


def read(path: str, content: Any) -> Measurement:
    """Read the rates of the download, or of the upload if there is no download, and the test's round-trip times."""
    file = Field(path, "", content)
    times, results = file["x_values"].elements(), file["results"].entries()
    ping = next((name for name in (*PINGS, *results) if name in results and name.startswith("Ping (ms)")), None)
    if ping is None:
        raise ValueError("the file holds no series 'Ping (ms) ...' of flent: run a test with ping (tcp_download)")
    found = {direction: _rate(results, f"TCP {direction}") for direction in ("download", "upload")}
    direction = next((one for one in found if found[one]), None)
    if direction is None:
        raise ValueError("the file holds no series 'TCP download' or 'TCP upload' of flent")
    remarks, both = [], all(found.values())
    if both:
        remarks.append(f"the upload is left out; its queue is in the round-trip times as well ({KIND})")
    units = file["metadata"].entries().get("SERIES_META", {})
    for name, unit in ((found[direction], "Mbits/s"), (ping, "ms")):
        given = units.get(name, {}) if isinstance(units, dict) else {}
        if isinstance(given, dict) and given.get("UNITS", unit) != unit:
            raise ValueError(f"metadata.SERIES_META.{name}.UNITS holds {given['UNITS']!r:.40}, must hold {unit!r}")
    rates, trips = _points(file, found[direction], times, "Mbit/s"), _points(file, ping, times, "ms")
    raw = file.value.get("raw_values")
    if isinstance(raw, dict) and isinstance(raw.get(ping), list) and raw[ping]:
        trips = _raw(Field(path, f"raw_values.{ping}", raw[ping]), trips)
    return measurement(path, KIND, direction, rates, trips, remarks, is_alone=not both)


def _rate(results: dict[str, Any], name: str) -> str:
    """Return the name of the series with the total rate of a direction, or the rate of its only flow; "" if none."""
    return next((one for one in (f"{name} sum", name) if one in results), "")


def _points(file: Field, name: str, times: list[Field], unit: str) -> list[tuple[float, float]]:
    """Return times [s] and values of a series, converted from ``unit``, without null values."""
    values = file["results"][name].elements()
    if len(values) != len(times):
        raise ValueError(f"results.{name} holds {len(values)} values, must hold {len(times)}, as many as x_values")
    return [
        (time.number("s", "(-inf, inf)"), value.number(unit, "[0, inf)") * UNITS[unit])
        for time, value in zip(times, values, strict=True)
        if value.value is not None
    ]


def _raw(samples: Field, binned: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the single round-trip times [s] with their times [s] since the start of the test; ``binned`` if none.

    ``binned`` is the same series as flent has interpolated it. The samples have clock times, which are shifted so that
    the first sample has the first time of ``binned``: both belong to the first reply.
    """
    found = [
        (one["t"].number("s", "[0, inf)"), one["val"].number("ms", "(0, inf)") * UNITS["ms"])
        for one in samples.elements()
        if isinstance(one.value, dict) and "val" in one.value
    ]
    if not found or not binned:
        return binned
    shift = found[0][0] - binned[0][0]
    return [(time - shift, trip) for time, trip in found]
