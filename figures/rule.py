"""The rule by which every printed number and claim is judged.

An assessment measures; it returns evidence and no verdict. `judge` alone turns evidence into a verdict:

- A printed number is **met** if, as rounded, it overlaps our 95 % interval, or if our value is within 10 % of it. For
  a logarithm of the power, 10 % are those of the power. If the number contains an optimum that both sides know, what is
  added to the optimum must agree, too: it overlaps our interval, or is within 25 %. Of "at least" and "at most" only
  one side counts.
- *reproduced*: met. *fitted*: met, but a free choice of ours was set by this number or its neighbours. *predicted*:
  met, with a free choice that another number of the paper has set, and that was not changed for this one.
- *sensitive*: our value ranges by more than 10 % to each side (of the power for its logarithm; or what is added to the
  optimum by more than 25 % and by more than a unit of the printed number's last digit) over seeds, a packet time of
  jitter, or a parameter that the paper leaves open, and the printed number lies in this range. Outside of the range,
  the verdict is *differs*. A range over runs goes from the least to the largest of 39, between which one more run is
  with 95 %, whatever the distribution (`of_one_run`). A range of which both ends meet the number decides nothing. Nor
  does an interval of more than 25 % to each side (of what is added to an optimum): a number that only it meets is
  *sensitive*, too.
- *reproduced under an interpretation*: not met, but met if another definition is used that the text allows. The default
  is the printed one: a number met only by a definition set by a number is *fitted* or *predicted*. A table has one
  such definition for all its cells.
- *ordering reproduced*: every difference that the claim says to be positive is so with its whole 95 % interval. That is
  an intersection-union test, which needs no correction for their number (Berger 1982).
- A claim about n differences *differs* if one of them lies below 0 with its whole interval of 1 - 0.05/n (Bonferroni;
  Dunn 1961), so that a true claim differs with a probability of 2.5 % at most, whatever n. Holm's procedure begins
  with the same step. If no difference does so, but not all are above 0, the claim is *undecided*.
- *consistent*: arithmetic on printed numbers, without any code of ours, gives the printed number as rounded, or within
  10 %.
- *not reproducible*: the printed number or claim has no definition that could be computed, or is a number that
  belongs to another cell.
- *input*: a parameter, definition or quotation.
- *differs*: all others.

The rule and its tolerances are ours; no paper states how accurate its numbers are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from scipy import stats

from longfat.base.domains import choice
from longfat.replication.intervals import interval

Verdict = Literal[
    "reproduced", "reproduced under an interpretation", "predicted", "fitted", "ordering reproduced", "sensitive",
    "undecided", "differs", "consistent", "not reproducible", "input",
]  # fmt: skip
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
WITHIN = 0.10  # of the printed number
EXCESS_WITHIN = 0.25  # of the printed number's excess over an optimum
FOR_RANGE = 39  # runs, of which the least and the largest have one more run between them with 95 %, see `of_one_run`
INTERVAL_WITHIN = 0.25  # of our value, or of its excess over an optimum: largest half width of an interval as evidence
FEWEST_RUNS = 6  # of a row with differences at full scale, from which the wider intervals have their degrees of freedom
EQUAL = 1e-9  # relative difference of two expressions for the same thing, both in floats
#: From the best to the worst, for rows with several numbers.
FROM_BEST: tuple[Verdict, ...] = (
    "input", "consistent", "reproduced", "ordering reproduced", "predicted", "fitted",
    "reproduced under an interpretation", "sensitive", "undecided", "not reproducible", "differs",
)  # fmt: skip


@dataclass(frozen=True)
class Printed:
    """A printed number with its rounding: half a unit in its last printed digit."""

    text: str
    value: float
    rounding: float
    log10: bool = False
    bound: Literal["", "at least", "at most"] = ""


def printed(text: str, *, log10: bool = False, bound: Literal["", "at least", "at most"] = "") -> Printed:
    """Return the first number of a text as printed.

    >>> printed("0.41"), printed("about 1447 s").rounding
    (Printed(text='0.41', value=0.41, rounding=0.005, log10=False, bound=''), 0.5)
    """
    choice("bound", bound, ("", "at least", "at most"))
    found = re.search(r"-?(?:\d+(?:,\d{3})*(?:\.(\d+))?|\.(\d+))(?:e([+-]?\d+))?", text)
    if found is None:
        raise ValueError(f"text = {text!r} has no number")
    digits, power = len(found[1] or found[2] or ""), int(found[3] or 0)
    return Printed(found[0], float(found[0].replace(",", "")), 0.5 * 10.0 ** (power - digits), log10, bound)


@dataclass(frozen=True)
class Estimate:
    """Our value with its 95 % interval; without an interval if the value is not random."""

    value: float
    lower: float = math.nan
    upper: float = math.nan

    def __post_init__(self) -> None:
        _check_order(self.lower, self.upper)

    @property
    def low(self) -> float:
        """Lower end of the interval, the value itself without one."""
        return self.value if math.isnan(self.lower) else self.lower

    @property
    def high(self) -> float:
        """Upper end of the interval, the value itself without one."""
        return self.value if math.isnan(self.upper) else self.upper

    def less(self, other: float) -> Estimate:
        """Return the estimate less an exact number."""
        return Estimate(self.value - other, self.lower - other, self.upper - other)

    def times(self, factor: float) -> Estimate:
        """Return the estimate times a positive number, such as one that changes the unit."""
        return Estimate(factor * self.value, factor * self.lower, factor * self.upper)

    def mapped(self, function: Callable[[float], float]) -> Estimate:
        """Return an increasing function of the estimate.

        >>> Estimate(1.0, 0.0, 2.0).mapped(lambda x: 10**x)
        Estimate(value=10.0, lower=1.0, upper=100.0)
        """
        return Estimate(function(self.value), function(self.low), function(self.high))

    def text(self, digits: int = 2) -> str:
        """Format the value with its interval in brackets.

        >>> Estimate(0.5, 0.489, 0.511).text(), Estimate(1.44).text(1)
        ('0.50 (0.49 .. 0.51)', '1.4 (1.4 .. 1.4)')
        """
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} .. {self.high:.{digits}f})"


def mean(samples: Any, confidence: float = 0.95) -> Estimate:
    """Return the mean of independent runs with Student's interval, or without one if there is a single run.

    >>> mean([1.0, 2.0, 3.0]).text(), mean([2.0]).lower
    ('2.00 (-0.48 .. 4.48)', nan)
    """
    return Estimate(*map(float, interval(samples, confidence)))


def texts(found: Iterable[Estimate], digits: int = 2) -> str:
    """Format estimates as text, separated by commas."""
    return ", ".join(one.text(digits) for one in found)


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Return the difference of two independent estimates with its interval (Zou and Donner 2008, method MOVER).

    >>> difference(Estimate(5.0, 2.0, 8.0), Estimate(1.0, -3.0, 5.0))  # 3, 4, 5
    Estimate(value=4.0, lower=-1.0, upper=9.0)
    """
    value = one.value - other.value
    lower = math.hypot(one.value - one.low, other.high - other.value)
    return Estimate(value, value - lower, value + math.hypot(one.high - one.value, other.value - other.low))


