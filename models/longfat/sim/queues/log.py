"""A FIFO link that writes down every data packet that comes to it, and changes nothing; for `longfat.sim.conformance`.

The log is an array of the caller's, whose address is the parameter ``log``: how many lines there are, how many other
packets came, then lines of five numbers.
"""

import numpy as np

from longfat.sim.jit import part
from longfat.sim.memory import word_at
from longfat.sim.queues.discipline import ENQUEUE, Discipline, Parameter
from longfat.sim.records import DATA

COLUMNS = 5  # time [ns], flow, transmission, size [bytes], number


@part
def write(log, word, value):
    """Set one number of the log."""
    word_at(log, word).x = value


def enqueue(link, packet, now):
    """Add a line."""
    log = int(link.log)
    count = word_at(log, 0).x
    if packet.kind != DATA:
        write(log, 1, word_at(log, 1).x + 1)
    elif count < link.room:
        word = 2 + COLUMNS * count
        write(log, 0, count + 1)
        write(log, word, round(now * 1e9))
        write(log, word + 1, packet.flow)
        write(log, word + 2, packet.transmission)
        write(log, word + 3, packet.size)
        write(log, word + 4, packet.number)
    return ENQUEUE


LOG = Discipline(
    "log", enqueue=enqueue,
    parameters={"log": Parameter(None, "1", "[0, 1e18]"), "room": Parameter(0.0, "packets", "[0, 1e9]")},
)  # fmt: skip


class Log:
    """An array for a log, and the discipline that fills it.

    >>> Log(10).lines.shape
    (0, 5)
    """

    def __init__(self, room: int) -> None:
        self.words = np.zeros(2 + COLUMNS * room, np.int64)
        self.discipline = LOG(log=float(self.words.ctypes.data), room=float(room))

    @property
    def lines(self) -> np.ndarray:
        """The lines so far."""
        return self.words[2:].reshape(-1, COLUMNS)[: self.words[0]]

    @property
    def others(self) -> int:
        """How many packets came that are no data."""
        return int(self.words[1])
