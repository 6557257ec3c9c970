"""`Discipline`: how a link queues, drops and marks packets; `Service`: in which order it transmits them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

from longfat.base.domains import integer, unknown
from longfat.sim.kernel.callbacks import HOOKS, VERBS
from longfat.sim.kernel.records import DROP, ENQUEUE, NOTHING, SEND
from longfat.sim.kernel.views import View
from longfat.sim.plugin.functions import append, queue, take_first
from longfat.sim.plugin.parameters import Columns, Parameter, flag
from longfat.sim.plugin.plug_in import PlugIn, Registry, names_used
from longfat.sim.plugin.view_fields import LINK_FIELDS, QUEUE_FIELDS, link_view, queue_view

__all__ = [
    "DROP", "ENQUEUE", "HALF_A_TICK", "PER_FLOW", "SEND", "SERVICES", "Discipline", "Parameter", "Service", "flag",
]  # fmt: skip

PER_FLOW = "flow"
HALF_A_TICK = 0.5e-9  # half the simulator's unit of time [s]


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


def let_pass(link, packet, now):  # type: ignore[no-untyped-def]
    """Return 0, which is ENQUEUE for an arriving packet and SEND for a departing one."""
    return 0


def no_tick(link, now):  # type: ignore[no-untyped-def]
    """Return infinity: `tick` is not called again."""
    return math.inf


@dataclass(frozen=True)
class Discipline(PlugIn):
    """Queue discipline of a link: which packets it admits, drops and marks, and what feedback it sends.

    A discipline is a *service* (the scheduler, which decides the order of departures) and up to four callbacks, for
    which the rules of `longfat.sim.PlugIn` hold. They may call `longfat.sim.random`, `mark`, `is_full`, `queue_of`,
    `flow_state`, `first_waiting`, `behind`, `waiting` and `push_out`. A callback that sets ``link.send_feedback = 1``
    sends ``link.feedback`` (four numbers) to the sender of the current packet.

    Parameters
    ----------
    name, parameters, values, state, source
        As for `longfat.sim.PlugIn`; the parameters include those of the service, and each link has a state.
    service : str or Service
        Scheduler of the link:

        * "fifo": first in, first out, with departure times computed at arrival;
        * "departures": first in, first out, decided at departure; queued packets can therefore be dropped;
        * "discard-worst", "discard-last": as "departures", but a full buffer drops the packet with the greatest
          ``packet.priority``, or the last packet whose priority is greater than the arriving packet's;
        * "self-clocked", "bit-round", "round-robin": fair queueing by self-clocked tags, by the tags of bit-by-bit
          round robin, or by deficit round robin;
        * "rate-controlled": self-clocked fair queueing in which each queue has a ``rate``, set by callbacks, that it
          does not exceed.
    enqueue : callable, optional
        ``enqueue(link, packet, now) -> int``, called when a packet arrives. It may mark the packet or change its
        header, and returns ENQUEUE to admit it if the buffer has room, DROP, or ``push_out(number)`` to admit it and
        drop the queued packet `number` (see `longfat.sim.first_waiting`). By default ENQUEUE. With service "fifo" it
        may set ``link.hold_until``: the packet is not transmitted before this time, and the packets behind it wait.
    dequeue : callable, optional
        ``dequeue(link, packet, now) -> int``, called when the transmission of a packet is about to begin. It returns
        SEND, or DROP to continue with the next packet. By default SEND.
    tick : callable, optional
        ``tick(link, now) -> float``, called at time 0 and then at the time that the previous call returned;
        ``math.inf`` ends the calls.
    feedback : callable, optional
        ``feedback(link, packet, now) -> int``, called when feedback from the next switch arrives; the return value is
        ignored.
    flow_state : mapping, optional
        State variables of each flow, given like `state`; read as ``flow_state(link, packet.flow).bytes``.
    services : sequence of str, optional
        Services from which a user may choose, as in ``discipline(service="bit-round")``.
    needs_buffer : bool
        Whether the buffer of a link with this discipline must have room for at least one packet.
    late_if : str
        Name of a yes-or-no parameter: if it is 1, the service is "departures", with which `dequeue` is called; if it
        is 0, the service is "fifo".
    hop_by_hop : bool
        Whether ``link.feedback`` goes to the next upstream switch with a hop-by-hop discipline, whose `feedback` is
        called; only the first such switch of a path sends feedback to the sender.

    Examples
    --------
    >>> def admit_every_other(link, packet, now):
    ...     link.admit = not link.admit
    ...     return ENQUEUE if link.admit else DROP
    >>> Discipline("alternate", enqueue=admit_every_other, state={"admit": False}).service
    'fifo'
    """

    KIND: ClassVar[str] = "discipline"
    CALLBACKS: ClassVar[Mapping[str, str]] = HOOKS
    DEFAULTS: ClassVar[Mapping[str, Any]] = {
        **dict.fromkeys(("enqueue", "dequeue", "feedback"), let_pass), "tick": no_tick
    }  # fmt: skip
    BARE_VIEWS: ClassVar[Mapping[str, View]] = {"link": link_view()}

    service: str | Service = "fifo"
    enqueue: Callable[..., Any] | None = None
    dequeue: Callable[..., Any] | None = None
    tick: Callable[..., Any] | None = None
    feedback: Callable[..., Any] | None = None
    _: KW_ONLY
    flow_state: Mapping[str, Any] = field(default_factory=dict)
    services: tuple[str, ...] = ()
    needs_buffer: bool = False
    late_if: str = ""
    hop_by_hop: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.service, Service) and self.service not in SERVICES:
            raise unknown(f"service of {self.title}:", self.service, SERVICES)
        if self.scheduler is not None:
            object.__setattr__(self, "parameters", {**self.scheduler.parameters, **self.parameters})
            object.__setattr__(self, "values", {**self.scheduler.values, **self.values})
        super().__post_init__()
        object.__setattr__(self, "values", self.checked(self.settings))
        if self.late_if:
            if self.late_if not in self.parameters:
                raise unknown(f"{self.title}: late_if", self.late_if, self.parameters)
            object.__setattr__(self, "service", "departures" if self.values[self.late_if] else "fifo")
        if self.scheduler is not None and not self.source and not self.callbacks:  # its only rules are the scheduler's
            object.__setattr__(self, "source", self.scheduler.source)
        self.columns, self.flow_columns  # noqa: B018  refuses names that are not allowed

    def __call__(self, *given: Any, **values: Any) -> Self:
        """Return a copy of the discipline with other values of its parameters, given by name or in their order.

        >>> Discipline("mine", parameters={"target": Parameter(0.005, "s", "(0, 1]")})(target="20 ms").values["target"]
        0.02
        """
        if not self.services or "service" not in values:
            return self._changed(given, values)
        service = values.pop("service")
        if service not in self.services:
            raise unknown(f"service of {self.title}:", service, self.services)
        return self._changed(given, values, service=service)

    def check_buffer(self, link: str, packets: float, size: float) -> None:
        """Raise a ValueError if the discipline refuses a link's buffer of `packets` packets and `size` bytes.

        By default any buffer is accepted.
        """

    @functools.cached_property
    def columns(self) -> Columns:
        """Record of the parameters and state variables of a link."""
        others = () if self.scheduler is None else self.scheduler.parameters
        mine = {name: one for name, one in self.parameters.items() if name not in others}
        return Columns(self.title, mine, self.state, LINK_FIELDS)

    @functools.cached_property
    def flow_columns(self) -> Columns:
        """Record of the state variables of a flow."""
        return Columns(self.title, {}, self.flow_state, ())

    @functools.cached_property
    def only_marks(self) -> bool:
        """Whether the callbacks mark packets but drop none; packets that are not ECN-capable are then unaffected."""
        used = {name for callback in self.callbacks.values() for name in names_used(callback)}
        return "mark" in used and not used & {"DROP", "push_out"}

    @property
    def scheduler(self) -> Service | None:
        """Service that the link runs; None if departure times are computed at arrival, without calls of `dequeue`."""
        if isinstance(self.service, Service):
            return self.service
        late = self.service == "fifo" and self.dequeue is not None and not self.late_if
        named: Service | None = SERVICES["departures" if late else self.service]
        return named

    @functools.cached_property
    def code(self) -> tuple[Any, ...]:
        """Key of the compiled code, see `PlugIn.code`."""
        service = self.scheduler
        of_service = () if service is None else (service.columns.layout, service.queue_columns.layout, service.settable)
        return *super().code, self.columns.layout, self.flow_columns.layout, of_service

    @functools.cached_property
    def views(self) -> Mapping[str, View]:
        """View of a link, with the fields of the service's records that the discipline may see."""
        service = self.scheduler
        shown = () if service is None else (service.columns, service.queue_columns, service.settable)
        return {"link": link_view(self.columns, self.flow_columns, *shown)}
