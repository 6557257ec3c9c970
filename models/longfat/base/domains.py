"""Domains of parameters, and the errors for values outside of them.

All parts of the package use this module, and it uses none of them, so that a law, a simulator and the command line
refuse a bad value in the same words. There is one helper for each kind of error:

=============== ============ ====================================================================
`wrong_type`    TypeError    load must be a number, got the string '0.5'
`unknown`       ValueError   scheme 'renno' is unknown; did you mean 'reno'? Available: reno, tahoe
`out_of_range`  ValueError   load = 1.2 is out of range: must be in [0, 1)
`wrong_shape`   ValueError   capacities has shape (2,): must be an array of length 3
`conflict`      ValueError   flows = 4 excludes file
=============== ============ ====================================================================
"""

from __future__ import annotations

import difflib
import functools
import math
import operator
import re
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np  # imported where it is used, so that the command line starts fast

#: Units that messages omit after a number, as in "loss = 2 is out of range".
_UNNAMED = ("1", "probability")
_INTERVAL = re.compile(r"^([\[(])\s*(\S+)\s*,\s*(\S+)\s*([\])])$")
#: Pattern with two groups: an interval at the beginning of a text, and the text after the interval.
_LEADING = re.compile(r"^([\[(][^\[\]()]*[\])])(.*)$", re.DOTALL)
#: Least similarity (difflib's ratio) between an unknown name and a name that a message suggests. Our choice: a name of
#: five letters with one wrong, missing or additional letter has this similarity to the correct name. Names of different
#: schemes are less similar: the ratio of "cubic" and "decbit" is 0.55, that of "veno" (another TCP) and "reno" 0.75.
NEAR = 0.8
#: If more names than this are available, a message lists only their parts before the dot, as in "queues.*".
MANY = 50


@dataclass(frozen=True)
class Interval:
    """A domain: an interval of the real line in mathematical notation, ``Interval.parse("[0, 1)")``."""

    low: float
    high: float
    includes_low: bool
    includes_high: bool

    @classmethod
    @functools.lru_cache(maxsize=1024)  # most texts are literals, read for every value
    def parse(cls, text: str) -> Interval:
        """Convert a text such as ``"(0, inf)"`` or ``"[1, 128]"``, or a set such as ``"{0, 1}"``, to a domain.

        >>> Interval.parse("[0, 1)").contains(1.0), Interval.parse("{0, 1}").contains(0.5)
        (False, False)
        """
        if text.startswith("{") and text.endswith("}"):
            values = tuple(sorted(float(one) for one in text[1:-1].split(",")))
            return Values(values[0], values[-1], True, True, values)
        match = _INTERVAL.match(text)
        if match is None:
            raise ValueError(f"domain {text!r} cannot be read: must be an interval such as '[0, 1)'")
        left, low, high, right = match.groups()
        return cls(float(low), float(high), left == "[", right == "]")

    def contains(self, value: Any) -> Any:
        """Return whether a value is in the interval, elementwise for arrays; False for NaN."""
        above = value >= self.low if self.includes_low else value > self.low
        below = value <= self.high if self.includes_high else value < self.high
        return above & below

    @property
    def ends(self) -> list[float]:
        """Endpoints of the interval that belong to it."""
        return [self.low] * self.includes_low + [self.high] * self.includes_high

    def __str__(self) -> str:
        left, right = "[("[not self.includes_low], "])"[not self.includes_high]
        return f"{left}{self.low:g}, {self.high:g}{right}"


@dataclass(frozen=True)
class Values(Interval):
    """Domain of finitely many numbers: ``Interval.parse("{0, 1}")``."""

    values: tuple[float, ...]

    def contains(self, value: Any) -> Any:
        """Return whether the value is one of the numbers, elementwise for arrays."""
        return functools.reduce(operator.or_, (value == one for one in self.values))

    def __str__(self) -> str:
        return " or ".join(f"{one:g}" for one in self.values)


