"""Congestion-control schemes, one module each.

To add a scheme, define an object of `Scheme` in a module of this package: the simulator, the command line and the tests
find it by its name, and nothing else has to be changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longfat.base.domains import choice, conflict, unknown, wrong_type
from longfat.sim.plugin.plug_in import Registry
from longfat.sim.schemes.deployed import DEPLOYED, LINUX, LINUX_CUBIC
from longfat.sim.schemes.scheme import Parameter, Scheme
from longfat.sim.schemes.timers import profile

__all__ = ["DEPLOYED", "Parameter", "Scheme", "check_parameters", "linux", "names", "profile", "scheme"]


#: All schemes by their names.
NAMED: Registry[Scheme] = Registry(__name__, Scheme)


def names() -> tuple[str, ...]:
    """Return the names that a flow or a scenario file may give as its scheme.

    >>> "reno" in names()
    True
    """
    return tuple(NAMED)


def scheme(given: str | Scheme) -> Scheme:
    """Return the scheme with a given name; a `Scheme` is returned unchanged.

    >>> scheme("reno").name
    'reno'
    """
    return NAMED.find(given)


def linux(given: str | Scheme) -> dict[str, float]:
    """Return the parameter values that bring a scheme nearest to Linux's defaults; `docs/linux.md` compares both.

    Parameters
    ----------
    given : str or Scheme
        A scheme or its name: "sack" is Linux's Reno, "bbr1" its BBR.

    Returns
    -------
    dict
        Values from `LINUX`, and for CUBIC also from `LINUX_CUBIC`, for those parameters that the scheme has.

    Examples
    --------
    >>> linux("bbr1")["max_rto"], linux("cubic")["full_reno"]
    (120.0, 0.0)
    """
    known = scheme(given).parameters
    values = LINUX | (LINUX_CUBIC if "clock_tick" in known else {})
    return {name: value for name, value in values.items() if name in known}


def check_parameters(chosen: Scheme | None, given: Mapping[str, Any] | str | None) -> dict[str, float]:
    """Return the values of all parameters of a scheme: the values given for a flow, and defaults for the others.

    `given` maps names to values; "linux" stands for the values that `linux` returns, None for no values. An unknown
    parameter raises an error; a missing parameter without a default does, too.
    """
    if isinstance(given, str):
        choice("parameters", given, ("linux",))
        if chosen is None:
            raise conflict('parameters = "linux"', "needs a congestion-control scheme")
        given = linux(chosen)
    if not isinstance(given, Mapping | None):
        raise wrong_type("parameters", given, 'a mapping of names to values, or "linux"')
    given = given or {}
    allowed = chosen.parameters if chosen is not None else {}
    for name in given:
        if name not in allowed:
            raise unknown("parameter", name, allowed)
    if chosen is None:
        return {}
    values = chosen.checked({**chosen.values, **given})
    chosen.require_values(values)
    return values
