"""What acknowledgments say about transmissions that had been found lost, but arrived."""

import math

from longfat.sim import Network, Scheme, queues
from tests.sim.lab import simulated
from tests.sim.own import of_flow
from tests.sim.schemes.test_recovery import losing


def keep(flow, event):
    return flow.window


def log_spurious(flow, event):
    """Log the transmissions that an acknowledgment reports although they had been found lost."""
    if event.spurious:
        flow.made[flow.rows] = event.transmission
        flow.new[flow.rows] = event.newly_delivered
        flow.rows += event.spurious
    return flow.window


def logged(link, file=20, **more):
    """Return the spurious losses (transmission, packets newly delivered) of a flow, and its row."""
    made = Scheme(
        "logging",
        start=lambda flow, event: 10.0,
        ack=log_spurious,
        loss=keep,
        timeout=keep,
        reorder=3,
        state={"rows": 0, "made": [0] * 50, "new": [0] * 50},
        **{"delivery_rate": True, **more},
    )
    net = Network().link("a", "b", **{"rate": "8 Mbit/s", "delay": "10 ms", "buffer": 50, **link})
    net.link("b", "a", rate=math.inf, delay="10 ms")
    net.flow(made, path=["a", "b"], packet=1000, file=1000 * file)
    run = simulated(net, 20.0)
    mine = of_flow(run)
    assert run.state.flows[0].una == file
    return list(zip(mine.made[: mine.rows], mine.new[: mine.rows], strict=True)), run.state.flows[0]


def test_a_late_packet():
    """Packet 3 leaves behind five others, and is found lost when 4, 5 and 6 are acknowledged: 3 is sent again.

    The acknowledgment of its first transmission, 3, says so. The packet counts as delivered once.
    """
    seen, flow = logged({"discipline": queues.scripted_reordering(packets=[[0, 3, 1, 5]])})
    assert seen == [(3, 0)]
    assert (flow.lost, flow.delivered, flow.duplicate) == (1, 20, 1)


def test_a_packet_that_is_overtaken_by_its_retransmission():
    """Of 40 packets, 3 leaves behind 25, after a round trip: its retransmission is acknowledged before."""
    seen, flow = logged({"discipline": queues.scripted_reordering(packets=[[0, 3, 1, 25]])}, file=40)
    assert seen == [(3, 0)]
    assert (flow.lost, flow.delivered, flow.duplicate) == (1, 40, 1)


def test_a_true_loss():
    seen, flow = logged({"discipline": losing([3, 9])})
    assert (seen, flow.lost) == ([], 2)


def test_others_are_not_told():
    seen, flow = logged({"discipline": queues.scripted_reordering(packets=[[0, 3, 1, 5]])}, delivery_rate=False)
    assert (seen, flow.lost) == ([], 1)


def test_a_timeout_too_early():
    """A round trip of 1.2 s and a first timeout of 1 s: all ten packets are found lost, and acknowledged after."""
    seen, flow = logged({"delay": "1.19 s"})
    assert [made for made, _ in seen] == list(range(10))
    assert (flow.lost, flow.timeouts) == (10, 1)
