"""Queue disciplines: what a link does with a packet that arrives, and which one it sends next.

A discipline is admission and service. Admission is a drop-tail buffer and up to three hooks, small functions
compiled by numba as a scheme's callbacks are:

* ``arrive(link, packet, header, now, rng) -> int``: a packet is about to enter. ADMIT it (perhaps marked, or with
  its header fields ``header.x`` stamped), DROP it, or return the number of a waiting packet, plus 1, to push that
  out instead (`longfat.sim.memory.first_waiting` and `behind` look at the queue);
* ``depart(link, packet, header, now, rng) -> int``: its transmission begins; the result is ignored;
* ``tick(link, now) -> float``: called at the time [s] that the last call returned, first at 0.

A hook that sets ``link.notify = 1`` sends ``link.note`` (four numbers) to the sender of the packet in hand.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numba

from longfat.domains import number, refuse, whole_number
from longfat.sim import jit, memory, records
from longfat.sim.kernel.links import ADMIT, DROP
from longfat.sim.names import unknown
from longfat.sim.records import CE, ECT

_HOOK = numba.types.FunctionType(
    numba.int64(memory.LINK, memory.PACKET, memory.HEADER, numba.float64, numba.types.npy_rng)
)
SIGNATURES = {
    "arrive": _HOOK,
    "depart": _HOOK,
    "tick": numba.types.FunctionType(numba.float64(memory.LINK, numba.float64)),
}
SERVICES = {"fifo": records.FIFO, "departures": records.DEPARTURES, "self-clocked": records.SELF_CLOCKED}
SERVICES["round-robin"] = records.ROUND_ROBIN


@dataclass(frozen=True)
class Discipline:
    """A queue discipline.

    Parameters
    ----------
    name : str
        Its name in scenario files and results.
    service : {"fifo", "departures", "self-clocked", "round-robin"}
        In order of arrival, decided at once or at departure (push-out, stamps); fair queueing by tags or by turns.
    arrive, depart, tick : callable, optional
        The hooks, see the module.
    parameters : mapping of str to float
        Values of ``link.p[0]``, ``link.p[1]``, ... in this order.
    needs_buffer : bool
        Whether a link without any room for waiting packets is refused.

    Raises
    ------
    ValueError
        For an unknown service, or hooks that take the wrong arguments.

    Examples
    --------
    >>> def admit_every_other(link, packet, header, now, rng):
    ...     link.u[0] = 1 - link.u[0]
    ...     return ADMIT if link.u[0] == 1 else DROP
    >>> Discipline("alternate", arrive=admit_every_other).service
    'fifo'
    """

    name: str
    service: str = "fifo"
    arrive: Callable[..., Any] | None = None
    depart: Callable[..., Any] | None = None
    tick: Callable[..., Any] | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    needs_buffer: bool = False

    def __post_init__(self) -> None:
        if self.service not in SERVICES:
            raise ValueError(
                f"service = {self.service!r} of discipline {self.name!r} is out of range: "
                f"allowed are {', '.join(SERVICES)}"
            )
        if len(self.parameters) > 12:
            raise ValueError(f"parameters = {len(self.parameters)} of discipline {self.name!r}: at most 12 are allowed")
        if self.service == "round-robin" and not self.parameters.get("quantum", 0) >= 1:
            raise ValueError(f"discipline {self.name!r}: service='round-robin' needs parameters['quantum'] in [1, 1e9]")
        if self.service == "fifo" and self.depart is not None:
            raise ValueError(f"discipline {self.name!r}: depart needs service='departures'")
        for hook, count in (("arrive", 5), ("depart", 5), ("tick", 2)):
            function = getattr(self, hook)
            if function is None:
                continue
            try:
                inspect.signature(getattr(function, "py_func", function)).bind(*[None] * count)
            except TypeError:
                raise ValueError(
                    f"discipline {self.name!r}: {hook} takes the wrong arguments; it gets {count}"
                ) from None

    @property
    def has_hooks(self) -> bool:
        """Whether the kernel has to ask it anything."""
        return any(hook is not None for hook in (self.arrive, self.depart, self.tick))

    def compiled(self) -> tuple[Any, ...]:
        """The hooks, ready for the kernel's slots."""
        defaults = {"arrive": admit_all, "depart": ignore, "tick": no_tick}
        return tuple(_compile(self.name, hook, getattr(self, hook) or defaults[hook]) for hook in SIGNATURES)


