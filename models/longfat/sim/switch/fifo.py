"""First in, first out, with drop-tail: departure times computed at arrival, or decided at departure.

>>> FIFO.scheduler is None, FIFO_DEPARTURES.scheduler.name
(True, 'departures')
"""

from longfat.sim.plugin.discipline import Discipline

FIFO = Discipline(
    "fifo",
    source='Ours, because drop-tail needs no source; discussed in RFC 7567, "IETF Recommendations Regarding Active '
    'Queue Management", section 2',
)
#: The same rule decided at departure: slower, and therefore the reference for `FIFO` in the tests.
FIFO_DEPARTURES = Discipline("fifo-departures", "departures", source=FIFO.source)
