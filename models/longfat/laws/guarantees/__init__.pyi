"""Delays that a network guarantees to a flow of bounded bursts, whatever the other flows send.

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
def delay_bound(
    burst: Any, guaranteed_rate: Any, packet_size: Any, largest_packet: Any, capacity: Any, hops: Any = 1
) -> Any:
    r"""Return a bound of the delay of a packet behind a leaky bucket, over links with weighted fair queueing.

    .. math:: D = \frac{\sigma + (K - 1) l}{g} + K \frac{l_m}{C}

    Parameters
    ----------
    burst : float or array
        Depth of the flow's leaky bucket: in any time t it sends at most sigma + rho t, with a rate rho of at most g:
        sigma [bytes], in (0, inf), typically 1000 to 1e6.
    guaranteed_rate : float or array
        Rate that the scheduler of every link guarantees to the flow; with weights w of all flows of the link, C w over
        their sum: g [bytes/s], in (0, inf), typically 1e4 to 1e8.
    packet_size : float or array
        Largest packet of the flow: l [bytes], in (0, inf), typically 40 to 9000.
    largest_packet : float or array
        Largest packet of any flow: l_m [bytes], in (0, inf), typically 40 to 9000.
    capacity : float or array
        Rate of each link: C [bytes/s], in (0, inf), typically 1e5 to 1e9.
    hops : int or array, default 1
        Links on the path, each with such a scheduler: K [links], an integer in [1, inf), typically 1 to 30.

    Returns
    -------
    float or array
        D [s], without propagation delays.

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    From the arrival of a packet's last bit at the first link to the end of its transmission at the last one. It holds
    for packet-by-packet generalised processor sharing (weighted bit-round fair queueing) and for VirtualClock, if the
    guaranteed rates of all flows of a link add up to at most C, whatever the other flows send. It does not hold for
    self-clocked fair queueing, whose packets may wait for one packet of every other flow. Buffers have to be large
    enough. The bound is nearly met: `longfat verify` simulates a flow that begins with all of its burst beside others
    that fill every link, under fair queueing: over its points the greatest delay is 0.84 to 1.00 of the bound, under
    VirtualClock 0.77 to 1.00.

    References
    ----------
    A. K. Parekh and R. G. Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated
    Services Networks: The Multiple Node Case", IEEE/ACM Transactions on Networking 2(2), 1994,
    doi:10.1109/90.298432 (from memory: it could not be read); L. Zhang, "VirtualClock: A New Traffic Control
    Algorithm for Packet-Switched Networks", ACM Transactions on Computer Systems 9(2), 1991,
    doi:10.1145/103720.103721, whose clock is the deadline of the proof. Proof: derivations/guarantees.py,
    packet_delay.

    Examples
    --------
    >>> round(delay_bound(10_000, 1e6, 1000, 1500, 1e7, hops=3), 6)
    0.01245
    """

@_law
def fluid_delay_bound(burst: Any, guaranteed_rate: Any) -> Any:
    r"""Return the greatest delay of a bit at links that share their rate bit by bit: generalised processor sharing.

    .. math:: D = \frac{\sigma}{g}

    Parameters
    ----------
    burst : float or array
        Depth of the flow's leaky bucket: in any time t it sends at most sigma + rho t, with a rate rho of at most g:
        sigma [bytes], in (0, inf), typically 1000 to 1e6.
    guaranteed_rate : float or array
        Rate that the scheduler of every link guarantees to the flow; with weights w of all flows of the link, C w over
        their sum: g [bytes/s], in (0, inf), typically 1e4 to 1e8.

    Returns
    -------
    float or array
        D [s].

    Raises
    ------
    ValueError
        If a parameter is outside its domain.
    TypeError
        If a parameter is missing, unknown or not a real number.

    Notes
    -----
    For any number of links, without propagation delays: what is delayed at one link is not delayed again at the next.
    A flow that begins with a burst of sigma, while all others are backlogged, has this delay.

    References
    ----------
    A. K. Parekh and R. G. Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated
    Services Networks: The Single-Node Case", IEEE/ACM Transactions on Networking 1(3), 1993, doi:10.1109/90.234856
    (from memory: it could not be read). Proof: derivations/guarantees.py, fluid_delay.

    Examples
    --------
    >>> fluid_delay_bound(10_000, 1e6)
    0.01
    """
