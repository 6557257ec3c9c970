"""Socket buffers of Linux: memory needed for a window, and windows allowed by the limits of the kernel."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from longfat.base.domains import out_of_range, wrong_type

#: Smallest fraction of a socket's receive buffer that Linux uses as window. The fraction depends on the kernel version.
#: 3.4 to 6.5: a half, tcp_adv_win_scale = 1 (kernel documentation, networking/ip-sysctl).
#: From 6.6 on, that setting is obsolete, and the fraction is the ratio of data to memory of the packets that arrived,
#: scaling_ratio in 256ths (include/net/tcp.h, tcp_win_from_space(); net/ipv4/tcp_input.c, tcp_measure_rcv_mss()). The
#: ratio is smallest if a driver uses a page for each packet of 1500 bytes: 6.6 to 6.9 begin with the assumption of 1200
#: bytes in SKB_TRUESIZE(4096) = 4672 bytes, 65/256; 6.10 begins with a half.
LEAST_SHARE = 65 / 256
#: Bytes of receive buffer for a byte of window if packets are full: 4. A send buffer needs less: Linux counts a packet
#: as at most 4096 bytes and the packet's record (net/ipv4/tcp_input.c, tcp_sndbuf_expand(): per_mss, a power of two,
#: and sizeof(struct sk_buff) = 256), that is, 4352 bytes for 1448 bytes of data.
OVERHEAD = math.ceil(1 / LEAST_SHARE)
#: Memory of a packet that occupies a page, SKB_TRUESIZE(4096) on 64-bit machines [bytes]. With less data in a packet,
#: the fraction used as window is less than `LEAST_SHARE`.
LARGEST_PACKET_MEMORY = 4672
#: The kernel doubles the values of SO_RCVBUF and SO_SNDBUF (socket(7); net/core/sock.c, __sock_set_rcvbuf()).
DOUBLED = 2
PAGE = 4096
LARGEST_WINDOW = 2**30  # bytes: RFC 7323, section 2.3
LARGEST_UNSCALED = 2**16 - 1  # bytes
SCALING = "net.ipv4.tcp_window_scaling"
#: Without this setting a receive buffer keeps its first size, the second number of tcp_rmem (kernel documentation,
#: networking/ip-sysctl).
TUNING = "net.ipv4.tcp_moderate_rcvbuf"
LARGEST_BUFFER = 2**31 - 1  # bytes: the settings have the type int of C
LARGEST_REQUEST = LARGEST_BUFFER // 2  # SO_RCVBUF: net/core/sock.c, min_t(int, val, INT_MAX / 2)
#: First version of mainline Linux -> third numbers of tcp_rmem and tcp_wmem from this version on [bytes]
#: (net/ipv4/tcp.c, tcp_init()). 6 MB: commit b49960a05e32, "tcp: change tcp_adv_win_scale and tcp_rmem[2]", 2012. 32
#: MB: commit 572be9bf9d0d, "tcp: increase tcp_rmem[2] to 32 MB", in net-next in May 2025: 6.18 has it, and a report by
#: others found it between 6.15 and 6.16, so that 6.16 is assumed. Distributions may differ.
DEFAULTS = {(3, 4): (6 << 20, 4 << 20), (6, 16): (32 << 20, 4 << 20)}
#: Upper bound of these defaults as a fraction of the host's memory (net/ipv4/tcp.c, tcp_init(): nr_free_buffer_pages()
#: << (PAGE_SHIFT - 7)): a host with less than 4 GiB of memory has less than 32 MB.
DEFAULT_SHARE = 1 / 128
#: Fraction of the host's memory that TCP may use before Linux begins to save memory (net/ipv4/tcp.c, tcp_init_mem():
#: the second number of tcp_mem, a sixteenth of the pages).
PRESSURE_SHARE = 1 / 16
#: Last version that uses a half of a receive buffer as window; later versions measure the fraction of data (see above).
LAST_HALF = (6, 5)
#: Least window [packets]. Fast retransmit needs three duplicate acknowledgments, by packets behind the lost one
#: (RFC 5681, section 3.2).
LEAST_PACKETS = 4


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
        """Window [bytes], in whole pages: at least four packets, at most TCP's largest window.

        >>> SocketBuffers(100.0).window, SocketBuffers(100.0, 8948).window  # 4 x 1448 = 5792, 4 x 8948 = 35,792
        (8192, 36864)
        """
        return min(PAGE * math.ceil(max(self.wanted, LEAST_PACKETS * self.segment) / PAGE), LARGEST_WINDOW)

    @property
    def maximum(self) -> int:
        """Third value of tcp_rmem and tcp_wmem [bytes], the upper limit of autotuning."""
        return min(self.overhead * self.window, LARGEST_BUFFER)

    @property
    def request(self) -> int:
        """Value for SO_RCVBUF and SO_SNDBUF [bytes], and for their limits net.core.rmem_max and wmem_max."""
        return min(math.ceil(self.overhead * self.window / DOUBLED), LARGEST_REQUEST)

    @property
    def sockets(self) -> int:
        """Number of sockets whose windows add up to this window: more than 1 if TCP or Linux limits each to less.

        >>> SocketBuffers(25e6).sockets, SocketBuffers(2e9).sockets  # 2^31 - 1 bytes hold a window of 512 MiB
        (1, 4)
        """
        return math.ceil(self.wanted / min(LARGEST_WINDOW, LARGEST_BUFFER / self.overhead))

    @property
    def limited(self) -> bool:
        """Whether TCP's largest window or the kernel's largest buffer is smaller than this window needs."""
        return self.wanted > LARGEST_WINDOW or self.overhead * self.window > LARGEST_BUFFER


@dataclass(frozen=True)
class Limits:
    """Limits of TCP's windows on a host."""

    source: str  # origin of the limits, such as "Linux 6.18"
    receive: int  # third number of tcp_rmem [bytes], the second if receive buffers are not tuned
    send: int  # third number of tcp_wmem [bytes]
    #: Memory of all connections at which Linux begins to save memory, the second number of tcp_mem [bytes].
    pressure: float | None = None
    off: tuple[str, ...] = ()  # settings of TCP that are switched off although a large window needs them
    half: bool = False  # whether at most a half of the receive buffer is used as window
    is_default: bool = False  # whether the limits are Linux's defaults, and not read from a host

    @property
    def most(self) -> float:
        """Largest window that the limits allow [bytes], if buffers hold nothing but data.

        >>> Limits("", LARGEST_BUFFER, LARGEST_BUFFER).most == LARGEST_WINDOW
        True
        """
        return min(self.receive / (2 if self.half else 1), self.send, self._scaled)

    def least(self, overhead: int) -> float:
        """Return the window [bytes] that the limits allow with any driver; ``overhead`` is that of `SocketBuffers`.

        >>> Limits("", 32 << 20, 4 << 20).least(4) == 1 << 20
        True
        """
        return min(min(self.receive, self.send) / overhead, self._scaled)

    @property
    def _scaled(self) -> int:
        """Largest window that TCP can announce [bytes], 16 bits without window scaling (RFC 9293, section 3.1)."""
        return LARGEST_UNSCALED if SCALING in self.off else LARGEST_WINDOW

    def lacking(self, maximum: int) -> tuple[str, ...]:
        """Return the names of the settings, tcp_rmem and tcp_wmem, that are below a required maximum [bytes].

        >>> Limits("", 32 << 20, 4 << 20).lacking(19 << 20)
        ('tcp_wmem',)
        """
        sizes = {"tcp_rmem": self.receive, "tcp_wmem": self.send}
        return tuple(name for name, size in sizes.items() if size < maximum)

    def switches(self, window: int, overhead: int) -> tuple[str, ...]:
        """Return the settings to switch on for a window [bytes]: none if the limits allow it with any driver.

        >>> Limits("", 6 << 20, 4 << 20, off=(SCALING,)).switches(65535, 4)
        ()
        >>> Limits("", 6 << 20, 4 << 20, off=(SCALING,)).switches(65536, 4)
        ('net.ipv4.tcp_window_scaling',)
        """
        return () if self.least(overhead) >= window else self.off


