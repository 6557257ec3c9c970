"""The letters of the CADPC laws, declared once: unit, domain, typical range."""

from __future__ import annotations

from longfat.law import Symbol

PAPER = "Welzl, Scalable Router Aided Congestion Avoidance for Bulk Data Transfer"

RATE = Symbol("x", "1", "(0, inf)", (1e-6, 0.5), "rate over capacity")
TRAFFIC = Symbol("L", "1", "[0, inf)", (0.1, 1.2), "traffic of all flows over capacity, one's own included")
FIRST_RATE = Symbol("x_0", "1", "(0, 1)", (1e-6, 0.02), "rate over capacity before the first update")
FLOWS = Symbol("n", "flows", "[1, inf)", (1, 100), "flows that share the link", integer=True)
RIVALS = Symbol("n", "flows", "[2, inf)", (2, 100), "flows that share the link", integer=True)
UPDATES = Symbol("t", "updates", "[0, inf)", (0, 20), "updates since the start", integer=True)
TIME = Symbol("t", "updates", "[0, inf)", (0.01, 40.0), "time since the start, in updates")
FRACTION = Symbol(r"\varphi", "1", "(0, 1)", (0.1, 0.999), "fraction of the equilibrium")
WEIGHT = Symbol("w", "flows", "(0, inf)", (0.5, 4.0), "flows that one acts like")
TOTAL_WEIGHT = Symbol("W", "flows", "(0, inf)", (1.0, 100.0), "sum of the weights of all flows")

# z = a (1 + n) x/(1 + a) turns the update into the logistic map with parameter 1 + a, which stays inside (0, 1) up to
# 4; the equilibrium attracts for a < 2.
SMOOTHING = Symbol("a", "1", "(0, 3]", (0.1, 1.0), "smoothness factor")
STABLE_SMOOTHING = Symbol("a", "1", "(0, 2)", (0.1, 1.0), "smoothness factor")
