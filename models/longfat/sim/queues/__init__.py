"""Queue disciplines, one file each; `Discipline` is the form in which a user adds another.

A discipline with parameters is called with their values, as in ``queues.red(low=5, high=20)``;
``queues.red.parameters`` lists its parameters and ``queues.red.source`` names its publication. The rules of every
discipline and their sources are in docs/rules/queue-disciplines.md.

A new module in this package is enough to add a discipline: every public name in it that is bound to a `Discipline`
becomes a choice of ``Network.link(discipline=)``, of scenario files and of the command line.
"""

from __future__ import annotations

from typing import Any

from longfat.sim.plugin.plug_in import Registry
from longfat.sim.queues.aggregation import aggregation
from longfat.sim.queues.avq import avq
from longfat.sim.queues.basic import (
    BIT_ROUND,
    FAIR,
    FIFO,
    FIFO_DEPARTURES,
    PRIORITY_DISCARD,
    PRIORITY_DISCARD_PUBLISHED,
    STRICT_PRIORITY,
    round_robin,
    virtual_clock,
)
from longfat.sim.queues.becn import becn
from longfat.sim.queues.codel import codel
from longfat.sim.queues.credit import credit
from longfat.sim.queues.decbit import decbit
from longfat.sim.queues.discipline import DROP, ENQUEUE, SEND, SERVICES, Discipline, Parameter
from longfat.sim.queues.dualpi2 import dualpi2
from longfat.sim.queues.dynamic_window import dynamic_window
from longfat.sim.queues.explicit_feedback import EXPLICIT_FEEDBACK, explicit_feedback
from longfat.sim.queues.fq_codel import fq_codel
from longfat.sim.queues.hop_by_hop import hop_by_hop
from longfat.sim.queues.loss_load import loss_load
from longfat.sim.queues.marking import mark_above
from longfat.sim.queues.pie import pie
from longfat.sim.queues.policer import policer
from longfat.sim.queues.red import red, red_auto
from longfat.sim.queues.rem import rem
from longfat.sim.queues.scripted_loss import scripted_loss
from longfat.sim.queues.scripted_reordering import scripted_reordering
from longfat.sim.queues.shapers import leaky_bucket, virtual_leaky_bucket
from longfat.sim.queues.step_marking import step_marking
from longfat.sim.queues.xcp import xcp

__all__ = [
    "BIT_ROUND", "DROP", "ENQUEUE", "EXPLICIT_FEEDBACK", "FAIR", "FIFO", "FIFO_DEPARTURES", "PRIORITY_DISCARD",
    "PRIORITY_DISCARD_PUBLISHED", "SEND", "SERVICES", "STRICT_PRIORITY", "Discipline", "Parameter", "aggregation",
    "avq", "becn", "codel", "credit", "decbit", "discipline", "dualpi2", "dynamic_window", "explicit_feedback",
    "fq_codel", "hop_by_hop", "leaky_bucket", "loss_load", "mark_above", "pie", "policer",
    "red", "red_auto", "rem", "round_robin", "scripted_loss", "scripted_reordering",
    "step_marking", "virtual_clock", "virtual_leaky_bucket", "xcp",
]  # fmt: skip

#: All disciplines by the names that ``Network.link`` and scenario files accept.
NAMED: Registry[Discipline] = Registry(__name__, Discipline, {"drop-tail": FIFO})


def discipline(given: str | Discipline, **parameters: Any) -> Discipline:
    """Return a discipline from its name and the values of its parameters.

    Parameters
    ----------
    given : str or Discipline
        Name of a discipline, such as "red"; or a discipline, which is returned unchanged.
    **parameters
        Values of its parameters, in SI units or as text with a unit.

    Returns
    -------
    Discipline
        The discipline with these values.

    Examples
    --------
    >>> discipline("fair").service
    'self-clocked'
    >>> discipline("round-robin", **round_robin(1500).values) == round_robin(1500)
    True
    """
    made = NAMED.find(given, **parameters)
    made.require_values()
    return made
