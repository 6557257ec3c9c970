"""Parameters of the CUBIC laws, each declared once: symbol, unit, domain, typical range, meaning."""

from __future__ import annotations

from longfat.law import Symbol

TIME = Symbol("t", "s", "[0, inf)", (0.0, 20.0), "Time since the window was reduced")
WINDOW_BEFORE_LOSS = Symbol("W_{max}", "packets", "(0, inf)", (10.0, 1e5), "Window just before it is reduced")
C = Symbol("C", "packets/s^3", "(0, inf)", (0.04, 4.0), "Factor of the cubic term; RFC 9438 recommends 0.4")
BETA = Symbol(
    r"\beta", "1", "(0, 1)", (0.5, 0.9), "Factor by which a loss multiplies the window; RFC 9438 recommends 0.7"
)
LOSS = Symbol("p", "probability", "(0, 1)", (1e-8, 1e-2), "Loss events per packet sent")
AVERAGE_WINDOW = Symbol("W", "packets", "[2, inf)", (4.0, 1e5), "Mean window over time")
BANDWIDTH_DELAY_PRODUCT = Symbol("C R", "packets", "(0, inf)", (50.0, 1e5), "Bandwidth-delay product of the empty path")
PATH = Symbol("R", "s", "(0, inf)", (1e-3, 1.0), "Round-trip time of the empty path")
FAST_CONVERGENCE = Symbol(
    "F_c", "1", "[0, 1]", (0, 1), "Whether fast convergence (RFC 9438, section 4.7) is on", integer=True
)
