"""Deterministic loss as a plug-in: the link drops each n-th packet, so that a loss rate of 1/n needs no chance."""

from longfat.sim import DROP, ENQUEUE, Discipline, Parameter


def enqueue(link, packet, now):
    """Count the packet, and drop each n-th."""
    link.arrivals += 1
    return DROP if link.arrivals % int(link.n) == 0 else ENQUEUE


N = Parameter(100.0, "packets", "[1, 1e15]", about="Packets from one dropped packet to the next")
EVERY_NTH = Discipline("every-nth", enqueue=enqueue, parameters={"n": N}, state={"arrivals": 0})
