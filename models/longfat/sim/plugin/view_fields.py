"""Fields that plug-ins read and may set, in SI units, and the views that contain them.

Schemes, disciplines and services get views of the simulator's rows. Times are seconds, sizes bytes, rates bytes/s, all
as floats; the core counts integer nanoseconds. A field that is not listed here does not exist for a plug-in. Setting a
read-only field is refused when the plug-in is compiled: the core uses row numbers without a check, and its packet
counts have to balance. The parameters and the state of a plug-in are further fields.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from typing import Any

from longfat.sim.kernel.callbacks import ARGUMENTS
from longfat.sim.kernel.records import EVENT_TABLE
from longfat.sim.kernel.views import NANOSECONDS as NS
from longfat.sim.kernel.views import Field, View
from longfat.sim.plugin.parameters import NO_COLUMNS, Columns

__all__ = ["INITIAL", "TABLE", "documentation"]


def _of(row: str, *fields: tuple[Any, ...]) -> dict[str, Field]:
    """Return a table of fields from tuples (name, unit, about, settable, field of the row, scale), see `Field`."""
    made = {}
    for name, unit, about, *rest in fields:
        settable, field, scale = rest + [False, "", 0.0][len(rest) :]
        made[name] = Field(row, field or name, unit, about, settable, scale)
    return made


SET = True
#: Fields of a flow, for schemes.
FLOW_FIELDS = {
    **_of(
        "sender",
        ("window", "packets", "congestion window, which the callbacks of window schemes return", SET),
        ("rate", "bytes/s", "pacing rate, infinite without pacing; the callbacks of rate schemes return it", SET),
        ("inflation", "packets", "addition to the window in fast recovery (RFC 5681, section 3.2)", SET),
        ("allowance", "packets", "packets that may still be sent in response to this event", SET),
        ("last_sent", "s", "departure of the last packet, for pacing", SET, "last_paced_ns", NS),
        ("una", "packets", "first packet not acknowledged (SND.UNA)"),
        ("next", "packets", "next packet to send (SND.NXT)", SET),
        ("high", "packets", "one more than the highest packet sent"),
        ("packets", "packets", "size of the file; with an application, the data that it has written so far"),
        ("packet_size", "bytes", "size of a data packet, headers included"),
        ("transmission", "packets", "transmissions so far: the number of the next one"),
        ("acks_received", "packets", "acknowledgments received"),
        ("resend", "packets",
         "packet to retransmit at once, whatever the window; `NO_DATA`: a packet without data", SET),
        ("ect", "1", "codepoint of packets (RFC 9331, section 4.1): 0 Not-ECT, 1 ECT(0), 2 ECT(1)", SET),
        ("cwr", "1", "1: the next new packet carries CWR (RFC 3168, section 6.1.2)", SET),
        ("request", "1", "1: send a request for the counters of the links", SET),
    ),
    **_of(
        "timer",
        ("srtt", "s", "smoothed round-trip time (RFC 6298)", SET),
        ("rttvar", "s", "variation of the round-trip time (RFC 6298)"),
        ("rto", "s", "retransmission timeout without backoff (RFC 6298)"),
        ("backoff", "1", "factor of the timeout after timeouts (RFC 6298, rule 5.5)", SET),
        ("max_backoff", "1", "largest backoff"),
    ),
    **_of(
        "recovery",
        ("pool", "packets",
         "tokens: packets that may leave at once after a pause in which the pacing rate was not used", SET),
        ("in_flight", "packets", "outstanding transmissions; only with selective recovery"),
        ("delivered", "packets",
         "packets reported as delivered so far, cumulatively or selectively; only with selective recovery"),
        ("lost", "packets", "transmissions found lost so far; only with selective recovery"),
        ("recover", "packets",
         "`loss` is called for losses of transmissions from this number on (once per window); selective recovery", SET),
        ("app_limited_until", "packets",
         "delivery-rate samples are application-limited until more than this is delivered; 0: none is", SET),
        ("reorder", "packets", "number of later transmissions acknowledged before a packet counts as lost"),
        ("alarm", "s", "time of the next call of `alarm`; infinite: never", SET),
        ("app_limited", "1", "1: the application had nothing more to send when window and rate allowed it"),
        ("arrival_times", "1", "1: acknowledgments carry the arrival time of the packet in header field 0"),
        ("header", "", "header fields: four numbers that packets carry to the switches and back", SET),
    ),
}  # fmt: skip

#: Fields of the receiver of a flow, for `receive` and `reply` of schemes.
RECEIVER_FIELDS = {
    **_of(
        "receiver",
        ("next", "packets", "next packet expected, which acknowledgments carry (RCV.NXT)", SET, "expect"),
        ("received", "packets", "packets arrived so far, including this one and packets without data"),
    ),
    **_of("state", ("now", "s", "simulated time", False, "now", NS)),
    **_of("delayed_ack", ("alarm", "s", "time of the next call of `reply`; infinite: none", SET, "due_ns", NS)),
}  # fmt: skip

#: Fields of an event, for schemes.
EVENT_FIELDS = _of("event", *((name, *about) for name, _, *about in EVENT_TABLE))

#: Fields of a link, for disciplines and services.
LINK_FIELDS = _of(
    "link",
    ("rate", "bytes/s", "transmission rate; infinite: no transmission time", False, "bytes_per_second"),
    ("delay", "s", "propagation delay", False, "delay", NS),
    ("backlog", "packets", "waiting packets, the one in transmission not counted", False, "backlog"),
    ("backlog_bytes", "bytes", "the backlog in bytes", False, "backlog_bytes"),
    ("largest_backlog", "packets", "largest backlog so far", False, "largest_backlog"),
    ("limit_packets", "packets", "buffer: largest backlog; 2**62: unlimited"),
    ("limit_bytes", "bytes", "buffer: largest backlog in bytes; 2**62: unlimited"),
    ("free_at", "s", "time at which the transmitter has sent all accepted packets", False, "free", NS),
    ("busy_time", "s", "sum of transmission times so far", False, "busy", NS),
    ("backlog_area", "packets s", "integral of the backlog until `changed_at`; only with a service", False, "", NS),
    ("changed_at", "s", "time of the last change of the backlog; only with a service", False, "", NS),
    ("served", "packets", "transmissions begun"),
    ("served_bytes", "bytes", "bytes of the packets whose transmission has begun"),
    ("dropped", "packets", "packets dropped at this link"),
    ("marked", "packets", "packets marked at this link; `mark` counts them", SET),
    ("hold_until", "s", "earliest transmission of the current packet; only without a service", SET, "hold_until", NS),
    ("feedback", "", "four numbers for the sender of the current packet", SET),
    ("send_feedback", "1", "1: send `feedback`", SET),
    ("transmitting", "1", "number of the packet in transmission, negative if there is none; only with a service"),
    ("queue_count", "1", "number of its queues; only with a service"),
)  # fmt: skip

#: Fields of a packet, for disciplines and services, and for a scheme's `send`.
PACKET_FIELDS = {
    **_of(
        "packet",
        ("flow", "1", "number of its flow"),
        ("number", "packets", "data: sequence number; acknowledgment: next packet expected"),
        ("transmission", "packets", "number of this transmission among all of the flow"),
        ("echo", "packets", "acknowledgment: the data packet that triggered it", False, "triggered_by"),
        ("size", "bytes", "size, headers included", False, "length"),
        ("sent", "s", "departure from the sender; in an acknowledgment, that of the data packet", False, "sent", NS),
        ("kind", "1", "DATA, ACK or FEEDBACK"),
        ("flags", "1", "bits ECT, CE, ECE, CWR, LAST, STAMPED, ECT1", SET, "flag_bits"),
        ("colour", "1", "GREEN, RED, or another value set by a discipline", SET),
        ("priority", "1", "0 is the highest", SET),
    ),
    "header": Field("extra", "header", "", "header fields: four numbers that its sender sets", SET),
    "enqueued_at": Field("extra", "queued_at", "s", "arrival at this link; for waiting packets", False, NS),
}  # fmt: skip

#: Fields of a queue of a link, for disciplines and services.
QUEUE_FIELDS = _of(
    "queue",
    ("packets", "packets", "waiting packets"),
    ("bytes", "bytes", "waiting bytes"),
    ("number", "1", "number by which `queue_numbered` finds the queue"),
    ("head", "1", "number of the first waiting packet, negative if there is none"),
    ("tail", "1", "number of the last waiting packet, negative if there is none"),
)  # fmt: skip

#: Field of a flow -> array that contains it, for the fields that a scheme's `Parameter` may initialise by its argument
#: `field`.
INITIAL = {
    "window": "senders", "rate": "senders", "timestamps": "senders", "ect": "senders", "rto": "timers",
    "min_rto": "timers", "max_rto": "timers", "granularity": "timers", "tick": "timers", "pool": "recoveries",
    "arrival_times": "recoveries", "reorder": "recoveries", "skips": "recoveries", "rack": "recoveries",
    "delayed_ack": "delayed_acks", "ack_delay": "delayed_acks",
    "quick_acks": "delayed_acks",
}  # fmt: skip

#: View, named like the callbacks' argument -> fields of the view.
TABLE: Mapping[str, Mapping[str, Field]] = {
    "flow": FLOW_FIELDS,
    "event": EVENT_FIELDS,
    "receiver": RECEIVER_FIELDS,
    "link": LINK_FIELDS,
    "packet": PACKET_FIELDS,
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
