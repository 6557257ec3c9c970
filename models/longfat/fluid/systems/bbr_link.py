"""Fluid model of BBR (version of 2016) at one link: bandwidth estimates, caps on data in flight, and probes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longfat.base import domains
from longfat.fluid.system import Quantity, System


def bbr(flows: int) -> System:
    r"""Build a fluid model of BBR flows (version of 2016) at one link, from bandwidth estimates and a queue.

    .. math:: x_i &= b_i \min\left(1, \frac{g R_i}{R_i + Q}\right), \qquad
        y_i = b_i \min\left(g_p, \frac{g R_i}{R_i + Q}\right) \\
        \dot b_i &= \frac{1}{8 R_i} \left[\frac{y_i}{\max(1, y_i + \sum_{j \ne i} x_j)}(t - R_i) - b_i\right], \qquad
        \dot Q = \sum_i x_i - 1

    Parameters
    ----------
    flows : int
        n [flows], in [1, 100].

    Returns
    -------
    System
        Variables ``bandwidth`` (flow) b, the estimate relative to the capacity [1], and ``queue`` Q [s], the
        transmission time of the backlog. Parameters: ``round_trip_time`` R [s] of each flow, without queueing;
        ``cwnd_gain`` g and ``probe_gain`` g_p [1]; ``buffer`` [s].

    Notes
    -----
    The model is ours, with the quantities of Scherrer et al.: once in 8 round trips a flow probes, and its estimate
    moves towards the delivery rate of the probe, which is the flow's share of the capacity on a full link; between
    probes the flows send at their estimates, limited by their caps. R is assumed to be known from ProbeRTT. In this
    model, two or more equal flows have a total rate of g_p n/(n - 1 + g_p) times the capacity in a shallow buffer, and
    a standing queue of (g - 1) R in a deep buffer; in a deep buffer the flow with the longest round-trip time takes the
    link. In a deep buffer every division of the link among equal flows is an equilibrium, and there the pacing rate
    equals the cap, a kink: the model cannot be linearised, and `integrate` shows the paths.

    Examples
    --------
    >>> from longfat.fluid import integrate
    >>> run = integrate(bbr(2), 60, {"bandwidth": [0.5, 0.2]}, step=0.01, every=100)
    >>> round(float(run.queue[-1]), 2), round(float(run.bandwidth[-1].sum()), 2)  # R = 0.1 s
    (0.1, 1.0)

    References
    ----------
    S. Scherrer, M. Legner, A. Perrig and S. Schmid, Model-Based Insights on the Performance, Fairness, and Stability of
    BBR, IMC 2022; N. Cardwell et al., BBR: Congestion-Based Congestion Control, ACM Queue 14(5), 2016.
    """
    n = domains.integer("flows", flows, "flows", "[1, 100]")

    def delivered(x: Any, p: Mapping[str, Any], xp: Any) -> Any:
        """Return, for each flow, the delivery rate [1] that it would measure if it alone probed."""
        cap = p["cwnd_gain"] * p["round_trip_time"] / (p["round_trip_time"] + x[n])
        sent, probe = x[:n] * xp.minimum(cap, 1.0), x[:n] * xp.minimum(cap, p["probe_gain"])
        return probe / xp.maximum(1.0, probe + xp.sum(sent) - sent)

    def rule(t: Any, x: Any, late: tuple[Any, ...], p: Mapping[str, Any], xp: Any) -> Any:
        samples = xp.stack([delivered(late[i], p, xp)[i] for i in range(n)])
        cap = p["cwnd_gain"] * p["round_trip_time"] / (p["round_trip_time"] + x[n])
        excess = xp.sum(x[:n] * xp.minimum(cap, 1.0)) - 1
        excess = xp.where(x[n] < p["buffer"], excess, xp.minimum(excess, 0.0))  # a full buffer drops the excess
        return xp.concatenate([(samples - x[:n]) / (8 * p["round_trip_time"]), excess[None]])

    return System(
        "BBR",
        "flow",
        rule,
        {
            "bandwidth": Quantity("1", "[1e-9, inf)", 0.5 / n, axis="flow", length=n),
            "queue": Quantity("s", "[0, inf)", 0.0),
        },
        {
            "round_trip_time": Quantity("s", "(0, inf)", 0.1, "round-trip time", axis="flow", length=n),
            "cwnd_gain": Quantity("1", "[1, inf)", 2.0, "window over the estimated bandwidth-delay product"),
            "probe_gain": Quantity("1", "[1, inf)", 1.25, "pacing gain of a probe"),
            "buffer": Quantity("s", "(0, inf]", float("inf"), "transmission time of a full buffer"),
        },
        delays=lambda x, p, xp: tuple(p["round_trip_time"][i] for i in range(n)),
        time="s",
        source="ours, after Scherrer, Legner, Perrig & Schmid, IMC 2022",
    ).shared(n)
