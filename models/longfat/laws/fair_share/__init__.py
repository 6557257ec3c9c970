"""Max-min fair shares of links: rates at one instant, and transfer times of files that always have their fair rates.

Bytes, seconds and bytes/s. Transfer times are computed in fractions, without rounding. Proofs:
derivations/fair_share.py.
"""

from longfat.laws.fair_share.filling import max_min_rates
from longfat.laws.fair_share.network import Flow, Load, Network
from longfat.laws.fair_share.schedule import transfer_times

__all__ = ["Flow", "Load", "Network", "max_min_rates", "transfer_times"]
