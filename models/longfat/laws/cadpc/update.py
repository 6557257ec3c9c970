"""Update of a CADPC sender's rate when a report of the traffic arrives."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.cadpc.parameters import RATE, SMOOTHING, TRAFFIC, WEIGHT
from longfat.laws.references import WELZL


@law(
    source=f"{WELZL}, section II.B, equation (1); smoothness factor in table I",
    unit="1",
    result=(
        "x(t + 1). Not positive where x + L >= 1 + 1/a: there a sender needs a smallest rate, which the paper does "
        "not give; it says that the rate must not reach zero"
    ),
    derivation="cadpc.equilibria",
    not_simulated="the rule that the simulated sender computes itself",
    rate=RATE,
    traffic=TRAFFIC,
    smoothing=SMOOTHING.described(remark="1 gives the paper's equation (1); its simulations use 0.5"),
)
def step(rate: Any, traffic: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    """Return the rate of a CADPC sender after one update.

    .. math:: x(t + 1) = x(t) (1 + a (1 - x(t) - L(t)))

    Notes
    -----
    The paper names a, but gives no formula. This form is ours: it keeps the equilibrium, and a = 1 is equation (1).
    The smoothed update of the total has no closed solution in general (`trajectory` is that of a = 1). It holds if
    rate and traffic belong to the same time; `largest_stable_smoothing` gives the effect of delayed reports.

    Examples
    --------
    >>> step(0.25, 0.5)
    0.3125
    >>> step(0.25, 0.5, smoothing=0.5)
    0.28125
    """
    return rate * (1 + smoothing * (1 - rate - traffic))


@law(
    source=f"{WELZL}, sections III and IV.B",
    unit="1",
    result="x(t + 1); not positive where x/w + L >= 1 + 1/a",
    derivation="cadpc_network.weights",
    not_simulated="the rule that the simulated sender computes itself",
    rate=RATE,
    traffic=TRAFFIC,
    weight=WEIGHT,
    smoothing=SMOOTHING,
)
def weighted_step(rate: Any, traffic: Any, weight: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Return the rate after one update of a CADPC sender that acts like w flows.

    .. math:: x(t + 1) = x(t) \left(1 + a \left(1 - \frac{x(t)}{w} - L(t)\right)\right)

    Notes
    -----
    Equal to the total rate of w flows of rate x/w each, which is how the paper weights flows; w need not be an
    integer.

    Examples
    --------
    >>> weighted_step(0.5, 0.5, weight=2) == 2 * step(0.25, 0.5)
    True
    """
    return rate * (1 + smoothing * (1 - rate / weight - traffic))
