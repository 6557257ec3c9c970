"""BLT: a file sent in one burst whose packets carry priorities; a full switch drops the lowest priority.

Written by ``make stubs``: editors show these signatures and docstrings.
"""

from collections.abc import Callable
from typing import Any, Generic, ParamSpec

from longfat.law import Law
from longfat.laws.blt.power import bandwidth_delay_product_for_advantage as bandwidth_delay_product_for_advantage

_P = ParamSpec("_P")

class _Law(Law, Generic[_P]):
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Any: ...

def _law(function: Callable[_P, Any]) -> _Law[_P]: ...
@_law
def additive_priority(packet: Any, step: Any = 1) -> Any:
    r"""Return the priority of a packet of a BLT burst whose windows grow by a constant; 0 is the highest.

    .. math:: P(s) = \left\lfloor \frac{2 s}{h + \sqrt{h^2 + 2 \alpha s}} \right\rfloor, \qquad
        h = 1 - \frac{\alpha}{2}

    Parameters
    ----------
    packet : int or array
        Number of the packet in its burst, from 0: s [packets], an integer in [0, 9007199254740992), typically 0 to
        65535.
    step : float or array, default 1
        Packets by which a window exceeds the previous window: alpha [packets], in [0, inf), typically 0.1 to 10. The
        priority is s itself for alpha = 0.

    Returns
    -------
    float or array
        P(s) [1], an integer: the number of the packet's window.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact, also in floats for integer alpha and s < 2^53, because a comparison with the first packets of windows
    decides. For other alpha, rounding decides to which of two windows a packet next to their border belongs.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 3.3.1 (windows that grow by a
    constant); the closed form is ours. Proof: derivations/blt.py, additive_priority.

    Examples
    --------
    >>> additive_priority(range(7))
    array([0., 1., 1., 2., 2., 2., 3.])
    """

@_law
def additive_window_size(window: Any, step: Any = 1) -> Any:
    r"""Return the size of one window of a BLT burst whose windows grow by a constant.

    .. math:: |W_k| = |W_{k-1}| + \alpha = 1 + \alpha k

    Parameters
    ----------
    window : int or array
        Number of the window, from 0: k [1], an integer in [0, inf), typically 0 to 15. Window 0 is a single packet.
    step : float or array, default 1
        Packets by which a window exceeds the previous window: alpha [packets], in [0, inf), typically 0.1 to 10.

    Returns
    -------
    float or array
        \|W_k\| [packets].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A definition. The paper gives the rule, but no value of alpha.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 3.3.1. Proof:
    derivations/blt.py, additive_window_size.

    Examples
    --------
    >>> additive_window_size([0, 1, 2], step=3)
    array([1., 4., 7.])
    """

@_law
def buffer_for_burst(packets: Any, rate_ratio: Any) -> Any:
    r"""Return the smallest buffer of an idle switch that loses nothing of a burst.

    .. math:: K \ge (n - 1) (1 - r), \qquad r = \frac{BW_b}{BW_N} = \frac{t_a}{t_b}

    Parameters
    ----------
    packets : int or array
        Packets of the file: n [packets], an integer in [1, inf), typically 1 to 2000.
    rate_ratio : float or array
        Rate at which the switch sends, over the rate at which the burst arrives: r [1], in [0, 1], typically 0.1 to
        0.95.

    Returns
    -------
    float or array
        (n - 1)(1 - r) [packets]; buffers not smaller than this lose nothing. Rounded up, it is the longest queue.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for every discipline that serves in order of arrival and drops packets only when the buffer is full. The
    packet in transmission is not in the buffer, and a departure precedes an arrival of the same instant.

    References
    ----------
    Ours, for the network of H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very
    High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, figure
    4. Proof: derivations/blt.py, buffer_for_burst.

    Examples
    --------
    >>> buffer_for_burst(101, 0.25)
    75.0
    """

