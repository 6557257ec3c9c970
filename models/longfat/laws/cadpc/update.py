"""What a sender does when a report of the traffic arrives."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.cadpc.parameters import PAPER, RATE, SMOOTHING, TRAFFIC, WEIGHT


@law(
    source=f"{PAPER}, equation (1); smoothness factor in table I",
    unit="1",
    derivation="cadpc.equilibria",
    rate=RATE,
    traffic=TRAFFIC,
    smoothing=SMOOTHING,
)
def step(rate: Any, traffic: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Rate of a sender after one update.

    .. math:: x(t + 1) = x(t) (1 + a (1 - x(t) - L(t)))

    Parameters
    ----------
    rate : float or array
        x [1], in (0, inf): the sender's rate over the capacity of the link that reports.
    traffic : float or array
        L [1], in [0, inf): the link's total traffic over its capacity, the sender's own included.
    smoothing : float or array
        a [1], in (0, 3]: 1 is the paper's equation (1), 0.5 what its simulations use.

    Returns
    -------
    float or array
        x(t + 1) [1]. Not positive where x + L >= 1 + 1/a: a sender then needs a smallest rate, which the paper does
        not give; it says that the rate must not reach zero.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The paper names a without a formula. This form is ours: it keeps the equilibrium, and a = 1 is equation (1). The
    smoothed update of the total has no closed solution in general (`trajectory` is that of a = 1). Validity: the
    rate and the traffic are of the same time; `largest_stable_smoothing` says what a late report costs.

    Examples
    --------
    >>> step(0.25, 0.5)
    0.3125
    >>> step(0.25, 0.5, smoothing=0.5)
    0.28125

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks, section
    II.B, equation (1); table I.
    """
    return rate * (1 + smoothing * (1 - rate - traffic))


@law(
    source=f"{PAPER}, sections III and IV.B",
    unit="1",
    derivation="cadpc_network.weights",
    rate=RATE,
    traffic=TRAFFIC,
    weight=WEIGHT,
    smoothing=SMOOTHING,
)
def weighted_step(rate: Any, traffic: Any, weight: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Rate after one update of a sender that acts like w flows.

    .. math:: x(t + 1) = x(t) \left(1 + a \left(1 - \frac{x(t)}{w} - L(t)\right)\right)

    Parameters
    ----------
    rate : float or array
        x [1], in (0, inf): the sender's rate over the capacity of the link that reports.
    traffic : float or array
        L [1], in [0, inf): the link's total traffic over its capacity.
    weight : float or array
        w [flows], in (0, inf).
    smoothing : float or array
        a [1], in (0, 3].

    Returns
    -------
    float or array
        x(t + 1) [1]; not positive where x/w + L >= 1 + 1/a.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exactly what w flows with equal rates x/w do together, which is how the paper weights flows; w need not be a
    whole number.

    Examples
    --------
    >>> weighted_step(0.5, 0.5, weight=2) == 2 * step(0.25, 0.5)
    True

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, sections III and IV.B.
    """
    return rate * (1 + smoothing * (1 - rate / weight - traffic))
