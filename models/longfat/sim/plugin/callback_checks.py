"""Checks of a plug-in's callbacks when the plug-in is created, and their compilation when a run begins."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import numba

from longfat.base import domains
from longfat.sim.kernel import jit

SHIPPED = tuple(f"longfat.{folder}." for folder in ("sim.plugin", "sim.schemes", "sim.switch", "verify"))


def check(whose: str, name: str, function: Any, takes: str) -> None:
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
    seen: set[int] = set()
    left = [function]
    while left:
        plain = left.pop()
        plain = getattr(plain, "py_func", plain)
        code = getattr(plain, "__code__", None)
        if id(plain) in seen or code is None or (plain is not function and _module(plain).startswith("longfat.")):
            continue
        seen.add(id(plain))
        names = _names(code)
        found.update(names)
        left += [plain.__globals__[used] for used in names if used in plain.__globals__]
        left += _enclosed(plain)
    return found


def _module(function: Any) -> str:
    """Return the name of the module that defines a function, "" if it is not known."""
    return getattr(function, "__module__", None) or ""


def _names(code: CodeType) -> list[str]:
    """Return the global names and attributes used by a function and by functions defined inside it."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [*code.co_names, *(name for one in inner for name in _names(one))]


def _enclosed(function: Any) -> list[Any]:
    """Return the values of a function's closure variables."""
    found = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # the variable has no value yet
            found.append(cell.cell_contents)
    return found


@functools.lru_cache(maxsize=512)
def compiled(whose: str, name: str, function: Callable[..., Any], kind: Any) -> jit.Callback:
    """Return a function compiled for a numba signature; the code of the package's plug-ins is cached on disk."""
    ships = _module(function).startswith(SHIPPED)
    try:
        return jit.callback(kind, function, cache=ships)
    except numba.core.errors.NumbaError as error:
        raise ValueError(f"{whose}: {name} cannot be compiled: {jit.reason(error)}") from None
