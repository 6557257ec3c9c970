"""Threshold marking: every packet that arrives while the queue is above, or at, a threshold is marked.

RFC 8257 (DCTCP), section 3.1, and M. Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1: the
threshold counts the instantaneous queue, in packets or bytes, and a packet is marked if the queue exceeds it
(`step_marking`). L4S has a threshold in time (RFC 9332, appendix A.1, note c: a ramp of range zero).

Linux's RED with both thresholds at K marks packets from the threshold on (`mark_above`): red_cmp_thresh() in
include/net/red.h.
"""

from __future__ import annotations

from longfat.base import domains
from longfat.sim.kernel.records import DATA
from longfat.sim.plugin.discipline import DROP, ENQUEUE, Discipline, Parameter, flag
from longfat.sim.plugin.functions import is_full, mark

UNLIMITED = 1e15  # value that stands for no threshold


# RFC 8257, section 3.1: mark a packet if the queue length is greater than the threshold when it arrives. Our choice:
# the queue length is the backlog before the arrival, without the packet in transmission. The link has no service, so
# the waiting time of the packet is known at its arrival, and a mark at its departure would have the same effect on the
# receiver. Our choice for packets that are not ECN-capable, because the RFC has no rule for them: with `drop` they are
# dropped above the threshold, as by a switch that implements the threshold with RED (RFC 3168, section 5); otherwise
# only a full buffer drops them.
def enqueue(link, packet, now):
    """Mark the packet if the queue is above a threshold and the buffer is not full."""
    above = link.backlog > link.packets or link.backlog_bytes > link.bytes or link.free_at - now > link.sojourn
    if above and packet.kind == DATA and not is_full(link, packet, now) and not mark(link, packet) and link.drop:
        return DROP
    return ENQUEUE


# Our choice: the threshold counts packets without the packet in transmission, and packets that the buffer drops are not
# marked.
def enqueue_from(link, packet, now):
    """Mark the packet if the backlog is at least `threshold` packets and the buffer is not full."""
    if link.backlog >= link.threshold and not is_full(link, packet, now):
        mark(link, packet)
    return ENQUEUE


class _StepMarking(Discipline):
    """Discipline that requires a threshold, which must be below the buffer size."""

    def check_buffer(self, link: str, packets: float, size: float) -> None:
        """Raise a ValueError if no threshold is given, or if a threshold is not below the buffer size."""
        if all(self.values[name] == UNLIMITED for name in ("packets", "bytes", "sojourn")):
            raise domains.conflict(f"discipline {self.name!r} of {link}", "needs one of packets, bytes and sojourn")
        for name, limit in (("packets", packets), ("bytes", size)):
            if limit <= self.values[name] < UNLIMITED:
                raise domains.conflict(
                    f"{name} = {self.values[name]:g} of discipline {self.name!r}",
                    f"needs a larger buffer of {link} than {limit:g} {name}",
                    "the queue would never exceed the threshold",
                )


step_marking = _StepMarking(
    "step-marking",
    enqueue=enqueue,
    parameters={
        "packets": Parameter(
            UNLIMITED, "packets", "[0, 1e15]", about="Backlog above which arriving packets are marked; 1e15: none"
        ),
        "bytes": Parameter(UNLIMITED, "bytes", "[0, 1e15]", about="The same in bytes"),
        "sojourn": Parameter(UNLIMITED, "s", "[0, 1e15]", about="Waiting time above which packets are marked"),
        "drop": flag(False, "Drop packets above the threshold that are not ECN-capable"),
    },
    needs_buffer=True,
    source='RFC 8257 (2017), "Data Center TCP (DCTCP): TCP Congestion Control for Data Centers", section 3.1; '
    'M. Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, doi:10.1145/1851182.1851192',
)
mark_above = Discipline(
    "mark-above",
    enqueue=enqueue_from,
    parameters={
        "threshold": Parameter(None, "packets", "[0, 1e15]", about="Backlog from which on arriving packets are marked")
    },
    needs_buffer=True,
    source='M. Alizadeh and others, "Data Center TCP (DCTCP)", SIGCOMM 2010, section 3.1, doi:10.1145/1851182.1851192: '
    "RED with both thresholds at K; Linux, include/net/red.h, red_cmp_thresh()",
)
