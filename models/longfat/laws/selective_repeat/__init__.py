"""Selective repeat of segments under a window and a rate: delay, throughput efficiency, windows.

F. Gong and G. Parulkar, *A Two-Level Flow Control Scheme for High Speed Networks*, WUCS-92-38, Washington University in
St. Louis, 1992 (GP). Every packet is lost independently with the same probability, the acknowledgment of a group of
packets arrives one acknowledgment delay after its last packet was sent, acknowledgments are never lost, and every
segment is delivered completely (section 4.2). Beyond the paper: the distribution of the delay, any number of rounds,
receive buffers. Proofs: derivations/selective_repeat.py, segment_rounds.py, segment_distribution.py, many_rounds.py,
receive_buffer.py.
"""

from longfat.laws.selective_repeat.delay import (
    delay_cdf,
    delay_quantile,
    max_delay_mean,
    max_delay_quantile,
    mean_delay_receiver,
    mean_delay_sender,
    mean_rounds,
)
from longfat.laws.selective_repeat.efficiency import (
    throughput_efficiency,
    throughput_efficiency_many_rounds,
    window_for_efficiency,
)
from longfat.laws.selective_repeat.rates import (
    ack_delay,
    ack_segments,
    adjusted_window,
    average_rate,
    burst_packets,
    initial_window,
    largest_burst_rate,
    processing_throughput,
)
from longfat.laws.selective_repeat.receive_buffer import (
    buffer_for_efficiency_hard_ack,
    discards_after_loss,
    locked_efficiency_soft_ack,
    throughput_efficiency_hard_ack,
)
from longfat.laws.selective_repeat.rounds import max_rounds, rounds_cdf, rounds_pmf, rounds_quantile
from longfat.laws.selective_repeat.tolerance import mean_delay_tolerant, mean_rounds_tolerant, rounds_cdf_tolerant
from longfat.laws.selective_repeat.variance import delay_variance, rounds_variance

__all__ = [
    "ack_delay",
    "ack_segments",
    "adjusted_window",
    "average_rate",
    "buffer_for_efficiency_hard_ack",
    "burst_packets",
    "delay_cdf",
    "delay_quantile",
    "delay_variance",
    "discards_after_loss",
    "initial_window",
    "largest_burst_rate",
    "locked_efficiency_soft_ack",
    "max_delay_mean",
    "max_delay_quantile",
    "max_rounds",
    "mean_delay_receiver",
    "mean_delay_sender",
    "mean_delay_tolerant",
    "mean_rounds",
    "mean_rounds_tolerant",
    "processing_throughput",
    "rounds_cdf",
    "rounds_cdf_tolerant",
    "rounds_pmf",
    "rounds_quantile",
    "rounds_variance",
    "throughput_efficiency",
    "throughput_efficiency_hard_ack",
    "throughput_efficiency_many_rounds",
    "window_for_efficiency",
]
