"""The arrays of one run: they are kept here, and grow when the kernel asks for more room."""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.sim import records
from longfat.sim.records import NEVER, NONE

#: What a flow counts, and a template sums up over its connections.
COUNTERS = (
    "sent", "retransmitted", "received", "received_bytes", "duplicate", "dropped", "delay",
    "acks_sent", "acks_received", "acks_dropped", "losses", "timeouts", "marks",
)  # fmt: skip


class World:
    """The arrays of a run by the names of `records.ARRAYS`, and their addresses in the one row of `table`."""

    def __init__(self, **arrays: np.ndarray) -> None:
        for name, dtype in records.ARRAYS.items():
            setattr(self, name, arrays.get(name, rows(int(name == "event"), dtype)))
        self.table = rows(1, records.WORLD)
        self.arrivals = rows(2 * len(self.links) + 8, records.ENTRY)
        self.timers = rows(4 * len(self.flows) + len(self.links) + 64, records.ENTRY)
        self.connections = rows(256, records.CONNECTION)

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
        self.links["packets_base"] = row.packets_base
        return int(self.table.ctypes.data)

    def schedule(self, kind: int, index: int, time: int) -> None:
        """Put an event among the timers before the run begins."""
        from longfat.sim.kernel.events import INDEX_BITS, KIND_BITS

        row, heap = self.row, self.timers
        row.serial += 1
        key = (int(row.serial) << (KIND_BITS + INDEX_BITS)) | (kind << INDEX_BITS) | index
        place = int(row.timers)
        while place > 0 and heap[(place - 1) // 2].item() > (time, key):
            heap[place] = heap[(place - 1) // 2]
            place = (place - 1) // 2
        heap[place] = time, key
        row.timers += 1

    def grow(self, kind: int) -> None:
        """Twice the room of the kind that was short."""
        if kind in (records.NO_TIMERS, records.NO_CONNECTIONS):
            name = {records.NO_TIMERS: "timers", records.NO_CONNECTIONS: "connections"}[kind]
            setattr(self, name, _longer(getattr(self, name), 2 * len(getattr(self, name))))
            return
        name = {records.NO_PACKETS: "packet", records.NO_BLOCKS: "block", records.NO_NODES: "node"}[kind]
        array = getattr(self, f"{name}s")
        old, length = len(array), max(256, 2 * len(array))
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
            self.headers, self.sacks = _longer(self.headers, length), _longer(self.sacks, length)

    def add_connections(self, template: int, count: int) -> None:
        """More rows for the connections of a template, on the same route."""
        old = len(self.flows)
        self.flows = _longer(self.flows, old + count)
        t = self.flows[template]
        for f in range(old, old + count):
            self.flows[f] = t
            row = self.flows[f]
            for counter in COUNTERS:
                setattr(row, counter, 0)
            row.traffic, row.template, row.finish = records.TRANSFER, template, 0
            row.due[:] = row.armed[:] = NEVER
            row.next_row = NONE
            if t.last_row == NONE:
                t.first_row = f
            else:
                self.flows[t.last_row].next_row = f
            t.last_row = f
        self.timers = _longer(self.timers, len(self.timers) + 4 * count)


def rows(length: int, dtype: np.dtype) -> np.ndarray:
    """Rows of zeros that begin at a cache line."""
    memory = np.zeros(length * dtype.itemsize + 64, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first : first + length * dtype.itemsize].view(dtype)


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    grown = rows(length, array.dtype)
    grown[: len(array)] = array
    return grown
