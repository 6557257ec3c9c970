"""Rows of the run's arrays by their addresses: what lets one pointer stand for the whole run in compiled code.

Passing some twenty arrays to every function of the kernel costs more than what the functions do, and makes
numba's compilation several times longer. So the one row of `WORLD` holds where each array begins, and
``flow_at(world, f)`` is a row of it: a pointer, no copy. The arrays are kept by the `Simulation`, which writes
their addresses before it calls the kernel. With jit off the same functions look into the same memory.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numba
import numpy as np
from numba.core import errors, types
from numba.core.datamodel import models
from numba.core.imputils import lower_setattr_generic
from numba.extending import intrinsic, register_model
from numba.np.arrayobj import record_setattr

from longfat.sim import records
from longfat.sim.jit import COMPILED, part
from longfat.sim.settable import LABELS, SETTABLE, refusal


class Row(types.Record):
    """numba's record with a short name: its own lists every field, and stands in every compiled symbol."""

    def __init__(self, dtype: np.dtype, name: str) -> None:
        plain = numba.from_dtype(dtype)
        fields: Any = [(each, {"type": info.type, "offset": info.offset}) for each, info in plain.fields.items()]
        super().__init__(fields, plain.size, plain.aligned)
        self.name = f"longfat.{name}"

    @property
    def key(self) -> Any:
        """What makes two of them the same: the name and the layout; asked for often, so made once."""
        known = self.__dict__.get("_key")
        if known is None:
            layout = "; ".join(f"{each} {info.type} {info.offset}" for each, info in self.fields.items())
            known = self.__dict__["_key"] = (self.name, self.size, layout)
        return known

    def __repr__(self) -> str:
        return self.name


register_model(Row)(models.RecordModel)


class ReadOnly(types.NestedArray):
    """An array inside a row whose elements a plug-in may read, but not set."""

    def __init__(self, array: types.NestedArray, what: str) -> None:
        self.what = what
        super().__init__(array.dtype, array.shape)
        self.name = what
        self.mutable = False

    @property
    def key(self) -> Any:
        """Tell it from the array that may be set."""
        return self.what, self.dtype, self.shape


register_model(ReadOnly)(models.NestedArrayModel)


class Guarded(Row):
    """A row as callbacks of schemes and disciplines see it: only the fields in `settable` may be set.

    Compilation refuses an assignment to any other field, whatever name the callback has for the row, so that no
    plug-in can make the kernel read memory that is not its own. The memory is the same as that of the plain row.
    """

    def __init__(self, dtype: np.dtype, name: str, settable: tuple[str, ...], variant: str = "") -> None:
        super().__init__(dtype, f"guarded.{name}{variant}")
        self.row_name, self.settable = name, settable
        for each, info in self.fields.items():
            if isinstance(info.type, types.NestedArray) and each not in settable:
                self.fields[each] = info._replace(type=ReadOnly(info.type, f"{name}.{each}"))

    def guard(self, row: Any) -> Guard:
        """Return a stand-in for a row that refuses the same with jit off."""
        return Guard(row, self)


register_model(Guarded)(models.RecordModel)


@lower_setattr_generic(Guarded)
def _set_guarded(context: Any, builder: Any, sig: Any, args: Any, attr: str) -> Any:
    kind = sig.args[0]
    if attr not in kind.settable:
        raise errors.NumbaTypeError(refusal(kind.row_name, attr, kind.settable))
    return record_setattr(context, builder, sig, args, attr)


class Guard:
    """What `Guarded` is with jit off."""

    __slots__ = ("_kind", "_row")

    def __init__(self, row: Any, kind: Guarded) -> None:
        object.__setattr__(self, "_row", row)
        object.__setattr__(self, "_kind", kind)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._row, name)
        if isinstance(value, np.ndarray) and name not in self._kind.settable:
            value = value.view()
            value.flags.writeable = False
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._kind.settable:
            raise AttributeError(refusal(self._kind.row_name, name, self._kind.settable))
        setattr(self._row, name, value)


FLOW, LINK, PACKET, EVENT = (
    Row(dtype, name)
    for dtype, name in (
        (records.FLOW, "flow"),
        (records.LINK, "link"),
        (records.PACKET, "packet"),
        (records.EVENT, "event"),
    )
)
HEADER = Row(records.HEADER, "header")

