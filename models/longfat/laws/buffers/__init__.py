"""Buffer of a link by the number of its flows, whether their losses coincide or not; in bandwidth-delay products.

For any scheme that multiplies its window by a factor at a loss. Proofs: derivations/buffers.py.
"""

from longfat.laws.buffers.sizing import (
    buffer_for_desynchronised,
    buffer_for_synchronised,
    deviation_of_total_window,
)

__all__ = ["buffer_for_desynchronised", "buffer_for_synchronised", "deviation_of_total_window"]
