"""The letters of the TCP laws, declared once: unit, domain, typical range."""

from __future__ import annotations

from longfat.law import Symbol

LOSS = Symbol("p", "probability", "(0, 1)", (1e-6, 0.1), "loss events per packet sent")
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "round-trip time, queues included")
TIMEOUT = Symbol("T_0", "s", "[0, inf)", (0.2, 4.0), "first retransmission timeout")
ACKED = Symbol("b", "packets", "[1, inf)", (1.0, 2.0), "packets that one acknowledgment covers")
WINDOW = Symbol("W", "packets", "[2, inf)", (4.0, 1e5), "window just before it is cut")
LARGEST_WINDOW = Symbol("W_m", "packets", "[1, inf)", (4.0, 1e4), "largest window that the receiver allows")
INCREASE = Symbol(r"\alpha", "packets", "(0, inf)", (0.1, 2.0), "added to the window per window acknowledged")
DECREASE = Symbol(r"\beta", "1", "(0, 1)", (0.3, 0.95), "what the window is multiplied by after a loss")
BUFFER = Symbol("B", "1", "[0, inf)", (0.01, 2.0), "buffer over bandwidth-delay product")
UTILISATION = Symbol("U", "1", "(0, 1]", (0.75, 1.0), "share of the time for which the link sends")
PACKETS = Symbol("n", "packets", "[1, inf)", (1, 1e5), "packets of the file", integer=True)
INITIAL_WINDOW = Symbol("W_0", "packets", "[1, inf)", (1, 10), "window of the first round", integer=True)
PATH = Symbol("R", "s", "[0, inf)", (1e-3, 1.0), "round-trip time of the empty path, without t")
PACKET_TIME = Symbol("t", "s", "(0, inf)", (1e-6, 1e-3), "time to send a packet at the bottleneck")
