"""NETBLT: bursts, buffers and repairs by hand."""

import pytest

from longfat.sim import Network, Simulation, queues

PACKET, RATE = 1000, 1e7  # bytes, bytes/s: a packet takes 0.1 ms


def link(parameters, losses=(), delay=0.02, **options):
    net = Network().link("a", "b", rate=RATE, delay=delay, discipline=queues.scripted_loss(packets=list(losses)))
    net.link("b", "a", rate=RATE, delay=delay)
    return Simulation(net.flow("netblt", path=["a", "b"], packet=PACKET, parameters=parameters, **options))


def sent(one):
    return int(one.state.senders[0].transmission)


def test_bursts_by_hand():
    """Five packets at 0, 10, 20 ... ms, whatever the round trip is."""
    one = link({"burst": 5, "interval": 0.01, "buffer": 500})
    for time, expected in ((0.0001, 5), (0.0099, 5), (0.0101, 10), (0.0499, 25), (0.0501, 30), (0.1001, 55)):
        one.advance(time)
        assert sent(one) == expected, time
    one.advance(1.0001)
    assert sent(one) == 505


def test_more_packets_in_progress_than_are_kept_are_refused():
    with pytest.raises(ValueError, match=r"buffer x buffers = 1200 packets .* at most 1000 packets$"):
        link({"buffer": 600, "buffers": 2}).advance(0.1)


def test_buffers_in_progress():
    """Two buffers of ten packets: 20 packets, until the last one of the first buffer is acknowledged.

    It is the fifth of the second burst, at the receiver after 1 ms + 0.5 ms + 20 ms. Its acknowledgment is back at
    41.5 ms, and the burst of 41 ms, which had nothing to send, leaves.
    """
    one = link({"burst": 5, "interval": 0.001, "buffer": 10, "buffers": 2})
    for time, expected in ((0.0031, 20), (0.0414, 20), (0.0416, 25), (0.0421, 30)):
        one.advance(time)
        assert sent(one) == expected, time


def test_repair_by_hand():
    """Packets 2 and 7 of the first buffer of ten are lost: they are sent again when packet 9 is acknowledged.

    Packets 0 to 9 leave at 0 and 1 ms, packet 9 is acknowledged at 1 + 0.5 + 40 ms. The second buffer has been sent
    meanwhile, the third waits for the first.
    """
    one = link({"burst": 5, "interval": 0.001, "buffer": 10, "buffers": 2}, [(0, 2, 1), (0, 7, 1)], file=PACKET * 30)
    one.advance(0.0414)
    assert (sent(one), int(one.state.flows[0].retransmitted)) == (20, 0)
    one.advance(0.0417)
    assert (sent(one), int(one.state.flows[0].retransmitted)) == (22, 2)
    one.advance(1.0)
    assert one.all_done()
    assert sent(one) == 32


def test_a_repair_that_is_lost():
    """Packet 2 is lost twice: the acknowledgment of packet 7, the last one of the first repair, begins the next one."""
    one = link({"burst": 5, "interval": 0.001, "buffer": 10, "buffers": 2}, [(0, 2, 2), (0, 7, 1)], file=PACKET * 30)
    one.advance(0.2)
    assert one.all_done()
    assert (sent(one), int(one.state.flows[0].retransmitted)) == (33, 3)


def test_the_last_packets_are_lost():
    """Nothing tells of the loss of the last packet but the timer."""
    one = link({"burst": 5, "interval": 0.001, "buffer": 10}, [(0, 29, 1)], file=PACKET * 30)
    one.advance(0.5)
    assert not one.all_done()
    one.advance(5.0)
    assert one.all_done()
    assert sent(one) == 31


@pytest.mark.parametrize("loss", [0.01, 0.2])
def test_random_losses(loss):
    """A file gets through, and about as many packets are sent again as are lost."""
    net = Network().link("a", "b", rate=RATE, delay=0.01, loss=loss).link("b", "a", rate=RATE, delay=0.01, loss=loss)
    one = Simulation(net.flow("netblt", path=["a", "b"], packet=PACKET, file=PACKET * 1000), rng=3)
    one.advance(600.0)
    assert one.all_done()
    assert int(one.state.flows[0].retransmitted) >= int(one.state.links[0].dropped)
    assert int(one.state.flows[0].retransmitted) <= int(one.state.links[0].dropped) + 0.2 * sent(one)
