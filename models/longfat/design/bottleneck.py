"""Bottleneck whose buffer `longfat.design.buffer` determines, and its queue discipline."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from longfat.base.domains import conflict
from longfat.design.buffer_laws import LEAST_OF_BBR, is_bbr, marking_threshold
from longfat.sim import queues
from longfat.sim.schemes import Scheme
from longfat.sim.switch.step_marking import UNLIMITED

if TYPE_CHECKING:
    from longfat.sim.queues import Discipline

#: Ends of the simulated curve [bandwidth-delay products]. For files that arrive at random, the upper end is 4
#: bandwidth-delay products or 8 files, whichever is larger.
CURVE = (0.04, 1.25)
MOST_PACKETS = 2e9  # most packets of an answer that is simulated over the path itself: half an hour on two cores


@dataclass(frozen=True)
class Bottleneck:
    """Bottleneck link of a switch, with the round-trip time of its flows and its queue discipline; SI units."""

    rate: float
    round_trip_time: float
    packet: int
    discipline: Discipline | str = field(default="fifo", kw_only=True)
    access_rate: float = field(default=math.inf, kw_only=True)

    @property
    def bandwidth_delay_product(self) -> float:
        """Bandwidth-delay product of the path [packets]."""
        return self.rate * self.round_trip_time / self.packet


def floor_of(scheme: Scheme, discipline: Discipline | str, packets: float) -> float:
    """Return the smallest buffer to try [packets]: the threshold plus 1; for BBR at least `LEAST_OF_BBR` BDP."""
    above = threshold_of(discipline) + 1.0
    return max(above, float(math.ceil(LEAST_OF_BBR * packets))) if is_bbr(scheme) else above


def discipline_of(
    given: str | Discipline | None, scheme: Scheme, mark_above: int | None, packets: float
) -> str | Discipline:
    """Return the queue discipline; the default threshold of step marking follows from a BDP of ``packets`` packets."""
    if given is None:
        given = "step-marking" if scheme.name == "dctcp" else "fifo"
    if given == "step-marking":
        above = marking_threshold(packets) if mark_above is None else mark_above
        return queues.discipline("step-marking", packets=above)
    if mark_above is not None:
        raise conflict(f"mark_above = {mark_above}", "needs discipline 'step-marking'")
    queues.discipline(given)
    return given


def threshold_of(discipline: Discipline | str) -> float:
    """Return the backlog above which the discipline marks every packet [packets]; 0 if there is no such threshold.

    >>> threshold_of(queues.discipline("step-marking", packets=20)), threshold_of("fifo")
    (20.0, 0.0)
    """
    chosen = queues.discipline(discipline)
    packets = float(chosen.values["packets"]) if chosen.name == "step-marking" else 0.0
    return packets if packets < UNLIMITED else 0.0
