"""Schemes whose congestion window has an upper bound, as a socket buffer limits the window of a host."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from longfat.base.domains import conflict
from longfat.sim.kernel.jit import part
from longfat.sim.plugin.parameters import Parameter
from longfat.sim.schemes import Scheme

LIMIT = "window_limit"
_made: dict[int, tuple[Scheme, Scheme]] = {}  # (scheme, bounded scheme) by identity, so that each is compiled once


def limited(scheme: Scheme) -> Scheme:
    """Return the scheme with the parameter ``window_limit``, an upper bound of its window [packets].

    In Linux a socket buffer has this effect, because the window only grows while it is used up (tcp_is_cwnd_limited).
    Here the limit bounds the amount in flight; packets that a receiver stores after a lost packet are neglected.

    >>> from longfat.sim.schemes import scheme
    >>> limited(scheme("reno")).parameters["window_limit"].unit
    'packets'
    """
    if id(scheme) in _made:
        return _made[id(scheme)][1]
    if scheme.controls != "window":
        raise conflict(f"scheme {scheme.name!r}", "has no window", "it sets a rate")
    # Bound only these callbacks: the callbacks for losses and timeouts only reduce the window.
    callbacks = {name: getattr(scheme, name) for name in ("start", "ack", "alarm")}
    bounded: dict[str, Any] = {name: _bounded(part(one)) for name, one in callbacks.items() if one is not None}
    about = Parameter(math.inf, "packets", "[1, inf]", about="Upper bound of the congestion window")
    made = replace(scheme, parameters={**scheme.parameters, LIMIT: about}, **({"start": _start} | bounded))
    _made[id(scheme)] = (scheme, made)  # keeps the scheme, so that no other one gets its identity
    return made


def _start(flow: Any, event: Any) -> float:
    """Return the initial window [packets], at most ``window_limit``."""
    return min(flow.window, flow.window_limit)  # type: ignore[no-any-return]


def _bounded(inner: Callable[[Any, Any], float]) -> Callable[[Any, Any], float]:
    """Return a callback that returns the window of the callback ``inner``, but at most ``window_limit``."""

    def bounded(flow: Any, event: Any) -> float:
        return min(inner(flow, event), flow.window_limit)  # type: ignore[no-any-return]

    return bounded
