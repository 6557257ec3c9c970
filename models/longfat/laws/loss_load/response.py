"""Response time of a file at a rate, on the loss-load curve."""

from __future__ import annotations

import math
from typing import Any

from longfat.law import law
from longfat.laws.loss_load.curve import log_ratio, throughput
from longfat.laws.loss_load.loss import unbounded
from longfat.laws.loss_load.parameters import CAPACITY, EXCESS, PACKETS, PAPER, ROUND_TRIP, SENDING, SPREAD, K

# A share this small that gets through counts as none: the slope of its reciprocal would overflow.
NOTHING = 1e-140


@law(
    source=PAPER + ", section 2.2, file transfer response time",
    unit="s",
    rate=SENDING,
    excess=EXCESS,
    spread=SPREAD,
    k=K,
    packets=PACKETS,
    round_trip_time=ROUND_TRIP,
    capacity_packets=CAPACITY,
)
def response_time(
    rate: Any,
    excess: Any,
    spread: Any,
    k: Any,
    packets: Any,
    round_trip_time: Any,
    capacity_packets: Any,
    *,
    xp: Any,
) -> Any:
    r"""Expected time to deliver N packets at a rate, with the rounds that it takes to repeat lost ones.

    .. math:: T(f) = \frac{N}{(1 - P) f \mu} + \left(1 - \frac{\ln N}{\ln P}\right) R

    with P of `loss_probability`.

    Parameters
    ----------
    rate : float or array
        f [1], in (0, inf): the source's rate over the capacity that the link announces.
    excess : float or array
        a [1], in [-1, inf): the rates of the others over that capacity, less 1.
    spread : float or array
        b [1], in [0, inf): the sum of the others' rates, each to the power k + 1.
    k : float or array
        k [1], in [1, inf).
    packets : float or array
        N [packets], in [1, inf): what is still to be delivered.
    round_trip_time : float or array
        R [s], in [0, inf).
    capacity_packets : float or array
        mu [packets/s], in (0, inf): the capacity that the link announces.

    Returns
    -------
    float or array
        T [s]; N/(f mu) + R where nothing is lost, infinite where all is (all but 1e-140 of it).

    Raises
    ------
    ValueError
        For a value outside its domain.

    Notes
    -----
    The number of rounds is the one after which N P^i has fallen to 1, a real number, not the mean of the largest of
    N geometric numbers, and R of each is added to the time of sending: an approximation of the paper's, good for many
    packets and little loss. Rates are fractions, so the capacity mu, which the paper leaves out, is needed
    for the first term to be a time. Where loss begins, at f = -a, T rises with infinite slope if N > 1 and R > 0.

    Examples
    --------
    >>> response_time(0.5, -0.5, 0.25, 1, 1000, 0.1, 1000)  # half the capacity: 2 s, and a round trip
    2.1

    References
    ----------
    S. Prithviraj and C. Williamson, virtual loss-load model, section 2.2.
    """
    if hasattr(xp, "sympy"):
        loss = xp.minimum(1, xp.maximum(0, unbounded(rate, excess, spread, k, xp)))
        sending = packets / ((1 - loss) * rate * capacity_packets)
        total = sending + (1 - xp.log(packets) / xp.log(loss)) * round_trip_time
        return xp.sympy.Piecewise((total, loss < 1), (xp.sympy.oo, True))
    passed = throughput(rate, excess, spread, k, xp)
    goes = passed > NOTHING * rate
    some = xp.where(goes, passed, rate)
    sending = packets / (some * capacity_packets)
    rounds = 1 + xp.log(packets) / minus_log_loss(rate, excess, spread, k, some, xp)
    lossy = rate + excess > 0
    total = sending + xp.where(lossy, rounds, 1 + 0 * rounds) * round_trip_time
    return xp.where(goes, total, math.inf + 0 * rate)  # the total itself may be beyond all floats there


def minus_log_loss(rate: Any, excess: Any, spread: Any, k: Any, passed: Any, xp: Any) -> Any:
    """-ln P, for 0 < P < 1; some positive number where nothing is lost.

    Below P = 1/2 from the logarithms of its factors, above from what gets through.
    """
    alone, beyond = xp.equal(spread, 0), rate + excess
    log_r = log_ratio(rate, xp.where(alone, 1 + 0 * spread, spread), k, xp)
    own = xp.where(alone, 0 * log_r, xp.logaddexp(0 * log_r, log_r))
    little = own + xp.log(rate / xp.where(beyond > 0, beyond, rate / 2))
    share = passed / rate
    much = -xp.log1p(-xp.minimum(share, 0.75 + 0 * share))
    return xp.where(share > 0.5, xp.where(little > 0, little, 1 + 0 * little), much)
