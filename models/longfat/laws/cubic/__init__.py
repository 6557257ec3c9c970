"""CUBIC: window between losses, response to loss, utilisation of a link; windows in packets, times in seconds.

The rules are those of RFC 9438. Proofs: derivations/cubic.py, cubic_link.py and cubic_random.py.
"""

from longfat.laws.cubic.growth import (
    mean_queue,
    mean_window,
    packets_between_losses,
    recovery_time,
    utilisation,
    utilisation_general,
    window,
)
from longfat.laws.cubic.loss_response import (
    average_window,
    average_window_random,
    loss_of_window,
    reno_friendly_loss,
    reno_friendly_window,
)

__all__ = [
    "average_window",
    "average_window_random",
    "loss_of_window",
    "mean_queue",
    "mean_window",
    "packets_between_losses",
    "recovery_time",
    "reno_friendly_loss",
    "reno_friendly_window",
    "utilisation",
    "utilisation_general",
    "window",
]
