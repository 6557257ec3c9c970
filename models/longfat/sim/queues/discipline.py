"""What a discipline is: what a link does with a packet that arrives, and which one it sends next.

A discipline is admission and service. Admission is a drop-tail buffer and up to three hooks, small functions
compiled by numba as a scheme's callbacks are:

* ``arrive(link, packet, header, now, rng) -> int``: a packet is about to enter. ADMIT it (perhaps marked, or with
  its header fields ``header.x`` stamped), DROP it, or return the number of a waiting packet, plus 1, to push that
  out instead (`longfat.sim.memory.first_waiting` and `behind` look at the queue);
* ``depart(link, packet, header, now, rng) -> int``: its transmission begins; the result is ignored;
* ``tick(link, now) -> float``: called at the time [s] that the last call returned, first at 0.

A hook that sets ``link.notify = 1`` sends ``link.note`` (four numbers) to the sender of the packet in hand. Where a
link serves in order of arrival, ``arrive`` may set ``link.hold`` [ns]: the packet in hand is not sent before then, and
the packets behind it wait meanwhile.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numba

from longfat.domains import refuse
from longfat.sim import jit, records
from longfat.sim.hooks import HOOKS
from longfat.sim.kernel.links import ADMIT, DROP

__all__ = ["ADMIT", "DROP", "SERVICES", "Discipline", "flag"]

SERVICES = {
    "fifo": records.FIFO,
    "departures": records.DEPARTURES,
    "discard-worst": records.DISCARD_WORST,
    "discard-last": records.DISCARD_LAST,
    "self-clocked": records.SELF_CLOCKED,
    "round-robin": records.ROUND_ROBIN,
    "rated": records.RATED,
    "bit-round": records.BIT_ROUND,
}


@dataclass(frozen=True)
class Discipline:
    """A queue discipline.

    A hook may read every field of the rows that it gets (`longfat.sim.records`): of the link among them ``waiting``
    [packets], ``waiting_bytes``, ``limit_packets``, ``limit_bytes``, ``free`` (when the transmitter has sent all that
    it has accepted [ns]), ``rate``/``scale`` [bit/s], ``delay`` [ns] and the counts ``arrived``, ``served``,
    ``served_bytes``, ``dropped``; of the packet ``flow``, ``number``, ``length`` [bytes], ``sent`` [ns], ``kind``,
    ``marks``, ``colour``, ``priority``. It may set these fields and no others:

    * link: ``p`` (its parameters), ``u`` (its own, 16 numbers, zero at first), ``average`` (its own, too), ``marked``
      (count of packets that it marked), ``notify``, ``note`` and ``hold``, see the module;
    * packet: ``marks``, ``colour``, ``priority``; header: ``x``;
    * what it keeps of a flow, `longfat.sim.memory.note_at`: ``key``, ``next``, ``previous``, ``u``;
    * a flow's own queue, `longfat.sim.memory.queue_at`: ``rate`` [bytes/s].

    Compilation refuses a hook that sets any other field.

    Parameters
    ----------
    name : str
        Its name in scenario files and results.
    service : str
        "fifo", "departures", "discard-worst", "discard-last", "self-clocked", "round-robin", "rated" or "bit-round". In
        order of arrival, decided at once or at departure (push-out, stamps); the same where a full buffer gives up the
        packet of the greatest ``packet.priority``, or the last that is worse than the new one; fair queueing by tags or
        by turns; by tags over the flows whose time has come, each queue having a rate (``records.QUEUE``) that hooks
        set; by the tags that packets have in a fluid.
    arrive, depart, tick : callable, optional
        The hooks, see the module.
    parameters : mapping of str to float
        Values of ``link.p[0]``, ``link.p[1]``, ... in this order.
    needs_buffer : bool
        Whether a link without any room for waiting packets is refused.
    notes : bool
        Whether it keeps a note of every flow: `longfat.sim.memory.note_at` (link, flow) is a row of `records.NOTE`.
    hop_by_hop : bool
        Whether ``link.note`` goes to the switch before that has such a discipline, to its ``arrive`` as a packet of the
        kind ``records.TOLD``, and only from the first one to the sender.

    Raises
    ------
    ValueError
        For an unknown service, or hooks that take the wrong arguments; when a run begins, for a hook that cannot be
        compiled or sets a field that it may not set.

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
    notes: bool = False
    hop_by_hop: bool = False

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

    def compiled(self) -> tuple[jit.Callback, ...]:
        """The hooks, ready for the kernel."""
        defaults = {"arrive": admit_all, "depart": ignore, "tick": no_tick}
        return tuple(_compile(self.name, hook, getattr(self, hook) or defaults[hook]) for hook in HOOKS)


@functools.lru_cache(maxsize=64)
def _compile(name: str, hook: str, function: Callable[..., Any]) -> jit.Callback:
    own = (getattr(function, "__module__", None) or "").startswith("longfat.sim.queues.")
    try:
        return jit.callback(HOOKS[hook], function, cache=own)
    except numba.core.errors.NumbaError as error:
        raise ValueError(f"discipline {name!r}: {hook} cannot be compiled: {jit.reason(error)}") from None


def admit_all(link, packet, header, now, rng):
    """Leave it to the buffer."""
    return ADMIT


def ignore(link, packet, header, now, rng):
    """Nothing to do."""
    return 0


def no_tick(link, now):
    """No timer."""
    return math.inf


def flag(name: str, value: float) -> float:
    """A parameter that is a yes or no, as the number that hooks see."""
    if value not in (0, 1):
        raise refuse(name, value, "1", "{0, 1}")
    return float(value)
