"""PTP requests to the links of a path: bytes on the links, the reply, and the effect of lost requests.

M. Welzl, "Scalable Router Aided Congestion Avoidance for Bulk Data Transfer in High Speed Networks", section II.
"""

from dataclasses import replace

import numpy as np
import pytest

from longfat.sim import Discipline, Network, Parameter, Scheme, Simulation
from longfat.sim.kernel.records import FEEDBACK, REQUEST
from longfat.sim.network import traffic
from longfat.sim.queues import DROP, ENQUEUE
from tests.sim.lab import simulated
from tests.sim.own import of_flow

PERIOD = 0.5  # s


def ask(flow, event):
    flow.request = 1
    flow.alarm = event.now + flow.period
    return 0.0


def ack(flow, event):
    """Record the reply (capacity, traffic, interval, links), the number of replies and the round-trip time."""
    for k in range(4):
        flow.reply[k] = event.header[k]
    flow.replies += 1
    flow.round_trip = event.rtt
    return 0.0


REPLY = {"reply": [0.0] * 4, "replies": 0, "round_trip": 0.0}


ASKING = Scheme(
    "asking", start=ask, ack=ack, alarm=ask, controls="rate", recovery="own", acknowledged=False,
    parameters={"period": Parameter(PERIOD)}, state=REPLY,
)  # fmt: skip
#: 1 MB/s, 2 MB/s, 1 MB/s: traffic of 0.5 MB/s leaves the least spare capacity on the first and third
RATES = (1e6, 2e6, 1e6)


def chain(rates=RATES, first="fifo", load=500_000.0, where=(0, None), stamps=None, **link):
    """Return a path of links with these rates, whose routers know the protocol or not, and traffic on a part of it."""
    net = Network()
    nodes = [f"n{k}" for k in range(len(rates) + 1)]
    for k, rate in enumerate(rates):
        discipline = first if k == 0 else "fifo"
        known = True if stamps is None else stamps[k]
        net.link(nodes[k], nodes[k + 1], rate=rate, delay=0.01, discipline=discipline, stamps=known, **link)
        net.link(nodes[k + 1], nodes[k], rate=rate, delay=0.01)
    net.flow(ASKING, path=nodes)
    if load:
        net.flow(traffic.constant(load), path=nodes[slice(*where)], packet=1000)
    return net


def asked(net, until):
    run = simulated(net, until)
    own = of_flow(run)
    return run, [*own.reply.tolist(), own.replies, own.round_trip]


@pytest.mark.parametrize("service", ["fifo", "fifo-departures", "fair"])
def test_bytes_on_the_wire(service):
    """The sizes of requests and replies, by hand.

    Without other traffic the request is sent with 48, 64 and 80 bytes, the reply with 32 on each of three links. The
    request takes 48 + 32 + 80 us, the reply 32 + 16 + 32 us (at 10^6, 2 10^6 and 10^6 bytes/s), and both together six
    times 10 ms.
    """
    run, reply = asked(chain(first=service, load=0), 0.3)
    assert reply[5] == pytest.approx(0.06 + 240e-6, abs=2e-9)
    assert reply[4] == 1
    assert reply[3] == 0  # nothing to compare it with yet
    assert [int(link.served_bytes) for link in run.state.links[:6:2]] == [48, 64, 80]
    assert [int(link.served_bytes) for link in run.state.links[1:6:2]] == [32, 32, 32]


def test_the_link_with_the_least_to_spare():
    """The reply is on the link with the least capacity to spare.

    Second reply: 0.5 MB/s of 1 MB/s. Between the stamps of two requests are half a second and 250 packets, one more or
    less, and the 48 or 80 bytes of the first of them.
    """
    _, reply = asked(chain(), 0.9)
    capacity, busy, interval, links, replies, _ = reply
    assert (capacity, links, replies) == (1e6, 3, 2)
    assert interval == pytest.approx(PERIOD, abs=0.002)
    assert busy == pytest.approx(500_000 + 80 / PERIOD, abs=1000 / PERIOD)


def test_a_saturated_link_reads_its_capacity():
    """The counter counts bytes sent, not arrivals, so that a saturated link reads its capacity.

    On a FIFO link the backlog is counted in advance, since the request is queued behind it.
    """
    for service in ("fifo", "fifo-departures"):
        _, reply = asked(chain(first=service, load=1_700_000.0, where=(0, 2)), 2.9)
        assert reply[1] == pytest.approx(1e6, rel=0.005)


