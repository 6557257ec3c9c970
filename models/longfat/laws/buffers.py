"""Buffer of a link for flows with synchronised or with independent losses; buckets of policers and shapers.

The laws hold for any scheme that multiplies its window by a factor at a loss. Proofs: derivations/buffers.py.
"""

from __future__ import annotations

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import APPENZELLER, FLACH, HOEFFDING, JACOBSON, SCH_TBF, SPANG, YANG_LAM
from longfat.laws.tcp.rates import DECREASE, INCREASE

__all__ = [
    "buffer_for_desynchronised",
    "buffer_for_synchronised",
    "burst_for_policed_rate",
    "burst_for_shaped_rate",
    "deviation_of_total_window",
    "policed_utilisation",
    "shaped_rate",
    "shaped_utilisation",
]


BURST = Symbol("b", "packets", "[1, inf)", (1, 1e5), "Bucket of a policer: packets that may pass back to back")
PATH = Symbol("C R", "packets", "[1, inf)", (20, 2000), "Policed rate times the round-trip time")
SOURCE = f"Ours, in the fluid limit of {JACOBSON}, section 3, with the factor of {YANG_LAM}; the policer of {FLACH}"


@law(
    source=SOURCE,
    result="U [1], over the policed rate; little more than (1 + beta)/2 with a small bucket",
    not_simulated="policers drop much of a window at once, then also retransmissions, which causes timeouts: see notes",
)
def policed_utilisation(
    burst: BURST, bandwidth_delay_product: PATH, decrease: DECREASE = 0.5, increase: INCREASE = 1.0, *, xp
):
    r"""Return the utilisation of a policer's rate by one flow with additive increase and multiplicative decrease.

    .. math:: U = \min\left(1, \frac{1 + \beta}{2} \left(1 + \frac{\sqrt{2 \alpha b}}{C R}\right)\right)

    A policer drops packets that find no tokens, and never delays any. Tokens are saved while the window is below N = C
    R packets, and spent while it is above, so a loss occurs at a window of N + sqrt(2 alpha b). This is a fluid limit:
    packets are spread over the round trip, there is one loss event in a cycle, no timeout, and no time is lost in
    recovery.

    All packets beyond the rate are lost until the sender notices, about sqrt(2 alpha b) of them, and retransmissions
    may be lost as well. One paced SACK flow was within 0.02 of the law with N of 150 and 300 packets and b of 50, 150,
    300, 600 and 1500, and 0.17 below it where timeouts occurred (N = 297, b = 1264). Bursts need additional tokens:
    without pacing the utilisation was 0.32 instead of 0.80 with N = 150 and b = 50.

    >>> policed_utilisation(2, 100), round(policed_utilisation(200, 100), 9), policed_utilisation(1e4, 100)
    (0.765, 0.9, 1.0)
    """
    share = (1 + decrease) / 2 * (1 + xp.sqrt(2 * increase * burst) / bandwidth_delay_product)
    return xp.minimum(share, 1 + 0 * share)


@law(
    source=SOURCE,
    result="b [packets]; grows with the square of the round-trip time",
    not_simulated="the inverse of policed_utilisation at a utilisation of 1",
)
def burst_for_policed_rate(bandwidth_delay_product: PATH, decrease: DECREASE = 0.5, increase: INCREASE = 1.0, *, xp):
    r"""Return the smallest bucket [packets] of a policer with which one flow uses the whole policed rate.

    .. math:: b = \frac{(C R)^2}{2 \alpha} \left(\frac{1 - \beta}{1 + \beta}\right)^2

    The case U = 1 of `policed_utilisation`: for Reno it is N^2/18 packets with N = C R, which is one bandwidth-delay
    product at N = 18 packets and ten at N = 180. With a larger bucket the flow saves no more tokens than this.

    >>> burst_for_policed_rate(18), round(burst_for_policed_rate(100), 3)
    (18.0, 555.556)
    """
    swing = (1 - decrease) / (1 + decrease) * bandwidth_delay_product
    return swing * swing / (2 * increase)


