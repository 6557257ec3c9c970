"""Credit flow control of a link (FCVC): throughput by the credit, and how fast adaptive credit grows.

Cells are packets of one size; times are in transmission times of a cell. Proofs: derivations/credits.py.
"""

from longfat.laws.credits.adaptive import adaptive_allocation
from longfat.laws.credits.fixed import allocation_for_rate, link_share

__all__ = ["adaptive_allocation", "allocation_for_rate", "link_share"]
