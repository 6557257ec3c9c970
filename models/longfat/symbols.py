"""What a law declares: its parameters, each with letter, unit and domain, and where an approximate one holds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat import domains

if TYPE_CHECKING:
    import sympy
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Symbol:
    """One parameter of a law: the paper's letter, the unit, where it may lie and where it usually lies.

    Parameters
    ----------
    letter : str
        The paper's letter, in LaTeX.
    unit : str
        Unit; "1" for pure numbers.
    domain : str
        Interval such as "[0, 1)".
    typical : (float, float)
        Range that a user meets.
    meaning : str
        A few words for tables.
    whole : bool
        Whether only whole numbers are allowed.

    Examples
    --------
    >>> loss = Symbol("p", "probability", "[0, 1)", typical=(1e-6, 0.1))
    >>> loss.interval.contains(1.0), loss.sympy
    (False, p)
    """

    letter: str
    unit: str
    domain: str
    typical: tuple[float, float]
    meaning: str = ""
    integer: bool = False

    @cached_property
    def interval(self) -> domains.Interval:
        """The domain, parsed."""
        return domains.Interval.parse(self.domain)

    @property
    def logarithmic(self) -> bool:
        """Whether a scale of it is logarithmic: where the typical range spans two decades or more.

        >>> [Symbol("p", "1", "[0, 1)", typical).logarithmic for typical in ((1e-6, 0.1), (0.5, 1.0), (0, 0.9))]
        [True, False, False]
        """
        low, high = self.typical
        return low > 0 and high >= 100 * low

    @property
    def middle(self) -> float:
        """A value in the middle of the typical range, on its scale.

        >>> Symbol("p", "1", "[0, 1)", typical=(1e-6, 0.01)).middle
        0.0001
        >>> Symbol("s", "packets", "[1, inf)", typical=(1, 8), whole=True).middle
        4.0
        """
        low, high = self.typical
        middle = (low * high) ** 0.5 if self.logarithmic else (low + high) / 2
        return float(round(middle)) if self.integer else float(f"{middle:.3g}")

    @cached_property
    def sympy(self) -> sympy.Symbol:
        """The symbol; it assumes no more than the domain says, lest sympy delete a branch silently."""
        import sympy

        low = self.interval.low
        positive = low > 0 or (low == 0 and not self.interval.includes_low)
        assumptions: dict[str, bool] = {"real": True} if not self.integer else {"integer": True}
        if positive:
            assumptions["positive"] = True
        elif low == 0:
            assumptions["nonnegative"] = True
        return sympy.Symbol(self.letter, **assumptions)

    def strategy(self) -> SearchStrategy[float]:
        """Values for property tests: the typical range, the included ends, and the domain's far corners."""
        from hypothesis import strategies as st

        low, high = self.typical
        ends = [
            end
            for end, included in (
                (self.interval.low, self.interval.includes_low),
                (self.interval.high, self.interval.includes_high),
            )
            if included
        ]
        choices = [st.integers(int(low), int(high)).map(float) if self.integer else st.floats(low, high)]
        if 0 < low < high:
            spread = st.floats(float(np.log(low)), float(np.log(high))).map(lambda x: float(np.exp(x)))
            choices.append(spread.map(round).map(float) if self.integer else spread)
        if ends:
            choices.append(st.sampled_from(ends))
        return st.one_of(choices).filter(lambda x: bool(self.interval.contains(x)))


@dataclass(frozen=True)
class Validity:
    """Where an approximate law holds, and how well.

    Parameters
    ----------
    text : str
        The condition in words and letters.
    holds : callable
        The condition as a function of some of the law's parameters, by their names.
    accuracy : float
        Largest absolute error inside the condition, in the unit of the law.

    Examples
    --------
    >>> Validity("x < 5", lambda x: x < 5, accuracy=0.1)(x=3, y=7)
    True
    """

    text: str
    holds: Callable[..., Any]
    accuracy: float

    def __call__(self, **parameters: Any) -> Any:
        """Whether the law holds there; takes all parameters of the law and picks those it needs."""
        names = inspect.signature(self.holds).parameters
        return self.holds(**{name: parameters[name] for name in names})
