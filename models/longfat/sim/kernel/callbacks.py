"""Callbacks of schemes, disciplines and services: their signatures, and how the kernel calls them.

numba also accepts functions as arguments, but looks each of them up in Python whenever the kernel is called: with eight
schemes and twelve disciplines this took 19 ms, longer than most calls. So a run has arrays of addresses, with a row of
callbacks for each scheme and a row of functions for each discipline and service.

The kernel passes pointers to rows as separate arguments; the function receives them as views (`views`), which consist
of the same pointers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic

from longfat.sim.kernel.jit import COMPILED, inline, routine
from longfat.sim.kernel.memory import ROWS, STATE, flow_own, link_own, queue_own, responder_own, service_own
from longfat.sim.kernel.records import NONE, ON_SEND
from longfat.sim.kernel.views import OWN

#: For each argument of callbacks, names and types of the values that the kernel passes: pointers to rows, or numbers.
#: The type of a plug-in's record (`OWN`, "service") depends on the plug-in; the kernel passes the record's address.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "flow": {
        "state": STATE, "sender": ROWS["senders"], "timer": ROWS["timers"], "recovery": ROWS["recoveries"],
        OWN: numba.int64,
    },
    "event": {"event": ROWS["event"]},
    "receiver": {
        "state": STATE, "receiver": ROWS["receivers"], "delayed_ack": ROWS["delayed_acks"], OWN: numba.int64
    },
    "link": {"state": STATE, "link": ROWS["links"], OWN: numba.int64, "service": numba.int64},
    "packet": {"packet": ROWS["packets"], "extra": ROWS["extras"]},
    "queue": {"queue": ROWS["queues"], OWN: numba.int64},
    "flow_state": {OWN: numba.int64},
    "now": {"now": numba.float64},
}  # fmt: skip

#: Arguments and results of the callbacks of schemes (CALLBACKS), disciplines (HOOKS) and services (VERBS). The position
#: of a callback in its table is its number; `records` has names for the numbers of CALLBACKS.
CALLBACKS = {
    **dict.fromkeys(("start", "ack", "loss", "timeout", "alarm"), "(flow, event) -> float"),
    "send": "(flow, packet) -> int",
    **dict.fromkeys(("receive", "reply"), "(receiver, packet) -> int"),
}
HOOKS = {
    **dict.fromkeys(("enqueue", "dequeue", "feedback"), "(link, packet, now) -> int"),
    "tick": "(link, now) -> float",
}
ENQUEUE, DEQUEUE, ON_FEEDBACK, ON_TICK = range(len(HOOKS))
VERBS = {
    "enqueue": "(link, packet, now) -> int",
    "dequeue": "(link, now) -> int",
    "evict": "(link, packet, now) -> int",
    "wake": "(link, queue, now) -> int",
}
PUT, TAKE, EVICT, WAKE_UP = range(len(VERBS))
#: Names of the callbacks of a link: the callbacks of its discipline, then, from index `OF_SERVICES` on, those of its
#: service.
OF_LINKS = (*HOOKS, *VERBS)
OF_SERVICES = len(HOOKS)


def arguments(signature: str, given: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """Return the numba type of a signature's result, and the list of the values in `given` for its arguments.

    >>> arguments("(link, now) -> int", {"link": 1, "now": 2})
    (int64, [1, 2])
    """
    names, _, result = signature.strip("(").partition(") -> ")
    return {"int": numba.int64, "float": numba.float64}[result], [given[name] for name in names.split(", ")]


def _finder(base: str, table: Mapping[str, str], name: str) -> Any:
    """Return a function of (state, row of a plug-in, callback number) that finds a callback in the array `base`.

    The callback has the signature that callback `name` has in `table`.
    """
    result, passed = arguments(table[name], ARGUMENTS)
    kind = types.FunctionType(result(*(row for rows in passed for row in rows.values())))
    stride = len(table)
    if not COMPILED:

        def look(state: Any, row: int, number: int) -> Any:
            place = int(getattr(state, base)) + 8 * (stride * int(row) + int(number))
            return ctypes.py_object.from_address(place).value

        return look

    @intrinsic
    def at(typingctx, state, row, number):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            word, pointer = context.get_value_type(types.int64), context.get_value_type(types.voidptr)
            field = builder.add(builder.ptrtoint(arguments[0], word), word(state.offset(base)))
            table = builder.load(builder.inttoptr(field, word.as_pointer().as_pointer()))
            one = context.cast(builder, arguments[1], row, types.int64)
            which = context.cast(builder, arguments[2], number, types.int64)
            code = builder.load(builder.gep(table, [builder.add(builder.mul(one, word(stride)), which)]))
            found = cgutils.create_struct_proxy(kind)(context, builder)
            found.c_addr = found.py_addr = cgutils.get_null_value(pointer)
            found.jit_addr = builder.inttoptr(code, pointer)
            return found._getvalue()

        return kind(state, row, number), generate

    return at


#: Each function takes the state, the row of a scheme and a callback number, and returns the callback: `send_at` returns
#: `send`, `receive_at` returns `receive` or `reply`, and `callback_at` returns the others.
callback_at = _finder("callbacks_base", CALLBACKS, "ack")
send_at = _finder("callbacks_base", CALLBACKS, "send")
receive_at = _finder("callbacks_base", CALLBACKS, "receive")
#: Each function takes the state, the row of a discipline and a callback number, and returns the callback: `tick_at`
#: returns `tick`, and `hook_at` the others.
hook_at = _finder("hooks_base", HOOKS, "enqueue")
tick_at = _finder("hooks_base", HOOKS, "tick")
#: Each function takes the state, the row of a service and a callback number, and returns the callback: `dequeue_at`
#: returns `dequeue`, `wake_at` returns `wake`, and `verb_at` the others.
verb_at = _finder("verbs_base", VERBS, "enqueue")
dequeue_at = _finder("verbs_base", VERBS, "dequeue")
wake_at = _finder("verbs_base", VERBS, "wake")

# --- Calls -----------------------------------------------------------------------------------------------------------
#
# Calls of the callbacks of links, and of `send`, `receive` and `reply` of schemes. The state has the numbers of the
# link or flow and of the callback, for error messages.


@routine
def show_rate(state, link):
    """Set the rate that plug-ins see to its present value, on a link whose rate changes."""
    while link.shown_rate_until <= state.now:
        link.bytes_per_second = state.rate_changes[link.next_shown_rate].bytes_per_second
        link.next_shown_rate += 1
        link.shown_rate_until = state.rate_changes[link.next_shown_rate].time


@inline
def prepare_call(state, link, hook):
    """Store the numbers of a link and of its callback, and set the rate that plug-ins see to its present value."""
    state.link = link.number
    state.hook = hook
    if link.shown_rate_until <= state.now:
        show_rate(state, link)


@inline
def call(state, link, function, own, i, time):
    """Call a function of a link's plug-in, whose record is at `own`, for packet i at `time` [ns]; return its result."""
    of_service = service_own(state, link.number)
    return int(function(state, link, own, of_service, state.packets[i], state.extras[i], time * 1e-9))


