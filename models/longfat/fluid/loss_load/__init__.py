"""Sources at a link with a loss-load curve: best replies to the rates of others, convergence, and cheating.

Rates are fractions of the true capacity. The link announces v times the capacity, and drops packets by the loss-load
curve of the true capacity.
"""

from longfat.fluid.loss_load.best_reply import best_reply, iterate, others
from longfat.fluid.loss_load.convergence import cheating, time_to_equilibrium

__all__ = ["best_reply", "cheating", "iterate", "others", "time_to_equilibrium"]
