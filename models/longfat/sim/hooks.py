"""Callbacks of schemes and hooks of disciplines: their signatures, and how the kernel finds one by its address.

numba takes functions as arguments too, but looks each of them up in Python whenever the kernel is called: with eight
schemes and twelve disciplines that took 19 ms, more than what most calls do. So a run has two arrays of addresses, a
row of callbacks for each scheme, of hooks for each discipline, as many as the network has.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic

from longfat.sim import memory
from longfat.sim.jit import COMPILED

CALLBACK = types.FunctionType(numba.float64(memory.FLOW, memory.EVENT))
HOOK = types.FunctionType(numba.int64(memory.LINK, memory.PACKET, memory.HEADER, numba.float64, numba.types.npy_rng))
TICK = types.FunctionType(numba.float64(memory.LINK, numba.float64))
#: How plug-ins are compiled: the same calls, over rows of which only some fields may be set.
GUARDED_CALLBACK = types.FunctionType(numba.float64(memory.GUARDED_FLOW, memory.GUARDED_EVENT))
LABELLING_CALLBACK = types.FunctionType(numba.float64(memory.LABELLED_FLOW, memory.GUARDED_EVENT))
_GUARDED_HOOK = types.FunctionType(
    numba.int64(memory.GUARDED_LINK, memory.GUARDED_PACKET, memory.GUARDED_HEADER, numba.float64, numba.types.npy_rng)
)
_GUARDED_TICK = types.FunctionType(numba.float64(memory.GUARDED_LINK, numba.float64))

CALLBACKS = ("start", "ack", "loss", "timeout", "alarm")  # in the order of the numbers in `records`
HOOKS = {"arrive": _GUARDED_HOOK, "depart": _GUARDED_HOOK, "tick": _GUARDED_TICK}
ARRIVE, DEPART, ON_TICK = range(len(HOOKS))


def _finder(base: str, kind: types.FunctionType, stride: int) -> Any:
    """A function of (world, scheme or discipline, number): the callback whose address stands there."""
    if not COMPILED:

        def look(world: Any, row: int, number: int) -> Any:
            place = int(getattr(world, base)) + 8 * (stride * int(row) + int(number))
            return ctypes.py_object.from_address(place).value

        return look

    @intrinsic
    def at(typingctx, world, row, number):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            word, pointer = context.get_value_type(types.int64), context.get_value_type(types.voidptr)
            field = builder.add(builder.ptrtoint(arguments[0], word), word(world.offset(base)))
            table = builder.load(builder.inttoptr(field, word.as_pointer().as_pointer()))
            one = context.cast(builder, arguments[1], row, types.int64)
            which = context.cast(builder, arguments[2], number, types.int64)
            code = builder.load(builder.gep(table, [builder.add(builder.mul(one, word(stride)), which)]))
            found = cgutils.create_struct_proxy(kind)(context, builder)
            found.c_addr = found.py_addr = cgutils.get_null_value(pointer)
            found.jit_addr = builder.inttoptr(code, pointer)
            return found._getvalue()

        return kind(world, row, number), generate

    return at


#: Of (world, scheme, number of the callback).
callback_at = _finder("callbacks_base", CALLBACK, len(CALLBACKS))
#: Of (world, discipline, ARRIVE or DEPART), and of (world, discipline, ON_TICK).
hook_at = _finder("hooks_base", HOOK, len(HOOKS))
tick_at = _finder("hooks_base", TICK, len(HOOKS))
