"""Socket buffers of Linux: memory needed for a window, and windows allowed by the limits of the kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: Share of a socket's receive buffer that becomes window, by kernel version.
#: 3.4 to 6.5: a half, tcp_adv_win_scale = 1 (kernel documentation, networking/ip-sysctl).
#: From 6.6 on that setting is obsolete: the share is that of data in the memory of the packets that arrived,
#: scaling_ratio in 256ths (include/net/tcp.h, tcp_win_from_space(); net/ipv4/tcp_input.c, tcp_measure_rcv_mss()). The
#: least is that of a driver that gives each packet of 1500 bytes a page: 6.6 to 6.9 assume 1200 bytes in
#: SKB_TRUESIZE(4096) = 4672 bytes at first, 65/256; 6.10 assumes a half.
LEAST_SHARE = 65 / 256
#: A send buffer counts each packet as up to 4096 bytes and the packet's record (net/ipv4/tcp_input.c,
#: tcp_sndbuf_expand(): per_mss, a power of two, and sizeof(struct sk_buff) = 256): 1448 bytes in 4352, a larger share.
OVERHEAD = math.ceil(1 / LEAST_SHARE)  # 4: bytes of buffer for a byte of window, in full packets
#: Memory of a packet in a page of its own, SKB_TRUESIZE(4096) on 64-bit machines [bytes]. With less data in a packet
#: the share is less than `LEAST_SHARE`.
LARGEST_PACKET_MEMORY = 4672
#: The kernel doubles the values of SO_RCVBUF and SO_SNDBUF (socket(7); net/core/sock.c, __sock_set_rcvbuf()).
DOUBLED = 2
PAGE = 4096
LARGEST_WINDOW = 2**30  # bytes: RFC 7323, section 2.3
LARGEST_BUFFER = 2**31 - 1  # bytes: the settings are C's int
LARGEST_REQUEST = LARGEST_BUFFER // 2  # SO_RCVBUF: net/core/sock.c, min_t(int, val, INT_MAX / 2)
#: Data that a lost packet holds back: packets behind it arrive until it has been sent again. A packet that is sent k
#: times before it arrives needs a window of k bandwidth-delay products, if the sender is not to stop.
LEAST_TIMES = 2
#: Largest share of windows in which a packet's k-th transmission is lost. Ours: the sender stops for one round trip in
#: a hundred, which costs up to 1 % of the rate.
RARELY = 0.01


def times(packets: float, loss: float) -> int:
    """Return the number of transmissions that 99 % of windows do not exceed for any of their packets.

    A packet is lost k times with probability p^k, one of n packets with less than n p^k.

    >>> times(100, 0.0), times(100, 1e-3), times(1000, 1e-2), times(1000, 0.1)
    (2, 2, 3, 6)
    """
    count = LEAST_TIMES
    while packets * loss**count > RARELY:
        count += 1
    return count


@dataclass(frozen=True)
class SocketBuffers:
    """Sizes of a socket's buffers for a window [bytes], in whole pages.

    >>> sizes = SocketBuffers(25e6)  # 25e6 is 6103.5 pages
    >>> sizes.window, sizes.maximum, sizes.request
    (25001984, 100007936, 50003968)
    """

    wanted: float
    segment: int = 1448  # bytes of data in a packet

    @property
    def overhead(self) -> int:
        """Bytes of socket buffer for a byte of window.

        >>> SocketBuffers(25e6).overhead, SocketBuffers(25e6, 536).overhead  # 4672/536 = 8.7
        (4, 9)
        """
        return max(OVERHEAD, math.ceil(LARGEST_PACKET_MEMORY / self.segment))

    @property
    def window(self) -> int:
        """The window, at most TCP's largest."""
        return min(PAGE * math.ceil(self.wanted / PAGE), LARGEST_WINDOW)

    @property
    def maximum(self) -> int:
        """Third value of tcp_rmem and tcp_wmem, which autotuning does not exceed."""
        return min(self.overhead * self.window, LARGEST_BUFFER)

    @property
    def request(self) -> int:
        """Value for SO_RCVBUF and SO_SNDBUF, and for net.core.rmem_max and wmem_max, which limit these."""
        return min(math.ceil(self.overhead * self.window / DOUBLED), LARGEST_REQUEST)

    @property
    def limited(self) -> bool:
        """Whether TCP's largest window or the kernel's largest buffer is smaller than requested."""
        return self.wanted > LARGEST_WINDOW or self.overhead * self.window > LARGEST_BUFFER
