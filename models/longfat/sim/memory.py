"""Rows of the run's arrays by their addresses: what lets one pointer stand for the whole run in compiled code.

Passing some twenty arrays to every function of the kernel costs more than what the functions do, and makes
numba's compilation several times longer. So the one row of `WORLD` holds where each array begins, and
``flow_at(world, f)`` is a row of it: a pointer, no copy. The arrays are kept by the `Simulation`, which writes
their addresses before it calls the kernel. With jit off the same functions look into the same memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

from longfat.sim import records
from longfat.sim.jit import COMPILED, part


class Row(types.Record):
    """numba's record with a short name: its own lists every field, and stands in every compiled symbol."""

    def __init__(self, dtype: np.dtype, name: str) -> None:
        plain = numba.from_dtype(dtype)
        fields = [(each, {"type": info.type, "offset": info.offset}) for each, info in plain.fields.items()]
        super().__init__(fields, plain.size, plain.aligned)
        self.name = f"longfat.{name}"

    @property
    def key(self) -> Any:
        """What makes two of them the same: the layout, and the name."""
        return self.name, self.size, tuple((name, info.offset, str(info.type)) for name, info in self.fields.items())


register_model(Row)(models.RecordModel)

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


def _reader(dtype: np.dtype, row: Row | None = None, name: str = "") -> Callable[[Any, Any], Any]:
    """A function of (address, index) that gives the row."""
    kind = row or Row(dtype, name)
    if not COMPILED:
        size = dtype.itemsize

        def look(address: int, index: int) -> Any:
            memory = (ctypes.c_char * size).from_address(int(address) + int(index) * size)
            return np.frombuffer(memory, dtype)[0]

        return look

    @intrinsic
    def at(typingctx, address, index):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            place, count = arguments
            offset = builder.mul(count, context.get_constant(types.int64, kind.size))
            return builder.inttoptr(builder.add(place, offset), context.get_value_type(kind))

        return kind(types.int64, types.int64), generate

    return at


_flow = _reader(records.FLOW, FLOW)
_link = _reader(records.LINK, LINK)
_packet = _reader(records.PACKET, PACKET)
_event = _reader(records.EVENT, EVENT)
_header = _reader(records.HEADER, HEADER)
_hop = _reader(records.HOP, name="hop")
_queue = _reader(records.QUEUE, name="queue")
_block = _reader(records.BLOCK, name="block")
_node = _reader(records.NODE, name="node")
_sack = _reader(records.SACKS, name="sacks")
_turn = _reader(records.TURN, name="turn")
_connection = _reader(records.CONNECTION, name="connection")
_flow_sample = _reader(records.FLOW_SAMPLE, name="flow_sample")
_link_sample = _reader(records.LINK_SAMPLE, name="link_sample")
_world = _reader(records.WORLD, name="world")
entry_at = _reader(records.ENTRY, name="entry")
word_at = _reader(records.WORD, name="word")


@part
def world_at(address):
    """The run whose row begins at this address."""
    return _world(address, 0)


@part
def flow_at(world, f):
    """A flow."""
    return _flow(world.flows_base, f)


@part
def link_at(world, k):
    """A link."""
    return _link(world.links_base, k)


@part
def packet_at(world, i):
    """A packet."""
    return _packet(world.packets_base, i)


@part
def header_at(world, i):
    """The header fields of packet i."""
    return _header(world.headers_base, i)


@part
def sack_at(world, i):
    """What acknowledgment i reports beyond the first hole."""
    return _sack(world.sacks_base, i)


@part
def hop_at(world, h):
    """A hop of a route."""
    return _hop(world.hops_base, h)


@part
def queue_at(world, q):
    """A flow's own queue."""
    return _queue(world.queues_base, q)


@part
def turn_at(world, k):
    """A place in the list of active queues."""
    return _turn(world.active_base, k)


@part
def block_at(world, b):
    """A run of packets beyond a hole."""
    return _block(world.blocks_base, b)


@part
def node_at(world, n):
    """A transmission."""
    return _node(world.nodes_base, n)


@part
def connection_at(world, c):
    """A connection that ended."""
    return _connection(world.connections_base, c)


@part
def flow_sample_at(world, row):
    """A row of the flows' trace."""
    return _flow_sample(world.flow_samples_base, row)


@part
def link_sample_at(world, row):
    """A row of the links' trace."""
    return _link_sample(world.link_samples_base, row)


@part
def event_of(world):
    """What callbacks are told."""
    return _event(world.event_base, 0)


@part
def behind(link, packet):
    """The waiting packet behind this one, for disciplines that push out; only if ``packet.next`` is not NONE."""
    return _packet(link.packets_base, packet.next)


@part
def first_waiting(link):
    """The first waiting packet of a link that decides at departure; only if any waits."""
    return _packet(link.packets_base, link.queue_head)
