"""The arrays of one run: they are kept here, and grow when the kernel asks for more room."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from longfat.sim import records
from longfat.sim.kernel.events import INDEX_BITS, INDICES, LAST_SERIAL, SERIAL_SHIFT
from longfat.sim.records import NEVER, NONE

SERIALS = 2**62 - 1  # the bits of a key that say which event it is; those above say what comes first
LEAST_ROWS = 256  # of a pool
MOST_ROWS = 2**25  # of a pool; 100 Gbit/s x 100 ms are 2e7 packets of 64 bytes

#: What a flow counts, and a template sums up over its connections.
COUNTERS = (
    "sent", "retransmitted", "received", "received_bytes", "duplicate", "dropped", "delay",
    "acks_sent", "acks_received", "acks_dropped", "losses", "timeouts", "marks",
)  # fmt: skip


class World:
    """The arrays of a run by the names of `records.ARRAYS`, and their addresses in the one row of `table`."""

    arrivals: np.ndarray
    timers: np.ndarray
    packets: np.ndarray
    headers: np.ndarray
    sacks: np.ndarray
    since: np.ndarray
    links: np.ndarray
    hops: np.ndarray
    queues: np.ndarray
    active: np.ndarray
    flows: np.ndarray
    blocks: np.ndarray
    nodes: np.ndarray
    connections: np.ndarray
    event: np.ndarray
    flow_samples: np.ndarray
    link_samples: np.ndarray
    callbacks: np.ndarray
    hooks: np.ndarray
    flow_own: np.ndarray
    link_own: np.ndarray
    service_own: np.ndarray
    queue_own: np.ndarray
    flow_state: np.ndarray

    def __init__(self, **arrays: np.ndarray) -> None:
        for name, dtype in records.ARRAYS.items():
            setattr(self, name, arrays.get(name, rows(int(name == "event"), dtype)))
        self.table = rows(1, records.WORLD)
        self.arrivals = rows(2 * len(self.links) + 8, records.ENTRY)
        self.timers = rows(4 * len(self.flows) + len(self.links) + 64, records.ENTRY)
        self.connections = rows(LEAST_ROWS, records.CONNECTION)
        self.initial_flow_state = rows(0, records.WORD)  # what disciplines know of a flow that begins

    def copy(self) -> World:
        """Arrays of its own with the same in them."""
        other = copy.copy(self)
        for name in (*records.ARRAYS, "table"):
            array = getattr(self, name)
            setattr(other, name, _longer(array, len(array)))
        return other

    @property
    def row(self) -> Any:
        """The scalars of the run."""
        return self.table[0]

    def address(self) -> int:
        """Where `table` is, after the addresses in it have been brought up to date."""
        row = self.row
        for name in records.ARRAYS:
            setattr(row, f"{name}_base", getattr(self, name).ctypes.data)
        row.timers_room, row.connections_room = len(self.timers), len(self.connections)
        return int(self.table.ctypes.data)

    def schedule(self, kind: int, index: int, time: int) -> None:
        """Put an event among the timers before the run begins."""
        row, heap = self.row, self.timers
        row.serial += 1
        key = (int(row.serial) << SERIAL_SHIFT) | (kind << INDEX_BITS) | index
        place = int(row.timers)
        while place > 0 and heap[(place - 1) // 2].item() > (time, key):
            heap[place] = heap[(place - 1) // 2]
            place = (place - 1) // 2
        heap[place] = time, key
        row.timers += 1

    def renumber(self) -> None:
        """Count the events from 1 again, in the order they are in, long before their numbers run out."""
        row = self.row
        if row.serial < LAST_SERIAL:
            return
        keys = np.concatenate((self.arrivals["key"][: row.arrivals], self.timers["key"][: row.timers]))
        serials = np.unique((keys & SERIALS) >> SERIAL_SHIFT)
        for heap, count in ((self.arrivals, row.arrivals), (self.timers, row.timers)):
            key = heap["key"][:count]
            old = (key & SERIALS) >> SERIAL_SHIFT
            key -= (old - (np.searchsorted(serials, old) + 1)) << SERIAL_SHIFT
        row.serial = len(serials)

    def grow(self, kind: int) -> None:
        """Twice the room of the kind that was short."""
        if kind in (records.NO_TIMERS, records.NO_CONNECTIONS):
            name = {records.NO_TIMERS: "timers", records.NO_CONNECTIONS: "connections"}[kind]
            setattr(self, name, _longer(getattr(self, name), 2 * len(getattr(self, name))))
            return
        name = {records.NO_PACKETS: "packet", records.NO_BLOCKS: "block", records.NO_NODES: "node"}[kind]
        array = getattr(self, f"{name}s")
        old, length = len(array), max(LEAST_ROWS, 2 * len(array))
        if length > MOST_ROWS:
            raise MemoryError(f"more than {old} {name}s")
        grown = _longer(array, length)
        # The new rows come first when a row is taken, the lowest before the others.
        grown["next"][old:] = np.arange(old + 1, length + 1)
        grown["next"][-1] = self.row[f"free_{name}"]
        self.row[f"free_{name}"] = old
        self.row[f"free_{name}s"] += length - old
        setattr(self, f"{name}s", grown)
        if name == "packet":
            if old == 0:
                self.row.last_free_packet = length - 1
            for each in ("headers", "sacks", "since"):
                setattr(self, each, _longer(getattr(self, each), length))

    def add_connections(self, template: int, count: int) -> None:
        """More rows for the connections of a template, on the same route."""
        old = len(self.flows)
        if old + count > INDICES:
            raise MemoryError(f"more than {old} flows and connections at once")
        self.flows = _longer(self.flows, old + count)
        t = self.flows[template]
        for f in range(old, old + count):
            self.flows[f] = t
            row = self.flows[f]
            for counter in COUNTERS:
                setattr(row, counter, 0)
            row.traffic, row.template, row.finish = records.TRANSFER, template, 0
            row.due[:] = row.armed[:] = NEVER
            row.next_row = t.first_row  # before those that ended, of which packets may still be on their way
            t.first_row = f
            if t.last_row == NONE:
                t.last_row = f
        self.timers = _longer(self.timers, len(self.timers) + 4 * count)
        words = int(self.row.flow_own_words)
        self.flow_own = np.concatenate((self.flow_own, np.tile(self.flow_own[words * template :][:words], count)))
        self.flow_state = np.concatenate((self.flow_state, np.tile(self.initial_flow_state, count)))


def rows(length: int, dtype: np.dtype) -> np.ndarray:
    """Rows of zeros that begin at a cache line."""
    memory = np.zeros(length * dtype.itemsize + 64, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first : first + length * dtype.itemsize].view(dtype)


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    grown = rows(length, array.dtype)
    grown[: len(array)] = array
    return grown
