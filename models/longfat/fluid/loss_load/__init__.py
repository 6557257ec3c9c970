"""Loss-load sources that answer each other: best replies, their iteration, its time to settle, and cheating.

Rates are fractions of the true capacity; the link announces v times that, and drops packets by the curve of the true
one.
"""

from longfat.fluid.loss_load.cheating import cheating
from longfat.fluid.loss_load.iteration import iterate
from longfat.fluid.loss_load.replies import best_reply, others
from longfat.fluid.loss_load.settling import time_to_equilibrium

__all__ = ["best_reply", "cheating", "iterate", "others", "time_to_equilibrium"]