TOKENS = Symbol("b", "bytes", "(0, inf)", (3000, 1e6), "Bucket of a shaper: bytes that it may send back to back")
TOKEN_RATE = Symbol("r", "bytes/s", "(0, inf)", (1e5, 1e9), "Rate of the shaper")
LARGEST = Symbol(
    "l", "bytes", "(0, inf)", (1000, 65536), "Largest packet in the queue of the shaper, or aggregate (GSO, GRO)"
)
LATENESS = Symbol(r"\delta", "s", "[0, inf)", (1e-5, 4e-3), "Time by which the timer of the shaper is late")
SPAN = Symbol("t", "s", "(0, inf)", (0.1, 100), "Time over which the rate is taken")


@law(
    source=f"{SCH_TBF}, the bound in its first comment",
    result="x [bytes/s], after a pause in which the bucket fills",
    not_simulated="the definition of a token bucket; shaped_utilisation is simulated",
)
def shaped_rate(token_rate: TOKEN_RATE, burst: TOKENS, time: SPAN, *, xp):
    r"""Return the largest mean rate [bytes/s] of a token bucket over an interval that begins with a full bucket.

    .. math:: x = r + \frac{b}{t}

    Exact for a policer (RFC 2697) and, if the link sends the burst in less than the time t, for a shaper.

    >>> shaped_rate(1.25e6, 256e6, 1.0) * 8  # bit/s: 10 Mbit/s with 256 MB of burst, in the first second
    2058000000.0
    """
    return token_rate + burst / time


@law(
    source=f"Ours, by the rules of {SCH_TBF}",
    result="U [1], over the rate of the shaper; 0 if no packet fits into the bucket",
    simulated=SimulatedBy(
        "shaped_utilisation",
        {"burst": (2000, 2e4), "packet_size": (500, 1500), "token_rate": (1e6, 1e8), "lateness": (1e-5, 1e-3)},
        relative=0.01,
    ),
    packet_size=LARGEST,
)
def shaped_utilisation(burst: TOKENS, packet_size: LARGEST, token_rate: TOKEN_RATE, lateness: LATENESS, *, xp):
    r"""Return the utilisation of a shaper's rate by a backlogged token bucket whose timer is late.

    .. math:: U = \min\left(1, \frac{k l}{(k + 1) l - b + r \delta}\right), \qquad
        k = \left\lfloor \frac{b}{l} \right\rfloor

    Linux's tbf sleeps until there are tokens for the next packet, and wakes late. Meanwhile the bucket fills up to b,
    and further tokens are lost. Once awake, the shaper sends k packets back to back. htb sends while its tokens are not
    negative, so its bucket acts like one of b + l (sch_htb.c, htb_class_mode(), with its hysteresis off). The law is a
    lower bound, because arriving packets wake the shaper, too. The link is assumed to send a burst in no time.

    >>> shaped_utilisation(3000, 1500, 1e8, 3e-5), shaped_utilisation(3000, 1500, 1e8, 1e-5)  # 3000/(1500 + 3000)
    (0.6666666666666666, 1.0)
    """
    packets = xp.floor(burst / packet_size)
    share = packets * packet_size / ((packets + 1) * packet_size - burst + token_rate * lateness)
    return xp.minimum(share, 1 + 0 * share)


@law(
    source=f"Ours, by the rules of {SCH_TBF}; its comments have b = r/HZ, for a timer of that resolution",
    result="b [bytes], of Linux's tbf; htb needs l less",
    not_simulated="the inverse of shaped_utilisation at a utilisation of 1",
    packet_size=LARGEST,
)
def burst_for_shaped_rate(packet_size: LARGEST, token_rate: TOKEN_RATE, lateness: LATENESS, *, xp):
    r"""Return the smallest bucket [bytes] with which a backlogged shaper sends its whole rate despite a late timer.

    .. math:: b = l + r \delta

    The case U = 1 of `shaped_utilisation`. tbf divides an aggregate that is larger than its bucket into packets
    (sch_tbf.c, tbf_segment()), so l is the size of an aggregate only if an aggregate fits into the bucket. htb divides
    nothing, and needs only r delta.

    >>> burst_for_shaped_rate(1500, 112.5e6, 1e-3)  # 900 Mbit/s, and a timer that is a millisecond late
    114000.0
    """
    return packet_size + token_rate * lateness


