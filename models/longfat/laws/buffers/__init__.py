"""Buffer of a link by the number of its flows, whether their losses coincide or not, and bucket of a policer.

For any scheme that multiplies its window by a factor at a loss. Proofs: derivations/buffers.py.
"""

from longfat.laws.buffers.buckets import burst_for_policed_rate, policed_utilisation
from longfat.laws.buffers.sizing import (
    buffer_for_desynchronised,
    buffer_for_synchronised,
    deviation_of_total_window,
)

__all__ = [
    "buffer_for_desynchronised",
    "buffer_for_synchronised",
    "burst_for_policed_rate",
    "deviation_of_total_window",
    "policed_utilisation",
]
