"""Refuse an unknown name with the nearest valid one; know the names that are taken."""

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


class Taken:
    """The names of a growing collection, so that looking one up does not walk through all of it.

    Whoever changes the collection by another way makes `among` read it again, as long as its length changes.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._count = 0

    def among(self, count: int, groups: Iterable[Iterable[str]]) -> set[str]:
        """Return the names of a collection of so many members, each of which has a group of them."""
        if count != self._count:
            self._known, self._count = {name for group in groups for name in group}, count
        return self._known

    def add(self, group: Iterable[str]) -> None:
        """Take the names of one more member."""
        self._known.update(group)
        self._count += 1
