"""Laws: published formulas, each a function together with a record of its parameters, units, validity and source.

A law is written once, in terms of an array namespace ``xp`` that the decorator supplies and hides from callers::

    @law(
        source='F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, 1992, '
        "section 3.4",
        result="t_a [s]",
        not_simulated="arithmetic of definitions",
        round_trip_time=Symbol("RTD", "s", "[0, inf)", (1e-3, 1), "Round-trip time"),
    )
    def ack_delay(round_trip_time, packet_time: PACKET_TIME, *, xp):
        \"\"\"Return the time from the end of a group of packets to its acknowledgment.

        .. math:: t_a = RTD + 3 t_p

        The receiver is assumed to take three packet times.
        \"\"\"
        return round_trip_time + 3 * packet_time

A parameter is declared by a keyword of the decorator or, if several laws share it, by its annotation, such as
``PACKET_TIME = Symbol("t_p", "s", "(0, inf)", (1e-8, 1e-3), "Time to send a packet")``.

A law needs no other declaration: a new module anywhere below ``longfat.laws`` is found by `registered`, and so by
``verify``, ``explore`` and the tests.

The function takes floats, NumPy and JAX arrays, tracers, mpmath numbers and sympy Symbols. The record provides
validation, the docstring's sections (`docstrings`), the symbolic expression and the display in Jupyter.
``help("longfat.law.array_namespaces")`` lists what ``xp`` offers in every arithmetic (sqrt, where, ...).

The result has the precision of the given arrays, 32 or 64 bits; arrays of other precisions are refused. Masked elements
of NumPy's masked arrays stay masked, and their values are ignored.
"""

from __future__ import annotations

import decimal
import functools
import importlib
import inspect
import math
import numbers
import pkgutil
import reprlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base import domains
from longfat.law import array_namespaces, docstrings
from longfat.law.exact_namespaces import ExactNamespace
from longfat.law.symbols import Equation, SimulatedBy, Symbol, Validity

if TYPE_CHECKING:
    import sympy


PACKAGE = "longfat.laws."
DOUBLE = np.dtype(float)
BLOCK = 2**15  # elements of NumPy arrays for which an equation is solved at once; they fit into the cache


