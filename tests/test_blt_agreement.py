"""An unloaded transfer: the simulator against a plain program and the laws, to the nanosecond."""

import math
from fractions import Fraction

import pytest

from longfat.laws import tcp
from longfat.sim import Network, Simulation
from tests.blt_referee import Alone

BITS = 4000  # of a packet
DISCIPLINES = {"priority-discard": "blt", "priority-discard-published": "blt", "fifo": "bully-tyrant"}


def simulated(scheme, discipline, packets, access, bottleneck, trip, buffer, **options):
    """Return finish [ns], transmissions and drops of a file over three links of a sixth of the round trip each."""
    line = trip / 6
    net = Network().link("source", "S1", rate=math.inf, delay=line)
    net.link("S1", "S2", rate=bottleneck / 8, delay=line, buffer=buffer, discipline=discipline)
    net.link("S2", "destination", rate=math.inf, delay=line)
    net.flow(scheme, path=["source", "S1", "S2", "destination"], packet=500, file=500 * packets,
             access_rate=access / 8, ack_path="ideal", parameters=options)  # fmt: skip
    run = Simulation(net, rng=1)
    run.advance(60.0)
    run.packet_counts()
    flow = run.state.flows[0]
    return int(flow["finish"]), int(flow["sent"]), int(flow["dropped"])


@pytest.mark.parametrize("discipline", DISCIPLINES)
@pytest.mark.parametrize("buffer", [1, 2, 75])
@pytest.mark.parametrize(("access", "bottleneck"), [(200, 40), (200, 125), (100, 100)])  # Mbit/s: whole nanoseconds
def test_blt(access, bottleneck, buffer, discipline):
    """Files of 1 to 400 packets that fit into the switch's buffer or overflow it, with 30 ms."""
    scheme, rule = DISCIPLINES[discipline], "drop-tail" if discipline == "fifo" else discipline
    times = [BITS * 1000 // rate for rate in (access, bottleneck)]
    for packets in (1, 2, 20, 60, 94, 95, 200, 400):
        law = Alone(packets, 30_000_000, *times, 0, buffer, rule)
        finish, sent, dropped = simulated(scheme, discipline, packets, access * 10**6, bottleneck * 10**6, 0.03, buffer)
        assert abs(finish - law.finish) <= law.timeouts, packets
        assert sent >= law.sent  # what is in flight at the end counts
        assert dropped >= law.drops


def test_the_paper_s_file():
    """200 packets at a fifth of the rate overflow a buffer of 75: 116.88 ms in three bursts.

    By hand: 3 (30 ms + 80/3 us) + 201 x 400/3 us.
    """
    finish, _, dropped = simulated("blt", "priority-discard", 200, 150e6, 30e6, 0.03, 75)
    assert finish == pytest.approx(116.88e6, abs=200)  # 8 000 000/3 ns are not whole
    assert dropped >= 94


@pytest.mark.parametrize("packets", [1, 2, 7, 8, 20, 94, 200, 1000])
@pytest.mark.parametrize(("access", "bottleneck"), [(200, 40), (100, 100)])
def test_tcp(access, bottleneck, packets):
    """Slow start over the same links, with sufficient buffers."""
    times = [Fraction(BITS, rate * 10**6) for rate in (access, bottleneck)]
    law = tcp.unloaded_transfer_time(packets, 0.03, *map(float, times))
    finish, sent, _ = simulated("reno", "fifo", packets, access * 10**6, bottleneck * 10**6, 0.03, 10**6)
    assert finish == pytest.approx(law * 1e9, abs=1)
    assert sent == packets
