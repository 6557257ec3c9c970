"""CUBIC flows at a RED queue; the state of a flow is the window before the last loss and the time since then."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from longfat.fluid.system import Parameter, System, Variable


@functools.cache
def cubic() -> System:
    r"""Build a fluid model of N equal CUBIC flows at a queue whose drop probability grows with the backlog.

    .. math:: W = c (s - K)^3 + M, \quad K = \sqrt[3]{\frac{M (1 - \beta)}{c}}, \qquad
        \lambda = \frac{W(t - R)}{R(t - R)} p(q(t - R)), \quad R = T + \frac{q}{C}

    .. math:: \dot M = -(M - W) \lambda, \qquad \dot s = 1 - s \lambda, \qquad \dot q = \frac{N W}{R} - C

    Returns
    -------
    System
        Variables ``before_loss`` M [packets], the window before the last loss, ``since_loss`` s [s], the time since it,
        and ``queue`` q [packets]. Parameters: ``flows`` N [flows], ``capacity`` C [packets/s], ``propagation`` T [s],
        ``low`` and ``high`` thresholds [packets], ``largest_loss`` at the high threshold [probability], ``c``
        [packets/s^3], ``decrease`` beta [1] in (0, 1).

    Notes
    -----
    A loss sets M to W and s to 0; the equations are the mean of these jumps for losses at the rate lambda. In
    equilibrium W = M and s = K = R/(W p), which gives the window (c R^3/((1 - beta) p^3))^(1/4), 1.02 times the average
    window of RFC 9438 at the same loss. There the derivative of W by s is 0, so one characteristic root is 0 and
    `stability` cannot decide. The other roots have negative real parts for every delay, and deviations decay as
    1/sqrt(t), which `integrate` shows; the paper proves local stability. For the same reason `equilibrium` finds M and
    q to five digits only. The model of the queue is ours: it is that of `longfat.fluid.tcp_red` without averaging. The
    Reno-friendly region and fast convergence are left out.

    Examples
    --------
    >>> from longfat.fluid import equilibrium
    >>> found = equilibrium(cubic(), {"before_loss": 14, "since_loss": 2.2, "queue": 57})
    >>> f"{found.before_loss.item():.2f} {found.since_loss.item():.2f} {found['queue'].item():.2f}"
    '13.46 2.16 57.40'

    References
    ----------
    G. Vardoyan, C. V. Hollot and D. Towsley, Towards stability analysis of data transport mechanisms: a fluid model and
    an application, INFOCOM 2018; L. Xu et al., CUBIC, RFC 9438, 2023, section 4.2.
    """

    def trip(q: Any, p: Mapping[str, Any]) -> Any:
        return p["propagation"] + q / p["capacity"]

    def window(x: Any, p: Mapping[str, Any], xp: Any) -> Any:
        rise = x[1] - (x[0] * (1 - p["decrease"]) / p["c"]) ** (1 / 3)
        return xp.maximum(p["c"] * rise**3 + x[0], 0.0)

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        then, now = late[0], window(x, p, xp)
        loss = xp.clip((then[2] - p["low"]) / (p["high"] - p["low"]) * p["largest_loss"], 0.0, 1.0)
        losses = window(then, p, xp) / trip(then[2], p) * loss
        filling = p["flows"] * now / trip(x[2], p) - p["capacity"]
        return xp.stack([-(x[0] - now) * losses, 1 - x[1] * losses, filling])

    return System(
        "CUBIC with RED",
        "flow",
        rule,
        {
            "before_loss": Variable("packets", 10.0, low=1e-3),
            "since_loss": Variable("s", 0.0, low=0.0),
            "queue": Variable("packets", 0.0, low=0.0),
        },
        {
            "flows": Parameter("flows", "(0, inf)", 60.0, "number of flows"),
            "capacity": Parameter("packets/s", "(0, inf)", 3750.0, "capacity"),
            "propagation": Parameter("s", "(0, inf)", 0.2, "round-trip time without a queue"),
            "low": Parameter("packets", "[0, inf)", 50.0, "low threshold"),
            "high": Parameter("packets", "(0, inf)", 150.0, "high threshold"),
            "largest_loss": Parameter("probability", "(0, 1]", 0.1, "loss at the high threshold"),
            "c": Parameter("packets/s^3", "(0, inf)", 0.4, "constant of the growth"),
            "decrease": Parameter("1", "(0, 1)", 0.7, "factor at a loss"),
        },
        delays=lambda x, p, xp: (trip(x[2], p),),
        time="s",
        source="Vardoyan, Hollot & Towsley, INFOCOM 2018",
    )
