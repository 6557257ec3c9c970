"""Digests that identify a function, so that a store does not mix the results of different functions.

Equal objects to which a function refers have equal digests in every process. `cloudpickle` does not ensure this: it
numbers classes at random, and writes sets in an order that differs between processes.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import sys
import sysconfig
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "Unknowable",
    "name",
    "of",
]


_PLAIN = (type(None), bool, int, float, complex, str, bytes, types.EllipsisType, types.NotImplementedType)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))  # results do not depend on their state
_SHARED = np.random.mtrand._rand  # type: ignore[attr-defined]
_INSTALLED = tuple(str(Path(sysconfig.get_path(name)).resolve()) for name in ("purelib", "platlib"))


class Unknowable(ValueError):
    """Error for an object, such as an open file, whose digest would not be equal in every process."""


class Walk:
    """Digests of an object and everything to which it refers: ``values``, and ``code`` for instructions of functions.

    The two are separate, because the instructions of two versions of Python cannot be compared. Functions and
    classes of installed packages are identified by their names, all others by their content.

    >>> one, other = Walk(), Walk()
    >>> one.put({"reno", "cubic"}), other.put({"cubic", "reno"})
    (None, None)
    >>> one.values.digest() == other.values.digest()
    True
    """

    def __init__(self) -> None:
        self.values, self.code = hashlib.sha256(), hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []  # keeps objects alive, so that no id is reused

    def put(self, value: Any) -> None:
        """Add an object to the digests; raise `Unknowable` if its digest would differ between processes."""
        kind = type(value)
        if kind in _PLAIN:
            self._update(kind.__name__, repr(value))
            return
        if id(value) in self._seen:
            self._update("again", self._seen[id(value)])
            return
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        if isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif kind in (tuple, list):
            self._several(kind.__name__, value)
        elif kind in (dict, types.MappingProxyType):
            self._several("dict", [part for item in value.items() for part in item])
        elif kind in (set, frozenset):
            self._set(value)
        elif isinstance(value, types.CodeType):
            self.put_instructions(value)
        elif isinstance(value, types.ModuleType):
            self._update("module", value.__name__)
        elif kind in _LOCKS:
            self._update("lock")
        elif value is _SHARED:
            # NumPy's global generator, to which each scipy.stats distribution refers; its seed differs.
            self._update("numpy.random")
        elif isinstance(value, types.MethodType | types.BuiltinFunctionType):
            self._update("method", value.__name__)
            self.put(getattr(value, "__func__", None))
            self.put(value.__self__)
        elif isinstance(value, property | staticmethod | classmethod):
            inside = [getattr(value, name, None) for name in ("__func__", "fget", "fset", "fdel")]
            self._several(kind.__name__, inside)
        elif callable(getattr(value, "py_func", None)):  # compiled by numba
            self._several("numba", [value.py_func, getattr(value, "targetoptions", None)])
        else:
            self._object(value)

    def put_instructions(self, code: types.CodeType, doc: str | None = None) -> None:
        """Add a code object without the docstring ``doc`` to the digest of the instructions."""
        self.code.update(repr(instructions(code, doc)).encode())

    def _update(self, *words: object) -> None:
        self.values.update(f"{words!r}\n".encode())

    def _several(self, what: str, parts: Any) -> None:
        self._update(what, len(parts))
        for part in parts:
            self.put(part)

    def _set(self, value: Any) -> None:
        walks = []
        for element in value:
            walk = Walk()
            walk.put(element)
            walks.append((walk.values.digest(), walk.code.digest()))
        self._update("set", sorted(one for one, _ in walks))
        self.code.update(repr(sorted(other for _, other in walks)).encode())

    def _function(self, function: types.FunctionType) -> None:
        self._update("function", function.__module__, function.__qualname__)
        own = not installed(function.__module__)
        if own:
            self.put_instructions(function.__code__, function.__doc__)
        if own or "<locals>" in function.__qualname__:  # a closure made by a library may hold the caller's objects
            for name, value in carried(function, globals=own):
                self._update(name)
                self.put(value)

    def _class(self, kind: type) -> None:
        self._update("class", kind.__module__, kind.__qualname__)
        if installed(kind.__module__):
            return
        for name, value in sorted(vars(kind).items()):
            special = name.startswith("__") and name.endswith("__")
            function = isinstance(value, types.FunctionType | staticmethod | classmethod | property)
            slot = isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType)
            if (function or not special) and not slot and not name.startswith("_abc_"):
                self._update(name)
                self.put(value)
        self._several("bases", kind.__bases__)

    def _object(self, value: Any) -> None:
        """Add the parts of an object that `pickle` would store."""
        reduced = _reduced(value)
        if isinstance(reduced, str):
            module = getattr(value, "__module__", None)
            self._update("global", module, reduced)
            if not installed(module):  # the caller may assign another object to this name
                self.put(_attributes(type(value), getattr(value, "__dict__", None)))
        else:
            self._several("object", reduced)
        self.put(getattr(value, "__wrapped__", None))  # a law is pickled by its name, so add the function that it wraps


def _reduced(value: Any) -> str | list[Any]:
    """Return the parts of an object that `pickle` stores: constructor, arguments, state, items; or a global name."""
    kind = type(value)
    try:
        reduce = copyreg.dispatch_table.get(kind)
        reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
    except Exception as error:
        message = " ".join(str(error).split())
        raise Unknowable(f"{kind.__module__}.{kind.__qualname__} ({message or type(error).__name__})") from None
    if isinstance(reduced, str):
        return reduced
    make, args, state, items, pairs = (*reduced, None, None, None)[:5]
    plain: Any = kind.__getstate__ is object.__getstate__  # type: ignore[comparison-overlap]
    if getattr(make, "__name__", "") == "__newobj__" and plain and state is not None:
        state = _attributes(kind, state)
    return [make, args, state, *(None if several is None else list(several) for several in (items, pairs))]


def _attributes(kind: type, state: Any) -> dict[str, Any]:
    """Return an object's attributes in the order of their names, without the values of cached properties."""
    own, slots = state if isinstance(state, tuple) else (state, {})
    return {
        name: item
        for name, item in sorted({**(own or {}), **slots}.items())
        if not isinstance(getattr(kind, name, None), functools.cached_property)
    }


