"""A discipline in a file of its own: which packets it drops, by hand."""

from longfat.sim import Network, Simulation
from longfat.sim.network import traffic
from tests.plugins.nth import EVERY_NTH


def test_each_third_packet_is_dropped():
    """Of 100 packets the 33 with the numbers 3, 6, ..., 99 are dropped; each of two links has its own count."""
    net = Network().link("a", "b", rate=1e6, discipline=EVERY_NTH(n=3)).link("b", "c", rate=1e6, discipline=EVERY_NTH)
    net.flow(traffic.constant(1e5), path=["a", "b", "c"], packet=1000, stop=0.995)
    one = Simulation(net, rng=1)
    one.advance(2.0)
    one.packet_counts()
    first, second = one.state.links[0], one.state.links[1]
    assert (int(first.served) + int(first.dropped), int(first.dropped)) == (100, 33)
    assert (int(second.served), int(second.dropped)) == (67, 0)
