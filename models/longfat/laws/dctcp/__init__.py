"""DCTCP and other scalable senders: the queue at a marking threshold, and windows under marks.

Windows and queues are in packets. Proofs: derivations/dctcp.py.
"""

from longfat.laws.dctcp.marks import window_at_random_marks, window_at_spaced_marks, window_at_threshold_marks
from longfat.laws.dctcp.thresholds import (
    largest_queue,
    least_threshold,
    marked_share,
    oscillation_period,
    queue_amplitude,
    smallest_queue,
)

__all__ = [
    "largest_queue",
    "least_threshold",
    "marked_share",
    "oscillation_period",
    "queue_amplitude",
    "smallest_queue",
    "window_at_random_marks",
    "window_at_spaced_marks",
    "window_at_threshold_marks",
]
