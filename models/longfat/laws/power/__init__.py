"""Network power, throughput over response time: its definition, its maximum and its bounds.

Bytes, seconds and bytes/s; loads are throughput over capacity. Arrivals are Poisson and nothing is lost. Proofs:
derivations/power.py.
"""

from longfat.laws.power.ceiling import first_come_ceiling, greatest_power, power_ceiling, power_ceiling_exponent
from longfat.laws.power.definition import little_mean_number, network_power
from longfat.laws.power.fairness import jain_index
from longfat.laws.power.knee import knee_load, knee_number, relative_power

__all__ = [
    "first_come_ceiling",
    "greatest_power",
    "jain_index",
    "knee_load",
    "knee_number",
    "little_mean_number",
    "network_power",
    "power_ceiling",
    "power_ceiling_exponent",
    "relative_power",
]
