"""The letters of the loss-load laws, declared once: unit, domain, typical range."""

from __future__ import annotations

from longfat.law import Symbol

PAPER = "Prithviraj & Williamson, Virtual loss-load"

RATE = Symbol("f", "1", "[0, inf)", (0.05, 2.0), "own rate over capacity")
SENDING = Symbol("f", "1", "(0, inf)", (0.05, 2.0), "own rate over capacity")
EXCESS = Symbol("a", "1", "[-1, inf)", (-1.0, 2.0), "rates of the others over capacity, less 1")
SPREAD = Symbol("b", "1", "[0, inf)", (1e-6, 1.0), "sum of the others' rates, each to the power k + 1")
K = Symbol("k", "1", "[1, inf)", (1.0, 20.0), "how hard high rates are punished")
ACCESS = Symbol("f_{max}", "1", "(0, inf]", (0.1, 5.0), "largest rate of the source, over capacity")
VIRTUAL = Symbol("v", "1", "(0, 1]", (0.5, 1.0), "virtual over true capacity")
SOURCES = Symbol("M", "sources", "[2, inf)", (2, 100), "equal sources", integer=True)
PACKETS = Symbol("N", "packets", "[1, inf)", (1.0, 1e5), "packets to be delivered")
ROUND_TRIP = Symbol("R", "s", "[0, inf)", (1e-3, 1.0), "round-trip time")
CAPACITY = Symbol(r"\mu", "packets/s", "(0, inf)", (1e3, 1e6), "capacity of the link")
