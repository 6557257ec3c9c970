"""Which function it was: so that a store does not mix the results of one with those of another."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from longfat.sweeping.state import Unknowable, digests

__all__ = ["Unknowable", "name", "of"]


def name(function: Callable[..., Any]) -> str:
    """Return module and qualified name; for a partial function, what it was given as well.

    >>> name(functools.partial(sorted, "a"))
    "partial(builtins.sorted, 'a')"
    """
    if isinstance(function, functools.partial):
        given = [_said(value) for value in function.args]
        given += [f"{key}={_said(value)}" for key, value in function.keywords.items()]
        return f"partial({', '.join([name(function.func), *given])})"
    qualified = getattr(function, "__qualname__", None)
    module = getattr(function, "__module__", None)
    return _said(function) if qualified is None else f"{module}.{qualified}" if module else qualified


def of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return what tells a function from all others, for JSON.

    ``function`` is its name, ``code`` the kind of interpreter and a digest of the instructions of the function and of
    all that it refers to outside of installed packages, ``state`` a digest of each value that it carries or refers to.

    Raises
    ------
    Unknowable
        If it holds something that another process could not recognise, such as an open file.
    """
    code, parts = digests(function)
    return {"function": name(function), "code": [str(sys.implementation.cache_tag), code], "state": parts}


def _said(value: Any) -> str:
    """Return an argument in words that are the same in every process; its digest is in the state."""
    kind = type(value)
    if callable(value) and hasattr(value, "__qualname__"):
        return name(value)
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if kind in (list, tuple):
        listed = ", ".join(map(_said, value))
        return f"[{listed}]" if kind is list else f"({listed}{',' * (len(value) == 1)})"
    if kind is dict:
        return f"{{{', '.join(f'{_said(key)}: {_said(held)}' for key, held in value.items())}}}"
    return f"<{kind.__module__}.{kind.__qualname__}>"  # what `repr` says may be an address, or a set in any order
