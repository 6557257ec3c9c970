"""Logistic growth in continuous time, to which the paper likens its equation (2)."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.cadpc.parameters import FIRST_RATE, FLOWS, SMOOTHING, TIME
from longfat.laws.references import WELZL


@law(
    source=f"Ours: equation (2) of {WELZL} in continuous time; its section II.B names logistic growth",
    unit="1",
    result="x(t), over the capacity",
    derivation="cadpc.logistic",
    not_simulated="the rule in continuous time; simulated senders update in steps",
    rate=FIRST_RATE,
    flows=FLOWS,
    updates=TIME,
    smoothing=SMOOTHING,
)
def logistic_rate(rate: Any, flows: Any, updates: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Return the rate of each of n CADPC flows on the logistic curve, the limit of many small updates.

    .. math:: x(t) = \frac{1}{e^{-a t}/x_0 + (1 + n) (1 - e^{-a t})}, \qquad
        \frac{dx}{dt} = a x (1 - (1 + n) x)

    Notes
    -----
    The limit of small a at a given a t. At a = 1 it only illustrates the discrete updates: a small rate grows by the
    factor e = 2.72 instead of 2 per update, and near the equilibrium the curve gains 0.43 digits per update, while
    updates double their number.

    Examples
    --------
    >>> round(logistic_rate(0.1, 4, 0), 12), round(logistic_rate(0.1, 4, 1e3), 12)
    (0.1, 0.2)
    """
    # All terms are positive, in the slope by the rate as well; the slope of x_0/(...) would cancel for large t.
    decay = smoothing * updates
    return 1 / (xp.exp(-decay) / rate - (1 + flows) * xp.expm1(-decay))
