"""Rates, acknowledgment delay and windows (Gong and Parulkar, sections 3.3 and 3.4)."""

from __future__ import annotations

from longfat.law import SimulatedBy, Symbol, law
from longfat.laws.references import GONG_PARULKAR

LOSS = Symbol("p", "probability", "[0, 1)", (1e-6, 0.1), "Packet loss probability")
PACKETS = Symbol("s", "packets", "[1, inf)", (1, 128), "Packets per segment", integer=True)
PACKET_TIME = Symbol("t_p", "s", "(0, inf)", (1e-8, 1e-3), "Transmission time of a packet")
ROUND_TRIP = Symbol("RTD", "s", "[0, inf)", (1e-3, 1.0), "Round-trip time")
ACK_DELAY = Symbol("t_a", "s", "[0, inf)", (1e-3, 1.0), "Acknowledgment delay")
ACK_SEGMENTS = Symbol("w_a", "segments", "[0, inf)", (0.25, 1000.0), "Acknowledgment delay in segment times")
WINDOW = Symbol("W", "segments", "[1, inf)", (1.0, 4000.0), "Window")
BURST_RATE = Symbol("F", "bursts/s", "(0, inf)", (1.0, 1e5), "Burst rate")
BURST = Symbol("L", "packets", "(0, inf)", (1.0, 256.0), "Packets per burst")
PACKET_SIZE = Symbol("l", "bytes", "(0, inf)", (53.0, 9000.0), "Packet size")
SEGMENT_TIME = Symbol("t_s", "s", "(0, inf)", (1e-4, 1.0), "Transmission time of a segment")
PROCESSING = Symbol("T", "s", "[0, inf)", (1e-4, 1.0), "Processing time of a segment at the receiver")


@law(
    source=f"{GONG_PARULKAR}, section 3.3",
    result="A [bytes/s]; the paper counts bits",
    derivation="",
    not_simulated="arithmetic of definitions",
    burst_rate=BURST_RATE.described(remark="It is at most `largest_burst_rate`"),
)
def average_rate(burst_rate, burst_packets: BURST, packet_size: PACKET_SIZE, *, xp):
    """Return the average rate [bytes/s] of the bursty rate specification (P, F, L).

    .. math:: A = F L l

    Exact by definition.

    >>> average_rate(1000, 16, 1024)
    16384000.0
    """
    return burst_rate * burst_packets * packet_size


@law(
    source=f"{GONG_PARULKAR}, section 3.3",
    result="F [bursts/s]",
    derivation="",
    not_simulated="arithmetic of definitions",
    peak_rate=Symbol("P", "bytes/s", "(0, inf)", (1e4, 1e11), "Peak rate"),
)
def largest_burst_rate(peak_rate, burst_packets: BURST, packet_size: PACKET_SIZE, *, xp):
    r"""Return the largest burst rate [bursts/s] under a peak rate; with it the average rate equals the peak rate.

    .. math:: F \le \frac{P}{L l}

    Exact by definition.

    >>> largest_burst_rate(16384000, 16, 1024)
    1000.0
    """
    return peak_rate / (burst_packets * packet_size)


@law(
    source=f"{GONG_PARULKAR}, section 3.3 (L = s + X) and section 4.2 (X, in the second term of D_s)",
    result=(
        "L [packets]. The paper leaves X, the expected retransmissions of a segment, to the user; this is its value "
        "under independent loss"
    ),
    derivation="segment_rounds.burst_packets",
    not_simulated="arithmetic of definitions",
)
def burst_packets(loss: LOSS, segment_packets: PACKETS, *, xp):
    r"""Return the burst length [packets] that has room for a segment and the retransmissions of the segment before it.

    .. math:: L = s + X, \qquad X = \frac{s p}{1 - p}

    Exact mean for independent loss.

    >>> burst_packets(0.2, 16)
    20.0
    """
    return segment_packets / (1 - loss)


@law(
    source=f"{GONG_PARULKAR}, sections 3.4 and 4.2",
    result="t_a [s]",
    derivation="selective_repeat.acknowledgment_delay.seconds",
    not_simulated="arithmetic of definitions",
    packet_time=PACKET_TIME.described(remark="It is that at the connection's rate"),
)
def ack_delay(round_trip_time: ROUND_TRIP, packet_time, *, xp):
    """Return the time [s] from the end of a group of packets to its acknowledgment.

    .. math:: t_a = RTD + 3 t_p

    The receiver is assumed to take three packet times. Section 3.4 takes the packet time at the peak rate, section
    4.2 at the average rate; they agree where there are no gaps between bursts.

    >>> ack_delay(0.1, 1e-3)
    0.103
    """
    return round_trip_time + 3 * packet_time