@_law
def burst_for_buffer(buffer: Any, rate_ratio: Any) -> Any:
    r"""Return the longest burst of which an idle switch with a given buffer loses nothing.

    .. math:: n \le 1 + \frac{K}{1 - r}

    Parameters
    ----------
    buffer : float or array
        Buffer of the switch, without the packet in transmission: K [packets], in [0, inf), typically 1 to 2500.
    rate_ratio : float or array
        Rate at which the switch sends, over the rate at which the burst arrives: r [1], in [0, 1), typically 0.1 to
        0.95.

    Returns
    -------
    float or array
        n [packets], not rounded; of a longer burst, packet floor(n), counted from 0, is the first that is lost.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for integer K, as is `buffer_for_burst`, of which it is the inverse.

    References
    ----------
    Ours, for the network of H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very
    High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, figure
    4. Proof: derivations/blt.py, burst_for_buffer.

    Examples
    --------
    >>> round(burst_for_buffer(75, 1 / 5), 2)  # Kim and Farber's reference network: 94 of a file's 200 packets
    94.75
    """

@_law
def knee_with_unloaded_time(capacity: Any, file_size: Any, unloaded_time: Any) -> Any:
    r"""Return an estimate of the load at which transfers with a given unloaded time have the greatest network power.

    .. math:: \rho^* = \frac{\sqrt{T_0}}{\sqrt{S} + \sqrt{T_0}}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        Rate of the bottleneck link: C [bytes/s], in (0, inf), typically 1e4 to 1e9.
    file_size : float or array
        Size of the files: F [bytes], in (0, inf), typically 1000 to 1e8.
    unloaded_time : float or array
        Transfer time in the empty network, F/C included: T_0 [s], in (0, inf), typically 0.001 to 10. No scheme takes
        less than S.

    Returns
    -------
    float or array
        rho* [1]; on average T_0/S transfers are in progress.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    As for `power_with_unloaded_time`.

    References
    ----------
    Ours: an estimate of network power, which H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay
    Tradeoff in Very High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of
    Pennsylvania, 1994, section 4.1.4, defines. Proof: derivations/unloaded.py, knee_with_unloaded_time.

    Examples
    --------
    >>> round(knee_with_unloaded_time(1.25e8, 1e5, 0.0308), 3)  # Kim and Farber find 0.9
    0.861
    """

@_law
def packet_priority(packet: Any, growth: Any = 2) -> Any:
    r"""Return the priority of a packet of a BLT burst whose windows grow by a factor; 0 is the highest.

    .. math:: P(s) = \left\lfloor \log_\gamma\left(1 + (\gamma - 1) s\right) \right\rfloor

    Parameters
    ----------
    packet : int or array
        Number of the packet in its burst, from 0: s [packets], an integer in [0, 9007199254740992), typically 0 to
        65535.
    growth : float or array, default 2
        Size of a window over that of the previous window: gamma [1], in [1, inf), typically 1.1 to 4. The priority is s
        itself for gamma = 1.

    Returns
    -------
    float or array
        P(s) [1], an integer: the number of the packet's window; floor(log2(s + 1)) for gamma = 2.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact, also in floats for integer gamma and s < 2^53, because a comparison with the first packets of windows
    decides, not a logarithm. For other gamma, rounding decides to which of two windows a packet next to their border
    belongs once gamma^k has more than 53 digits (gamma = 1.5: from s = 1.3 million on). log_gamma(s + 1) is the same
    for gamma = 2 only: for gamma = 3 it would put two packets, 0 and 1, into window 0.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 3.3.1, where gamma is 2.
    Proof: derivations/blt.py, packet_priority.

    Examples
    --------
    >>> packet_priority(range(8))
    array([0., 1., 1., 2., 2., 2., 2., 3.])
    >>> packet_priority([0, 1, 3, 4, 12, 13], 3)
    array([0., 1., 1., 2., 2., 3.])
    """

@_law
def packets_encodable(bits: Any, growth: Any = 2) -> Any:
    r"""Return the packets of a BLT burst whose windows a priority of a few bits can number.

    .. math:: F_{2^\pi} = \frac{\gamma^{2^\pi} - 1}{\gamma - 1}, \qquad 2^{2^\pi} - 1 \text{ for } \gamma = 2

    Parameters
    ----------
    bits : int or array
        Bits that encode the priority: pi [bits], an integer in [0, 30), typically 0 to 5.
    growth : float or array, default 2
        Size of a window over that of the previous window: gamma [1], in [1, inf), typically 1.1 to 4.

    Returns
    -------
    float or array
        Packets in 2^pi windows [packets]; for gamma = 2 exact up to 5 bits (4 294 967 295 packets), rounded from 6 on,
        and inf from 10 on, where 2^1024 exceeds the largest double; mpmath gives all digits.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact. A longer burst needs a rule for the further packets, such as the last priority for all of them.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 3.3.1. Proof:
    derivations/blt.py, packets_encodable.

    Examples
    --------
    >>> packets_encodable(4)
    65535.0
    """

