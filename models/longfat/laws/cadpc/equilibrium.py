"""Where flows that share one link come to rest."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.cadpc.parameters import FLOWS, PAPER, TOTAL_WEIGHT, WEIGHT


@law(source=f"{PAPER}, section II.B", unit="1", derivation="cadpc.equilibria", flows=FLOWS)
def equilibrium_rate(flows: Any, *, xp: Any) -> Any:
    r"""Rate at which each of n flows comes to rest.

    .. math:: \bar x = \frac{1}{1 + n}

    Parameters
    ----------
    flows : int or array
        n [flows], whole, in [1, inf).

    Returns
    -------
    float or array
        The rate over the capacity [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact for any smoothness factor; it attracts for a < 2 if reports are fresh. The other fixed point, 0, repels.

    Examples
    --------
    >>> equilibrium_rate(4)
    0.2

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B, after equation (2).
    """
    return 1 / (1 + flows)


@law(source=f"{PAPER}, equation (3)", unit="1", derivation="cadpc.equilibria", flows=FLOWS)
def equilibrium_traffic(flows: Any, *, xp: Any) -> Any:
    r"""Traffic of n flows at rest, over the capacity.

    .. math:: n \bar x = \frac{n}{1 + n}

    Parameters
    ----------
    flows : int or array
        n [flows], whole, in [1, inf).

    Returns
    -------
    float or array
        The traffic over the capacity [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact. One flow alone uses half of the link; it takes 10 for 0.909 and 99 for 0.99.

    Examples
    --------
    >>> equilibrium_traffic(1), equilibrium_traffic(99)
    (0.5, 0.99)

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B, equation (3).
    """
    return flows / (1 + flows)


@law(
    source=f"{PAPER}, sections III and IV.B",
    unit="1",
    derivation="cadpc_network.weights",
    weight=WEIGHT,
    total_weight=TOTAL_WEIGHT,
)
def weighted_equilibrium_rate(weight: Any, total_weight: Any, *, xp: Any) -> Any:
    r"""Rate at which a flow that acts like w flows comes to rest.

    .. math:: \bar x = \frac{w}{1 + W}

    Parameters
    ----------
    weight : float or array
        w [flows], in (0, inf).
    total_weight : float or array
        W [flows], in (0, inf): the sum of all weights, this one included.

    Returns
    -------
    float or array
        The rate over the capacity [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    Exact. Rates are in proportion to the weights, whatever W is. Assumes W >= w, which is not checked.

    Examples
    --------
    >>> weighted_equilibrium_rate(2, 3), weighted_equilibrium_rate(1, 3)
    (0.5, 0.25)

    References
    ----------
    M. Welzl, Scalable Router Aided Congestion Avoidance, sections III and IV.B.
    """
    return weight / (1 + total_weight)
