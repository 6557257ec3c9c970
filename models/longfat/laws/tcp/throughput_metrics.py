"""Metrics of a TCP throughput test: RFC 6349, section 4."""

from __future__ import annotations

from longfat.law import Symbol, law
from longfat.laws.references import RFC_6349

CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e5, 1.25e9), "Bottleneck bandwidth, of the physical layer")
PAYLOAD = Symbol("l", "bytes", "(0, inf)", (536.0, 8960.0), "Bytes of data in a packet")
OVERHEAD = Symbol(
    "h", "bytes", "[0, inf)", (48.0, 90.0), "Bytes that a packet takes on the wire besides its data",
    remark="78 on Ethernet: 40 of IP and TCP, 18 of the frame, 20 of preamble and gap",
)  # fmt: skip
FILE_SIZE = Symbol("F", "bytes", "(0, inf)", (1e6, 1e10), "Bytes to transfer")
TRANSFER_TIME = Symbol("T", "s", "(0, inf)", (1e-3, 1e4), "Transfer time that was measured")
IDEAL_TIME = Symbol("T_0", "s", "(0, inf)", (1e-3, 1e4), "Ideal transfer time")
ORIGINAL = Symbol("F", "bytes", "(0, inf)", (1e3, 1e10), "Bytes to transfer, each counted once")
RETRANSMITTED = Symbol("r", "bytes", "[0, inf)", (0.0, 1e8), "Bytes of all retransmissions")
BASELINE = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "Round-trip time of the path without congestion")
LOADED = Symbol(r"R_m", "s", "(0, inf)", (1e-3, 2.0), "Mean round-trip time during the transfer")


@law(
    source=f"{RFC_6349}, section 4.1.1",
    result="X [bytes/s], data per second",
    derivation="",
    not_simulated="arithmetic of definitions",
)
def achievable_throughput(capacity: CAPACITY, payload: PAYLOAD, overhead: OVERHEAD = 78, *, xp):
    r"""Return the greatest rate [bytes/s] at which TCP can carry data over a link of a given bandwidth.

    .. math:: X = C \frac{l}{l + h}

    The RFC rounds the frames per second, C/(l + h), down to an integer. Here they are not rounded.

    >>> round(8e-6 * achievable_throughput(100e6 / 8, 1460), 1)  # 100 Mbit/s Ethernet, in Mbit/s
    94.9
    """
    return capacity * (payload / (payload + overhead))


@law(
    source=f"{RFC_6349}, section 4.1.2",
    result="T_0 [s]",
    derivation="",
    not_simulated="arithmetic of definitions",
)
def ideal_transfer_time(file_size: FILE_SIZE, capacity: CAPACITY, payload: PAYLOAD, overhead: OVERHEAD = 78, *, xp):
    r"""Return the time [s] of a transfer at the rate `achievable_throughput`.

    .. math:: T_0 = \frac{F}{C} \frac{l + h}{l}

    The law leaves out slow start and the round trip, so that even a perfect TCP takes longer; with both the time is
    `unloaded_transfer_time`.

    >>> round(ideal_transfer_time(100e6, 1e9 / 8, 1460), 2)
    0.84
    """
    return file_size / capacity * ((payload + overhead) / payload)


@law(
    source=f"{RFC_6349}, section 4.1",
    result="T/T_0 [1]; 1 is ideal",
    derivation="",
    not_simulated="a definition",
)
def transfer_time_ratio(transfer_time: TRANSFER_TIME, ideal_time: IDEAL_TIME, *, xp):
    r"""Return the TCP transfer time ratio: the actual over the ideal time of a transfer.

    .. math:: \frac{T}{T_0}

    The ideal time is `ideal_transfer_time`.

    >>> transfer_time_ratio(12, 8)
    1.5
    """
    return transfer_time / ideal_time


@law(
    source=f"{RFC_6349}, section 4.2",
    result="E [1], the RFC's percentage over 100",
    derivation="",
    not_simulated="a definition",
)
def tcp_efficiency(original: ORIGINAL, retransmitted: RETRANSMITTED, *, xp):
    r"""Return the TCP efficiency: the fraction of the transmitted bytes that are not retransmissions.

    .. math:: E = \frac{F}{F + r}

    In the RFC's words (transmitted - retransmitted)/transmitted, where the transmitted bytes include the
    retransmitted ones. With a loss probability p and no needless retransmission it is 1 - p.

    >>> round(tcp_efficiency(100_000, 2_000), 4)
    0.9804
    """
    return original / (original + retransmitted)


@law(
    source=f"{RFC_6349}, section 4.3",
    result="The RFC's percentage over 100 [1]; 0 without queueing",
    derivation="",
    not_simulated="a definition",
)
def buffer_delay(loaded_round_trip_time: LOADED, round_trip_time: BASELINE, *, xp):
    r"""Return the buffer delay: the increase of the round-trip time during a transfer, over the base round-trip time.

    .. math:: \frac{R_m - R}{R}

    With one flow that keeps a link busy it is the mean queue relative to the bandwidth-delay product, such as
    `cubic.mean_queue`.

    >>> round(buffer_delay(32e-3, 25e-3), 12)
    0.28
    """
    return (loaded_round_trip_time - round_trip_time) / round_trip_time