def drop_request(link, packet, now):
    """Drop the request of this number, counted from 0."""
    if packet.kind == FEEDBACK and packet.flags & REQUEST:
        link.came += 1
        if link.came == link.number + 1:
            return DROP
    return ENQUEUE


@pytest.mark.parametrize("where", [0, 1])
def test_a_lost_request_only_lengthens_the_interval(where):
    """The second request is lost, on the first link, or on the second after the first has stamped it."""
    net = chain()
    pair = f"n{where}", f"n{where + 1}"
    lossy = Discipline("drop-request", enqueue=drop_request, parameters={"number": 1.0}, state={"came": 0})
    net.links[pair] = replace(net.links[pair], discipline=lossy)
    _, reply = asked(net, 1.4)
    assert reply[4] == 2  # answers: to the first and the third
    assert reply[2] == pytest.approx(2 * PERIOD, abs=0.002)
    assert reply[1] == pytest.approx(500_000, rel=0.01)


def behind_a_router_without_the_protocol(said, load=500_000.0):
    """Return run and reply on a path whose second link has the least spare capacity, which a router may report."""
    return asked(chain((2e6, 1e6, 2e6), load=load, stamps=(True, said, True)), 0.9)


def test_the_incoming_interface_reports_the_link_before():
    """The third router reports the second link instead of the second router, which does not know the protocol.

    Welzl (2005), section IV.A. Without other traffic two requests leave with 48, 48 and 80 bytes: 32, and 16 from the
    first router, nothing from the second, and 32 from the third. Of three links the second has the least to spare,
    0.5 of 1 MB/s; if no router reports it, the first or the third seems to.
    """
    run, reply = behind_a_router_without_the_protocol("incoming", load=0)
    assert [int(link.served_bytes) for link in run.state.links[:6:2]] == [96, 96, 160]
    assert (reply[0], reply[3]) == (1e6, 3)
    _, reply = behind_a_router_without_the_protocol("incoming")
    assert reply[:4] == [1e6, pytest.approx(500_000, rel=0.01), pytest.approx(PERIOD, abs=0.002), 3]
    _, hidden = behind_a_router_without_the_protocol(False)
    assert (hidden[0], hidden[3]) == (2e6, 2)


def test_two_routers_without_the_protocol_hide_a_link():
    """The link between two such routers is hidden: the next router reports its own incoming interface only."""
    net = chain((2e6, 1e6, 2e6, 2e6), load=0, stamps=(True, False, "incoming", True))
    _, reply = asked(net, 0.9)
    assert (reply[0], reply[3]) == (2e6, 3)


def test_no_more_than_576_bytes():
    """A request grows from 32 bytes by 16 for each of 34 links; the last six find no room."""
    _, reply = asked(chain(rates=(1e9,) * 40, load=0), 2.5)
    assert reply[3] == 34


def test_counters_that_are_refreshed_once_a_second():
    """Counters that are updated once a second, with the time of the request or of the update.

    Traffic of 0.5 MB/s begins at 0.25 s, requests every 0.25 s. With the time of the request, a request reads nothing
    or four times too much; with the time of the update the value is right when it is new, and otherwise there is no
    reply.
    """
    seen = {coarse: [] for coarse in (False, True)}
    for coarse, found in seen.items():
        for _, busy, _, links in replies((1e6,), coarse_clock=coarse):
            found.append(round(busy / 5e5, 1) if links else None)
    assert set(seen[False]) == {0.0, 4.0}
    assert seen[False].count(4.0) in (7, 8)
    assert set(seen[True]) == {None, 1.0}
    assert seen[True].count(1.0) in (7, 8)


def replies(rates, **first):
    """Yield 30 replies, one every 0.25 s, about links whose first one updates its counter once a second."""
    net = chain(rates, load=0)
    net.links["n0", "n1"] = replace(net.links["n0", "n1"], counter_refresh=1.0, **first)
    net.flows[0] = replace(net.flows[0], parameters={"period": 0.25})
    run = Simulation(net.flow(traffic.constant(500_000.0), path=net.flows[0].path, packet=1000), rng=1)
    for step in range(30):
        run.advance(2.2 + 0.25 * step)
        yield of_flow(run).reply.tolist()


