"""Declaration of a quantity in one place: symbol, unit, domain, default, typical range and meaning.

The parameters of laws and of fluid models, and the numeric options of links, flows and runs are such records. A record
determines the check of a value and its error message, the entry in a docstring, the attributes and the values of an
axis, and the positions of a slider. The name of a quantity is its key in a mapping, or its field in a class.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

from longfat.base import domains, quantities

if TYPE_CHECKING:
    import numpy as np  # imported where it is used, so that the command line starts fast
    import xarray as xr

WIDTH = 112  # width of a docstring's lines
PER_DECADE = 24  # positions of a logarithmic slider; an arrow key changes the value by a tenth
LINEAR = 200  # steps of a linear slider


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """Declaration of a quantity; subclasses take some of the parameters by position.

    Parameters
    ----------
    letter : str
        Symbol of a paper, in LaTeX.
    unit : str
        Unit; "1" for pure numbers.
    domain : str
        Interval such as "[0, 1)", or set such as "{0, 1}".
    default : float, optional
        Default value; None if a value has to be given.
    typical : (float, float), optional
        Range that a user is likely to meet.
    meaning : str
        Noun phrase for tables, help and pages, such as "Offered load".
    integer : bool
        Whether only integers are allowed.
    remark : str
        Further sentence for docstrings.

    Examples
    --------
    >>> delay = Quantity(unit="s", domain="[0, 1e6]", meaning="Propagation delay")
    >>> delay.checked("delay", "20 ms"), delay.attrs
    (0.02, {'units': 's', 'long_name': 'Propagation delay'})
    """

    letter: str = ""
    unit: str
    domain: str
    default: float | None = None
    typical: tuple[float, float] | None = None
    meaning: str = ""
    integer: bool = False
    remark: str = ""

    @cached_property
    def interval(self) -> domains.Interval:
        """Domain of the quantity as an interval."""
        return domains.Interval.parse(self.domain)

    @property
    def text_unit(self) -> str:
        """Unit to which text with a unit is converted, a key of `quantities.KINDS`; empty if text is not accepted."""
        return self.unit if self.unit in quantities.KINDS else ""

    def contains(self, value: Any, floor: Callable[[Any], Any] | None = None) -> Any:
        """Return whether a value lies in the domain, elementwise for arrays; ``floor`` is the array library's function.

        >>> window = Quantity(unit="packets", domain="[1, inf)", integer=True)
        >>> [bool(window.contains(value)) for value in (2.0, 2.5, math.nan)]
        [True, False, False]
        """
        inside = self.interval.contains(value)
        if not self.integer:
            return inside
        if floor is None:
            import numpy as np

            floor = np.floor
        return inside & (value == floor(value))

    def checked(self, name: str, value: Any) -> float:
        """Return a value as a number in the domain, or raise an error; convert text if there is a `text_unit`.

        >>> Quantity(unit="packets", domain="[1, inf)", integer=True).checked("window", 16.0)
        16
        """
        unit = self.text_unit
        if not unit and not self.integer:
            return domains.number(name, value, self.unit, self.domain)
        if unit and not (self.integer and isinstance(value, Real)):
            value = quantities.read(name, value, unit, self.domain)
        return domains.integer(name, value, self.unit, self.domain) if self.integer else value

    def array(self, name: str, values: Any) -> bool:
        """Raise a ValueError for the first element outside the domain, except NaN; return whether an element is NaN."""
        return domains.array(name, values, self.unit, self.interval, integer=self.integer)

    def wrong_type(self, name: str, value: object, expected: str = "a number") -> TypeError:
        """Return a TypeError, for the caller to raise, about a value of a wrong type."""
        return domains.wrong_type(name, value, expected, self.unit)

    def out_of_range(self, name: str, value: object) -> ValueError:
        """Return a ValueError, for the caller to raise, about a value outside the domain."""
        return domains.out_of_range(name, value, self.unit, self.interval, integer=self.integer)

    @property
    def plain_letter(self) -> str:
        r"""Symbol of the quantity as plain text.

        >>> [Quantity(unit="1", domain="[0, 1]", letter=one).plain_letter for one in (r"\varphi", "f_{max}", "C_b^2")]
        ['phi', 'f_max', 'C_b^2']
        """
        return self.letter.replace("\\var", "").translate({ord(one): None for one in "\\{}"})

    @property
    def attrs(self) -> dict[str, str]:
        """Unit, meaning and symbol, as attributes of a Dataset's variable."""
        found = {"units": self.unit, "long_name": self.meaning, "letter": self.letter}
        return {name: text for name, text in found.items() if text}

    def entry(self, name: str, kind: str = "") -> str:
        r"""Return the entry for the "Parameters" section of a docstring, in numpydoc format.

        >>> load = Quantity(unit="1", domain="[0, 1)", meaning="Offered load", letter=r"\rho", typical=(0.05, 0.95))
        >>> print(load.entry("load"))
        load : float or array
            Offered load: rho [1], in [0, 1), typically 0.05 to 0.95.
        """
        kind = kind or ("int or array" if self.integer else "float or array")
        symbol = ": ".join(filter(None, (self.meaning.rstrip("."), self.plain_letter)))
        text = f"{symbol} [{self.unit}], {'an integer ' if self.integer else ''}in {self.domain}"
        if self.typical is not None:
            text += ", typically {} to {}".format(*map(_short, self.typical))
        text += f". {self.remark.rstrip('.')}." if self.remark else "."
        given = "" if self.default is None else f", default {self.default:g}"
        return f"{name} : {kind}{given}\n{textwrap.indent(filled(text), '    ')}"

    @property
    def logarithmic(self) -> bool:
        """Whether axes of the quantity are logarithmic: if the typical range is positive and spans two decades or more.

        >>> ranges = (1e-6, 0.1), (0.5, 1.0), (0, 0.9)
        >>> [Quantity(unit="1", domain="[0, 1)", typical=typical).logarithmic for typical in ranges]
        [True, False, False]
        """
        low, high = self._typical
        return low > 0 and high >= 100 * low

    @property
    def middle(self) -> float:
        """Value in the middle of the typical range, on the linear or logarithmic scale of the quantity.

        >>> Quantity(unit="1", domain="[0, 1)", typical=(1e-6, 0.01)).middle
        0.0001
        >>> Quantity(unit="packets", domain="[1, inf)", typical=(1, 8), integer=True).middle
        4.0
        """
        low, high = self._typical
        middle = (low * high) ** 0.5 if self.logarithmic else (low + high) / 2
        return float(round(middle)) if self.integer else float(f"{middle:.3g}")

    @property
    def scale(self) -> Scale:
        """Typical range as a scale for sliders and axes."""
        low, high = map(float, self._typical)
        return Scale(self, low, high, self.logarithmic)

    def grid(self, points: int) -> xr.DataArray:
        """Return values over the typical range as an array with unit, meaning and symbol: an axis for `longfat.sweep`.

        >>> load = Quantity(unit="1", domain="[0, 1)", typical=(0.1, 0.9), meaning="Offered load")
        >>> load.grid(3).values, load.grid(3).attrs
        (array([0.1, 0.5, 0.9]), {'units': '1', 'long_name': 'Offered load'})
        """
        import xarray as xr

        return xr.DataArray(self.scale.dense(points), dims="point", attrs=self.attrs)

    @property
    def _typical(self) -> tuple[float, float]:
        if self.typical is None:
            raise domains.conflict("a scale of the quantity", "needs typical = (low, high)")
        return self.typical


