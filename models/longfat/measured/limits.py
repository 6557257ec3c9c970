"""Detection of the limit of a TCP flow: the network, the receiver's window, the sender or its buffer, a processor.

The limits network, window and sender, and the comparison of the flight with the windows, follow Zhang, Breslau, Paxson
and Shenker, On the Characteristics and Origins of Internet Flow Rates, SIGCOMM 2002. The thresholds are ours, because
those of the paper apply to packets that pass a link in the middle of a path.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

#: A limit explains a flow's rate if it held during at least this fraction of the time in which the flow had data
#: outstanding (our choice).
SHARE = 0.5
#: A sender had too little data to send if less than this fraction of its window was in flight (our choice). The
#: fraction is about 1 if the window limits the flow, and 0.5 if the application limits it, because Linux then lets the
#: window grow to twice the packets in flight (RFC 7661 gives the reason).
FLIGHT = 0.65
#: Round-trip times above this multiple of the base show a queue. Our choice, and the factor of Flach et al., SIGCOMM
#: 2016.
QUEUED = 1.3
#: A thread limits the rate if it takes this fraction of a processor's time. Our choice: a thread that waits for the
#: network or for its peer sleeps. iperf3 counts the time of its process, but not the time of the kernel's interrupts.
BUSY = 0.9


def of_busy(busy: float, window: float, buffer: float) -> str:
    """Return a text with the fractions of the busy time in which receiver's window and send buffer were the limit.

    >>> of_busy(10, 1, 6)
    "of the time with data outstanding 10% by the receiver's window and 60% by the send buffer"
    """
    return (
        f"of the time with data outstanding {window / busy:.0%} by the receiver's window "
        f"and {buffer / busy:.0%} by the send buffer"
    )


def by_time(busy: float, window: float, buffer: float, application: bool) -> str | None:
    """Return the limit of a flow from the times that Linux counts (struct tcp_info); None if the flow was never busy.

    ``busy`` is the time with data outstanding; ``window`` and ``buffer`` are the parts of it in which the receiver's
    window and the send buffer were the limit, in the same unit. ``application`` says whether the application had too
    little data to send (`app_limited`).

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
    """Return the side, sender or receiver, whose program fully used its processors; None if neither program did.

    ``sender`` and ``receiver`` are the processor times of their programs as fractions of the duration of the transfer,
    ``threads`` is the number of threads that send, or receive, in each. If both programs fully used their processors,
    the receiver was the limit, because a busy receiver closes its window and the sender waits.

    >>> by_processor(0.996, 0.4), by_processor(0.996, 0.4, threads=4)
    ("sender's processor", None)
    """
    if receiver >= BUSY * threads:
        return "receiver's processor"
    return "sender's processor" if sender >= BUSY * threads else None


def by_windows(samples: Iterable[tuple[float, float, float | None]], half_empty: bool = False) -> str | None:
    """Return the limit of a flow from samples of its data in flight and its windows; None if they show no limit.

    A sample has the bytes in flight, the congestion window and the receive window [bytes], or None for an unknown
    receive window. ``half_empty`` says that the congestion control does not fill its own window, as BBR
    (draft-ietf-ccwg-bbr, cwnd_gain = 2); little data in flight is then no sign that the sender was the limit.

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
    """Return False (not policed) if nothing was lost or a queue explains the losses, otherwise None (unknown).

    The queue is judged by the base and the mean round-trip time [s]; ``lost`` is a number of packets. A policer drops
    without queueing (Flach et al., SIGCOMM 2016). A link with errors or a short buffer also loses packets without a
    queue; only the times of packets distinguish these causes. The result is never True.
    """
    if lost == 0:
        return False
    return False if base and mean and mean > QUEUED * base else None
