"""Parameters of the laws of active queue management, each declared once: symbol, unit, domain, range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

DROPS = Symbol("n", "packets", "[1, inf)", (1, 1000), "Drops since the first one", integer=True)
INTERVAL = Symbol("I", "s", "(0, inf)", (0.01, 0.2), "CoDel's interval, 0.1 s by default")
TIME = Symbol("t", "s", "[0, inf)", (0.0, 10.0), "Time since the first drop")
LOSS = Symbol("p", "probability", "(0, 1)", (1e-4, 0.1), "Share of the packets that are to be dropped")
CAPACITY = Symbol(r"\mu", "packets/s", "(0, inf)", (100.0, 1e6), "Capacity of the link")
FLOWS = Symbol("N", "flows", "[1, inf)", (1, 100), "Equal flows at the link", integer=True)
ROUND_TRIP = Symbol("R", "s", "(0, inf)", (0.005, 0.2), "Round-trip time, without queueing")
TARGET = Symbol("q", "s", "[0, inf)", (0.001, 0.03), "Queueing delay that the queue management aims at")
INTEGRAL_GAIN = Symbol(r"\alpha", "1/s", "(0, inf)", (0.01, 1.0), "Gain of the deviation of the delay, per update")
PROPORTIONAL_GAIN = Symbol(r"\beta", "1/s", "(0, inf)", (0.1, 10.0), "Gain of the change of the delay between updates")
RATIO = Symbol("h", "1", "(0, 2]", (0.1, 2.0), "New time between updates over the present one")
MARKING = Symbol("p_{CL}", "probability", "[0, 1]", (0.01, 1.0), "Coupled probability of marking low-latency packets")
COUPLING = Symbol("k", "1", "[1, inf)", (1.0, 8.0), "Coupling factor, 2 by default")
DECREASE = Symbol(r"\beta", "1", "(0, 1)", (0.5, 0.7), "Factor by which a loss multiplies the window")
CLASSIC_TRIP = Symbol("R_C", "s", "(0, inf)", (0.005, 0.2), "Mean round-trip time of the classic flow, with its queue")
SCALABLE_TRIP = Symbol("R_L", "s", "(0, inf)", (0.005, 0.2), "Round-trip time of the scalable flow, with its queue")
