"""A link that writes down every packet that enters it, and changes nothing: for traces by hand."""

from dataclasses import dataclass

import numpy as np

from longfat.sim import Discipline
from longfat.sim.kernel import records
from longfat.sim.kernel.jit import part
from longfat.sim.kernel.memory import word_at
from longfat.sim.queues import ENQUEUE

ROOM = 200_000  # packets
WORDS = 11  # for each of them


@part
def note(address, row, value):
    word_at(address, row).x = value


def note_packet(link, packet, now):
    """Write into the book, whose address is the parameter."""
    book = int(link.book)
    row = 1 + WORDS * word_at(book, 0).x
    word_at(book, 0).x += 1
    note(book, row, round(now * 1e9))
    note(book, row + 1, packet.kind)
    note(book, row + 2, packet.flow)
    note(book, row + 3, packet.number)
    note(book, row + 4, packet.colour)
    note(book, row + 5, packet.marks)
    note(book, row + 6, packet.priority)
    for k in range(4):
        note(book, row + 7 + k, round(packet.header[k] * 1e9))
    return ENQUEUE


@dataclass
class Seen:
    """A packet that entered; header fields to a billionth."""

    time: int  # ns
    kind: int
    flow: int
    number: int
    colour: int
    marks: int
    priority: int
    header: tuple


class Spy:
    """A book, and the discipline that fills it; ``spy.data`` and ``spy.acks`` are the packets seen so far."""

    def __init__(self):
        self.book = np.zeros(1 + WORDS * ROOM, np.int64)
        self.discipline = Discipline("spy", enqueue=note_packet, parameters={"book": float(self.book.ctypes.data)})

    @property
    def data(self):
        return self.of_kind(records.DATA)

    @property
    def acks(self):
        return self.of_kind(records.ACK)

    def of_kind(self, kind):
        rows = self.book[1:].reshape(-1, WORDS)[: self.book[0]].tolist()
        return [Seen(*row[:7], tuple(x / 1e9 for x in row[7:])) for row in rows if row[1] == kind]
