"""TCP and related schemes: sawtooth, rate under loss, fairness, slow start; metrics of throughput tests.

Windows are in packets, rates in packets/s. The flows increase additively and decrease multiplicatively.

Proofs: derivations/tcp.py, fairness.py and unloaded.py.
"""

from longfat.laws.tcp.rates import (
    gaimd_rate,
    loss_of_window,
    parallel_share,
    parallel_utilisation,
    pftk_full_rate,
    pftk_rate,
    round_trip_unfairness,
    square_root_rate,
)
from longfat.laws.tcp.throughput_metrics import (
    achievable_throughput,
    buffer_delay,
    ideal_transfer_time,
    tcp_efficiency,
    transfer_time_ratio,
)
from longfat.laws.tcp.window import (
    aimd_mean_queue,
    aimd_utilisation,
    aimd_utilisation_general,
    buffer_for_slow_start,
    buffer_for_utilisation,
    search_difference,
    slow_start_rounds,
    slow_start_transfer_time,
    unloaded_transfer_time,
)

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
    "search_difference",
    "slow_start_rounds",
    "slow_start_transfer_time",
    "square_root_rate",
    "tcp_efficiency",
    "transfer_time_ratio",
    "unloaded_transfer_time",
]
