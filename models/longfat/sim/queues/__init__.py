"""Queue disciplines, one file each, and the form in which anyone adds another: see `Discipline`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from longfat.sim.names import unknown
from longfat.sim.queues.avq import avq
from longfat.sim.queues.decbit import decbit
from longfat.sim.queues.discipline import ADMIT, DROP, SERVICES, Discipline
from longfat.sim.queues.explicit_feedback import EXPLICIT_FEEDBACK, explicit_feedback
from longfat.sim.queues.hop_by_hop import hop_by_hop
from longfat.sim.queues.loss_load import loss_load
from longfat.sim.queues.marking import mark_above
from longfat.sim.queues.red import red, red_arrive, red_auto
from longfat.sim.queues.rem import rem
from longfat.sim.queues.serving import (
    BIT_ROUND,
    FAIR,
    FIFO,
    FIFO_DEPARTURES,
    PRIORITY_DISCARD,
    PRIORITY_DISCARD_PUBLISHED,
    round_robin,
)
from longfat.sim.queues.shapers import leaky_bucket, virtual_leaky_bucket
from longfat.sim.queues.xcp import xcp

__all__ = [
    "ADMIT", "BIT_ROUND", "DROP", "EXPLICIT_FEEDBACK", "FAIR", "FIFO", "FIFO_DEPARTURES", "PRIORITY_DISCARD",
    "PRIORITY_DISCARD_PUBLISHED", "SERVICES", "Discipline", "avq", "decbit", "discipline",
    "explicit_feedback", "hop_by_hop", "leaky_bucket", "loss_load", "mark_above", "red", "red_arrive", "red_auto",
    "rem", "round_robin", "virtual_leaky_bucket", "xcp",
]  # fmt: skip

NAMED: dict[str, Callable[..., Discipline]] = {
    "fifo": lambda: FIFO,
    "fifo-departures": lambda: FIFO_DEPARTURES,
    "priority-discard": lambda: PRIORITY_DISCARD,
    "priority-discard-published": lambda: PRIORITY_DISCARD_PUBLISHED,
    "fair": lambda: FAIR,
    "round-robin": round_robin,
    "bit-round": lambda: BIT_ROUND,
    "red": red,
    "rem": rem,
    "avq": avq,
    "xcp": xcp,
    "decbit": decbit,
    "mark-above": mark_above,
    "loss-load": loss_load,
    "explicit-feedback": explicit_feedback,
    "hop-by-hop": hop_by_hop,
    "leaky-bucket": leaky_bucket,
    "virtual-leaky-bucket": virtual_leaky_bucket,
}


def discipline(given: str | Discipline, **parameters: Any) -> Discipline:
    """A discipline from its name and parameters, or itself.

    One of this module is given back by its own ``name`` and ``parameters``.

    >>> discipline("fair").service
    'self-clocked'
    >>> discipline("round-robin", **round_robin(1500).parameters) == round_robin(1500)
    True
    """
    if isinstance(given, Discipline):
        if parameters:
            raise ValueError(f"discipline {given.name!r} has its parameters already: {', '.join(parameters)}")
        return replace(given)
    if given not in NAMED:
        raise unknown("discipline", given, NAMED)
    takes = inspect.signature(NAMED[given]).parameters
    for name in parameters:
        if name not in takes:
            if not takes:
                raise ValueError(f"discipline {given!r} takes no parameters, so {name!r} is unknown")
            raise unknown(f"discipline {given!r}: parameter", name, takes)
    missing = [name for name, one in takes.items() if one.default is one.empty and name not in parameters]
    if missing:
        raise ValueError(f"discipline {given!r} needs {', '.join(missing)}")
    return NAMED[given](**parameters)
