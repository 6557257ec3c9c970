"""Declarations of a law: parameters with unit and domain, validity, equation, and the simulator of its check."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from longfat.base import domains
from longfat.base.quantity import Quantity

if TYPE_CHECKING:
    import sympy

    from longfat.law.declaring import Law


@dataclass(frozen=True)
class Symbol(Quantity):
    """Parameter of a law: a quantity with the paper's symbol, a domain and a typical range.

    Parameters
    ----------
    letter, unit, domain, typical, meaning, integer, remark, default
        As for `longfat.base.quantity.Quantity`.

    Examples
    --------
    >>> loss = Symbol("p", "probability", "[0, 1)", typical=(1e-6, 0.1))
    >>> loss.interval.contains(1.0), loss.sympy
    (False, p)
    """

    # Laws give these fields by position, in this order. ``field()`` removes the default that a field has in `Quantity`.
    letter: str = field()
    unit: str
    domain: str
    typical: tuple[float, float] = field()
    meaning: str = ""

    def described(self, meaning: str = "", remark: str = "") -> Symbol:
        r"""Return a copy of the parameter with the meaning or remark that applies to one law.

        >>> load = Symbol(r"\rho", "1", "[0, 1)", (0.05, 0.95), "Offered load")
        >>> load.described("Throughput over capacity").meaning
        'Throughput over capacity'
        """
        return replace(self, meaning=meaning or self.meaning, remark=remark or self.remark)

    @cached_property
    def sympy(self) -> sympy.Symbol:
        """Sympy symbol with only the assumptions that the domain implies: with more, sympy could delete a branch."""
        import sympy

        low = self.interval.low
        positive = low > 0 or (low == 0 and not self.interval.includes_low)
        assumptions: dict[str, bool] = {"real": True} if not self.integer else {"integer": True}
        if positive:
            assumptions["positive"] = True
        elif low == 0:
            assumptions["nonnegative"] = True
        return sympy.Symbol(self.letter, **assumptions)


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
        """Return whether the law holds for the parameters; ``holds`` gets only those that its signature names."""
        names = inspect.signature(self.holds).parameters
        return self.holds(**{name: parameters[name] for name in names})


@dataclass(frozen=True)
class Equation:
    """Equation whose root is the value of a law without a closed form.

    Parameters
    ----------
    unknown : Symbol
        The variable that the equation is solved for.
    sides : callable
        Takes the unknown and the law's parameters, returns the left and the right side.
    other_case : callable
        Condition on the value and the parameters under which the value is no root, but a limit or the like.
    """

    unknown: Symbol
    sides: Callable[..., tuple[Any, Any]]
    other_case: Callable[..., Any] = lambda *_: False


@dataclass(frozen=True)
class SimulatedBy:
    """Simulator that a law is checked against, with the ranges and the tolerance of the check.

    The laws of longfat name their simulators as data, because formulas and simulators stay independent of each other.

    Parameters
    ----------
    simulator : str or callable
        Name in the table ``longfat.verify.simulators.SIMULATORS``, or a function that runs one replication of another
        simulator, as for `longfat.testing.compare`.
    ranges : mapping
        Values of the simulated points, for parameters that are not simulated over their typical range: (low, high), a
        list of values, or a number.
    accuracy, relative : float
        Absolute tolerance in the law's unit, and tolerance relative to the law's value; the two are added. If both are
        0, the accuracy of the law's `Validity` is the tolerance.
    long : bool
        Whether quick runs leave the check out.

    Examples
    --------
    >>> SimulatedBy("mm1_wait", {"load": (0.05, 0.8)}, accuracy=0.01, relative=0.05).simulator
    'mm1_wait'
    """

    simulator: str | Callable[..., Any]
    ranges: Mapping[str, Any] = field(default_factory=dict)
    accuracy: float = 0.0
    relative: float = 0.0
    long: bool = False

    def allowed(self, law: Law, point: Mapping[str, float]) -> float:
        """Return the tolerance at a point, in the law's unit."""
        if self.accuracy or self.relative:
            return self.accuracy + self.relative * abs(float(law(**point)))
        if law.validity is None:
            raise domains.conflict(f"law {law.name}", "needs an accuracy in (0, inf)", "it states none")
        return law.validity.accuracy