@functools.lru_cache(maxsize=64)
def _compile(name: str, hook: str, function: Callable[..., Any]) -> Any:
    own = getattr(function, "__module__", "") == __name__
    try:
        return jit.callback(SIGNATURES[hook], function, cache=own)
    except numba.core.errors.NumbaError as error:
        raise ValueError(f"discipline {name!r}: {hook} cannot be compiled: {jit.reason(error)}") from None


def admit_all(link, packet, header, now, rng):  # type: ignore[no-untyped-def]
    """Leave it to the buffer."""
    return ADMIT


def ignore(link, packet, header, now, rng):  # type: ignore[no-untyped-def]
    """Nothing to do."""
    return 0


def no_tick(link, now):  # type: ignore[no-untyped-def]
    """No timer."""
    return math.inf


def red_arrive(link, packet, header, now, rng):  # type: ignore[no-untyped-def]
    """Random early detection (schemes.md 16.5; Floyd & Jacobson 1993, fig. 2).

    p: weight, low, high, max_p, gentle, mean packet [bytes], ecn, wait. u: count since the last mark.
    """
    weight, low, high, most = link.p[0], link.p[1], link.p[2], link.p[3]
    idle = now - link.free * 1e-9
    full = idle < 0.0 and (link.waiting >= link.limit_packets or link.waiting_bytes + packet.length > link.limit_bytes)
    if link.waiting == 0 and idle > 0.0:
        # After idle time t the average has decayed as if t * mu empty arrivals had been seen.
        packet_time = 8.0 * link.p[5] * link.scale / link.rate
        link.average *= (1.0 - weight) ** (idle / packet_time) if packet_time > 0.0 else 0.0
    else:
        link.average += weight * (link.waiting - link.average)
    if link.average < low:
        link.u[0] = -1.0
        return ADMIT
    if link.average < high:
        chance = most * (link.average - low) / (high - low)
    elif link.p[4] > 0.0 and link.average < 2.0 * high:
        chance = most + (1.0 - most) * (link.average - high) / high  # gentle: rises to 1 at twice the threshold
    else:
        chance = 1.0
    if full:  # dropped by the buffer, and that counts as a drop (ns-2.35, red.cc)
        link.u[0] = 0.0
        return ADMIT
    link.u[0] += 1.0
    spread = link.u[0] * chance
    if chance >= 1.0:
        actual = 1.0
    elif link.p[7] > 0.0:  # ns's `wait`: never two in a row nearer than 1/chance
        actual = 0.0 if spread < 1.0 else chance / (2.0 - spread) if spread < 2.0 else 1.0
    else:
        actual = chance / (1.0 - spread) if spread < 1.0 else 1.0
    if rng.random() >= actual:
        return ADMIT
    link.u[0] = 0.0
    if link.p[6] > 0.0 and packet.marks & ECT and chance <= 0.1:
        packet.marks |= CE
        link.marked += 1
        return ADMIT
    return DROP


def threshold_arrive(link, packet, header, now, rng):  # type: ignore[no-untyped-def]
    """Mark every packet that finds `threshold` or more waiting (16.8), unless it finds no room."""
    full = link.free * 1e-9 > now and (
        link.waiting >= link.limit_packets or link.waiting_bytes + packet.length > link.limit_bytes
    )
    if link.waiting >= link.p[0] and packet.marks & ECT and not full:
        packet.marks |= CE
        link.marked += 1
    return ADMIT


FIFO = Discipline("fifo")
#: The same, decided at departure: slower, and in the tests the judge of the fast one.
FIFO_DEPARTURES = Discipline("fifo-departures", service="departures")
FAIR = Discipline("fair", service="self-clocked", needs_buffer=True)


