"""Delays that a network guarantees to a flow of bounded bursts, whatever the other flows send.

For links with weighted fair queueing or VirtualClock, which give the flow a rate of its own. Proofs:
derivations/guarantees.py.
"""

from longfat.laws.guarantees.delay import delay_bound, fluid_delay_bound

__all__ = ["delay_bound", "fluid_delay_bound"]
