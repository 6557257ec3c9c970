"""Access to the rows of a run's arrays by their addresses, so that one pointer represents the run in compiled code.

Passing some twenty arrays to every function of the kernel would cost more than the functions do, and make compilation
several times longer. So the one row of `records.STATE` holds the address of each array. The arrays are attributes of
this row: ``state.senders[f]`` is a pointer to the row of flow f, not a copy. The `Simulation` keeps the arrays and
writes their addresses before it calls the kernel. With jit off the same expressions read the same memory.
"""

from __future__ import annotations

import ctypes
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import intrinsic, lower_builtin, lower_getattr, register_model

from longfat.sim.kernel import records
from longfat.sim.kernel.jit import COMPILED, inline
from longfat.sim.kernel.records import (
    CACHE_LINE,
    DATA,
    ECT,
    ECT1,
    GREEN,
    L4S_ECT,
    NO_PACKETS,
    NONE,
    NOT_ECT,
    ROWS_PER_EVENT,
)
from longfat.sim.kernel.views import Row


def _opaque(builder: Any, word: Any) -> Any:
    """Return a word unchanged, and hide from LLVM how it was computed.

    Otherwise LLVM adds base and offset again at each field of a row, and keeps two registers for one address.
    """
    same = builder.asm(ir.FunctionType(word.type, [word.type]), "", "=r,0", [word], False)
    same.attributes.add("nounwind")
    same.attributes.add("readnone")
    return same


def _row(context: Any, builder: Any, kind: Row, arguments: Any, index: types.Integer) -> Any:
    """Return, in generated code, a pointer to a row; `arguments` are the address of an array and an index."""
    address, count = arguments
    count = context.cast(builder, count, index, types.int64)
    offset = builder.mul(count, context.get_constant(types.int64, kind.size))
    return builder.inttoptr(_opaque(builder, builder.add(address, offset)), context.get_value_type(kind))


def _reader(kind: Row) -> Any:
    """Return a function of (address, index) that returns a row of the array at the address."""
    if not COMPILED:
        return lambda address, index: PlainRows(kind, address)[index]

    @intrinsic
    def at(typingctx, address, index):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return _row(context, builder, kind, arguments, index)

        return kind(address, index), generate

    return at


#: Each function takes an address and an index, and returns an entry of the heap at this address, or a word of memory as
#: integer or float.
entry_at = _reader(Row(records.ENTRY, "entry"))
word_at = _reader(Row(records.WORD, "word"))
float_at = _reader(Row(records.FLOAT, "float"))

# --- State of a run --------------------------------------------------------------------------------------------------


class Rows(types.Type):
    """Type of an array of the run, whose items are pointers to rows; its value is the address of the array."""

    def __init__(self, kind: Row, base: str) -> None:
        self.kind, self.base = kind, base
        super().__init__(f"{kind.name} rows")


@register_model(Rows)
class _RowsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, rows: Rows) -> None:
        super().__init__(manager, rows, ir.IntType(64))


#: Types of the rows of each array.
ROWS = {name: Row(dtype, name) for name, dtype in records.ARRAYS.items()}
#: Attribute of the state -> array and the state's field with its address. The three kinds of list nodes share an array.
TABLES = {
    **{name: Rows(kind, f"{name}_base") for name, kind in ROWS.items() if name not in (records.STATE.names or ())},
    "finished_connections": Rows(ROWS["connections"], "connections_base"),
    "transmissions": Rows(ROWS["nodes"], "nodes_base"),
    "blocks": Rows(Row(records.BLOCK, "block"), "nodes_base"),
    "stamps": Rows(Row(records.STAMP, "stamp"), "nodes_base"),
}


class State(Row):
    """Type of the row of a run's state, which has the run's arrays as attributes."""


register_model(State)(models.RecordModel)


@infer_getattr
class _Arrays(AttributeTemplate):  # type: ignore[misc]
    key = State

    def generic_resolve(self, state: State, name: str) -> Rows | None:
        return TABLES.get(name)


@infer_global(operator.getitem)
class _Item(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, keywords: Any) -> Any:
        rows, index = arguments
        return signature(rows.kind, rows, index) if isinstance(rows, Rows) else None


