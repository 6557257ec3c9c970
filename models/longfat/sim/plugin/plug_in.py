"""`PlugIn`, the base class of schemes, disciplines and services; `Registry`, the plug-ins of the package by name."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from types import CodeType, FunctionType
from typing import Any, ClassVar, Generic, Self, TypeVar

import numba

from longfat.base import discovery, domains
from longfat.sim.kernel import jit
from longfat.sim.kernel.callbacks import arguments
from longfat.sim.kernel.views import View
from longfat.sim.plugin.parameters import YES_OR_NO, Parameter
from longfat.sim.plugin.view_fields import EVENT_VIEW, PACKET_VIEW

Kind = TypeVar("Kind", bound="PlugIn")
#: Modules of the package's plug-ins, whose compiled code is cached on disk.
SHIPPED = tuple(f"longfat.{folder}." for folder in ("sim.plugin", "sim.schemes", "sim.switch", "verify"))


@dataclass(frozen=True)
class PlugIn:
    """Base class of schemes, disciplines and services: name, parameters, state, callbacks and source.

    A `Scheme` has callbacks for a sender and its receiver, a `Discipline` for the queue of a link, and a `Service` for
    the scheduler of a link. Numba compiles callbacks, so they use numbers, tuples, NumPy arrays and ``math``. They read
    parameters, and read and set state variables, by name, as they do with the fields of the simulator, which
    ``print(longfat.sim.fields.documentation())`` lists. A callback that sets a read-only field is not compiled.

    Parameters
    ----------
    name : str
        Name in results, messages and scenario files.
    parameters : mapping of str to Parameter or float, optional
        Parameters, which callbacks read by name: ``flow.beta``, ``link.target``.
    values : mapping of str to float, optional
        Values of parameters that differ from the defaults; ``plug_in(beta=0.8)`` returns a copy with this value.
    state : mapping of str to float, int, bool or a sequence of these, optional
        State variables of a flow or a link by name, with initial values: ``flow.w_max``, ``link.drop_next``. An initial
        value may be the name of a parameter, which stands for the parameter's value.
    source : str
        Full reference of the plug-in's rules: authors, title, venue, year and section, or RFC.
    """

    #: KIND: kind of plug-in, for messages. CALLBACKS: arguments and result of each callback, in the kernel's order.
    #: REQUIRED: callbacks without a default. DEFAULTS: default callbacks by name, which use no parameters and no state.
    #: BARE_VIEWS: views for default callbacks. ADVICE: how to give a value to a parameter that has none, for messages.
    KIND: ClassVar[str] = "plug-in"
    CALLBACKS: ClassVar[Mapping[str, str]] = {}
    REQUIRED: ClassVar[tuple[str, ...]] = ()
    DEFAULTS: ClassVar[Mapping[str, Any]] = {}
    BARE_VIEWS: ClassVar[Mapping[str, View]] = {}
    ADVICE: ClassVar[str] = "give it with values"

    name: str
    _: KW_ONLY
    parameters: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or not self.name.isprintable():
            raise domains.wrong_type(f"name of a {self.KIND}", self.name, "a string of printable characters, not empty")
        for name, signature in self.CALLBACKS.items():
            function = getattr(self, name)
            if function is not None or name in self.REQUIRED:
                _check(self.title, name, function, signature.partition(" -> ")[0])
        declared = {
            name: one if isinstance(one, Parameter) else Parameter(domains.number(name, one, "1", "(-inf, inf)"))
            for name, one in self.parameters.items()
        }
        object.__setattr__(self, "parameters", declared)
        self.checked({name: one.default for name, one in declared.items() if one.default is not None})
        object.__setattr__(self, "values", self.checked(self.values))

    def __call__(self, *given: Any, **values: Any) -> Self:
        """Return a copy with other values of its parameters, given by name or in their order.

        >>> PlugIn("mine", parameters={"pause": Parameter(0.1, "s", "(0, 1]")})(pause="20 ms").values
        {'pause': 0.02}
        """
        return self._changed(given, values)

    def _changed(self, in_order: Sequence[Any], named: Mapping[str, Any], **fields: Any) -> Self:
        """Return a copy with other parameter values and other fields; the plug-in itself if nothing changes."""
        if len(in_order) > len(self.parameters):
            raise ValueError(f"{self.title} takes at most {len(self.parameters)} values, got {len(in_order)}")
        given = dict(zip(self.parameters, in_order, strict=False))
        for name in given:
            if name in named:
                raise ValueError(f"{self.title}: {name!r} is given twice: must be given once, in order or by name")
        values = {**self.values, **given, **named}
        return replace(self, values=values, **fields) if fields or values != self.values else self

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given values in SI units, after checking that each names a parameter and is inside its domain.

        >>> PlugIn("mine", parameters={"target": Parameter(0.005, "s", "(0, 1]")}).checked({"target": "20 ms"})
        {'target': 0.02}
        """
        for name in given:
            if name not in self.parameters:
                if not self.parameters:
                    raise ValueError(f"{self.title} takes no parameters, so {name!r} is unknown")
                raise domains.unknown(f"{self.title}: parameter", name, self.parameters)
        return {name: self.parameters[name].checked(name, value) for name, value in given.items()}

    def require_values(self, given: Mapping[str, Any] | None = None) -> None:
        """Raise a ValueError if a parameter has no value: no default, and none in `values` or `given`."""
        missing = [name for name in self.missing if name not in (given or {})]
        if missing:
            advice = f"{self.ADVICE}, as in {self.KIND}({missing[0]}=...)"
            raise domains.conflict(self.title, f"needs {', '.join(missing)}", advice)

    @property
    def title(self) -> str:
        """Kind and name of the plug-in, for messages."""
        return f"{self.KIND} {self.name!r}"

    @property
    def settings(self) -> dict[str, Any]:
        """Values of the parameters, by name; parameters without a value or default are left out."""
        values = {name: self.values.get(name, one.default) for name, one in self.parameters.items()}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def missing(self) -> list[str]:
        """Names of the parameters that have neither a default nor a value."""
        return [name for name, one in self.parameters.items() if self.values.get(name, one.default) is None]

    @property
    def flags(self) -> list[str]:
        """Names of the yes-or-no parameters."""
        return [name for name, one in self.parameters.items() if one.domain == YES_OR_NO]

    @functools.cached_property
    def callbacks(self) -> dict[str, Any]:
        """Callbacks that the user has given, by name."""
        return {name: getattr(self, name) for name in self.CALLBACKS if getattr(self, name) is not None}

    @property
    def code(self) -> tuple[Any, ...]:
        """Key that is equal for plug-ins that compile to the same code.

        The code depends on the functions, on the fields of the plug-in's records, and on which fields may be set. It
        does not depend on the values of parameters.
        """
        return type(self), self.name, *(getattr(self, name) for name in self.CALLBACKS)

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Default callbacks by name, for callbacks that are not given."""
        return self.DEFAULTS

    @functools.cached_property
    def views(self) -> Mapping[str, View]:
        """Views that callbacks get, with the plug-in's parameters and state; the keys are the names of arguments."""
        return self.BARE_VIEWS

    def compiled(self) -> tuple[jit.Callback, ...]:
        """Return the callbacks, compiled for the kernel; a default callback is compiled once for all plug-ins."""
        made, own = [], self.views
        for name, signature in self.CALLBACKS.items():
            whose, function, views = self.title, getattr(self, name), own
            if function is None:
                whose, function, views = "", self.defaults[name], self.BARE_VIEWS
            seen = {**views, "event": EVENT_VIEW, "packet": PACKET_VIEW, "now": numba.float64}
            result, types = arguments(signature, seen)
            made.append(_compiled(whose, name, function, result(*types)))
        return tuple(made)


