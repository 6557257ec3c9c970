"""Parameters of the laws of Copa and LEDBAT++, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

DELTA = Symbol(r"\delta", "1/packets", "(0, inf)", (0.02, 0.5), "Weight of the delay (Copa)")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 10), "Equal flows at the link, of one round-trip time", integer=True)
TARGETS = Symbol("S", "packets", "(0, inf)", (20.0, 200.0), "Sum of 1/delta over all Copa flows, this one included")
CAPACITY = Symbol(r"\mu", "packets/s", "(0, inf)", (100.0, 1e5), "Capacity of the link")
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (1e-3, 0.5), "Round-trip time, without queueing")
TARGET = Symbol("T", "s", "(0, inf)", (0.01, 0.1), "Target of the queueing delay (LEDBAT++): 0.06 s", default=0.06)
