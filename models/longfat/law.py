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
record come validation, documentation, test strategies, the symbolic expression and what Jupyter shows. What ``xp``
has in every arithmetic (sqrt, where, sin ...) stands in one table: ``help("longfat.namespaces")``.

Arrays are computed in 32 or 64 bits, as they come; other lengths are refused. Masked elements of NumPy's masked arrays
stay masked, and their values are not looked at.
"""

from __future__ import annotations

import decimal
import functools
import importlib
import inspect
import numbers
import reprlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from longfat import domains, namespaces
from longfat.symbols import Symbol, Validity

if TYPE_CHECKING:
    import sympy
    from hypothesis.strategies import SearchStrategy


PACKAGE = "longfat.laws."
DOUBLE = np.dtype(float)

__all__ = ["Law", "Symbol", "Validity", "law", "register", "registered"]


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

    @property
    def place(self) -> str:
        """The dotted name of where the law is defined; `public_name` is where people find it."""
        return f"{self.function.__module__}.{self.name}"

    @property
    def public_name(self) -> str:
        """Return the dotted name that people use: of the outermost package that has the law, then the law's.

        The packages' common beginning ``longfat.laws`` and a notebook's ``__main__`` are left out. This is the name in
        tables, files and pages, and on the command line.

        >>> from longfat.laws.queues.unlimited import md1_wait
        >>> md1_wait.public_name
        'queues.md1_wait'
        """
        module = self.function.__module__ or "__main__"
        parts = module.split(".")
        packages = (".".join(parts[:count]) for count in range(1, len(parts)))
        place = next((one for one in packages if getattr(sys.modules.get(one), self.name, None) is self), module)
        return f"{place}.{self.name}".removeprefix(PACKAGE).removeprefix("__main__.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The law at some values, in the arithmetic that their types call for."""
        values = list(self.bind(*args, **kwargs).values())
        if any(namespaces._is(value, "xarray", "DataArray") for value in values):
            import xarray

            return xarray.apply_ufunc(self, *values).assign_attrs(units=self.unit, long_name=self.name)
        if any(isinstance(value, np.ma.MaskedArray) for value in values):
            return self._masked(values)
        xp = namespaces.namespace_of(values)
        values = [self._plain(*pair) for pair in zip(self.symbols, values, strict=True)]
        if isinstance(xp, namespaces.SympyNamespace):
            symbols = [xp.sympy.sympify(value) for value in values]
            self._check_numbers(symbols)
            return xp.sympy.sympify(self.function(*symbols, xp=xp))
        if isinstance(xp, namespaces.MpmathNamespace):
            for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
                if not namespaces.is_scalar(value) and not namespaces._is(value, "mpmath", "mpf"):
                    raise domains.wrong_type(name, value, unit=symbol.unit)
            values = [xp.mp.convert(value) for value in values]
            self._check(values)
            return xp.mp.convert(self.function(*values, xp=xp))
        return self._arrays(values, xp)

    def bind(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the parameters by name, defaults included.

        Raises
        ------
        TypeError
            If the arguments are not the law's; the message names the law and lists its parameters.

        Examples
        --------
        >>> from longfat.laws.cadpc import update_time
        >>> update_time.bind(10, round_trip_time=0.3)
        {'updates': 10, 'round_trip_time': 0.3, 'round_trips': 4}
        """
        signature: inspect.Signature = self.__signature__  # type: ignore[attr-defined]
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as failure:
            listed = ", ".join(
                f"{name} [{self.symbols[name].unit}]" + ("" if one.default is one.empty else f" = {one.default}")
                for name, one in signature.parameters.items()
            )
            raise TypeError(f"{self.name}: {failure}; its parameters are {listed}") from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def _masked(self, values: list[Any]) -> Any:
        """The law of masked arrays: nothing is asked of masked elements, and the result is masked where one of them is.

        Their values are often placeholders outside the domain (such as -999), so that NaN stands in for them.
        """
        masks = [np.ma.getmaskarray(value) for value in values if isinstance(value, np.ma.MaskedArray)]
        plain = [namespaces.filled(self._plain(*pair)) for pair in zip(self.symbols, values, strict=True)]
        if namespaces.namespace_of(plain) is not namespaces.NUMPY:
            raise TypeError(f"{self.name}: masked arrays cannot be combined with arrays other than NumPy's")
        result = np.asarray(self(*plain))
        mask = functools.reduce(np.logical_or, masks)
        return np.ma.array(result, mask=np.broadcast_to(mask, result.shape))

    def _plain(self, name: str, value: Any) -> Any:
        """Real numbers of all kinds as floats, sequences as arrays; what is no real number is refused."""
        if isinstance(value, bool | float | np.floating | np.integer) and not isinstance(value, np.timedelta64):
            return value
        symbol = self.symbols[name]
        if isinstance(value, numbers.Real | decimal.Decimal) and not namespaces._is(value, "sympy", "Basic"):
            try:
                return value if namespaces._is(value, "mpmath", "mpf") else float(value)
            except OverflowError:
                raise domains.out_of_range(name, reprlib.repr(value), symbol.unit, symbol.interval) from None
            except TypeError:
                raise domains.wrong_type(name, value, unit=symbol.unit) from None
        with_unit = hasattr(value, "magnitude") or (isinstance(value, np.ndarray) and hasattr(value, "unit"))
        if value is None or isinstance(value, str | bytes | complex | np.generic) or with_unit:
            raise domains.wrong_type(name, value, unit=symbol.unit)
        array = value
        if isinstance(value, list | tuple):
            try:
                array = np.asarray(value)
            except ValueError:  # rows of different lengths
                raise domains.wrong_type(name, value, unit=symbol.unit) from None
        if isinstance(getattr(array, "dtype", None), np.dtype) and array.dtype.kind not in "fiub":
            raise domains.wrong_type(name, value, unit=symbol.unit)
        return array

    def _check_numbers(self, values: list[Any]) -> None:
        """Among symbols, what is a number has to lie in its domain."""
        for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
            if not value.is_number:
                continue
            inside = value.is_real and symbol.interval.contains(value) and not (symbol.integer and float(value) % 1)
            if not inside:
                raise domains.out_of_range(name, value, symbol.unit, symbol.interval, integer=symbol.integer)

    def _arrays(self, values: list[Any], xp: namespaces.ArrayNamespace) -> Any:
        traced = any(map(namespaces.is_traced, values))
        undefined = False if traced else self._check(values)
        arrays = namespaces.as_arrays(values, xp)
        kind = arrays[0].dtype
        if kind is not DOUBLE and xp.finfo(kind).bits not in (32, 64):
            raise TypeError(f"{self.name}: arrays must be of float32 or float64, got {kind}; mpmath has more digits")
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            result = self.function(*arrays, xp=xp)
        if xp is namespaces.NUMPY and all(map(namespaces.is_scalar, values)):
            return float(result)
        if not hasattr(result, "dtype") or result.dtype != kind:  # constants only, such as where(condition, 1, 0)
            result = xp.asarray(result, dtype=kind)
        if result.shape != shape:  # the case that applied does not depend on every parameter
            result = xp.asarray(xp.broadcast_to(result, shape), copy=True)
        if traced or undefined:  # nothing can be refused while tracing: what lies outside becomes NaN
            inside = True
            for array, symbol in zip(arrays, self.symbols.values(), strict=True):
                inside = inside & symbol.interval.contains(array)
                if symbol.integer:
                    inside = inside & (array == xp.floor(array))
            return xp.where(inside, result, xp.full_like(result, xp.nan))
        return result

    def _check(self, values: list[Any]) -> bool:
        """Refuse what lies outside its domain; True if there are NaN elements, which pass."""
        undefined = False
        for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
            if namespaces.is_scalar(value) or namespaces._is(value, "mpmath", "mpf"):
                inside = symbol.interval.contains(value) and (not symbol.integer or value == np.floor(float(value)))
                if not inside:  # NaN as well
                    raise domains.out_of_range(name, value, symbol.unit, symbol.interval, integer=symbol.integer)
            else:
                try:
                    array = np.asarray(value, dtype=float)
                except (TypeError, ValueError):
                    raise domains.wrong_type(name, value, unit=symbol.unit) from None
                undefined |= domains.array(name, array, symbol.unit, symbol.interval, integer=symbol.integer)
        return undefined

    @cached_property
    def expr(self) -> sympy.Expr:
        """The law as a sympy expression in the paper's letters; with numbers for them, ``evalf`` gives its digits.

        Where terms cancel ``evalf`` uses up to 100 digits, or ``maxn``; a result such as ``0.e-125`` says that they
        were too few. Numbers put in as floats have 15 digits of their own.

        >>> from longfat.laws.queues import mm1k_mean_number
        >>> load, capacity = (symbol.sympy for symbol in mm1k_mean_number.symbols.values())
        >>> mm1k_mean_number.expr.subs({load: 2, capacity: 10}).evalf(20)
        9.0053737176355642404
        """
        return self(*(symbol.sympy for symbol in self.symbols.values()))

    @property
    def as_printed(self) -> Law:
        """The expression as the source prints it, where that one is wrong."""
        if "printed" not in self._faces:
            raise AttributeError(f"{self.name} has no as_printed: the law is the expression that its source prints")
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
            f"<td>{'integer, ' if symbol.integer else ''}{escape(symbol.domain)}</td>"
            f"<td>{escape(symbol.meaning)}</td></tr>"
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

    The function computes with what its keyword ``xp`` has: see `longfat.namespaces`.

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
    _REGISTRY[record.place] = record
    return record


def registered() -> Iterator[tuple[str, Law]]:
    """All laws declared so far, by the dotted name of the place where they are defined.

    >>> from longfat.laws import selective_repeat
    >>> any(name.endswith("ack_delay") for name, _ in registered())
    True
    """
    return iter(sorted(_REGISTRY.items()))
