"""Access to the rows of a run's arrays by their addresses, so that one pointer represents the run in compiled code.

Passing some twenty arrays to every function of the kernel would cost more than the functions do, and make compilation
several times longer. So the one row of `records.STATE` holds the address of each array, and ``sender_at(state, f)`` is
a pointer to a row, not a copy. The `Simulation` keeps the arrays and writes their addresses before it calls the kernel.
With jit off the same functions read the same memory.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from longfat.sim.kernel import records
from longfat.sim.kernel.jit import COMPILED, inline
from longfat.sim.kernel.records import CACHE_LINE, ECT, ECT1, GREEN, L4S_ECT, NO_PACKETS, NONE, NOT_ECT, ROWS_PER_EVENT
from longfat.sim.kernel.views import Row


def _opaque(builder: Any, word: Any) -> Any:
    """Return a word unchanged, and hide from LLVM how it was computed.

    Otherwise LLVM adds base and offset again at each field of a row, and keeps two registers for one address.
    """
    same = builder.asm(ir.FunctionType(word.type, [word.type]), "", "=r,0", [word], False)
    same.attributes.add("nounwind")
    same.attributes.add("readnone")
    return same


def _reader(kind: Row, base: str = "") -> Any:
    """Return a function of (address, index) that returns a row of the array at the address.

    With `base`, the function takes a record instead of the address, and reads the address from the record's field
    `base`.
    """
    if not COMPILED:
        size = kind.layout.itemsize

        def look(place: Any, index: int) -> Any:
            return kind.at(int(getattr(place, base) if base else place) + int(index) * size)

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
                # Compiled code never changes the address of an array. This metadata lets LLVM load the address only
                # once.
                address.set_metadata("invariant.load", builder.module.add_metadata([]))
            count = context.cast(builder, count, index, types.int64)
            offset = builder.mul(count, context.get_constant(types.int64, kind.size))
            address = _opaque(builder, builder.add(address, offset))
            return builder.inttoptr(address, context.get_value_type(kind))

        return kind(place, index), generate

    return at


#: Types of the rows of each array.
ROWS = {name: Row(dtype, name) for name, dtype in records.ARRAYS.items()}
STATE = Row(records.STATE, "state")


def _rows_of(array: str) -> Any:
    """Return a function of (state, index) that returns a row of an array of the run."""
    return _reader(ROWS[array], f"{array}_base")


#: Each function takes the state and the number of a flow, and returns the flow's row in one array.
sender_at = _rows_of("senders")
timer_at = _rows_of("timers")
receiver_at = _rows_of("receivers")
recovery_at = _rows_of("recoveries")
tally_at = _rows_of("tallies")
access_link_at = _rows_of("access_links")
delayed_ack_at = _rows_of("delayed_acks")
source_at = _rows_of("sources")
traced_at = _rows_of("traced")
#: Each function takes the state and a row number, and returns this row of one array that is not indexed by flows.
link_at = _rows_of("links")
packet_at = _rows_of("packets")
extra_at = _rows_of("extras")
backlog_entry_at = _rows_of("backlog_entries")
rate_change_at = _rows_of("rate_changes")
hop_at = _rows_of("hops")
queue_at = _rows_of("queues")
transmission_at = _rows_of("nodes")
block_at = _reader(Row(records.BLOCK, "block"), "nodes_base")
stamp_at = _reader(Row(records.STAMP, "stamp"), "nodes_base")
snapshot_at = _rows_of("snapshots")
connection_at = _rows_of("connections")
flow_sample_at = _rows_of("flow_samples")
link_sample_at = _rows_of("link_samples")
trace_at = _rows_of("trace")
left_at = _rows_of("left")
census_at = _rows_of("census")
_event = _rows_of("event")
_state = _reader(STATE)
#: Each function takes an address and an index, and returns an entry of the heap at this address, or a word of memory as
#: integer or float.
entry_at = _reader(Row(records.ENTRY, "entry"))
word_at = _reader(Row(records.WORD, "word"))
float_at = _reader(Row(records.FLOAT, "float"))


@inline
def state_at(address):
    """Return the state row of a run, given the row's address."""
    return _state(address, 0)


@inline
def event_of(state):
    """Return the run's event row, which is passed to callbacks of schemes."""
    return _event(state, 0)


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
    """Return a function that prefetches the cache line at an address, which affects speed but no result."""
    if not COMPILED:
        return lambda address: None

    @intrinsic
    def fetch(typingctx, address):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
            code = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
            place = builder.inttoptr(arguments[0], pointer)
            builder.call(code, [place, word(1), word(3), word(1)])  # prefetch for writing, into all cache levels
            return context.get_dummy_value()

        return types.none(types.int64), generate

    return fetch


prefetch = _prefetch()

PACKET_SIZE, TRANSMISSION_SIZE, SENDER_SIZE, RECEIVER_SIZE = (
    one.itemsize for one in (records.PACKET, records.TRANSMISSION, records.SENDER, records.RECEIVING)
)


@inline
def prefetch_packet(state, i):
    """Prefetch the row of packet i, which will be read soon."""
    prefetch(state.packets_base + PACKET_SIZE * i)


@inline
def prefetch_transmission(state, n):
    """Prefetch the row of list node n, which will be read soon."""
    prefetch(state.nodes_base + TRANSMISSION_SIZE * n)


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
    sender = state.senders_base + SENDER_SIZE * f
    prefetch(sender)
    prefetch(sender + CACHE_LINE)
    prefetch(sender + 2 * CACHE_LINE)
    prefetch(state.receivers_base + RECEIVER_SIZE * f)
    prefetch(flow_own(state, f))


@inline
def is_full(link, size):
    """Return whether the buffer of a link has no space for another packet of `size` bytes.

    `link` is a row of `links` or a plug-in's view of a link.
    """
    return link.backlog >= link.limit_packets or link.backlog_bytes + size > link.limit_bytes


@inline
def unlink(state, q, i):
    """Remove packet i from the linked list of queue q."""
    queue, before, behind = queue_at(state, q), extra_at(state, i).previous, packet_at(state, i).next
    if before == NONE:
        queue.head = behind
    else:
        packet_at(state, before).next = behind
    if behind == NONE:
        queue.tail = before
    else:
        extra_at(state, behind).previous = before
    queue.packets -= 1
    queue.bytes -= packet_at(state, i).length


# --- Packet rows -----------------------------------------------------------------------------------------------------
#
# Allocation of packet rows, and flags for the ECN codepoint of packets.


@inline
def allocate_packet(state):
    """Take the packet row that was released last, which is in the cache, and return its number."""
    i = state.free_packet
    state.free_packet = packet_at(state, i).next
    state.free_packets -= 1
    if state.free_packets < ROWS_PER_EVENT:
        state.shortage = NO_PACKETS
        state.attention = 1
    return i


@inline
def new_packet(state, f, kind, length, hop):
    """Create a green packet of flow f that departs now with priority 0 and without flags; return its row number."""
    i = allocate_packet(state)
    packet = packet_at(state, i)
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
def release_packet(state, i):
    """Put the row of packet i back into the pool."""
    packet_at(state, i).next = state.free_packet
    state.free_packet = i
    state.free_packets += 1


@inline
def ecn_field(sender):
    """Return the flags that encode the ECN codepoint of a sender's data packets."""
    if sender.ect == NOT_ECT:
        return 0
    return ECT | ECT1 if sender.ect == L4S_ECT else ECT
