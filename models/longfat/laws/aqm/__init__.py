"""Active queue management: CoDel's drop times, PIE's gains and loss, the coupling of a dual queue.

Proofs: derivations/aqm.py. Marking thresholds for DCTCP: `longfat.laws.dctcp`.
"""

from longfat.laws.aqm.coupled import classic_probability, coupled_rate_ratio, coupling_factor
from longfat.laws.aqm.drop_times import codel_control_time, codel_count, codel_drop_rate, codel_drop_time
from longfat.laws.aqm.pi import equilibrium_loss, rescaled_integral_gain, rescaled_proportional_gain

__all__ = [
    "classic_probability",
    "codel_control_time",
    "codel_count",
    "codel_drop_rate",
    "codel_drop_time",
    "coupled_rate_ratio",
    "coupling_factor",
    "equilibrium_loss",
    "rescaled_integral_gain",
    "rescaled_proportional_gain",
]
