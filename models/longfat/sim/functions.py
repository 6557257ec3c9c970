"""Functions of plug-ins: looked at when a plug-in is made, compiled when a run begins."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numba

from longfat import domains
from longfat.sim import jit

SHIPPED = tuple(f"longfat.sim.{folder}." for folder in ("schemes", "queues", "services"))


def check(whose: str, name: str, function: Any, takes: str) -> None:
    """Raise a ValueError for what is no function of these arguments, such as "(flow, event)"."""
    if not callable(function):
        raise domains.wrong_type(f"{whose}: {name}", function, f"a function of {takes}")
    try:
        inspect.signature(getattr(function, "py_func", function)).bind(*takes.split(","))
    except TypeError:
        shown = inspect.signature(function)
        raise TypeError(f"{whose}: {name} must take {takes}, got {name}{shown}") from None
    except ValueError:
        pass  # a built-in without a signature


def check_names(whose: str, name: str, function: Any) -> None:
    """Raise a ValueError for a function of somebody's, or one that it calls, that reaches behind the views.

    The rows of the core stand there: what is written to them is not looked at.
    """
    plain = getattr(function, "py_func", function)
    if (getattr(plain, "__module__", None) or "").startswith("longfat.") or not hasattr(plain, "__code__"):
        return
    for used in plain.__code__.co_names:
        if used.startswith("_") and used[1:] in ROWS:
            raise ValueError(f"{whose}: {name} uses {used!r}, a row of the simulator's own that only it may touch")
        called = plain.__globals__.get(used)
        if hasattr(called, "py_func"):
            check_names(whose, name, called)


#: Of the views: see `longfat.sim.seam`.
ROWS = ("state", "sender", "timer", "recovery", "own", "event", "link", "service", "packet", "header", "since", "queue")


@functools.lru_cache(maxsize=512)
def compiled(whose: str, name: str, function: Callable[..., Any], kind: Any) -> jit.Callback:
    """Return a function compiled for numba's signature; of those that ship the code is kept on disk."""
    check_names(whose, name, function)
    ships = (getattr(function, "__module__", None) or "").startswith(SHIPPED)
    try:
        return jit.callback(kind, function, cache=ships)
    except numba.core.errors.NumbaError as error:
        raise ValueError(f"{whose}: {name} cannot be compiled: {jit.reason(error)}") from None
