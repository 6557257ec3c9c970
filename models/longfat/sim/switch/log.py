"""First-in, first-out link that logs the arrival of every data packet, for `longfat.sim.conformance`.

The log is an array that belongs to the caller and whose address is the parameter ``log``. The array holds the number of
logged packets, the number of other packets that arrived, and then a row of five integers for each logged packet.
"""

import numpy as np

from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.memory import word_at
from longfat.sim.kernel.records import DATA
from longfat.sim.plugin.discipline import ENQUEUE, Discipline, Parameter

COLUMNS = 5  # time [ns], flow, transmission, size [bytes], number


@inline
def write(log, word, value):
    """Write an integer into word `word` of the log."""
    word_at(log, word).x = value


def enqueue(link, packet, now):
    """Log the arrival of a data packet; count other packets."""
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


_LOG = Discipline(
    "log", enqueue=enqueue,
    parameters={
        "log": Parameter(None, "1", "[0, 1e18]", about="Address of the log"),
        "room": Parameter(0.0, "packets", "[0, 1e9]", about="Greatest number of logged packets"),
    },
    source="Ours, because it only records arrivals",
)  # fmt: skip


class Log:
    """Log of arrived data packets: its array, and the discipline that fills the array.

    >>> Log(10).lines.shape
    (0, 5)
    """

    def __init__(self, room: int) -> None:
        self.words = np.zeros(2 + COLUMNS * room, np.int64)
        self.discipline = _LOG(log=float(self.words.ctypes.data), room=float(room))

    @property
    def lines(self) -> np.ndarray:
        """Logged packets, one row each: time [ns], flow, transmission, size [bytes], number."""
        return self.words[2:].reshape(-1, COLUMNS)[: self.words[0]]

    @property
    def others(self) -> int:
        """Number of arrived packets that are not data packets."""
        return int(self.words[1])
