"""Answer of `longfat.design.buffer` as a Dataset: a curve, the rules, and the smallest buffer that is sufficient."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.design.arriving_files import ArrivingFiles
from longfat.design.bottleneck import threshold_of
from longfat.design.buffer_laws import LEAST_OF_BBR, Laws, is_bbr
from longfat.design.buffer_rules import SMALLEST
from longfat.design.long_flows import LongFlows
from longfat.design.replicating import Effort
from longfat.design.search import Search
from longfat.design.window_curves import attrs

if TYPE_CHECKING:
    import xarray as xr

CURVE = (0.04, 1.25)  # products between which the curve is simulated; with files up to 4, and 8 files at least
DENSE = np.geomspace(CURVE[0] / 2, 2 * CURVE[1], 101)  # products at which the laws are drawn
BURST_OF_RENO = 18.0  # a policer's bucket grows with the square: `longfat.laws.buffers.burst_for_policed_rate`
LARGEST = 4.0  # times the end of the curve up to which the smallest buffer is sought


def answer(
    subject: LongFlows | ArrivingFiles, share: float, laws: Laws, points: int, search: Search, effort: Effort
) -> dict[str, Any]:
    """Simulate the curve, the rules and the search for the smallest buffer of one subject; each buffer runs once."""
    size = subject.simulated_bdp
    seen: dict[int, dict[str, Any]] = {}

    def at(packets: int) -> dict[str, Any]:
        if packets not in seen:
            seen[packets] = subject.simulate(packets, effort)
        return seen[packets]

    floor, least, most = _ends(subject)
    curve = [round(one) for one in np.geomspace(least, max(most, 2.0), points)]
    for one in curve:
        at(one)
    long = isinstance(subject, LongFlows)
    flows = float(subject.flows) if isinstance(subject, LongFlows) else _greatest(seen)["transfers"]
    bounds = laws.rules(share, flows)
    packets = {name: max(1, round(one * size)) for name, one in bounds.items() if not math.isnan(one)}
    for one in packets.values():
        at(one)
    best = [1.0] * effort.replications if long else _greatest(seen)["samples"]

    def of_attainable(packets: int) -> dict[str, float]:
        """Return the ratio to the attainable value, replication by replication."""
        parts = [{"share": one / most} for one, most in zip(at(packets)["samples"], best, strict=True)]
        return effort.summed(parts, {"share": (0.0, 1.0)} if long else {})

    def reaches(packets: int) -> bool:
        return packets >= floor and of_attainable(packets)["share_lower"] >= share

    found = smallest(reaches, sorted(seen), subject.fineness, round(LARGEST * most), search)
    if found is not None:
        packets[SMALLEST] = found

    def row(multiple: float, packets: int | None) -> dict[str, Any]:
        values = at(packets) | of_attainable(packets) if packets is not None else {}
        known = long and not math.isnan(multiple)
        return _row(subject, multiple, values, share) | {
            "law_together": laws.together(multiple, flows) if known else math.nan,
            "law_apart": laws.apart(multiple, flows) if known else math.nan,
        }

    multiples = bounds | {SMALLEST: math.nan if found is None else found / size}
    return {
        "rules": [row(multiples[name], packets.get(name)) for name in (*bounds, SMALLEST)],
        "curve": [row(one / size, one) for one in curve],
        "attainable": float(np.mean(best)),
        "powers": [at(one).get("powers", []) for one in curve],
    }


def _ends(subject: LongFlows | ArrivingFiles) -> tuple[float, float, float]:
    """Return the least buffer that can be an answer, and those between which the curve is simulated [packets]."""
    size, sought = subject.simulated_bdp, isinstance(subject, LongFlows) and subject.finds != "buffer"
    floor = 1.0 if sought else threshold_of(subject.discipline) + 1.0  # no threshold is beyond the buffer
    if is_bbr(subject.scheme) and not sought:
        floor = max(floor, float(math.ceil(LEAST_OF_BBR * size)))
    least, most = (max(floor, end * size) for end in CURVE)
    if floor > 1:
        most = max(most, 2 * floor)
    if isinstance(subject, ArrivingFiles):
        most = max(4 * size, 8 * subject.bytes / subject.packet)
    elif subject.finds == "burst":
        most = max(most, size * size / BURST_OF_RENO)
    return floor, least, most


def _greatest(seen: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """Return the simulated results of the buffer with the greatest power."""
    useful = [one for one in seen.values() if min(one["samples"]) > 0]
    if not useful:
        raise ValueError(
            f"no file was completed within the simulated time, with buffers of {', '.join(map(str, seen))} packets"
        )
    return max(useful, key=lambda one: float(one["power"]))


def smallest(
    reaches: Callable[[int], bool], known: list[int], fineness: float, most: int, search: Search
) -> int | None:
    """Return the smallest buffer for which ``reaches`` is true, to ``fineness`` or a packet; None if none is."""
    if search == "scan":
        return next((one for one in range(1, most + 1) if reaches(one)), None)
    low, high = 0, 0
    for one in known:
        if reaches(one):
            high = one
            break
        low = one
    while not high:
        if 2 * low > most:
            return None
        if reaches(2 * low):
            high = 2 * low
        else:
            low *= 2
    while high - low > max(1.0, fineness * high):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _row(subject: LongFlows | ArrivingFiles, multiple: float, values: dict[str, Any], wanted: float) -> dict[str, Any]:
    """Return the variables of one buffer: its size, the laws there, and the simulated results."""
    names = [f"{name}{end}" for name in (*subject.quantities, "share") for end in ("", "_lower", "_upper")]
    row = {name: values.get(name, math.nan) for name in names}
    status = "reached" if row["share_lower"] >= wanted else "not reached"
    if row["share_lower"] < wanted <= row["share_upper"]:
        status = "uncertain"
    packets = multiple * subject.bandwidth_delay_product
    return {
        "buffer_bdp": multiple,
        "buffer_packets": math.nan if math.isnan(packets) else max(1.0, float(round(packets))),
        "buffer_bytes": packets * subject.packet,
        **row,
        **({"best_load": values.get("best_load", math.nan)} if subject.criterion == "power" else {}),
        "status": status,
    }


_BUFFER = {
    "buffer_bdp": attrs("1", "buffer over bandwidth-delay product"),
    "buffer_packets": attrs("packets", "buffer of the path"),
    "buffer_bytes": attrs("bytes", "buffer of the path"),
    "law_together": attrs("1", "utilisation, law for one flow or flows that lose at the same time"),
    "law_apart": attrs("1", "utilisation, lower bound for many flows that do not lose at the same time"),
    "best_load": attrs("1", "load at which power is greatest"),
    "status": attrs("", "whether the share is reached, with confidence"),
}


def dataset(subjects: list[Any], answers: list[dict[str, Any]], laws: Laws, alone: bool) -> xr.Dataset:
    """Return a Dataset: answers along `flows` unless there is one, rules along `rule`, the curve along `point`."""
    import xarray as xr

    described = dict(_BUFFER)
    of_all = {"share": ("1", f"{subjects[0].criterion} over the attainable")}
    for name, (unit, text) in (subjects[0].quantities | of_all).items():
        for end, said in (("", ""), ("_lower", ", lower limit"), ("_upper", ", upper limit")):
            described[name + end] = attrs(unit, f"{text}, simulated{said}")
    variables: dict[str, Any] = {}
    for kind, dim, prefix in (("rules", "rule", ""), ("curve", "point", "curve_")):
        for name in answers[0][kind][0]:
            values = [[row[name] for row in answer[kind]] for answer in answers]
            variables[prefix + name] = (("flows", dim), values, described[name])
    coordinates: dict[str, Any] = {"rule": ("rule", [*laws.holds, SMALLEST], attrs("", "where the buffer comes from"))}
    variables["holds"] = ("rule", [*laws.holds.values(), "this path, as simulated"], attrs("", "where a rule holds"))
    variables["simulated_bdp"] = (
        "flows", [float(one.simulated_bdp) for one in subjects], attrs("packets", "simulated bandwidth-delay product"),
    )  # fmt: skip
    if subjects[0].criterion == "power":
        powers = np.asarray([answer["powers"] for answer in answers], float)
        variables["curve_powers"] = (("flows", "point", "load"), powers, attrs("bytes/s^2", "network power"))
        coordinates["load"] = ("load", list(subjects[0].loads), attrs("1", "load offered"))
    else:
        coordinates["flows"] = ("flows", [one.flows for one in subjects], attrs("flows", "flows without end"))
        variables |= _dense(subjects, laws)
        coordinates["law_buffer"] = ("law_buffer", DENSE, attrs("1", "buffer over bandwidth-delay product"))
    data = xr.Dataset(variables, coords=coordinates)
    return data.isel(flows=0) if alone else data


def _dense(subjects: list[Any], laws: Laws) -> dict[str, Any]:
    """Return the utilisation by the laws at many buffers, for drawing."""
    along = ("flows", "law_buffer")
    bounds, curves = (
        [[law(one, subject.flows) for one in DENSE] for subject in subjects] for law in (laws.apart, laws.together)
    )
    # One curve for any number of flows if the law does not depend on it.
    same = all(np.array_equal(one, curves[0], equal_nan=True) for one in curves)
    return {
        "dense_together": ("law_buffer", curves[0], _BUFFER["law_together"])
        if same
        else (along, curves, _BUFFER["law_together"]),
        "dense_apart": (along, bounds, _BUFFER["law_apart"]),
    }
