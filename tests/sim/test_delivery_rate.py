"""What an acknowledgment says about deliveries: counts, and the rate samples of draft-ietf-ccwg-bbr-06, section 4.1."""

import math

import numpy as np
import pytest

from longfat.sim import Network, Scheme, Simulation
from tests.sim.own import of_flow
from tests.sim.schemes.test_recovery import losing

LOG = 400


def log_delivery(flow, event):
    """Log what each acknowledgment covers."""
    if flow.acks < LOG:
        flow.newly[flow.acks] = event.newly_delivered
        flow.total[flow.acks] = flow.delivered
        flow.acked[flow.acks] = event.acked
        flow.acks += 1
    flow.reported += event.newly_delivered
    return flow.window


def keep(flow, event):
    return flow.window


def logging(window, **more):
    return Scheme(
        "logging",
        ack=log_delivery,
        start=lambda flow, event: window,
        loss=keep,
        timeout=keep,
        state={"acks": 0, "reported": 0, "newly": [0] * LOG, "total": [0] * LOG, "acked": [0] * LOG},
        **more,
    )


def test_deliveries_by_hand():
    """Ten packets at once, of which 3 and 6 are lost: each acknowledgment delivers the packet that triggered it.

    Those of 3 and 6, sent again, advance the cumulative acknowledgment by 3 and by the rest, but deliver one packet.
    """
    net = Network()
    net.link("a", "b", rate="100 Mbit/s", delay="50 ms")
    net.link("b", "c", rate=math.inf, discipline=losing([3, 6]))
    net.flow(logging(10.0), path=["a", "b", "c"], packet=1000, file="10 kB", ack_path="ideal")
    run = Simulation(net, rng=1)
    run.advance(1.0)
    mine = of_flow(run)
    assert mine.acks == 10
    assert list(mine.newly[:10]) == [1] * 10
    assert list(mine.total[:10]) == list(range(1, 11))
    assert list(mine.acked[:10]) == [1, 1, 1, 0, 0, 0, 0, 0, 3, 4]
    flow = run.state.flows[0]
    assert (flow.delivered, flow.lost, flow.losses) == (10, 2, 2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("jitter", [0.0, 0.003])
def test_deliveries_are_counted_once(seed, jitter):
    """Whatever is lost or overtaken, what acknowledgments deliver adds up to what has arrived, each packet once."""
    net = Network()
    net.link("a", "b", rate="8 Mbit/s", delay="10 ms", loss=0.05, jitter=jitter, buffer=20)
    net.link("b", "a", rate="8 Mbit/s", delay="10 ms", loss=0.1)
    net.flow(logging(12.0, reorder=3), path=["a", "b"], packet=1000, file="300 kB")
    run = Simulation(net, rng=seed)
    run.advance(60.0)
    flow, mine = run.state.flows[0], of_flow(run)
    assert flow.una == 300
    assert flow.delivered == mine.reported
    assert np.all(np.diff(mine.total[: mine.acks]) == mine.newly[1 : mine.acks])
    if jitter == 0.0:
        assert flow.delivered == 300 + flow.duplicate
    else:  # the last acknowledgment may cover packets sent later than the one that triggered it
        assert abs(flow.delivered - 300) <= max(12, flow.duplicate)
