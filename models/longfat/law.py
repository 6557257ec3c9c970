"""Published formulas as objects of study: a plain function, and a record that says what it is about.

A law is written once, over an array namespace ``xp`` that the decorator supplies and hides::

    @law(
        source="Gong & Parulkar, WUCS-92-38, section 3.4",
        unit="s",
        round_trip_time=Symbol("RTD", "s", "[0, inf)", typical=(1e-3, 1)),
        packet_time=Symbol("t_p", "s", "(0, inf)", typical=(1e-8, 1e-3)),
    )
    def ack_delay(round_trip_time, packet_time, *, xp):
        return round_trip_time + 3 * packet_time

The same lines then take floats, NumPy and JAX arrays, tracers, mpmath numbers and sympy Symbols. From the
record come validation, documentation, test strategies, the symbolic expression and what Jupyter shows.
"""

from __future__ import annotations

import decimal
import importlib
import inspect
import numbers
import reprlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from longfat import domains, namespaces

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
    whole: bool = False

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
        return float(round(middle)) if self.whole else float(f"{middle:.3g}")

    @cached_property
    def sympy(self) -> sympy.Symbol:
        """The symbol; it assumes no more than the domain says, lest sympy delete a branch silently."""
        import sympy

        low = self.interval.low
        positive = low > 0 or (low == 0 and not self.interval.includes_low)
        assumptions: dict[str, bool] = {"real": True} if not self.whole else {"integer": True}
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
        choices = [st.integers(int(low), int(high)).map(float) if self.whole else st.floats(low, high)]
        if 0 < low < high:
            spread = st.floats(float(np.log(low)), float(np.log(high))).map(lambda x: float(np.exp(x)))
            choices.append(spread.map(round).map(float) if self.whole else spread)
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


