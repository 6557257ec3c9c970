"""Rates of TCP under loss: with and without timeouts, with different round-trip times, and of parallel flows."""

from __future__ import annotations

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import (
    ALTMAN,
    CROWCROFT_OECHSLIN,
    LAKSHMAN_MADHOW,
    MATHIS,
    PADHYE,
    RFC_5348,
    RFC_9438,
    YANG_LAM,
)

LOSS = Symbol("p", "probability", "(0, 1)", (1e-6, 0.1), "Loss events per packet sent")
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "Round-trip time, queueing included")
TIMEOUT = Symbol("T_0", "s", "[0, inf)", (0.2, 4.0), "First retransmission timeout")
ACKED = Symbol("b", "packets", "[1, inf)", (1.0, 2.0), "Packets that one acknowledgment covers")
WINDOW = Symbol("W", "packets", "[2, inf)", (4.0, 1e5), "Window just before it is reduced")
LARGEST_WINDOW = Symbol("W_m", "packets", "[1, inf)", (4.0, 1e4), "Largest window that the receiver allows")
INCREASE = Symbol(r"\alpha", "packets", "(0, inf)", (0.1, 2.0), "Increase of the window per acknowledged window")
DECREASE = Symbol(r"\beta", "1", "(0, 1)", (0.3, 0.95), "Factor by which a loss multiplies the window")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 100), "Parallel flows of one sender, of one round-trip time", integer=True)
OTHERS = Symbol("m", "flows", "[0, inf)", (1, 20), "Flows of others at the same link", integer=True)
ROUND_TRIP_RATIO = Symbol("r", "1", "(0, inf)", (1.0, 16.0), "Longer round-trip time over the shorter one")
LOSS_POWER = Symbol("s", "1", "[0, 1]", (0.0, 1.0), "Exponent of the rate in the losses per second")
TIME_POWER = Symbol("a", "1", "(0, inf)", (1.0, 3.0), "Exponent of the time in the growth of the window")
ROUND_TRIP_POWER = Symbol("b", "1", "[0, inf)", (0.0, 1.0), "Exponent of the round-trip time that divides the growth")


@law(
    source=f"{MATHIS}, section 2",
    result="X [packets/s]",
    simulated=SimulatedBy(
        "rap_rate_at_loss", {"loss": (3e-4, 5e-3), "round_trip_time": (0.01, 0.3), "acked": 1.0}, relative=0.05
    ),
    acked=ACKED.described(remark="It is 2 if acknowledgments are delayed"),
)
def square_root_rate(loss: LOSS, round_trip_time: ROUND_TRIP, acked=1, *, xp):
    r"""Return the rate [packets/s] of TCP in congestion avoidance if every 1/p-th packet is lost.

    .. math:: X = \frac{1}{R} \sqrt{\frac{3}{2 b p}}

    Exact for a fluid sawtooth. It holds for small p: timeouts, recovery and the receiver's window are left out.
    Compared with `pftk_rate` with b = 1 and T_0 = 4 R it is 1 % too high at p = 1e-3, 9 % at 1e-2, 48 % at 0.05.

    >>> round(square_root_rate(0.01, 0.1), 1)
    122.5
    """
    return 1 / (round_trip_time * xp.sqrt(2 * acked * loss / 3))


@law(
    source=f"{YANG_LAM} (the term of the rate that remains without timeouts)",
    result="X [packets/s]; `square_root_rate` for alpha = 1, beta = 1/2",
    simulated=SimulatedBy(
        "gaimd_rate_at_loss",
        {
            "loss": (3e-4, 5e-3),
            "round_trip_time": (0.01, 0.3),
            "acked": 1.0,
            "increase": (0.2, 1.0),
            "decrease": (0.5, 0.875),
        },
        relative=0.05,
    ),
)
def gaimd_rate(
    loss: LOSS, round_trip_time: ROUND_TRIP, increase: INCREASE, decrease: DECREASE, acked: ACKED = 1, *, xp
):
    r"""Return the rate [packets/s] of a GAIMD flow: its window W grows by alpha/W per ACK; a loss cuts it to beta W.

    .. math:: X = \frac{1}{R} \sqrt{\frac{\alpha (1 + \beta)}{2 b (1 - \beta) p}}

    The assumptions are those of `square_root_rate`. By this rate alone alpha = 3 (1 - beta)/(1 + beta) would be fair to
    TCP; the usual alpha = 0.31 for beta = 7/8 takes timeouts into account and gives a rate 1.24 times as high without
    timeouts.

    >>> round(gaimd_rate(1e-4, 0.1, 0.31, 7 / 8) / square_root_rate(1e-4, 0.1), 3)
    1.245
    """
    spread = 2 * acked * loss * (1 - decrease)
    return 1 / (round_trip_time * xp.sqrt(spread / (increase * (1 + decrease))))


