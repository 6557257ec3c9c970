"""`Discipline`: how a link queues, drops and marks packets."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, replace
from typing import Any

import numba

from longfat.base import domains
from longfat.base.domains import unknown
from longfat.sim.kernel import jit
from longfat.sim.kernel.callbacks import HOOKS
from longfat.sim.kernel.records import DROP, ENQUEUE, SEND
from longfat.sim.plugin import functions
from longfat.sim.plugin.own import YES_OR_NO, Integer, Own, Parameter, by_name, checked_values, flag
from longfat.sim.plugin.seam import LINK_FIELDS, PACKET_VIEW, link_view
from longfat.sim.services import SERVICES, Service
from longfat.sim.services.departures import DEPARTURES

__all__ = ["DROP", "ENQUEUE", "SEND", "SERVICES", "Discipline", "Integer", "Parameter", "flag"]


@dataclass(frozen=True)
class Discipline:
    """Queue discipline of a link: which packets it admits, drops and marks, and what feedback it sends.

    A discipline is a *service* (the scheduler, which decides the order of departures) and up to four small functions,
    its hooks. Numba compiles them, so they are written in floats, integers and ``math``; times are in seconds.

    The fields that hooks may read and set are listed by ``print(longfat.sim.seam.documentation())``. Hooks may call
    `longfat.sim.random`, `mark`, `is_full`, `queue_of`, `flow_state`, `first_waiting`, `behind`, `waiting` and
    `push_out`. A hook that sets ``link.send_feedback = 1`` sends ``link.feedback`` (four numbers) to the sender of the
    current packet.

    Parameters
    ----------
    name : str
        Name in scenario files and results.
    service : str or Service
        Scheduler of the link:

        * "fifo": first in, first out, with departure times computed at arrival;
        * "departures": first in, first out, decided at departure, so that queued packets can be dropped;
        * "discard-worst", "discard-last": as "departures", but a full buffer drops the packet with the greatest
          ``packet.priority``, or the last packet with a greater one than the arriving packet;
        * "self-clocked", "bit-round", "round-robin": fair queueing by self-clocked tags, by the tags of bit-by-bit
          round robin, or by deficit round robin;
        * "rate-controlled": self-clocked fair queueing in which each queue has a ``rate``, set by hooks, that it does
          not exceed.
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
    parameters : mapping of str to Parameter or float, optional
        Parameters, which hooks read by name: ``link.target``.
    values : mapping of str to float, optional
        Values of parameters that differ from the defaults; ``discipline(target="5 ms")`` returns a copy with this
        value.
    state : mapping of str to float, int, bool or a sequence of these, optional
        State variables of a link, with their initial values: ``link.drop_next``.
    flow_state : mapping, optional
        State variables of each flow, in the same form: ``flow_state(link, packet.flow).bytes``.
    services : sequence of str, optional
        Other services with which the discipline can be used: ``discipline(service="bit-round")``.
    needs_buffer : bool
        Whether a link without room for a single queued packet is refused.
    late_if : str
        Name of a yes-or-no parameter. Only if it is 1, departures are decided when they happen, and `dequeue` is
        called.
    hop_by_hop : bool
        Whether ``link.feedback`` goes to the `feedback` hook of the upstream switch that has such a discipline; only
        the first such switch of a path sends it to the sender.
    source : str
        Reference of the publication that defines the discipline.
    arrive, depart : None
        Former names of `enqueue` and `dequeue`, which are refused.

    Raises
    ------
    ValueError
        For an unknown service, hooks with other arguments, values outside their ranges, and names of parameters or
        state variables that are not allowed; when a run begins, for a hook that cannot be compiled or sets a field that
        it may not set.

    Examples
    --------
    >>> def admit_every_other(link, packet, now):
    ...     link.admit = not link.admit
    ...     return ENQUEUE if link.admit else DROP
    >>> Discipline("alternate", enqueue=admit_every_other, state={"admit": False}).service
    'fifo'
    """

    name: str
    service: str | Service = "fifo"
    enqueue: Callable[..., Any] | None = None
    dequeue: Callable[..., Any] | None = None
    tick: Callable[..., Any] | None = None
    feedback: Callable[..., Any] | None = None
    parameters: Mapping[str, Parameter | float] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    flow_state: Mapping[str, Any] = field(default_factory=dict)
    services: tuple[str, ...] = ()
    needs_buffer: bool = False
    late_if: str = ""
    hop_by_hop: bool = False
    source: str = field(default="", compare=False)
    arrive: InitVar[None] = None
    depart: InitVar[None] = None

    def __post_init__(self, arrive: None, depart: None) -> None:
        for old, new, given in (("arrive", "enqueue", arrive), ("depart", "dequeue", depart)):
            if given is not None and not isinstance(given, property):
                raise ValueError(f"discipline {self.name!r}: {old} is called {new} now, and takes (link, packet, now)")
        if not isinstance(self.service, Service) and self.service not in SERVICES:
            raise unknown(f"service of discipline {self.name!r}:", self.service, SERVICES)
        for hook in HOOKS:
            if getattr(self, hook) is not None:
                takes = "(link, now)" if hook == "tick" else "(link, packet, now)"
                functions.check(f"discipline {self.name!r}", hook, getattr(self, hook), takes)
        complete = {
            name: one if isinstance(one, Parameter) else Parameter(domains.number(name, one, "1", "(-inf, inf)"))
            for name, one in self.parameters.items()
        }
        if self.scheduler is not None:
            complete = {**self.scheduler.parameters, **complete}
        object.__setattr__(self, "parameters", complete)
        object.__setattr__(self, "values", self._checked(dict(self.values)))
        if self.late_if:
            if self.late_if not in complete:
                raise unknown(f"discipline {self.name!r}: late_if", self.late_if, complete)
            object.__setattr__(self, "service", "departures" if self.values[self.late_if] else "fifo")
        self.own, self.of_flow  # noqa: B018  refuses names that are not allowed

    def _checked(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the values of all parameters that have one, each inside its valid range."""
        defaults = {name: one.default for name, one in self.parameters.items()}  # type: ignore[union-attr]
        values = {name: value for name, value in {**defaults, **given}.items() if value is not None}
        return checked_values(f"discipline {self.name!r}", self.parameters, values)

    def __call__(self, *given: Any, **values: Any) -> Discipline:
        """Return a copy of the discipline with other values of its parameters, given by name or in their order.

        >>> Discipline("mine", parameters={"target": Parameter(0.005, "s", "(0, 1]")})(target="20 ms").values["target"]
        0.02
        """
        values = by_name(f"discipline {self.name!r}", self.parameters, given, values)
        service = values.pop("service", self.service) if self.services else self.service
        if service not in (self.service, *self.services):
            available = map(str, dict.fromkeys((self.service, *self.services)))
            raise unknown(f"service of discipline {self.name!r}:", service, available)
        changed = {**self.values, **values}
        if service is self.service and changed == self.values:
            return self
        return replace(self, service=service, values=changed)

    def check_buffer(self, link: str, packets: float, size: float) -> None:
        """Raise a ValueError if the discipline cannot work with the buffer of a link [packets and bytes]; none does."""

    @property
    def missing(self) -> list[str]:
        """Names of the parameters that have neither a default nor a value."""
        return [name for name in self.parameters if name not in self.values]

    @property
    def example(self) -> str:
        """Advice how to give the first of the `missing` parameters, for error messages."""
        return f"give it with values, as in discipline({self.missing[0]}=...)"

    @property
    def flags(self) -> list[str]:
        """Names of the yes-or-no parameters."""
        return [name for name, one in self.parameters.items() if getattr(one, "allowed", "") == YES_OR_NO]

    @functools.cached_property
    def own(self) -> Own:
        """Record of the parameters and state variables of a link."""
        others = () if self.scheduler is None else self.scheduler.parameters
        mine = {name: one for name, one in self.parameters.items() if name not in others}
        return Own(f"discipline {self.name!r}", mine, self.state, LINK_FIELDS)  # type: ignore[arg-type]

    @functools.cached_property
    def of_flow(self) -> Own:
        """Record of the state variables of a flow."""
        return Own(f"discipline {self.name!r}", {}, self.flow_state, ())

    @functools.cached_property
    def only_marks(self) -> bool:
        """Whether the hooks mark packets and drop none, so that they do nothing to packets that are not ECN-capable."""
        used = {name for hook in HOOKS if getattr(self, hook) for name in functions.names_used(getattr(self, hook))}
        return "mark" in used and not used & {"DROP", "push_out"}

    @property
    def has_hooks(self) -> bool:
        """Whether the discipline has hooks for the kernel to call."""
        return any(getattr(self, hook) is not None for hook in HOOKS)

    @property
    def scheduler(self) -> Service | None:
        """Service that the link runs; None if departure times are computed at arrival, unless a hook decides later."""
        if isinstance(self.service, Service):
            return self.service
        late = self.service == "fifo" and self.dequeue is not None and not self.late_if
        return DEPARTURES if late else SERVICES[self.service]

    def compiled(self) -> tuple[jit.Callback, ...]:
        """Return the hooks, compiled for the kernel."""
        nothing, service = Own("", {}, {}, ()), self.scheduler
        records = (nothing, nothing) if service is None else (service.own, service.of_queue)
        view = link_view(self.own, self.of_flow, *records, () if service is None else service.settable)
        now, whose = numba.float64, f"discipline {self.name!r}"
        asked, ticks = numba.int64(view, PACKET_VIEW, now), now(view, now)
        return tuple(
            functions.compiled(whose, hook, getattr(self, hook) or DEFAULTS[hook], ticks if hook == "tick" else asked)
            for hook in HOOKS
        )


def enqueue_all(link, packet, now):  # type: ignore[no-untyped-def]
    """Return that the packet is admitted if the buffer has room."""
    return ENQUEUE


def send_all(link, packet, now):  # type: ignore[no-untyped-def]
    """Return that the packet is sent."""
    return SEND


def no_tick(link, now):  # type: ignore[no-untyped-def]
    """Return the time of the next call: never."""
    return math.inf


DEFAULTS = {"enqueue": enqueue_all, "dequeue": send_all, "feedback": send_all, "tick": no_tick}
