"""BLT: a file sent in one burst whose packets carry priorities; a full switch drops the lowest priority.

Windows and priorities, the transfer time in the empty network, and the network power that follows from it, compared
with TCP's. Packets, seconds, bytes/s.
Proofs: derivations/blt.py and derivations/unloaded.py.
"""

from longfat.laws.blt.transfer import (
    bandwidth_delay_product_for_advantage,
    buffer_for_burst,
    burst_for_buffer,
    knee_with_unloaded_time,
    power_advantage,
    power_with_unloaded_time,
    unloaded_transfer_time,
)
from longfat.laws.blt.windows import (
    additive_priority,
    additive_window_size,
    packet_priority,
    packets_encodable,
    packets_in_additive_windows,
    packets_in_windows,
    window_size,
)

__all__ = [
    "additive_priority",
    "additive_window_size",
    "bandwidth_delay_product_for_advantage",
    "buffer_for_burst",
    "burst_for_buffer",
    "knee_with_unloaded_time",
    "packet_priority",
    "packets_encodable",
    "packets_in_additive_windows",
    "packets_in_windows",
    "power_advantage",
    "power_with_unloaded_time",
    "unloaded_transfer_time",
    "window_size",
]
