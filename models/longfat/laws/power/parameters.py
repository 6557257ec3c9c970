"""Parameters of network power, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

THROUGHPUT = Symbol(r"\Theta", "bytes/s", "[0, inf)", (1e4, 1e9), "Throughput of completed transfers")
RESPONSE_TIME = Symbol("R", "s", "(0, inf)", (1e-3, 10.0), "Response time, the mean from arrival to completion")
ALPHA = Symbol(r"\alpha", "1", "(0, inf)", (0.25, 2.0), "Weight of throughput against response time")
ARRIVAL_RATE = Symbol(r"\lambda", "1/s", "[0, inf)", (0.1, 1e4), "Arrival rate")
TIME_INSIDE = Symbol("T", "s", "[0, inf)", (1e-3, 10.0), "Mean time that an arrival spends in the system")
CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e4, 1e9), "Rate of the link")
FILE_SIZE = Symbol("F", "bytes", "(0, inf)", (1e3, 1e8), "Mean size of the files")
ROUND_TRIP = Symbol("D", "s", "[0, inf)", (1e-4, 1.0), "Round-trip propagation time")
PROPAGATION = Symbol(
    r"\delta", "1", "[0, inf)", (0.01, 100.0), "Round-trip propagation time D over mean service time S"
)
