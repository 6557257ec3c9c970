"""Congestion-control schemes: callbacks that see events of a flow and return a window or a rate."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from longfat.base import domains
from longfat.sim.kernel import records
from longfat.sim.kernel.callbacks import CALLBACKS
from longfat.sim.kernel.views import View
from longfat.sim.plugin.parameters import Choice, Columns, Parameter
from longfat.sim.plugin.plug_in import PlugIn
from longfat.sim.plugin.view_fields import FLOW_FIELDS, INITIAL, RECEIVER_FIELDS, flow_view, receiver_view

__all__ = ["Choice", "Parameter", "Scheme"]


@dataclass(frozen=True)
class Scheme(PlugIn):
    """A congestion-control scheme, written as a few plain functions of a flow and an event.

    Each callback takes ``(flow, event)`` and returns the new window [packets] (``controls="window"``) or rate
    [bytes/s] (``controls="rate"``); the rules for callbacks are those of `longfat.sim.PlugIn`. Parameters may also be
    given for one flow: ``flow(scheme, ..., parameters={"beta": 0.8})``.

    Parameters
    ----------
    name, parameters, values, state, source
        As for `longfat.sim.PlugIn`; the state is that of the sender of a flow.
    ack : callable
        Called for every acknowledgment.
    start : callable, optional
        Called when the flow starts. By default a window scheme starts with 1 packet, and a rate scheme with the value
        of its parameter for the field ``rate``, or 1 packet per second if it has none.
    loss : callable, optional
        Called when packets are found lost, once per window of data unless `every_loss` is set; only with selective
        recovery. By default a window is halved, and a rate is unchanged.
    timeout : callable, optional
        Called when the retransmission timer expires. By default a window becomes 1, and a rate is halved.
    alarm : callable, optional
        Called at the time that a callback has set as ``flow.alarm`` [s].
    send : callable, optional
        Called as ``send(flow, packet)`` for every data packet that leaves; it may set ``priority``, ``colour``,
        ``flags`` and ``header`` of the packet, and returns 0.
    receive : callable, optional
        Called as ``receive(receiver, packet)`` for every packet that reaches the receiver, in place of the simulator's
        own rules for acknowledgments; it returns 1 if data of the packet is accepted, else 0. Needs own recovery.
    reply : callable, optional
        Called as ``reply(receiver, packet)`` at the time ``receiver.alarm`` [s], which `receive` or `reply` has set.
        `packet` is a new acknowledgment, whose ``header``, ``flags`` and ``priority`` the callback may set; it returns
        1 to send the acknowledgment, else 0. A scheme has both `receive` and `reply`, or neither.
    controls : {"window", "rate"}
        Quantity that the callbacks return. A window scheme may also set ``flow.rate``, and a rate scheme
        ``flow.window``.
    recovery : {"selective", "own"}
        Selective: the simulator finds and retransmits lost packets. Own: the scheme sees duplicate acknowledgments
        (``event.duplicate``) and decides what to retransmit (``flow.resend = number``, ``flow.next = number``).
    receiver_state : mapping, optional
        State of the receiver, given like `state`; `receive` and `reply` see it, and do not see the sender's state.
    every_loss : bool
        Whether `loss` is called for every loss, not once per window of data.
    delivery_rate : bool
        Whether acknowledgments bring samples of the delivery rate (``event.delivery_rate``, and the fields that are
        listed after it; draft-ietf-ccwg-bbr-06, section 4.1). `loss` is then called once for each lost packet, with
        the volumes in flight and delivered when that packet was sent, and a packet that was found lost but arrives is
        not retransmitted. Needs selective recovery.
    reorder : int
        Number of later transmissions that are acknowledged before a packet counts as lost [packets].
    echo : {"latched", "once", "state", "accurate"}
        How a receiver echoes marks: on all acknowledgments until the sender reports a reduction (RFC 3168, section
        6.1.3); on one acknowledgment; on all acknowledgments while packets arrive marked, with an immediate
        acknowledgment when that changes (RFC 8257, section 3.2); or as a count of marked packets, so that
        ``event.marks`` is exact although acknowledgments are lost; ``event.marked`` is then 1 if the count has grown.
    stamped : bool
        Whether packets carry ``flow.header`` to the switches, and acknowledgments bring it back.
    acknowledged : bool
        Whether the receiver acknowledges every packet. If not, a scheme receives only feedback of switches and the
        responses to its own requests (``flow.request = 1`` sends one, see `longfat.sim.schemes.cadpc`), and can
        transfer no files.
    scale_free : bool
        Whether the utilisation of a link depends only on the ratio of buffer to bandwidth-delay product, not on the
        bandwidth-delay product itself. This holds for windows that grow by a constant per round trip and are multiplied
        by a constant at a loss. Only then does `longfat.design.buffer` simulate a slower link in place of a fast one.
    scale_free_unless : tuple of str
        Parameters that make `scale_free` false if their value is not 0.

    Raises
    ------
    ValueError
        If a callback is not a function of two arguments, or a value is outside its range; at the start of a run, if a
        callback cannot be compiled or sets a field that it may not set.

    Examples
    --------
    >>> def ack(flow, event):
    ...     return flow.window + event.acked / flow.window
    >>> def loss(flow, event):
    ...     return max(1.0, flow.window / 2)
    >>> Scheme("aimd", ack=ack, loss=loss).name
    'aimd'
    """

    KIND: ClassVar[str] = "scheme"
    CALLBACKS: ClassVar[Mapping[str, str]] = CALLBACKS
    REQUIRED: ClassVar[tuple[str, ...]] = ("ack",)
    BARE_VIEWS: ClassVar[Mapping[str, View]] = {"flow": flow_view(), "receiver": receiver_view()}
    ADVICE: ClassVar[str] = "give the flow parameters with values, or the scheme"

    ack: Callable[[Any, Any], float]
    start: Callable[[Any, Any], float] | None = None
    loss: Callable[[Any, Any], float] | None = None
    timeout: Callable[[Any, Any], float] | None = None
    alarm: Callable[[Any, Any], float] | None = None
    send: Callable[[Any, Any], int] | None = None
    receive: Callable[[Any, Any], int] | None = None
    reply: Callable[[Any, Any], int] | None = None
    controls: str = "window"
    recovery: str = "selective"
    _: KW_ONLY
    receiver_state: Mapping[str, Any] = field(default_factory=dict)
    every_loss: bool = False
    delivery_rate: bool = False
    reorder: int = 1
    echo: str = "latched"
    stamped: bool = False
    acknowledged: bool = True
    scale_free: bool = False
    scale_free_unless: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what, allowed in (
            ("controls", ("window", "rate")),
            ("recovery", ("selective", "own")),
            ("echo", records.ECHO_MODES),
        ):
            domains.choice(f"{what} of {self.title}:", getattr(self, what), allowed)
        for what in ("every_loss", "delivery_rate", "stamped", "acknowledged", "scale_free"):
            domains.flag(f"{what} of {self.title}", getattr(self, what))
        if not self.acknowledged and self.recovery != "own":
            raise domains.conflict(
                f"acknowledged = False of {self.title}", f"needs recovery = 'own', not {self.recovery!r}"
            )
        if self.stamped and self.echo == "accurate":
            raise domains.conflict(
                f"echo = 'accurate' of {self.title}",
                "excludes stamped = True",
                "stamped acknowledgments return the header fields of packets, and cannot carry the count of marks",
            )
        if self.delivery_rate and self.recovery != "selective":
            raise domains.conflict(
                f"delivery_rate = True of {self.title}", f"needs recovery = 'selective', not {self.recovery!r}"
            )
        fields = {name: one.field for name, one in self.parameters.items() if isinstance(one, Parameter) and one.field}
        for name, one in fields.items():
            domains.choice(f"field of parameter {name!r} of {self.title}:", one, INITIAL)
        if "rack" in fields.values() and (self.recovery != "selective" or self.delivery_rate):
            raise domains.conflict(
                f"a parameter of {self.title} for the field 'rack'",
                "needs recovery = 'selective' and delivery_rate = False, "
                f"not {self.recovery!r} and {self.delivery_rate}",
            )
        if (self.receive is None) != (self.reply is None) or (self.receive is not None and self.recovery != "own"):
            raise domains.conflict(f"receive and reply of {self.title}", "go together, and need recovery = 'own'")
        twice = sorted(set(self.state) & set(self.receiver_state))
        if twice:
            raise domains.conflict(
                f"receiver_state of {self.title}", f"repeats {twice[0]!r}, which is a state variable of the sender"
            )
        domains.integer("reorder", self.reorder, "packets", "[1, 1e6]")
        super().__post_init__()
        self.columns  # noqa: B018  refuses invalid names

    @functools.cached_property
    def columns(self) -> Columns:
        """Record of the parameters and state variables that every flow of this scheme has."""
        chosen = {name: self.settings[name] for name, one in self.parameters.items() if isinstance(one, Choice)}
        mine = {name: one for name, one in self.parameters.items() if not one.field and name not in chosen}
        taken = {*FLOW_FIELDS, *(RECEIVER_FIELDS if self.receive is not None else ())}
        return Columns(self.title, mine, {**self.state, **self.receiver_state}, taken, chosen)

    @functools.cached_property
    def code(self) -> tuple[Any, ...]:
        """Key of the compiled code, see `PlugIn.code`."""
        return *super().code, self.columns.layout, self.controls, tuple(self.receiver_state)

    @functools.cached_property
    def _assembled(self) -> dict[tuple[Any, ...], Scheme]:
        return {}

    def assembled(self, given: Mapping[str, float]) -> Scheme:
        """Return the scheme with the components that a flow's parameters choose."""
        chosen = {name: value for name, value in given.items() if isinstance(self.parameters[name], Choice)}
        key = tuple(chosen.items())
        if key not in self._assembled:
            self._assembled[key] = self(**chosen)
        return self._assembled[key]

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Default callbacks for optional callbacks that are not given; they depend on `controls`."""
        return DEFAULTS[self.controls]

    @functools.cached_property
    def views(self) -> Mapping[str, View]:
        """Views of a flow and of its receiver, each without the state of the other end."""
        return {
            "flow": flow_view(self.columns, without=self.receiver_state),
            "receiver": receiver_view(self.columns, without=self.state),
        }


def unlabelled(flow, packet):  # type: ignore[no-untyped-def]
    """Return 0, and leave the packet unchanged."""
    return 0


def keep_window(flow, event):  # type: ignore[no-untyped-def]
    """Return the window unchanged."""
    return flow.window


def halve_window(flow, event):  # type: ignore[no-untyped-def]
    """Return half the window, at least one packet."""
    return max(1.0, flow.window / 2)


def window_of_one(flow, event):  # type: ignore[no-untyped-def]
    """Return a window of one packet."""
    return 1.0


def keep_rate(flow, event):  # type: ignore[no-untyped-def]
    """Return the rate unchanged."""
    return flow.rate


def halve_rate(flow, event):  # type: ignore[no-untyped-def]
    """Return half the rate."""
    return flow.rate / 2


_PACKETS = dict.fromkeys(("send", "receive", "reply"), unlabelled)
#: Default callbacks, by the quantity that the callbacks of the scheme return (`Scheme.controls`).
DEFAULTS = {
    "window": {"start": keep_window, "loss": halve_window, "timeout": window_of_one, "alarm": keep_window, **_PACKETS},
    "rate": {"start": keep_rate, "loss": keep_rate, "timeout": halve_rate, "alarm": keep_rate, **_PACKETS},
}