@_law
def packets_in_additive_windows(windows: Any, step: Any = 1) -> Any:
    r"""Return the packets in the first m windows of a BLT burst whose windows grow by a constant.

    .. math:: F_m = m + \alpha \frac{m (m - 1)}{2}

    Parameters
    ----------
    windows : int or array
        Number of windows, from the first on: m [1], an integer in [0, 1e9), typically 0 to 16. These are windows 0 ...
        m - 1.
    step : float or array, default 1
        Packets by which a window exceeds the previous window: alpha [packets], in [0, inf), typically 0.1 to 10.

    Returns
    -------
    float or array
        F_m [packets]; the first packet of window m is number F_m, rounded up.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact, also in floats for integer alpha and sums below 2^53. Priorities of pi bits distinguish the packets of 2^pi
    windows: 136 packets for 4 bits and alpha = 1, against 65535 with windows that double.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 3.3.1. Proof:
    derivations/blt.py, packets_in_additive_windows.

    Examples
    --------
    >>> packets_in_additive_windows([1, 2, 3, 16])
    array([  1.,   3.,   6., 136.])
    """

@_law
def packets_in_windows(windows: Any, growth: Any = 2) -> Any:
    r"""Return the packets in the first m windows of a BLT burst whose windows grow by a factor.

    .. math:: F_m = \sum_{k=0}^{m-1} |W_k| = \frac{\gamma^m - 1}{\gamma - 1} = \frac{|W_m| - 1}{\gamma - 1}

    Parameters
    ----------
    windows : int or array
        Number of windows, from the first on: m [1], an integer in [0, 1e9), typically 0 to 16. These are windows 0 ...
        m - 1.
    growth : float or array, default 2
        Size of a window over that of the previous window: gamma [1], in [1, inf), typically 1.1 to 4. F_m is m for
        gamma = 1.

    Returns
    -------
    float or array
        F_m [packets]; the first packet of window m is number F_m, rounded up.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact, also in floats for integer gamma and sums below 2^53. For gamma = 2 the windows before W_m have one packet
    less than W_m together, as the paper says: a switch that keeps them all keeps as many as W_m has, less its last
    one. For other gamma they have about 1/(gamma - 1) of its packets: half for gamma = 3, and more than W_m for gamma
    < 2. (The excepted packet is p + 2^(k+1) - 1, not p + 2^(k+2) - 2 as in the paper; p is the burst's first packet.)

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 3.3.1. Proof:
    derivations/blt.py, packets_in_windows.

    Examples
    --------
    >>> packets_in_windows([0, 1, 2, 3, 4])
    array([ 0.,  1.,  3.,  7., 15.])
    """

@_law
def power_advantage(bandwidth_delay_product: Any, packets: Any) -> Any:
    r"""Return an estimate of the greatest network power of BLT over that of TCP, from their unloaded times.

    .. math::

        A = \left(\frac{1 + \sqrt{\tau}}{1 + \sqrt{1 + x}}\right)^2, \qquad x = \frac{C D}{F}, \qquad
        \tau = x + \max_{0 \le j < r} \left[ j \left(x + \frac{1}{n}\right) + \frac{n - 2^j + 1}{n} \right]

    with r = `slow_start_rounds` of n packets.

    Parameters
    ----------
    bandwidth_delay_product : float or array
        Bandwidth-delay product C D over the file size F: x [1], in [0, inf), typically 0.01 to 100. Transmission times
        on the other links count as delay.
    packets : int or array
        Packets of the file: n [packets], an integer in [1, inf), typically 1 to 2000.

    Returns
    -------
    float or array
        A [1]: 1 at x = 0, increasing from there towards the number of slow-start rounds if n > 1.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    The ratio of `power_with_unloaded_time` for TCP's slow start from one packet and for a file sent at once, whose
    unloaded times over F/C are tau and 1 + x. It assumes what these assume: nothing is lost, neither in the empty
    network (where the buffer holds TCP's window) nor under load. Since A > 1 for every x > 0 and n > 1, there is no
    region in the plane of bandwidth and delay in which TCP is ahead; there are only curves of a given advantage,
    `bandwidth_delay_product_for_advantage`.

    References
    ----------
    Ours: an estimate of network power, which H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay
    Tradeoff in Very High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of
    Pennsylvania, 1994, section 4.1.4, defines, whose section 4.3.2 raises the question. Proof:
    derivations/unloaded.py, power_advantage.

    Examples
    --------
    >>> [round(power_advantage(x, 200), 2) for x in (0.1125, 1.125, 5.625, 37.5, 1e9)]
    [1.19, 2.74, 4.69, 6.47, 8.0]
    """

