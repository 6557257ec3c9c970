"""CADPC: congestion avoidance with distributed proportional control, from rare reports of a link's traffic.

Rates and traffic are fractions of the capacity of the link that reports. Time is counted in updates; one comes every
few round trips (`update_time`). Proofs: derivations/cadpc.py, cadpc_spectrum.py, cadpc_delay.py, cadpc_network.py.
"""

from longfat.laws.cadpc.delay import largest_stable_smoothing, total_multipliers
from longfat.laws.cadpc.equilibrium import equilibrium_rate, equilibrium_traffic, weighted_equilibrium_rate
from longfat.laws.cadpc.fairness import difference_multiplier, newcomer_growth, updates_to_fairness
from longfat.laws.cadpc.logistic import logistic_rate
from longfat.laws.cadpc.network import network_equilibrium
from longfat.laws.cadpc.parking_lot import parking_lot_long_rate, parking_lot_short_rate
from longfat.laws.cadpc.startup import startup_multiplicity, startup_step
from longfat.laws.cadpc.trajectory import trajectory, update_time, updates_to_fraction
from longfat.laws.cadpc.update import step, weighted_step

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
