"""Copa and LEDBAT++: shares and queue of Copa; queueing delay, slowdowns and utilisation of LEDBAT++.

Queues are in packets, capacities in packets/s. Proofs: derivations/delay_based.py.
"""

from longfat.laws.delay_based.copa import copa_largest_queue, copa_mean_queue, copa_queueing_delay, copa_share
from longfat.laws.delay_based.ledbat import (
    ledbat_gain,
    ledbat_queueing_delay,
    ledbat_slowdown_time,
    ledbat_utilisation,
)

__all__ = [
    "copa_largest_queue",
    "copa_mean_queue",
    "copa_queueing_delay",
    "copa_share",
    "ledbat_gain",
    "ledbat_queueing_delay",
    "ledbat_slowdown_time",
    "ledbat_utilisation",
]
