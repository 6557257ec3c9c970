"""Declarations of a law: its parameters with symbol, unit and domain, its validity, and the simulator of its check."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains

if TYPE_CHECKING:
    import sympy
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class Symbol:
    """Parameter of a law: the paper's symbol, the unit, the domain and the typical range.

    Parameters
    ----------
    letter : str
        The paper's symbol, in LaTeX.
    unit : str
        Unit; "1" for pure numbers.
    domain : str
        Interval such as "[0, 1)".
    typical : (float, float)
        Range that a user is likely to meet.
    meaning : str
        Noun phrase for tables, help and pages, such as "Offered load".
    integer : bool
        Whether only integers are allowed.
    remark : str
        Further sentence for the docstring of a law.

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
    remark: str = ""

    def described(self, meaning: str = "", remark: str = "") -> Symbol:
        r"""Return the same parameter with the meaning or the remark that it has in one law.

        >>> load = Symbol(r"\rho", "1", "[0, 1)", (0.05, 0.95), "Offered load")
        >>> load.described("Throughput over capacity").meaning
        'Throughput over capacity'
        """
        return replace(self, meaning=meaning or self.meaning, remark=remark or self.remark)

    @property
    def plain_letter(self) -> str:
        r"""The symbol as plain text.

        >>> [Symbol(one, "1", "[0, 1]", (0, 1)).plain_letter for one in (r"\varphi", "f_{max}", "C_b^2")]
        ['phi', 'f_max', 'C_b^2']
        """
        return self.letter.replace("\\var", "").translate({ord(one): None for one in "\\{}"})

    @cached_property
    def interval(self) -> domains.Interval:
        """The domain as an interval."""
        return domains.Interval.parse(self.domain)

    @property
    def logarithmic(self) -> bool:
        """Whether axes of the parameter are logarithmic: where the typical range spans two decades or more.

        >>> [Symbol("p", "1", "[0, 1)", typical).logarithmic for typical in ((1e-6, 0.1), (0.5, 1.0), (0, 0.9))]
        [True, False, False]
        """
        low, high = self.typical
        return low > 0 and high >= 100 * low

    @property
    def middle(self) -> float:
        """Value in the middle of the typical range, on the parameter's linear or logarithmic scale.

        >>> Symbol("p", "1", "[0, 1)", typical=(1e-6, 0.01)).middle
        0.0001
        >>> Symbol("s", "packets", "[1, inf)", typical=(1, 8), integer=True).middle
        4.0
        """
        low, high = self.typical
        middle = (low * high) ** 0.5 if self.logarithmic else (low + high) / 2
        return float(round(middle)) if self.integer else float(f"{middle:.3g}")

    @cached_property
    def sympy(self) -> sympy.Symbol:
        """Sympy symbol with the assumptions that the domain implies, and no more, lest sympy delete a branch."""
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
        """Return a hypothesis strategy: the typical range, and the ends of the domain that belong to it."""
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
    """Condition under which an approximate law holds, with its accuracy there.

    Parameters
    ----------
    text : str
        The condition in words and symbols.
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
        """Return whether the law holds at parameter values; the condition receives the parameters that it names."""
        names = inspect.signature(self.holds).parameters
        return self.holds(**{name: parameters[name] for name in names})


@dataclass(frozen=True)
class SimulatedBy:
    """Simulator that a law is checked against, with the ranges and the tolerance of the check.

    A law names its simulator as data, because formulas and simulators stay independent of each other.

    Parameters
    ----------
    simulator : str
        Name in the table ``longfat.verify.simulators.SIMULATORS``.
    ranges : mapping
        Ranges of the simulated points, for parameters that are not simulated over their typical range: (low, high), a
        list of values, or a number.
    accuracy, relative : float
        Tolerance, in the law's unit and as a share of the law's value; both 0: the accuracy in the law's `Validity`.
    long : bool
        Whether quick runs leave the check out.

    Examples
    --------
    >>> SimulatedBy("mm1_wait", {"load": (0.05, 0.8)}, accuracy=0.01, relative=0.05).simulator
    'mm1_wait'
    """

    simulator: str
    ranges: Mapping[str, Any] = field(default_factory=dict)
    accuracy: float = 0.0
    relative: float = 0.0
    long: bool = False
