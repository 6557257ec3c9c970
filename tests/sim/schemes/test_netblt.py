"""NETBLT: bursts, buffers and repairs by hand."""

import pytest

from longfat.sim import Simulation, queues
from tests.sim.lab import one_link, simulated

PACKET, RATE = 1000, 1e7  # bytes, bytes/s: a packet takes 0.1 ms


def link(parameters, losses=(), **options):
    lossy = queues.scripted_loss(packets=list(losses))
    net = one_link("netblt", rate=RATE, delay=0.02, discipline=lossy, back=RATE, packet=PACKET,
                   parameters=parameters, **options)  # fmt: skip
    return Simulation(net)


TEN = {"burst": 5, "interval": 0.001, "buffer": 10}
TWO = {**TEN, "buffers": 2}
FILE = PACKET * 30


@pytest.mark.parametrize(
    ("parameters", "losses", "file", "expected"),
    [
        # Five packets at 0, 10, 20 ... ms, whatever the round trip is.
        (
            {"burst": 5, "interval": 0.01, "buffer": 500}, [], None,
            {0.0001: (5, 0), 0.0099: (5, 0), 0.0101: (10, 0), 0.0499: (25, 0), 0.0501: (30, 0), 1.0001: (505, 0)},
        ),
        # Two buffers of ten packets: 20 packets, until the last one of the first buffer is acknowledged. It is the
        # fifth of the second burst, at the receiver after 1 ms + 0.5 ms + 20 ms. Its acknowledgment is back at 41.5 ms,
        # and the burst of 41 ms, which had nothing to send, leaves.
        (TWO, [], None, {0.0031: (20, 0), 0.0414: (20, 0), 0.0416: (25, 0), 0.0421: (30, 0)}),
        # Packets 2 and 7 of the first buffer are lost: they are sent again when packet 9 is acknowledged. The second
        # buffer has been sent meanwhile, the third waits for the first.
        (TWO, [(0, 2, 1), (0, 7, 1)], FILE, {0.0414: (20, 0), 0.0417: (22, 2), 1.0: (32, 2)}),
        # Packet 2 is lost twice: the acknowledgment of packet 7, the last one of the first repair, begins the next one.
        (TWO, [(0, 2, 2), (0, 7, 1)], FILE, {0.2: (33, 3)}),
        # Nothing tells of the loss of the last packet but the timer.
        (TEN, [(0, 29, 1)], FILE, {0.5: (30, 0), 5.0: (31, 1)}),
    ],
)  # fmt: skip
def test_by_hand(parameters, losses, file, expected):
    """At a time so many packets have been sent, and retransmitted; files end."""
    one, found = link(parameters, losses, file=file), {}
    for time in expected:
        one.advance(time)
        found[time] = (int(one.state.senders[0].transmission), int(one.state.flows[0].retransmitted))
    assert found == expected
    assert file is None or one.all_done()


def test_more_packets_in_progress_than_are_kept_are_refused():
    with pytest.raises(ValueError, match=r"buffer x buffers = 1200 packets .* at most 1000 packets$"):
        link({"buffer": 600, "buffers": 2}).advance(0.1)


@pytest.mark.parametrize("loss", [0.01, 0.2])
def test_random_losses(loss):
    """A file gets through, and about as many packets are sent again as are lost."""
    link = {"rate": RATE, "delay": 0.01, "loss": loss}
    one = simulated(one_link("netblt", **link, back=link, packet=PACKET, file=PACKET * 1000), 600.0, 3)
    assert one.all_done()
    dropped, sent = int(one.state.links[0].dropped), int(one.state.senders[0].transmission)
    assert dropped <= int(one.state.flows[0].retransmitted) <= dropped + 0.2 * sent
