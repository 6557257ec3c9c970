"""TCP and related schemes: sawtooth, rate under loss, fairness, slow start; metrics of throughput tests.

Windows are in packets, rates in packets/s.

Additive increase, multiplicative decrease, one flow. Proofs: derivations/tcp.py and fairness.py.
"""

from longfat.laws.tcp.fairness import round_trip_unfairness
from longfat.laws.tcp.parallel import parallel_share, parallel_utilisation
from longfat.laws.tcp.pftk import pftk_full_rate, pftk_rate
from longfat.laws.tcp.rates import gaimd_rate, loss_of_window, square_root_rate
from longfat.laws.tcp.sawtooth import (
    aimd_mean_queue,
    aimd_utilisation,
    aimd_utilisation_general,
    buffer_for_utilisation,
)
from longfat.laws.tcp.slow_start import slow_start_rounds, slow_start_transfer_time
from longfat.laws.tcp.throughput_metrics import (
    achievable_throughput,
    buffer_delay,
    ideal_transfer_time,
    tcp_efficiency,
    transfer_time_ratio,
)
from longfat.laws.tcp.unloaded import buffer_for_slow_start, unloaded_transfer_time

__all__ = [
    "achievable_throughput",
    "aimd_mean_queue",
    "aimd_utilisation",
    "aimd_utilisation_general",
    "buffer_delay",
    "buffer_for_slow_start",
    "buffer_for_utilisation",
    "gaimd_rate",
    "ideal_transfer_time",
    "loss_of_window",
    "parallel_share",
    "parallel_utilisation",
    "pftk_full_rate",
    "pftk_rate",
    "round_trip_unfairness",
    "slow_start_rounds",
    "slow_start_transfer_time",
    "square_root_rate",
    "tcp_efficiency",
    "transfer_time_ratio",
    "unloaded_transfer_time",
]
