"""Parameters of the CADPC laws, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

RATE = Symbol("x", "1", "(0, inf)", (1e-6, 0.5), "Rate of the sender over the capacity of the link that reports")
TRAFFIC = Symbol(
    "L", "1", "[0, inf)", (0.1, 1.2), "Traffic of all flows, the sender's included, over the capacity of the link"
)
FIRST_RATE = Symbol("x_0", "1", "(0, 1)", (1e-6, 0.02), "Rate over capacity before the first update")
FLOWS = Symbol("n", "flows", "[1, inf)", (1, 100), "Flows that share the link", integer=True)
RIVALS = Symbol("n", "flows", "[2, inf)", (2, 100), "Flows that share the link", integer=True)
UPDATES = Symbol("t", "updates", "[0, inf)", (0, 20), "Updates since the start", integer=True)
TIME = Symbol("t", "updates", "[0, inf)", (0.01, 40.0), "Time since the start, in updates")
FRACTION = Symbol(r"\varphi", "1", "(0, 1)", (0.1, 0.999), "Fraction of the equilibrium")
WEIGHT = Symbol("w", "flows", "(0, inf)", (0.5, 4.0), "Weight, the number of flows that a flow acts like")
TOTAL_WEIGHT = Symbol("W", "flows", "(0, inf)", (1.0, 100.0), "Sum of the weights of all flows, this one included")

# The substitution z = a (1 + n) x/(1 + a) turns the update into the logistic map with parameter 1 + a. For parameters
# up to 4 (a <= 3), z stays inside (0, 1). The equilibrium is stable for a < 2.
SMOOTHING = Symbol("a", "1", "(0, 3]", (0.1, 1.0), "Smoothness factor")
STABLE_SMOOTHING = Symbol("a", "1", "(0, 2)", (0.1, 1.0), "Smoothness factor")
