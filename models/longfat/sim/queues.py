"""Queue disciplines by name; users may define others with `Discipline`.

A discipline with parameters is called with their values, as in ``queues.red(min_th=5, max_th=20)``;
``queues.red.parameters`` lists its parameters and ``queues.red.source`` names its publication. The rules of every
discipline and their sources are in docs/rules/queue-disciplines.md, the code in `longfat.sim.switch`.
"""

from __future__ import annotations

from typing import Any

from longfat.sim.plugin.discipline import DROP, ENQUEUE, SEND, SERVICES, Discipline, Parameter
from longfat.sim.plugin.plug_in import Registry
from longfat.sim.switch.aggregation import aggregation
from longfat.sim.switch.avq import avq
from longfat.sim.switch.becn import becn
from longfat.sim.switch.bit_round import BIT_ROUND
from longfat.sim.switch.codel import codel
from longfat.sim.switch.credit import credit
from longfat.sim.switch.decbit import decbit
from longfat.sim.switch.dualpi2 import dualpi2
from longfat.sim.switch.dynamic_window import dynamic_window
from longfat.sim.switch.explicit_feedback import explicit_feedback
from longfat.sim.switch.fifo import FIFO, FIFO_DEPARTURES
from longfat.sim.switch.fq_codel import fq_codel
from longfat.sim.switch.hop_by_hop import hop_by_hop
from longfat.sim.switch.loss_load import loss_load
from longfat.sim.switch.pie import pie
from longfat.sim.switch.policer import policer
from longfat.sim.switch.push_out import PRIORITY_DISCARD, PRIORITY_DISCARD_PUBLISHED
from longfat.sim.switch.red import red, red_auto
from longfat.sim.switch.rem import rem
from longfat.sim.switch.round_robin import round_robin
from longfat.sim.switch.scripted_loss import scripted_loss
from longfat.sim.switch.scripted_reordering import scripted_reordering
from longfat.sim.switch.self_clocked import FAIR
from longfat.sim.switch.shapers import leaky_bucket, virtual_leaky_bucket
from longfat.sim.switch.step_marking import mark_above, step_marking
from longfat.sim.switch.strict_priority import STRICT_PRIORITY
from longfat.sim.switch.virtual_clock import virtual_clock
from longfat.sim.switch.xcp import xcp

__all__ = [
    "BIT_ROUND", "DROP", "ENQUEUE", "FAIR", "FIFO", "FIFO_DEPARTURES", "PRIORITY_DISCARD",
    "PRIORITY_DISCARD_PUBLISHED", "SEND", "SERVICES", "STRICT_PRIORITY", "Discipline", "Parameter", "aggregation",
    "avq", "becn", "codel", "credit", "decbit", "discipline", "dualpi2", "dynamic_window", "explicit_feedback",
    "fq_codel", "hop_by_hop", "leaky_bucket", "loss_load", "mark_above", "pie", "policer",
    "red", "red_auto", "rem", "round_robin", "scripted_loss", "scripted_reordering",
    "step_marking", "virtual_clock", "virtual_leaky_bucket", "xcp",
]  # fmt: skip

#: All disciplines by the names that ``Network.link`` and scenario files accept.
NAMED: Registry[Discipline] = Registry("longfat.sim.switch", Discipline, {"drop-tail": FIFO})


def discipline(given: str | Discipline, **parameters: Any) -> Discipline:
    """Return the discipline of this name with the given values of its parameters.

    Parameters
    ----------
    given : str or Discipline
        Name of a discipline, such as "red"; or a discipline, which is returned unchanged.
    **parameters
        Values of the discipline's parameters, in SI units or as text with a unit.

    Examples
    --------
    >>> discipline("red", min_th=10).values["min_th"]
    10.0
    >>> discipline("round-robin", **round_robin(1500).values) == round_robin(1500)
    True
    """
    made = NAMED.find(given, **parameters)
    made.require_values()
    return made
