"""The letters of network power, declared once: unit, domain, typical range."""

from __future__ import annotations

from longfat.law import Symbol

KIM_FARBER = "Kim & Farber, MS-CIS-94-55 (1994)"
KLEINROCK = "Kleinrock, Power and deterministic rules of thumb, ICC 1979"

THROUGHPUT = Symbol(r"\Theta", "bytes/s", "[0, inf)", (1e4, 1e9), "bytes of completed transfers per second")
RESPONSE_TIME = Symbol("R", "s", "(0, inf)", (1e-3, 10.0), "mean time from arrival to completion")
ALPHA = Symbol(r"\alpha", "1", "(0, inf)", (0.25, 2.0), "weight of throughput against response time")
ARRIVAL_RATE = Symbol(r"\lambda", "1/s", "[0, inf)", (0.1, 1e4), "arrivals per second")
TIME_INSIDE = Symbol("T", "s", "[0, inf)", (1e-3, 10.0), "mean time spent inside")
CAPACITY = Symbol("C", "bytes/s", "(0, inf)", (1e4, 1e9), "rate of the link")
FILE_SIZE = Symbol("F", "bytes", "(0, inf)", (1e3, 1e8), "mean size of the files")
ROUND_TRIP = Symbol("D", "s", "[0, inf)", (1e-4, 1.0), "propagation round trip")
PROPAGATION = Symbol(r"\delta", "1", "[0, inf)", (0.01, 100.0), "propagation round trip over mean service time")