def wrong_type(name: str, value: object, expected: str = "a number", unit: str = "1") -> TypeError:
    """Return a TypeError, for the caller to raise, about a value of a wrong type.

    >>> print(wrong_type("load", "0.5"))
    load must be a number, got the string '0.5'
    >>> print(wrong_type("round_trip_time", [0.1], unit="s"))
    round_trip_time must be a number [s], got the list [0.1]
    """
    kinds = {"str": "the string ", "complex": "the complex number ", "NoneType": ""}
    kind = kinds.get(type(value).__name__, f"the {type(value).__name__} ")
    wanted = expected if unit in _UNNAMED else f"{expected} [{unit}]"
    return TypeError(f"{name} must be {wanted}, got {kind}{_shown(value)}")


def unknown(name: str, value: object, choices: Iterable[str]) -> ValueError:
    """Return a ValueError, for the caller to raise, about a value that is not among the choices.

    A choice is suggested only if `nearest` finds one.

    >>> print(unknown("scheme", "renno", ["reno", "tahoe"]))
    scheme 'renno' is unknown; did you mean 'reno'? Available: reno, tahoe
    >>> print(unknown("scheme", "cubic", ["tahoe", "reno"]))
    scheme 'cubic' is unknown; available: reno, tahoe
    """
    names = sorted(choices)
    near = nearest(str(value), names)
    hint = f"did you mean {near!r}? Available" if near else "available"
    if len(names) > MANY:
        names = list(dict.fromkeys(name.partition(".")[0] + ".*" if "." in name else name for name in names))
    shown = repr(value) if isinstance(value, str) else _shown(value)
    return ValueError(f"{name} {shown} is unknown; {hint}: {', '.join(names) or 'none'}")


def out_of_range(name: str, value: object, unit: str, allowed: object, *, integer: bool = False) -> ValueError:
    """Return a ValueError, for the caller to raise, about a value outside its range.

    ``allowed`` is an interval, an interval followed by text, or a text without an interval.

    >>> print(out_of_range("rate", -1, "bytes/s", "(0, inf)"))
    rate = -1 bytes/s is out of range: must be in (0, inf) bytes/s
    >>> print(out_of_range("window", 0, "segments", "[1, inf)", integer=True))
    window = 0 segments is out of range: must be an integer in [1, inf)
    >>> print(out_of_range("step", 2.0, "s", "(0, 1], up to the smallest delay"))
    step = 2 s is out of range: must be in (0, 1] s, up to the smallest delay
    >>> print(out_of_range("flows", [], "1", "one number or more"))
    flows = [] is out of range: must be one number or more
    """
    shown = f"{value:.6g}" if isinstance(value, float) else str(value)
    unit = "" if unit in _UNNAMED else f" {unit}"
    text = str(allowed)
    match = _LEADING.match(text)
    if integer:
        text = f"an integer in {text}"
    elif match is not None:
        text = f"in {match[1]}{unit}{match[2]}"
    return ValueError(f"{name} = {shown}{unit} is out of range: must be {text}")


def wrong_shape(name: str, shape: object, expected: str) -> ValueError:
    """Return a ValueError, for the caller to raise, about an array of a wrong shape.

    >>> print(wrong_shape("capacities", (2,), "one value or an array of length 3"))
    capacities has shape (2,): must be one value or an array of length 3
    """
    return ValueError(f"{name} has shape {shape}: must be {expected}")


def conflict(given: str, rule: str, reason: str = "") -> ValueError:
    """Return a ValueError, for the caller to raise, about values that are not allowed together.

    >>> print(conflict("--buffer", "needs --over window"))
    --buffer needs --over window
    >>> print(conflict("--json", "excludes --csv", "both write to stdout"))
    --json excludes --csv: both write to stdout
    """
    return ValueError(f"{given} {rule}" + (f": {reason}" if reason else ""))


