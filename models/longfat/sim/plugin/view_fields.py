"""Fields that plug-ins read and may set, in SI units, and the views that contain them.

Schemes, disciplines and services get views of the simulator's rows. Times are seconds, sizes bytes, rates bytes/s, all
as floats; the kernel counts integer nanoseconds. Only fields with `shown` in `kernel.records` exist for a plug-in.
Setting a read-only field is refused when the plug-in is compiled: the kernel uses row numbers without a check, and its
packet counts have to balance. The parameters and the state of a plug-in are further fields.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from longfat.sim.kernel import records
from longfat.sim.kernel.callbacks import ARGUMENTS
from longfat.sim.kernel.views import Field, View
from longfat.sim.plugin.parameters import NO_COLUMNS, Columns

__all__ = ["INITIAL", "TABLE", "documentation"]


def _of(row: str, record: np.dtype) -> dict[str, Field]:
    """Return the fields of a record that plug-ins see; `row` is the name of the view's pointer to the record."""
    shown: Any = record.metadata["shown"]  # type: ignore[index]
    return {
        one["name"] or field: Field(row, field, one["unit"], one["about"], one["settable"], one["scale"])
        for field, one in shown.items()
    }


#: Fields of a flow, for schemes.
FLOW_FIELDS = _of("sender", records.SENDER) | _of("timer", records.TIMER) | _of("recovery", records.RECOVERY)
#: Fields of the receiver of a flow, for `receive` and `reply` of schemes.
RECEIVER_FIELDS = {
    **_of("receiver", records.RECEIVING), **_of("state", records.STATE), **_of("delayed_ack", records.DELAYED_ACK)
}  # fmt: skip
#: Fields of a link and of a queue of a link, for disciplines and services.
LINK_FIELDS, QUEUE_FIELDS = _of("link", records.LINK), _of("queue", records.QUEUE)
#: Field of a flow -> array that contains it, for the fields that a scheme's `Parameter` may initialise by its argument
#: `field`.
INITIAL = {
    "window": "senders", "rate": "senders", "timestamps": "senders", "ect": "senders", "rto": "timers",
    "min_rto": "timers", "max_rto": "timers", "granularity": "timers", "tick": "timers", "pool": "recoveries",
    "arrival_times": "recoveries", "reorder": "recoveries", "skips": "recoveries", "rack": "recoveries",
    "delayed_ack": "delayed_acks", "ack_delay": "delayed_acks",
    "quick_acks": "delayed_acks",
}  # fmt: skip

#: View, named like the callbacks' argument -> fields of the view. Packets are for disciplines and services, and for a
#: scheme's `send`.
TABLE: Mapping[str, Mapping[str, Field]] = {
    "flow": FLOW_FIELDS,
    "event": _of("event", records.EVENT),
    "receiver": RECEIVER_FIELDS,
    "link": LINK_FIELDS,
    "packet": _of("packet", records.PACKET) | _of("extra", records.EXTRA),
    "queue": QUEUE_FIELDS,
}


def view(kind: str, own: Columns = NO_COLUMNS, without: Collection[str] = ()) -> View:
    """Return a view of this kind with the plug-in's record `own`, without the state variables in `without`.

    These are the state variables of the other end of a flow, which callbacks do not see.
    """
    return View(kind, {**ARGUMENTS[kind], **own.rows()}, {**TABLE.get(kind, {}), **own.fields(without=without)})


flow_view, receiver_view, queue_view = (functools.partial(view, kind) for kind in ("flow", "receiver", "queue"))
EVENT_VIEW, PACKET_VIEW = (View(kind, ARGUMENTS[kind], TABLE[kind]) for kind in ("event", "packet"))


def link_view(
    own: Columns = NO_COLUMNS,
    of_flow: Columns = NO_COLUMNS,
    service: Columns = NO_COLUMNS,
    queue: Columns = NO_COLUMNS,
    settable: tuple[str, ...] | None = (),
) -> View:
    """Return the view of a link that a discipline or its service gets.

    Parameters
    ----------
    own, of_flow : Columns
        Records of the discipline: for a link and for a flow.
    service, queue : Columns
        Records of the service, for a link and for a queue.
    settable : tuple of str or None
        States of queues that the discipline may set; None for the view of the service, which may set all states.
    """
    queues = queue_view(queue)
    if settable is not None:
        read_only = {**queues.fields, **queue.fields(settable=False)}
        queues = View("queue", queues.rows, read_only | {name: queues.fields[name] for name in settable})
    fields = {**LINK_FIELDS, **service.fields("service", settable=settable is None), **own.fields()}
    related = {"flow_state": view("flow_state", of_flow), "queue": queues, "packet": PACKET_VIEW}
    return View("link", {**ARGUMENTS["link"], **own.rows(), **service.rows("service")}, fields, related)


def documentation() -> str:
    """Return Markdown tables of the fields of all views: name, unit, whether plug-ins may set it, meaning.

    >>> print(documentation().splitlines()[0])
    ### flow
    """
    lines: list[str] = []
    for kind, fields in TABLE.items():
        lines += [f"### {kind}", "", "| field | unit | may be set | meaning |", "|---|---|---|---|"]
        for name, one in fields.items():
            lines.append(f"| `{name}` | {one.unit} | {'yes' if one.settable else 'no'} | {one.about} |")
        lines.append("")
    return "\n".join(lines)
