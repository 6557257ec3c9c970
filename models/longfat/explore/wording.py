"""Letters, numbers and tick values in HTML."""

from __future__ import annotations

import math
import re
from html import escape

_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ",
    "varphi": "φ", "Theta": "Θ", "tau": "τ", "sigma": "σ", "theta": "θ", "phi": "φ", "epsilon": "ε", "eta": "η",
}  # fmt: skip
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def letter(latex: str) -> str:
    r"""Return the letter of a paper in HTML, from its LaTeX.

    >>> letter(r"C_b^2"), letter(r"f_{max}"), letter(r"\rho")
    ('<i>C<sub>b</sub><sup>2</sup></i>', '<i>f<sub>max</sub></i>', '<i>ρ</i>')
    """
    words = re.sub(r"\\([A-Za-z]+)", lambda found: _GREEK.get(found[1], found[1]), latex)
    words = escape(words)
    for sign, tag in (("_", "sub"), ("^", "sup")):
        words = re.sub(rf"\{sign}(?:\{{([^}}]*)\}}|(\w))", rf"<{tag}>\1\2</{tag}>", words)
    return f"<i>{words}</i>"


def number(value: float, digits: int = 6) -> str:
    """Return a number with the given digits, with a power of ten where that is shorter.

    >>> number(0.9626123), number(3e-7), number(0.0), number(float("nan")), number(4000.0)
    ('0.962612', '3×10⁻⁷', '0', 'undefined', '4000')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    power = f"10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    return power if mantissa == "1" else f"{mantissa}×{power}"


def quantity(value: float, unit: str) -> str:
    """Return a number with its unit: times, rates and sizes with SI prefixes, others as they are.

    >>> quantity(0.02, "s"), quantity(1.25e8, "bytes/s"), quantity(0.5, "1"), quantity(24.0, "segments")
    ('20 ms', '1 Gbit/s', '0.5', '24 segments')
    """
    if unit in ("s", "bytes/s", "bytes") and math.isfinite(value) and value:
        from longfat.quantities import text

        return text(value, unit)
    return number(value) if unit in ("1", "probability") else f"{number(value)} {unit}"


def ticks(low: float, high: float, logarithmic: bool, most: int = 6) -> list[float]:
    """Return round values between two ends: in round steps, or powers of ten.

    >>> ticks(0, 1, False), ticks(1e-6, 0.1, True), ticks(3, 40, True)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1e-06, 1e-05, 0.0001, 0.001, 0.01, 0.1], [5.0, 10.0, 20.0])
    """
    if logarithmic:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / most))
        powers = [float(f"1e{k}") for k in range(first, last + 1, every)]
        if len(powers) >= 3:
            return powers
        found = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
        return [x for x in found if low * (1 - 1e-9) <= x <= high * (1 + 1e-9)] or powers
    span = high - low
    raw = span / (most - 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round((first + k) * step, 12) for k in range(int((high - first * step) / step + 1e-9) + 1)]
