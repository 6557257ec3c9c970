"""Parameters of the TCP laws, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

LOSS = Symbol("p", "probability", "(0, 1)", (1e-6, 0.1), "Loss events per packet sent")
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "Round-trip time, queueing included")
TIMEOUT = Symbol("T_0", "s", "[0, inf)", (0.2, 4.0), "First retransmission timeout")
ACKED = Symbol("b", "packets", "[1, inf)", (1.0, 2.0), "Packets that one acknowledgment covers")
WINDOW = Symbol("W", "packets", "[2, inf)", (4.0, 1e5), "Window just before it is reduced")
LARGEST_WINDOW = Symbol("W_m", "packets", "[1, inf)", (4.0, 1e4), "Largest window that the receiver allows")
INCREASE = Symbol(r"\alpha", "packets", "(0, inf)", (0.1, 2.0), "Increase of the window per acknowledged window")
DECREASE = Symbol(r"\beta", "1", "(0, 1)", (0.3, 0.95), "Factor by which a loss multiplies the window")
BUFFER = Symbol("B", "1", "[0, inf)", (0.01, 2.0), "Buffer over the bandwidth-delay product of the empty path")
UTILISATION = Symbol("U", "1", "(0, 1]", (0.75, 1.0), "Utilisation: the fraction of the time in which the link sends")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 100), "Parallel flows of one sender, of one round-trip time", integer=True)
OTHERS = Symbol("m", "flows", "[0, inf)", (1, 20), "Flows of others at the same link", integer=True)
PACKETS = Symbol("n", "packets", "[1, inf)", (1, 1e5), "Packets of the file", integer=True)
INITIAL_WINDOW = Symbol("W_0", "packets", "[1, inf)", (1, 10), "Window of the first round", integer=True)
PATH = Symbol("R", "s", "[0, inf)", (1e-3, 1.0), "Round-trip time of the empty path, without t")
PACKET_TIME = Symbol("t", "s", "(0, inf)", (1e-6, 1e-3), "Transmission time of a packet at the bottleneck")
AFTER = Symbol("x", "1", "[0, inf)", (0.1, 8.0), "Round trips since acknowledgments began to come at the link's rate")
MEMORY = Symbol("w", "1", "(0, inf)", (1.0, 6.0), "Window of SEARCH in initial round-trip times: 3.5", default=3.5)
ROUND_TRIP_RATIO = Symbol("r", "1", "(0, inf)", (1.0, 16.0), "Longer round-trip time over the shorter one")
LOSS_POWER = Symbol("s", "1", "[0, 1]", (0.0, 1.0), "Exponent of the rate in the losses per second")
TIME_POWER = Symbol("a", "1", "(0, inf)", (1.0, 3.0), "Exponent of the time in the growth of the window")
ROUND_TRIP_POWER = Symbol("b", "1", "[0, inf)", (0.0, 1.0), "Exponent of the round-trip time in the growth's divisor")