@dataclass(frozen=True, eq=False)
class Law:
    """A published formula: call it with numbers, arrays, tracers or symbols.

    ``symbols`` declares the parameters, ``unit`` the result's unit, ``source`` where it stands. ``expr`` is the
    sympy expression, ``validity`` says where an approximate law holds, and ``as_printed`` is the source's own
    expression where that one is wrong.
    """

    function: Callable[..., Any]
    symbols: Mapping[str, Symbol]
    unit: str
    source: str
    validity: Validity | None = None
    derivation: str = ""
    errata: str = ""
    _faces: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        signature = inspect.signature(self.function)
        visible = [p for name, p in signature.parameters.items() if name != "xp"]
        if [p.name for p in visible] != list(self.symbols):
            raise TypeError(f"{self.name}: declared {list(self.symbols)}, takes {[p.name for p in visible]}")
        # What help(), inspect, doctest and jax.jit look at.
        for attribute, value in {
            "__signature__": signature.replace(parameters=visible),
            "__name__": self.function.__name__,
            "__qualname__": self.function.__qualname__,
            "__module__": self.function.__module__,
            "__doc__": self.function.__doc__,
            "__wrapped__": self.function,
        }.items():
            object.__setattr__(self, attribute, value)

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The law at some values, in the arithmetic that their types call for."""
        bound = inspect.Signature.bind(self.__signature__, *args, **kwargs)  # type: ignore[attr-defined]
        bound.apply_defaults()
        values = list(bound.arguments.values())
        if any(namespaces._is(value, "xarray", "DataArray") for value in values):
            import xarray

            return xarray.apply_ufunc(self, *values).assign_attrs(units=self.unit, long_name=self.name)
        xp = namespaces.namespace_of(values)
        values = [self._plain(*pair) for pair in zip(self.symbols, values, strict=True)]
        if isinstance(xp, namespaces.SympyNamespace):
            symbols = [xp.sympy.sympify(value) for value in values]
            self._check_numbers(symbols)
            return self.function(*symbols, xp=xp)
        if isinstance(xp, namespaces.MpmathNamespace):
            for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
                if not namespaces.is_scalar(value) and not namespaces._is(value, "mpmath", "mpf"):
                    raise domains.refuse(name, reprlib.repr(value), symbol.unit, symbol.interval)
            values = [xp.mp.convert(value) for value in values]
            self._check(values)
            return self.function(*values, xp=xp)
        return self._arrays(values, xp)

    def _plain(self, name: str, value: Any) -> Any:
        """Real numbers of all kinds as floats, sequences as arrays; what is no real number is refused."""
        if isinstance(value, bool | float | np.floating | np.integer) and not isinstance(value, np.timedelta64):
            return value
        symbol = self.symbols[name]

        def refusal() -> ValueError:  # made only if it is needed: the text of an array takes longer than many laws
            return domains.refuse(name, " ".join(reprlib.repr(value).split()), symbol.unit, symbol.interval)

        if isinstance(value, numbers.Real | decimal.Decimal) and not namespaces._is(value, "sympy", "Basic"):
            try:
                return value if namespaces._is(value, "mpmath", "mpf") else float(value)
            except (OverflowError, TypeError):
                raise refusal() from None
        if value is None or isinstance(value, str | bytes | complex | np.generic) or hasattr(value, "magnitude"):
            raise refusal()
        if isinstance(value, list | tuple):
            try:
                value = np.asarray(value)
            except ValueError:
                raise refusal() from None
        if isinstance(getattr(value, "dtype", None), np.dtype) and value.dtype.kind not in "fiub":
            raise refusal()
        return value

    def _check_numbers(self, values: list[Any]) -> None:
        """Among symbols, what is a number has to lie in its domain."""
        for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
            if value.is_number and not (value.is_real and symbol.interval.contains(value)):
                raise domains.refuse(name, value, symbol.unit, symbol.interval, whole=symbol.whole)

    def _arrays(self, values: list[Any], xp: namespaces.ArrayNamespace) -> Any:
        traced = any(map(namespaces.is_traced, values))
        undefined = False if traced else self._check(values)
        arrays = namespaces.as_arrays(values, xp)
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            result = self.function(*arrays, xp=xp)
        if xp is namespaces.NUMPY and all(map(namespaces.is_scalar, values)):
            return float(result)
        if result.shape != shape:  # the case that applied does not depend on every parameter
            result = xp.asarray(xp.broadcast_to(result, shape), copy=True)
        if traced or undefined:  # nothing can be refused while tracing: what lies outside becomes NaN
            inside = True
            for array, symbol in zip(arrays, self.symbols.values(), strict=True):
                inside = inside & symbol.interval.contains(array)
                if symbol.whole:
                    inside = inside & (array == xp.floor(array))
            return xp.where(inside, result, xp.full_like(result, xp.nan))
        return result

    def _check(self, values: list[Any]) -> bool:
        """Refuse what lies outside its domain; True if there are NaN elements, which pass."""
        undefined = False
        for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
            if namespaces.is_scalar(value) or namespaces._is(value, "mpmath", "mpf"):
                inside = symbol.interval.contains(value) and (not symbol.whole or value == np.floor(float(value)))
                if not inside:  # NaN as well
                    raise domains.refuse(name, value, symbol.unit, symbol.interval, whole=symbol.whole)
            else:
                try:
                    array = np.asarray(value, dtype=float)
                except (TypeError, ValueError):
                    raise domains.refuse(name, repr(value), symbol.unit, symbol.interval) from None
                undefined |= domains.array(name, array, symbol.unit, symbol.interval, whole=symbol.whole)
        return undefined

    @cached_property
    def expr(self) -> sympy.Expr:
        """The law as a sympy expression in the paper's letters."""
        return self(*(symbol.sympy for symbol in self.symbols.values()))

    @property
    def as_printed(self) -> Law:
        """The expression as the source prints it, where that one is wrong."""
        if "printed" not in self._faces:
            raise AttributeError(f"{self.name} has no as_printed: the source's expression stands as it is")
        printed: Law = self._faces["printed"]
        return printed

    def printed(self, errata: str) -> Callable[[Callable[..., Any]], Law]:
        """Decorator: keep the source's own expression beside the law that replaces it."""

        def keep(function: Callable[..., Any]) -> Law:
            record = Law(function, self.symbols, self.unit, self.source, errata=errata)
            self._faces["printed"] = record
            return record

        return keep

    @property
    def has_printed(self) -> bool:
        """Whether the source's own expression is wrong and kept in ``as_printed``."""
        return "printed" in self._faces

    def strategy(self) -> SearchStrategy[dict[str, float]]:
        """Keyword arguments for property tests."""
        from hypothesis import strategies as st

        return st.fixed_dictionaries({name: symbol.strategy() for name, symbol in self.symbols.items()})

    def _repr_latex_(self) -> str:
        from sympy import latex

        return f"$\\displaystyle {latex(self.expr)}$"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td><code>{name}</code></td><td>\\({symbol.letter}\\)</td><td>{escape(symbol.unit)}</td>"
            f"<td>{'whole, ' if symbol.whole else ''}{escape(symbol.domain)}</td><td>{escape(symbol.meaning)}</td></tr>"
            for name, symbol in self.symbols.items()
        )
        notes = [f"Unit: {escape(self.unit)}.", f"Source: {escape(self.source)}."]
        if self.validity is not None:
            notes.append(f"Within {self.validity.accuracy:g} where {escape(self.validity.text)}.")
        if self.has_printed:
            notes.append(f"As printed: {escape(self.as_printed.errata)}")
        return (
            f"<p><b>{self.name}</b> {self._repr_latex_()}</p>"
            "<table><tr><th>parameter</th><th>symbol</th><th>unit</th><th>domain</th><th>meaning</th></tr>"
            f"{rows}</table><p>{' '.join(notes)}</p>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by name, as functions are."""
        return _named, (self.function.__module__, self.name)

    def __repr__(self) -> str:
        return f"<law {self.name}({', '.join(self.symbols)}) [{self.unit}], {self.source}>"


def _named(module: str, name: str) -> Law:
    found: Law = getattr(importlib.import_module(module), name)
    return found


_REGISTRY: dict[str, Law] = {}
Kind = TypeVar("Kind", bound=Law)


def law(
    *, source: str, unit: str, validity: Validity | None = None, derivation: str = "", **symbols: Symbol
) -> Callable[[Callable[..., Any]], Law]:
    """Decorator: declare a law and register it, which is all it takes to be tested.

    Parameters
    ----------
    source : str
        Paper, section and equation.
    unit : str
        Unit of the result.
    validity : Validity, optional
        Where an approximate law holds and how well.
    derivation : str
        The function under ``derivations/`` that proves it.
    **symbols : Symbol
        The parameters, by name and in order.

    Returns
    -------
    callable
        Turns a function of the parameters and ``xp`` into a `Law`.

    Raises
    ------
    TypeError
        If the declared parameters are not the function's.

    Examples
    --------
    >>> x = Symbol("x", "1", "[0, inf)", typical=(0, 1))
    >>> twice = Law(lambda x, *, xp: 2 * x, {"x": x}, "1", "an example")
    >>> twice(2.0), twice.expr
    (4.0, 2*x)
    """

    def declare(function: Callable[..., Any]) -> Law:
        return register(Law(function, symbols, unit, source, validity, derivation))

    return declare


def register(record: Kind) -> Kind:
    """Put a law where `registered` finds it, and with it the tests; returns it."""
    _REGISTRY[f"{record.function.__module__}.{record.name}"] = record
    return record


def registered() -> Iterator[tuple[str, Law]]:
    """All laws declared so far, by dotted name.

    >>> from longfat.laws import selective_repeat
    >>> any(name.endswith("ack_delay") for name, _ in registered())
    True
    """
    return iter(sorted(_REGISTRY.items()))
