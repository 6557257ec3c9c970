"""Parameters of the BBR laws, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

GROWTH = Symbol(r"\gamma", "1", "(1, inf)", (1.1, 4.0), "Factor by which the rate grows in a round trip")
CWND_GAIN = Symbol("g", "1", "[1, inf)", (1.5, 3.0), "Congestion window over the estimated bandwidth-delay product")
DRAIN_GAIN = Symbol("g_d", "1", "[0, 1)", (0.3, 0.9), "Pacing rate over the estimated bandwidth in Drain")
PROBE_GAIN = Symbol("g_p", "1", "[1, inf)", (1.1, 2.0), "Pacing rate over the estimated bandwidth in a probe")
LOW_GAIN = Symbol("g_l", "1", "[0, 1]", (0.01, 0.75), "In flight in ProbeRTT, over the bandwidth-delay product")
BDP = Symbol("C R", "packets", "(0, inf)", (10.0, 1e4), "Bandwidth-delay product, without queueing")
BUFFER = Symbol("B", "1", "(0, inf)", (0.5, 64.0), "Buffer over the bandwidth-delay product of the empty path")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 50), "BBR flows at the link", integer=True)
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 0.5), "Round-trip time, without queueing")
HOLD = Symbol("T", "s", "[0, inf)", (0.1, 0.5), "Time for which ProbeRTT holds few packets in flight: 0.2 s")
INTERVAL = Symbol(
    "I", "s", "(0, inf)", (5.0, 10.0), "Time from the end of a ProbeRTT to the next: 10 s in 2016, 5 s in version 3"
)
SMALLEST_WINDOW = Symbol("W_m", "packets", "[0, inf)", (2.0, 8.0), "Least congestion window")