FLOWS = Symbol(
    "n", "flows", "[1, inf)", (10, 10_000), "Number of flows, equal and with equal round-trip times", integer=True
)
SHARE = Symbol("q", "probability", "(0, 1)", (1e-3, 0.1), "Fraction of the time for which the queue may be empty")


@law(
    source=f"{SPANG} (one flow, by the factor of its scheme); {APPENZELLER}, section 3 (synchronised flows of Reno)",
    result="B [1], in bandwidth-delay products: 1 for Reno, 3/7 for CUBIC",
    derivation="buffers.synchronised",
    not_simulated="the buffer at which aimd_utilisation_general and cubic.utilisation, which are simulated, reach 1",
)
def buffer_for_synchronised(decrease: DECREASE, *, xp):
    r"""Return the smallest buffer [bandwidth-delay products] with which flows with synchronised losses fill a link.

    .. math:: B = \frac{1 - \beta}{\beta}

    Exact for fluid windows that are multiplied by beta when their sum fills path and buffer, 1 + B bandwidth-delay
    products: the link stays busy if beta (1 + B) is at least 1. Their growth and the number of flows do not matter.
    Time that a sender loses in recovery is not included.

    >>> buffer_for_synchronised(0.5), round(buffer_for_synchronised(0.7), 4)
    (1.0, 0.4286)
    """
    return (1 - decrease) / decrease


@law(
    source=f"{APPENZELLER}, section 3 (beta = 1/2); with the factor of the scheme ours",
    result="Standard deviation of the sum of the windows over its mean [1]",
    derivation="buffers.deviation",
    not_simulated="in simulations of one drop-tail link flows of the same scheme are never independent",
)
def deviation_of_total_window(flows: FLOWS, decrease: DECREASE = 0.5, *, xp):
    r"""Return the standard deviation of the sum of independent sawtooth windows, over the mean of the sum.

    .. math:: \frac{\sigma}{\mu} = \frac{1 - \beta}{(1 + \beta) \sqrt{3 n}}

    Exact for independent windows, each uniform between beta W and W, as windows of linear growth are. For Reno it is
    1/(3 sqrt(3 n)).

    >>> round(deviation_of_total_window(1) * 3 * 3**0.5, 12)
    1.0
    """
    return (1 - decrease) / ((1 + decrease) * xp.sqrt(3 * flows))


@law(
    source=f"Ours: the model of {APPENZELLER}, section 3, with the bound of {HOEFFDING}, theorem 2",
    result="B [1], in bandwidth-delay products; infinite where the bound gives no buffer, sqrt(n) <= a",
    derivation="buffers.desynchronised",
    not_simulated="in simulations of one drop-tail link flows of the same scheme are never independent",
)
def buffer_for_desynchronised(flows: FLOWS, probability: SHARE = 0.01, decrease: DECREASE = 0.5, *, xp):
    r"""Return a buffer [bandwidth-delay products] with which the queue of independent flows is rarely empty.

    .. math:: B = \frac{2 a}{\sqrt{n} - a}, \qquad
        a = \frac{1 - \beta}{1 + \beta} \sqrt{2 \ln \frac{1}{q}}

    The bound holds for every number of flows, because it does not use the central limit theorem. If the windows are
    independent, each uniform between beta W and W, and their sum has the mean 1 + B/2 bandwidth-delay products, then
    the queue is empty for at most a fraction q of the time, and full for at most a fraction q. The buffer falls as
    1/sqrt(n). The windows of one drop-tail link are not independent: where losses are synchronised,
    `buffer_for_synchronised` is needed.

    >>> [round(buffer_for_desynchronised(n, 0.01), 3) for n in (100, 10_000)]
    [0.225, 0.02]
    """
    factor = (1 - decrease) / (1 + decrease) * xp.sqrt(-2 * xp.log(probability))
    room = xp.sqrt(flows) - factor
    return xp.where(room > 0, 2 * factor / xp.where(room > 0, room, 1 + 0 * room), xp.inf + 0 * room)