@law(
    source=f"{MATHIS}, section 2",
    result="p [probability]; for a flow alone at a drop-tail link, W is the bandwidth-delay product plus the buffer",
    not_simulated="the inverse of a law that is simulated",
)
def loss_of_window(window: WINDOW, acked: ACKED = 1, *, xp):
    r"""Return the loss probability of a flow that loses one packet whenever its window reaches a given value.

    .. math:: p = \frac{8}{3 b W^2}

    Exact for a fluid sawtooth. With b = 1 a cycle actually has (3/8) W^2 + (3/4) W packets, so for small W the law is
    too high by 2/W of its value.

    >>> round(loss_of_window(100), 6)
    0.000267
    """
    return 8 / (3 * acked) / window / window


@law(
    source=f"{PADHYE}, section 2.3 (approximate model); {RFC_5348}, section 3.1",
    result="X [packets/s], sent rather than delivered; at most W_m/R if the receiver allows W_m packets",
    long_proof=True,
    not_simulated="it assumes that a round loses all packets after its first lost one, as no simulated network does",
    timeout=TIMEOUT.described(remark="TFRC takes 4 R"),
)
def pftk_rate(loss: LOSS, round_trip_time: ROUND_TRIP, timeout, acked: ACKED = 1, *, xp):
    r"""Return the rate [packets/s] of TCP Reno with timeouts by the approximation for small loss that TFRC uses.

    .. math:: X = \frac{1}{R \sqrt{\dfrac{2 b p}{3}}
        + T_0 \min\left(1, 3 \sqrt{\dfrac{3 b p}{8}}\right) p (1 + 32 p^2)}

    The law tends to `pftk_full_rate` without a window limit as p -> 0. It holds for small p: 1 + 32 p^2 is the paper's
    fit to 1 + p + 2 p^2 + ... + 32 p^6, 17 % too large at p = 0.1. RFC 5348 leaves out the min, which matters only
    where b p > 8/27.

    >>> round(pftk_rate(0.01, 0.1, 0.4), 1)
    112.3
    """
    # 3 sqrt(3 b p / 8) is 9/4 times sqrt(2 b p / 3), so that one root serves both terms.
    root = xp.sqrt(2 * acked * loss / 3)
    share = xp.minimum(9 * root / 4, 1 + 0 * root)
    return 1 / (round_trip_time * root + timeout * share * loss * (1 + 32 * loss * loss))


@law(
    source=f"{PADHYE}, sections 2.1 to 2.3",
    result="X [packets/s], sent rather than delivered",
    long_proof=True,
    not_simulated="it assumes that a round loses all packets after its first lost one, as no simulated network does",
    loss=LOSS.described(remark="It is the probability of a first loss in a round; the rest of the round is lost, too"),
)
def pftk_full_rate(
    loss, round_trip_time: ROUND_TRIP, timeout: TIMEOUT, largest_window: LARGEST_WINDOW, acked: ACKED = 1, *, xp
):
    r"""Return the rate [packets/s] of TCP Reno with timeouts and a largest window, by the full model of Padhye et al.

    .. math::

        X = \frac{\dfrac{1 - p}{p} + W + \dfrac{Q}{1 - p}}{R (k + 1) + Q T_0 \dfrac{f}{1 - p}}, \qquad
        W = \min(W_u, W_m), \quad W_u = c + \sqrt{\frac{8 (1 - p)}{3 b p} + c^2}, \quad c = \frac{2 + b}{3 b}

        k = \begin{cases} \dfrac{b W}{2} & W_u < W_m \\ \dfrac{b W}{8} + \dfrac{1 - p}{p W} + 1 & W_u \ge W_m
        \end{cases}, \qquad
        Q = \min\left(1, \frac{(1 - (1 - p)^3) (1 + (1 - p)^3 (1 - (1 - p)^{W - 3}))}{1 - (1 - p)^W}\right)

    with f = 1 + p + 2 p^2 + 4 p^3 + 8 p^4 + 16 p^5 + 32 p^6.

    Notes
    -----
    A model of means, which combines W, Q and k as if they were independent. k jumps by (2 - b)/4 rounds at W_u = W_m
    unless b = 2, the paper's case. It holds if the losses of a round are consecutive, recovery is that of Reno, and
    the round-trip time does not depend on the window.

    >>> round(pftk_full_rate(0.01, 0.1, 0.4, 1000), 1)
    111.0
    """
    kept = 1 - loss
    constant = (2 + acked) / (3 * acked)
    unlimited = constant + xp.sqrt(8 * kept / (3 * acked * loss) + constant * constant)
    window = xp.minimum(unlimited, largest_window)
    rounds = xp.piecewise(
        lambda: acked * window / 8 + kept / (loss * window) + 1,
        (unlimited < largest_window, lambda: acked * window / 2),
    )
    # No nearly equal powers are subtracted: 1 - (1 - p)^3 is computed as p (3 - 3 p + p^2), the other differences by
    # expm1.
    first_three = loss * (3 - loss * (3 - loss))
    logarithm = xp.log1p(-loss)
    later = 1 - kept * kept * kept * xp.expm1((window - 3) * logarithm)
    share = first_three * later / -xp.expm1(window * logarithm)
    share = xp.minimum(share, 1 + 0 * share)
    backoff = 1 + loss * (1 + 2 * loss * (1 + 2 * loss * (1 + 2 * loss * (1 + 2 * loss * (1 + 2 * loss)))))
    return (kept / loss + window + share / kept) / (round_trip_time * (rounds + 1) + share * timeout * backoff / kept)


