"""Delay of a segment as sender and receiver see it (Gong and Parulkar, section 4.2), and its distribution (ours).

The delay, from the first transmission of the segment until the receiver has it completely (section 4.1 of Gong and
Parulkar), is D = N t_p + (K - 1) t_a + RTD/2 for N packets sent in K rounds, with t_a = RTD + 3 t_p. Its
mean is `mean_delay_receiver`. `longfat.segments.simulate` reports it without the propagation time RTD/2.

The functions of the distribution are plain NumPy functions, not laws, and have no gradients: the number of possible
delays D depends on the loss and their order on t_a/t_p, so no program of fixed shape could be traced.

The joint distribution of the rounds K and the packets N sent for a segment is a table of positive sums (`joint`).

A packet arrives within k rounds, after m losses, with probability (1 - p) p^m, m < k. So with A_k(z), the sum of
(1 - p) (p z)^m over m < k, the segment has E[z^(N - s); K <= k] = A_k(z)^s, and K = k has A_k^s - A_(k-1)^s. This
difference is never computed: the pair (A^m, (A + E)^m - A^m), where E = (1 - p) (p z)^(k-1) is the term of round k, is
multiplied by the rule (A, E) (A', E') = (A A', A E' + E A' + E E'), and all coefficients stay positive. So every
entry is accurate to nearly all digits, and so are sums over entries from either end.

Derived in derivations/segment_distribution.py.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from longfat.base import domains
from longfat.law import SimulatedBy, law
from longfat.laws.references import GONG_PARULKAR
from longfat.laws.selective_repeat.rates import ACK_DELAY, LOSS, PACKET_TIME, PACKETS, ROUND_TRIP
from longfat.laws.selective_repeat.rounds import repeated_rounds

Array = np.ndarray[Any, np.dtype[Any]]


@lru_cache(maxsize=16)
def joint(loss: float, packets: int, left_out: float) -> Array:
    """Return P(K = k, N = s + r) in row k - 1, column r; the table leaves out a probability of about ``left_out``."""
    retransmissions = _most_retransmissions(loss, packets, left_out)
    rounds = 1 if loss == 0 else max(math.ceil(math.log(left_out / packets) / math.log(loss)), 1)
    table = np.zeros((min(rounds, retransmissions + 1), retransmissions + 1))
    for row in range(len(table)):
        table[row] = _exactly(row + 1, loss, packets, retransmissions + 1)
    table.flags.writeable = False
    return table


def _most_retransmissions(loss: float, packets: int, left_out: float) -> int:
    """Return the smallest r such that more than r retransmissions have a probability below ``left_out``."""
    if loss == 0:
        return 0
    r, log_chance = 0, packets * math.log1p(-loss)  # ln of the chance of exactly r retransmissions
    while True:
        ratio = loss * (packets + r) / (r + 1)  # the ratios fall, so that the tail is below a geometric series
        if ratio < 1 and log_chance + math.log(ratio / (1 - ratio)) < math.log(left_out):
            return r
        r, log_chance = r + 1, log_chance + math.log(ratio)


def _exactly(rounds: int, loss: float, packets: int, size: int) -> Array:
    """Return the array of P(K = rounds, N = s + r) for r = 0 ... ``size`` - 1."""

    def times(left: Array, right: Array) -> Array:
        return np.convolve(left, right)[:size]

    one: Array = (1 - loss) * loss ** np.arange(size, dtype=float)
    before, at = one.copy(), np.zeros(size)
    before[rounds - 1 :] = 0.0
    at[rounds - 1] = one[rounds - 1]
    all_before, all_at = before, at
    for bit in bin(packets)[3:]:  # binary digits from the second on
        all_before, all_at = times(all_before, all_before), times(all_at, 2 * all_before + all_at)
        if bit == "1":
            all_before, all_at = times(all_before, before), times(all_before, at) + times(all_at, before + at)
    return all_at


@law(
    source=f"{GONG_PARULKAR}, section 4.2 (third term of D_s)",
    result="S [rounds]",
    derivation="segment_rounds.mean_rounds",
    not_simulated="a distribution of rounds, which no simulator reports; mean_delay_sender is simulated",
)
def mean_rounds(loss: LOSS, segment_packets: PACKETS, *, xp):
    r"""Return the mean number of transmission rounds until a segment is complete.

    .. math:: S = \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right]

    Exact for independent loss. Floats are computed as described in `longfat.laws.selective_repeat.rounds`.

    >>> mean_rounds(0.5, 1)
    2.0
    """
    return 1 + repeated_rounds(loss, segment_packets, xp)


@law(
    source=f"{GONG_PARULKAR}, section 4.2 (D_s)",
    result="D_s [s]",
    derivation="selective_repeat.sender_delay",
    simulated=SimulatedBy(
        "segment_mean_delay",
        {
            "loss": (1e-4, 0.1),
            "segment_packets": [1.0, 4.0, 16.0, 64.0],
            "packet_time": 1.0,
            "ack_delay": [64.0, 320.0, 1024.0],
        },
        relative=0.02,
    ),
)
def mean_delay_sender(loss: LOSS, segment_packets: PACKETS, packet_time: PACKET_TIME, ack_delay: ACK_DELAY, *, xp):
    r"""Return the mean time [s] from the first transmission of a segment until the sender knows of its arrival.

    .. math:: D_s = \frac{t_s}{1 - p} + t_a \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right], \qquad t_s = s t_p

    Exact for a segment sent in isolation; otherwise the retransmissions of one segment may wait for the end of a group
    of packets of another.

    >>> mean_delay_sender(0, 16, 1e-3, 0.1)
    0.116
    """
    rounds = 1 + repeated_rounds(loss, segment_packets, xp)
    return segment_packets * packet_time / (1 - loss) + ack_delay * rounds


@law(
    source=f"{GONG_PARULKAR}, section 4.2 (D_r)",
    result="D_r [s]. S is `mean_rounds`; nothing cancels in the second form",
    derivation="selective_repeat.receiver_delay",
    long_proof=True,
    not_simulated="mean_delay_sender, which is simulated, less a constant",
)
def mean_delay_receiver(
    loss: LOSS, segment_packets: PACKETS, packet_time: PACKET_TIME, round_trip_time: ROUND_TRIP, *, xp
):
    r"""Return the mean time [s] from the first transmission of a segment until the receiver has all its packets.

    .. math:: D_r = D_s - \frac{RTD}{2} - 3 t_p = \frac{t_s}{1 - p} + RTD (S - \tfrac12) + 3 t_p (S - 1)

    The assumptions are those of `mean_delay_sender`; both directions are assumed to take half of the round-trip time.

    >>> mean_delay_receiver(0, 16, 1e-3, 0.1)
    0.066
    """
    repeated = repeated_rounds(loss, segment_packets, xp)
    return (
        segment_packets * packet_time / (1 - loss)
        + round_trip_time * (repeated + 1 / (2 + 0 * repeated))
        + 3 * packet_time * repeated
    )


LOSSES, SIZES, SEGMENTS = "[0, 0.5]", "[1, 1000]", "[1, 1e12]"
LEFT_OUT = 1e-18  # probability beyond the table, for all segments together
EPS = float(np.finfo(float).eps)


def delay_cdf(delay: Any, loss: float, segment_packets: int, packet_time: float, round_trip_time: float) -> Any:
    r"""Return the probability that a segment's delay is at most d.

    .. math::

        P(D \le d) = \sum_{k=1}^{\infty} P\left(K = k, N \le \frac{d - RTD/2 - (k - 1) t_a}{t_p}\right), \qquad
        t_a = RTD + 3 t_p, \qquad
        E[z^N; K \le k] = \left[(1 - p) z \frac{1 - (p z)^k}{1 - p z}\right]^s

    Parameters
    ----------
    delay : float or array
        d [s], in [0, inf).
    loss : float
        p [probability], in [0, 0.5]: packet loss probability.
    segment_packets : int
        s [packets], an integer in [1, 1000]: packets per segment.
    packet_time : float
        t_p [s], in (0, inf): transmission time of a packet.
    round_trip_time : float
        RTD [s], in [0, inf): round-trip time.

    Returns
    -------
    float or array
        P(D <= d) [probability].

    Notes
    -----
    Exact for a segment sent in isolation, with independent loss. A delay within rounding of d counts as d. Small
    values keep their relative accuracy. It takes milliseconds for s = 16, about a second for s = 1000, p = 0.5; tables
    are cached.

    Examples
    --------
    >>> delay_cdf([2.0, 7.9, 8.0], 0.5, 1, 1.0, 2.0).tolist()
    [0.5, 0.5, 0.75]

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks",
    WUCS-92-38, Washington University in St. Louis, 1992, section 4.1, which defines the delay, and section 4.2, which
    gives its mean.
    """
    at = domains.numbers("delay", delay, "s", "[0, inf)", nan=True)
    delays, within, _ = _steps(loss, segment_packets, packet_time, round_trip_time, 1.0)
    steps = np.searchsorted(delays, at * (1 + 8 * EPS), side="right")
    return _plain(np.where(np.isnan(at), np.nan, np.concatenate([[0.0], within])[steps]))


def delay_quantile(
    probability: Any, loss: float, segment_packets: int, packet_time: float, round_trip_time: float
) -> Any:
    r"""Return the smallest delay [s] within which a segment arrives with a probability of at least q.

    .. math:: d_q = \min\{d : P(D \le d) \ge q\}

    Parameters
    ----------
    probability : float or array
        q [probability], in (0, 1).
    loss, segment_packets, packet_time, round_trip_time
        As for `delay_cdf`.

    Returns
    -------
    float or array
        d_q [s].

    Notes
    -----
    This is the inverse of `delay_cdf`, with its assumptions; a probability within rounding of q counts as q.

    Examples
    --------
    >>> delay_quantile(0.75, 0.5, 1, 1.0, 2.0)
    8.0

    References
    ----------
    Ours; see `delay_cdf`.
    """
    return max_delay_quantile(probability, 1, loss, segment_packets, packet_time, round_trip_time)


def max_delay_mean(segments: Any, loss: float, segment_packets: int, packet_time: float, round_trip_time: float) -> Any:
    r"""Return the mean [s] of the largest delay among N segments, each sent alone.

    .. math:: D_N = \int_0^\infty \left[1 - P(D \le x)^N\right] dx

    Parameters
    ----------
    segments : int or array
        N [segments], an integer in [1, 1e12].
    loss, segment_packets, packet_time, round_trip_time
        As for `delay_cdf`.

    Returns
    -------
    float or array
        D_N [s].

    Notes
    -----
    Exact for a window of one segment. Under a larger window retransmissions wait for each other: with s = 16, simulated
    largest delays were up to 5 % above D_N in windows from 2.5 t_a on, and mean delays up to 2 % above their law, for
    t_a >= 23 s t_p, p <= 0.1; 11 % and 7 % for t_a = 2 s t_p, p = 0.1 (all without RTD/2). The probabilities beyond the
    table change D_N by less than 1e-16 of it.

    Examples
    --------
    >>> round(max_delay_mean(2, 0.5, 1, 1.0, 2.0), 12)  # the larger of two geometric numbers: 8/3 rounds
    12.0

    References
    ----------
    Ours; the maximum delay is a measure of Gong & Parulkar, section 4.1, that they only simulate.
    """
    count = domains.numbers("segments", segments, "segments", SEGMENTS, integer=True, nan=True)
    delays, within, beyond = _steps(loss, segment_packets, packet_time, round_trip_time, _largest(count))
    gaps = np.diff(delays)
    late = np.stack([_late(n, within, beyond)[:-1] for n in np.ravel(count)])
    means = delays[0] + np.sum(late * gaps, axis=1).reshape(np.shape(count))
    return _plain(np.where(np.isnan(count), np.nan, means))


def max_delay_quantile(
    probability: Any, segments: Any, loss: float, segment_packets: int, packet_time: float, round_trip_time: float
) -> Any:
    r"""Return the smallest delay [s] within which N segments, each sent alone, all arrive with probability q or more.

    .. math:: d_{q,N} = \min\{d : P(D \le d)^N \ge q\}

    Parameters
    ----------
    probability : float or array
        q [probability], in (0, 1).
    segments : int or array
        N [segments], an integer in [1, 1e12].
    loss, segment_packets, packet_time, round_trip_time
        As for `delay_cdf`.

    Returns
    -------
    float or array
        d_qN [s].

    Notes
    -----
    The assumptions are those of `max_delay_mean`; a probability within rounding of q counts as q.

    Examples
    --------
    >>> max_delay_quantile(0.5625, 2, 0.5, 1, 1.0, 2.0)  # 0.75^2
    8.0

    References
    ----------
    Ours; see `max_delay_mean`.
    """
    q = domains.numbers("probability", probability, "probability", "(0, 1)", nan=True)
    count = domains.numbers("segments", segments, "segments", SEGMENTS, integer=True, nan=True)
    delays, within, beyond = _steps(loss, segment_packets, packet_time, round_trip_time, _largest(count))
    q, count = np.broadcast_arrays(q, count)
    found = [_first(wanted, n, delays, within, beyond) for wanted, n in zip(q.ravel(), count.ravel(), strict=True)]
    return _plain(np.reshape(found, q.shape))


def _steps(
    loss: Any, packets: Any, packet_time: Any, round_trip_time: Any, segments: float
) -> tuple[Array, Array, Array]:
    """Return the possible delays d in increasing order [s], and the probabilities P(D <= d) and P(D > d)."""
    loss = domains.number("loss", loss, "probability", LOSSES)
    packets = domains.integer("segment_packets", packets, "packets", SIZES)
    packet_time = domains.number("packet_time", packet_time, "s", "(0, inf)")
    round_trip_time = domains.number("round_trip_time", round_trip_time, "s", "[0, inf)")
    ack_delay = round_trip_time + 3 * packet_time  # section 3.4
    chances = joint(loss, packets, LEFT_OUT / segments)
    rounds, sent = np.indices(chances.shape)
    delays = (packets + sent) * packet_time + rounds * ack_delay + round_trip_time / 2
    delays, chances = delays[chances > 0], chances[chances > 0]
    order = np.argsort(delays)
    delays, chances = delays[order], chances[order]
    # Merge delays that differ only by rounding.
    begins = np.flatnonzero(np.concatenate([[True], delays[1:] > delays[:-1] * (1 + 8 * EPS)]))
    delays, chances = delays[begins], np.add.reduceat(chances, begins)
    beyond = np.concatenate(
        [np.cumsum(chances[:0:-1])[::-1], [0.0]]
    )  # summed from the far end, so that nothing is subtracted
    return delays, np.where(beyond < 0.5, 1 - beyond, np.cumsum(chances)), beyond


def _late(segments: float, within: Array, beyond: Array) -> Array:
    """Return 1 - F^N, from the smaller of F (``within``) and 1 - F (``beyond``)."""
    usual = beyond < 0.5
    return -np.expm1(segments * np.where(usual, np.log1p(-np.where(usual, beyond, 0.0)), np.log(within)))


def _first(wanted: float, segments: float, delays: Array, within: Array, beyond: Array) -> float:
    """Return the smallest delay within which all segments arrive with a probability of at least q; NaN for NaN.

    A margin of eps/4 covers the rounding of q to a float.
    """
    if np.isnan(wanted) or np.isnan(segments):
        return float("nan")
    if wanted < 0.5:
        enough = segments * np.log(within) >= np.log(wanted) - 8 * EPS
    else:
        enough = _late(segments, within, beyond) <= (1 - wanted) * (1 + 8 * EPS) + EPS / 4
    return float(delays[np.argmax(enough)])


def _largest(count: Array) -> float:
    """Return the largest number of segments, rounded up to a power of ten, so that the cache has few tables."""
    return float(10.0 ** np.ceil(np.log10(np.nanmax(count, initial=1.0))))


def _plain(values: Array) -> Any:
    """Return an array without dimensions as a float, and any other array unchanged."""
    return float(values) if np.ndim(values) == 0 else values
