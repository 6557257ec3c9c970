"""`Service`: the scheduler of a link, which decides in which order queued packets are transmitted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from longfat.base.domains import integer, unknown
from longfat.sim.kernel.callbacks import VERBS
from longfat.sim.kernel.records import NOTHING
from longfat.sim.kernel.views import View
from longfat.sim.plugin.functions import append, queue, take_first
from longfat.sim.plugin.parameters import Columns
from longfat.sim.plugin.plug_in import PlugIn, Registry
from longfat.sim.plugin.view_fields import LINK_FIELDS, QUEUE_FIELDS, link_view, queue_view

PER_FLOW = "flow"


def evict_none(link, packet, now):  # type: ignore[no-untyped-def]
    """Return NOTHING: a full buffer drops the arriving packet."""
    return NOTHING


def stay_asleep(link, queue, now):  # type: ignore[no-untyped-def]
    """Return 0 without any action."""
    return 0


@dataclass(frozen=True)
class Service(PlugIn):
    """Scheduler of a link: the order in which queued packets are transmitted.

    A service is up to four callbacks, for which the rules of `longfat.sim.PlugIn` hold. They may call the functions
    that a `Discipline` may call, and `longfat.sim.queue`, `append`, `take_first`, `take_last` and `take`.

    Parameters
    ----------
    name, parameters, values, state, source
        As for `longfat.sim.PlugIn`. Users give values to the discipline; the values of ``service(quantum=500)`` are the
        defaults of disciplines with this service.
    enqueue : callable
        ``enqueue(link, packet, now) -> int`` appends the arriving packet to one of the link's queues; the return value
        is ignored.
    dequeue : callable
        ``dequeue(link, now) -> int`` takes the next packet to transmit out of its queue and returns its number, as
        `take_first` does; it returns NOTHING if no packet may be transmitted.
    evict : callable, optional
        ``evict(link, packet, now) -> int``, called when the buffer has no room for the arriving packet. It takes a
        queued packet out of its queue and returns the packet's number to drop it, or ``drop_more(number)`` to drop it
        and be called again even if the buffer has room by then; or it returns NOTHING to drop the arriving packet, as
        the default does.
    wake : callable, optional
        ``wake(link, queue, now) -> int``, for services that are not work-conserving: called at the time for which the
        service has scheduled it by `longfat.sim.schedule_wake`, and when feedback for this queue has arrived, after the
        discipline's `feedback`; the return value is ignored. `longfat.sim.switch.rate_controlled` is an example.
    queues : int or str
        Number of queues of a link, or name of the parameter with this number; "flow": a queue for each flow and
        direction.
    queue_state : mapping, optional
        State variables of a queue, with their initial values.
    settable : tuple of str
        State variables of queues that a discipline may set.
    work_conserving : bool
        Whether the link transmits whenever its queue is not empty.
    in_order : bool
        Whether packets depart in the order of their arrival.
    may_push_out : bool
        Whether a discipline may drop queued packets. The service must then have a single queue, and keep no other
        record of packets.
    workspace : callable, optional
        Function of the buffer [packets] and the number of queues; it returns the memory that the service needs for a
        link [words of 8 bytes].
    bounded : bool
        Whether the buffer must be limited in packets, because the workspace grows with it.

    Examples
    --------
    >>> from longfat.sim import append, queue, take_last
    >>> def push(link, packet, now):
    ...     append(link, queue(link, 0), packet)
    ...     return 0
    >>> def pop(link, now):
    ...     return take_last(link, queue(link, 0))
    >>> Service("last in, first out", enqueue=push, dequeue=pop).queues
    1
    """

    KIND: ClassVar[str] = "service"
    CALLBACKS: ClassVar[Mapping[str, str]] = VERBS
    REQUIRED: ClassVar[tuple[str, ...]] = ("enqueue", "dequeue")
    DEFAULTS: ClassVar[Mapping[str, Any]] = {"evict": evict_none, "wake": stay_asleep}
    BARE_VIEWS: ClassVar[Mapping[str, View]] = {"link": link_view(settable=None), "queue": queue_view()}

    enqueue: Callable[..., Any]
    dequeue: Callable[..., Any]
    evict: Callable[..., Any] | None = None
    wake: Callable[..., Any] | None = None
    queues: int | str = 1
    _: KW_ONLY
    queue_state: Mapping[str, Any] = field(default_factory=dict)
    settable: tuple[str, ...] = ()
    work_conserving: bool = True
    in_order: bool = False
    may_push_out: bool = False
    workspace: Callable[[float, int], int] | None = None
    bounded: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.queues, str):
            integer("queues", self.queues, "queues", "[1, 1e6]")
        elif self.queues != PER_FLOW and self.queues not in self.parameters:
            raise unknown(f"{self.title}: queues", self.queues, [PER_FLOW, *self.parameters])
        super().__post_init__()
        self.columns, self.queue_columns  # noqa: B018  refuses names that are not allowed

    @functools.cached_property
    def columns(self) -> Columns:
        """Record of the parameters and state variables of a link."""
        return Columns(self.title, self.parameters, self.state, LINK_FIELDS)

    @functools.cached_property
    def queue_columns(self) -> Columns:
        """Record of the state variables of a queue."""
        return Columns(self.title, {}, self.queue_state, QUEUE_FIELDS)

    def queue_count(self, values: Mapping[str, float]) -> int | None:
        """Return the number of queues of a link whose discipline has these values; None for a queue per flow."""
        if self.queues == PER_FLOW:
            return None
        return int(values[self.queues] if isinstance(self.queues, str) else self.queues)

    @functools.cached_property
    def code(self) -> tuple[Any, ...]:
        """Key of the compiled code, see `PlugIn.code`."""
        return *super().code, self.columns.layout, self.queue_columns.layout

    @functools.cached_property
    def views(self) -> Mapping[str, View]:
        """Views of a link and of one of its queues."""
        link = link_view(service=self.columns, queue=self.queue_columns, settable=None)
        return {"link": link, "queue": queue_view(self.queue_columns)}


def _append(link, packet, now):  # type: ignore[no-untyped-def]
    append(link, queue(link, 0), packet)
    return 0


def _take_first(link, now):  # type: ignore[no-untyped-def]
    return take_first(link, queue(link, 0))


#: Service in the order of arrival. The next packet is chosen when a transmission ends; waiting packets can therefore
#: be dropped.
DEPARTURES = Service(
    "departures",
    enqueue=_append,
    dequeue=_take_first,
    in_order=True,
    may_push_out=True,
    source="Ours, because first-in, first-out service needs no source; it differs from 'fifo' in its cost alone",
)
#: Services by the names that disciplines use. The value None stands for service in the order of arrival, with departure
#: times computed at the arrival.
SERVICES: Registry[Any] = Registry("longfat.sim.switch", Service, {"fifo": None, "departures": DEPARTURES})
