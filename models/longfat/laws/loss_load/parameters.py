"""Parameters of the loss-load laws, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

RATE = Symbol("f", "1", "[0, inf)", (0.05, 2.0), "Rate of the source over the capacity that the link announces")
SENDING = Symbol("f", "1", "(0, inf)", (0.05, 2.0), "Rate of the source over the capacity that the link announces")
EXCESS = Symbol("a", "1", "[-1, inf)", (-1.0, 2.0), "Rates of the other sources over the announced capacity, less 1")
SPREAD = Symbol("b", "1", "[0, inf)", (1e-6, 1.0), "Sum of the other sources' rates, each to the power k + 1")
K = Symbol("k", "1", "[1, inf)", (1.0, 20.0), "Exponent, with which the loss of high rates grows")
ACCESS = Symbol("f_{max}", "1", "(0, inf]", (0.1, 5.0), "Rate of the source's access link over the announced capacity")
VIRTUAL = Symbol("v", "1", "(0, 1]", (0.5, 1.0), "Virtual factor, announced over true capacity")
SOURCES = Symbol("M", "sources", "[2, inf)", (2, 100), "Equal sources", integer=True)
PACKETS = Symbol("N", "packets", "[1, inf)", (1.0, 1e5), "Packets to deliver")
ROUND_TRIP = Symbol("R", "s", "[0, inf)", (1e-3, 1.0), "Round-trip time")
CAPACITY = Symbol(r"\mu", "packets/s", "(0, inf)", (1e3, 1e6), "Capacity of the link")