@_law
def power_with_unloaded_time(capacity: Any, file_size: Any, unloaded_time: Any) -> Any:
    r"""Return an estimate of the greatest network power of transfers with a given unloaded transfer time.

    .. math:: P^* = \frac{C}{\left(\sqrt{S} + \sqrt{T_0}\right)^2}, \qquad S = \frac{F}{C}

    Parameters
    ----------
    capacity : float or array
        Rate of the bottleneck link: C [bytes/s], in (0, inf), typically 1e4 to 1e9.
    file_size : float or array
        Size of the files: F [bytes], in (0, inf), typically 1000 to 1e8.
    unloaded_time : float or array
        Transfer time in the empty network, F/C included: T_0 [s], in (0, inf), typically 0.001 to 10. No scheme takes
        less than S.

    Returns
    -------
    float or array
        P* [bytes/s^2], at the load of `knee_with_unloaded_time`.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    An estimate: exact for the response time R = T_0 - S + S/(1 - rho), that is for Poisson arrivals that share the
    bottleneck equally, while the rest of the unloaded time does not depend on the load. It leaves out losses,
    retransmissions, timeouts, halved windows, and the bottleneck's time spent on duplicates. So it is an upper
    estimate for schemes that share equally. With T_0 = D + S it is `power_ceiling`.

    References
    ----------
    Ours: an estimate of network power, which H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay
    Tradeoff in Very High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of
    Pennsylvania, 1994, section 4.1.4, defines. Proof: derivations/unloaded.py, power_with_unloaded_time.

    Examples
    --------
    >>> f"{power_with_unloaded_time(1.25e8, 1e5, 0.0308):.3g}"  # 1 Gbit/s, 100 kB: BLT in 30.8 ms
    '3.01e+09'
    """

@_law
def unloaded_transfer_time(
    packets: Any, round_trip_time: Any, access_time: Any, bottleneck_time: Any, last_time: Any = 0
) -> Any:
    r"""Return the transfer time of a burst over an empty path without loss, up to its last acknowledgment.

    .. math:: T = D + t_a + t_b + t_d + (n - 1) \max(t_a, t_b, t_d)

    Parameters
    ----------
    packets : int or array
        Packets of the file: n [packets], an integer in [1, inf), typically 1 to 2000.
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

    Returns
    -------
    float or array
        T [s], from the first packet to the last acknowledgment. The file is complete at the receiver D/2 earlier.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    Exact for a switch that loses nothing of the burst, that is for K >= `buffer_for_burst`; otherwise see
    `longfat.single_transfer`. It is D + 2 t_a + n t_b where t_d = t_a <= t_b. The division of D among the links does
    not matter.

    References
    ----------
    Ours, for the network of H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very
    High-Speed Networks: The Case of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, figure
    4. Proof: derivations/blt.py, unloaded_transfer_time.

    Examples
    --------
    >>> round(1e3 * unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6), 3)  # 100 kB at 1 Gbit/s
    30.804
    """

@_law
def window_size(window: Any, growth: Any = 2) -> Any:
    r"""Return the size of one window of a BLT burst whose windows grow by a factor.

    .. math:: |W_k| = \gamma^k

    Parameters
    ----------
    window : int or array
        Number of the window, from 0: k [1], an integer in [0, inf), typically 0 to 15. Window 0 is a single packet.
    growth : float or array, default 2
        Size of a window over that of the previous window: gamma [1], in [1, inf), typically 1.1 to 4.

    Returns
    -------
    float or array
        \|W_k\| [packets], an integer if gamma is one.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    A definition. The paper takes gamma = 2.

    References
    ----------
    H. Kim and D. J. Farber, "Congestion Control by Bandwidth-Delay Tradeoff in Very High-Speed Networks: The Case
    of Window-Based Control", MS-CIS-94-55, University of Pennsylvania, 1994, section 3.3.1 and figure 2. Proof:
    derivations/blt.py, window_size.

    Examples
    --------
    >>> window_size([0, 1, 2, 3])
    array([1., 2., 4., 8.])
    """
