"""Response time of a file at a rate, on the loss-load curve."""

from __future__ import annotations

import math
from typing import Any

from longfat.law import law
from longfat.laws.loss_load.curve import log_ratio, throughput
from longfat.laws.loss_load.loss import unbounded
from longfat.laws.loss_load.parameters import CAPACITY, EXCESS, PACKETS, ROUND_TRIP, SENDING, SPREAD, K
from longfat.laws.references import PRITHVIRAJ_WILLIAMSON

# A delivered share as small as this counts as 0: the slope of its reciprocal would overflow.
NOTHING = 1e-140


@law(
    source=PRITHVIRAJ_WILLIAMSON + ", section 2.2, file transfer response time",
    unit="s",
    result="T; N/(f mu) + R where nothing is lost, infinite where at most a share of 1e-140 is delivered",
    not_simulated="the time that a source expects by its own formula",
    rate=SENDING,
    excess=EXCESS,
    spread=SPREAD,
    k=K,
    packets=PACKETS.described("Packets still to be delivered"),
    round_trip_time=ROUND_TRIP,
    capacity_packets=CAPACITY.described("Capacity that the link announces"),
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
    r"""Return the expected time to deliver N packets at a given rate, rounds of retransmissions included.

    .. math:: T(f) = \frac{N}{(1 - P) f \mu} + \left(1 - \frac{\ln N}{\ln P}\right) R

    with P of `loss_probability`.

    Notes
    -----
    The number of rounds is the real number after which N P^i has fallen to 1, not the mean of the largest of N
    geometric numbers, and each round adds R to the transmission time: an approximation by the paper, good for many
    packets and little loss. Rates are fractions, so the capacity mu, which the paper leaves out, is needed for the
    first term to be a time. Where loss begins, at f = -a, T rises with infinite slope if N > 1 and R > 0.

    Examples
    --------
    >>> response_time(0.5, -0.5, 0.25, 1, 1000, 0.1, 1000)  # half the capacity: 2 s, and a round trip
    2.1
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
    return xp.where(goes, total, math.inf + 0 * rate)  # the total may overflow where no packet is delivered


def minus_log_loss(rate: Any, excess: Any, spread: Any, k: Any, passed: Any, xp: Any) -> Any:
    """Return -ln P for 0 < P < 1, and some positive number where nothing is lost.

    Below P = 1/2 it is computed from the logarithms of the factors of P, above from 1 - P.
    """
    alone, beyond = xp.equal(spread, 0), rate + excess
    log_r = log_ratio(rate, xp.where(alone, 1 + 0 * spread, spread), k, xp)
    own = xp.where(alone, 0 * log_r, xp.logaddexp(0 * log_r, log_r))
    little = own + xp.log(rate / xp.where(beyond > 0, beyond, rate / 2))
    share = passed / rate
    much = -xp.log1p(-xp.minimum(share, 0.75 + 0 * share))
    return xp.where(share > 0.5, xp.where(little > 0, little, 1 + 0 * little), much)