def round_robin(quantum: float = 500) -> Discipline:
    """Deficit round robin (Shreedhar & Varghese 1995) with this quantum [bytes].

    >>> round_robin(1500).parameters["quantum"]
    1500.0
    """
    size = float(whole_number("quantum", quantum, "bytes", "[1, 1e9]"))
    return Discipline("round-robin", service="round-robin", parameters={"quantum": size}, needs_buffer=True)


def red(
    *,
    low: float = 5,
    high: float = 15,
    max_p: float = 0.02,
    weight: float = 0.002,
    gentle: bool = False,
    packet: float = 500,
    ecn: bool = False,
    wait: bool = False,
) -> Discipline:
    """Random early detection; the defaults are the classic ones of 1993.

    Parameters
    ----------
    low, high : float
        Thresholds of the average queue [packets].
    max_p : float
        Marking probability at the upper one [probability].
    weight : float
        Of a new sample in the average [1].
    gentle : bool
        Above `high` rise linearly to 1 at twice `high`, instead of dropping all.
    packet : float
        Mean size [bytes]: how fast the average falls while the link is idle.
    ecn : bool
        Mark packets that say they can be marked, instead of dropping them, while the probability is at most 0.1.
    wait : bool
        ns's rule that lets 1/p packets pass between marks.

    Returns
    -------
    Discipline
        For ``link(..., discipline=)``.

    Raises
    ------
    ValueError
        For thresholds that are not 0 <= low < high, or values outside their ranges.

    Examples
    --------
    >>> red(low=44, high=132, gentle=True).parameters["high"]
    132.0

    References
    ----------
    Floyd & Jacobson, IEEE/ACM ToN 1 (1993); ns-2.35 for `gentle`, `wait` and the limit on marking.
    """
    low = number("low", low, "packets", "[0, 1e15]")
    high = number("high", high, "packets", f"({low:g}, 1e15]")
    return Discipline(
        "red",
        arrive=red_arrive,
        parameters={
            "weight": number("weight", weight, "1", "(0, 1]"),
            "low": low,
            "high": high,
            "max_p": number("max_p", max_p, "probability", "(0, 1]"),
            "gentle": _flag("gentle", gentle),
            "packet": number("packet", packet, "bytes", "[1, 1e6]"),
            "ecn": _flag("ecn", ecn),
            "wait": _flag("wait", wait),
        },
        needs_buffer=True,
    )


def _flag(name: str, value: float) -> float:
    if value not in (0, 1):
        raise refuse(name, value, "1", "{0, 1}")
    return float(value)


def mark_above(threshold: float) -> Discipline:
    """Drop-tail with congestion marks on all packets that find `threshold` packets waiting.

    >>> mark_above(20).parameters["threshold"]
    20.0
    """
    return Discipline(
        "mark-above",
        arrive=threshold_arrive,
        parameters={"threshold": number("threshold", threshold, "packets", "[0, 1e15]")},
        needs_buffer=True,
    )


NAMED: dict[str, Callable[..., Discipline]] = {
    "fifo": lambda: FIFO,
    "fifo-departures": lambda: FIFO_DEPARTURES,
    "fair": lambda: FAIR,
    "round-robin": round_robin,
    "red": red,
    "mark-above": mark_above,
}


def discipline(given: str | Discipline, **parameters: Any) -> Discipline:
    """A discipline from its name and parameters, or itself.

    One of this module is given back by its own ``name`` and ``parameters``.

    >>> discipline("fair").service
    'self-clocked'
    >>> discipline("round-robin", **round_robin(1500).parameters) == round_robin(1500)
    True
    """
    if isinstance(given, Discipline):
        if parameters:
            raise ValueError(f"discipline {given.name!r} has its parameters already: {', '.join(parameters)}")
        return replace(given)
    if given not in NAMED:
        raise unknown("discipline", given, NAMED)
    takes = inspect.signature(NAMED[given]).parameters
    for name in parameters:
        if name not in takes:
            if not takes:
                raise ValueError(f"discipline {given!r} takes no parameters, so {name!r} is unknown")
            raise unknown(f"parameter of {given!r}", name, takes)
    missing = [name for name, one in takes.items() if one.default is one.empty and name not in parameters]
    if missing:
        raise ValueError(f"discipline {given!r} needs {', '.join(missing)}")
    return NAMED[given](**parameters)
