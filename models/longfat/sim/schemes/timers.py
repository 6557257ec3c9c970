"""Retransmission timers of TCP (RFC 6298): their parameters, and the profiles of some implementations."""

from __future__ import annotations

from dataclasses import replace

from longfat.base.domains import unknown
from longfat.sim.plugin.parameters import flag
from longfat.sim.schemes.scheme import Parameter

#: Parameters of every TCP scheme. The defaults are the profile "ns", as in the comparisons of Welzl (2005), section
#: III.
PARAMETERS = {
    "first_rto": Parameter(
        3.0, "s", "(0, 1e6]", "rto", about="Timeout before the first round-trip time sample (RFC 6298, rule 2.1)"
    ),
    "min_rto": Parameter(
        0.2, "s", "(0, 1e6]", "min_rto", about="Lower bound of the retransmission timeout (RFC 6298, rule 2.4)"
    ),
    "max_rto": Parameter(
        60.0, "s", "(0, 1e6]", "max_rto", about="Upper bound of the retransmission timeout (RFC 6298, rule 2.5)"
    ),
    "granularity": Parameter(
        0.01, "s", "[0, 1e6]", "granularity", about="Clock granularity G, in max(G, 4 RTTVAR) (RFC 6298, rule 2.3)"
    ),
    "tick": Parameter(
        0.0, "s", "[0, 1e6]", "tick", about="Clock tick to which all timer values are rounded, as in 4.3BSD; 0: exact"
    ),
    "timestamps": flag(
        False, "1: every packet is timed (RFC 7323, section 4); 0: one packet per round trip", "timestamps"
    ),
}

PROFILES: dict[str, dict[str, float]] = {
    # ns-2.35, ns-default.tcl: minrto_ 0.2, tcpTick_ 0.01, maxrto_ 60, timestamps_ false. The clock of ns-2, 10 ms, is
    # the granularity here; round trips are measured exactly, while ns-2 rounds them to ticks.
    "ns": {},
    # RFC 6298, rules 2.1, 2.4 and 2.5. Our choice, because the RFC does not define the clock: 1 ms.
    "rfc": {"first_rto": 1.0, "min_rto": 1.0, "granularity": 0.001, "timestamps": 1.0},
    # Linux, include/net/tcp.h: TCP_TIMEOUT_INIT, TCP_RTO_MIN and TCP_RTO_MAX are 1, 1/5 and 120 s. Linux,
    # net/ipv4/tcp_input.c, tcp_rtt_estimator() and tcp_set_rto(): the lower bound of 200 ms applies to the term 4
    # rttvar, as `granularity` does here. Linux's second filter of the variation, which falls more slowly, is left out.
    "linux": {"first_rto": 1.0, "max_rto": 120.0, "granularity": 0.2, "timestamps": 1.0},
    # 4.4BSD-Lite, netinet/tcp_timer.h (TCPTV_MIN, TCPTV_REXMTMAX, PR_SLOWHZ): the clock ticks every 500 ms, the timeout
    # is at least two ticks and at most 64 s, and one packet at a time is timed. We assume the same values for
    # 4.3BSD-Tahoe. Our choice, because a free-running clock has a random phase: ticks count from the departure of the
    # timed packet.
    "bsd": {"min_rto": 1.0, "max_rto": 64.0, "granularity": 0.5, "tick": 0.5},
    # Our choice, because Kim and Farber (1994), section 4, time every packet but give no clock: a tick is 1 ms, and the
    # timeout is at least two ticks.
    "fine": {"min_rto": 0.002, "granularity": 0.001, "timestamps": 1.0},
}


def profile(name: str) -> dict[str, float]:
    """Return all timer parameters of a profile: ``flow("tahoe", parameters={**profile("bsd"), ...})``.

    Parameters
    ----------
    name : {"ns", "rfc", "linux", "bsd", "fine"}
        Timer of ns-2.35, of RFC 6298, of Linux, of 4.3BSD with its clock of 500 ms, or a timer with a clock of 1 ms and
        a lower bound of 2 ms.

    Returns
    -------
    dict
        Values of ``first_rto``, ``min_rto``, ``max_rto``, ``granularity``, ``tick`` [s] and ``timestamps``.

    Examples
    --------
    >>> profile("bsd")["tick"]
    0.5
    """
    if name not in PROFILES:
        raise unknown("profile", name, PROFILES)
    return {**{key: float(one.default or 0.0) for key, one in PARAMETERS.items()}, **PROFILES[name]}


def parameters(name: str) -> dict[str, Parameter]:
    """Return `PARAMETERS` with the values of a profile as defaults, for schemes that were not defined in ns-2.

    >>> parameters("fine")["min_rto"].default
    0.002
    """
    values = profile(name)
    return {key: replace(one, default=values[key]) for key, one in PARAMETERS.items()}
