"""Cost of active queue management: packets per second of TCP flows over one bottleneck, as ratios to tail drop."""

import time

import pytest

from longfat import sim
from longfat.sim import queues

#: Largest ratios of the time per packet. "fifo-departures" is tail drop decided at departure, as every discipline that
#: drops there has to be. "fifo" computes departures and arrivals at admission: one event for each packet, not two.
MOST = {("codel", "fifo-departures"): 1.5, ("codel", "fifo"): 3.0, ("fq-codel", "codel"): 1.5}


def cost(discipline, flows, seconds=60.0):
    """Return the time per packet [ns] of NewReno flows over 100 Mbit/s and 40 ms, once they all send."""
    net = sim.Network().link("a", "b", rate="100 Mbit/s", delay="20 ms", buffer=500, discipline=discipline)
    net.link("b", "a", rate="100 Mbit/s", delay="20 ms")
    net.flow("newreno", path=["a", "b"], packet=1500, count=flows, stagger=1 / flows)
    run = sim.Simulation(net, rng=1)
    run.advance(2.0)
    before, begun = int(run.state.links[0].served), time.process_time()
    run.advance(seconds)
    return 1e9 * (time.process_time() - begun) / (int(run.state.links[0].served) - before)


@pytest.mark.parametrize("flows", [10, 100])
def test_packets_per_second(benchmark, capsys, flows):
    benchmark.group = "active queue management"
    names = ("fifo", "fifo-departures", "codel", "fq-codel", "pie")
    chosen = {name: queues.discipline(name) for name in names}
    for one in chosen.values():
        cost(one, flows, 3.0)
    turns = []
    benchmark.pedantic(lambda: turns.append([cost(one, flows) for one in chosen.values()]), rounds=7)
    least = {name: min(turn[k] for turn in turns) for k, name in enumerate(names)}
    ratios = {pair: least[pair[0]] / least[pair[1]] for pair in MOST}
    with capsys.disabled():
        print(f"\n{flows} flows, ns per packet: " + ", ".join(f"{name} {time:.0f}" for name, time in least.items()))
        print("; ".join(f"{one} to {other}: {ratio:.2f}" for (one, other), ratio in ratios.items()))
    for pair, most in MOST.items():
        assert ratios[pair] < most, pair
