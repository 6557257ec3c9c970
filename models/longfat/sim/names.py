"""Names in use in a growing collection."""

from __future__ import annotations

from collections.abc import Iterable


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
