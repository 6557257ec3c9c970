"""What a service is: the order in which the packets that wait at a link leave.

A service is up to four functions, compiled by numba as a scheme's callbacks are, and found by their addresses: the core
knows none of them. Beside the functions of `longfat.sim.seam` it uses ``queue(link, k)``, ``append(link, queue,
packet)``, ``take_first``, ``take_last`` and ``take``.

* ``enqueue(link, packet, now) -> int``: put the packet into one of the link's queues; the answer is ignored;
* ``dequeue(link, now) -> int``: take the packet that leaves next out of its queue, and answer its number; NOTHING if
  none may leave;
* ``evict(link, packet, now) -> int``: the buffer has no room for this packet. Take another one out of its queue and
  answer its number, which is dropped; NOTHING to drop the packet that arrives;
* ``wake(link, queue, now) -> int``: a time has come that the service put into the heap of clocks for this queue, or the
  discipline's `feedback` was about it; the answer is ignored. For services that let a packet wait although the link is
  free, see `longfat.sim.services.rate_controlled`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba

from longfat.domains import integer
from longfat.sim import functions, jit
from longfat.sim.calls import VERBS
from longfat.sim.own import Own, Parameter
from longfat.sim.records import NOTHING
from longfat.sim.seam import LINK_FIELDS, PACKET_VIEW, QUEUE_FIELDS, link_view, queue_view

PER_FLOW = "flow"


@dataclass(frozen=True)
class Service:
    """A service: see the module.

    Parameters
    ----------
    name : str
        Its name in messages.
    enqueue, dequeue, evict, wake : callable, optional
        The functions. Without `evict` a packet that finds no room is dropped; without `wake` it is never called.
    queues : int or "flow"
        How many queues a link has, or one for each flow (and direction).
    parameters : mapping of str to Parameter, optional
        Read as ``link.quantum``; the values are those of the discipline.
    state, queue_state : mapping, optional
        What it remembers of a link and of a queue, with the values it begins with.
    settable : tuple of str
        The state of queues that a discipline may set.
    work_conserving : bool
        Whether some packet leaves whenever the link is free and one waits.
    in_order : bool
        Whether packets leave in the order in which they came.
    may_push_out : bool
        Whether a discipline may push out packets that wait: the service has one queue, and keeps nothing beside it.
    workspace : callable, optional
        Words of memory that a link needs, of its limit in packets and its number of queues.
    bounded : bool
        Whether the buffer has to be a number of packets, because the workspace grows with it.

    Examples
    --------
    >>> from longfat.sim.services import append, queue, take_last
    >>> def push(link, packet, now):
    ...     append(link, queue(link, 0), packet)
    ...     return 0
    >>> def pop(link, now):
    ...     return take_last(link, queue(link, 0))
    >>> Service("last in, first out", enqueue=push, dequeue=pop).queues
    1
    """

    name: str
    enqueue: Callable[..., Any]
    dequeue: Callable[..., Any]
    evict: Callable[..., Any] | None = None
    wake: Callable[..., Any] | None = None
    queues: int | str = 1
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    queue_state: Mapping[str, Any] = field(default_factory=dict)
    settable: tuple[str, ...] = ()
    work_conserving: bool = True
    in_order: bool = False
    may_push_out: bool = False
    workspace: Callable[[float, int], int] | None = None
    bounded: bool = False

    def __post_init__(self) -> None:
        if self.queues != PER_FLOW:
            integer("queues", self.queues, "queues", "[1, 1e6]")
        for verb, takes in ARGUMENTS.items():
            function = getattr(self, verb)
            if function is not None or verb not in DEFAULTS:
                functions.check(f"service {self.name!r}", verb, function, takes)
        self.own, self.of_queue  # noqa: B018  they refuse names that cannot be

    @functools.cached_property
    def own(self) -> Own:
        """The record of parameters and state that every link with this service has."""
        return Own(f"service {self.name!r}", self.parameters, self.state, LINK_FIELDS)

    @functools.cached_property
    def of_queue(self) -> Own:
        """The record of every queue."""
        return Own(f"service {self.name!r}", {}, self.queue_state, QUEUE_FIELDS)

    def compiled(self) -> tuple[jit.Callback, ...]:
        """The functions, ready for the kernel."""
        nothing = Own("", {}, {}, ())
        link, queue = link_view(nothing, nothing, self.own, self.of_queue, None), queue_view(self.of_queue)
        now = numba.float64
        takes = {
            "enqueue": numba.int64(link, PACKET_VIEW, now),
            "dequeue": numba.int64(link, now),
            "evict": numba.int64(link, PACKET_VIEW, now),
            "wake": numba.int64(link, queue, now),
        }
        whose = f"service {self.name!r}"
        return tuple(
            functions.compiled(whose, verb, getattr(self, verb) or DEFAULTS[verb], takes[verb]) for verb in VERBS
        )


ARGUMENTS = {
    "enqueue": "(link, packet, now)",
    "dequeue": "(link, now)",
    "evict": "(link, packet, now)",
    "wake": "(link, queue, now)",
}


def evict_none(link, packet, now):  # type: ignore[no-untyped-def]
    """Drop the packet that arrives."""
    return NOTHING


def stay_asleep(link, queue, now):  # type: ignore[no-untyped-def]
    """Do nothing."""
    return 0


DEFAULTS = {"evict": evict_none, "wake": stay_asleep}
