"""Knee of the delay curve, where network power is greatest, for one queue and a path with propagation delay.

A transfer of mean service time S waits as in M/G/1 and has the round-trip propagation time D: R = S (1 + delta + h
rho/(1 - rho)) with delta = D/S and h = (1 + C_b^2)/2. M/M/1 and processor sharing are h = 1, M/D/1 is h = 1/2. Proofs:
derivations/power.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.power.parameters import ALPHA, PROPAGATION
from longfat.laws.queues.parameters import LOAD, VARIATION
from longfat.laws.queues.unlimited import mg1_wait
from longfat.laws.references import KIM_FARBER, KLEINROCK_POWER, KLEINROCK_QUEUES


def odds(propagation: Any, variation: Any, alpha: Any, xp: Any) -> Any:
    """Return x = rho/(1 - rho) at the knee: the root of x^2 + (1 - alpha) x = alpha q^2, without cancellation."""
    squared = 2 * (1 + propagation) / (1 + variation)  # q^2, the odds squared for alpha = 1
    excess = alpha - 1
    root = xp.sqrt(excess * excess + 4 * alpha * squared)
    if hasattr(xp, "sympy"):
        return (excess + root) / 2
    above = excess >= 0
    sum_ = xp.where(above, excess, -excess) + root
    return xp.where(above, sum_ / 2, 2 * alpha * squared / sum_)


@law(
    source=(
        f"{KIM_FARBER}, section 4.1.4; the waiting time is the Pollaczek-Khinchine formula, {KLEINROCK_QUEUES}, "
        "section 5.6"
    ),
    unit="1",
    result="P S/C^alpha: 1 for a link that is full without queueing and without propagation delay",
    derivation="power.relative_power",
    simulated=SimulatedBy(
        "mg1_power",
        {"load": (0.05, 0.8), "variation": [0.0, 1.0], "alpha": 1.0, "propagation": (0.05, 10.0)},
        relative=0.05,
    ),
    load=LOAD.described("Throughput over capacity"),
    propagation=PROPAGATION,
    variation=VARIATION,
    alpha=ALPHA,
)
def relative_power(load: Any, propagation: Any = 0, variation: Any = 1, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Return the network power of an M/G/1 link with propagation delay as a function of the load.

    .. math::

        \frac{P S}{C^\alpha} = \frac{\rho^\alpha}{1 + \delta + W_q(\rho)}, \qquad
        W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}

    Notes
    -----
    Exact for Poisson arrivals, independent service times, no losses and an order of service that does not depend on
    service times; for processor sharing the response time is that of variation 1. It rises up to `knee_load` and
    falls beyond it, to 0.

    Examples
    --------
    >>> relative_power(0.5)  # M/M/1: rho (1 - rho)
    0.25
    """
    return xp.power(load, alpha) / (1 + propagation + mg1_wait.function(load, variation, xp=xp))


@law(
    source=f"{KLEINROCK_POWER}; the form with propagation and alpha together is ours",
    unit="1",
    result="rho*, between 0 and 1; q/(1 + q) for alpha = 1",
    derivation="power.knee",
    long_proof=True,
    not_simulated="the maximum of relative_power, which is simulated",
    propagation=PROPAGATION,
    variation=VARIATION,
    alpha=ALPHA,
)
def knee_load(propagation: Any = 0, variation: Any = 1, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Return the load at which the network power of an M/G/1 link with propagation delay is greatest.

    .. math::

        \rho^* = \frac{x}{1 + x}, \qquad
        x = \frac{\alpha - 1 + \sqrt{(\alpha - 1)^2 + 4 \alpha q^2}}{2}, \qquad
        q = \sqrt{\frac{2 (1 + \delta)}{1 + C_b^2}}

    Notes
    -----
    As exact as `relative_power`, which has no other maximum. Without propagation M/M/1 has its knee at alpha/(1 +
    alpha), that is 1/2 for alpha = 1, and M/D/1 at 2 - sqrt(2) = 0.586. m equal M/M/1 hops have the response time m
    S/(1 - rho) + D, so their knee is that of one hop with delta = D/(m S).

    Examples
    --------
    >>> knee_load(), round(knee_load(variation=0), 6), knee_load(propagation=3)
    (0.5, 0.585786, 0.666666666666)
    """
    x = odds(propagation, variation, alpha, xp)
    return x / (1 + x)


@law(
    source=f"{KLEINROCK_POWER}; the form with propagation and alpha together is ours",
    unit="transfers",
    result="N*, averaged over time: waiting, in service and in propagation",
    derivation="power.knee_number",
    long_proof=True,
    not_simulated="the maximum of relative_power, which is simulated",
    propagation=PROPAGATION,
    variation=VARIATION,
    alpha=ALPHA,
)
def knee_number(propagation: Any = 0, variation: Any = 1, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Return the mean number of transfers in progress at the load of greatest network power (Kleinrock's rules).

    .. math:: N^* = \frac{(1 + C_b^2) x^2}{2 \alpha}, \qquad x = \frac{\rho^*}{1 - \rho^*}

    Notes
    -----
    As exact as `relative_power`. For alpha = 1 it is 1 + delta whatever the service times: as many as fill the empty
    path when its link never idles and no transfer waits. Without propagation that is one transfer ("keep the pipe just
    full"), and alpha of them in M/M/1.

    Examples
    --------
    >>> knee_number(variation=0), knee_number(variation=7), knee_number(alpha=3)
    (1.0, 1.0, 3.0)
    """
    x = odds(propagation, variation, alpha, xp)
    return (1 + variation) * x * x / (2 * alpha)
