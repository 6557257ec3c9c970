"""The letters of Gong & Parulkar, declared once: unit, domain, typical range."""

from __future__ import annotations

from longfat.law import Symbol

PAPER = "Gong & Parulkar, WUCS-92-38"

LOSS = Symbol("p", "probability", "[0, 1)", (1e-6, 0.1), "packet loss probability")
PACKETS = Symbol("s", "packets", "[1, inf)", (1, 128), "packets per segment", integer=True)
PACKET_TIME = Symbol("t_p", "s", "(0, inf)", (1e-8, 1e-3), "time to send a packet")
ROUND_TRIP = Symbol("RTD", "s", "[0, inf)", (1e-3, 1.0), "round-trip time")
ACK_DELAY = Symbol("t_a", "s", "[0, inf)", (1e-3, 1.0), "acknowledgment delay")
ACK_SEGMENTS = Symbol("w_a", "segments", "[0, inf)", (0.25, 1000.0), "acknowledgment delay in segment times")
WINDOW = Symbol("W", "segments", "[1, inf)", (1.0, 4000.0), "window")
BURST_RATE = Symbol("F", "bursts/s", "(0, inf)", (1.0, 1e5), "bursts per second")
BURST = Symbol("L", "packets", "(0, inf)", (1.0, 256.0), "packets per burst")
PACKET_SIZE = Symbol("l", "bytes", "(0, inf)", (53.0, 9000.0), "packet size")
EFFICIENCY = Symbol("e", "1", "(0, 1)", (0.05, 0.99), "throughput efficiency")
