"""One queue: waiting times, numbers in the system, and losses of a full buffer.

The load is the offered one, arrival rate times mean service time; times are in mean service times; a capacity
counts the packet in service, so the buffer has one place less. Arrivals are Poisson. Proofs:
derivations/queues.py, constant_queues.py.
"""

from longfat.laws.queues.constant import md1k_loss, md1k_mean_number, md1k_wait
from longfat.laws.queues.unlimited import (
    md1_wait,
    mg1_wait,
    mg1ps_response,
    mm1_mean_number,
    mm1_response,
    mm1_wait,
    mm1k_loss,
    mm1k_mean_number,
    mm1k_wait,
)

__all__ = [
    "md1_wait",
    "md1k_loss",
    "md1k_mean_number",
    "md1k_wait",
    "mg1_wait",
    "mg1ps_response",
    "mm1_mean_number",
    "mm1_response",
    "mm1_wait",
    "mm1k_loss",
    "mm1k_mean_number",
    "mm1k_wait",
]
