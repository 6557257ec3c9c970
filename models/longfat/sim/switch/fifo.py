"""First-in, first-out service with drop-tail, computed at arrival (`FIFO`) or at departure (`FIFO_DEPARTURES`).

>>> FIFO.scheduler is None, FIFO_DEPARTURES.scheduler.name
(True, 'departures')
"""

from longfat.sim.plugin.discipline import Discipline

FIFO = Discipline(
    "fifo",
    source='Ours, because drop-tail needs no source; discussed in RFC 7567, "IETF Recommendations Regarding Active '
    'Queue Management", section 2',
)
#: Drop-tail with the same results as `FIFO`, but computed packet by packet at departure, which is slower; the tests
#: compare both.
FIFO_DEPARTURES = Discipline("fifo-departures", "departures", source=FIFO.source)
