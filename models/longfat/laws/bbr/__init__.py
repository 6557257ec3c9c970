"""BBR: Startup and Drain, in-flight cap and standing queue, losses, ProbeRTT, and the share beside loss-based flows.

Windows and queues are in packets, the buffer in bandwidth-delay products. Proofs: derivations/bbr.py.
"""

from longfat.laws.bbr.competition import share, share_refined, share_with_probes
from longfat.laws.bbr.gains import drain_time, startup_pacing_gain
from longfat.laws.bbr.steady import (
    inflight_cap,
    largest_loss,
    probe_rtt_utilisation,
    shallow_buffer_loss,
    standing_queue,
)

__all__ = [
    "drain_time",
    "inflight_cap",
    "largest_loss",
    "probe_rtt_utilisation",
    "shallow_buffer_loss",
    "share",
    "share_refined",
    "share_with_probes",
    "standing_queue",
    "startup_pacing_gain",
]
