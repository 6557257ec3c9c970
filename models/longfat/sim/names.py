"""Refusing an unknown name with the nearest valid one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown(what: str, given: object, valid: Iterable[str]) -> ValueError:
    """The error for a name that is none, to be raised by the caller.

    >>> print(unknown("scheme", "renno", ["reno", "tahoe"]))
    scheme = 'renno' is unknown: did you mean 'reno'? Allowed are reno, tahoe
    """
    names = sorted(valid)
    near = difflib.get_close_matches(str(given), names, n=1, cutoff=0.0)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return ValueError(f"{what} = {given!r} is unknown: {hint}Allowed are {', '.join(names)}")
