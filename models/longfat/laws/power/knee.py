"""Where power is greatest: the knee of the delay curve, for one queue and a path with propagation delay.

A transfer of mean service time S waits as in M/G/1 and travels for D: R = S (1 + delta + h rho/(1 - rho)) with
delta = D/S and h = (1 + C_b^2)/2. M/M/1 and processor sharing are h = 1, M/D/1 is h = 1/2. Proofs:
derivations/power.py.
"""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.power.parameters import ALPHA, KIM_FARBER, KLEINROCK, PROPAGATION
from longfat.laws.queues.parameters import LOAD, VARIATION
from longfat.laws.queues.unlimited import mg1_wait


def odds(propagation: Any, variation: Any, alpha: Any, xp: Any) -> Any:
    """X = rho/(1 - rho) at the knee: the positive root of x^2 + (1 - alpha) x = alpha q^2, without cancellation."""
    squared = 2 * (1 + propagation) / (1 + variation)  # q^2, the odds squared for alpha = 1
    excess = alpha - 1
    root = xp.sqrt(excess * excess + 4 * alpha * squared)
    if hasattr(xp, "sympy"):
        return (excess + root) / 2
    above = excess >= 0
    sum_ = xp.where(above, excess, -excess) + root
    return xp.where(above, sum_ / 2, 2 * alpha * squared / sum_)


@law(
    source=f"{KIM_FARBER}, section 4.1.4; the wait is Pollaczek and Khinchine's",
    unit="1",
    derivation="power.relative_power",
    load=LOAD,
    propagation=PROPAGATION,
    variation=VARIATION,
    alpha=ALPHA,
)
def relative_power(load: Any, propagation: Any = 0, variation: Any = 1, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Network power of an M/G/1 link with propagation delay, as a function of the load.

    .. math::

        \frac{P S}{C^\alpha} = \frac{\rho^\alpha}{1 + \delta + W_q(\rho)}, \qquad
        W_q = \frac{\rho (1 + C_b^2)}{2 (1 - \rho)}

    Parameters
    ----------
    load : float or array
        rho [1], in [0, 1): throughput over capacity.
    propagation : float or array
        delta = D/S [1], in [0, inf): propagation round trip over mean service time.
    variation : float or array
        C_b^2 [1], in [0, inf): of the service times, variance over squared mean; 1 under processor sharing,
        whatever the service times.
    alpha : float or array
        alpha [1], in (0, inf).

    Returns
    -------
    float or array
        P S/C^alpha [1], which is 1 for a link that is full while nobody waits and nothing travels.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for Poisson arrivals, independent service times, no losses and an order of service that does not look at
    service times; for processor sharing the response time is that of h = 1. It rises up to `knee_load` and falls
    from there on to 0.

    Examples
    --------
    >>> relative_power(0.5)  # M/M/1: rho (1 - rho)
    0.25

    References
    ----------
    Kim and Farber, section 4.1.4; Kleinrock, Queueing Systems, vol. 1 (1975), section 5.6 (the wait).
    """
    return xp.power(load, alpha) / (1 + propagation + mg1_wait.function(load, variation, xp=xp))


@law(
    source=f"{KLEINROCK}; with propagation and alpha together: ours",
    unit="1",
    derivation="power.knee",
    propagation=PROPAGATION,
    variation=VARIATION,
    alpha=ALPHA,
)
def knee_load(propagation: Any = 0, variation: Any = 1, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Load at which the power of an M/G/1 link with propagation delay is greatest.

    .. math::

        \rho^* = \frac{x}{1 + x}, \qquad
        x = \frac{\alpha - 1 + \sqrt{(\alpha - 1)^2 + 4 \alpha q^2}}{2}, \qquad
        q = \sqrt{\frac{2 (1 + \delta)}{1 + C_b^2}}

    Parameters
    ----------
    propagation : float or array
        delta = D/S [1], in [0, inf): propagation round trip over mean service time.
    variation : float or array
        C_b^2 [1], in [0, inf): of the service times; 1 under processor sharing, whatever the service times.
    alpha : float or array
        alpha [1], in (0, inf).

    Returns
    -------
    float or array
        rho* [1], between 0 and 1; q/(1 + q) for alpha = 1.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact as `relative_power` is; power has no other maximum. Without propagation M/M/1 has its knee at
    alpha/(1 + alpha), that is 1/2 for alpha = 1, and M/D/1 at 2 - sqrt(2) = 0.586. m equal M/M/1 hops have the
    response time m S/(1 - rho) + D, so their knee is that of one hop with delta = D/(m S).

    Examples
    --------
    >>> knee_load(), round(knee_load(variation=0), 6), knee_load(propagation=3)
    (0.5, 0.585786, 0.666666666666)

    References
    ----------
    L. Kleinrock, Power and deterministic rules of thumb for probabilistic problems in computer communications,
    ICC 1979; the form with alpha and propagation is derived in derivations/power.py.
    """
    x = odds(propagation, variation, alpha, xp)
    return x / (1 + x)


@law(
    source=f"{KLEINROCK}; with propagation and alpha together: ours",
    unit="transfers",
    derivation="power.knee_number",
    propagation=PROPAGATION,
    variation=VARIATION,
    alpha=ALPHA,
)
def knee_number(propagation: Any = 0, variation: Any = 1, alpha: Any = 1, *, xp: Any) -> Any:
    r"""Mean number of transfers under way where power is greatest: Kleinrock's rules.

    .. math:: N^* = \frac{(1 + C_b^2) x^2}{2 \alpha}, \qquad x = \frac{\rho^*}{1 - \rho^*}

    Parameters
    ----------
    propagation : float or array
        delta = D/S [1], in [0, inf): propagation round trip over mean service time.
    variation : float or array
        C_b^2 [1], in [0, inf): of the service times; 1 under processor sharing, whatever the service times.
    alpha : float or array
        alpha [1], in (0, inf).

    Returns
    -------
    float or array
        N* [transfers], averaged over time: waiting, in service and on the way.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact as `relative_power` is. For alpha = 1 it is 1 + delta whatever the service times: as many as the empty path
    holds when its link never idles and nobody waits. Without propagation that is one transfer ("keep the pipe just
    full"), and alpha of them in M/M/1.

    Examples
    --------
    >>> knee_number(variation=0), knee_number(variation=7), knee_number(alpha=3)
    (1.0, 1.0, 3.0)

    References
    ----------
    L. Kleinrock, Power and deterministic rules of thumb for probabilistic problems in computer communications,
    ICC 1979.
    """
    x = odds(propagation, variation, alpha, xp)
    return (1 + variation) * x * x / (2 * alpha)
