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
VERBS = {
    "enqueue": "(link, packet, now) -> int",
    "dequeue": "(link, now) -> int",
    "evict": "(link, packet, now) -> int",
    "wake": "(link, queue, now) -> int",
}
#: Names and numbers of the callbacks of a link: those of its discipline, then, from PUT on, those of its service.
OF_LINKS = (*HOOKS, *VERBS)
ENQUEUE, DEQUEUE, ON_FEEDBACK, ON_TICK, PUT, TAKE, EVICT, WAKE_UP = range(len(OF_LINKS))
CALLBACK_COUNT, HOOK_COUNT, VERB_COUNT = len(CALLBACKS), len(HOOKS), len(VERBS)


def arguments(signature: str, given: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """Return the numba type of a signature's result, and the list of the values in `given` for its arguments.

    >>> arguments("(link, now) -> int", {"link": 1, "now": 2})
    (int64, [1, 2])
    """
    names, _, result = signature.strip("(").partition(") -> ")
    return {"int": numba.int64, "float": numba.float64}[result], [given[name] for name in names.split(", ")]


def _function(signature: str) -> Any:
    """Return a function that turns the address of compiled code into a callback with this signature."""
    result, passed = arguments(signature, ARGUMENTS)
    kind = types.FunctionType(result(*(row for rows in passed for row in rows.values())))
    if not COMPILED:
        return lambda address: ctypes.cast(int(address), ctypes.py_object).value

    @intrinsic
    def at(typingctx, address):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer = context.get_value_type(types.voidptr)
            found = cgutils.create_struct_proxy(kind)(context, builder)
            found.c_addr = found.py_addr = cgutils.get_null_value(pointer)
            found.jit_addr = builder.inttoptr(arguments[0], pointer)
            return found._getvalue()

        return kind(address), generate

    return at


as_ack, as_send, as_receive = (_function(CALLBACKS[name]) for name in ("ack", "send", "receive"))
as_hook, as_tick = (_function(HOOKS[name]) for name in ("enqueue", "tick"))
as_take, as_wake = (_function(VERBS[name]) for name in ("dequeue", "wake"))

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
def prepare_call(state, link, callback):
    """Return the address of a link's callback, after updating the rate that plug-ins see.

    The numbers of the link and of the callback are stored in the state for the error message.
    """
    state.link = link.number
    state.hook = callback
    if link.shown_rate_until <= state.now:
        show_rate(state, link)
    if callback < PUT:
        return state.hooks[HOOK_COUNT * link.discipline + callback].x
    return state.verbs[VERB_COUNT * link.service + callback - PUT].x


@inline
def call(state, link, code, own, i, time):
    """Call the callback at the address `code` for packet i at `time` [ns], and return its result.

    `own` is the address of the plug-in's record.
    """
    of_service = service_own(state, link.number)
    return int(as_hook(code)(state, link, own, of_service, state.packets[i], state.extras[i], time * 1e-9))


@inline
def call_link(state, link, callback, i):
    """Call a callback of a link's discipline or service for packet i, and return its result."""
    return call(state, link, prepare_call(state, link, callback), link_own(state, link.number), i, state.now)


@routine
def call_responder(state, link, hook, i, time):
    """Call a callback of the run's responder, if there is one, for packet i at `time` [ns].

    The responder is a plug-in that answers requests, in addition to the disciplines of the links. It is called for
    requests, and for every packet on links with `shows_all`. Its `enqueue` is called before a request is admitted,
    `dequeue` with the time at which the transmission begins. Its `feedback` is called for the last link only, when the
    request has reached the receiver.
    """
    if state.responder != NONE:
        code = state.hooks[HOOK_COUNT * state.responder + hook].x
        call(state, link, code, responder_own(state, link.number), i, time)


@inline
def call_tick(state, link):
    """Call `tick` of a link's discipline, and return the time [s] of its next call."""
    tick, k = as_tick(prepare_call(state, link, ON_TICK)), link.number
    return tick(state, link, link_own(state, k), service_own(state, k), state.now * 1e-9)


@inline
def call_take(state, link):
    """Call `dequeue` of a link's service, and return the number of the packet that it has taken out of its queue."""
    take, k = as_take(prepare_call(state, link, TAKE)), link.number
    return int(take(state, link, link_own(state, k), service_own(state, k), state.now * 1e-9))


@inline
def call_wake(state, link, q):
    """Call `wake` of a link's service for queue q."""
    wake, k = as_wake(prepare_call(state, link, WAKE_UP)), link.number
    own, of_service = link_own(state, k), service_own(state, k)
    wake(state, link, own, of_service, state.queues[q], queue_own(state, q), state.now * 1e-9)


@inline
def prepare_scheme(state, f, sender, callback):
    """Return the address of a callback of a flow's scheme; store the numbers of both for the error message."""
    state.flow = f
    state.callback = callback
    return state.callbacks[CALLBACK_COUNT * sender.scheme + callback].x


@routine
def call_send(state, f, i):
    """Call `send` of a flow's scheme for packet i, which is about to leave."""
    sender, timer, own = state.senders[f], state.timers[f], state.recoveries[f]
    send = as_send(prepare_scheme(state, f, sender, ON_SEND))
    send(state, sender, timer, own, flow_own(state, f), state.packets[i], state.extras[i])
    state.callback = NONE


@routine
def call_receiver(state, f, i, callback):
    """Call `receive` or `reply` of a flow's scheme with packet i; return the callback's result."""
    receive = as_receive(prepare_scheme(state, f, state.senders[f], callback))
    receiver, delayed = state.receivers[f], state.delayed_acks[f]
    result = receive(state, receiver, delayed, flow_own(state, f), state.packets[i], state.extras[i])
    state.callback = NONE
    return result