GUARDED_FLOW, GUARDED_EVENT, GUARDED_LINK, GUARDED_PACKET, GUARDED_HEADER = (
    Guarded(dtype, name, SETTABLE[name])
    for dtype, name in (
        (records.FLOW, "flow"),
        (records.EVENT, "event"),
        (records.LINK, "link"),
        (records.PACKET, "packet"),
        (records.HEADER, "header"),
    )
)
LABELLED_FLOW = Guarded(records.FLOW, "flow", SETTABLE["flow"] + LABELS, "+labels")


def _reader(dtype: np.dtype, row: Row | None = None, name: str = "", base: str = "") -> Any:
    """A function of (address, index) that gives the row; with `base`, of (record that holds the address, index)."""
    kind = row or Row(dtype, name)

    @functools.cache
    def guarded() -> Guarded:
        plain = kind.name.removeprefix("longfat.")
        return Guarded(dtype, plain, SETTABLE.get(plain, ()))

    if not COMPILED:
        size = dtype.itemsize

        def look(place: Any, index: int) -> Any:
            address = getattr(place, base) if base else place
            memory: Any = (ctypes.c_char * size).from_address(int(address) + int(index) * size)
            row = np.frombuffer(memory, dtype)[0]
            return guarded().guard(row) if isinstance(place, Guard) else row

        return look

    @intrinsic
    def at(typingctx, place, index):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            address, count = arguments
            word = context.get_value_type(types.int64)
            if base:
                field = builder.ptrtoint(address, word)
                field = builder.add(field, context.get_constant(types.int64, place.offset(base)))
                address = builder.load(builder.inttoptr(field, word.as_pointer()))
            count = context.cast(builder, count, index, types.int64)
            offset = builder.mul(count, context.get_constant(types.int64, kind.size))
            return builder.inttoptr(builder.add(address, offset), context.get_value_type(kind))

        return (guarded() if isinstance(place, Guarded) else kind)(place, index), generate

    return at


#: Of (world, number): a flow, a link, ...
flow_at = _reader(records.FLOW, FLOW, base="flows_base")
link_at = _reader(records.LINK, LINK, base="links_base")
packet_at = _reader(records.PACKET, PACKET, base="packets_base")
header_at = _reader(records.HEADER, HEADER, base="headers_base")
note_of = _reader(records.NOTE, name="note", base="notes_base")
sack_at = _reader(records.SACKS, name="sacks", base="sacks_base")
hop_at = _reader(records.HOP, name="hop", base="hops_base")
queue_at = _reader(records.QUEUE, name="queue", base="queues_base")
turn_at = _reader(records.TURN, name="turn", base="active_base")
block_at = _reader(records.BLOCK, name="block", base="blocks_base")
node_at = _reader(records.NODE, name="node", base="nodes_base")
connection_at = _reader(records.CONNECTION, name="connection", base="connections_base")
flow_sample_at = _reader(records.FLOW_SAMPLE, name="flow_sample", base="flow_samples_base")
link_sample_at = _reader(records.LINK_SAMPLE, name="link_sample", base="link_samples_base")
since_at = _reader(records.WORD, name="since", base="since_base")
_event = _reader(records.EVENT, EVENT, base="event_base")
_world = _reader(records.WORLD, name="world")
#: Of (address, number): an entry of a heap, a word of memory.
entry_at = _reader(records.ENTRY, name="entry")
word_at = _reader(records.WORD, name="word")


@part
def world_at(address):
    """The run whose row begins at this address."""
    return _world(address, 0)


@part
def event_of(world):
    """What callbacks are told."""
    return _event(world, 0)


@part
def behind(link, packet):
    """The waiting packet behind this one, for disciplines that push out; only if ``packet.next`` is not NONE."""
    return packet_at(link, packet.next)


@part
def note_at(link, flow):
    """What a discipline with ``notes=True`` keeps of a flow."""
    return note_of(link, flow * link.notes_stride + link.notes_place)


@part
def first_waiting(link):
    """The first waiting packet of a link that decides at departure; only if any waits."""
    return packet_at(link, link.queue_head)
