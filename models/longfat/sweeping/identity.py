"""Which function it was: so that a store does not mix the results of one with those of another."""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import sys
import types
from collections.abc import Callable
from typing import Any


def name(function: Callable[..., Any]) -> str:
    """Module and qualified name; for a partial function, what it was given as well.

    >>> name(functools.partial(re.sub, "a"))
    "partial(re.sub, 'a')"
    """
    if isinstance(function, functools.partial):
        given = [_said(value) for value in function.args]
        given += [f"{key}={_said(value)}" for key, value in function.keywords.items()]
        return f"partial({', '.join([name(function.func), *given])})"
    qualified = getattr(function, "__qualname__", None)
    return _said(function) if qualified is None else f"{function.__module__}.{qualified}"


def code(function: Callable[..., Any]) -> list[str] | None:
    """What the function does, as a kind of interpreter and a digest of its own instructions; None if there are none.

    Functions that it calls and global variables are not looked at. Comments and its docstring do not count.
    """
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(getattr(function, "py_func", function))  # numba keeps the original there
    found = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    if found is None:
        return None
    cells = [cell.cell_contents for cell in getattr(function, "__closure__", None) or () if _filled(cell)]
    defaults = (getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None))
    # Of what came from outside, only what a text tells apart reliably.
    outside = [
        repr(value) for value in (*cells, *(defaults[0] or ()), *(defaults[1] or {}).values()) if _is_plain(value)
    ]
    text = repr((_instructions(found, function.__doc__), outside))
    return [str(sys.implementation.cache_tag), hashlib.sha256(text.encode()).hexdigest()[:16]]


def _said(value: Any) -> str:
    if callable(value) and hasattr(value, "__qualname__"):
        return name(value)
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))  # an address says nothing in the next process


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | complex | str | bytes)


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:  # a function that refers to itself before it has a name
        return False
    return True


def _instructions(found: types.CodeType, doc: str | None = None) -> tuple[Any, ...]:
    constants: list[Any] = []
    for constant in found.co_consts:
        if isinstance(constant, types.CodeType):
            constants.append(_instructions(constant))
        elif isinstance(constant, frozenset):  # its order differs from process to process
            constants.append(sorted(map(repr, constant)))
        else:
            constants.append("" if doc is not None and constant == doc else repr(constant))
    return found.co_code, found.co_names, found.co_varnames, constants
