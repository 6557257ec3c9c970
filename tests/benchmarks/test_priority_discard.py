"""Cost of a packet with priority discard: the service's tree against a hook that scans the queue, by its length."""

import pytest

from longfat import sim
from longfat.sim import Discipline, queues
from longfat.sim.kernel.records import NONE
from longfat.sim.network import traffic
from longfat.sim.plugin.functions import behind, first_waiting, push_out, random, waiting
from longfat.sim.queues import DROP, ENQUEUE

RATE = 1e8  # bytes/s


def draw(link, packet, now):
    """Set one of 20 priorities, as many as files of 10^6 packets have."""
    packet.priority = int(20 * random(link))
    return ENQUEUE


def draw_and_scan(link, packet, now):
    """Set a priority, and find the worst packet (Kim and Farber 1994, section 3.3.2) by scanning the queue."""
    packet.priority = int(20 * random(link))
    if link.backlog < link.limit:
        return ENQUEUE
    victim, worst, number = NONE, -1, first_waiting(link)
    while number != NONE:
        one = waiting(link, number)
        if one.priority >= worst:
            victim, worst = number, one.priority
        number = behind(link, number)
    return push_out(victim) if packet.priority < worst else DROP


def cost(discipline, buffer, packets):
    """Return the time per arriving packet [ns] at twice the link's rate, once the queue is full, and the drops."""
    net = sim.Network().link("a", "b", rate=RATE, buffer=buffer, discipline=discipline)
    net.flow(traffic.poisson(2 * RATE), path=["a", "b"], packet=500)
    run = sim.Simulation(net, rng=1)
    run.advance(3 * buffer * 500 / RATE)
    before, dropped, spent = int(run.state.links[0].arrived), int(run.state.links[0].dropped), run.wall_time
    run.advance(run.now + packets * 500 / (2 * RATE))
    arrived = int(run.state.links[0].arrived) - before
    return 1e9 * (run.wall_time - spent) / arrived, int(run.state.links[0].dropped) - dropped


@pytest.mark.parametrize("buffer", [10, 100, 1000, 10_000])
def test_a_full_buffer(benchmark, capsys, buffer):
    benchmark.group = "priority discard"
    ours = Discipline("tree", service=queues.PRIORITY_DISCARD.service, enqueue=draw)
    scan = Discipline("scan", service="departures", enqueue=draw_and_scan, parameters={"limit": buffer})
    tail = Discipline("tail", service="departures", enqueue=draw)
    few, many = max(2000, 10**7 // buffer), 400_000
    assert cost(ours, buffer, few)[1] == cost(scan, buffer, few)[1]
    turns = []
    benchmark.pedantic(
        lambda: turns.append((cost(ours, buffer, many)[0], cost(scan, buffer, few)[0], cost(tail, buffer, many)[0])),
        rounds=3,
    )
    tree, scanned, plain = (sorted(turn[k] for turn in turns)[1] for k in range(3))
    with capsys.disabled():
        print(
            f"\n    {buffer} packets wait: {tree:.0f} ns a packet, {scanned / tree:.1f} times as fast as a scan; "
            f"drop-tail {plain:.0f} ns",
            end="",
        )
