"""Parameters of the queueing laws, each declared once, and the ranges in which their simulators are run."""

from __future__ import annotations

from longfat.law import Symbol

# The offered load is the arrival rate times the mean service time. It must be below 1 if the queue has no limit.
LOAD = Symbol(r"\rho", "1", "[0, 1)", (0.05, 0.95), "Offered load")
ANY_LOAD = Symbol(r"\rho", "1", "[0, inf)", (0.05, 5.0), "Offered load")
CAPACITY = Symbol(
    "K", "packets", "[1, inf)", (1.0, 128.0), "System size, packet in service included", integer=True,
    remark="The buffer is K - 1",
)  # fmt: skip
VARIATION = Symbol("C_b^2", "1", "[0, inf)", (0.1, 10.0), "Squared coefficient of variation of the service times")

UNLIMITED = {"load": (0.05, 0.8)}
LIMITED = {"load": (0.2, 1.5), "capacity": (1.0, 20.0)}
WAITING = LIMITED | {"capacity": (2.0, 20.0)}  # with a capacity of 1 no packet waits, so that all results are 0
# Our choice of the ranges: in them, runs of some thousand packets have losses. Without losses, simulation and law would
# agree at 0, which proves nothing.
LOSSY = {"load": (0.4, 1.5), "capacity": (1.0, 6.0)}
