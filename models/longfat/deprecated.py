"""Old names that still work for one release, each with a DeprecationWarning.

Remove a name, and its test in ``tests/test_deprecated.py``, in the release after the one that renamed it.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def message(old: str, new: str) -> str:
    """Return the text of the warning.

    >>> message("--product", "--bdp")
    '--product is deprecated and will be removed in the next release: use --bdp'
    """
    return f"{old} is deprecated and will be removed in the next release: use {new}"


def attributes(module: str, **renamed: str) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a module whose public names were renamed: old name = new name."""

    def find(name: str) -> Any:
        if name not in renamed:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(message(f"{module}.{name}", f"{module}.{renamed[name]}"), DeprecationWarning, stacklevel=2)
        return getattr(importlib.import_module(module), renamed[name])

    return find


def parameters(**renamed: str) -> Callable[[Function], Function]:
    """Return a decorator of a function whose keyword parameters were renamed: old name = new name."""

    def decorated(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for old, new in renamed.items():
                if old in kwargs:
                    if new in kwargs:
                        raise TypeError(f"{function.__name__}() got both {new} and its old name {old}")
                    warnings.warn(message(f"parameter {old}", new), DeprecationWarning, stacklevel=2)
                    kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorated


def refused(**sentences: str) -> Callable[[Function], Function]:
    """Return a decorator of a function that has lost keyword parameters: name = what to use instead."""

    def decorated(function: Function) -> Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for name, sentence in sentences.items():
                if name in kwargs:
                    raise TypeError(f"{function.__name__}() no longer has the parameter {name}: {sentence}")
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorated
