"""Convergence of CADPC flows with different rates, which takes longer than the convergence of their total."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.cadpc.parameters import FLOWS, RIVALS, SMOOTHING, STABLE_SMOOTHING
from longfat.laws.references import WELZL

REMAINING = Symbol("q", "1", "(0, 1]", (1e-3, 0.5), "Fraction of the differences that is left")


@law(
    source=f"Ours, for equation (1) of {WELZL}",
    unit="1",
    result="Multiplier",
    derivation="cadpc_spectrum.spectrum",
    long_proof=True,
    not_simulated=(
        "multipliers of small disturbances, which tests/test_cadpc_agreement.py checks against simulated packets"
    ),
    flows=FLOWS,
    smoothing=SMOOTHING,
)
def difference_multiplier(flows: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Return the factor by which one update shrinks the difference between two CADPC flows near equilibrium.

    .. math:: \mu = 1 - \frac{a}{1 + n}

    Notes
    -----
    First order in the deviations; delayed reports change nothing if a sender knows its own rate. The total's
    multiplier is 1 - a, so at a = 1 the total is near equilibrium long before the flows are equal: its error e
    satisfies e(t + 1) = e(t)^2 + (1 + n) D/n, where D is the sum of the squared deviations of the rates from their
    mean. If flows have weights, n is their sum.

    Examples
    --------
    >>> difference_multiplier(9)
    0.9
    """
    return (1 + flows - smoothing) / (1 + flows)


@law(
    source=f"Ours, for equation (1) of {WELZL}",
    unit="updates",
    result="t, to be rounded up; about ln(1/q) (1 + n)/a",
    derivation="cadpc_spectrum.updates_to_fairness",
    long_proof=True,
    not_simulated=(
        "multipliers of small disturbances, which tests/test_cadpc_agreement.py checks against simulated packets"
    ),
    flows=RIVALS,
    remaining=REMAINING,
    smoothing=STABLE_SMOOTHING,
)
def updates_to_fairness(flows: Any, remaining: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Return the updates after which a fraction q of the differences between CADPC flows is left.

    .. math:: t = \frac{\ln q}{\ln\left(1 - \dfrac{a}{1 + n}\right)}

    Notes
    -----
    First order: for differences small beside the rates and a total at equilibrium. It grows with the number of flows,
    whereas `updates_to_fraction`, for flows that start equal, hardly depends on it.

    Examples
    --------
    >>> round(updates_to_fairness(100, 0.01, smoothing=0.5))
    928
    """
    return xp.log(remaining) / xp.log1p(-smoothing / (1 + flows))


@law(
    source=f"Ours, for equation (1) of {WELZL}; the startup is discussed in its section III",
    unit="1",
    result="Factor; it decreases as the rate grows and holds for rates small beside 1/(1 + n)",
    derivation="cadpc_spectrum.newcomer",
    not_simulated=(
        "multipliers of small disturbances, which tests/test_cadpc_agreement.py checks against simulated packets"
    ),
    flows=FLOWS.described("Flows that share the link already"),
    smoothing=SMOOTHING,
)
def newcomer_growth(flows: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Return the factor by which one update multiplies a small rate on a link where n flows are at equilibrium.

    .. math:: g = 1 + \frac{a}{1 + n}

    Notes
    -----
    The limit for a rate of 0. On an empty link the factor is 1 + a. The paper calls the resulting start too long and
    adds a startup rule (`startup_step`).

    Examples
    --------
    >>> newcomer_growth(9, smoothing=0.5)
    1.05
    """
    return 1 + smoothing / (1 + flows)
