"""Growth in continuous time, the picture that the paper's word for equation (2) gives."""

from __future__ import annotations

from typing import Any

from longfat.law import law
from longfat.laws.cadpc.parameters import FIRST_RATE, FLOWS, PAPER, SMOOTHING, TIME


@law(
    source=f"ours, continuous time for {PAPER}, equation (2)",
    unit="1",
    derivation="cadpc.logistic",
    rate=FIRST_RATE,
    flows=FLOWS,
    updates=TIME,
    smoothing=SMOOTHING,
)
def logistic_rate(rate: Any, flows: Any, updates: Any, smoothing: Any = 1, *, xp: Any) -> Any:
    r"""Rate of each of n flows on the logistic curve, which updates in small steps would follow.

    .. math:: x(t) = \frac{1}{e^{-a t}/x_0 + (1 + n) (1 - e^{-a t})}, \qquad
        \frac{dx}{dt} = a x (1 - (1 + n) x)

    Parameters
    ----------
    rate : float or array
        x_0 [1], in (0, 1).
    flows : int or array
        n [flows], whole, in [1, inf).
    updates : float or array
        t [updates], in [0, inf).
    smoothing : float or array
        a [1], in (0, 3].

    Returns
    -------
    float or array
        x(t) over the capacity [1].

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The limit of small a at a given a t. At a = 1 it is no more than a picture of the map: a small rate grows by
    e = 2.72 in place of 2 an update, and near the equilibrium the curve gains 0.43 digits an update, the map doubles
    them.

    Examples
    --------
    >>> round(logistic_rate(0.1, 4, 0), 12), round(logistic_rate(0.1, 4, 1e3), 12)
    (0.1, 0.2)

    References
    ----------
    Ours; M. Welzl, Scalable Router Aided Congestion Avoidance, section II.B names logistic growth.
    """
    # A sum of positive terms, and so is the slope by the rate; x_0/(...) has a slope that cancels when t is large.
    decay = smoothing * updates
    return 1 / (xp.exp(-decay) / rate - (1 + flows) * xp.expm1(-decay))
