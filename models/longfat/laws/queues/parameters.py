"""The letters of the queueing laws, declared once: unit, domain, typical range."""

from __future__ import annotations

from longfat.law import Symbol

KLEINROCK = "Kleinrock, Queueing Systems, vol. 1 (1975)"
BRUN_GARCIA = "Brun & Garcia, J. Appl. Prob. 37 (2000) 1092-1098"

# Offered load: arrival rate times mean service time. Without a limit on the queue it has to stay below 1.
LOAD = Symbol(r"\rho", "1", "[0, 1)", (0.05, 0.95), "offered load")
ANY_LOAD = Symbol(r"\rho", "1", "[0, inf)", (0.05, 5.0), "offered load")
CAPACITY = Symbol("K", "packets", "[1, inf)", (1.0, 128.0), "system size, packet in service included", integer=True)
VARIATION = Symbol("C_b^2", "1", "[0, inf)", (0.1, 10.0), "squared coefficient of variation of the service time")
