"""Loss recovery of the TCP schemes against traces by hand.

10 packets of 1000 bytes at 100 Mbit/s take 0.08 ms each; 50 ms there, 50 ms back without transmission time. Packet k
of a burst sent at 0 is acknowledged at 100 + 0.08 (k + 1) ms. The packets that are lost are lost at the far end.
"""

import math

import pytest

from longfat.sim import Network, queues
from tests.sim.lab import simulated
from tests.sim.own import column, of_flow


def network(scheme, numbers=(), times=1, file=None, **parameters):
    """Return a network whose link loses these packets, each the first `times` times it arrives."""
    lost = queues.scripted_loss(packets=[[0, number, times] for number in numbers])
    net = Network().link("a", "b", rate="100 Mbit/s", delay="50 ms").link("b", "c", rate=math.inf, discipline=lost)
    return net.flow(scheme, path=["a", "b", "c"], packet=1000, file=file, ack_path="ideal", parameters=parameters)


#: Ten packets at once, and growth by one packet a round trip from there on.
TEN = {"initial_window": 10, "initial_ssthresh": 1}


GROWN = 10 + 1 / 10
GROWN += 1 / GROWN
GROWN += 1 / GROWN  # after three acknowledgments in avoidance (RFC 5681, section 3.1)


@pytest.mark.parametrize("scheme", ["tahoe", "reno", "newreno"])
def test_two_duplicates_change_nothing(scheme):
    """Packet 3 is lost; acknowledgments of 0, 1, 2 are new, of 4 and 5 duplicates, up to 100.48 ms."""
    run = simulated(network(scheme, [3], **TEN), 0.1005)
    flow = run.state.flows[0]
    assert (flow.una, of_flow(run).duplicates, flow.retransmitted) == (3, 2, 0)
    assert flow.window == pytest.approx(GROWN)


@pytest.mark.parametrize(("time", "most"), [(0.20023, 2), (0.20071, 3)])
def test_newreno_sends_two_packets_at_most_per_acknowledgment_in_recovery(time, most):
    """In recovery an acknowledgment releases two packets at most (ns-2.35, tcp-newreno.cc, recv()).

    Packets 3 and 6 are lost. The duplicate of packet 11 comes at 200.24 ms, the partial acknowledgment, with an
    uncounted retransmission, at 200.72 ms; the window would allow more.
    """
    run = simulated(network("newreno", [3, 6], limited_transmit=0, **TEN), time)
    column(run, "inflation")[0] = 50.0
    before = int(run.state.flows[0].sent)
    run.advance(time + 2e-5)
    assert run.state.flows[0].sent == before + most


@pytest.mark.parametrize("bugfix", [0, 1])
def test_reno_waits_for_its_timer_after_three_losses(bugfix):
    """With holes at 3, 5, 7 of ten packets the third has too few duplicates left."""
    run = simulated(network("reno", [3, 5, 7], file=20_000, bugfix=bugfix, **TEN), 5)
    flow = run.state.flows[0]
    assert flow.timeouts >= 1
    assert flow.expect == 20


@pytest.mark.parametrize("scheme", ["tahoe", "reno", "newreno", "sack", "vegas", "constant"])
@pytest.mark.parametrize("lost", [[0], [1, 2], [5, 6, 7, 8], [29], range(20, 30)])
def test_every_file_arrives(scheme, lost):
    run = simulated(network(scheme, lost, times=2, file=30_000), 60.0)
    assert run.all_done()
    assert run.state.flows[0].expect == 30
