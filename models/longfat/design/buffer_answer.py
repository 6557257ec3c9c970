"""Answer of `longfat.design.buffer`: the curve, the rules, and the smallest sufficient buffer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.labelled import ENDS, Labelled, attrs, with_limits
from longfat.design.bottleneck import threshold_of
from longfat.design.buffer_laws import FURTHER, LAW_DESYNCHRONISED, LAW_SYNCHRONISED, ONE, SMALLEST, Laws, compared
from longfat.design.long_flows import LongFlows
from longfat.design.replicating import Effort
from longfat.design.search import Line, bisected, fitted, logit

if TYPE_CHECKING:
    from longfat.design.arriving_files import ArrivingFiles

LARGEST = 4.0  # largest buffer that a search tries, over the largest buffer of the curve
WIDTH = 0.11  # relative width of the interval of the smallest buffer that ends a search for several flows; our choice
FIXED = 4  # samples at each buffer of a search for several flows, in units of ``replications``; our choice
TRIES = 12  # buffers that a search tries; our choice
STEEP = 2.0  # least difference of log odds between adjacent buffers that counts as a jump; our choice
#: Slopes that a search assumes for the log odds of the utilisation against the logarithm of the buffer (see `fitted`);
#: the second is for CUBIC and single flows. Our choice: near 0.95 CUBIC's slope is 0.5 with 64 flows, 0.7 with one.
SLOPE, GENTLE_SLOPE = 3.0, 0.8
#: A search for several flows also ends with an interval wider than `WIDTH` if the shares at the ends of the interval
#: differ by at most this fraction of 1 minus the required share. Our choice, 0.02 at a share of 0.95: such a difference
#: hardly matters, and a narrower interval takes many more samples.
CLOSE = 0.4


#: Attributes of the variables of a buffer that are not simulated; in the answer `BEFORE` precedes the simulated ones.
BEFORE = {
    "buffer_bdp": attrs("1", "buffer over bandwidth-delay product"),
    "buffer_packets": attrs("packets", "buffer of the path"),
    "buffer_bytes": attrs("bytes", "buffer of the path"),
}
AFTER = {
    "status": attrs("", "whether the share is reached, with confidence"),
    "cycle": attrs("s", "longest time between two losses or marks of a flow of Reno, CUBIC or DCTCP"),
    "law_synchronised": attrs("1", LAW_SYNCHRONISED),
    "law_desynchronised": attrs("1", LAW_DESYNCHRONISED),
}


def variables(subject: LongFlows | ArrivingFiles) -> dict[str, dict[str, str]]:
    """Return the attributes of the variables of a buffer, in the order of the answer."""
    known = subject.quantities | {"share": ("1", f"{subject.criterion} over the attainable")}
    simulated: dict[str, tuple[str, str]] = {}
    for name, (unit, text) in known.items():
        simulated |= with_limits(name, text, unit)
    return BEFORE | {name: attrs(*about) for name, about in (simulated | subject.further).items()} | AFTER


def row_of(
    subject: LongFlows | ArrivingFiles, multiple: float, values: Mapping[str, Any], share: float, laws: Laws,
    flows: float,
) -> dict[str, Any]:  # fmt: skip
    """Return the `variables` of a buffer from its simulated values; ``multiple`` is its size [BDP], NaN for no buffer.

    With a threshold in packets, which does not scale, the answer is valid for the simulated link only, and the buffer
    is given in packets of that link. The laws describe long-lived flows; for files they are NaN.
    """
    bdp = subject.simulated_bdp if threshold_of(subject.discipline) else subject.bandwidth_delay_product
    packets = math.nan if math.isnan(multiple) else max(1.0, float(round(multiple * bdp)))
    low, high = (values.get(f"share{end}", math.nan) for end in ("_lower", "_upper"))
    status = "reached" if low >= share else "uncertain" if low < share <= high else "not reached"
    if math.isnan(low) and not math.isnan(multiple):
        status = "not simulated"
    made = dict.fromkeys(AFTER, math.nan) | {
        "buffer_bdp": multiple, "buffer_packets": packets, "buffer_bytes": packets * subject.packet, "status": status,
    }  # fmt: skip
    if isinstance(subject, LongFlows) and not math.isnan(multiple):
        made["cycle"] = subject.cycle(multiple)
        made["law_synchronised"] = laws.together(multiple, flows)
        made["law_desynchronised"] = laws.apart(multiple, flows)
    return {name: made.get(name, values.get(name, math.nan)) for name in variables(subject)}


def answer(
    subject: LongFlows | ArrivingFiles, share: float, laws: Laws, points: int, effort: Effort, every_rule: bool = True
) -> dict[str, Any]:
    """Simulate the buffers of curve and rules, search for the smallest sufficient buffer, and return all results.

    Each buffer is simulated once. ``of_rule`` in the result is a function that simulates the buffer of a rule.
    """
    size = subject.simulated_bdp
    seen: dict[int, dict[str, Any]] = {}
    runs = None  # runs of the last simulated buffer only: runs of a large path take much memory

    def at(packets: int, **options: Any) -> dict[str, Any]:
        nonlocal runs
        if packets not in seen:
            seen[packets] = subject.simulate(packets, effort, runs, **options)
            continued = seen[packets].pop("runs", None)
            runs = continued if subject.resized else None
        return seen[packets]

    floor, least, most = subject.ends()
    curve = [round(one) for one in np.geomspace(least, max(most, 2.0), points)]
    if subject.criterion == "power":  # the greatest power is sought along the curve
        for one in curve:
            at(one)
    flows = subject.competing(seen)
    bounds = laws.rules(share, flows)
    packets = {name: max(1, round(one * size)) for name, one in bounds.items() if not math.isnan(one)}
    # The search starts from the buffers of the rules that are not in `later`. The rules in `later` and the curve of the
    # utilisation are simulated after the search, so that the answer does not depend on them.
    has_line = subject.resized and floor <= 1 and share < 1
    later = () if subject.criterion == "power" else (ONE, *FURTHER) if has_line else FURTHER
    first = {one for name, one in packets.items() if name not in later} or {max(1, round(size))}
    if not has_line:
        for one in sorted(first, reverse=True):
            at(one)
    best = subject.attainable(seen)

    def of_attainable(values: Mapping[str, Any]) -> dict[str, float]:
        """Return the ratio of simulated values to the attainable value, with its confidence interval."""
        samples = np.divide(values["samples"], best)
        return effort.summed([{"share": float(one)} for one in samples], subject.within)

    def reaches(packets: int) -> bool:
        return packets >= floor and of_attainable(at(packets))["share_lower"] >= share

    def is_last(packets: int) -> bool:
        """Return whether larger buffers miss the share, too: this buffer misses it surely, and was never full."""
        values = at(packets)
        return values.get("never_full", False) and of_attainable(values)["share_upper"] < share

    largest, missed = round(LARGEST * most), 0
    found: int | None = None
    chosen: dict[str, Any] | None = None
    if has_line:
        count = FIXED if flows > 1 else math.ceil(3 / effort.replications)
        shown = packets.get(compared(laws.holds, round(flows)))

        def shares(packets: int) -> list[float] | None:
            """Return a fixed number of samples at a buffer, or None if larger buffers miss the share, too.

            The buffer of the rule to compare with may have fewer samples if their interval excludes the share.
            """
            at(packets, **({} if packets == shown else {"looks": (count,)}))
            return None if is_last(packets) else list(seen[packets]["samples"][: count * effort.replications])

        width, close = (WIDTH, CLOSE * (1 - share)) if flows > 1 else (subject.fineness, 0.0)
        slope = GENTLE_SLOPE if flows == 1 or subject.scheme.name == "cubic" else SLOPE
        goal = Goal(share, effort.confidence, width, slope, largest, close)
        line = line_to_goal(shares, sorted(first, reverse=True), goal)
        if line is not None:
            missed, found = line.interval(largest)
            assert found is not None  # else `line_to_goal` returns None
            mean, *limits = (float(one) for one in line.limits(found))
            known = {f"share{end}": value for end, value in zip(ENDS, (mean, *limits), strict=True)}
            shares(found)
            own = of_attainable(seen[found])
            # If the samples of the buffer found hardly vary, their mean has a smaller error than the value of the line:
            # use the mean.
            if own["share_lower"] >= share and own["share_upper"] - own["share_lower"] < limits[1] - limits[0]:
                known = own
            chosen = seen[found] | known | {f"utilisation{end}": known[f"share{end}"] for end in ENDS}
    if found is None:
        found = smallest(reaches, sorted(seen), subject.fineness, largest, is_last)
        below = [one for one in seen if found is not None and one < found]
        missed = max((one for one in below if of_attainable(seen[one])["share_upper"] < share), default=0)

    def results(packets: int | None) -> dict[str, Any]:
        return {} if packets is None else at(packets) | of_attainable(at(packets))

    def row(multiple: float, values: dict[str, Any]) -> dict[str, Any]:
        return row_of(subject, multiple, values, share, laws, flows)

    along = [row(one / size, results(one)) for one in curve]  # made first, so that it does not depend on `every_rule`

    def of_rule(name: str) -> dict[str, Any]:
        return row(bounds[name], results(packets.get(name)))

    # If the search finds no buffer, the answer names a rule that reaches the share, also one that is usually left out.
    skipped = set() if every_rule or found is None else {*later} - {compared(laws.holds, round(flows))}
    rows = [row(one, {}) if name in skipped else of_rule(name) for name, one in bounds.items()]
    rows.append(row(math.nan if found is None else found / size, results(found) if chosen is None else chosen))
    return {
        "missed": missed / size if missed else math.nan,
        "rules": rows,
        "of_rule": of_rule,
        "curve": along,
        "attainable": float(np.mean(best)),
        "powers": [at(one).get("powers", []) for one in curve],
    }


@dataclass(frozen=True)
class Goal:
    """Share that a buffer has to reach, and conditions that end the search of `line_to_goal`."""

    share: float  # share that the buffer has to reach
    confidence: float
    width: float  # relative width of the interval of the smallest buffer at which the search ends
    slope: float  # slope of the log odds over the logarithm of the buffer, which `fitted` assumes
    largest: int  # largest buffer that is tried [packets]
    close: float = 0.0  # the search also ends if the shares at the ends of the interval differ by at most this


def line_to_goal(shares: Callable[[int], list[float] | None], known: list[int], goal: Goal) -> Line | None:
    """Simulate buffers until a line through their results determines the smallest sufficient buffer; return the line.

    The result is None if no line determines the buffer. ``shares`` simulates a buffer and returns its samples, or None
    if no larger buffer reaches the goal; ``known`` are the first buffers, in the order of their simulation. The next
    buffer is the one at which the line crosses the goal, or the nearest buffer that has not been tried. The search ends
    when the interval of the smallest buffer is narrow enough or one packet wide, or after `TRIES` buffers.
    """
    tried: dict[int, list[float]] = {}
    for one in known:
        if (samples := shares(one)) is None:
            return None
        tried[one] = samples
    for k in range(TRIES + 1):
        line = fitted(tried, goal.share, goal.confidence, goal.slope)
        if line is not None:
            misses, reaches = line.interval(goal.largest)
            if reaches is not None and (k == TRIES or _is_narrow(line, misses, reaches, goal)):
                return line
        guess = _guess({one: float(np.mean(each)) for one, each in tried.items()}, line, goal)
        if guess is None:
            return None
        untried = np.setdiff1d(np.arange(1, goal.largest + 1), list(tried))
        if k == TRIES or not untried.size:
            return None
        one = int(untried[np.argmin(np.abs(untried - guess))])
        if (samples := shares(one)) is None:
            return None
        tried[one] = samples
    return None


def _is_narrow(line: Line, misses: int, reaches: int, goal: Goal) -> bool:
    """Return whether the interval of the smallest buffer is narrow enough, in packets or in the shares at its ends."""
    if reaches - misses <= max(1.0, goal.width * reaches):
        return True
    if misses == 0:
        return False
    low, high = line.limits(np.array([misses, reaches]))[0]
    return bool(high - low <= goal.close)


def _guess(means: dict[int, float], line: Line | None, goal: Goal) -> float | None:
    """Return the buffer to try next; None if one packet suffices, or if utilisation jumps between adjacent buffers."""
    low = max((one for one, mean in means.items() if mean < goal.share), default=0)
    high = min((one for one, mean in means.items() if mean >= goal.share), default=2 * max(means))
    if high <= 1:  # one packet suffices
        return None
    if high - low <= 1 and high in means and (means[high] >= 1 or logit(means[high]) - logit(means[low]) > STEEP):
        return None
    guess = (low + high) / 2 if line is None else line.crossing()
    if high - low > WIDTH * high:  # the smallest buffer is in (low, high], even if the line crosses elsewhere
        guess = min(max(guess, low + 1.0), high - 1.0)
    return min(max(guess, 1.0), float(goal.largest))


def smallest(
    reaches: Callable[[int], bool], known: list[int], fineness: float, most: int,
    is_last: Callable[[int], bool] = lambda packets: False,
) -> int | None:  # fmt: skip
    """Find the smallest buffer that ``reaches`` accepts, to a relative ``fineness`` or a packet; None if there is none.

    ``known`` are the buffers that have been simulated, in order. ``is_last`` is called with a buffer that ``reaches``
    refuses, and returns whether ``reaches`` refuses all larger buffers, too.
    """
    low, high = 0, 0
    for one in known:
        if reaches(one):
            high = one
            break
        low = one
    while not high:
        if 2 * low > most or is_last(low):
            return None
        if reaches(2 * low):
            high = 2 * low
        else:
            low *= 2
    return bisected(reaches, low, high, fineness)


def labelled(subjects: list[Any], answers: list[dict[str, Any]], laws: Laws, alone: bool) -> Labelled:
    """Return arrays of the answers: along `flows` unless ``alone``, and along `rule` or, for the curve, `point`."""
    found: dict[str, Any] = {}
    for kind, dim, prefix in (("rules", "rule", ""), ("curve", "point", "curve_")):
        for name, about in variables(subjects[0]).items():
            values = [[row[name] for row in answer[kind]] for answer in answers]
            found[prefix + name] = (("flows", dim), values, about)
    rules = [*laws.holds, SMALLEST]
    found["holds"] = ("rule", [*laws.holds.values(), "this path, as simulated"], attrs("", "where a rule holds"))
    simulated = [float(one.simulated_bdp) for one in subjects]
    found["simulated_bdp"] = ("flows", simulated, attrs("packets", "simulated bandwidth-delay product"))
    missed = [answer["missed"] for answer in answers]
    text = "largest buffer below the answer that misses the share with confidence"
    found["missed_bdp"] = ("flows", missed, attrs("1", text))
    more = subjects[0].further_data(subjects, answers, laws)
    coordinates = {"rule": ("rule", rules, attrs("", "where the buffer comes from")), **more.coords}
    data = Labelled({**found, **more.variables}, coordinates, more.attrs)
    return data.isel(flows=0) if alone else data
