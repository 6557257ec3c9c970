"""The same dumbbell in SimPy: Reno over one bottleneck; `test_peers_today` has ns-3's schemes.

The buffer is one bandwidth-delay product, packets have 500 bytes. Throughput and loss of long transfers and the mean
queue length are compared. Tolerances cover these differences: SimPy's Reno has no limit on retransmissions of packets
sent before a reduction and checks its timer only when it might have expired. In both simulators every packet is
acknowledged, without SACK; the initial window is one packet, timeouts are at least 0.2 s, and a loss halves the data in
flight (RFC 5681, equation 4). Speed is printed, never asserted.
"""

from typing import ClassVar

import numpy as np
import pytest

from longfat import sim
from longfat.sim.runs import results

SECONDS, MBIT = 30, 8
CAPACITY = MBIT * 1e6 / 8 / 500 * SECONDS  # packets

pytestmark = pytest.mark.long


def ours(flows):
    """Return utilisation, loss probability, mean queue length, and simulated packets per second of computing time."""
    product = int(MBIT * 1e6 * 0.044 / 8 / 500)
    net = sim.Network().link("a", "b", rate=f"{MBIT} Mbit/s", delay=0.022, buffer=product)
    net.link("b", "a", rate=f"{10 * MBIT} Mbit/s", delay=0.022)
    parameters = {"initial_ssthresh": product // flows}
    net.flow("reno", path=["a", "b"], count=flows, stagger=0.2 / flows, packet=500, parameters=parameters)
    run = sim.Simulation(net, rng=1)
    run.prepare()
    before = results.snapshot(run)
    run.advance(SECONDS)
    queue = float(results.measure(run, before, results.snapshot(run))["mean_queue"][0])
    delivered, link = int(run.state.flows["expect"].sum()), run.state.links[0]
    return delivered / CAPACITY, link.dropped / link.arrived, queue, delivered / run.wall_time


@pytest.mark.parametrize("flows", [2, 5])
def test_simpy(monkeypatch, capsys, flows):
    """Throughput within 0.5 %, loss within 10 %, queue within 5 %: both are Reno of RFC 5681, event by event."""
    pytest.importorskip("simpy", reason="simpy, of the extra `test`, is not installed")
    from tests.benchmarks import simpy_dumbbell

    class Counted(simpy_dumbbell.Bottleneck):
        offered = lost = 0
        waiting: ClassVar[list[int]] = []

        def __init__(self, env, *rest):
            super().__init__(env, *rest)
            Counted.waiting.clear()
            env.process(self.look())

        def look(self):
            """Sample the queue every 10 ms, without the packet in transmission."""
            while True:
                yield self.env.timeout(0.01)
                Counted.waiting.append(max(0, len(self.queue) - 1))

        def take(self, packet):
            Counted.offered += 1
            Counted.lost += len(self.queue) >= self.room
            super().take(packet)

    monkeypatch.setattr(simpy_dumbbell, "Bottleneck", Counted)
    delivered, spent = simpy_dumbbell.run(flows, SECONDS, MBIT)
    queue = np.mean(Counted.waiting)
    here, there = ours(flows), (delivered / CAPACITY, Counted.lost / Counted.offered, queue, delivered / spent)
    with capsys.disabled():
        print(
            f"\n    {flows} flows: {there[0]:.4f} of the capacity, loss {there[1]:.2e}, {there[2]:.1f} packets wait; "
            f"here {here[0]:.4f}, {here[1]:.2e}, {here[2]:.1f}, and {here[3] / there[3]:.0f} times the speed",
            end="",
        )
    assert here[0] == pytest.approx(there[0], rel=0.005)
    assert here[1] == pytest.approx(there[1], rel=0.1)
    assert here[2] == pytest.approx(there[2], rel=0.05)