class Registry(Mapping[str, Kind], Generic[Kind]):
    """Plug-ins of one kind that the modules of a package define, by name, in the order of the names.

    ``registry[name]`` imports only the module of this name, or all modules if that one does not define the plug-in.

    Parameters
    ----------
    package : str
        Dotted name of the package.
    kind : type
        `Scheme`, `Discipline` or `Service`.
    others : mapping, optional
        Further plug-ins by name, which are found without an import of the package's modules.
    """

    def __init__(self, package: str, kind: type[Kind], others: Mapping[str, Any] | None = None) -> None:
        self.package, self.kind, self.others = package, kind, dict(others or {})

    @functools.cached_property
    def _named(self) -> dict[str, Kind]:
        return {**self.others, **discovery.named(self.package, self.kind)}

    def __getitem__(self, name: str) -> Kind:
        if not isinstance(name, str):
            raise KeyError(name)
        if name not in self.others:
            alone = discovery.alone(self.package, self.kind, name) if "_named" not in vars(self) else None
            self.others[name] = self._named[name] if alone is None else alone
        return self.others[name]  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._named))

    def __len__(self) -> int:
        return len(self._named)

    def find(self, given: Any, **parameters: Any) -> Kind:
        """Return the plug-in of this name with the given parameter values; a plug-in itself is returned unchanged."""
        if isinstance(given, str) and given in self:
            return self[given](**parameters)  # type: ignore[return-value]
        if not isinstance(given, self.kind):
            raise domains.unknown(self.kind.KIND, given, self)
        if parameters:
            raise ValueError(
                f"{given.title} has its parameters already: {', '.join(parameters)} must be given with a plug-in's name"
            )
        found: Kind = given
        return found


