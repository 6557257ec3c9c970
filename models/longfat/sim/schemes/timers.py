"""Retransmission timers of TCP: their parameters, and the sets of them that programs have used (schemes.md 1.2)."""

from __future__ import annotations

from dataclasses import replace

from longfat.domains import unknown
from longfat.sim.own import flag
from longfat.sim.schemes.scheme import Parameter

#: What every TCP scheme takes. Defaults: profile "ns", which the comparisons of 2005 ran with.
PARAMETERS = {
    "first_rto": Parameter(3.0, "s", "(0, 1e6]", "rto", about="timeout until a round trip is known (RFC 6298, 2.1)"),
    "min_rto": Parameter(0.2, "s", "(0, 1e6]", "min_rto", about="least timeout (RFC 6298, 2.4)"),
    "max_rto": Parameter(60.0, "s", "(0, 1e6]", "max_rto", about="greatest timeout (RFC 6298, 2.5)"),
    "granularity": Parameter(0.01, "s", "[0, 1e6]", "granularity", about="clock: least deviation (RFC 6298, 2.3)"),
    "tick": Parameter(0.0, "s", "[0, 1e6]", "tick", about="all times in whole ticks, as in 4.3BSD; 0: exact"),
    "timestamps": flag(False, "1: every packet is timed, else one in a window (RFC 7323, 4)", "timestamps"),
}

PROFILES: dict[str, dict[str, float]] = {
    # ns-2.35 (ns-default.tcl): minrto_ 0.2, tcpTick_ 0.01, maxrto_ 60, timestamps_ false. Its clock of 10 ms is
    # taken as granularity; round trips are measured exactly here (ns rounds them to ticks, too).
    "ns": {},
    # RFC 6298, 2.1, 2.4, 2.5; its clock is left open there, 1 ms is that of most systems.
    "rfc": {"first_rto": 1.0, "min_rto": 1.0, "granularity": 0.001, "timestamps": 1.0},
    # 4.3BSD from memory: a clock of 500 ms, two ticks at least, 64 s at most, one packet timed at a time. Here
    # the ticks begin when the packet leaves; there they went on by themselves, so that one more or less went by.
    "bsd": {"min_rto": 1.0, "max_rto": 64.0, "granularity": 0.5, "tick": 0.5},
    # schemes.md 1.8 (a): the timer of per-packet time stamps; its floor is two clock readings.
    "fine": {"min_rto": 0.002, "granularity": 0.001, "timestamps": 1.0},
}


def profile(name: str) -> dict[str, float]:
    """Timer parameters of a TCP scheme, all of them: ``flow("tahoe", parameters={**profile("bsd"), ...})``.

    Parameters
    ----------
    name : {"ns", "rfc", "bsd", "fine"}
        Of ns-2, of RFC 6298, of BSD with its clock of 500 ms, or with a clock of 1 ms and no floor worth the name.

    Returns
    -------
    dict
        Values of ``first_rto``, ``min_rto``, ``max_rto``, ``granularity``, ``tick`` [s] and ``timestamps``.

    Raises
    ------
    ValueError
        For a name that is none of these.

    Examples
    --------
    >>> profile("bsd")["tick"]
    0.5
    """
    if name not in PROFILES:
        raise unknown("profile", name, PROFILES)
    return {**{key: float(one.default or 0.0) for key, one in PARAMETERS.items()}, **PROFILES[name]}


def parameters(name: str) -> dict[str, Parameter]:
    """`PARAMETERS` with the defaults of a profile, for schemes that are not of ns-2's time.

    >>> parameters("fine")["min_rto"].default
    0.002
    """
    values = profile(name)
    return {key: replace(one, default=values[key]) for key, one in PARAMETERS.items()}
