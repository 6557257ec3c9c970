"""Bucket of a policer: tokens that carry a sawtooth window over its peaks, as a buffer does, but without a queue."""

from __future__ import annotations

from typing import Any

from longfat.law import Symbol, law
from longfat.laws.references import FLACH, JACOBSON, YANG_LAM
from longfat.laws.tcp.parameters import INCREASE

BURST = Symbol("b", "packets", "[1, inf)", (1, 1e5), "Bucket of a policer: packets that may pass at once")
PATH = Symbol("C R", "packets", "[1, inf)", (20, 2000), "Policed rate times the round-trip time")
DECREASE = Symbol(r"\beta", "1", "(0, 1)", (0.3, 0.95), "Factor by which a loss multiplies the window")
SOURCE = f"Ours, in the fluid limit of {JACOBSON}, section 3, with the factor of {YANG_LAM}; the policer of {FLACH}"


@law(
    source=SOURCE,
    unit="1",
    result="U, over the policed rate; little more than (1 + beta)/2 with a small bucket",
    derivation="buffers.policed_utilisation",
    not_simulated="losses at a policer come by the window, and so do lost retransmissions and timeouts: see the notes",
    burst=BURST,
    bandwidth_delay_product=PATH,
    decrease=DECREASE,
    increase=INCREASE,
)
def policed_utilisation(
    burst: Any, bandwidth_delay_product: Any, decrease: Any = 0.5, increase: Any = 1.0, *, xp: Any
) -> Any:
    r"""Return the share of the policed rate that passes of one flow with additive increase and multiplicative decrease.

    .. math:: U = \min\left(1, \frac{1 + \beta}{2} \left(1 + \frac{\sqrt{2 \alpha b}}{C R}\right)\right)

    Notes
    -----
    A policer drops packets that find no tokens, and never delays any. Tokens are saved while the window is below
    N = C R packets, and spent while it is above, so that a loss occurs at N + sqrt(2 alpha b). A fluid limit: packets
    are spread over the round trip, there is one loss event in a cycle, no timeout, and no time is lost in recovery.

    All packets beyond the rate are lost until the sender notices, about sqrt(2 alpha b) of them, and retransmissions
    may be lost as well. One paced flow of SACK was within 0.02 of the law with N of 150 and 300 packets and b of 50,
    150, 300, 600 and 1500, and 0.17 below it where timeouts occurred (N = 297, b = 1264). Bursts need tokens of their
    own besides: without pacing the flow had 0.32 instead of 0.80 with N = 150 and b = 50.

    Examples
    --------
    >>> policed_utilisation(2, 100), round(policed_utilisation(200, 100), 9), policed_utilisation(1e4, 100)
    (0.765, 0.9, 1.0)
    """
    share = (1 + decrease) / 2 * (1 + xp.sqrt(2 * increase * burst) / bandwidth_delay_product)
    return xp.minimum(share, 1 + 0 * share)


@law(
    source=SOURCE,
    unit="packets",
    result="b; grows with the square of the round-trip time",
    derivation="buffers.burst_for_policed_rate",
    not_simulated="the inverse of policed_utilisation at a share of 1",
    bandwidth_delay_product=PATH,
    decrease=DECREASE,
    increase=INCREASE,
)
def burst_for_policed_rate(bandwidth_delay_product: Any, decrease: Any = 0.5, increase: Any = 1.0, *, xp: Any) -> Any:
    r"""Return the least bucket with which one flow gets the whole policed rate.

    .. math:: b = \frac{(C R)^2}{2 \alpha} \left(\frac{1 - \beta}{1 + \beta}\right)^2

    Notes
    -----
    The case U = 1 of `policed_utilisation`: N^2/18 packets for Reno, where N = C R, one bandwidth-delay product at
    N = 18 packets and ten at 180. With more the flow saves no more tokens than these.

    Examples
    --------
    >>> burst_for_policed_rate(18), round(burst_for_policed_rate(100), 3)
    (18.0, 555.556)
    """
    swing = (1 - decrease) / (1 + decrease) * bandwidth_delay_product
    return swing * swing / (2 * increase)
