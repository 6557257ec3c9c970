"""Names in use in a growing collection."""

from __future__ import annotations

from collections.abc import Iterable


class Taken:
    """Set of the names in a growing collection, so that a look-up does not visit every element.

    If the collection is changed in another way, `among` reads it again, provided that its length has changed.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._count = 0

    def among(self, count: int, groups: Iterable[Iterable[str]]) -> set[str]:
        """Return the names in a collection of `count` elements, each with a group of names."""
        if count != self._count:
            self._known, self._count = {name for group in groups for name in group}, count
        return self._known

    def add(self, group: Iterable[str]) -> None:
        """Add the names of one more element."""
        self._known.update(group)
        self._count += 1
