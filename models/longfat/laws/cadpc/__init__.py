"""CADPC: congestion avoidance with distributed proportional control, from rare reports of a link's traffic.

Rates and traffic are fractions of the capacity of the link that reports. Time is counted in updates; one comes every
few round trips (`update_time`). Proofs: derivations/cadpc.py, cadpc_spectrum.py, cadpc_delay.py, cadpc_network.py.
"""

from longfat.laws.cadpc.flow import (
    equilibrium_rate,
    equilibrium_traffic,
    logistic_rate,
    step,
    trajectory,
    update_time,
    updates_to_fraction,
    weighted_equilibrium_rate,
    weighted_step,
)
from longfat.laws.cadpc.network import (
    difference_multiplier,
    largest_stable_smoothing,
    network_equilibrium,
    newcomer_growth,
    parking_lot_long_rate,
    parking_lot_short_rate,
    startup_multiplicity,
    startup_step,
    total_multipliers,
    updates_to_fairness,
)

__all__ = [
    "difference_multiplier",
    "equilibrium_rate",
    "equilibrium_traffic",
    "largest_stable_smoothing",
    "logistic_rate",
    "network_equilibrium",
    "newcomer_growth",
    "parking_lot_long_rate",
    "parking_lot_short_rate",
    "startup_multiplicity",
    "startup_step",
    "step",
    "total_multipliers",
    "trajectory",
    "update_time",
    "updates_to_fairness",
    "updates_to_fraction",
    "weighted_equilibrium_rate",
    "weighted_step",
]