@lower_builtin(operator.getitem, Rows, types.Integer)  # type: ignore[untyped-decorator]
def _item(context: Any, builder: Any, found: Any, arguments: Any) -> Any:
    return _row(context, builder, found.return_type, arguments, found.args[1])


class PlainRows:
    """Array of the run without compilation."""

    def __init__(self, kind: Row, address: int) -> None:
        self.kind, self.address = kind, int(address)

    def __getitem__(self, index: int) -> Any:
        return self.kind.at(self.address + int(index) * self.kind.size)


class PlainState(np.record):  # type: ignore[misc]
    """Row of a run's state without compilation."""


def _add_array(name: str, rows: Rows) -> None:
    """Add an attribute to the state of a run, for compiled code and for plain Python."""

    @lower_getattr(State, name)  # type: ignore[untyped-decorator]
    def load(context: Any, builder: Any, state: State, pointer: Any) -> Any:
        word = ir.IntType(64)
        field = builder.add(builder.ptrtoint(pointer, word), word(state.offset(rows.base)))
        address = builder.load(builder.inttoptr(field, word.as_pointer()))
        # Compiled code never changes the address of an array. This metadata lets LLVM load the address only once.
        address.set_metadata("invariant.load", builder.module.add_metadata([]))
        return address

    def look(state: PlainState) -> PlainRows:
        return PlainRows(rows.kind, state[rows.base])

    setattr(PlainState, name, property(look))


for _name, _rows in TABLES.items():
    _add_array(_name, _rows)

STATE = State(np.dtype((PlainState, records.STATE)), "state")
_state = _reader(STATE)


@inline
def state_at(address):
    """Return the state row of a run, given the row's address."""
    return _state(address, 0)


def _records_of(array: str) -> Any:
    """Return a function of (state, number) that returns the address of a record of a plug-in in an array of words."""
    base, words = f"{array}_base", f"{array}_words"

    @inline
    def address(state, number):  # type: ignore[no-untyped-def]
        return state[base] + 8 * state[words] * number

    return address


#: Each function returns the address of a plug-in's record: `flow_own` by flow; `link_own`, `service_own` and
#: `responder_own` by link; `queue_own`, the state of the service, by queue.
flow_own = _records_of("flow_own")
link_own = _records_of("link_own")
service_own = _records_of("service_own")
responder_own = _records_of("responder_own")
queue_own = _records_of("queue_own")


@inline
def workspace(state, link):
    """Return the address of the workspace of a link's service."""
    return state.workspace_base + 8 * link.workspace


@inline
def flow_state_at(state, link, f):
    """Return the address of the record with the state that a link's discipline keeps for flow f."""
    return state.flow_state_base + 8 * (state.flow_state_words * f + link.flow_state)


def _address() -> Any:
    """Return a function that returns the address of a row."""
    if not COMPILED:
        return lambda row: int(row.__array_interface__["data"][0])

    @intrinsic
    def found(typingctx, row):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return builder.ptrtoint(arguments[0], context.get_value_type(types.int64))

        return types.int64(row), generate

    return found


address_of = _address()


def _prefetch() -> Any:
    """Return a function of (row, number of a cache line) that prefetches this line of the row.

    Prefetching affects speed but no result, and the row need not exist.
    """
    if not COMPILED:
        return lambda row, line: None

    @intrinsic
    def fetch(typingctx, row, line):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
            code = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
            offset = builder.mul(arguments[1], arguments[1].type(CACHE_LINE))
            place = builder.gep(builder.bitcast(arguments[0], pointer), [offset])
            builder.call(code, [place, word(1), word(3), word(1)])  # prefetch for writing, into all cache levels
            return context.get_dummy_value()

        return types.none(row, types.int64), generate

    return fetch


prefetch = _prefetch()


