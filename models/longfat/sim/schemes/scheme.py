"""What a congestion-control scheme is: callbacks that see events and return a window or a rate."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np

from longfat import domains
from longfat.sim import jit
from longfat.sim.hooks import CALLBACKS, GUARDED_CALLBACK, LABELLING_CALLBACK
from longfat.sim.settable import LABEL_PARAMETERS, PARAMETERS

BLT_MODULE = "longfat.sim.schemes.blt"  # the one scheme that labels packets, see `longfat.sim.settable`


@dataclass(frozen=True)
class Parameter:
    """A parameter of a scheme: its default, unit, domain, and the field of the flow's record that holds it.

    Parameters
    ----------
    default : float
        Value where none is given.
    unit : str
        Unit, "1" for a pure number.
    allowed : str
        Interval of allowed values, as in ``"[1, inf)"``.
    field : str, optional
        Field of the record; by default the next free one of ``flow.p``. Allowed are "p[0]" to "p[15]", window, rate,
        ssthresh, pool, rto, min_rto, max_rto, granularity, tick, timestamps, ect, arrival_times, reorder, skips, red.

    Examples
    --------
    >>> Parameter(1.0, "packets", "[1, inf)", "window").default
    1.0
    """

    default: float
    unit: str = "1"
    allowed: str = "(-inf, inf)"
    field: str = ""


@dataclass(frozen=True)
class Scheme:
    """A congestion-control scheme, written as a few plain functions of a flow and an event.

    Each callback takes ``(flow, event)`` and returns the new window [packets] (``controls="window"``) or rate
    [bytes/s] (``controls="rate"``). It is compiled by numba, so it is written in floats, integers and ``math``.

    A callback may read every field of the flow's record (`longfat.sim.records.FLOW`), among them ``una`` (first packet
    not acknowledged), ``next`` (next packet to send), ``high`` (one more than the highest packet sent), ``packets``
    (size of the file), ``in_flight`` [packets], ``packet_size`` [bytes], ``transmission`` (transmissions so far),
    ``srtt``, ``rttvar`` and ``rto`` [s] and ``max_backoff``. It may set these fields and no others:

    * ``window`` [packets], ``rate`` [bytes/s], ``inflation`` (packets that recovery adds to the window), ``limited``
      (packets that may still be sent on account of this event), ``pool`` (packets that may leave at once after a
      pause), ``last_paced`` (when the last packet left [ns]);
    * ``next`` and ``resend`` (packets to be sent again), ``backoff`` (factor of the timeout), ``srtt`` [s];
    * ``alarm`` (when to be called [s]), ``request`` (1: ask the links for their counters), ``header`` (four numbers for
      the switches), ``ect`` (1: packets may be marked), ``cwr`` (1: tell the receiver of a reduction), ``red`` and
      ``red_evenly`` (share of red packets);
    * ``ssthresh``, ``recover``, ``duplicates``, ``phase``, ``minimum_rtt``, which the engine does not look at in a flow
      with ``recovery="own"`` (with selective recovery ``recover`` is the engine's), and the scheme's own:
      ``p[0]``, ``p[1]``, ... are its parameters in the order of ``parameters``, ``u[0]`` ... ``u[31]`` are zero at
      first.

    The event tells ``now`` [s], ``rtt`` [s], ``acked`` (packets newly acknowledged in order), ``number`` (the packet
    acknowledged or lost), ``transmission``, ``lost`` [packets], ``marked``, ``duplicate``, ``packet_size`` [bytes] and
    ``header`` (what switches stamped); ``restart_timer`` may be set. Compilation refuses a callback that sets any other
    field.

    Parameters
    ----------
    name : str
        Its name in results and messages.
    ack : callable
        Called for every acknowledgment.
    start : callable, optional
        Called when the flow starts. By default the window is 1, or the rate its parameter.
    loss : callable, optional
        Called when packets are found lost; once per window of data unless `every_loss`. Only with selective recovery.
        By default the window is halved, a rate stays.
    timeout : callable, optional
        Called when the retransmission timer goes off. By default the window becomes 1, a rate is halved.
    alarm : callable, optional
        Called at the time that a callback put in ``flow.alarm`` [s].
    controls : {"window", "rate"}
        What the callbacks return. A window scheme may set ``flow.rate`` as well, and the other way round.
    recovery : {"selective", "own"}
        Selective: the sender repairs losses by itself. Own: the scheme sees duplicates (``event.duplicate``) and
        decides what is sent again (``flow.resend = number``, ``flow.next = number``).
    parameters : mapping of str to Parameter or float, optional
        What ``flow(..., parameters=)`` may set.
    every_loss : bool
        Call `loss` for all losses and not once per window.
    reorder : int
        Acknowledged later transmissions before a packet counts as lost [packets].
    echo : {"latched", "once"}
        Whether a receiver repeats a mark until the sender reports a reduction (RFC 3168), or not.
    stamped : bool
        Whether packets carry ``flow.header`` to the switches and back.
    acknowledged : bool
        Whether the receiver acknowledges every packet. Without, a scheme hears only from switches and of its own
        requests (``flow.request = 1`` sends one, see schemes.md 9.2), and can transfer no files.
    scale_free : bool
        Whether the share of a link that it fills depends on the buffer over the bandwidth-delay product only and not on
        the product itself, as it does where windows grow by a constant per round trip and are multiplied at a loss.
        Only then does `longfat.design.buffer` simulate a slower link in place of a fast one.
    source : str
        Where its rules come from.

    Raises
    ------
    ValueError
        For a callback that is no function of two arguments, and for values outside their ranges; when a run begins, for
        a callback that cannot be compiled or sets a field that it may not set.

    Examples
    --------
    >>> def ack(flow, event):
    ...     return flow.window + event.acked / flow.window
    >>> def loss(flow, event):
    ...     return max(1.0, flow.window / 2)
    >>> Scheme("aimd", ack=ack, loss=loss).name
    'aimd'
    """

    name: str
    ack: Callable[[Any, Any], float]
    start: Callable[[Any, Any], float] | None = None
    loss: Callable[[Any, Any], float] | None = None
    timeout: Callable[[Any, Any], float] | None = None
    alarm: Callable[[Any, Any], float] | None = None
    controls: str = "window"
    recovery: str = "selective"
    parameters: Mapping[str, Parameter | float] = field(default_factory=dict)
    every_loss: bool = False
    reorder: int = 1
    echo: str = "latched"
    stamped: bool = False
    acknowledged: bool = True
    scale_free: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        for what, allowed in (
            ("controls", ("window", "rate")),
            ("recovery", ("selective", "own")),
            ("echo", ("latched", "once")),
        ):
            if getattr(self, what) not in allowed:
                raise ValueError(
                    f"{what} = {getattr(self, what)!r} of scheme {self.name!r} is out of range: "
                    f"allowed are {' and '.join(allowed)}"
                )
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name = {self.name!r} of a scheme is out of range: allowed is text that is not empty")
        if not self.acknowledged and self.recovery != "own":
            raise ValueError(
                f"recovery = {self.recovery!r} of scheme {self.name!r} is out of range: "
                "without acknowledgments it is 'own'"
            )
        domains.whole_number("reorder", self.reorder, "packets", "[1, 1e6]")
        for name in CALLBACKS:
            function = getattr(self, name)
            if function is not None or name == "ack":
                _check_signature(self.name, name, function)
        object.__setattr__(self, "parameters", self._complete(dict(self.parameters)))

    def _complete(self, given: dict[str, Any]) -> dict[str, Parameter]:
        """Every parameter with the field that holds it."""
        complete, used = {}, 0
        for name, parameter in given.items():
            if not isinstance(parameter, Parameter):
                parameter = Parameter(domains.number(name, parameter, "1", "(-inf, inf)"))
            if not parameter.field:
                if used == 16:
                    raise ValueError(f"parameters = {len(given)} of scheme {self.name!r}: at most 16 are allowed")
                parameter = Parameter(parameter.default, parameter.unit, parameter.allowed, f"p[{used}]")
                used += 1
            _check_field(self.name, name, parameter.field, self._is_labelling())
            complete[name] = parameter
        return complete

    def _is_labelling(self) -> bool:
        """Whether this is BLT, whose packets carry priorities."""
        return getattr(self.ack, "__module__", "") == BLT_MODULE

    def compiled(self) -> tuple[jit.Callback, ...]:
        """The callbacks, ready for the kernel."""
        return tuple(
            _compile(self.name, name, getattr(self, name) or _default(self.controls, name)) for name in CALLBACKS
        )


def _check_field(scheme: str, name: str, field: str, labelling: bool) -> None:
    """Refuse a parameter that would be written over what the kernel keeps in the flow's record."""
    if field in PARAMETERS or field in [f"p[{k}]" for k in range(16)] or (labelling and field in LABEL_PARAMETERS):
        return
    raise ValueError(
        f"field = {field!r} of parameter {name!r} of scheme {scheme!r} is out of range: allowed are p[0] to p[15], "
        + ", ".join(PARAMETERS)
    )


def _check_signature(scheme: str, name: str, function: Any) -> None:
    if not callable(function):
        raise ValueError(f"scheme {scheme!r}: {name} = {function!r} is no function of (flow, event)")
    try:
        inspect.signature(getattr(function, "py_func", function)).bind(None, None)
    except TypeError:
        shown = inspect.signature(function)
        raise ValueError(
            f"scheme {scheme!r}: {name}{shown} takes the wrong arguments: it is called with (flow, event)"
        ) from None
    except ValueError:
        pass  # a built-in without a signature


@functools.lru_cache(maxsize=256)
def _compile(scheme: str, name: str, function: Callable[..., Any]) -> jit.Callback:
    own = (getattr(function, "__module__", None) or "").startswith("longfat.sim.schemes.")
    try:
        kind = LABELLING_CALLBACK if getattr(function, "__module__", "") == BLT_MODULE else GUARDED_CALLBACK
        return jit.callback(kind, function, cache=own)
    except numba.core.errors.NumbaError as error:
        raise ValueError(f"scheme {scheme!r}: {name} cannot be compiled: {jit.reason(error)}") from None


def _default(controls: str, name: str) -> Callable[[Any, Any], float]:
    return {
        ("window", "start"): keep_window,
        ("window", "loss"): halve_window,
        ("window", "timeout"): window_of_one,
        ("window", "alarm"): keep_window,
        ("rate", "start"): keep_rate,
        ("rate", "loss"): keep_rate,
        ("rate", "timeout"): halve_rate,
        ("rate", "alarm"): keep_rate,
    }[controls, name]


def keep_window(flow, event):  # type: ignore[no-untyped-def]
    """As it was."""
    return flow.window


def halve_window(flow, event):  # type: ignore[no-untyped-def]
    """Half of it, one packet at least."""
    return max(1.0, flow.window / 2)


def window_of_one(flow, event):  # type: ignore[no-untyped-def]
    """One packet."""
    return 1.0


def keep_rate(flow, event):  # type: ignore[no-untyped-def]
    """As it was."""
    return flow.rate


def halve_rate(flow, event):  # type: ignore[no-untyped-def]
    """Half of it."""
    return flow.rate / 2


def set_parameters(row: np.record, scheme: Scheme, given: Mapping[str, float]) -> None:
    """Write a scheme's parameters into a flow's record."""
    for name, parameter in scheme.parameters.items():
        assert isinstance(parameter, Parameter)
        value = given.get(name, parameter.default)
        if parameter.field.startswith("p["):
            row.p[int(parameter.field[2:-1])] = value
        else:
            setattr(row, parameter.field, value)
