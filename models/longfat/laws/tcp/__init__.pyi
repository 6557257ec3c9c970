"""TCP and related schemes: sawtooth, rate under loss, slow start; metrics of throughput tests.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
@_law
def achievable_throughput(capacity: Any, payload: Any, overhead: Any = 78) -> Any:
    r"""Return the greatest rate at which TCP can carry data over a link of a given bandwidth.

    .. math:: X = C \frac{l}{l + h}

    Parameters
    ----------
    capacity : float or array
        Bottleneck bandwidth, of the physical layer: C [bytes/s], in (0, inf), typically 1e5 to 1.25e9.
    payload : float or array
        Bytes of data in a packet: l [bytes], in (0, inf), typically 536 to 8960.
    overhead : float or array, default 78
        Bytes that a packet takes on the wire besides its data: h [bytes], in [0, inf), typically 48 to 90. 78 on
        Ethernet: 40 of IP and TCP, 18 of the frame, 20 of preamble and gap.

    Returns
    -------
    float or array
        X [bytes/s], data per second.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The RFC rounds the frames per second, C/(l + h), down to an integer. Here they are not rounded.

    References
    ----------
    B. Constantine, G. Forget, R. Geib and R. Schrage, "Framework for TCP Throughput Testing", RFC 6349, 2011,
    section 4.1.1.

    Examples
    --------
    >>> round(8e-6 * achievable_throughput(100e6 / 8, 1460), 1)  # 100 Mbit/s Ethernet, in Mbit/s
    94.9
    """

@_law
def aimd_mean_queue(buffer: Any, decrease: Any) -> Any:
    r"""Return the mean backlog of a drop-tail link with one flow that multiplies its window by a factor at a loss.

    .. math:: Q = (1 + B) \, \frac{(f - y) \left(\frac{1}{3} (f^2 + f y + y^2) + \frac{s}{2} (f + y)\right)}
        {s \max(s - \beta, 0) + \frac{1}{2} (f - y) (1 + \max(\beta, s))}, \qquad
        s = \frac{1}{1 + B}, \quad f = \frac{B}{1 + B}, \quad y = \max(\beta - s, 0)

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in [0, inf), typically 0.01 to 2.
    decrease : float or array
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.

    Returns
    -------
    float or array
        Q over the bandwidth-delay product [1], the mean over time; 5/9 for beta = 1/2 at B = 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `aimd_utilisation`. The queue is between y (1 + B) and B bandwidth-delay products, and
    empty while the window is below one product. With a small buffer it tends to B^2/(2 (1 - beta)), with a large one to
    (1 + B) times (2/3) (1 - beta^3)/(1 - beta^2), less one product: 7/9 of 1 + B for beta = 1/2.

    References
    ----------
    Ours, in the fluid limit of V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988,
    doi:10.1145/52324.52356, section 3, with the factor of Y. R. Yang and S. S. Lam, "General AIMD Congestion
    Control", IEEE ICNP 2000. Proof: derivations/tcp.py, aimd_mean_queue.

    Examples
    --------
    >>> round(aimd_mean_queue(1, 0.5) * 9, 12)
    5.0
    """

@_law
def aimd_utilisation(buffer: Any) -> Any:
    r"""Return the utilisation of a drop-tail link by one flow that halves its window at a loss.

    .. math:: U = \begin{cases} \dfrac{3 (1 + B)^2}{4 (1 + B + B^2)} & 0 \le B \le 1 \\ 1 & B > 1 \end{cases}
        \qquad = \frac{3}{3 + y^2}, \quad y = \frac{\max(1 - B, 0)}{1 + B}

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in [0, inf), typically 0.01 to 2.

    Returns
    -------
    float or array
        U [1], from 3/4 without a buffer to 1 at B = 1, where the slope is 0 on both sides.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The window w grows from (1 + B)/2 to 1 + B bandwidth-delay products; the round-trip time is max(1, w) times that
    of the empty path, since it includes the queueing delay. This is a fluid limit: it holds for a bandwidth-delay
    product of many packets (N packets change U by the order of 1/N), one loss per cycle, no timeouts, and no time
    lost in recovery.

    References
    ----------
    Ours, in the fluid limit of V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988,
    doi:10.1145/52324.52356, section 3 (the rules); G. Appenzeller, I. Keslassy and N. McKeown, "Sizing Router
    Buffers", ACM SIGCOMM 2004, doi:10.1145/1015467.1015499, section 2 (B = 1 fills the link). Proof:
    derivations/tcp.py, aimd_utilisation.

    Examples
    --------
    >>> round(aimd_utilisation(0.5), 4)
    0.9643
    """

@_law
def aimd_utilisation_general(buffer: Any, decrease: Any) -> Any:
    r"""Return the utilisation of a drop-tail link by one flow that multiplies its window by a factor at a loss.

    .. math:: U = \frac{1 - \beta^2}{1 - \beta^2 + y^2}, \qquad y = \max\left(\frac{1}{1 + B} - \beta, 0\right)

    Parameters
    ----------
    buffer : float or array
        Buffer over the bandwidth-delay product of the empty path: B [1], in [0, inf), typically 0.01 to 2.
    decrease : float or array
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.

    Returns
    -------
    float or array
        U [1], from (1 + beta)/2 without a buffer to 1 at B = 1/beta - 1. The increase does not matter.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `aimd_utilisation`, which is the case beta = 1/2.

    References
    ----------
    Ours, in the fluid limit of V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988,
    doi:10.1145/52324.52356, section 3, with the factor of Y. R. Yang and S. S. Lam, "General AIMD Congestion
    Control", IEEE ICNP 2000. Proof: derivations/tcp.py, aimd_utilisation_general.

    Examples
    --------
    >>> aimd_utilisation_general(0, 7 / 8)
    0.9375
    """

@_law
def buffer_delay(loaded_round_trip_time: Any, round_trip_time: Any) -> Any:
    r"""Return the buffer delay: by how much a transfer lengthens the round-trip time, over that of the empty path.

    .. math:: \frac{R_m - R}{R}

    Parameters
    ----------
    loaded_round_trip_time : float or array
        Mean round-trip time during the transfer: R_m [s], in (0, inf), typically 0.001 to 2.
    round_trip_time : float or array
        Round-trip time of the path without congestion: R [s], in (0, inf), typically 0.001 to 1.

    Returns
    -------
    float or array
        The RFC's percentage over 100 [1]; 0 without queueing.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    With one flow that keeps a link busy it is the mean queue over the bandwidth-delay product, such as
    `cubic.mean_queue`.

    References
    ----------
    B. Constantine, G. Forget, R. Geib and R. Schrage, "Framework for TCP Throughput Testing", RFC 6349, 2011,
    section 4.3.

    Examples
    --------
    >>> round(buffer_delay(32e-3, 25e-3), 12)
    0.28
    """

@_law
def buffer_for_slow_start(packets: Any, rate_ratio: Any) -> Any:
    r"""Return the smallest buffer of an idle switch that loses nothing of a slow start.

    .. math:: K \ge (w - 1) \left(1 - \max\left(r, \tfrac{1}{2}\right)\right), \qquad
        w = \max\left(2^{l - 1}, n + 1 - 2^l\right), \qquad l = \lfloor \log_2 n \rfloor

    w is the largest round of the file, r the rate ratio BW_b/BW_N.

    Parameters
    ----------
    packets : int or array
        Packets of the file: n [packets], an integer in [1, inf), typically 1 to 1e5. They are sent by slow start from a
        window of 1.
    rate_ratio : float or array
        Rate at which the switch sends, over the rate of the access link: r [1], in [0, 1], typically 0.1 to 0.95.

    Returns
    -------
    float or array
        Buffer [packets]; buffers not smaller than this lose nothing. Rounded up, it is the longest queue.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact while every round but the largest is sent before its first acknowledgment returns; in longer files the
    queues of several rounds add up. For r <= 2/3 a switch with K = C D/3, the round trip of its link, is full before
    that. Half of a round is queued, because each acknowledgment, one per t_b, releases two packets; of a burst, a
    share 1 - r is queued.

    References
    ----------
    Ours, for the network of H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very
    High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, figure
    4. Proof: derivations/unloaded.py, buffer_for_slow_start.

    Examples
    --------
    >>> buffer_for_slow_start([200, 2000], 0.2)  # Kim and Farber's switches have 75 to 3750
    array([ 36., 488.])
    """

@_law
def buffer_for_utilisation(utilisation: Any) -> Any:
    r"""Return the smallest buffer with which one flow that halves its window reaches a utilisation.

    .. math:: B = \frac{\max(4 U - 3, 0)}{\left(\sqrt{U} + \sqrt{3 (1 - U)}\right)^2}

    Parameters
    ----------
    utilisation : float or array
        Utilisation, the share of the time in which the link sends: U [1], in (0, 1], typically 0.75 to 1.

    Returns
    -------
    float or array
        B [1], in bandwidth-delay products; 0 up to U = 3/4, 1 at U = 1, where the slope is infinite.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    As accurate as `aimd_utilisation`, which it inverts.

    References
    ----------
    Ours: aimd_utilisation solved for the buffer, in the fluid limit of V. Jacobson, "Congestion Avoidance and
    Control", ACM SIGCOMM 1988, doi:10.1145/52324.52356, section 3. Proof: derivations/tcp.py,
    buffer_for_utilisation.

    Examples
    --------
    >>> round(aimd_utilisation(buffer_for_utilisation(0.9)), 12)
    0.9
    """

@_law
def gaimd_rate(loss: Any, round_trip_time: Any, increase: Any, decrease: Any, acked: Any = 1) -> Any:
    r"""Return the rate of a GAIMD flow, which adds alpha per window and multiplies its window by beta at a loss.

    .. math:: X = \frac{1}{R} \sqrt{\frac{\alpha (1 + \beta)}{2 b (1 - \beta) p}}

    Parameters
    ----------
    loss : float or array
        Loss events per packet sent: p [probability], in (0, 1), typically 1e-6 to 0.1.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    increase : float or array
        Increase of the window per acknowledged window: alpha [packets], in (0, inf), typically 0.1 to 2.
    decrease : float or array
        Factor by which a loss multiplies the window: beta [1], in (0, 1), typically 0.3 to 0.95.
    acked : float or array, default 1
        Packets that one acknowledgment covers: b [packets], in [1, inf), typically 1 to 2.

    Returns
    -------
    float or array
        X [packets/s]; `square_root_rate` for alpha = 1, beta = 1/2.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The assumptions are those of `square_root_rate`. By this rate alone alpha = 3 (1 - beta)/(1 + beta) would be fair to
    TCP; the usual alpha = 0.31 for beta = 7/8 takes timeouts into account and is 1.24 times as fast where there are
    none.

    References
    ----------
    Y. R. Yang and S. S. Lam, "General AIMD Congestion Control", IEEE ICNP 2000 (the term of the rate that remains
    without timeouts). Proof: derivations/tcp.py, gaimd_rate.

    Examples
    --------
    >>> round(gaimd_rate(1e-4, 0.1, 0.31, 7 / 8) / square_root_rate(1e-4, 0.1), 3)
    1.245
    """

@_law
def ideal_transfer_time(file_size: Any, capacity: Any, payload: Any, overhead: Any = 78) -> Any:
    r"""Return the time that a transfer takes at `achievable_throughput`.

    .. math:: T_0 = \frac{F}{C} \frac{l + h}{l}

    Parameters
    ----------
    file_size : float or array
        Bytes to transfer: F [bytes], in (0, inf), typically 1e6 to 1e10.
    capacity : float or array
        Bottleneck bandwidth, of the physical layer: C [bytes/s], in (0, inf), typically 1e5 to 1.25e9.
    payload : float or array
        Bytes of data in a packet: l [bytes], in (0, inf), typically 536 to 8960.
    overhead : float or array, default 78
        Bytes that a packet takes on the wire besides its data: h [bytes], in [0, inf), typically 48 to 90. 78 on
        Ethernet: 40 of IP and TCP, 18 of the frame, 20 of preamble and gap.

    Returns
    -------
    float or array
        T_0 [s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Slow start and the round trip are not in it, so that even a perfect TCP takes longer: see `unloaded_transfer_time`.

    References
    ----------
    B. Constantine, G. Forget, R. Geib and R. Schrage, "Framework for TCP Throughput Testing", RFC 6349, 2011,
    section 4.1.2.

    Examples
    --------
    >>> round(ideal_transfer_time(100e6, 1e9 / 8, 1460), 2)
    0.84
    """

@_law
def loss_of_window(window: Any, acked: Any = 1) -> Any:
    r"""Return the loss probability of a flow that loses one packet whenever its window reaches a given size.

    .. math:: p = \frac{8}{3 b W^2}

    Parameters
    ----------
    window : float or array
        Window just before it is reduced: W [packets], in [2, inf), typically 4 to 1e5.
    acked : float or array, default 1
        Packets that one acknowledgment covers: b [packets], in [1, inf), typically 1 to 2.

    Returns
    -------
    float or array
        p [probability]; alone at a drop-tail link W is the bandwidth-delay product plus the buffer.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a fluid sawtooth. Counted in packets, with b = 1, a cycle has (3/8) W^2 + (3/4) W of them, so for small
    W the law is too high, by 2/W of p.

    References
    ----------
    M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance
    Algorithm", Computer Communication Review 27(3), 1997, doi:10.1145/263932.264023, section 2. Proof:
    derivations/tcp.py, loss_of_window.

    Examples
    --------
    >>> round(loss_of_window(100), 6)
    0.000267
    """

@_law
def pftk_full_rate(loss: Any, round_trip_time: Any, timeout: Any, largest_window: Any, acked: Any = 1) -> Any:
    r"""Return the rate of TCP Reno with timeouts and a largest window, by the full model of Padhye et al.

    .. math::

        X = \frac{\dfrac{1 - p}{p} + W + \dfrac{Q}{1 - p}}{R (k + 1) + Q T_0 \dfrac{f}{1 - p}}, \qquad
        W = \min(W_u, W_m), \quad W_u = c + \sqrt{\frac{8 (1 - p)}{3 b p} + c^2}, \quad c = \frac{2 + b}{3 b}

        k = \begin{cases} \dfrac{b W}{2} & W_u < W_m \\ \dfrac{b W}{8} + \dfrac{1 - p}{p W} + 1 & W_u \ge W_m
        \end{cases}, \qquad
        Q = \min\left(1, \frac{(1 - (1 - p)^3) (1 + (1 - p)^3 (1 - (1 - p)^{W - 3}))}{1 - (1 - p)^W}\right)

    with f = 1 + p + 2 p^2 + 4 p^3 + 8 p^4 + 16 p^5 + 32 p^6.

    Parameters
    ----------
    loss : float or array
        Loss events per packet sent: p [probability], in (0, 1), typically 1e-6 to 0.1. It is that of the first loss of
        a round; the rest of that round is lost with it.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    timeout : float or array
        First retransmission timeout: T_0 [s], in [0, inf), typically 0.2 to 4.
    largest_window : float or array
        Largest window that the receiver allows: W_m [packets], in [1, inf), typically 4 to 1e4.
    acked : float or array, default 1
        Packets that one acknowledgment covers: b [packets], in [1, inf), typically 1 to 2.

    Returns
    -------
    float or array
        X [packets/s], sent rather than delivered.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A model of means, which combines W, Q and k as if they were independent. k jumps by (2 - b)/4 rounds at W_u = W_m
    unless b = 2, the paper's case. It holds if the losses of a round are consecutive, recovery is that of Reno, and
    the round-trip time does not depend on the window.

    References
    ----------
    J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Throughput: A Simple Model and its Empirical
    Validation", ACM SIGCOMM 1998, doi:10.1145/285237.285291, sections 2.1 to 2.3. Proof: derivations/tcp.py,
    pftk_full_rate.

    Examples
    --------
    >>> round(pftk_full_rate(0.01, 0.1, 0.4, 1000), 1)
    111.0
    """

@_law
def pftk_rate(loss: Any, round_trip_time: Any, timeout: Any, acked: Any = 1) -> Any:
    r"""Return the rate of TCP Reno with timeouts by the approximation for small loss, the equation of TFRC.

    .. math:: X = \frac{1}{R \sqrt{\dfrac{2 b p}{3}}
        + T_0 \min\left(1, 3 \sqrt{\dfrac{3 b p}{8}}\right) p (1 + 32 p^2)}

    Parameters
    ----------
    loss : float or array
        Loss events per packet sent: p [probability], in (0, 1), typically 1e-6 to 0.1.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    timeout : float or array
        First retransmission timeout: T_0 [s], in [0, inf), typically 0.2 to 4. TFRC takes 4 R.
    acked : float or array, default 1
        Packets that one acknowledgment covers: b [packets], in [1, inf), typically 1 to 2.

    Returns
    -------
    float or array
        X [packets/s], sent rather than delivered; at most W_m/R if the receiver allows W_m packets.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Tends to `pftk_full_rate` without a window limit as p -> 0. It holds for small p: 1 + 32 p^2 is the paper's fit to
    1 + p + 2 p^2 + ... + 32 p^6, 17 % too large at p = 0.1. RFC 5348 leaves out the min, which matters only where b p
    > 8/27.

    References
    ----------
    J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP Throughput: A Simple Model and its Empirical
    Validation", ACM SIGCOMM 1998, doi:10.1145/285237.285291, section 2.3 (approximate model); S. Floyd et al., "TCP
    Friendly Rate Control (TFRC): Protocol Specification", RFC 5348, 2008, section 3.1. Proof: derivations/tcp.py,
    pftk_rate.

    Examples
    --------
    >>> round(pftk_rate(0.01, 0.1, 0.4), 1)
    112.3
    """

@_law
def slow_start_rounds(packets: Any, initial_window: Any = 1) -> Any:
    r"""Return the rounds in which slow start sends a file without loss, with one acknowledgment per packet.

    .. math:: r = \left\lceil \log_2\left(\frac{n}{W_0} + 1\right) \right\rceil
        = 1 + \left\lfloor \log_2 \left\lceil \frac{n}{W_0} \right\rceil \right\rfloor

    Parameters
    ----------
    packets : int or array
        Packets of the file: n [packets], an integer in [1, inf), typically 1 to 1e5.
    initial_window : int or array, default 1
        Window of the first round: W_0 [packets], an integer in [1, inf), typically 1 to 10.

    Returns
    -------
    float or array
        r [rounds], an integer.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact: round k sends W_0 2^k packets. Floats are computed by the second form, which is exact for n < 2^53. Delayed
    acknowledgments, with which the window grows by half per round, are not covered.

    References
    ----------
    V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988, doi:10.1145/52324.52356, section 1 (the
    rule); N. Cardwell, S. Savage and T. Anderson, "Modeling TCP Latency", IEEE INFOCOM 2000 (the same number, not
    rounded). Proof: derivations/tcp.py, slow_start_rounds.

    Examples
    --------
    >>> slow_start_rounds(7), slow_start_rounds(8)
    (3.0, 4.0)
    """

@_law
def slow_start_transfer_time(packets: Any, round_trip_time: Any, packet_time: Any, initial_window: Any = 1) -> Any:
    r"""Return the transfer time of a file by slow start over an empty path without loss.

    .. math:: D = R + \max_{0 \le j < r} \left[ j (R + t) + (n - W_0 (2^j - 1)) t \right]

    with r = `slow_start_rounds`. The largest term is the last one, j = r - 1, or, if some round fills the
    pipe before, that of the first such round, j = ceil(log2((R + t)/(W_0 t))).

    Parameters
    ----------
    packets : int or array
        Packets of the file: n [packets], an integer in [1, inf), typically 1 to 1e5.
    round_trip_time : float or array
        Round-trip time of the empty path, without t: R [s], in [0, inf), typically 0.001 to 1. It lasts from the end of
        a packet's transmission to its acknowledgment.
    packet_time : float or array
        Transmission time of a packet at the bottleneck: t [s], in (0, inf), typically 1e-6 to 0.001.
    initial_window : int or array, default 1
        Window of the first round: W_0 [packets], an integer in [1, inf), typically 1 to 10.

    Returns
    -------
    float or array
        D [s], from the first packet to the last acknowledgment. The file is complete at the receiver earlier by the
        acknowledgment's propagation time.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for one acknowledgment per packet, no slow-start threshold, buffers that hold everything, and one link whose
    transmission time counts: every acknowledgment releases two packets, which queue at the bottleneck. R does not
    include a packet's own transmission time t: a single packet takes R + t, and rounds begin R + t apart. For a
    measured round-trip time T of a single packet insert R = T - t.

    References
    ----------
    Ours, under the rule of V. Jacobson, "Congestion Avoidance and Control", ACM SIGCOMM 1988,
    doi:10.1145/52324.52356, section 1. Proof: derivations/tcp.py, slow_start_transfer_time.

    Examples
    --------
    >>> round(1e3 * slow_start_transfer_time(20, 40e-3, 0.1e-3), 1)
    200.9
    """

@_law
def square_root_rate(loss: Any, round_trip_time: Any, acked: Any = 1) -> Any:
    r"""Return the rate of TCP in congestion avoidance if every 1/p-th packet is lost.

    .. math:: X = \frac{1}{R} \sqrt{\frac{3}{2 b p}}

    Parameters
    ----------
    loss : float or array
        Loss events per packet sent: p [probability], in (0, 1), typically 1e-6 to 0.1.
    round_trip_time : float or array
        Round-trip time, queueing included: R [s], in (0, inf), typically 0.001 to 1.
    acked : float or array, default 1
        Packets that one acknowledgment covers: b [packets], in [1, inf), typically 1 to 2. It is 2 if acknowledgments
        are delayed.

    Returns
    -------
    float or array
        X [packets/s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a fluid sawtooth. It holds for small p: timeouts, recovery and the receiver's window are left out.
    Against `pftk_rate` with b = 1 and T_0 = 4 R it is 1 % too high at p = 1e-3, 9 % at 1e-2, 48 % at 0.05.

    References
    ----------
    M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The Macroscopic Behavior of the TCP Congestion Avoidance
    Algorithm", Computer Communication Review 27(3), 1997, doi:10.1145/263932.264023, section 2. Proof:
    derivations/tcp.py, square_root_rate.

    Examples
    --------
    >>> round(square_root_rate(0.01, 0.1), 1)
    122.5
    """

@_law
def tcp_efficiency(original: Any, retransmitted: Any) -> Any:
    r"""Return the TCP efficiency: the share of the transmitted bytes that are not retransmissions.

    .. math:: E = \frac{F}{F + r}

    Parameters
    ----------
    original : float or array
        Bytes to transfer, each counted once: F [bytes], in (0, inf), typically 1000 to 1e10.
    retransmitted : float or array
        Bytes sent again, counted as often as they were: r [bytes], in [0, inf), typically 0 to 1e8.

    Returns
    -------
    float or array
        E [1], the RFC's percentage over 100.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    In the RFC's words (transmitted - retransmitted)/transmitted, where the transmitted bytes include the
    retransmitted ones. With a loss probability p and no needless retransmission it is 1 - p.

    References
    ----------
    B. Constantine, G. Forget, R. Geib and R. Schrage, "Framework for TCP Throughput Testing", RFC 6349, 2011,
    section 4.2.

    Examples
    --------
    >>> round(tcp_efficiency(100_000, 2_000), 4)
    0.9804
    """

@_law
def transfer_time_ratio(transfer_time: Any, ideal_time: Any) -> Any:
    r"""Return the TCP transfer time ratio: how many times longer a transfer took than ideally.

    .. math:: \frac{T}{T_0}

    Parameters
    ----------
    transfer_time : float or array
        Transfer time that was measured: T [s], in (0, inf), typically 0.001 to 1e4.
    ideal_time : float or array
        Ideal transfer time: T_0 [s], in (0, inf), typically 0.001 to 1e4.

    Returns
    -------
    float or array
        T/T_0 [1]; 1 is ideal.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The ideal time is `ideal_transfer_time`.

    References
    ----------
    B. Constantine, G. Forget, R. Geib and R. Schrage, "Framework for TCP Throughput Testing", RFC 6349, 2011,
    section 4.1.

    Examples
    --------
    >>> transfer_time_ratio(12, 8)
    1.5
    """

@_law
def unloaded_transfer_time(
    packets: Any,
    round_trip_time: Any,
    access_time: Any,
    bottleneck_time: Any,
    last_time: Any = 0,
    initial_window: Any = 1,
) -> Any:
    r"""Return the transfer time of a file by slow start over three empty links, up to its last acknowledgment.

    .. math:: T = D + t_a + t_b + t_d - t + \max_{0 \le j < r} \left[ j (D + t_a + t_b + t_d) + (n - W_0 (2^j - 1)) t
        \right], \qquad t = \max(t_a, t_b, t_d)

    with r = `slow_start_rounds`.

    Parameters
    ----------
    packets : int or array
        Packets of the file: n [packets], an integer in [1, inf), typically 1 to 1e5.
    round_trip_time : float or array
        Round-trip propagation time: D [s], in [0, inf), typically 0.0001 to 0.3.
    access_time : float or array
        Transmission time of a packet on the access link: t_a [s], in [0, inf), typically 1e-6 to 0.001. 0 stands for an
        infinitely fast link.
    bottleneck_time : float or array
        Transmission time of a packet on the bottleneck link: t_b [s], in (0, inf), typically 1e-6 to 0.001.
    last_time : float or array, default 0
        Transmission time of a packet on the last link: t_d [s], in [0, inf), typically 1e-6 to 0.001. 0 leaves the
        transmission time of the last link out.
    initial_window : int or array, default 1
        Window of the first round: W_0 [packets], an integer in [1, inf), typically 1 to 10.

    Returns
    -------
    float or array
        T [s]: `slow_start_transfer_time` with R = D + t_a + t_b + t_d - t.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact under the rules of `slow_start_transfer_time`, if the switch can buffer what slow start sends
    (`buffer_for_slow_start`). Otherwise packets are lost, the window is at least halved, and the transfer takes
    longer: then this is a lower bound.

    References
    ----------
    Ours, for the network of H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very
    High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, figure
    4. Proof: derivations/unloaded.py, tcp_transfer_time.

    Examples
    --------
    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s; at once: 30.8 ms
    240.352
    """
