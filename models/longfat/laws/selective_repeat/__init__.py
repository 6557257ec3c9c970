"""Selective repeat of segments under a window and a rate: delay, throughput efficiency, windows.

F. Gong and G. Parulkar, *A Two-Level Flow Control Scheme for High Speed Networks*, WUCS-92-38, Washington
University in St. Louis, 1992 (GP). Every packet is lost independently with the same probability, an answer
to a group of packets comes back one acknowledgment delay after its last packet was sent, answers are never
lost, and every segment is delivered completely (sections 4.2). Proofs: derivations/selective_repeat.py.
"""

from longfat.laws.selective_repeat.delay import mean_delay_receiver, mean_delay_sender, mean_rounds
from longfat.laws.selective_repeat.efficiency import throughput_efficiency, window_for_efficiency
from longfat.laws.selective_repeat.many_rounds import throughput_efficiency_many_rounds
from longfat.laws.selective_repeat.rates import (
    ack_delay,
    ack_segments,
    adjusted_window,
    average_rate,
    burst_packets,
    initial_window,
    largest_burst_rate,
)

__all__ = [
    "ack_delay",
    "ack_segments",
    "adjusted_window",
    "average_rate",
    "burst_packets",
    "initial_window",
    "largest_burst_rate",
    "mean_delay_receiver",
    "mean_delay_sender",
    "mean_rounds",
    "throughput_efficiency",
    "throughput_efficiency_many_rounds",
    "window_for_efficiency",
]
