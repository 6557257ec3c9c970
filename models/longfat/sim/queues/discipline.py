"""What a discipline is: what a link does with a packet that arrives, and with one that is about to leave.

A discipline is a *service*, the order in which packets leave, and up to four small functions, compiled by numba as a
scheme's callbacks are. All times are seconds:

* ``enqueue(link, packet, now) -> int``: a packet is about to enter. ENQUEUE it (perhaps marked, or with its header
  changed), DROP it, or answer ``push_out(number)`` of a waiting packet that is dropped in its place;
* ``dequeue(link, packet, now) -> int``: its transmission is about to begin. SEND it, or DROP it: the next one follows;
* ``tick(link, now) -> float``: called at the time that the last call returned, first at 0; ``math.inf`` ends it;
* ``feedback(link, packet, now) -> int``: a packet with feedback of the next switch has arrived here; the answer is
  ignored.

What they may read and set is the table `longfat.sim.seam.TABLE`; the functions they may call are
`longfat.sim.seam.random`, `mark`, `is_full`, `queue_of`, `flow_state`, `first_waiting`, `behind`, `waiting` and
`push_out`. A hook that sets ``link.send_feedback = 1`` sends ``link.feedback`` (four numbers) to the sender of the
packet in hand. Where a link serves in order of arrival, ``enqueue`` may set ``link.hold_until``: the packet in hand is
not sent before then, and the packets behind it wait meanwhile.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, replace
from typing import Any

import numba

from longfat import domains
from longfat.domains import unknown
from longfat.sim import functions, jit
from longfat.sim.calls import HOOKS
from longfat.sim.own import YES_OR_NO, Integer, Own, Parameter, flag
from longfat.sim.records import DROP, ENQUEUE, SEND
from longfat.sim.seam import LINK_FIELDS, PACKET_VIEW, link_view
from longfat.sim.services import SERVICES, Service
from longfat.sim.services.departures import DEPARTURES

__all__ = ["DROP", "ENQUEUE", "SEND", "SERVICES", "Discipline", "Integer", "Parameter", "flag"]


@dataclass(frozen=True)
class Discipline:
    """A queue discipline.

    Parameters
    ----------
    name : str
        Its name in scenario files and results.
    service : str or Service
        "fifo", "departures", "discard-worst", "discard-last", "self-clocked", "round-robin", "rated" or "bit-round". In
        order of arrival, decided at once or at departure (push-out, drops at the head); the same where a full buffer
        gives up the packet of the greatest ``packet.priority``, or the last that is worse than the new one; fair
        queueing by tags or by turns; by tags over the flows whose time has come, each queue having a ``rate`` that
        hooks set; by the tags that packets have in a fluid.
    enqueue, dequeue, tick, feedback : callable, optional
        The hooks, see the module.
    parameters : mapping of str to Parameter or float, optional
        Its parameters, which hooks read by name: ``link.target``.
    values : mapping of str to float, optional
        Their values where they are not the defaults; ``discipline(target="5 ms")`` is another one with this value.
    state : mapping of str to float, int, bool or a sequence of these, optional
        What it remembers of a link, with the values it begins with: ``link.drop_next``.
    flow_state : mapping, optional
        What it remembers of every flow, in the same form: ``flow_state(link, packet.flow).bytes``.
    services : sequence of str, optional
        Other services that it may be given with: ``discipline(service="bit-round")``.
    needs_buffer : bool
        Whether a link without any room for waiting packets is refused.
    late_if : str
        Parameter that is a yes or no: departures are decided when they happen, and `dequeue` is called, only if it is a
        yes.
    hop_by_hop : bool
        Whether ``link.feedback`` goes to the `feedback` of the switch before that has such a discipline, and only from
        the first one to the sender.
    arrive, depart : None
        Former names of `enqueue` and `dequeue`, refused.

    Raises
    ------
    ValueError
        For an unknown service, hooks that take the wrong arguments, values outside their domains, and names of
        parameters and state that cannot be; when a run begins, for a hook that cannot be compiled or sets a field that
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
        if self.serving is not None:
            complete = {**self.serving.parameters, **complete}
        object.__setattr__(self, "parameters", complete)
        object.__setattr__(self, "values", self._checked(dict(self.values)))
        if self.late_if:
            if self.late_if not in complete:
                raise unknown(f"discipline {self.name!r}: late_if", self.late_if, complete)
            object.__setattr__(self, "service", "departures" if self.values[self.late_if] else "fifo")
        self.own, self.of_flow  # noqa: B018  they refuse names that cannot be

    def _checked(self, given: dict[str, Any]) -> dict[str, float]:
        """Return the values of all parameters that have one, each inside its domain."""
        for name in given:
            if name not in self.parameters:
                if not self.parameters:
                    raise ValueError(f"discipline {self.name!r} takes no parameters, so {name!r} is unknown")
                raise unknown(f"discipline {self.name!r}: parameter", name, self.parameters)
        made = {}
        for name, one in self.parameters.items():
            assert isinstance(one, Parameter)
            value = given.get(name, one.default)
            if value is not None:
                made[name] = one.checked(name, value)
        return made

    def __call__(self, *given: Any, **values: Any) -> Discipline:
        """Return the same discipline with other values of its parameters, by name or in their order.

        >>> Discipline("mine", parameters={"target": Parameter(0.005, "s", "(0, 1]")})(target="20 ms").values["target"]
        0.02
        """
        if len(given) > len(self.parameters):
            raise ValueError(f"discipline {self.name!r} takes {len(self.parameters)} values, got {len(given)}")
        in_order = dict(zip(self.parameters, given, strict=False))
        for name in in_order:
            if name in values:
                raise ValueError(f"discipline {self.name!r}: {name!r} is given twice")
        service = values.pop("service", self.service) if self.services else self.service
        if service not in (self.service, *self.services):
            available = map(str, dict.fromkeys((self.service, *self.services)))
            raise unknown(f"service of discipline {self.name!r}:", service, available)
        changed = {**self.values, **in_order, **values}
        if service is self.service and changed == self.values:
            return self
        return replace(self, service=service, values=changed)

    @property
    def missing(self) -> list[str]:
        """The parameters that have no default and were not given."""
        return [name for name in self.parameters if name not in self.values]

    @property
    def flags(self) -> list[str]:
        """The parameters that are a yes or no."""
        return [name for name, one in self.parameters.items() if getattr(one, "allowed", "") == YES_OR_NO]

    @functools.cached_property
    def own(self) -> Own:
        """The record of parameters and state that every link with this discipline has."""
        others = () if self.serving is None else self.serving.parameters
        mine = {name: one for name, one in self.parameters.items() if name not in others}
        return Own(f"discipline {self.name!r}", mine, self.state, LINK_FIELDS)  # type: ignore[arg-type]

    @functools.cached_property
    def of_flow(self) -> Own:
        """The record that it keeps of every flow."""
        return Own(f"discipline {self.name!r}", {}, self.flow_state, ())

    @property
    def has_hooks(self) -> bool:
        """Whether the kernel has to ask it anything."""
        return any(getattr(self, hook) is not None for hook in HOOKS)

    @property
    def serving(self) -> Service | None:
        """Its service; None: departures are decided at arrival, which no discipline can have that looks at them."""
        if isinstance(self.service, Service):
            return self.service
        late = self.service == "fifo" and self.dequeue is not None and not self.late_if
        return DEPARTURES if late else SERVICES[self.service]

    def compiled(self) -> tuple[jit.Callback, ...]:
        """The hooks, ready for the kernel."""
        nothing, service = Own("", {}, {}, ()), self.serving
        records = (nothing, nothing) if service is None else (service.own, service.of_queue)
        view = link_view(self.own, self.of_flow, *records, () if service is None else service.settable)
        now, whose = numba.float64, f"discipline {self.name!r}"
        asked, ticks = numba.int64(view, PACKET_VIEW, now), now(view, now)
        return tuple(
            functions.compiled(whose, hook, getattr(self, hook) or DEFAULTS[hook], ticks if hook == "tick" else asked)
            for hook in HOOKS
        )


def enqueue_all(link, packet, now):  # type: ignore[no-untyped-def]
    """Leave it to the buffer."""
    return ENQUEUE


def send_all(link, packet, now):  # type: ignore[no-untyped-def]
    """Let every packet go."""
    return SEND


def no_tick(link, now):  # type: ignore[no-untyped-def]
    """Return that no call is wanted."""
    return math.inf


DEFAULTS = {"enqueue": enqueue_all, "dequeue": send_all, "feedback": send_all, "tick": no_tick}
