"""Tags of fair queueing, packet by packet."""

import pytest

from longfat.sim import Network, Simulation
from tests.sim.networks import AIMD


def test_who_was_idle_is_owed_nothing():
    """An idle flow gains no credit.

    Six packets of 1 s at 0 s have tags 1 to 6; three of another flow at 2.5 s, while tag 3 is sent, tags 4 to 6. Of
    equal tags the one that has been first in its queue for longer is sent first: 1 2 3, then 4 and 4' in turn, until 9
    s.
    """
    net = Network().link("a", "b", rate=1000.0, discipline="fair")
    net.flow(AIMD, path=["a", "b"], file="6 kB", ack_path="ideal")
    net.flow(AIMD, path=["a", "b"], file="3 kB", start=2.5, ack_path="ideal")
    run = Simulation(net, rng=1)
    run.state.senders["window"] = 10.0
    run.state.timers["rto"] = 50.0  # no retransmission while packets are queued
    run.advance(20.0)
    assert (run.state.flows["finish"] * 1e-9).tolist() == pytest.approx([8, 9])
    assert run.packet_counts()["received"] == 9
