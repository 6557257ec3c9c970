"""Refusal of unknown names, with a suggestion only if one is really near, and the sets of names in use."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: Least similarity of a suggestion (difflib's ratio). Ours: one wrong, missing or additional letter in five passes it;
#: names of other things do not: "cubic" is at 0.55 from "decbit", "veno" (a TCP of its own) at 0.75 from "reno".
NEAR = 0.8
#: If there are more names, they are listed by the part before the dot, as "queues.*".
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
    """Set of the names of a growing collection, so that looking up a name does not visit all of it.

    If the collection is changed in another way, `among` reads it again, provided that its length has changed.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._count = 0

    def among(self, count: int, groups: Iterable[Iterable[str]]) -> set[str]:
        """Return the names of a collection of `count` elements, each of which has a group of names."""
        if count != self._count:
            self._known, self._count = {name for group in groups for name in group}, count
        return self._known

    def add(self, group: Iterable[str]) -> None:
        """Add the names of one more element."""
        self._known.update(group)
        self._count += 1