def carried(function: types.FunctionType, *, globals: bool = True) -> Iterator[tuple[str, Any]]:
    """Yield the objects to which a function refers, each with a description: defaults, closure, attributes, globals."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    yield from (
        (f"default {name}", value) for name, value in zip(reversed(positional), reversed(defaults), strict=False)
    )
    yield from ((f"default {name}", value) for name, value in sorted((function.__kwdefaults__ or {}).items()))
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"variable {name}", cell.cell_contents
        except ValueError:  # a variable without a value yet, such as a function's own name in its decorator
            yield f"variable {name}", None
    yield from ((f"attribute {name}", value) for name, value in sorted(vars(function).items()))
    if globals:
        space = function.__globals__
        yield from ((f"global {name}", space[name]) for name in sorted(_global_names(code)) if name in space)


def installed(module: str | None) -> bool:
    """Return whether a module belongs to Python, longfat or an installed package, whose version identifies its code."""
    top = (module or "").partition(".")[0]
    if top in sys.stdlib_module_names or top in ("builtins", "longfat"):  # "__main__" is not among them
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    return file is not None and str(Path(file).resolve()).startswith(_INSTALLED)


def instructions(found: types.CodeType, doc: str | None = None) -> tuple[Any, ...]:
    """Return a code object's content without the docstring ``doc``, as values with the same `repr` in every process."""
    constants: list[Any] = []
    for constant in found.co_consts:
        if isinstance(constant, types.CodeType):
            constants.append(instructions(constant))
        elif isinstance(constant, frozenset):  # the order of a frozenset differs from process to process
            constants.append(sorted(map(repr, constant)))
        else:
            constants.append("" if doc is not None and constant == doc else repr(constant))
    return found.co_code, found.co_names, found.co_varnames, constants


@functools.lru_cache(maxsize=1024)
def _global_names(code: types.CodeType) -> frozenset[str]:
    loads = {one.argval for one in dis.get_instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    inner = [_global_names(one) for one in code.co_consts if isinstance(one, types.CodeType)]
    return frozenset(loads).union(*inner)


def components(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a callable that belong to its identity, each with a description."""
    while isinstance(function, functools.partial):
        yield from ((f"argument {place}", value) for place, value in enumerate(function.args))
        yield from ((f"argument {name}", value) for name, value in function.keywords.items())
        function = function.func
    function = getattr(function, "py_func", function)  # numba keeps the original function in py_func
    if isinstance(function, types.FunctionType):
        yield "code", function
        yield from carried(function, globals=not installed(function.__module__))
        return
    owner: Any = function
    if isinstance(function, types.MethodType):
        yield "method", function.__func__
        owner = function.__self__
    if isinstance(owner, type | types.BuiltinFunctionType) or isinstance(reduced := _reduced(owner), str):
        yield "object", owner
        return
    make, args, state, *elements = reduced
    yield "object", [make, args, elements, getattr(owner, "__wrapped__", None)]
    if isinstance(state, dict):
        yield from ((f"attribute {name}", value) for name, value in state.items())
    else:
        yield "state", state


def name(function: Callable[..., Any]) -> str:
    """Return a function's module and qualified name; that of a partial function is in parentheses.

    >>> name(functools.partial(sorted, "a"))
    'partial(builtins.sorted)'
    """
    if isinstance(function, functools.partial):
        return f"partial({name(function.func)})"
    if not hasattr(function, "__qualname__"):  # an object; its `repr` may contain an address
        return f"<{name(type(function))}>"
    module = getattr(function, "__module__", None)
    return f"{module}.{function.__qualname__}" if module else function.__qualname__


def of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the identity of a function as values for JSON.

    ``function`` is its name, ``code`` the kind of interpreter and a digest of the instructions of the function and of
    all that it refers to outside of installed packages, ``state`` a digest of each value that it carries or refers to.

    Raises
    ------
    Unknowable
        If the function holds an object, such as an open file, that another process could not recognise.
    """
    code, state = hashlib.sha256(), {}
    part = "object"
    try:
        for part, value in components(function):
            walk = Walk()
            if part == "code":
                walk.put_instructions(value.__code__, value.__doc__)
            else:
                walk.put(value)
                state[part] = walk.values.hexdigest()[:16]
            code.update(walk.code.digest())
    except Unknowable as error:
        raise Unknowable(f"its {part} holds a {error}") from None
    except RecursionError:
        raise Unknowable(f"its {part} is nested too deeply") from None
    return {
        "function": name(function),
        "code": [str(sys.implementation.cache_tag), code.hexdigest()[:16]],
        "state": state,
    }
