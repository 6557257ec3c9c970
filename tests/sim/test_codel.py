"""CoDel against RFC 8289's pseudo-code packet by packet; its marks and the least backlog by hand."""

import math

import pytest

from longfat.sim import Network
from longfat.sim.kernel.records import CE
from longfat.sim.network import traffic
from longfat.sim.queues import codel
from tests.sim.lab import observed, seen_behind, simulated
from tests.sim.networks import FIXED
from tests.sim.test_fq_codel import Referee

MS = 1_000_000  # ns


def test_it_is_the_pseudo_code():
    """Packets of two sizes in bursts of random length, so that CoDel enters and leaves its dropping state."""
    sources = [
        (traffic.on_off(1.6e6, 0.4, 0.35, shape_on=1, shape_off=1), {"packet": 1003, "name": "large"}),
        (traffic.on_off(0.9e6, 0.3, 0.5, shape_on=1, shape_off=1), {"packet": 211, "name": "small", "start": 1.23e-5}),
    ]  # fmt: skip
    seen = observed(sources, codel, 20.0)
    alone = Referee(1, math.inf, math.inf, 5 * MS, 100 * MS)  # the scheduler of FQ-CoDel with one queue
    seen.agrees_with(alone)
    assert len(seen.departures) > 10_000
    assert seen.run.state.links[1].dropped == len(alone.controlled) > 100


def test_marks_are_made_at_the_times_of_drops():
    """Turn 123 is marked, and the next ones an interval/sqrt(count) later each.

    970 bytes every 0.7 ms into 1 MB/s: packet n arrives at 0.7 n ms and its turn comes at 0.97 n ms, so that it has
    waited 0.27 n ms. That is 5 ms for n = 19 first, at 18.43 ms. An interval later, at 118.43 ms, marking begins with
    the next turn, number 123: 119.31 ms. Then drop_next is 219.31, 290.02, 347.76, 397.76, 442.48 ms. The next turns
    are number 227 (220.19 ms), 299 (290.03), 359 (348.23), 411 (398.67) and 457 (443.29).
    """
    flow = FIXED, {"packet": 970, "parameters": {"rate": 970 / 0.0007, "ecn": 1}}
    seen, _ = seen_behind([flow], 0.45, rate=1e6, discipline=codel(ecn=True))
    assert [one.number for one in seen if one.marks & CE] == [123, 227, 299, 359, 411, 457]


@pytest.mark.parametrize(("burst", "drops"), [(2, False), (3, True)])
def test_one_packet_behind_is_no_standing_queue(burst, drops):
    """On a slow link the backlog decides (RFC 8289, section 5.6): at most one largest packet behind is no queue.

    Packets of 8 ms arrive every 8 ms, after a burst of two: each waits 16 ms, and leaves one behind. After a burst of
    three each waits 24 ms and leaves two behind, so that dropping begins.
    """
    net = Network().link("a", "b", rate=125e3, discipline=codel)
    for start, stop, spacing in ((0.0, 1.0, 0.008), *((0.0, 0.001, 1.0) for _ in range(burst))):
        net.flow(traffic.constant(1000 / spacing), path=["a", "b"], packet=1000, start=start, stop=stop)
    one = simulated(net, 1.0)
    assert (int(one.state.links[0].dropped) > 0) == drops
