"""Aggregation: packets wait for the next multiple of an interval, as on links that send in batches."""

import math

from longfat.sim.plugin.discipline import ENQUEUE, HALF_A_TICK, Discipline, Parameter


# Our model, because draft-ietf-ccwg-bbr-06, section 5.5.9, describes aggregation by radio links and receivers but gives
# no rule: packets depart in batches at multiples of `interval`.
def hold_until_batch(link, packet, now):
    """Hold the packet until the next multiple of the parameter `interval`."""
    link.hold_until = math.ceil((now - HALF_A_TICK) / link.interval) * link.interval
    return ENQUEUE


aggregation = Discipline(
    "aggregation",
    enqueue=hold_until_batch,
    parameters={"interval": Parameter(None, "s", "(0, 1e6]", about="Time between two batches")},
    source="Ours, because draft-ietf-ccwg-bbr-06, appendix A.12, asks for a link with aggregation and defines none",
)