@dataclass(frozen=True)
class Scale:
    """Range of a quantity on an axis or a slider, and its division into steps.

    Parameters
    ----------
    quantity : Quantity
        The quantity.
    low, high : float
        Ends [the quantity's unit].
    logarithmic : bool
        Whether equal steps are equal factors.

    Examples
    --------
    >>> window = Quantity(unit="segments", domain="[1, inf)", typical=(1, 4000)).scale
    >>> window.low, window.high, window.logarithmic, len(window.values)
    (1.0, 4000.0, True, 88)
    >>> min(window.values, key=lambda value: abs(value - 24))
    23.2
    """

    quantity: Quantity
    low: float
    high: float
    logarithmic: bool

    def including(self, value: float) -> Scale:
        """Return the scale extended to a value; ignore infinity, and 0 or less on a logarithmic scale."""
        if not math.isfinite(value) or (self.logarithmic and value <= 0) or self.low <= value <= self.high:
            return self
        return Scale(self.quantity, min(self.low, value), max(self.high, value), self.logarithmic)

    def at(self, share: float) -> float:
        """Return the value at a position on the scale, from 0 (low end) to 1 (high end); an int for integer quantities.

        >>> Quantity(unit="flows", domain="[1, inf)", typical=(1, 9), integer=True).scale.at(0.3)
        3
        """
        value = self.low + share * (self.high - self.low)
        if self.logarithmic:
            value = math.exp(math.log(self.low) + share * math.log(self.high / self.low))
        value = min(max(round(value) if self.quantity.integer else value, self.low), self.high)
        inside = self.quantity.interval
        return value if inside.contains(value) else self.high if inside.contains(self.high) else self.low

    def share(self, value: float) -> float:
        """Return the position of a value on the scale: 0 at the low end, 1 at the high end."""
        if self.low == self.high:
            return 0.0
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return float((value - self.low) / (self.high - self.low))

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Values at the positions of a slider, in ascending order: both ends, and rounded values between them."""
        import numpy as np

        integer = self.quantity.integer
        if self.logarithmic:
            steps = math.ceil(PER_DECADE * math.log10(self.high / self.low))
            inner = np.geomspace(self.low, self.high, steps + 1)
        else:
            steps = min(LINEAR, int(self.high - self.low)) if integer else LINEAR
            inner = np.linspace(self.low, self.high, steps + 1)
        digits = 3 if self.logarithmic else 10
        round_ones = [float(round(x)) if integer else float(f"{x:.{digits}g}") for x in inner[1:-1]]
        found = {self.low, self.high, *(x for x in round_ones if self.low < x < self.high)}
        return tuple(sorted(x for x in found if self.quantity.interval.contains(x)))

    def dense(self, points: int) -> np.ndarray:
        """Return an array of values over the scale, for drawing a curve; distinct integers for an integer quantity."""
        import numpy as np

        made = np.geomspace if self.logarithmic else np.linspace
        found = made(self.low, self.high, points)
        found[0], found[-1] = self.low, self.high
        if self.quantity.integer:
            found = np.unique(np.round(found))
        inside: np.ndarray = found[self.quantity.interval.contains(found)]
        return inside


def filled(text: str) -> str:
    """Wrap a paragraph of a docstring; return it as one string with line breaks."""
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _short(value: float) -> str:
    """Return a number as a short text.

    >>> _short(1e-06), _short(100000.0), _short(0.25)
    ('1e-6', '1e5', '0.25')
    """
    mantissa, mark, exponent = f"{value:g}".partition("e")
    short = f"{value:.0e}".partition("e")
    if not mark and value >= 1e4 and value == float(f"{value:.0e}"):
        mantissa, mark, exponent = short
    return f"{mantissa}e{int(exponent)}" if mark else mantissa
