"""Arrays of one run, with the names and plug-ins of their rows; an array that is too small is enlarged."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.sim.kernel import records, source
from longfat.sim.kernel.events import INDICES, LAST_SERIAL, SERIAL_SHIFT
from longfat.sim.kernel.records import CACHE_LINE, NEVER, NONE

if TYPE_CHECKING:
    from longfat.sim.network.elements import Flow
    from longfat.sim.queues import Discipline
    from longfat.sim.schemes.scheme import Scheme
    from longfat.sim.services import Service

SERIALS = 2**62 - 1  # mask of a key's serial number, kind and index
LEAST_ROWS = 256  # smallest number of rows of a pool
LEAST_BACKLOG_ENTRIES = 64  # smallest number of entries of a circular buffer
MOST_ROWS = 2**25  # greatest number of rows of a pool: 100 Gbit/s times 100 ms is 2e7 packets of 64 bytes

#: Array -> its counters of a flow. The counters of a template, a flow that starts connections, include those of its
#: finished connections.
COUNTERS = {
    "senders": ("acks_received",),
    "receivers": ("received", "received_bytes", "delay", "last_arrival"),
    "tallies": source.COUNTERS,
}
#: Code of a shortage -> array: pools, which have lists of free rows, and arrays that are filled from the front.
POOLS = {records.NO_PACKETS: "packet", records.NO_NODES: "node"}
LISTS = {records.NO_CLOCKS: "clocks", records.NO_CONNECTIONS: "connections"}


def rows(length: int, dtype: np.dtype) -> np.ndarray:
    """Return rows with the initial values of their record type, in an array that begins at a cache line."""
    memory = np.zeros(length * dtype.itemsize + CACHE_LINE, np.uint8)
    return _initialised(np.ndarray(length, dtype, memory, -memory.ctypes.data % CACHE_LINE))


def _initialised(zeros: np.ndarray) -> np.ndarray:
    """Return an array of zeros after writing the initial values of its record type into each row."""
    initial = zeros.dtype.metadata["initial"]  # type: ignore[index]
    if initial is not None:  # copied as bytes, which is faster than NumPy's copy of each field
        np.ndarray(len(zeros), initial.dtype, zeros)[:] = initial
    return zeros


_NO_ROWS = {name: rows(0, dtype) for name, dtype in records.ARRAYS.items()}
#: Array -> position of its address among the addresses, which are adjacent in `records.STATE`.
_PLACES = {name: place for place, name in enumerate(records.ARRAYS)}
_ADDRESSES = slice(records.STATE.fields[f"{next(iter(_PLACES))}_base"][1] // 8, None)  # type: ignore[index]
#: Table of a run whose arrays are empty; every run begins with a copy of this table.
_EMPTY = rows(1, records.STATE)
_EMPTY.view(np.int64)[_ADDRESSES][: len(_NO_ROWS)] = [none.ctypes.data for none in _NO_ROWS.values()]


class RunState:
    """Arrays of a run, named as in `records.ARRAYS`, and their addresses in the single row of `table`."""

    clocks: np.ndarray
    extras: np.ndarray
    snapshots: np.ndarray
    flow_own: np.ndarray
    flow_state: np.ndarray
    schemes: list[Scheme]  # plug-ins; a row of a flow or link has the position of its plug-in in these lists
    disciplines: list[Discipline]
    services: list[Service]
    copies: list[Flow]  # flow of each row in the arrays of flows; rows of connections follow these rows
    flow_names: list[str]
    link_names: list[str]  # names of the first rows of links; rows of internal links follow these rows

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> np.ndarray: ...

    def __init__(self) -> None:
        self.__dict__.update(_NO_ROWS)
        self._allocate_table(_EMPTY)
        self.event = rows(1, records.EVENT)
        self.initial_flow_state = _NO_ROWS["flow_own"]  # initial state that disciplines keep for each flow

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; if it is an array of the run, write its address into the table."""
        self.__dict__[name] = value
        place = _PLACES.get(name)
        if place is not None:
            self._addresses[place] = value.ctypes.data

    def _allocate_table(self, table: np.ndarray) -> None:
        """Allocate the row of scalars and addresses as a copy of another row."""
        self.table = _longer(table, 1)
        self.row = self.table[0]  # scalars of the run
        self._addresses = self.table.view(np.int64)[_ADDRESSES]

    def allocate(self, lengths: dict[str, int]) -> None:
        """Allocate arrays as `rows` does, but in one block of memory, which is faster than separately."""
        sizes = [
            -(-length * records.ARRAYS[name].itemsize // CACHE_LINE) * CACHE_LINE for name, length in lengths.items()
        ]
        memory = np.zeros(sum(sizes) + CACHE_LINE, np.uint8)
        address = memory.ctypes.data
        offset = -address % CACHE_LINE
        for (name, length), size in zip(lengths.items(), sizes, strict=True):
            self.__dict__[name] = _initialised(np.ndarray(length, records.ARRAYS[name], memory, offset))
            self._addresses[_PLACES[name]] = address + offset
            offset += size

    def begin(self) -> None:
        """Allocate heaps and pools, once links and flows are laid out."""
        self.allocate(
            {
                "arrivals": 2 * len(self.links) + 8,
                "clocks": 4 * len(self.senders) + len(self.links) + 2 * len(self.queues) + 64,
                "connections": LEAST_ROWS,
                "census": len(self.links),
                **dict.fromkeys(("extras", *(f"{name}s" for name in POOLS.values())), LEAST_ROWS),
            }
        )
        for name in POOLS.values():
            self._extend_pool(name, 0)
        self.row["shortage"] = self.shortage()

    @property
    def sent(self) -> np.ndarray:
        """Data packets that each flow has sent so far, including those of finished connections."""
        found: np.ndarray = self.senders["transmission"] + self.tallies["sent"]
        return found

    @property
    def flows(self) -> np.ndarray:
        """Copy of every field of every flow in one table, for the inspection of a run."""
        parts = [getattr(self, name) for name in records.OF_FLOWS if len(getattr(self, name))]
        fields = {name: part[name] for part in reversed(parts) for name in part.dtype.names}
        made = np.zeros(len(self.senders), [(name, one.dtype, one.shape[1:]) for name, one in fields.items()])
        for name, values in fields.items():
            made[name] = values
        made["sent"] = self.sent
        return made.view(np.recarray)

    def copy(self) -> RunState:
        """Return a copy of the state that shares no array with it."""
        other = copy.copy(self)
        other._allocate_table(self.table)
        arrays = {name: getattr(self, name) for name in records.ARRAYS}
        arrays = {name: array for name, array in arrays.items() if len(array)}
        other.allocate({name: len(array) for name, array in arrays.items()})
        for name, array in arrays.items():
            getattr(other, name).view(np.uint8)[:] = array.view(np.uint8)  # faster than a copy of each field
        return other

    def address(self) -> int:
        """Return the address of `table`, after updating the sizes of arrays in it."""
        row = self.row  # row["name"] takes a tenth of the time of row.name
        row["packets_room"] = len(self.packets)
        row["clocks_room"], row["connections_room"] = self._room("clocks"), self._room("connections")
        return int(self.table.ctypes.data)

    def shortage(self) -> int:
        """Return the code of the first array with too few free rows for another event, DONE if there is none."""
        row = self.row
        for kind, name in POOLS.items():
            if row[f"free_{name}s"] < records.ROWS_PER_EVENT:
                return kind
        for kind, name in LISTS.items():
            if row[name] + records.ROWS_PER_EVENT > self._room(name):
                return kind
        return records.DONE

    def _room(self, name: str) -> int:
        """Return the number of entries of `clocks` or `connections` at which the kernel must request a larger array.

        `clocks` keeps an entry free for each queue: `dequeue` is called again after each drop, and may wake them all.
        """
        return len(getattr(self, name)) - (len(self.queues) if name == "clocks" else 0)

    def renumber(self) -> None:
        """Renumber the events from 1, in their order, before their serial numbers run out."""
        row = self.row
        if row["serial"] < LAST_SERIAL:
            return
        keys = np.concatenate((self.arrivals["key"][: row.arrivals], self.clocks["key"][: row.clocks]))
        serials = np.unique(np.append((keys & SERIALS) >> SERIAL_SHIFT, 0))  # 0 is that of delayed acknowledgments
        for heap, count in ((self.arrivals, row.arrivals), (self.clocks, row.clocks)):
            key = heap["key"][:count]
            old = (key & SERIALS) >> SERIAL_SHIFT
            key -= (old - np.searchsorted(serials, old)) << SERIAL_SHIFT
        row.serial = len(serials)

    def grow(self, kind: int) -> None:
        """Double the array of a code, such as `records.NO_PACKETS`, and each circular buffer that is full."""
        for k in np.flatnonzero(self.links["backlog"] > self.links["circular_mask"]):
            if self.links["service"][k] == NONE:
                self._grow_circular_buffer(self.links[k])
        if kind in LISTS:
            array = getattr(self, LISTS[kind])
            setattr(self, LISTS[kind], _longer(array, 2 * len(array)))
        elif kind in POOLS:
            self._grow_pool(POOLS[kind])
        self.row.shortage = self.shortage()

    def allocate_circular_buffers(self) -> None:
        """Allocate a circular buffer for the backlog of each link without service, at first a small one."""
        sizes = np.minimum(
            LEAST_BACKLOG_ENTRIES,
            2 ** np.ceil(np.log2(np.minimum(self.links["limit_packets"], LEAST_BACKLOG_ENTRIES) + 1)),
        )
        sizes = np.where(self.links["service"] == NONE, sizes, 1).astype(np.int64)
        self.links["circular_base"], self.links["circular_mask"] = np.cumsum(sizes) - sizes, sizes - 1
        self.backlog_entries = rows(int(sizes.sum()), records.BACKLOG_ENTRY)

    def _grow_circular_buffer(self, link: Any) -> None:
        """Double a link's circular buffer, which is full, and move it to the end of the array."""
        size, begin = int(link.circular_mask) + 1, int(link.circular_base)
        backlog = np.roll(self.backlog_entries[begin : begin + size], -(int(link.circular_head) % size))
        link.circular_base, link.circular_mask, link.circular_head = len(self.backlog_entries), 2 * size - 1, 0
        self.backlog_entries = _longer(self.backlog_entries, len(self.backlog_entries) + 2 * size)
        self.backlog_entries[link.circular_base : link.circular_base + size] = backlog

    def _grow_pool(self, name: str) -> None:
        """Double a pool of rows."""
        array = getattr(self, f"{name}s")
        old, length = len(array), max(LEAST_ROWS, 2 * len(array))
        if length > MOST_ROWS:
            raise MemoryError(f"the run needs more than {old} {name}s")
        setattr(self, f"{name}s", _longer(array, length))
        if name == "packet":
            self.extras = _longer(self.extras, length)
        self._extend_pool(name, old)

    def _extend_pool(self, name: str, old: int) -> None:
        """Put the new rows of a pool, from row `old` on, at the head of its list of free rows, in ascending order."""
        pool, row = getattr(self, f"{name}s"), self.row
        length = len(pool)
        # The new rows come first in the list, and the rows that were already free follow.
        pool["next"][old:] = np.arange(old + 1, length + 1)
        pool["next"][-1] = row[f"free_{name}"]
        row[f"free_{name}"] = old
        row[f"free_{name}s"] += length - old
        if name == "node" and self.recoveries["sampled"].any():
            self.snapshots = _longer(self.snapshots, length)

    def add_connections(self, template: int, count: int) -> None:
        """Add `count` rows for connections of a template, on the template's path."""
        old = len(self.senders)
        if old + count > INDICES:
            raise MemoryError(f"the run needs more than {old} flows and connections at the same time")
        for name in records.OF_FLOWS:
            array = getattr(self, name)
            if len(array):
                grown = _longer(array, old + count)
                grown[old:] = grown[template]
                for counter in COUNTERS.get(name, ()):
                    grown[counter][old:] = 0
                setattr(self, name, grown)
        new = slice(old, old + count)
        self.senders["due_ns"][new] = self.senders["armed_ns"][new] = NEVER
        self.senders["transmission"][new] = 0
        self.tallies["traffic"][new], self.tallies["template"][new] = records.TRANSFER, template
        self.tallies["finish"][new] = 0
        t = self.sources[template]
        # New rows are used first, from the last to the first; the rows of finished connections follow, because packets
        # of these may still be in the network.
        self.sources["next_row"][new] = [int(t.first_row), *range(old, old + count - 1)]
        if t.last_row == NONE:
            t.last_row = old
        t.first_row = old + count - 1
        self.clocks = _longer(self.clocks, len(self.clocks) + 4 * count)
        words = int(self.row.flow_own_words)
        own = self.flow_own[words * template :][:words]
        for name, added in (("flow_own", own), ("flow_state", self.initial_flow_state)):
            array = getattr(self, name)
            grown = _longer(array, len(array) + count * len(added))
            grown[len(array) :] = np.tile(added, count)
            setattr(self, name, grown)
        self.row.shortage = self.shortage()


def _longer(array: np.ndarray, length: int) -> np.ndarray:
    """Return a copy of an array, extended to a length by rows with initial values."""
    grown = rows(length, array.dtype)
    grown.view(np.uint8)[: array.nbytes] = array.view(np.uint8)  # faster than NumPy's copy of each field
    return grown