def _uniform(generator: str, following: str) -> Any:
    """Return a function of (state) that draws the next number in [0, 1) from a random stream of the run.

    The function calls the code that the generator itself uses. numba also accepts a generator as an argument, but then
    every caller up to the event loop would need this argument.
    """
    if not COMPILED:

        def draw(state: Any) -> float:
            return ctypes.cast(int(getattr(state, generator)), ctypes.py_object).value.random()  # type: ignore[no-any-return]

        return draw

    @intrinsic
    def drawn(typingctx, state):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            word = context.get_value_type(types.int64)
            row = builder.ptrtoint(arguments[0], word)

            def field(name: str) -> Any:
                place = builder.add(row, context.get_constant(types.int64, state.offset(name)))
                return builder.load(builder.inttoptr(place, word.as_pointer()))

            pointer = ir.IntType(8).as_pointer()
            code = builder.inttoptr(field(following), ir.FunctionType(ir.DoubleType(), [pointer]).as_pointer())
            return builder.call(code, [builder.inttoptr(field(generator), pointer)])

        return types.float64(state), generate

    return drawn


#: Each function takes the state and draws a random number in [0, 1): `uniform` from the stream of the network,
#: `traffic_uniform` from the stream of the traffic.
uniform = _uniform("random_state", "random_next")
traffic_uniform = _uniform("traffic_state", "traffic_next")


def stream(generator: np.random.Generator) -> tuple[int, int]:
    """Return two addresses of a random generator: its state, and the function that draws its next number.

    Both are valid while the generator exists. Without compilation return the generator's id, and 0.
    """
    if not COMPILED:
        return id(generator), 0
    interface = generator.bit_generator.ctypes
    return int(interface.state_address), int(ctypes.cast(interface.next_double, ctypes.c_void_p).value or 0)


@inline
def prefetch_flow(state, f):
    """Prefetch the rows of flow f that are read when an acknowledgment is processed."""
    sender = state.senders[f]
    prefetch(sender, 0)
    prefetch(sender, 1)
    prefetch(sender, 2)
    prefetch(state.receivers[f], 0)
    prefetch(word_at(flow_own(state, f), 0), 0)


@inline
def is_full(link, size):
    """Return whether the buffer of a link has no space for another packet of `size` bytes.

    `link` is a row of `links` or a plug-in's view of a link.
    """
    return link.backlog >= link.limit_packets or link.backlog_bytes + size > link.limit_bytes


@inline
def unlink(state, q, i):
    """Remove packet i from the linked list of queue q."""
    queue, before, behind = state.queues[q], state.extras[i].previous, state.packets[i].next
    if before == NONE:
        queue.head = behind
    else:
        state.packets[before].next = behind
    if behind == NONE:
        queue.tail = before
    else:
        state.extras[behind].previous = before
    queue.packets -= 1
    queue.bytes -= state.packets[i].length


# --- Packet rows -----------------------------------------------------------------------------------------------------
#
# Allocation of packet rows, and the codepoint for ECN of data packets.


@inline
def allocate_packet(state):
    """Take the packet row that was released last, which is in the cache, and return its number."""
    i = state.free_packet
    state.free_packet = state.packets[i].next
    state.free_packets -= 1
    if state.free_packets < ROWS_PER_EVENT:
        state.shortage = NO_PACKETS
        state.attention = 1
    return i


@inline
def new_packet(state, f, kind, length, hop):
    """Create a green packet of flow f that departs now with priority 0 and without flags; return its row number."""
    i = allocate_packet(state)
    packet = state.packets[i]
    packet.flow = f
    packet.kind = kind
    packet.length = length
    packet.hop = hop
    packet.sent = state.now
    packet.flag_bits = 0
    packet.colour = GREEN
    packet.priority = 0
    return i


@inline
def new_data(state, f, sender, number):
    """Create data packet `number` as the flow's next transmission; return its row number."""
    i = new_packet(state, f, DATA, sender.packet_size, sender.first_hop)
    packet = state.packets[i]
    packet.number = number
    packet.transmission = sender.transmission
    if sender.ect != NOT_ECT:
        packet.flag_bits = ECT | ECT1 if sender.ect == L4S_ECT else ECT
    sender.transmission += 1
    return i


@inline
def release_packet(state, i):
    """Put the row of packet i back into the pool."""
    state.packets[i].next = state.free_packet
    state.free_packet = i
    state.free_packets += 1
