"""Equilibrium of CADPC flows that share one link."""

from __future__ import annotations

from typing import Any

from longfat.law import SimulatedBy, law
from longfat.laws.cadpc.parameters import FLOWS, TOTAL_WEIGHT, WEIGHT
from longfat.laws.references import WELZL


@law(
    source=f"{WELZL}, section II.B, after equation (2)",
    unit="1",
    result="x, over the capacity",
    derivation="cadpc.equilibria",
    simulated=SimulatedBy("cadpc_rate", {"flows": (1.0, 30.0)}, relative=0.05),
    flows=FLOWS,
)
def equilibrium_rate(flows: Any, *, xp: Any) -> Any:
    r"""Return the equilibrium rate of each of n CADPC flows.

    .. math:: \bar x = \frac{1}{1 + n}

    Notes
    -----
    Exact for any smoothness factor. The equilibrium is stable for a < 2 if reports arrive without delay; the other
    fixed point, 0, is unstable.

    Examples
    --------
    >>> equilibrium_rate(4)
    0.2
    """
    return 1 / (1 + flows)


@law(
    source=f"{WELZL}, section II.B, equation (3)",
    unit="1",
    result="L, over the capacity",
    derivation="cadpc.equilibria",
    simulated=SimulatedBy("cadpc_traffic", relative=0.03),
    flows=FLOWS,
)
def equilibrium_traffic(flows: Any, *, xp: Any) -> Any:
    r"""Return the traffic of n CADPC flows at equilibrium, over the capacity.

    .. math:: n \bar x = \frac{n}{1 + n}

    Notes
    -----
    Exact. One flow alone uses half of the link; 10 flows use 0.909 and 99 flows 0.99 of it.

    Examples
    --------
    >>> equilibrium_traffic(1), equilibrium_traffic(99)
    (0.5, 0.99)
    """
    return flows / (1 + flows)


@law(
    source=f"{WELZL}, sections III and IV.B",
    unit="1",
    result="x, over the capacity",
    derivation="cadpc_network.weights",
    simulated=SimulatedBy("cadpc_rate", {"weight": (0.5, 2.0), "total_weight": (3.0, 6.0)}, relative=0.03),
    weight=WEIGHT,
    total_weight=TOTAL_WEIGHT,
)
def weighted_equilibrium_rate(weight: Any, total_weight: Any, *, xp: Any) -> Any:
    r"""Return the equilibrium rate of a CADPC flow with a weight.

    .. math:: \bar x = \frac{w}{1 + W}

    Notes
    -----
    Exact. Rates are proportional to the weights. W >= w is assumed and not checked.

    Examples
    --------
    >>> weighted_equilibrium_rate(2, 3), weighted_equilibrium_rate(1, 3)
    (0.5, 0.25)
    """
    return weight / (1 + total_weight)
