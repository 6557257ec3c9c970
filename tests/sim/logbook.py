"""A discipline that logs arguments and results of its hooks, as input of reference implementations."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from longfat.sim.kernel import memory
from longfat.sim.kernel.jit import inline
from longfat.sim.kernel.views import Row
from longfat.sim.plugin.discipline import Discipline, Parameter

DEFAULTS = Discipline.DEFAULTS
ROOM = 200_000  # calls
LINE = np.dtype((np.record, [("x", np.float64, (20,))]))
line_at = memory._reader(Row(LINE, "line"))


@inline
def before(link, what, packet, now):
    book = int(link.book)
    count = int(line_at(book, 0).x[0]) + 1
    line = line_at(book, count)
    line_at(book, 0).x[0] = count
    line.x[0], line.x[1], line.x[2], line.x[3] = what, now, packet.flow, packet.number
    line.x[4], line.x[5], line.x[6], line.x[7] = packet.size, packet.flags, packet.kind, link.backlog
    for k in range(4):
        line.x[12 + k] = packet.header[k]


@inline
def after(link, packet, verdict):
    book = int(link.book)
    line = line_at(book, int(line_at(book, 0).x[0]))
    line.x[8], line.x[9], line.x[10], line.x[11] = verdict, packet.flags, packet.priority, packet.colour
    for k in range(4):
        line.x[16 + k] = packet.header[k]


@dataclass
class Call:
    """Call of a hook."""

    arrives: bool
    now: float  # s
    flow: int
    number: int
    length: int
    marks: int
    kind: int
    waiting: int
    verdict: int
    marks_after: int
    priority: int  # after the call, as is the colour
    colour: int
    header: tuple
    header_after: tuple

    @property
    def time(self):
        """Time in ns."""
        return round(self.now * 1e9)


@functools.cache
def logging(hook, arrives):
    """Return a hook that does the same and logs it; equal hooks are compiled once."""
    compiled = inline(hook)

    def hook_and_log(link, packet, now):
        before(link, arrives, packet, now)
        verdict = compiled(link, packet, now)
        after(link, packet, float(verdict))
        return verdict

    return hook_and_log


class Logbook:
    """``Logbook(discipline).discipline`` does the same, and ``calls`` lists the calls of its hooks."""

    def __init__(self, one):
        self.lines = np.zeros(ROOM, LINE)
        parameters = {**one.parameters, "book": Parameter(float(self.lines.ctypes.data))}
        dequeue = one.dequeue or (DEFAULTS["dequeue"] if one.service == "departures" else None)
        self.discipline = replace(
            one, enqueue=logging(one.enqueue or DEFAULTS["enqueue"], 1.0), dequeue=dequeue and logging(dequeue, 0.0),
            parameters=parameters,
        )  # fmt: skip

    @property
    def calls(self):
        lines = self.lines["x"]
        rows = lines[1 : 1 + int(lines[0, 0])].tolist()
        return [Call(bool(x[0]), x[1], *map(int, x[2:12]), tuple(x[12:16]), tuple(x[16:])) for x in rows]
