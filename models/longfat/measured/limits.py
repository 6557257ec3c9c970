"""Limits of a TCP flow: the network, the receiver's window, the sender or its buffer, or a processor.

The three answers, and the comparison of the flight with the windows, follow Zhang, Breslau, Paxson and Shenker, On the
Characteristics and Origins of Internet Flow Rates, SIGCOMM 2002. The thresholds are ours, because that paper's apply to
packets that pass a link in the middle of a path.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

__all__ = ["by_processor", "by_time", "by_windows", "of_busy", "queued_or_lost"]

#: Ours: a limit explains a flow if it held during half of the time in which the flow had data outstanding.
SHARE = 0.5
#: Ours: with less than this share of its window in flight, a flow had nothing to send. A window-limited flow has about
#: 1. Linux lets the window of a flow without data grow to twice the packets in flight (RFC 7661 gives the reason), so
#: that it has 0.5.
FLIGHT = 0.65
#: Ours: round trips this much longer than the base show a queue. Flach et al., SIGCOMM 2016, use the same factor.
QUEUED = 1.3
#: Ours: a thread that takes nine tenths of a processor's time limits the rate, because one that waits for the network
#: or for its peer sleeps. iperf3 counts the time of its process, not that of the kernel's interrupts.
BUSY = 0.9


def of_busy(busy: float, window: float, buffer: float) -> str:
    """Return the shares of Linux's clocks in the time with data outstanding, as words.

    >>> of_busy(10, 1, 6)
    "of the time with data outstanding 10% by the receiver's window and 60% by the send buffer"
    """
    return (
        f"of the time with data outstanding {window / busy:.0%} by the receiver's window "
        f"and {buffer / busy:.0%} by the send buffer"
    )


def by_time(busy: float, window: float, buffer: float, application: bool) -> str | None:
    """Return the limit from Linux's clocks (struct tcp_info of linux/tcp.h), None if the flow was never busy.

    Parameters
    ----------
    busy, window, buffer : float
        Time with data outstanding, and of it the time limited by the receiver's window and by the send buffer, in one
        unit.
    application : bool
        Whether the application had too little to send (`app_limited`).

    Examples
    --------
    >>> by_time(2.684, 2.220, 0.0, False)
    'receiver window'
    """
    if not busy > 0:
        return None
    if window / busy > SHARE:
        return "receiver window"
    if buffer / busy > SHARE:
        return "send buffer"
    return "sender" if application else "network"


def by_processor(sender: float, receiver: float, threads: int = 1) -> str | None:
    """Return the side whose program used a whole processor; None if neither did.

    A receiver without time comes first: it closes the window, and its sender waits.

    Parameters
    ----------
    sender, receiver : float
        Time of a processor that the programs took, as shares of the transfer [1].
    threads : int
        Number of threads that send, or receive, in each program.

    Examples
    --------
    >>> by_processor(0.996, 0.4), by_processor(0.996, 0.4, threads=4)
    ("sender's processor", None)
    """
    if receiver >= BUSY * threads:
        return "receiver's processor"
    return "sender's processor" if sender >= BUSY * threads else None


def by_windows(samples: Iterable[tuple[float, float, float | None]], half_empty: bool = False) -> str | None:
    """Return the limit from samples of the flight, the congestion window and the receive window, if that is known.

    Parameters
    ----------
    samples : iterable of tuple of float
        Bytes in flight, congestion window and receive window [bytes].
    half_empty : bool
        Whether the scheme keeps a part of its window empty by itself, as BBR does (draft-ietf-ccwg-bbr, cwnd_gain = 2):
        then few packets in flight have no meaning.

    Examples
    --------
    >>> by_windows([(39e3, 81e3, 39.5e3)]), by_windows([(11e3, 35e3, 82e3)]), by_windows([(99e3, 100e3, 1e6)])
    ('receiver window', 'sender', 'network')
    """
    known = [
        (flight / min(cwnd, rwnd or cwnd), rwnd is not None and rwnd < cwnd) for flight, cwnd, rwnd in samples if cwnd
    ]
    if not known:
        return None
    if median(share for share, _ in known) < FLIGHT:
        return None if half_empty else "sender"
    return "receiver window" if 2 * sum(closed for _, closed in known) > len(known) else "network"


def queued_or_lost(base: float | None, mean: float | None, lost: float) -> bool | None:
    """Return False if a queue explains the losses, or there are none, so that no policer is needed; else None.

    A policer drops without queueing (Flach et al., SIGCOMM 2016). Losses without a queue can also be errors of the link
    or a short buffer; only the times of packets distinguish these, so that the result is never True.

    Parameters
    ----------
    base, mean : float, optional
        Base and mean round-trip time [s].
    lost : float
        Packets lost [packets].
    """
    if lost == 0:
        return False
    return False if base and mean and mean > QUEUED * base else None