@dataclass(frozen=True, eq=False)
class Law:
    """A published formula, which is called with numbers, arrays, tracers or symbols.

    Parameters
    ----------
    function : callable
        The formula: takes the parameters and the array namespace ``xp``.
    symbols : mapping of str to Symbol
        The parameters by name, in the function's order.
    unit : str
        Unit of the result.
    source : str
        Full reference to the publication of the formula; "Ours, ..." for an unpublished formula.
    validity : Validity, optional
        Condition under which an approximate law holds, with its accuracy.
    derivation : str or callable
        Function without arguments that proves the law: it returns the derived expression, or raises an AssertionError.
        Laws of longfat name one under ``derivations/``, such as "queues.mm1_number", or the part of its result that is
        the law, such as "queues.mm1_times.wait".
    errata : str
        For `as_printed` only: the error in the source's expression.
    result : str
        Symbol of the result and, after a comma, semicolon, colon or period, remarks on it.
    simulated : SimulatedBy, optional
        Simulator that the law is checked against in ``verify`` and shown with in ``explore``.
    not_simulated : str
        Reason why no simulator checks the law. Each law of longfat declares this or ``simulated``.
    long_proof : bool
        Whether the derivation takes more than two seconds, so that quick runs leave it out.
    solves : Equation, optional
        Equation whose root the function computes. The law then has no ``expr``, and refuses symbols.

    Notes
    -----
    The docstring of a law is the docstring of its function, completed by sections generated from the record: see
    `docstrings`.
    """

    function: Callable[..., Any]
    symbols: Mapping[str, Symbol]
    unit: str
    source: str
    validity: Validity | None = None
    derivation: str | Callable[[], Any] = ""
    errata: str = ""
    result: str = ""
    simulated: SimulatedBy | None = None
    not_simulated: str = ""
    long_proof: bool = False
    solves: Equation | None = None
    _faces: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        signature = inspect.signature(self.function)
        visible = [p for name, p in signature.parameters.items() if name != "xp"]
        if [p.name for p in visible] != list(self.symbols):
            raise TypeError(
                f"{self.name}: @law declares the parameters {list(self.symbols)}, "
                f"but the function takes {[p.name for p in visible]}: declare each one, in the function's order"
            )
        if self.simulated is not None and self.not_simulated:
            raise TypeError(f"{self.name}: @law takes simulated=... or not_simulated=..., not both")
        # Give the law the attributes of a function, which help(), inspect, doctest and jax.jit read.
        for attribute, value in {
            "__signature__": signature.replace(parameters=visible),
            "__name__": self.function.__name__,
            "__qualname__": self.function.__qualname__,
            "__module__": self.function.__module__,
            "__wrapped__": self.function,
        }.items():
            object.__setattr__(self, attribute, value)

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.function.__name__

    @property
    def place(self) -> str:
        """Dotted name of the module that defines the law, and the law's name; users import the law by `public_name`."""
        return f"{self.function.__module__}.{self.name}"

    @property
    def summary(self) -> str:
        """First sentence of the docstring as a noun phrase, for tables and pages.

        >>> from longfat.laws.queues import mm1_response
        >>> mm1_response.summary
        'The mean response time [service times] of an M/M/1 queue: waiting and service.'
        """
        sentence = " ".join((self.function.__doc__ or "").strip().split("\n\n")[0].split()).removeprefix("Return ")
        return sentence[:1].upper() + sentence[1:]

    @property
    def public_name(self) -> str:
        """Dotted name of the outermost package that imports the law, followed by the law's name.

        The prefix ``longfat.laws`` and the ``__main__`` of a notebook are left out. Tables, files, pages and the
        command line use this name. A law whose package does not import it is named by its module.

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
        """Return the law's value at the parameters, in the arithmetic that their types select."""
        values = list(self.bind(*args, **kwargs).values())
        if self._labelled(values):
            import xarray

            return xarray.apply_ufunc(self, *values).assign_attrs(units=self.unit, long_name=self.name)
        if any(isinstance(value, np.ma.MaskedArray) for value in values):
            return self._masked(values)
        xp = array_namespaces.namespace_of(values)
        values = [self._plain(*pair) for pair in zip(self.symbols, values, strict=True)]
        if isinstance(xp, ExactNamespace):
            for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
                exact = array_namespaces._is(value, "sympy", "Basic") or array_namespaces._is(value, "mpmath", "mpf")
                if not exact and not array_namespaces.is_scalar(value):
                    raise symbol.wrong_type(name, value)
        if isinstance(xp, array_namespaces.SympyNamespace):
            if self.solves is not None:
                raise TypeError(self._without_formula)
            symbols = [xp.sympy.sympify(value) for value in values]
            self._check_numbers(symbols)
            return xp.sympy.sympify(self.function(*symbols, xp=xp))
        if isinstance(xp, array_namespaces.MpmathNamespace):
            values = [xp.mp.convert(value) for value in values]
            self._check(values)
            return xp.mp.convert(self.function(*values, xp=xp))
        return self._arrays(values, xp) if self.solves is None else self._blocks(values, xp)

    def bind(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the arguments of a call by the names of the parameters, with defaults for missing ones.

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

    def _labelled(self, values: list[Any]) -> bool:
        """Return whether a value is a DataArray; raise a ValueError if its unit is not that of the parameter."""
        pairs = zip(self.symbols.items(), values, strict=True)
        found = [(*one, value) for one, value in pairs if array_namespaces._is(value, "xarray", "DataArray")]
        for name, symbol, value in found:
            domains.same_unit(name, value, symbol.unit)
        return bool(found)

    def _masked(self, values: list[Any]) -> Any:
        """Return the law's value for masked arrays, masked wherever an argument is masked.

        The values of masked elements are often placeholders outside the domain (such as -999), so NaN replaces them.
        """
        masks = [np.ma.getmaskarray(value) for value in values if isinstance(value, np.ma.MaskedArray)]
        plain = [array_namespaces.filled(self._plain(*pair)) for pair in zip(self.symbols, values, strict=True)]
        if array_namespaces.namespace_of(plain) is not array_namespaces.NUMPY:
            raise TypeError(f"{self.name}: masked arrays cannot be combined with arrays other than NumPy's")
        result = np.asarray(self(*plain))
        mask = functools.reduce(np.logical_or, masks)
        return np.ma.array(result, mask=np.broadcast_to(mask, result.shape))

    def _plain(self, name: str, value: Any) -> Any:
        """Convert real numbers of all kinds to floats and sequences to arrays; raise an error for other values."""
        if isinstance(value, float | np.floating | np.integer) and not isinstance(value, np.timedelta64):
            return value
        symbol = self.symbols[name]
        if domains.is_truth_value(value):
            raise symbol.wrong_type(name, value)
        if isinstance(value, numbers.Real | decimal.Decimal) and not array_namespaces._is(value, "sympy", "Basic"):
            try:
                return value if array_namespaces._is(value, "mpmath", "mpf") else float(value)
            except OverflowError:
                raise symbol.out_of_range(name, reprlib.repr(value)) from None
            except (TypeError, ValueError):  # an interval of mpmath, a signalling NaN
                raise symbol.wrong_type(name, value) from None
        with_unit = hasattr(value, "magnitude") or (isinstance(value, np.ndarray) and hasattr(value, "unit"))
        if value is None or isinstance(value, str | bytes | complex | np.generic) or with_unit:
            raise symbol.wrong_type(name, value)
        array = value
        if isinstance(value, list | tuple):
            try:
                array = np.asarray(value)
            except ValueError:  # rows of different lengths
                raise symbol.wrong_type(name, value) from None
        if isinstance(getattr(array, "dtype", None), np.dtype) and array.dtype.kind not in "fiu":
            raise symbol.wrong_type(name, value)
        return array

    def _check_numbers(self, values: list[Any]) -> None:
        """Raise a ValueError for a sympy number outside its domain; accept expressions that contain symbols."""
        for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
            if not value.is_number:
                continue
            inside = value.is_real and symbol.interval.contains(value) and not (symbol.integer and float(value) % 1)
            if not inside:
                raise symbol.out_of_range(name, value)

    def _arrays(self, values: list[Any], xp: array_namespaces.ArrayNamespace) -> Any:
        """Return the law's value for floats or for arrays of one library, in the highest precision of the arguments."""
        traced = any(map(array_namespaces.is_traced, values))
        undefined = False if traced else self._check(values)
        arrays = array_namespaces.as_arrays(values, xp)
        kind = arrays[0].dtype
        if kind is not DOUBLE and xp.finfo(kind).bits not in (32, 64):
            expected = "arrays must be of float32 or float64"
            raise TypeError(f"{self.name}: {expected}, got {kind}; for more digits, give mpmath numbers")
        try:
            shape = np.broadcast_shapes(*(array.shape for array in arrays))
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in zip(self.symbols, arrays, strict=True))
            raise ValueError(f"{self.name}: the arrays have shapes that do not go together: {shapes}") from None
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            result = self.function(*arrays, xp=xp)
        if xp is array_namespaces.NUMPY and all(map(array_namespaces.is_scalar, values)):
            return float(result)
        if not hasattr(result, "dtype") or result.dtype != kind:  # a constant, as for where(condition, 1, 0)
            result = xp.asarray(result, dtype=kind)
        if result.shape != shape:  # the case that applies does not depend on every parameter
            result = xp.asarray(xp.broadcast_to(result, shape), copy=True)
        if traced or undefined:  # a tracer has no values, so nothing is refused: NaN marks values outside the domain
            inside = True
            for array, symbol in zip(arrays, self.symbols.values(), strict=True):
                inside = inside & symbol.contains(array, xp.floor)
            return xp.where(inside, result, xp.full_like(result, xp.nan))
        return result

    def _blocks(self, values: list[Any], xp: array_namespaces.ArrayNamespace) -> Any:
        """Return the roots of the law's equation; solve it in blocks of elements if the NumPy arrays are large."""
        shape = np.broadcast_shapes(*(np.shape(value) for value in values)) if xp is array_namespaces.NUMPY else ()
        if math.prod(shape) <= BLOCK:
            return self._arrays(values, xp)
        self._check(values)
        flat = [np.broadcast_to(array, shape).ravel() for array in array_namespaces.as_arrays(values, xp)]
        result = np.empty_like(flat[0])
        for begin in range(0, result.size, BLOCK):
            part = slice(begin, begin + BLOCK)
            result[part] = self._arrays([array[part] for array in flat], xp)
        return result.reshape(shape)

    def _check(self, values: list[Any]) -> bool:
        """Raise an error for a value outside its domain; return whether arrays have NaN elements, which pass."""
        undefined = False
        for value, (name, symbol) in zip(values, self.symbols.items(), strict=True):
            if array_namespaces.is_scalar(value) or array_namespaces._is(value, "mpmath", "mpf"):
                if not symbol.contains(value, lambda x: np.floor(float(x))):  # refuses NaN, too
                    raise symbol.out_of_range(name, value)
            else:
                try:
                    array = np.asarray(value, dtype=float)
                except (TypeError, ValueError):
                    raise symbol.wrong_type(name, value) from None
                undefined |= symbol.array(name, array)
        return undefined

    @cached_property
    def expr(self) -> sympy.Expr:
        """Sympy expression of the law in the paper's symbols; AttributeError if the law is given by an equation.

        Its ``evalf`` gives a number after numbers have been substituted for the symbols. Where terms cancel, ``evalf``
        computes with up to 100 digits, or ``maxn``; a result such as ``0.e-125`` means that these digits were too few.
        Numbers substituted as floats are exact to 15 digits only; ``evalf(subs={...})`` and `sympy.Rational` keep all
        of their digits.

        >>> from longfat.laws.queues import mm1k_mean_number
        >>> load, capacity = (symbol.sympy for symbol in mm1k_mean_number.symbols.values())
        >>> mm1k_mean_number.expr.subs({load: 2, capacity: 10}).evalf(20)
        9.0053737176355642404
        """
        if self.solves is not None:
            raise AttributeError(self._without_formula)
        return self(*(symbol.sympy for symbol in self.symbols.values()))

    @property
    def equation(self) -> sympy.Eq:
        """Equation that the law solves, in the paper's symbols; AttributeError if the law has an expression."""
        import sympy

        if self.solves is None:
            raise AttributeError(f"{self.name} has no equation: its formula is in {self.name}.expr")
        letters = (symbol.sympy for symbol in self.symbols.values())
        return sympy.Eq(*self.solves.sides(self.solves.unknown.sympy, *letters))

    @property
    def _without_formula(self) -> str:
        return f"{self.name} is a root without a formula: its equation is in {self.name}.equation"

    @property
    def as_printed(self) -> Law:
        """Law with the expression that the source prints, which is wrong; AttributeError if the source is right."""
        if "printed" not in self._faces:
            raise AttributeError(f"{self.name} has no as_printed: the law is the expression that its source prints")
        printed: Law = self._faces["printed"]
        return printed

    def printed(self, errata: str) -> Callable[[Callable[..., Any]], Law]:
        """Return a decorator for the formula as the paper misprints it: this law's `as_printed`."""

        def keep(function: Callable[..., Any]) -> Law:
            record = Law(function, self.symbols, self.unit, self.source, errata=errata, result=self.result)
            self._faces["printed"] = record
            return record

        return keep

    @property
    def has_printed(self) -> bool:
        """Whether the source prints a wrong expression, which is available as ``as_printed``."""
        return "printed" in self._faces

    def _repr_latex_(self) -> str:
        from sympy import latex

        return f"$\\displaystyle {latex(self.expr if self.solves is None else self.equation)}$"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td><code>{name}</code></td><td>\\({symbol.letter}\\)</td><td>{escape(symbol.unit)}</td>"
            f"<td>{'integer, ' if symbol.integer else ''}{escape(symbol.domain)}</td>"
            f"<td>{escape(symbol.meaning)}</td></tr>"
            for name, symbol in self.symbols.items()
        )
        remarks = [f"Unit: {escape(self.unit)}.", f"Source: {escape(self.source.rstrip('.'))}."]
        if self.validity is not None:
            remarks.append(f"Accurate within {self.validity.accuracy:g} where {escape(self.validity.text)}.")
        if self.has_printed:
            remarks.append(f"As printed: {escape(self.as_printed.errata)}")
        return (
            f"<p><b>{self.name}</b> {self._repr_latex_()}</p>"
            "<table><tr><th>parameter</th><th>symbol</th><th>unit</th><th>domain</th><th>meaning</th></tr>"
            f"{rows}</table><p>{' '.join(remarks)}</p>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the module and name by which the law is pickled, as functions are."""
        return _named, (self.function.__module__, self.name)

    def __repr__(self) -> str:
        return f"<law {self.name}({', '.join(self.symbols)}) [{self.unit}], {self.source}>"


Law.__doc__ = docstrings.Generated(Law.__doc__)  # type: ignore[assignment]


def _named(module: str, name: str) -> Law:
    """Return the law of a given name in a module, for unpickling."""
    found: Law = getattr(importlib.import_module(module), name)
    return found


_REGISTRY: dict[str, Law] = {}


def law(
    *,
    source: str,
    result: str,
    validity: Validity | None = None,
    derivation: str | Callable[[], Any] | None = None,
    simulated: SimulatedBy | None = None,
    not_simulated: str = "",
    long_proof: bool = False,
    solves: Equation | None = None,
    **symbols: Symbol,
) -> Callable[[Callable[..., Any]], Law]:
    """Return a decorator that declares a law and registers it; ``verify`` and the tests need no other declaration.

    The decorated function computes with the functions of its keyword argument ``xp``: see
    `longfat.law.array_namespaces`.

    Parameters
    ----------
    source, validity, simulated, not_simulated, long_proof, solves
        As for `Law`.
    result : str
        Symbol of the result, its unit in brackets, and remarks on it: "W [packets], the mean over time".
    derivation : str or callable, optional
        As for `Law`; "" if there is none. By default a law of longfat is proved by the function of its name in
        ``derivations/SUBJECT.py``, and another law has no proof.
    **symbols : Symbol
        The parameters, by name and in the function's order; those annotated with a `Symbol` may be left out.

    Examples
    --------
    >>> x = Symbol("x", "1", "[0, inf)", typical=(0, 1))
    >>> twice = Law(lambda x, *, xp: 2 * x, {"x": x}, "1", "an example")
    >>> twice(2.0), twice.expr
    (4.0, 2*x)
    """

    def declare(function: Callable[..., Any]) -> Law:
        letter, _, rest = result.partition("[")
        unit, ends, remarks = rest.partition("]")
        if not ends:
            raise TypeError(f'{function.__name__}: result = {result!r} has no unit: write, for instance, "W [packets]"')
        proof = derivation
        if proof is None:
            _, ours, module = str(function.__module__).partition(PACKAGE)
            proof = f"{module.partition('.')[0]}.{function.__name__}" if ours else ""
        record = Law(
            function, declared(function, symbols), unit, source, validity, proof, result=letter.rstrip() + remarks,
            simulated=simulated, not_simulated=not_simulated, long_proof=long_proof, solves=solves,
        )  # fmt: skip
        _REGISTRY[record.place] = record
        return record

    return declare


def declared(function: Callable[..., Any], given: Mapping[str, Symbol]) -> Mapping[str, Symbol]:
    """Return the symbol of each parameter of a function: the given symbol, or else the parameter's annotation.

    >>> x = Symbol("x", "1", "[0, inf)", typical=(0, 1))
    >>> def twice(a: x, *, xp): ...
    >>> declared(twice, {})["a"] is x
    True
    """
    names = [name for name in inspect.signature(function).parameters if name != "xp"]
    evaluated = {} if all(name in given for name in names) else inspect.get_annotations(function, eval_str=True)
    symbols = {name: one for name, one in evaluated.items() if isinstance(one, Symbol)}
    kept = {name: one for name, one in function.__annotations__.items() if name not in symbols}
    # Parameters and result are numbers, arrays or symbols of sympy.
    function.__annotations__ = dict.fromkeys((*names, "return"), "Any") | kept
    symbols.update(given)
    return {name: symbols[name] for name in (*names, *given) if name in symbols}


def registered() -> Iterator[tuple[str, Law]]:
    """Return all laws as pairs (dotted name of the definition, `Law.place`; law), sorted by these names.

    All modules below ``longfat.laws`` are imported first, so that a law in a new file needs no other declaration.

    >>> any(name.endswith("ack_delay") for name, _ in registered())
    True
    """
    laws = importlib.import_module(PACKAGE.removesuffix("."))
    for module in pkgutil.walk_packages(laws.__path__, PACKAGE):
        importlib.import_module(module.name)
    return iter(sorted(_REGISTRY.items()))
