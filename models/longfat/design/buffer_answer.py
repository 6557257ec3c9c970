"""Answer of `longfat.design.buffer` as a Dataset: the curve, the rules, and the smallest sufficient buffer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.design.buffer_laws import LAW_APART, LAW_TOGETHER, Laws
from longfat.design.buffer_rules import SMALLEST
from longfat.design.replicating import LOOKS, Effort
from longfat.design.search import Search, crossing
from longfat.design.window_curves import attrs

if TYPE_CHECKING:
    import xarray as xr

    from longfat.design.arriving_files import ArrivingFiles
    from longfat.design.long_flows import LongFlows

LARGEST = 4.0  # end of the search for the smallest buffer, relative to the end of the curve
COARSEST = 0.05  # largest relative tolerance of the answer where intervals are wide; ours
MISSES = 1.3  # half widths of the interval below the share: a buffer there is expected to miss it with confidence
ENDS = {"": "", "_lower": ", lower limit", "_upper": ", upper limit"}


@dataclass(frozen=True)
class Point:
    """One buffer and its results: the buffer of a rule, of a point of the curve, or the smallest sufficient one."""

    subject: LongFlows | ArrivingFiles
    multiple: float  # buffer [bandwidth-delay products]; NaN if there is none
    values: dict[str, Any]  # simulated results, by name
    share: float  # required share
    laws: Laws
    flows: float  # number of flows in the rules and laws

    @property
    def packets(self) -> float:
        """Buffer of the path [packets], at least one."""
        packets = self.multiple * self.subject.bandwidth_delay_product
        return math.nan if math.isnan(packets) else max(1.0, float(round(packets)))

    @property
    def bytes(self) -> float:
        """Buffer of the path [bytes], in whole packets."""
        return self.packets * self.subject.packet

    @property
    def status(self) -> str:
        """Verdict on the share: "reached" or "not reached" with confidence, else "uncertain"."""
        low, high = (self.values.get(f"share{end}", math.nan) for end in ("_lower", "_upper"))
        return "reached" if low >= self.share else "uncertain" if low < self.share <= high else "not reached"

    def by_law(self, law: Callable[[float, float], float]) -> float:
        """Return the utilisation by a law; NaN for files, which have no law of the utilisation."""
        known = self.subject.criterion == "utilisation" and not math.isnan(self.multiple)
        return law(self.multiple, self.flows) if known else math.nan


Variable = tuple[Callable[[Point], Any], dict[str, str]]  # value at a point, and attributes
#: Variables of each buffer that come before the simulated ones in the answer, and after them.
BEFORE: dict[str, Variable] = {
    "buffer_bdp": (lambda at: at.multiple, attrs("1", "buffer over bandwidth-delay product")),
    "buffer_packets": (lambda at: at.packets, attrs("packets", "buffer of the path")),
    "buffer_bytes": (lambda at: at.bytes, attrs("bytes", "buffer of the path")),
}
AFTER: dict[str, Variable] = {
    "status": (lambda at: at.status, attrs("", "whether the share is reached, with confidence")),
    "law_together": (lambda at: at.by_law(at.laws.together), attrs("1", LAW_TOGETHER)),
    "law_apart": (lambda at: at.by_law(at.laws.apart), attrs("1", LAW_APART)),
}


def variables(subject: LongFlows | ArrivingFiles) -> dict[str, Variable]:
    """Return the variables of each buffer in the order of the answer: function of its value, and attributes."""
    known = subject.quantities | {"share": ("1", f"{subject.criterion} over the attainable")}
    simulated = {
        f"{name}{end}": (unit, f"{text}, simulated{said}")
        for name, (unit, text) in known.items()
        for end, said in ENDS.items()
    } | subject.further

    def of(name: str) -> Callable[[Point], Any]:
        return lambda at: at.values.get(name, math.nan)

    return BEFORE | {name: (of(name), attrs(*about)) for name, about in simulated.items()} | AFTER


def answer(
    subject: LongFlows | ArrivingFiles, share: float, laws: Laws, points: int, search: Search, effort: Effort
) -> dict[str, Any]:
    """Simulate the buffers of the curve, of the rules and of the search for the smallest one, each buffer once."""
    size, samples = subject.simulated_bdp, LOOKS[-1] * effort.replications
    seen: dict[int, dict[str, Any]] = {}
    begun: dict[int, Any] = {}  # runs with the buffers of rules, which runs with smaller buffers continue

    def at(packets: int, is_rule: bool = False) -> dict[str, Any]:
        if packets not in seen:
            larger = min((one for one in begun if one > packets), default=None)
            found = subject.simulate(packets, effort, None if larger is None else (larger, begun[larger]))
            runs = found.pop("runs", None)  # runs of a large path take much memory
            if is_rule and subject.resized:
                begun[packets] = runs
            seen[packets] = found
        return seen[packets]

    floor, least, most = subject.ends()
    curve = [round(one) for one in np.geomspace(least, max(most, 2.0), points)]
    if subject.criterion == "power":  # the greatest power is sought along the curve
        for one in curve:
            at(one)
    flows = subject.competing(seen)
    bounds = laws.rules(share, flows)
    packets = {name: max(1, round(one * size)) for name, one in bounds.items() if not math.isnan(one)}
    for one in sorted(packets.values(), reverse=True):
        at(one, is_rule=True)
    best = subject.attainable(seen)

    def shares(packets: int) -> list[float]:
        """Return the ratios to the attainable value, sample by sample."""
        return [float(one) for one in np.divide(at(packets)["samples"], best)]

    def of_attainable(packets: int) -> dict[str, float]:
        """Return the ratio to the attainable value with its interval."""
        return effort.summed([{"share": one} for one in shares(packets)], subject.within)

    def line(widths: float, low: int, high: int) -> float:
        """Return the buffer at which the mean is expected to exceed the share by ``widths`` half widths."""
        return crossing({one: shares(one) for one in seen}, share, widths, low, high, samples)

    def reaches(packets: int) -> bool:
        return packets >= floor and of_attainable(packets)["share_lower"] >= share

    def between(low: int, high: int) -> tuple[float, float]:
        """Return the next buffer, where the mean should exceed the share by a half width, and that width in packets."""
        exact, above = (line(widths, low, high) for widths in (0.0, 1.0))
        return above, above - exact

    # The search starts from the buffers of the rules. The curve of the utilisation is simulated later, so that the
    # answer does not depend on its points.
    proposed = between if subject.resized else middle
    found = smallest(reaches, sorted(seen), subject.fineness, round(LARGEST * most), search, proposed)
    if found is not None:
        packets[SMALLEST] = found

    def row(multiple: float, packets: int | None) -> dict[str, Any]:
        values = {} if packets is None else at(packets) | of_attainable(packets)
        point = Point(subject, multiple, values, share, laws, flows)
        return {name: value(point) for name, (value, _) in variables(subject).items()}

    multiples = bounds | {SMALLEST: math.nan if found is None else found / size}

    def missing() -> list[int]:
        """Return the buffers below the answer that miss the share with confidence."""
        return [one for one in seen if found is not None and one < found and of_attainable(one)["share_upper"] < share]

    missed = missing()
    if found is not None and subject.resized and search != "scan":
        for widths in (MISSES, 2 * MISSES, 4 * MISSES):  # near the lower end of the interval, then below it
            least = round(line(-widths, 0, found))
            if least <= max(floor, (1 + subject.fineness) * max(missed, default=0)):
                break
            at(least)
            missed = missing()
    return {
        "missed": max(missed) / size if missed else math.nan,
        "rules": [row(multiples[name], packets.get(name)) for name in (*bounds, SMALLEST)],
        "curve": [row(one / size, one) for one in curve],
        "attainable": float(np.mean(best)),
        "powers": [at(one).get("powers", []) for one in curve],
    }


def middle(low: int, high: int) -> tuple[float, float]:
    """Return the middle between two buffers as the next one to try, with a tolerance of 0."""
    return (low + high) / 2, 0.0


def smallest(
    reaches: Callable[[int], bool],
    known: list[int],
    fineness: float,
    most: int,
    search: Search,
    between: Callable[[int, int], tuple[float, float]] = middle,
) -> int | None:
    """Return the smallest buffer for which ``reaches`` is true, within ``fineness`` or a packet; None if there is none.

    ``between`` returns the next buffer to try between one that misses the goal and one that reaches it, and a tolerance
    [packets]. ``known`` are the buffers that have been simulated, in order.
    """
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
    while high - low > 1:
        guess, tolerance = between(low, high)
        tolerance = max(1.0, fineness * high, min(tolerance, COARSEST * high))
        if high - low <= tolerance:
            break
        # Not close to either end, so that both outcomes shorten the interval.
        margin = max(math.floor(tolerance), (high - low) // 8)
        next_one = min(max(math.floor(guess), low + margin), max(high - margin, low + 1))
        low, high = (low, next_one) if reaches(next_one) else (next_one, high)
    return high


def dataset(subjects: list[Any], answers: list[dict[str, Any]], laws: Laws, alone: bool) -> xr.Dataset:
    """Return the answers as a Dataset: along `flows` unless ``alone``, rules along `rule`, curves along `point`."""
    import xarray as xr

    found: dict[str, Any] = {}
    for kind, dim, prefix in (("rules", "rule", ""), ("curve", "point", "curve_")):
        for name, (_, about) in variables(subjects[0]).items():
            values = [[row[name] for row in answer[kind]] for answer in answers]
            found[prefix + name] = (("flows", dim), values, about)
    rules = [*laws.holds, SMALLEST]
    found["holds"] = ("rule", [*laws.holds.values(), "this path, as simulated"], attrs("", "where a rule holds"))
    simulated = [float(one.simulated_bdp) for one in subjects]
    found["simulated_bdp"] = ("flows", simulated, attrs("packets", "simulated bandwidth-delay product"))
    missed = [answer["missed"] for answer in answers]
    text = "largest simulated buffer below the answer that misses the share with confidence"
    found["missed_bdp"] = ("flows", missed, attrs("1", text))
    more, coordinates = subjects[0].drawn(subjects, answers, laws)
    coordinates = {"rule": ("rule", rules, attrs("", "where the buffer comes from"))} | coordinates
    data = xr.Dataset(found | more, coords=coordinates)
    return data.isel(flows=0) if alone else data