@dataclass(frozen=True)
class Spread:
    """Least and largest value over a choice that the paper leaves open, such as seeds or a packet time of jitter.

    ``over`` names the choice, and ``unit`` is the unit of the values, empty if the text beside them has it.
    """

    lower: float
    upper: float
    over: str
    unit: str = ""

    def __post_init__(self) -> None:
        _check_order(self.lower, self.upper)

    @property
    def wide(self) -> bool:
        """Whether the range exceeds 10 % to each side of its middle."""
        if math.isinf(self.lower) or math.isinf(self.upper):
            return True
        return self.upper - self.lower > WITHIN * abs(self.upper + self.lower)


def of_one_run(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the 95 % prediction interval of one more run, whatever its distribution.

    One more run is below the i-th least of n runs with probability i/(n + 1), and as often above the i-th largest: the
    range of 39 runs has 38/40, that of fewer runs less. Student's interval would not do. Times, delays and losses are
    skewed or have two modes, so that it would begin below 0, or contain printed numbers that none of 100 runs comes to.

    >>> of_one_run(range(39)), of_one_run([5.0, 3.0, 4.0])
    ((0.0, 38.0), (3.0, 5.0))
    """
    ordered = sorted(float(one) for one in values)
    i = max(1, int(0.025 * (len(ordered) + 1) + 1e-9))
    return ordered[i - 1], ordered[-i]


@dataclass(frozen=True)
class Quantity:
    """A printed number and our estimate of it.

    Parameters
    ----------
    printed : Printed
        The number.
    ours : Estimate
        Our value, in the same unit.
    optimum : float, optional
        An optimum that both contain, such as the least possible transfer time.
    others : mapping of str to Estimate
        Runs of other schemes, or with other parameters of the same table: those that meet the number, too, show that it
        cannot tell them apart.
    interpretations : mapping of str to Estimate
        Our value under other definitions that the text allows.
    spread : Spread, optional
        Range of our value over the open choices.
    fitted : str
        Free choice of ours that was set by this number or its neighbours; empty if there is none.
    predicted : str
        Free choice of ours that was set by another number of the paper; empty if there is none.
    """

    printed: Printed
    ours: Estimate
    optimum: float | None = None
    others: Mapping[str, Estimate] = field(default_factory=dict)
    interpretations: Mapping[str, Estimate] = field(default_factory=dict)
    spread: Spread | None = None
    fitted: str = ""
    predicted: str = ""

    def meets(self, ours: Estimate) -> bool:
        """Return whether an estimate meets the printed number."""
        if not math.isfinite(ours.value):
            return False
        if math.isinf(ours.low) or math.isinf(ours.high):  # contains everything on a side, and shows nothing there
            ours = Estimate(ours.value)
        p = self.printed
        within = math.log10(1.0 + WITHIN) if p.log10 else WITHIN * abs(p.value)
        if not _near(p.value, p.rounding, ours, within, p.bound):
            return False
        if self.optimum is None:
            return True
        excess = p.value - self.optimum
        return _near(excess, p.rounding, ours.less(self.optimum), EXCESS_WITHIN * abs(excess), p.bound)

    def vague(self, ours: Estimate) -> bool:
        """Return whether only an interval meets the printed number, and that interval is too wide to be evidence."""
        if not self.meets(ours) or self.meets(Estimate(ours.value)):
            return False
        half, size = 0.5 * (ours.high - ours.low), abs(ours.value - (self.optimum or 0.0))
        wide = math.log10(1.0 + INTERVAL_WITHIN) if self.printed.log10 else INTERVAL_WITHIN * size
        return half > max(wide, self.printed.rounding)

    @property
    def open(self) -> bool:
        """Whether the spread is so wide that it decides the verdict."""
        spread = self.spread
        if spread is None or (self.meets(Estimate(spread.lower)) and self.meets(Estimate(spread.upper))):
            return False
        if self.printed.log10:
            return spread.upper - spread.lower > 2.0 * math.log10(1.0 + WITHIN)
        if spread.wide or self.optimum is None:
            return spread.wide
        half, middle = 0.5 * (spread.upper - spread.lower), 0.5 * (spread.upper + spread.lower)
        # Two numbers that differ by a unit of the last digit may be the same before rounding: `rounding` is half of it.
        return half > max(EXCESS_WITHIN * abs(middle - self.optimum), 2.0 * self.printed.rounding)


def at_once(count: int) -> float:
    """Return the ratio of the widths of intervals of 1 - 0.05/n and of 95 %, for n differences in one claim.

    By Student's distribution of six runs, the fewest that a row has: of more runs the ratio is smaller.

    >>> at_once(1), round(at_once(12), 2)  # t(5) has 2.5706 at 0.975 and 4.9825 at 1 - 0.025/12
    (1.0, 1.94)
    """
    ends = stats.t.ppf([1 - 0.025 / max(count, 1), 0.975], FEWEST_RUNS - 1)
    return float(ends[0] / ends[1])


@dataclass(frozen=True)
class Difference:
    """An ordering: differences that are above zero according to the claim.

    ``fitted`` names a free choice of ours that was set by the claim or its neighbours; empty if there is none.
    """

    differences: tuple[Estimate, ...]
    interpretations: Mapping[str, tuple[Estimate, ...]] = field(default_factory=dict)
    fitted: str = ""


@dataclass(frozen=True)
class Arithmetic:
    """Arithmetic on printed numbers, without any code of ours."""

    printed: Printed
    value: float


@dataclass(frozen=True)
class Formula:
    """Largest relative difference between a law and the paper's printed expression, over some points."""

    error: float


@dataclass(frozen=True)
class Statement:
    """A claim that is neither a number nor an ordering, and whether it holds by a criterion that is printed.

    ``fitted`` names a free choice of ours that was set by the claim; empty if there is none.
    """

    holds: bool
    criterion: str
    interpretations: Mapping[str, bool] = field(default_factory=dict)
    fitted: str = ""


@dataclass(frozen=True)
class Declared:
    """A row that is not assessed: an input, or one that cannot be reproduced."""

    verdict: Literal["input", "not reproducible"]
    reason: str = ""


@dataclass(frozen=True)
class Together:
    """Evidence for a row with several numbers or claims, of which the worst verdict counts."""

    parts: tuple[Evidence, ...]


Evidence = Quantity | Difference | Arithmetic | Formula | Statement | Declared | Together


def comparisons(evidence: Evidence) -> int:
    """Return the number of differences in the evidence for a row.

    >>> two = Difference((Estimate(1.0), Estimate(2.0)))
    >>> comparisons(Together((two, two, Statement(True, "true"))))
    4
    """
    if isinstance(evidence, Together):
        return sum(map(comparisons, evidence.parts))
    return len(evidence.differences) if isinstance(evidence, Difference) else 0


def judge(evidence: Evidence, among: int = 0) -> tuple[Verdict, str]:
    """Return the verdict on some evidence, and the rule's reason.

    ``among`` is the number of differences in the whole claim, if the evidence is a part of it.

    >>> judge(Quantity(printed("0.41"), Estimate(0.407)))
    ('reproduced', '')
    >>> judge(Quantity(printed("0.41"), Estimate(0.5, 0.4, 0.6)))
    ('reproduced', '22 % above, but in the interval')
    >>> judge(Quantity(printed("0.41"), Estimate(0.5), interpretations={"with headers": Estimate(0.42)}))
    ('reproduced under an interpretation', '22 % above; with headers: 0.42')
    """
    match evidence:
        case Quantity():
            return _quantity(evidence)
        case Difference():
            if _positive(evidence.differences):
                return ("fitted", f"set by it: {evidence.fitted}") if evidence.fitted else ("ordering reproduced", "")
            count = len(evidence.differences)
            wrong = sum(not one.low > 0 for one in evidence.differences)  # NaN is not above 0
            found = f"{wrong} of {count} differences {'are' if wrong > 1 else 'is'} not above 0"
            for words, differences in evidence.interpretations.items():
                if _positive(differences):
                    return "reproduced under an interpretation", f"{found}; {words}"
            wider = at_once(max(among, count))
            ends = [one.value + wider * (one.high - one.value) for one in evidence.differences]
            wrong_side = not count or any(math.isnan(end) or end <= 0 for end in ends)
            return ("differs" if wrong_side else "undecided"), found
        case Arithmetic(printed=number, value=value):
            met = Quantity(number, Estimate(value)).meets(Estimate(value))
            return ("consistent", "") if met else ("differs", _off(number, value))
        case Formula(error=error):
            return ("reproduced", "") if abs(error) <= EQUAL else ("differs", f"relative difference of {error:.2g}")
        case Statement():
            if evidence.holds:
                return ("fitted", f"set by it: {evidence.fitted}") if evidence.fitted else ("reproduced", "")
            for words, holds in evidence.interpretations.items():
                if holds:
                    return "reproduced under an interpretation", words
            return "differs", "the criterion is not met"
        case Declared():
            return evidence.verdict, evidence.reason
        case Together():
            if not evidence.parts:
                return "differs", "no evidence"
            found_all = [judge(one, comparisons(evidence)) for one in evidence.parts]
            worst = max((verdict for verdict, _ in found_all), key=FROM_BEST.index)
            return worst, "; ".join(dict.fromkeys(text for _, text in found_all if text))


def criterion(evidence: Evidence) -> str:
    """Return the part of the rule that applies to some evidence, for the row of the table.

    >>> criterion(Quantity(printed("1534"), Estimate(1515), optimum=1444.0))
    'in the interval or within 10 %, above the optimum of 1444 within 25 %'
    """
    match evidence:
        case Quantity(printed=number):
            words = "in the interval or within 10 %" + (" of the power" if number.log10 else "")
            words += f", {number.bound}" if number.bound else ""
            return words + (
                f", above the optimum of {evidence.optimum:g} within 25 %" if evidence.optimum is not None else ""
            )
        case Difference():
            return "the interval of every difference excludes 0"
        case Arithmetic():
            return "arithmetic on printed numbers"
        case Formula():
            return f"equal within {EQUAL:.0e}"
        case Statement():
            return evidence.criterion
        case Declared():
            return ""
        case Together():
            return "; ".join(dict.fromkeys(filter(None, map(criterion, evidence.parts))))


def met_by_others(evidence: Evidence) -> tuple[list[str], int]:
    """Return the other runs that also meet the printed numbers of a row, and the number of runs tried.

    >>> met_by_others(Quantity(printed("10"), Estimate(10.0), others={"a": Estimate(9.5), "b": Estimate(20.0)}))
    (['a'], 2)
    """
    if isinstance(evidence, Quantity):
        return [name for name, one in evidence.others.items() if evidence.meets(one)], len(evidence.others)
    if isinstance(evidence, Together):
        parts = [one for one in evidence.parts if isinstance(one, Quantity) and one.others]
        names = [name for name in (parts[0].others if parts else ()) if all(name in one.others for one in parts)]
        return [name for name in names if all(one.meets(one.others[name]) for one in parts)], len(names)
    return [], 0


def fitted_choices(evidence: Evidence | None) -> list[str]:
    """Return our free choices that were set by the numbers of a row.

    >>> fitted_choices(Quantity(printed("53"), Estimate(53.3), fitted="start rate"))
    ['start rate']
    """
    if isinstance(evidence, Together):
        return list(dict.fromkeys(choice for one in evidence.parts for choice in fitted_choices(one)))
    return [evidence.fitted] if isinstance(evidence, Quantity | Difference | Statement) and evidence.fitted else []


def _quantity(one: Quantity) -> tuple[Verdict, str]:
    met, off = one.meets(one.ours), _off(one.printed, one.ours.value)
    far = off + _excess_off(one)
    if one.open and one.spread is not None:
        p, spread = one.printed, one.spread
        unit = f" {spread.unit}" if spread.unit else ""
        words = f"{spread.lower:.4g} to {spread.upper:.4g}{unit} over {spread.over}"
        inside = (p.bound == "at most" or p.value - p.rounding <= spread.upper) and (
            p.bound == "at least" or spread.lower <= p.value + p.rounding
        )
        return ("sensitive", words) if inside else ("differs", f"{far}; {words}")
    if one.vague(one.ours):
        return "sensitive", f"{far}, in an interval from {one.ours.low:.4g} to {one.ours.high:.4g}"
    if met:
        by_interval = not one.printed.bound and not off.startswith("equal") and _relative(one) > WITHIN
        inside_words = f"{far}, but in the interval" if by_interval else ""
        if one.fitted:
            return "fitted", f"set by it: {one.fitted}"
        predicted = f"predicted with what another number has set: {one.predicted}" if one.predicted else ""
        words = "; ".join(filter(None, (inside_words, predicted)))
        return ("predicted" if predicted else "reproduced"), words
    for words, value in one.interpretations.items():
        if one.meets(value) and not one.vague(value):
            tried = f", the first that meets it, of {count} tried" if (count := len(one.interpretations)) > 1 else ""
            ends = "" if one.meets(Estimate(value.value)) else f" ({value.low:.4g} .. {value.high:.4g})"
            return "reproduced under an interpretation", f"{far}; {words}: {value.value:.4g}{ends}{tried}"
    return "differs", far


def _excess_off(one: Quantity) -> str:
    """Return, as text, the relative error of the excess over an optimum."""
    if one.optimum is None or one.printed.value == one.optimum or not math.isfinite(one.ours.value):
        return ""
    excess = 100 * ((one.ours.value - one.optimum) / (one.printed.value - one.optimum) - 1)
    return f", what is added to the optimum {abs(excess):.0f} % {'above' if excess > 0 else 'below'}"


def _relative(one: Quantity) -> float:
    """Return the deviation of our value, relative to the printed number (to the power for logarithms)."""
    p = one.printed
    if p.log10:
        return float(10 ** abs(one.ours.value - p.value)) - 1.0
    return abs(one.ours.value / p.value - 1.0) if p.value else math.inf


def _off(number: Printed, value: float) -> str:
    """Return the deviation of a value as text."""
    if not math.isfinite(value):
        return "no value"
    if number.log10:
        return f"{value - number.value:+.2f} in log10"
    if abs(value - number.value) <= number.rounding:
        return "equal as rounded"
    if number.value == 0:
        return f"{value:.3g} for 0"
    ratio = value / number.value
    if ratio >= 2 or ratio < 0:
        return f"{ratio:.1f} times the printed number"
    return f"{abs(100 * (ratio - 1)):.0f} % {'above' if value > number.value else 'below'}"


def _near(value: float, rounding: float, ours: Estimate, within: float, bound: str) -> bool:
    tiny = 1e-12 * abs(value)  # a printed decimal is not exactly a float
    least, most = min(value - rounding, value - within) - tiny, max(value + rounding, value + within) + tiny
    if bound == "at least":
        return ours.value >= least or ours.high >= value - rounding - tiny
    if bound == "at most":
        return ours.value <= most or ours.low <= value + rounding + tiny
    overlaps = ours.low <= value + rounding + tiny and ours.high >= value - rounding - tiny
    return overlaps or abs(ours.value - value) <= within + tiny


def _check_order(lower: float, upper: float) -> None:
    """Refuse an interval whose ends are in the wrong order; NaN stands for none."""
    if lower > upper:
        raise ValueError(f"lower = {lower:g} must not exceed upper = {upper:g}")


def _positive(differences: tuple[Estimate, ...]) -> bool:
    return bool(differences) and all(one.low > 0 for one in differences)
