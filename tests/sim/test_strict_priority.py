"""Strict priority against a list that is scanned, packet by packet."""

from dataclasses import replace

import pytest

from longfat.sim import ENQUEUE
from longfat.sim.network import traffic
from longfat.sim.queues import discipline
from tests.sim.lab import Stamped, observed


def with_priorities(link, packet, now):
    """Give the packet one of four priorities, by its number."""
    packet.priority = int(packet.transmission % 7) % 4
    return ENQUEUE


class Scanned(Stamped):
    """Plain list of packets (time [ns], size, flow, transmission), which is scanned for each of them."""

    def __init__(self, levels, limit):
        self.levels, self.limit, self.waiting = levels, limit, []

    def put(self, packet, idle):
        level = min(packet[3] % 7 % 4, self.levels - 1)
        if not idle and len(self.waiting) >= self.limit:
            worst = max(self.waiting, key=lambda one: one[:2])  # of the worst level the last
            if worst[0] <= level:
                return
            self.waiting.remove(worst)
        self.waiting.append((level, self.now, packet))


@pytest.mark.parametrize(("levels", "buffer"), [(2, 10_000), (3, 12), (4, 1)])
def test_it_is_the_plain_list(levels, buffer):
    """Order, times and what a full buffer drops agree with a list that is scanned for every packet."""
    setter = replace(discipline("strict-priority", levels=levels), enqueue=with_priorities)
    flows = [(traffic.poisson(6e5), {"packet": size, "name": str(size)}) for size in (1003, 211)]
    seen = observed(flows, setter, 2.0, buffer=buffer, rng=buffer)
    seen.agrees_with(Scanned(levels, buffer))
    assert len(seen.departures) > 2000
    assert (int(seen.run.state.links[1].dropped) > 300) == (buffer < 100)