@law(
    source=f"{GONG_PARULKAR}, section 3.4",
    result="w_a [segments]",
    derivation="selective_repeat.acknowledgment_delay.segments",
    not_simulated="arithmetic of definitions",
    packet_time=PACKET_TIME.described(remark="It is that at the average rate"),
)
def ack_segments(ack_delay: ACK_DELAY, packet_time, segment_packets: PACKETS, *, xp):
    r"""Return the acknowledgment delay in units of the time of a segment.

    .. math:: w_a = \frac{t_a}{s t_p}

    Exact by definition.

    >>> ack_segments(0.5, 0.001, 16)
    31.25
    """
    return ack_delay / (packet_time * segment_packets)


@law(
    source=f"{GONG_PARULKAR}, section 3.4",
    result="W_0 [segments]",
    not_simulated="arithmetic of definitions",
)
def initial_window(ack_segments: ACK_SEGMENTS, *, xp):
    """Return the smallest window [segments] that keeps the sender busy if nothing is lost.

    .. math:: W_0 = 1 + w_a

    Exact without loss. The paper's statement that it suffices up to p = 1e-4 (section 4.3) holds for w_a below about
    35 with s = 16.

    >>> initial_window(23.0)
    24.0
    """
    return 1 + ack_segments


@law(
    source=f"{GONG_PARULKAR}, section 3.4",
    result="W_1 [segments]",
    derivation="selective_repeat.adjusted_window.window",
    not_simulated="arithmetic of definitions",
    rate=Symbol("F", "segments/s", "(0, inf)", (1.0, 1e5), "Rate that the window was made for"),
    new_rate=Symbol("F_1", "segments/s", "(0, inf)", (1.0, 1e5), "New rate"),
)
def adjusted_window(window: WINDOW, rate, new_rate, *, xp):
    r"""Return the window [segments] that a receiver requests when its long-term rate changes.

    .. math:: W_1 = \frac{F_1}{F} W_0

    The throughput follows the window only where W_0 <= 1 + w_a. A sender with a window of c (1 + w_a) does not slow
    down before F_1 / F < 1 / c: the scope that the paper states is too wide, as the derivation proves.

    >>> adjusted_window(24, 100, 50)
    12.0
    """
    return new_rate / rate * window


@law(
    source=f"{GONG_PARULKAR}, section 3.4 and table 1",
    result="F_1 [segments/s]; in table 1 a segment is a packet, and the throughput is in bit/s",
    simulated=SimulatedBy(
        "sstp_throughput",
        {
            "window": [1.0, 2.0, 3.0, 5.0, 8.0],
            "segment_time": (0.016, 0.064),
            "ack_delay": (0.01, 0.3),
            "processing_time": (1e-4, 0.2),
        },
        relative=0.02,
    ),
)
def processing_throughput(
    window: WINDOW, segment_time: SEGMENT_TIME, ack_delay: ACK_DELAY, processing_time: PROCESSING, *, xp
):
    r"""Return the segments per second that a receiver processes without loss under an integer window.

    The smallest of three rates counts: those of the sender, of the application, and of the window, which advances only
    when the application has accepted a segment.

    .. math:: F_1 = \frac{1}{\max(t_s, T, (t_s + t_a) / W)}

    Exact for the sender, receiver and constant times of section 3.4. Table 1 gives 30 Mbit/s for 273 us per packet, and
    26 Mbit/s for 310 us; :math:`1 / T` is 30.0 and 26.4 Mbit/s with packets of 1024 bytes.

    >>> round(processing_throughput(1000, 1e-9, 0.0, 273e-6) * 1024 * 8 / 1e6, 2)
    30.01
    >>> round(processing_throughput(4, 0.016, 0.16, 0.02), 3)
    22.727
    """
    longest = xp.maximum(segment_time, processing_time + 0 * segment_time)
    return 1 / xp.maximum(longest, (segment_time + ack_delay) / window)
