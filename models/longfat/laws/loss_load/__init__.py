"""Loss-load curves and virtual capacity: a link announces the loss at each rate, and sources choose their rates.

Rates are fractions of the capacity that the link announces, which is v times the true capacity.
"""

from longfat.laws.loss_load.loss import (
    bounded_loss,
    equilibrium_load,
    equilibrium_loss,
    equilibrium_rate,
    loss_probability,
    lossless_virtual_factor,
    raw_throughput,
    virtual_capacity,
)
from longfat.laws.loss_load.optimum import response_optimal_rate, response_time, throughput_optimal_rate

__all__ = [
    "bounded_loss",
    "equilibrium_load",
    "equilibrium_loss",
    "equilibrium_rate",
    "loss_probability",
    "lossless_virtual_factor",
    "raw_throughput",
    "response_optimal_rate",
    "response_time",
    "throughput_optimal_rate",
    "virtual_capacity",
]
