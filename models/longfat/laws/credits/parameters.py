"""Parameters of the laws of credit flow control, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

BATCH = Symbol("N_2", "packets", "[1, inf)", (1, 50), "Forwarded cells per credit cell", integer=True)
RESERVE = Symbol("N_3", "packets", "[0, inf)", (0, 500), "Cells that the allocation has above N_2", integer=True)
LOOP = Symbol(
    "P", "packets", "[0, inf)", (1.0, 500.0), "Round trip of the link without the cell itself, in transmission "
    "times of a cell: twice the propagation delay and the transmission of the credit cell"
)  # fmt: skip
SHARE = Symbol("x", "1", "(0, 1]", (0.1, 1.0), "Rate of the flow over the rate of the link")
INTERVALS = Symbol("k", "1", "[0, inf)", (0, 20), "Allocations since the flow began with one cell", integer=True)
POOL_GROWTH = Symbol(
    "G", "1", "(1, inf)", (1.1, 10.0), "Share of the pool that is given out, over the round trip of the link in cells"
)  # fmt: skip