def linux_version(kernel: str) -> tuple[int, int]:
    """Return the version of Linux in a text, such as the output of uname -r, as a pair of numbers.

    >>> linux_version("6.18"), linux_version("4.18.0-553.el8_10.x86_64")
    ((6, 18), (4, 18))
    >>> linux_version("2.6.32")
    Traceback (most recent call last):
    ValueError: kernel = '2.6.32' is out of range: must be a version of Linux from 3.4 on
    """
    found = re.match(r"v?([0-9]{1,3})\.([0-9]{1,4})(?![0-9])", kernel.strip())
    if found is None:
        raise wrong_type("kernel", kernel, "a version of Linux such as 6.18, as uname -r prints it")
    version = int(found[1]), int(found[2])
    if version < min(DEFAULTS):
        raise out_of_range("kernel", repr(kernel), "1", "a version of Linux from 3.4 on")
    return version


def linux_defaults(kernel: str) -> Limits:
    """Return the limits that mainline Linux has by default on a host with 4 GiB of memory or more.

    >>> linux_defaults("4.18").receive, linux_defaults("6.18").receive, linux_defaults("6.18").send
    (6291456, 33554432, 4194304)
    """
    version = linux_version(kernel)
    receive, send = DEFAULTS[max(first for first in DEFAULTS if first <= version)]
    return Limits(f"Linux {version[0]}.{version[1]}", receive, send, half=version <= LAST_HALF, is_default=True)


def tightest(hosts: Sequence[Limits]) -> Limits:
    """Return the smallest limits of several hosts, because each of them may be the sender or the receiver."""
    pressures = [one.pressure for one in hosts if one.pressure is not None]
    return Limits(
        ", ".join(one.source for one in hosts),
        min(one.receive for one in hosts),
        min(one.send for one in hosts),
        min(pressures, default=None),
        tuple(dict.fromkeys(name for one in hosts for name in one.off)),
        any(one.half for one in hosts),
    )
