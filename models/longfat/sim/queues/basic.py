"""Disciplines without hooks: in order of arrival, without and with priorities to discard by, and fair queueing.

>>> round_robin(1500).values["quantum"]
1500.0
"""

from longfat.sim.queues.discipline import Discipline

FIFO = Discipline("fifo")
#: The same, decided at departure: slower, and in the tests the judge of the fast one.
FIFO_DEPARTURES = Discipline("fifo-departures", service="departures")
#: Kim & Farber (1994), as meant: a full buffer drops the last of the worst packets if the new one is better.
PRIORITY_DISCARD = Discipline("priority-discard", service="discard-worst", needs_buffer=True)
#: Kim & Farber (1994), as published: the last packet that is worse than the new one.
PRIORITY_DISCARD_PUBLISHED = Discipline("priority-discard-published", service="discard-last", needs_buffer=True)
FAIR = Discipline("fair", service="self-clocked", needs_buffer=True)
#: Demers, Keshav & Shenker (1989): a packet costs a step for each flow that waits, where the one before costs its log.
BIT_ROUND = Discipline("bit-round", service="bit-round", needs_buffer=True)

#: Deficit round robin: Shreedhar & Varghese, SIGCOMM 1995.
round_robin = Discipline("round-robin", service="round-robin", needs_buffer=True)