def nearest(given: str, names: Iterable[str]) -> str | None:
    """Return the name most similar to a given text; None if no similarity reaches `NEAR`.

    The text may also be the last part of a dotted name. The case of letters is ignored.

    >>> nearest("newReno", ["reno", "newreno"]), nearest("codel", ["decbit", "red"])
    ('newreno', None)
    >>> nearest("md1_wate", ["queues.md1_wait", "queues.mm1_wait"])
    'queues.md1_wait'
    """
    every = list(names)
    folded = {part.lower(): name for name in every for part in (name.rpartition(".")[2], name)}
    found = difflib.get_close_matches(given.lower(), folded, n=1, cutoff=NEAR)
    return folded[found[0]] if found else None


def number(name: str, value: Any, unit: str, allowed: str) -> float:
    """Return the value as a float; raise a TypeError if it is no number, a ValueError if it is outside the interval.

    >>> number("loss", 0.01, "probability", "[0, 1)")
    0.01
    """
    interval = _interval(name, value, unit, allowed)
    result = _float(name, value, unit)
    if not interval.contains(result):  # False for NaN as well
        raise out_of_range(name, result, unit, interval)
    return result


def integer(name: str, value: Any, unit: str, allowed: str) -> int:
    """Return the value as an int; raise an error if it is outside the interval or not an integer (16.0 is one).

    >>> integer("window", 16.0, "segments", "[1, inf)")
    16
    """
    interval = _interval(name, value, unit, allowed)
    try:
        result = operator.index(value)
    except TypeError:
        as_float = _float(name, value, unit)
        if not math.isfinite(as_float) or as_float != math.floor(as_float):
            raise out_of_range(name, as_float, unit, interval, integer=True) from None
        result = int(as_float)
    if not interval.contains(result):
        raise out_of_range(name, result, unit, interval, integer=True)
    return result


def _interval(name: str, value: Any, unit: str, allowed: str) -> Interval:
    """Return the interval in which a number must lie; refuse a truth value unless the domain is a list of numbers."""
    interval = Interval.parse(allowed)
    if is_truth_value(value) and not isinstance(interval, Values):
        raise wrong_type(name, value, unit=unit)
    return interval


def choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return the value if it is one of the choices, or raise a ValueError that lists them.

    >>> choice("search", "scan", ["bisect", "scan"])
    'scan'
    """
    available = list(choices)
    if not isinstance(value, str) or value not in available:
        raise unknown(name, value, available)
    return value


def flag(name: str, value: Any, of: str = "") -> bool:
    """Return True or False, which may be given as 1 or 0; refuse other values, because the text "no" would be true.

    >>> flag("duplex", True)
    True
    """
    if is_truth_value(value) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise wrong_type(name, value, "True or False")


def is_truth_value(value: Any) -> bool:
    """Return whether a value is True or False, of Python or of NumPy, or an array of these.

    Only a domain that lists numbers, such as {0, 1}, accepts them: ``True`` is not a window of one packet.

    >>> is_truth_value(True), is_truth_value(1)
    (True, False)
    """
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"


def generator(rng: Any) -> np.random.Generator:
    """Return a NumPy random generator made from ``rng``: None, a seed, a SeedSequence or a Generator.

    >>> import numpy as np
    >>> bool(generator(1).integers(10) == np.random.default_rng(1).integers(10))
    True
    """
    import numpy as np

    try:
        if is_truth_value(rng):
            raise TypeError
        result = np.random.default_rng(rng)
        result.spawn(0)  # replications need generators that can spawn others
    except ValueError:
        raise out_of_range("rng", _shown(rng), "1", "[0, inf)", integer=True) from None
    except TypeError:
        expected = "None, an integer, a numpy.random.SeedSequence or a numpy.random.Generator made from one"
        raise wrong_type("rng", rng, expected) from None
    return result


def seed_of(rng: Any) -> int:
    """Return an integer seed that makes a run repeatable: ``rng`` if it is an integer, else a drawn number.

    >>> seed_of(7), 0 <= seed_of(None) < 2**63
    (7, True)
    """
    result = generator(rng)
    try:
        return operator.index(rng)
    except TypeError:  # None, a SeedSequence or a Generator: the seed is drawn from it
        return int(result.integers(2**63))


def array(name: str, values: Any, unit: str, interval: Interval, *, integer: bool = False) -> bool:
    """Raise a ValueError for the first element outside the interval, except NaN; return whether an element is NaN."""
    import numpy as np

    values = np.asarray(values)
    inside = interval.contains(values)
    if integer:
        inside &= values == np.floor(values)
    if inside.all():
        return False
    outside = ~inside & ~np.isnan(values)
    if outside.any():
        index = tuple(int(i) for i in np.argwhere(outside)[0])
        where = f"[{', '.join(map(str, index))}]" if index else ""
        raise out_of_range(f"{name}{where}", values[index].item(), unit, interval, integer=integer)
    return True


def numbers(
    name: str, value: Any, unit: str, allowed: str, *, integer: bool = False, length: int | None = None,
    nan: bool = False,
) -> np.ndarray:  # fmt: skip
    """Return the value as an array of floats; raise an error if an element is NaN or outside the interval.

    If ``length`` is given, the result has this length, and one value stands for all. If ``nan``, elements of arrays
    may be NaN, but single values may not.

    >>> numbers("flows", [1, 2], "flows", "[1, inf)", integer=True), numbers("load", 0.5, "1", "[0, 1)", length=2)
    (array([1., 2.]), array([0.5, 0.5]))
    """
    import numpy as np

    interval = Interval.parse(allowed)
    try:
        if np.ndim(value) == 0 and is_truth_value(value) and not isinstance(interval, Values):
            raise TypeError
        found = floats(value)
    except (TypeError, ValueError):
        raise wrong_type(name, value, "a number or an array of numbers", unit) from None
    if array(name, found, unit, interval, integer=integer) and not (nan and found.ndim):
        raise out_of_range(name, float("nan"), unit, interval, integer=integer)
    if length is None:
        return found
    if found.shape not in ((), (1,), (length,)):
        raise wrong_shape(name, found.shape, f"one value or an array of length {length}")
    return np.broadcast_to(found, (length,)).copy()


def floats(value: Any) -> np.ndarray:
    """Return numbers of any kind as an array of floats, NaN where they are masked; raise an error for other values.

    >>> from fractions import Fraction
    >>> floats([Fraction(1, 4), 10**400])
    array([0.25,  inf])
    """
    import numpy as np

    found = np.asarray(value)
    if found.dtype.kind == "O":  # decimals, fractions, integers of more than 64 bits
        found = np.reshape([real(one) for one in found.flat], found.shape)
    if found.dtype.kind not in "fiub":
        raise TypeError
    found = found.astype(float)
    return np.where(value.mask, np.nan, found) if isinstance(value, np.ma.MaskedArray) else found


def same_unit(name: str, array: Any, unit: str) -> None:
    """Raise a ValueError if a DataArray has an attribute ``units`` that differs from the unit; nothing is converted.

    "1" and "probability" count as one unit: simulations return "1" where laws have "probability". Without the attribute
    the array is taken to be in the unit.
    """
    given = array.attrs.get("units") or unit
    if given != unit and not (given in _UNNAMED and unit in _UNNAMED):
        raise conflict(f"units = {given!r} of {name}", f"must be {unit!r}", "arrays are not converted")


def real(value: Any) -> float:
    """Return a scalar as a float, infinite beyond the largest float; raise a TypeError if it is not a real number.

    Text, also in a zero-dimensional array, is refused because it states no unit; complex numbers and times of NumPy are
    refused because NumPy would drop the imaginary part and the unit.

    >>> real(10**400)
    inf
    """
    kind = "S" if isinstance(value, str | bytes | bytearray) else getattr(getattr(value, "dtype", None), "kind", "f")
    if kind in "cmMSUT" or getattr(value, "ndim", 0) > 0:  # NumPy's complex numbers, times, bytes, text; arrays
        raise TypeError
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _float(name: str, value: Any, unit: str) -> float:
    """Return a scalar as a float; raise a TypeError with a sentence for other values."""
    try:
        return real(value)
    except (TypeError, ValueError):
        raise wrong_type(name, value, unit=unit) from None


def _shown(value: object) -> str:
    return " ".join(reprlib.repr(value).split())