@law(
    source=f"Ours; the cases of Reno: {LAKSHMAN_MADHOW}; CUBIC in step: {RFC_9438}, section 3.3",
    result="X_1/X_2 [1], the rate with R_1 over that with R_2 = r R_1",
    derivation="fairness.round_trip_unfairness",
    simulated=SimulatedBy(
        "round_trip_unfairness",
        # Only CUBIC's powers a = 3 and b = 0 are simulated. Independent ranges of a and b would mix these powers with
        # Reno's, for which tests/test_unfairness.py has simulations.
        {"round_trip_ratio": (1.0, 4.0), "loss_power": (0.0, 1.0), "time_power": 3.0, "round_trip_power": 0.0},
        relative=0.06,
    ),
)
def round_trip_unfairness(
    round_trip_ratio: ROUND_TRIP_RATIO,
    loss_power: LOSS_POWER,
    time_power: TIME_POWER = 3,
    round_trip_power: ROUND_TRIP_POWER = 0,
    *,
    xp,
):
    r"""Return the ratio of the rates of two flows of one scheme that differ in their round-trip times.

    .. math:: \frac{X_1}{X_2} = r^{(1 + b)/(1 + s a)}, \qquad r = \frac{R_2}{R_1}

    T seconds after a loss the window has grown in proportion to T^a/R^b: a = 1, b = 1 for Reno and CUBIC's
    Reno-friendly region, a = 3, b = 0 for its cubic region. The losses per second of a flow are proportional to X^s: s
    = 0 if losses are synchronised, s = 1 if every packet is lost with the same probability.

    Notes
    -----
    Both round trips include the queueing delay. This is a fluid limit: large windows, no timeouts, both flows in the
    same region. s has to be measured: at a drop-tail queue it is anywhere between 0 and 1, or outside.

    >>> [float(round_trip_unfairness(16, s, a, b)) for s in (0, 1) for a, b in ((1, 1), (3, 0))]
    [256.0, 16.0, 16.0, 2.0]
    """
    return xp.power(round_trip_ratio, (1 + round_trip_power) / (1 + loss_power * time_power))


@law(
    source=f"{ALTMAN} (the throughput of N connections)",
    result="U [1], from (1 + beta)/2 for one flow to 1 for many; for beta = 1/2 it is 0.9 for 3 flows and 0.95 for 6.3",
    # Our choice of the accuracy: the simulated link needs a buffer of a few packets, which raises its utilisation by up
    # to 0.01.
    simulated=SimulatedBy("parallel_utilisation", {"flows": (1.0, 5.0), "decrease": (0.5, 0.8)}, accuracy=0.02),
)
def parallel_utilisation(flows: FLOWS, decrease: DECREASE = 0.5, *, xp):
    r"""Return the utilisation of a link without a buffer by flows that lose packets one flow at a time.

    .. math:: U = 1 - \frac{1}{1 + N \frac{1 + \beta}{1 - \beta}}

    The rates grow linearly and equally fast. When their sum reaches the capacity, any one flow multiplies its rate by
    beta. Flows with synchronised losses use no more than one flow does: the law is then `aimd_utilisation_general` with
    B = 0, equal to this one for N = 1. A buffer fills the link with fewer flows.

    >>> [round(parallel_utilisation(n), 4) for n in (1, 3, 6)]
    [0.75, 0.9, 0.9474]
    """
    return flows * (1 + decrease) / (flows * (1 + decrease) + (1 - decrease))


@law(
    source=f"Ours, for equal loss probabilities; {CROWCROFT_OECHSLIN} (one flow that takes the share of N)",
    result="Rate of the N parallel flows together over the rate of all flows [1]",
    simulated=SimulatedBy("parallel_share", {"flows": (1.0, 8.0), "others": (1.0, 4.0)}, accuracy=0.05),
)
def parallel_share(flows: FLOWS, others: OTHERS, *, xp):
    r"""Return the share of a link that N parallel flows get beside m other flows.

    .. math:: \frac{N}{N + m}

    It holds for any rate that the loss probability and the round-trip time determine, such as `square_root_rate`, if
    the flows have the same congestion control, packet size, round-trip time and loss probability, and neither windows
    nor hosts limit them. So it does not hold where queues are kept for each flow (fq-codel), nor beside BBR. It is the
    mean over a long time.

    >>> parallel_share(8, 1), parallel_share(1, 1)
    (0.8888888888888888, 0.5)
    """
    return flows / (flows + others)
