"""Identity of a function, so that a store does not mix the results of different functions."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from longfat.replication.digests import Unknowable, digests

__all__ = ["Unknowable", "name", "of"]


def name(function: Callable[..., Any]) -> str:
    """Return the module and qualified name; for a partial function also its arguments.

    >>> name(functools.partial(sorted, "a"))
    "partial(builtins.sorted, 'a')"
    """
    if isinstance(function, functools.partial):
        arguments = [_described(value) for value in function.args]
        arguments += [f"{key}={_described(value)}" for key, value in function.keywords.items()]
        return f"partial({', '.join([name(function.func), *arguments])})"
    qualified = getattr(function, "__qualname__", None)
    module = getattr(function, "__module__", None)
    return _described(function) if qualified is None else f"{module}.{qualified}" if module else qualified


def of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the identity of a function as values for JSON.

    ``function`` is its name, ``code`` the kind of interpreter and a digest of the instructions of the function and of
    all that it refers to outside of installed packages, ``state`` a digest of each value that it carries or refers to.

    Raises
    ------
    Unknowable
        If it holds something that another process could not recognise, such as an open file.
    """
    code, parts = digests(function)
    return {"function": name(function), "code": [str(sys.implementation.cache_tag), code], "state": parts}


def _described(value: Any) -> str:
    """Return an argument as text that is the same in every process; the state has its digest."""
    kind = type(value)
    if callable(value) and hasattr(value, "__qualname__"):
        return name(value)
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if kind in (list, tuple):
        listed = ", ".join(map(_described, value))
        return f"[{listed}]" if kind is list else f"({listed}{',' * (len(value) == 1)})"
    if kind is dict:
        return f"{{{', '.join(f'{_described(key)}: {_described(item)}' for key, item in value.items())}}}"
    return f"<{kind.__module__}.{kind.__qualname__}>"  # `repr` may contain an address, or a set in any order
