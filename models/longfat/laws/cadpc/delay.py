"""Delayed reports of the traffic: how deviations of the total multiply, and the largest stable smoothness factor.

A sender knows its own rate, but the reported traffic is that of d updates ago. Near the equilibrium the total's
deviation then satisfies z^(d + 1) = (1 - s) z^d - n s, with s = a/(1 + n); the delay does not affect differences
between flows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from longfat.base import domains

CONTRACTIONS = 40  # each step gains at least a factor of 3, and 3^-40 is below the rounding


def total_multipliers(flows: float, smoothing: float = 1, delay: int = 0) -> NDArray[np.complex128]:
    r"""Return the factors by which an update multiplies the total's deviation from equilibrium if reports are delayed.

    .. math:: z^{d + 1} = \left(1 - \frac{a}{1 + n}\right) z^d - \frac{a n}{1 + n}

    Parameters
    ----------
    flows : float
        n [flows], in (0, inf): a number of flows, or the sum of their weights.
    smoothing : float
        a [1], in (0, inf).
    delay : int
        d [updates], an integer in [0, 500]: age of the reported traffic.

    Returns
    -------
    ndarray
        The d + 1 multipliers [1], complex, the largest modulus first. The equilibrium is stable if all are inside the
        unit circle; deviations of the total then decay by the first of them per update.

    Notes
    -----
    First order in the deviations, for a sender that knows its own present rate and flows that update together. Computed
    as eigenvalues of a companion matrix, to about 1e-14 for simple roots. For d = 0 the multiplier is 1 - a; for d = 1
    and a = 1 there are two, of modulus sqrt(n/(1 + n)).

    Examples
    --------
    >>> abs(total_multipliers(1, 1, delay=1)).round(6).tolist()
    [0.707107, 0.707107]

    References
    ----------
    Ours, derivations/cadpc_delay.py; the update is equation (1) of M. Welzl, "Scalable Router Aided Congestion
    Avoidance for Bulk Data Transfer in High Speed Networks", University of Innsbruck.
    """
    n = domains.number("flows", flows, "flows", "(0, inf)")
    a = domains.number("smoothing", smoothing, "1", "(0, inf)")
    d = domains.integer("delay", delay, "updates", "[0, 500]")
    if d == 0:
        return np.array([1 - a], dtype=complex)
    polynomial = np.zeros(d + 2)
    polynomial[0], polynomial[1], polynomial[-1] = 1, -(1 + n - a) / (1 + n), a * (n / (1 + n))
    roots = np.roots(polynomial).astype(complex)
    return roots[np.argsort(-np.abs(roots), kind="stable")]


def largest_stable_smoothing(flows: Any, delay: Any = 0) -> Any:
    r"""Return the smoothness factor below which the equilibrium is stable although reports are delayed.

    .. math:: a < \frac{2 \sin\frac{\theta}{2} \sin\frac{(d + 1) \theta}{2}}{\cos\frac{d \theta}{2}}, \qquad
        n \cos\frac{(2 d + 1) \theta}{2} + \cos\frac{\theta}{2} = 0, \quad
        \frac{\pi}{2 d + 1} \le \theta \le \frac{\pi}{d + 1}

    Parameters
    ----------
    flows : float or array
        n [flows], in [1, inf]: a number of flows, or the sum of their weights.
    delay : int or array
        d [updates], an integer in [0, 1e6]: age of the reported traffic.

    Returns
    -------
    float or array
        The bound [1]: 2 for one flow or fresh reports, falling with n to 2 sin(pi/(2 (2 d + 1))).

    Notes
    -----
    Necessary and sufficient for small deviations: at the bound a pair of multipliers exp(+-i theta) leaves the unit
    circle, and above it stays outside. A sender knows its own present rate, and all flows update together. For d = 1 it
    is (1 + n)/n, for d = 2 it is 2 (1 + n)/(n + sqrt(5 n^2 - 4 n)).

    Examples
    --------
    >>> largest_stable_smoothing(4, delay=1)
    1.25
    >>> round(largest_stable_smoothing(float("inf"), delay=2), 6)
    0.618034

    References
    ----------
    Ours, derivations/cadpc_delay.py; the limit for many flows is that of S. Levin and R. May, A note on
    difference-delay equations, Theoretical Population Biology 9, 1976.
    """
    n = domains.numbers("flows", flows, "flows", "[1, inf]")
    d = domains.numbers("delay", delay, "updates", "[0, 1e6]", integer=True)
    n, d = np.broadcast_arrays(n, d)
    late = d > 0
    tilt = np.zeros(n.shape)  # theta/2 = (pi/2 + tilt)/(2 d + 1) and sin(tilt) = cos(theta/2)/n
    for _ in range(CONTRACTIONS):
        tilt = np.where(late, np.arcsin(np.cos((np.pi / 2 + tilt) / (2 * d + 1)) / n), 0.0)
    half = (np.pi / 2 + tilt) / (2 * d + 1)
    bound = 2 * np.sin(half) * np.sin((d + 1) * half) / np.cos(d * half)
    return bound if bound.ndim else float(bound)
