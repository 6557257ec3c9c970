"""Congestion-control schemes, one file each, and the form in which anyone adds another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longfat.domains import number
from longfat.sim.names import unknown
from longfat.sim.schemes.reno import RENO
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.timers import profile

_NAMED = {one.name: one for one in (RENO,)}

__all__ = ["Parameter", "Scheme", "check_parameters", "names", "profile", "scheme"]


def names() -> tuple[str, ...]:
    """The names that a scenario file may use.

    >>> "reno" in names()
    True
    """
    return tuple(sorted(_NAMED))


def scheme(given: str | Scheme) -> Scheme:
    """A scheme by its name, or itself.

    >>> scheme("reno").name
    'reno'
    """
    if isinstance(given, Scheme):
        return given
    if given not in _NAMED:
        raise unknown("scheme", given, _NAMED)
    return _NAMED[given]


def check_parameters(chosen: Scheme | None, given: Mapping[str, Any]) -> dict[str, float]:
    """The parameters given for a scheme, each inside its domain; unknown ones are refused."""
    allowed = chosen.parameters if chosen is not None else {}
    for name in given:
        if name not in allowed:
            raise unknown("parameter", name, allowed)
    return {
        name: number(name, value, allowed[name].unit, allowed[name].allowed)  # type: ignore[union-attr]
        for name, value in given.items()
    }
