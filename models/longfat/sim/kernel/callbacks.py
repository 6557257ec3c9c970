"""Signatures of the callbacks of schemes, disciplines and services, and functions that find a callback's address.

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

from longfat.sim.kernel.jit import COMPILED
from longfat.sim.kernel.memory import ROWS, STATE
from longfat.sim.kernel.views import OWN

#: Argument of callbacks -> pointers to rows of which it consists, by name, and their types; those of the records of
#: plug-ins (`OWN`, "service") depend on the plug-in, and the kernel passes their addresses.
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
    """Return the numba type of the result, and what is given for each argument, of a signature in the tables above.

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
