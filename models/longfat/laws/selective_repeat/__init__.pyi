"""Selective repeat of segments under a window and a rate: delay, throughput efficiency, windows.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law
from longfat.laws.selective_repeat.delay_distribution import delay_cdf as delay_cdf
from longfat.laws.selective_repeat.delay_distribution import delay_quantile as delay_quantile
from longfat.laws.selective_repeat.delay_distribution import max_delay_mean as max_delay_mean
from longfat.laws.selective_repeat.delay_distribution import max_delay_quantile as max_delay_quantile

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
@_law
def ack_delay(round_trip_time: Any, packet_time: Any) -> Any:
    """Return the time from the end of a group of packets to its acknowledgment.

    .. math:: t_a = RTD + 3 t_p

    Parameters
    ----------
    round_trip_time : float or array
        Round-trip time: RTD [s], in [0, inf), typically 0.001 to 1.
    packet_time : float or array
        Transmission time of a packet: t_p [s], in (0, inf), typically 1e-8 to 0.001. It is that at the connection's
        rate.

    Returns
    -------
    float or array
        t_a [s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The receiver is assumed to take three packet times. Section 3.4 takes the packet time at the peak rate, section
    4.2 at the average rate; they agree where there are no gaps between bursts.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, sections 3.4 and 4.2. Proof: derivations/selective_repeat.py,
    acknowledgment_delay.

    Examples
    --------
    >>> ack_delay(0.1, 1e-3)
    0.103
    """

@_law
def ack_segments(ack_delay: Any, packet_time: Any, segment_packets: Any) -> Any:
    r"""Return the acknowledgment delay in segment times.

    .. math:: w_a = \frac{t_a}{s t_p}

    Parameters
    ----------
    ack_delay : float or array
        Acknowledgment delay: t_a [s], in [0, inf), typically 0.001 to 1.
    packet_time : float or array
        Transmission time of a packet: t_p [s], in (0, inf), typically 1e-8 to 0.001. It is that at the average rate.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.

    Returns
    -------
    float or array
        w_a [segments].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact by definition.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 3.4. Proof: derivations/selective_repeat.py, acknowledgment_delay.

    Examples
    --------
    >>> ack_segments(0.5, 0.001, 16)
    31.25
    """

@_law
def adjusted_window(window: Any, rate: Any, new_rate: Any) -> Any:
    r"""Return the window that a receiver asks for when its long-term rate changes.

    .. math:: W_1 = \frac{F_1}{F} W_0

    Parameters
    ----------
    window : float or array
        Window: W [segments], in [1, inf), typically 1 to 4000.
    rate : float or array
        Rate that the window was made for: F [segments/s], in (0, inf), typically 1 to 1e5.
    new_rate : float or array
        New rate: F_1 [segments/s], in (0, inf), typically 1 to 1e5.

    Returns
    -------
    float or array
        W_1 [segments].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The throughput follows the window only where W_0 <= 1 + w_a. A sender with a window c times as large does not slow
    down before F_1 / F < 1 / c: the paper states too wide a scope, as the derivation proves.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 3.4. Proof: derivations/selective_repeat.py, adjusted_window.

    Examples
    --------
    >>> adjusted_window(24, 100, 50)
    12.0
    """

@_law
def average_rate(burst_rate: Any, burst_packets: Any, packet_size: Any) -> Any:
    """Return the average rate of the bursty rate specification (P, F, L).

    .. math:: A = F L l

    Parameters
    ----------
    burst_rate : float or array
        Burst rate: F [bursts/s], in (0, inf), typically 1 to 1e5. It is at most `largest_burst_rate`.
    burst_packets : float or array
        Packets per burst: L [packets], in (0, inf), typically 1 to 256.
    packet_size : float or array
        Packet size: l [bytes], in (0, inf), typically 53 to 9000.

    Returns
    -------
    float or array
        A [bytes/s]; the paper counts bits.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact by definition.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 3.3.

    Examples
    --------
    >>> average_rate(1000, 16, 1024)
    16384000.0
    """

@_law
def buffer_for_efficiency_hard_ack(efficiency: Any, loss: Any, segment_packets: Any, ack_segments: Any) -> Any:
    r"""Return the smallest receive buffer that reaches a throughput efficiency under hard acknowledgment.

    .. math::

        B = \begin{cases} 1 & g M \le X \\
        \dfrac{2 g M - (1 - g) X}{g (2 + X)} & \text{where that is at least } M/2 \\
        1 + \dfrac{g M - X}{g X} & \text{else} \end{cases}
        \qquad X = \frac{1}{e} - \frac{1}{1 - p}

    Parameters
    ----------
    efficiency : float or array
        Throughput efficiency: e [1], in (0, 1), typically 0.05 to 0.99.
    loss : float or array
        Packet loss probability: p [probability], in (0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in [0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        B [segments], a real number, to be rounded up. NaN where e is above 1 - p.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The inverse of `throughput_efficiency_hard_ack` for wide windows, with its validity. A buffer of a
    few segments at w_a = 10^6 is a difference of nearly equal numbers: it has six correct digits fewer than e.

    References
    ----------
    Ours, for the rules of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks",
    WUCS-92-38, Washington University in St. Louis, 1992, section 4.3.1. Proof: derivations/receive_buffer.py,
    hard_ack_buffer.

    Examples
    --------
    >>> round(buffer_for_efficiency_hard_ack(0.95, 1e-3, 16, 23.125), 2)
    22.81
    """

@_law
def burst_packets(loss: Any, segment_packets: Any) -> Any:
    r"""Return the burst length that carries a segment and the retransmissions of the segment before it.

    .. math:: L = s + X, \qquad X = \frac{s p}{1 - p}

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.

    Returns
    -------
    float or array
        L [packets]. The paper leaves X, the expected retransmissions of a segment, to the user; this is its value under
        independent loss.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact mean for independent loss.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 3.3 (L = s + X) and section 4.2 (X, in the second term of D_s). Proof:
    derivations/segment_rounds.py, mean_transmissions.

    Examples
    --------
    >>> burst_packets(0.2, 16)
    20.0
    """

@_law
def delay_variance(loss: Any, segment_packets: Any, packet_time: Any, ack_delay: Any) -> Any:
    r"""Return the variance of a segment's delay, up to its last transmission or to its acknowledgment.

    .. math::

        \mathrm{Var}\,D = t_p^2 \frac{s p}{(1 - p)^2} + 2 t_p t_a \sum_{k=1}^{\infty} k s p^k (1 - p^k)^{s - 1} +
        t_a^2\, \mathrm{Var}\,K

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 0.86], typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    packet_time : float or array
        Transmission time of a packet: t_p [s], in (0, inf), typically 1e-8 to 0.001.
    ack_delay : float or array
        Acknowledgment delay: t_a [s], in [0, inf), typically 0.001 to 1.

    Returns
    -------
    float or array
        Var D [s^2]. Var K is `rounds_variance`; the sum in the middle is Cov(K, N).

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    With N packets sent in K rounds, the delay up to the acknowledgment is D = N t_p + K t_a. Up to the last
    transmission it is t_a less, which does not change the variance. Exact for a segment sent in isolation, like
    `mean_delay_sender`.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2 (which has the mean, D_s). Proof:
    derivations/segment_distribution.py, delay_variance.

    Examples
    --------
    >>> delay_variance(0.5, 1, 1.0, 2.0)
    18.0
    """

@_law
def discards_after_loss(receive_buffer: Any, ack_segments: Any) -> Any:
    r"""Return the segments that hard acknowledgment discards after one damaged segment.

    .. math:: D = \max(0, \min(M, 2 (M - B))), \qquad M = \lceil w_a \rceil + 1

    Parameters
    ----------
    receive_buffer : int or array
        Receive buffer: B [segments], an integer in [1, inf), typically 1 to 2000.
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in [0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        D [segments], until all segments are in order again.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a window of at least w_a + 1 + B and at least 2 w_a + 1 segments and a sender that always has data to
    send and repeats the damaged segment M segments after it: not if an acknowledgment arrives at the very moment at
    which the sender becomes idle, which is possible for w_a just above an integer. Discarded segments have to be sent
    again, so a loss costs D segment times. A buffer of M segments discards nothing. D is a step function of w_a.

    References
    ----------
    Ours, for the rules of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks",
    WUCS-92-38, Washington University in St. Louis, 1992, section 4.3.1. Proof: derivations/receive_buffer.py,
    discards.

    Examples
    --------
    >>> discards_after_loss(6, 23.125), discards_after_loss(18, 23.125), discards_after_loss(25, 23.125)
    (25.0, 14.0, 0.0)
    """

@_law
def initial_window(ack_segments: Any) -> Any:
    """Return the smallest window that keeps the sender busy if nothing is lost.

    .. math:: W_0 = 1 + w_a

    Parameters
    ----------
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in [0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        W_0 [segments].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact without loss. The paper's statement that it suffices up to p = 1e-4 (section 4.3) holds for w_a below about
    35 with s = 16.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 3.4. Proof: derivations/selective_repeat.py, initial_window.

    Examples
    --------
    >>> initial_window(23.0)
    24.0
    """

@_law
def largest_burst_rate(peak_rate: Any, burst_packets: Any, packet_size: Any) -> Any:
    r"""Return the largest burst rate that a peak rate allows; there the average rate equals the peak rate.

    .. math:: F \le \frac{P}{L l}

    Parameters
    ----------
    peak_rate : float or array
        Peak rate: P [bytes/s], in (0, inf), typically 1e4 to 1e11.
    burst_packets : float or array
        Packets per burst: L [packets], in (0, inf), typically 1 to 256.
    packet_size : float or array
        Packet size: l [bytes], in (0, inf), typically 53 to 9000.

    Returns
    -------
    float or array
        F [bursts/s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact by definition.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 3.3.

    Examples
    --------
    >>> largest_burst_rate(16384000, 16, 1024)
    1000.0
    """

@_law
def locked_efficiency_soft_ack(receive_buffer: Any, ack_segments: Any) -> Any:
    r"""Return the throughput efficiency at which soft acknowledgment stays locked after one loss.

    .. math:: E = \min\left(1, \frac{B}{M}\right), \qquad M = \lceil w_a \rceil + 1

    Parameters
    ----------
    receive_buffer : int or array
        Receive buffer: B [segments], an integer in [1, inf), typically 1 to 2000.
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in [0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        E [1], without any further loss.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The throughput of a window of B segments, whatever window is advertised: in every round trip the first missing
    segment has been discarded in favour of a smaller one, and B segments are consumed when it arrives again. It holds
    for wide windows, segments requested again at once, and w_a such that no acknowledgment arrives at the very moment
    at which the sender becomes idle, where the lock may be missed.

    References
    ----------
    Ours, for the rules of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks",
    WUCS-92-38, Washington University in St. Louis, 1992, section 4.3.1. Proof: derivations/receive_buffer.py,
    locked_efficiency.

    Examples
    --------
    >>> locked_efficiency_soft_ack(12, 23.125)
    0.48
    """

@_law
def max_rounds(loss: Any, segment_packets: Any, segments: Any) -> Any:
    r"""Return the mean of the largest number of transmission rounds among N segments.

    .. math:: S_N = \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^{N s}\right]

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    segments : int or array
        Number of segments: N [segments], an integer in [1, inf), typically 1 to 1e6.

    Returns
    -------
    float or array
        S_N [rounds], which is `mean_rounds` of one segment of N s packets.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss. H_(N s) <= -ln p S_N < H_(N s) - ln p with the harmonic number H, so it grows like
    ln(N)/(-ln p); the remainder is periodic in ln(N s)/(-ln p) as N grows.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2 (mean_rounds is the third term of
    D_s there). Proof: derivations/segment_distribution.py, largest.

    Examples
    --------
    >>> round(max_rounds(0.01, 16, 10**6), 2)
    4.15
    """

@_law
def mean_delay_receiver(loss: Any, segment_packets: Any, packet_time: Any, round_trip_time: Any) -> Any:
    r"""Return the mean time from a segment's first transmission until the receiver has it completely.

    .. math:: D_r = D_s - \frac{RTD}{2} - 3 t_p = \frac{t_s}{1 - p} + RTD (S - \tfrac12) + 3 t_p (S - 1)

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    packet_time : float or array
        Transmission time of a packet: t_p [s], in (0, inf), typically 1e-8 to 0.001.
    round_trip_time : float or array
        Round-trip time: RTD [s], in [0, inf), typically 0.001 to 1.

    Returns
    -------
    float or array
        D_r [s]. S is `mean_rounds`; nothing cancels in the second form.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `mean_delay_sender`; both directions are assumed to take half of the round-trip time.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 4.2 (D_r). Proof: derivations/selective_repeat.py, receiver_delay.

    Examples
    --------
    >>> mean_delay_receiver(0, 16, 1e-3, 0.1)
    0.066
    """

@_law
def mean_delay_sender(loss: Any, segment_packets: Any, packet_time: Any, ack_delay: Any) -> Any:
    r"""Return the mean time from a segment's first transmission until the sender knows of its arrival.

    .. math:: D_s = \frac{t_s}{1 - p} + t_a \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right], \qquad t_s = s t_p

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    packet_time : float or array
        Transmission time of a packet: t_p [s], in (0, inf), typically 1e-8 to 0.001.
    ack_delay : float or array
        Acknowledgment delay: t_a [s], in [0, inf), typically 0.001 to 1.

    Returns
    -------
    float or array
        D_s [s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a segment sent in isolation; otherwise the retransmissions of one segment may wait for the end of
    another segment's group.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 4.2 (D_s). Proof: derivations/selective_repeat.py, sender_delay.

    Examples
    --------
    >>> mean_delay_sender(0, 16, 1e-3, 0.1)
    0.116
    """

@_law
def mean_delay_tolerant(loss: Any, segment_packets: Any, tolerance: Any, packet_time: Any, ack_delay: Any) -> Any:
    r"""Return the mean time until the sender knows that at most T packets of a segment are missing.

    .. math::

        D_T = t_p \Bigl[s + \sum_{k=1}^{\infty} \sum_{j=T+1}^{s} j \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr] +
        t_a S_T

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 0.86], typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    tolerance : int or array
        Missing packets of a segment that are accepted: T [packets], an integer in [0, 64], typically 0 to 8.
    packet_time : float or array
        Transmission time of a packet: t_p [s], in (0, inf), typically 1e-8 to 0.001.
    ack_delay : float or array
        Acknowledgment delay: t_a [s], in [0, inf), typically 0.001 to 1.

    Returns
    -------
    float or array
        D_T [s], `mean_delay_sender` for T = 0. S_T is `mean_rounds_tolerant`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a segment sent in isolation, like `mean_delay_sender`.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2 (D_s there is the case T = 0).
    Proof: derivations/segment_distribution.py, mean_delay_tolerant.

    Examples
    --------
    >>> round(mean_delay_tolerant(0.5, 2, 1, 1.0, 3.0), 10)  # 2 + 2 (1/4 + 1/16 + ...) packets, 4/3 rounds
    6.6666666667
    """

@_law
def mean_rounds(loss: Any, segment_packets: Any) -> Any:
    r"""Return the mean number of transmission rounds until a segment is complete.

    .. math:: S = \sum_{i=0}^{\infty} \left[1 - (1 - p^i)^s\right]

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.

    Returns
    -------
    float or array
        S [rounds].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss. Floats are computed as described in `longfat.laws.selective_repeat.rounds`.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 4.2 (third term of D_s). Proof: derivations/segment_rounds.py,
    mean_rounds.

    Examples
    --------
    >>> mean_rounds(0.5, 1)
    2.0
    """

@_law
def mean_rounds_tolerant(loss: Any, segment_packets: Any, tolerance: Any) -> Any:
    r"""Return the mean number of transmission rounds until at most T packets of a segment are missing.

    .. math::

        S_T = 1 + \sum_{k=1}^{\infty} \Bigl[1 - \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j}\Bigr]

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 0.86], typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    tolerance : int or array
        Missing packets of a segment that are accepted: T [packets], an integer in [0, 64], typically 0 to 8.

    Returns
    -------
    float or array
        S_T [rounds], `mean_rounds` for T = 0.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss, as `rounds_cdf_tolerant` is. Floats are computed as described in
    `longfat.laws.selective_repeat.few_missing`, which covers p <= 0.86.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2. Proof:
    derivations/segment_distribution.py, mean_rounds_tolerant.

    Examples
    --------
    >>> round(mean_rounds_tolerant(0.5, 2, 1), 10)  # 1 + 1/4 + 1/16 + ...
    1.3333333333
    """

@_law
def processing_throughput(window: Any, segment_time: Any, ack_delay: Any, processing_time: Any) -> Any:
    r"""Return the segments per second that a receiver processes if nothing is lost and the window is integer.

    The slowest of three determines it: the sender's rate, the application, and the window, whose advancement is
    withheld until the application accepts a segment.

    .. math:: F_1 = \frac{1}{\max(t_s, T, (t_s + t_a) / W)}

    Parameters
    ----------
    window : float or array
        Window: W [segments], in [1, inf), typically 1 to 4000.
    segment_time : float or array
        Transmission time of a segment: t_s [s], in (0, inf), typically 0.0001 to 1.
    ack_delay : float or array
        Acknowledgment delay: t_a [s], in [0, inf), typically 0.001 to 1.
    processing_time : float or array
        Processing time of a segment at the receiver: T [s], in [0, inf), typically 0.0001 to 1.

    Returns
    -------
    float or array
        F_1 [segments/s]; in table 1 a segment is a packet, and the throughput is in bit/s.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for the sender, receiver and constant times of section 3.4. Table 1 gives 30 Mbit/s for 273 us per packet,
    that is :math:`1 / T` with packets of 1024 bytes, and 26 Mbit/s for 310 us, which is 26.4 Mbit/s.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 3.4 and table 1. Proof: derivations/selective_repeat.py,
    processing_throughput.

    Examples
    --------
    >>> round(processing_throughput(1000, 1e-9, 0.0, 273e-6) * 1024 * 8 / 1e6, 2)
    30.01
    >>> round(processing_throughput(4, 0.016, 0.16, 0.02), 3)
    22.727
    """

@_law
def rounds_cdf(rounds: Any, loss: Any, segment_packets: Any) -> Any:
    """Return the probability that a segment is complete within k transmission rounds.

    .. math:: F_k = (1 - p^k)^s

    Parameters
    ----------
    rounds : int or array
        Transmission rounds: k [rounds], an integer in [1, inf), typically 1 to 20.
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.

    Returns
    -------
    float or array
        F_k [probability].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss. All of N segments are complete within k rounds with the same probability for N s
    packets. Small values keep their relative accuracy; those too small for a float become 0.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2 (the mean of this distribution is
    the third term of D_s there). Proof: derivations/segment_distribution.py, cdf.

    Examples
    --------
    >>> rounds_cdf(2, 0.5, 2)
    0.5625
    """

@_law
def rounds_cdf_tolerant(rounds: Any, loss: Any, segment_packets: Any, tolerance: Any) -> Any:
    r"""Return the probability that all but T packets of a segment have arrived within k rounds.

    .. math:: F_k = \sum_{j=0}^{T} \binom{s}{j} p^{k j} (1 - p^k)^{s - j} = I_{1 - p^k}(s - T, T + 1)

    Parameters
    ----------
    rounds : int or array
        Transmission rounds: k [rounds], an integer in [1, inf), typically 1 to 20.
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    tolerance : int or array
        Missing packets of a segment that are accepted: T [packets], an integer in [0, 64], typically 0 to 8.

    Returns
    -------
    float or array
        F_k [probability].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss if, as in the simulator, all missing packets are repeated as long as more than T of
    them are missing. I is the regularised incomplete beta function; the sum is computed. T = 0 is `rounds_cdf`.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2 (the error tolerance of an
    application is a parameter of the simulations there). Proof: derivations/segment_distribution.py, cdf_tolerant.

    Examples
    --------
    >>> rounds_cdf_tolerant(1, 0.5, 2, 1)
    0.75
    """

@_law
def rounds_pmf(rounds: Any, loss: Any, segment_packets: Any) -> Any:
    """Return the probability that a segment needs exactly k transmission rounds.

    .. math:: f_k = (1 - p^k)^s - (1 - p^{k - 1})^s

    Parameters
    ----------
    rounds : int or array
        Transmission rounds: k [rounds], an integer in [1, inf), typically 1 to 20.
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.

    Returns
    -------
    float or array
        f_k [probability].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss. Computed as F_k (1 - (1 - r)^s), where r = p^(k-1) (1 - p)/(1 - p^k) is the
    probability that a packet which has arrived by round k had not arrived before: nothing cancels, however rare k is.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2. Proof:
    derivations/segment_distribution.py, pmf.

    Examples
    --------
    >>> rounds_pmf(2, 0.5, 2)
    0.3125
    """

@_law
def rounds_quantile(probability: Any, loss: Any, segment_packets: Any) -> Any:
    r"""Return the smallest number of rounds within which a segment is complete with probability q.

    .. math:: k = \max\left(\left\lceil \frac{\ln(1 - q^{1/s})}{\ln p} \right\rceil, 1\right)

    Parameters
    ----------
    probability : float or array
        Probability with which the value is not exceeded: q [probability], in (0, 1), typically 0.01 to 0.9999.
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.

    Returns
    -------
    float or array
        k [rounds], an integer.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss. In floats the result is the smallest k whose F_k is at least q up to the rounding of
    both: q = 0.9 is reached by p = 0.1, s = 1 in one round, though 1 - 0.9 < 0.1 in floats. For the slowest of N
    segments insert N s for s.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2. Proof:
    derivations/segment_distribution.py, quantile.

    Examples
    --------
    >>> rounds_quantile(0.999, 0.01, 16)
    3.0
    """

@_law
def rounds_variance(loss: Any, segment_packets: Any) -> Any:
    r"""Return the variance of the number of transmission rounds until a segment is complete.

    .. math::

        \mathrm{Var}\,K = \sum_{k=0}^{\infty} (2 k + 1) (1 - F_k) - S^2 =
        \sum_{k=1}^{\infty} (1 - F_k) \Bigl(F_k + 2 \sum_{j<k} F_j\Bigr), \qquad F_k = (1 - p^k)^s

    Parameters
    ----------
    loss : float or array
        Packet loss probability: p [probability], in [0, 0.86], typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.

    Returns
    -------
    float or array
        Var K [rounds^2].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for independent loss. Floats are computed as described in `longfat.laws.selective_repeat.moments`, which
    covers p <= 0.86. For the slowest of N segments insert N s for s.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2 (which has the mean S, in the third
    term of D_s). Proof: derivations/segment_distribution.py, rounds_variance.

    Examples
    --------
    >>> rounds_variance(0.5, 1)
    2.0
    """

@_law
def throughput_efficiency(window: Any, loss: Any, segment_packets: Any, ack_segments: Any) -> Any:
    r"""Return the throughput efficiency of a window of W segments: ideal over actual time per segment.

    .. math::

        E = \begin{cases}
        t_s / D_s & W = 1 \\
        \dfrac{1/g + W}{2 w_a + 1 + p + (w_a + 1) / (W g)} & 1 < W \le w_a + 1 \\
        \dfrac{w_a + m + 1/g}{2 w_a + 1 + p + 1/g} & w_a + 1 < W < 2 w_a + 1 \\
        1 - p & W \ge 2 w_a + 1 \end{cases}

    with g = 1 - (1 - p)^s and m = min(W - w_a, w_a (1 - p)).

    Parameters
    ----------
    window : float or array
        Window: W [segments], in [1, inf), typically 1 to 4000.
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in [0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        E [1].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The third case as printed counts the m segments of the second acknowledgment delay twice; here every segment time
    of the cycle is counted once. It is continuous at W = w_a + 1 if w_a (1 - p) >= 1, and jumps at W = 1 and W = 2
    w_a + 1. It exceeds 1 - p, which no scheme can, where (w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1). On
    shorter paths than those of its validity most segments in flight may be damaged at once, and the law is up to 0.1
    too high (w_a = 2.5, s = 128).

    Accurate within 0.03 where w_a s p^2 <= 0.02, w_a >= 20, w_a >= 3 s / 8, s <= 128, p <= 0.01, W <= 4 w_a (few
    segments in flight need a third transmission, and not all of them a second); not capped: it exceeds 1 - p where
    (w_a + m) g + 1 > (1 - p) ((2 w_a + 1 + p) g + 1).

    Printed wrong in the source, whose expression is `as_printed`: the denominator of the third case has m once more
    than the cycle has segment times, so the curve falls by a jump at W = w_a + 1 and tends to 2/3 on long paths.

    References
    ----------
    F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 4.2 (the four expressions for ThE). Proof:
    derivations/selective_repeat.py, efficiency_middle.

    Examples
    --------
    >>> round(throughput_efficiency(24, 1e-4, 16, 23.08), 3)
    0.963
    """

@_law
def throughput_efficiency_hard_ack(receive_buffer: Any, loss: Any, segment_packets: Any, ack_segments: Any) -> Any:
    r"""Return the throughput efficiency of a receive buffer of B segments under hard acknowledgment.

    .. math::

        E = \frac{1}{1/(1 - p) + r D}, \qquad r = \frac{g}{1 + g (B - 1)}, \qquad g = 1 - (1 - p)^s

    with D of `discards_after_loss`.

    Parameters
    ----------
    receive_buffer : int or array
        Receive buffer: B [segments], an integer in [1, inf), typically 1 to 2000.
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in [0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        E [1], never above 1 - p.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A segment takes 1/(1 - p) segment times to send; each damaged one costs D more, except those among the B - 1
    segments kept after another damaged one, which are repeated right after it. D is exact for one loss; that later
    losses do not interfere is an approximation. It does not hold for segments of few packets, where two losses can
    lock hard acknowledgment, too.

    Accurate within 0.03 where W >= 2 w_a + 1, s >= 16, g (w_a + 2) <= 0.5.

    References
    ----------
    Ours, for the rules of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks",
    WUCS-92-38, Washington University in St. Louis, 1992, section 4.3.1. Proof: derivations/receive_buffer.py,
    hard_ack_efficiency.

    Examples
    --------
    >>> round(throughput_efficiency_hard_ack(6, 1e-4, 16, 23.125), 3)
    0.962
    """

@_law
def throughput_efficiency_many_rounds(window: Any, loss: Any, segment_packets: Any, ack_segments: Any) -> Any:
    r"""Return the throughput efficiency of a window of W segments, whatever number of rounds they need.

    .. math::

        E = \frac{W}{W / (1 - p) + \max(M_\infty, 0)}, \qquad M_0 = w_a + 1 - \frac{W}{1 - p}, \qquad
        M_k = \begin{cases} M + w_a q_k & M \ge 0 \\ q_k (w_a + M) & -w_a < M < 0 \\
        M + w_a & M \le -w_a \end{cases} \quad (M = M_{k-1})

    with q_k = g_k d / (g_k d + 1 - g_k), g_k = 1 - (1 - p^k)^s, d = (W + n) / (1 + n), n = max(M, 0) / w_a.

    Parameters
    ----------
    window : float or array
        Window: W [segments], in [1, inf), typically 1 to 4000.
    loss : float or array
        Packet loss probability: p [probability], in [0, 0.5], typically 1e-6 to 0.3.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in (0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        E [1], never above 1 - p.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    M is the time per window that the sender waits, in segment times. A segment that needs a k-th repetition makes the
    window wait for one more acknowledgment delay, unless it waits already; q_k is the share of the time for which it
    waits. For one repetition and W = w_a + 1 this is exact, and equal to `throughput_efficiency` with (1 - g)/g in
    place of 1/g. Two things are approximations: that waiting periods are uniform in the window, and that repetitions
    can be treated one after the other.

    Accurate within 0.03 where p <= 0.1, w_a >= 12, s <= 128, any window.

    References
    ----------
    Ours, under the assumptions of F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed
    Networks", WUCS-92-38, Washington University in St. Louis, 1992, section 4.2, without the fourth of them. Proof:
    derivations/many_rounds.py, efficiency.

    Examples
    --------
    >>> round(throughput_efficiency_many_rounds(1907, 0.01, 16, 763.125), 3)
    0.86
    """

@_law
def window_for_efficiency(efficiency: Any, loss: Any, segment_packets: Any, ack_segments: Any) -> Any:
    r"""Return the smallest window, as a real number, at which `throughput_efficiency` reaches a value.

    .. math::

        g W^2 + \left(1 - e (2 w_a + 1 + p) g\right) W = e (w_a + 1) \quad (W \le w_a + 1), \qquad
        W = \frac{e ((2 w_a + 1 + p) g + 1) - 1}{g} \quad (W \le w_a + w_a (1 - p))

    and 2 w_a + 1 where neither reaches it.

    Parameters
    ----------
    efficiency : float or array
        Throughput efficiency: e [1], in (0, 1), typically 0.05 to 0.99. It has to be below 1 - p.
    loss : float or array
        Packet loss probability: p [probability], in [0, 1), typically 1e-6 to 0.1.
    segment_packets : int or array
        Packets per segment: s [packets], an integer in [1, inf), typically 1 to 128.
    ack_segments : float or array
        Acknowledgment delay in segment times: w_a [segments], in [0, inf), typically 0.25 to 1000.

    Returns
    -------
    float or array
        W [segments], NaN where e > 1 - p. The isolated value at W = 1 is not considered.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    As accurate as the law that it inverts.

    References
    ----------
    Ours: F. Gong and G. Parulkar, "A Two-Level Flow Control Scheme for High Speed Networks", WUCS-92-38, Washington
    University in St. Louis, 1992, section 4.2, solved for the window. Proof: derivations/selective_repeat.py,
    window_inversion.

    Examples
    --------
    >>> round(throughput_efficiency(window_for_efficiency(0.9, 1e-3, 16, 23), 1e-3, 16, 23), 12)
    0.9
    """
