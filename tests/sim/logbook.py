"""A discipline with a book of what its hooks were given and what they answered: for references fed with the same."""

from dataclasses import dataclass, replace

import numpy as np

from longfat.sim import memory, records
from longfat.sim.jit import part
from longfat.sim.queues.discipline import admit_all, ignore

ROOM = 100_000  # calls
LINE = records._record(("x", records.f8, (20,)))
line_at = memory._reader(LINE, name="line")
BOOK = 11  # in p


@part
def before(link, what, packet, header, now):
    book = int(link.p[BOOK])
    count = int(line_at(book, 0).x[0]) + 1
    line = line_at(book, count)
    line_at(book, 0).x[0] = count
    line.x[0], line.x[1], line.x[2], line.x[3] = what, now, packet.flow, packet.number
    line.x[4], line.x[5], line.x[6], line.x[7] = packet.length, packet.marks, packet.kind, link.waiting
    for k in range(4):
        line.x[8 + k] = header.x[k]


@part
def after(link, packet, header, verdict):
    book = int(link.p[BOOK])
    line = line_at(book, int(line_at(book, 0).x[0]))
    line.x[12], line.x[13] = verdict, packet.marks
    for k in range(4):
        line.x[14 + k] = header.x[k]


@dataclass
class Call:
    """Of a hook."""

    arrives: bool
    now: float  # s
    flow: int
    number: int
    length: int
    marks: int
    kind: int
    waiting: int
    header: tuple
    verdict: int
    marks_after: int
    header_after: tuple


class Logbook:
    """``Logbook(discipline).discipline`` does the same, and ``calls`` lists what it was asked."""

    def __init__(self, one):
        self.lines = np.zeros((ROOM, 20))
        arrive, depart = part(one.arrive or admit_all), part(one.depart or ignore)

        def arrive_and_log(link, packet, header, now, rng):
            before(link, 1.0, packet, header, now)
            verdict = arrive(link, packet, header, now, rng)
            after(link, packet, header, float(verdict))
            return verdict

        def depart_and_log(link, packet, header, now, rng):
            before(link, 0.0, packet, header, now)
            depart(link, packet, header, now, rng)
            after(link, packet, header, 0.0)
            return 0

        parameters = dict(one.parameters)
        parameters |= {f"p{k}": 0.0 for k in range(len(parameters), BOOK)}
        parameters["book"] = float(self.lines.ctypes.data)
        logged = depart_and_log if one.service == "departures" else None
        self.discipline = replace(one, arrive=arrive_and_log, depart=logged, parameters=parameters)

    @property
    def calls(self):
        rows = self.lines[1 : 1 + int(self.lines[0, 0])].tolist()
        return [
            Call(bool(x[0]), x[1], *map(int, x[2:8]), tuple(x[8:12]), int(x[12]), int(x[13]), tuple(x[14:18]))
            for x in rows
        ]
