"""Signatures of the callbacks of schemes, disciplines and services, and functions that find a callback's address.

numba also accepts functions as arguments, but looks each of them up in Python whenever the kernel is called: with eight
schemes and twelve disciplines this took 19 ms, longer than most calls. So a run has arrays of addresses, with a row of
callbacks for each scheme and a row of functions for each discipline and service.

The kernel passes pointers to rows as separate arguments; the function receives them as views (`views`), which consist
of the same pointers.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic

from longfat.sim.kernel.jit import COMPILED
from longfat.sim.kernel.memory import ROWS, STATE

_LINK, _QUEUE, _EVENT = ROWS["links"], ROWS["queues"], ROWS["event"]
_own = numba.int64  # address of the plug-in's record
_PACKET = (ROWS["packets"], ROWS["extras"])
_FLOW = (STATE, ROWS["senders"], ROWS["timers"], ROWS["recoveries"], _own)
_CALLBACK = types.FunctionType(numba.float64(*_FLOW, _EVENT))
_SEND = types.FunctionType(numba.int64(*_FLOW, *_PACKET))
_RECEIVE = types.FunctionType(numba.int64(STATE, ROWS["receivers"], ROWS["delayed_acks"], _own, *_PACKET))
_HOOK = types.FunctionType(numba.int64(STATE, _LINK, _own, _own, *_PACKET, numba.float64))
_TAKE = types.FunctionType(numba.int64(STATE, _LINK, _own, _own, numba.float64))
_WAKE = types.FunctionType(numba.int64(STATE, _LINK, _own, _own, _QUEUE, _own, numba.float64))
_TICK = types.FunctionType(numba.float64(STATE, _LINK, _own, _own, numba.float64))

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


def _finder(base: str, kind: types.FunctionType, stride: int) -> Any:
    """Return a function of (state, row of a plug-in, callback number) that finds the callback in the table `base`."""
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
callback_at = _finder("callbacks_base", _CALLBACK, len(CALLBACKS))
send_at = _finder("callbacks_base", _SEND, len(CALLBACKS))
receive_at = _finder("callbacks_base", _RECEIVE, len(CALLBACKS))
#: Each function takes the state, the row of a discipline and a callback number, and returns the callback: `tick_at`
#: returns `tick`, and `hook_at` the others.
hook_at = _finder("hooks_base", _HOOK, len(HOOKS))
tick_at = _finder("hooks_base", _TICK, len(HOOKS))
#: Each function takes the state, the row of a service and a callback number, and returns the callback: `dequeue_at`
#: returns `dequeue`, `wake_at` returns `wake`, and `verb_at` the others.
verb_at = _finder("verbs_base", _HOOK, len(VERBS))
dequeue_at = _finder("verbs_base", _TAKE, len(VERBS))
wake_at = _finder("verbs_base", _WAKE, len(VERBS))
