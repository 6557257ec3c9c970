"""Parameters of Gong and Parulkar, each declared once, and the points at which the segment simulator is run."""

from __future__ import annotations

from longfat.law import Symbol

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
EFFICIENCY = Symbol("e", "1", "(0, 1)", (0.05, 0.99), "Throughput efficiency")

SIMULATED = {"segment_packets": [1.0, 4.0, 16.0, 64.0], "ack_segments": [20.0, 23.0, 24.0, 50.0, 100.0]}
