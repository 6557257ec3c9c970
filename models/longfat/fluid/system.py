"""Definition of a fluid system: its variables, its map or differential equation, its delays and its bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from longfat.base import domains, quantity

Rule = Callable[[Any, Any, tuple[Any, ...], Mapping[str, Any], Any], Any]
Delays = Callable[[Any, Mapping[str, Any], Any], tuple[Any, ...]]

KINDS = ("map", "flow")
_SHARED: dict[tuple[Any, ...], System] = {}
MOST_SHARED = 256  # systems; our choice


@dataclass(frozen=True)
class Quantity(quantity.Quantity):
    """Parameter or variable of a system: one number, or one number for each flow or link.

    Parameters
    ----------
    unit, domain, meaning, integer
        As for `longfat.base.quantity.Quantity`. Paths of a variable stay in its domain: those of a backlog, for
        instance, between an empty and a full queue.
    default : float
        Default value; that of a variable is its value at time 0.
    axis : str
        Dimension along which the quantity has several values, such as "flow"; empty for one number.
    length : int
        Number of values.
    """

    unit: str
    domain: str
    default: float = field()
    meaning: str = ""
    axis: str = ""
    length: int = 1


@dataclass(frozen=True, eq=False)
class System:
    r"""Fluid system: a map or a (delay) differential equation, whose rule is written once for NumPy and JAX.

    .. math:: x_{t+1} = F(t, x_t, x_{t-d_1}, \ldots) \quad\text{or}\quad
        \dot x(t) = F(t, x(t), x(t-\tau_1), \ldots)

    Parameters
    ----------
    name : str
        Name.
    kind : {"map", "flow"}
        "map" for discrete time (updates), "flow" for continuous time (differential equations).
    rule : callable
        ``rule(time, state, delayed, parameters, xp)`` -> next state, or rate of change; ``state`` is a vector,
        ``delayed`` holds one such vector for every delay, ``xp`` is ``numpy`` or ``jax.numpy``.
    variables : mapping of str to Quantity
        Variables of the state, in order.
    parameters : mapping of str to Quantity
        Parameters of the rule.
    delays : callable or None
        ``delays(state, parameters, xp)`` -> one number for each delay: in a map an integer number of updates, else a
        time in the unit of ``time``; they may depend on the state. Before time 0 the state equals the state at time 0.
    time : str
        Unit of time: "updates", "s".
    period : int
        Updates after which a map that depends on time repeats itself.
    source : str
        Reference.

    Notes
    -----
    The rule ignores the bounds: `integrate` applies them to paths, while equilibria and their stability are those of
    the rule. A JAX rule must be differentiable where it is linearised.

    Examples
    --------
    >>> growth = System(
    ...     "logistic", "flow", lambda t, x, late, p, xp: p["a"] * x * (1 - x),
    ...     {"rate": Quantity("1", "(-inf, inf)", 0.01)}, {"a": Quantity("1/s", "(0, inf)", 1.0)}, time="s",
    ... )
    >>> growth.size, growth.slices
    (1, {'rate': slice(0, 1, None)})
    """

    name: str
    kind: str
    rule: Rule
    variables: Mapping[str, Quantity]
    parameters: Mapping[str, Quantity]
    delays: Delays | None = None
    time: str = "updates"
    period: int = 1
    source: str = ""
    slices: Mapping[str, slice] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        domains.choice("kind", self.kind, KINDS)
        domains.integer("period", self.period, "updates", "[1, 10000]" if self.kind == "map" else "[1, 1]")
        slices, place = {}, 0
        for name, variable in self.variables.items():
            slices[name] = slice(place, place + variable.length)
            place += variable.length
        object.__setattr__(self, "slices", slices)

    def shared(self, *arguments: Any) -> System:
        """Return the system that was first built with this name and these arguments: JAX compiles it only once.

        The last `MOST_SHARED` systems are kept.
        """
        found = _SHARED.setdefault((self.name, *arguments), self)
        if len(_SHARED) > MOST_SHARED:
            del _SHARED[next(iter(_SHARED))]
        return found

    @property
    def size(self) -> int:
        """Length of the state vector."""
        return sum(variable.length for variable in self.variables.values())

    def bounds(self, xp: Any) -> tuple[Any, Any]:
        """Return the lower bounds and the upper bounds of the elements of the state vector."""
        parts = self.variables.values()
        low = [variable.interval.low for variable in parts for _ in range(variable.length)]
        high = [variable.interval.high for variable in parts for _ in range(variable.length)]
        return xp.asarray(low), xp.asarray(high)

    def late(self, state: Any, parameters: Mapping[str, Any], xp: Any) -> tuple[Any, ...]:
        """Return the delays [unit of time] in a given state; an empty tuple for a system without delays."""
        return self.delays(state, parameters, xp) if self.delays else ()

    def complete(self, parameters: Mapping[str, Any], xp: Any) -> dict[str, Any]:
        """Return all parameters as arrays, with defaults where none is given; raise a ValueError for an unknown name.

        >>> import numpy as np
        >>> System("x", "map", lambda *_: 0, {}, {"a": Quantity("1", "(0, 3]", 0.5)}).complete({}, np)
        {'a': array(0.5)}
        """
        for name in parameters:
            if name not in self.parameters:
                raise domains.unknown(f"parameter of {self.name}", name, self.parameters)
        result = {}
        for name, declared in self.parameters.items():
            value = xp.asarray(parameters.get(name, declared.default))
            result[name] = xp.broadcast_to(value, (declared.length,)) if declared.axis else value
        return result