@inline
def call_discipline(state, link, hook, i):
    """Call a callback of a link's discipline for packet i, and return its result."""
    prepare_call(state, link, hook)
    return call(state, link, hook_at(state, link.discipline, hook), link_own(state, link.number), i, state.now)


@inline
def call_service(state, link, verb, i):
    """Call a callback of a link's service for packet i, and return its result."""
    prepare_call(state, link, OF_SERVICES + verb)
    return call(state, link, verb_at(state, link.service, verb), link_own(state, link.number), i, state.now)


@routine
def call_responder(state, link, hook, i, time):
    """Call a callback of the run's responder, if there is one, for packet i at `time` [ns].

    The responder is a plug-in that answers requests, in addition to the disciplines of the links. It is called for
    requests, and for every packet on links with `shows_all`. Its `enqueue` is called before a request is admitted,
    `dequeue` with the time at which the transmission begins. Its `feedback` is called for the last link only, when the
    request has reached the receiver.
    """
    if state.responder != NONE:
        call(state, link, hook_at(state, state.responder, hook), responder_own(state, link.number), i, time)


@inline
def call_tick(state, link):
    """Call `tick` of a link's discipline, and return the time [s] of its next call."""
    prepare_call(state, link, ON_TICK)
    k = link.number
    tick = tick_at(state, link.discipline, ON_TICK)
    return tick(state, link, link_own(state, k), service_own(state, k), state.now * 1e-9)


@inline
def call_take(state, link):
    """Call `dequeue` of a link's service, and return the number of the packet that it has taken out of its queue."""
    prepare_call(state, link, OF_SERVICES + TAKE)
    k = link.number
    return int(
        dequeue_at(state, link.service, TAKE)(state, link, link_own(state, k), service_own(state, k), state.now * 1e-9)
    )


@inline
def call_wake(state, link, q):
    """Call `wake` of a link's service for queue q."""
    prepare_call(state, link, OF_SERVICES + WAKE_UP)
    k = link.number
    wake = wake_at(state, link.service, WAKE_UP)
    own, of_service = link_own(state, k), service_own(state, k)
    wake(state, link, own, of_service, state.queues[q], queue_own(state, q), state.now * 1e-9)


@routine
def call_send(state, f, i):
    """Call `send` of a flow's scheme for packet i, which is about to leave."""
    state.flow = f
    state.callback = ON_SEND
    sender, timer, own = state.senders[f], state.timers[f], state.recoveries[f]
    send = send_at(state, sender.scheme, ON_SEND)
    send(state, sender, timer, own, flow_own(state, f), state.packets[i], state.extras[i])
    state.callback = NONE


@routine
def call_receiver(state, f, i, callback):
    """Call `receive` or `reply` of a flow's scheme with packet i; return the callback's result."""
    state.flow = f
    state.callback = callback
    receiver, delayed = state.receivers[f], state.delayed_acks[f]
    receive = receive_at(state, state.senders[f].scheme, callback)
    result = receive(state, receiver, delayed, flow_own(state, f), state.packets[i], state.extras[i])
    state.callback = NONE
    return result
