"""Refuse an unknown name, with another one only if it is really near; know the names that are taken."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: Least similarity of a suggestion (difflib's ratio). Ours: one wrong, missing or additional letter in five passes it;
#: names of other things do not: "cubic" is at 0.55 from "decbit", "veno" (a TCP of its own) at 0.75 from "reno".
NEAR = 0.8
#: More names than that are listed by what stands before the dot, as "queues.*".
MANY = 50


def unknown(what: str, given: object, valid: Iterable[str]) -> ValueError:
    """Return the error for a name that is none of the valid ones, to be raised by the caller.

    Parameters
    ----------
    what : str
        What is named, such as "scheme".
    given : object
        The name that is unknown.
    valid : iterable of str
        The names that are known.

    Returns
    -------
    ValueError
        With the nearest name if there is one, and all names.

    Examples
    --------
    >>> print(unknown("scheme", "renno", ["reno", "tahoe"]))
    scheme 'renno' is unknown; did you mean 'reno'? Available: reno, tahoe
    >>> print(unknown("scheme", "cubic", ["reno", "tahoe"]))
    scheme 'cubic' is unknown; available: reno, tahoe
    """
    names = sorted(valid)
    near = nearest(str(given), names)
    hint = f"did you mean {near!r}? Available" if near else "available"
    if len(names) > MANY:
        names = list(dict.fromkeys(name.partition(".")[0] + ".*" if "." in name else name for name in names))
    return ValueError(f"{what} {given!r} is unknown; {hint}: {', '.join(names) or 'none'}")


def nearest(given: str, names: Iterable[str]) -> str | None:
    """Return the name, or the one with a last part, that is a slip of the finger away; None if there is none.

    The case of letters does not matter.

    >>> nearest("newReno", ["reno", "newreno"]), nearest("codel", ["decbit", "red"])
    ('newreno', None)
    >>> nearest("md1_wate", ["queues.md1_wait", "queues.mm1_wait"])
    'queues.md1_wait'
    """
    every = list(names)
    folded = {part.lower(): name for name in every for part in (name.rpartition(".")[2], name)}
    found = difflib.get_close_matches(given.lower(), folded, n=1, cutoff=NEAR)
    return folded[found[0]] if found else None


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
