"""Quantities in text, such as "1 Gbit/s" or "16 KiB", converted to SI floats and back.

The units are a short list of ours. In pint's catalogue a bit is a pure number, so that 5 Hz passes for 5 bit/s; "b" is
a barn, "Gb" a gilbert, "K" a kelvin, and "1,5 ms" is fifteen milliseconds. Given this list, pint reads the same:
tests/test_quantities.py compares every name with every prefix.

The spellings of other tools are read where they have one meaning: "10G" (iperf3 -b), "10gbit" and "80 msec" (tc).
"10 gbps" is 10 Gbit/s, as everywhere except in tc, where it means bytes per second (tc(8), "RATES"): write "GB/s" for
bytes. "1 mb/s" is refused, because it may stand for "1 Mb/s" or for "1 MB/s", which is 8 times as much, and so is "16K"
as a size, which is 16384 bytes to iperf3 -l and 16000 bytes to others.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from longfat.base.domains import Interval, is_truth_value, number, real, unknown, wrong_type

Size = tuple[Fraction, float, float]  # a unit's factor, and the powers of bits and of seconds in it


@dataclass(frozen=True)
class _Kind:
    """Kind of quantity: its unit inside the package, the size of that unit, and examples for error messages."""

    unit: str
    size: Size
    example: str


_RATE = _Kind("bytes/s", (Fraction(8), 1, -1), "1 Gbit/s (as 1 Gbps, 1 gbps, 1G) or 125 MB/s")
_DURATION = _Kind("s", (Fraction(1), 0, 1), "100 ms")
_SIZE = _Kind("bytes", (Fraction(8), 1, 0), "16 KiB or 16 kB")
_FRACTION = _Kind("1", (Fraction(1), 0, 0), "0.1%")
#: Unit of a quantity that text may state -> kind of the quantity.
KINDS = {
    "bytes/s": _RATE, "s": _DURATION, "bytes": _SIZE, "probability": _FRACTION, "bandwidth-delay products": _FRACTION,
}  # fmt: skip

# Information, in bits, is a dimension besides time. Milli, micro and nano are defined for seconds only: "1 mb/s" is
# more likely a typing error for "1 Mb/s" than millibits per second. "K" is accepted for kilo because it is common.
_UNITS: dict[str, Size] = {
    name: (Fraction(factor), bits, seconds)
    for names, factor, bits, seconds in (
        ("second s sec", 1, 0, 1),
        ("millisecond ms msec", "1/1000", 0, 1),
        ("microsecond us µs μs usec", "1/1000000", 0, 1),
        ("nanosecond ns nsec", "1/1000000000", 0, 1),
        ("minute min", 60, 0, 1),
        ("hour h", 3600, 0, 1),
        ("day d", 86400, 0, 1),
        ("bit b Bit", 1, 1, 0),
        ("byte B Byte octet", 8, 1, 0),
        ("baud bps", 1, 1, -1),
        ("bytes_per_second Bps", 8, 1, -1),
        ("percent %", "1/100", 0, 0),
        ("permille", "1/1000", 0, 0),
        ("ppm", "1/1000000", 0, 0),
    )
    for name in names.split()
}
_PREFIXES = {
    "": 1, "kilo": 10**3, "k": 10**3, "K": 10**3, "mega": 10**6, "M": 10**6, "giga": 10**9, "G": 10**9,
    "tera": 10**12, "T": 10**12, "peta": 10**15, "P": 10**15,
    "kibi": 2**10, "Ki": 2**10, "mebi": 2**20, "Mi": 2**20, "gibi": 2**30, "Gi": 2**30, "tebi": 2**40, "Ti": 2**40,
}  # fmt: skip

# The number of digits is bounded because the number becomes an exact fraction, which must stay small. Commas are
# refused, because they may separate decimals or thousands.
_NUMBER = r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?"
_TEXT = re.compile(rf"({_NUMBER})\s*(%|[A-Za-zµμ]+(?:(?:\s*/\s*|\s+per\s+)[A-Za-zµμ]+)?)?")

# Bits have only the prefixes k, m, g and t, in either case. Two shorter forms are accepted, too: a prefix without a
# unit, as in iperf3 (units.c, unit_atof_rate: powers of 1000, either case), and a unit without "per second", as in tc
# (tc(8), "gbit: gigabits per second").
_BITS = re.compile(r"([kmgt])?(?:(bits?|(?-i:bps))(\s*/\s*\w+|\s+per\s+\w+)?)?", re.IGNORECASE)


def read(name: str, value: Any, unit: str, allowed: str) -> float:
    """Return a quantity in a unit of `KINDS` from a text with a unit of its own, or from a number in that unit.

    Parameters
    ----------
    name : str
        Name of the parameter, for error messages.
    value : str, float or pint.Quantity
        A rate, such as "1 Gbit/s", "1Gbps", "150 Mb/s", "12.5MB/s": "b" is a bit, "B" a byte, "K" is 1000; also "10G",
        "10gbit" and "10 gbps", all three 10 Gbit/s. A duration, such as "100ms", "80 msec", "20 us", "2 min". A size:
        "16KiB" is 16384 bytes, "16 KB" and "16 kB" are 16000, "12 Mbit" is 1500000; "16K" is refused. A fraction, such
        as a probability, with or without a percent sign: "0.1%", "1e-4", "5 ppm".
    unit : str
        Unit of the result: "bytes/s", "s", "bytes", "probability" or "bandwidth-delay products".
    allowed : str
        Interval of valid values, in the unit.

    Examples
    --------
    >>> read("rate", "1 Gbit/s", "bytes/s", "(0, inf)"), read("loss", "0.1%", "probability", "[0, 1)")
    (125000000.0, 0.001)
    """
    if unit not in KINDS:
        raise unknown("unit", unit, KINDS)
    kind = KINDS[unit]
    if isinstance(value, str):
        match = _TEXT.fullmatch(value.strip())
        if match is None:
            raise _unreadable(name, value, "cannot be read", allowed, kind)
        digits, own = match.groups()
        if own is None and kind is not _FRACTION:
            raise _unreadable(name, value, "has no unit", allowed, kind)
        if kind is _SIZE and own and len(own) == 1 and own in "kKmMgGtT":
            raise _unreadable(
                name, value, "has an ambiguous unit: its prefix may mean a power of 1000 or of 1024", allowed, kind
            )
        factors = zip(re.split(r"\s*/\s*|\s+per\s+", _spelled(own, kind)), (1, -1), strict=False) if own else ()
        value = _convert(Fraction(digits), factors, kind, (name, value, allowed)) if own else Fraction(digits)
    elif hasattr(value, "unit_items"):  # a pint.Quantity of any registry, recognised without importing pint
        try:
            magnitude = Fraction(float(value.magnitude))
        except (TypeError, ValueError, OverflowError):  # raised for an array or a string, nan, and inf
            raise _unreadable(name, str(value), "is not one finite number", allowed, kind) from None
        value = _convert(magnitude, value.unit_items(), kind, (name, str(value), allowed))
    try:
        if is_truth_value(value):
            raise TypeError
        plain = real(value)
    except (TypeError, ValueError):
        named = "" if kind.unit == "1" else f" [{kind.unit}]"
        raise wrong_type(name, value, f"a number{named} or text such as {kind.example}") from None
    return number(name, plain, kind.unit, allowed)


def percent(text: str) -> float | None:
    """Return the number before the percent sign of a text; None for a text of another form.

    >>> percent("5 %"), percent("5"), percent("x %")
    (5.0, None, None)
    """
    number, sign, rest = text.strip().partition("%")
    try:
        return float(number) if sign and not rest else None
    except ValueError:
        return None


def text(value: float, unit: str) -> str:
    """Return a quantity as text that `read` can read: six digits and an engineering prefix.

    Parameters
    ----------
    value : float
        The quantity, in ``unit``.
    unit : str
        "bytes/s" (written in bits per second), "bytes" or "s".

    Returns
    -------
    str
        The number with an engineering prefix. A size is written in KiB, MiB, GiB or TiB if that makes an
        integer below 10000, unless decimal prefixes say the same with fewer characters ("10 GB").

    Examples
    --------
    >>> text(1.25e8, "bytes/s"), text(16384, "bytes"), text(31.25e6, "bytes"), text(0.1, "s")
    ('1 Gbit/s', '16 KiB', '31.25 MB', '100 ms')
    """
    value = float(value)
    if unit == "bytes/s":
        return _prefixed(8 * value, "bit/s", _LARGE)
    if unit == "s":
        return _prefixed(value, "s", _SMALL)
    if unit != "bytes":
        raise unknown("unit", unit, ("bytes", "bytes/s", "s"))
    decimal = _prefixed(value, "B", _LARGE)
    for scale, prefix in _BINARY:
        if value and value % scale == 0 and value < 1e4 * scale:  # False for inf and nan
            binary = f"{value / scale:.0f} {prefix}B"
            exact = float(f"{value:.6g}") == value
            return decimal if exact and len(decimal) < len(binary) else binary
    return decimal


def rounded(value: float, unit: str, digits: int = 3) -> str:
    """Return a quantity as text rounded to significant digits; a rate in bits per second; a dash if not finite.

    >>> rounded(1234567.0, "bytes/s"), rounded(0.0123456, "s"), rounded(math.nan, "s")
    ('9.88 Mbit/s', '12.3 ms', '-')
    """
    scale = 8 if unit == "bytes/s" else 1
    return text(float(f"{scale * value:.{digits}g}") / scale, unit) if math.isfinite(value) else "-"


_LARGE = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_SMALL = ((1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"))
_BINARY = ((2.0**40, "Ti"), (2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"))


def _prefixed(value: float, unit: str, prefixes: tuple[tuple[float, str], ...]) -> str:
    value = float(f"{value:.6g}")  # rounded first, so that 0.9999999 s is 1 s and not 1000 ms
    scale, prefix = next((p for p in prefixes if abs(value) >= p[0]), prefixes[-1])
    if value == 0 or not math.isfinite(value):
        scale, prefix = 1.0, ""
    return f"{value / scale:.6g} {prefix}{unit}"


def _spelled(unit: str, kind: _Kind) -> str:
    """Return a unit of bits, such as "gbps", in the spelling of `_UNITS`; return any other unit unchanged."""
    match = _BITS.fullmatch(unit)
    if match is None or kind not in (_RATE, _SIZE):
        return unit
    prefix, bits, per = match.groups("")
    prefix = "k" if prefix in ("k", "K") else prefix.upper()
    if kind is _SIZE:
        return f"{prefix}bit{per}" if bits.lower().startswith("bit") else unit
    return f"{prefix}bit{per}" if per and bits != "bps" else unit if per else f"{prefix}bit/s"


def _convert(
    magnitude: Fraction, factors: Iterable[tuple[str, float]], kind: _Kind, context: tuple[str, str, str]
) -> Fraction:
    """Convert a magnitude exactly to the unit of ``kind``, so that "35 ms" becomes the float 0.035.

    ``factors`` are the units whose product is the unit of the magnitude, each with its power.
    """
    name, shown, allowed = context
    dimension = [0.0, 0.0]
    for unit, power in factors:
        size = _size(unit)
        if size is None:
            raise _unreadable(name, shown, "has an unknown unit", allowed, kind)
        dimension = [total + power * own for total, own in zip(dimension, size[1:], strict=True)]
        magnitude *= Fraction(size[0] ** Fraction(power))
    if dimension != list(kind.size[1:]):
        raise _unreadable(name, shown, "has a unit of another dimension", allowed, kind)
    return magnitude / kind.size[0]


def _size(unit: str) -> Size | None:
    """Return the size of a unit, which may have a prefix and a plural s; None if the unit is unknown.

    A symbol of one letter has no plural.

    >>> _size("kbits"), _size("msec"), _size("mbit")
    ((Fraction(1000, 1), 1, 0), (Fraction(1, 1000), 0, 1), None)
    """
    for prefix, factor in _PREFIXES.items():
        name = unit.removeprefix(prefix)
        size = _UNITS.get(name) or (_UNITS.get(name.removesuffix("s")) if len(name) > 2 else None)
        if size is not None and unit.startswith(prefix):
            return (factor * size[0], *size[1:])
    return None


def _unreadable(name: str, value: object, why: str, allowed: str, kind: _Kind) -> ValueError:
    shown = " ".join(reprlib.repr(value).split())  # short, and one line whatever the object
    unit = "" if kind.unit == "1" else f" {kind.unit}"
    return ValueError(f"{name} = {shown} {why}: write e.g. {kind.example}; must be in {Interval.parse(allowed)}{unit}")