def _check(whose: str, name: str, function: Any, takes: str) -> None:
    """Raise a TypeError unless `function` is a function with the arguments in `takes`, such as "(flow, event)".

    Numba compiles no methods, partial functions, callable objects or built-in functions.
    """
    plain = getattr(function, "py_func", function)
    if not isinstance(plain, FunctionType):
        raise domains.wrong_type(f"{whose}: {name}", function, f"a function of {takes}")
    signature = inspect.signature(plain)
    try:
        signature.bind(*takes.split(","))
    except TypeError:
        raise TypeError(f"{whose}: {name} must take {takes}, got {name}{signature}") from None


def names_used(function: Any) -> set[str]:
    """Return the global names and attributes used by a function and by the user's functions that it calls.

    >>> sorted(names_used(lambda link, packet, now: link.backlog > link.threshold))
    ['backlog', 'threshold']
    """
    found: set[str] = set()
    seen: set[FunctionType] = set()
    left = [function]
    while left:
        plain = left.pop()
        plain = getattr(plain, "py_func", plain)
        ours = str(getattr(plain, "__module__", "")).startswith("longfat.")
        if not isinstance(plain, FunctionType) or plain in seen or (seen and ours):
            continue
        seen.add(plain)
        names = _names(plain.__code__)
        found.update(names)
        left += [plain.__globals__[used] for used in names if used in plain.__globals__]
        for cell in plain.__closure__ or ():
            with contextlib.suppress(ValueError):  # the variable has no value yet
                left.append(cell.cell_contents)
    return found


def _names(code: CodeType) -> list[str]:
    """Return the global names and attributes used by a function and by functions defined inside it."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [*code.co_names, *(name for one in inner for name in _names(one))]


@functools.lru_cache(maxsize=512)
def _compiled(whose: str, name: str, function: Callable[..., Any], kind: Any) -> jit.Callback:
    """Return a function compiled for a numba signature; the code of the package's plug-ins is cached on disk."""
    try:
        return jit.callback(kind, function, cache=str(function.__module__).startswith(SHIPPED))
    except numba.core.errors.NumbaError as error:
        raise ValueError(f"{whose}: {name} cannot be compiled: {jit.reason(error)}") from None
