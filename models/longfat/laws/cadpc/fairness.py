"""How long flows of different rates take to become equal, which is longer than their total takes to settle."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.cadpc.parameters import FLOWS, PAPER, RIVALS, SMOOTHING, STABLE_SMOOTHING

REMAINING = Symbol("q", "1", "(0, 1]", (1e-3, 0.5), "what is left of the differences")


@law(
    source=f"ours, for {PAPER}, equation (1)",
    unit="1",
    derivation="cadpc_spectrum.spectrum",
    flows=FLOWS,
    smoothing=SMOOTHING,
)
def difference_multiplier(flows: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""What one update leaves of the difference between two flows, near the equilibrium.

    .. math:: \mu = 1 - \frac{a}{1 + n}

    Parameters
    ----------
    flows : int or array
        n [flows], whole, in [1, inf).
    smoothing : float or array
        a [1], in (0, 3].

    Returns
    -------
    float or array
        The multiplier [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    First order in the deviations; late reports change nothing if a sender knows its own rate. The total's multiplier is
    1 - a, so at a = 1 the total is near rest long before the flows are equal: its error e obeys e(t + 1) = e(t)^2 +
    (1 + n) D/n, D the sum of the squared deviations of the rates from their mean. With weights, n is their sum.

    Examples
    --------
    >>> difference_multiplier(9)
    0.9

    References
    ----------
    Ours; the update is equation (1) of M. Welzl, Scalable Router Aided Congestion Avoidance.
    """
    return (1 + flows - smoothing) / (1 + flows)


@law(
    source=f"ours, for {PAPER}, equation (1)",
    unit="updates",
    derivation="cadpc_spectrum.updates_to_fairness",
    flows=RIVALS,
    remaining=REMAINING,
    smoothing=STABLE_SMOOTHING,
)
def updates_to_fairness(flows: Any, remaining: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Updates until a part q is left of the differences between flows.

    .. math:: t = \frac{\ln q}{\ln\left(1 - \dfrac{a}{1 + n}\right)}

    Parameters
    ----------
    flows : int or array
        n [flows], whole, in [2, inf).
    remaining : float or array
        q [1], in (0, 1].
    smoothing : float or array
        a [1], in (0, 2).

    Returns
    -------
    float or array
        t [updates], to be rounded up; about ln(1/q) (1 + n)/a.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    First order: differences small beside the rates, total at rest. Grows with the number of flows, while
    `updates_to_fraction`, for flows that start equal, hardly depends on it.

    Examples
    --------
    >>> round(updates_to_fairness(100, 0.01, smoothing=0.5))
    928

    References
    ----------
    Ours; the update is equation (1) of M. Welzl, Scalable Router Aided Congestion Avoidance.
    """
    return xp.log(remaining) / xp.log1p(-smoothing / (1 + flows))


@law(
    source=f"ours, for {PAPER}, equation (1)",
    unit="1",
    derivation="cadpc_spectrum.newcomer",
    flows=FLOWS,
    smoothing=SMOOTHING,
)
def newcomer_growth(flows: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""What one update multiplies a small rate by, on a link where n flows are at rest.

    .. math:: g = 1 + \frac{a}{1 + n}

    Parameters
    ----------
    flows : int or array
        n [flows], whole, in [1, inf): those that are there already.
    smoothing : float or array
        a [1], in (0, 3].

    Returns
    -------
    float or array
        The factor [1], of a rate small beside 1/(1 + n); it falls as the rate grows.

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The limit for a rate of 0. On an empty link the factor is 1 + a. The paper calls the resulting start too long and
    adds a start-up rule (`startup_step`).

    Examples
    --------
    >>> newcomer_growth(9, smoothing=0.5)
    1.05

    References
    ----------
    Ours; M. Welzl, Scalable Router Aided Congestion Avoidance, section III.
    """
    return 1 + smoothing / (1 + flows)