def test_a_link_without_a_new_count_hides_no_bottleneck():
    """The slow link updates its counter once a second, the fast one always: a reply covers both links or none."""
    seen = [(capacity, links) for capacity, _, _, links in replies((1e6, 2e6), coarse_clock=True)]
    assert {reply for reply in seen if reply[1]} == {(1e6, 2)}
    assert [links for _, links in seen].count(2) in (7, 8)


def unevenly(flow, event):
    flow.request = 1
    flow.odd = not flow.odd
    flow.alarm = event.now + (0.004 if flow.odd else 0.022)
    return 0.0


@pytest.mark.parametrize("service", ["fifo", "fifo-departures", "fair"])
def test_requests_close_behind_each_other(service):
    """Two or three requests are in flight at once, and each carries its own stamps.

    Requests are sent after 4 and 22 ms in turn, on a path of 30 ms. A packet of the other flow, every 2 ms for 1 ms on
    the first link, may precede either of two requests.
    """
    scheme = Scheme(
        "uneven", start=unevenly, ack=ack, alarm=unevenly, controls="rate", recovery="own", acknowledged=False,
        state={**REPLY, "odd": False},
    )  # fmt: skip
    net = chain(rates=(1e6, 2e6, 2e6), first=service)
    net.flows[0] = replace(net.flows[0], scheme=scheme)
    run = Simulation(net, rng=1)
    for k in range(300):
        run.advance(0.15 + k * 0.001)
        capacity, busy, interval, links = of_flow(run).reply.tolist()
        assert (capacity, links) == (1e6, 3)
        period = min((0.004, 0.022), key=lambda each: abs(each - interval))
        assert interval == pytest.approx(period, abs=0.0011)
        assert busy * interval == pytest.approx(500_000 * period + 80, abs=1001)
    assert of_flow(run).replies == pytest.approx(2 * (0.449 - 0.06) / 0.026, abs=1)


def ask_on(flow, event):
    flow.request = 1
    flow.alarm = event.now + 0.005
    return flow.rate


def begin_asking(flow, event):
    flow.request = 1
    flow.alarm = event.now + 0.005
    flow.began = event.now
    return 200_000.0


def keep_replies(flow, event):
    """Record the links in the first reply, plus one, and count replies to requests from before the start."""
    if event.number < 0:
        if flow.first == 0.0:
            flow.first = 1.0 + event.header[3]
        if event.now - event.rtt < flow.began - 1e-9:
            flow.foreign += 1
    return flow.rate


@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_connections_know_nothing_of_each_other(loss):
    """Files of 50 ms, many of which reuse the same rows, with requests every 5 ms until the end."""
    scheme = Scheme(
        "curious", start=begin_asking, ack=keep_replies, alarm=ask_on, timeout=ask_on, controls="rate",
        recovery="selective", state={"began": 0.0, "first": 0.0, "foreign": 0},
    )  # fmt: skip
    net = Network().link("a", "b", rate=1e7, delay=0.02, loss=loss).link("b", "a", rate=1e7, delay=0.02)
    net.flow(traffic.arrivals(100.0, scheme), path=["a", "b"], file=10_000.0, packet=500)
    run = simulated(net, 5.0)
    flows = [of_flow(run, k) for k in np.flatnonzero(run.state.flows["template"] == 0)]
    assert int(run.state.row.connections) > 10 * len(flows)  # rows are taken again
    first = [flow.first for flow in flows]
    assert first.count(1.0) > 5
    assert set(first) <= {0.0, 1.0}  # nothing to compare the first answer with
    assert not any(flow.foreign for flow in flows)


def test_stamps_are_given_back():
    """The rows of stamps are freed: those of requests that arrive, are dropped or are compared with none.

    What remains are the stamps of the request that arrived last, one for each of three links.
    """
    net = chain(rates=(1e6, 2e6, 1e6), loss=0.2)
    run = Simulation(net, rng=1)
    of_flow(run).period = 0.01
    run.advance(3.0)
    of_flow(run).period = 1e6
    run.advance(4.0)
    assert int(run.state.row.feedback_dropped) > 50
    assert int(run.state.flows[0].feedback_in_flight) == 0
    assert len(run.state.nodes) - int(run.state.row.free_nodes) == 3
