"""Parameters of the DCTCP laws, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

FLOWS = Symbol("N", "flows", "[1, inf)", (1, 100), "Equal flows at the link, of one round-trip time", integer=True)
BDP = Symbol("C R", "packets", "(0, inf)", (10.0, 1e4), "Bandwidth-delay product, without queueing")
THRESHOLD = Symbol("K", "packets", "[0, inf)", (5.0, 1000.0), "Backlog above which every packet is marked")
WINDOW = Symbol("W", "packets", "[1, inf)", (2.0, 1e4), "Window of a flow when the backlog reaches the threshold")
MARKING = Symbol("p", "probability", "(0, 1]", (0.01, 0.5), "Share of the packets that are marked")
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-4, 0.1), "Round-trip time")
