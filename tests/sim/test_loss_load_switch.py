"""Feedback and drops of a loss-load switch, computed by hand from the rates.

Prithviraj and Williamson, "A Virtual Loss-Load Congestion Control Strategy for High Speed Networks", sections 2.2, 2.3.
"""

import math

import numba
import numpy as np
import pytest

from longfat.sim import Network, Parameter, Scheme, Simulation, queues, run
from longfat.sim.kernel.records import RED
from longfat.sim.network import traffic
from longfat.sim.switch.loss_load import END, OUT, loss
from tests.sim.lab import one_link, seen_behind, simulated
from tests.sim.own import of_flow, of_link

CAPACITY = 1_000_000.0  # bytes/s; 1000 packets/s


def start(flow, event):
    flow.header[0] = flow.rate
    return flow.rate


def send(flow, packet):
    """Colour a share of the packets red, spread evenly."""
    flow.owed += flow.red
    if flow.owed >= 1.0:
        flow.owed -= 1.0
        packet.colour = RED
    return 0


def ack(flow, event):
    """Keep the rate, and record the feedback."""
    if event.header[3] > 0.0:
        for k in range(3):
            flow.received[k] = event.header[1 + k]
        flow.count += 1
    return flow.rate


STUBBORN = Scheme(
    "stubborn", start=start, ack=ack, timeout=ack, send=send, controls="rate", stamped=True,
    parameters={"rate": Parameter(1e5, "bytes/s", field="rate"), "red": Parameter(0.0)},
    state={"received": (0.0,) * 3, "count": 0, "owed": 0.0},
)  # fmt: skip


def network(*switches, rates=(0.25, 0.5), reds=(0.0, 0.0), buffer=50, **flow):
    """Return a network of sources with these rates [capacities] over one or more switches."""
    net = Network()
    nodes = [f"n{k}" for k in range(len(switches) + 1)]
    for tail, head, discipline in zip(nodes, nodes[1:], switches, strict=False):
        net.link(tail, head, rate=CAPACITY, delay=0.001, buffer=buffer, discipline=discipline)
        net.link(head, tail, rate=CAPACITY, delay=0.001)
    for rate, red in zip(rates, reds, strict=True):
        net.flow(STUBBORN, path=nodes, packet=1000, parameters={"rate": rate * CAPACITY, "red": red}, **flow)
    return net


def feedback_of(simulation):
    """Return excess, spread and capacity as each source received them."""
    return [list(of_flow(simulation, f).received) for f in range(len(simulation.state.flows))]


@pytest.mark.parametrize("direct", [False, True])
def test_excess_and_spread_of_the_others(direct):
    """The excess a and the spread b of each source's feedback, by hand.

    k = 2, rates 1/4, 1/2, 1/8. For the first: a = 5/8 - 1, b = 1/8 + 1/512 = 65/512; for the second: a = 3/8 - 1, b =
    1/64 + 1/512 = 9/512; for the third: a = 3/4 - 1, b = 1/64 + 1/8 = 9/64.
    """
    net = network(queues.loss_load(2, direct=direct), rates=(1 / 4, 1 / 2, 1 / 8), reds=(0,) * 3)
    simulation = simulated(net, 0.1)
    expected = [[-3 / 8, 65 / 512, CAPACITY], [-5 / 8, 9 / 512, CAPACITY], [-1 / 4, 9 / 64, CAPACITY]]
    np.testing.assert_allclose(feedback_of(simulation), expected, rtol=1e-12)
    counts = [of_flow(simulation, f).count for f in range(3)]
    if direct:  # only when something has changed
        assert all(1 <= count <= 3 for count in counts)
    else:
        assert all(count == flow.acks_received for count, flow in zip(counts, simulation.state.flows, strict=True))


def test_virtual_capacity():
    """v = 4/5, k = 1, rates 1/4 and 1/2: in virtual capacities 5/16 and 5/8; b of the first is (5/8)^2."""
    simulation = simulated(network(queues.loss_load(1, 0.8)), 0.1)
    assert feedback_of(simulation)[0] == pytest.approx([-3 / 8, 25 / 64, 0.8 * CAPACITY])


@pytest.mark.parametrize("order", [1, -1])
def test_the_most_restrictive_link_speaks(order):
    """Two switches, one with v = 1/2: with rates 1/4 and 1/2 only that one has P > 0."""
    switches = [queues.loss_load(2, 1.0), queues.loss_load(2, 0.5)][::order]
    simulation = simulated(network(*switches), 0.2)
    assert feedback_of(simulation)[0] == pytest.approx([0.0, 1.0, 0.5 * CAPACITY])


def test_a_clipped_chance():
    """Loss probabilities are clipped to [0, 1].

    k = 1, rates 1.5 and 0.1: P of the first as printed is 1.5 (0.6)/(2.26) = 0.398; of the second 0.1 (0.6)/2.26. With
    k = 20 and rates 2 and 0.2: P = (2 + 0.2 - 1)/2 to a millionth, and of the second nothing.
    """
    compiled = numba.njit(lambda rate, load, powers, k: loss(rate, load, powers, k))
    assert compiled(1.5, 0.1, 0.01, 1.0) == pytest.approx(1.5 * 0.6 / 2.26, rel=1e-14)
    assert compiled(2.0, 0.2, 0.2**21, 20.0) == pytest.approx(0.6, rel=1e-14)
    assert compiled(0.2, 2.0, 2.0**21, 20.0) == pytest.approx(0.0, abs=1e-20)
    assert compiled(0.5, 0.4, 0.4**2, 1.0) == 0.0
    # 0.6 beside ten of 0.3 with k = 5: 0.6^5 (2.6)/(0.6^6 + 10 0.3^6) = 3.75 as printed
    assert 0.6**5 * 2.6 / (0.6**6 + 10 * 0.3**6) > 1
    assert compiled(0.6, 3.0, 10 * 0.3**6, 5.0) == 1.0
    assert compiled(1e-200, 1.5, 0.0, 20.0) == pytest.approx(1.0)  # powers too small for floats


def test_overflow_drops_what_the_buffer_cannot_hold():
    """Load 5/4: the buffer fills, and a fifth of all is dropped; nothing before it is full."""
    net = network(queues.loss_load(1, overflow=True), rates=(0.75, 0.5))
    data = run(net, duration=200, rng=1, progress=False)
    assert float(data.dropped.sum() / data.sent.sum()) == pytest.approx(0.2, abs=0.001)
    assert float(data.max_queue.sel(link="n0-n1")) == 50
    early = run(net, duration=0.1, rng=1)
    assert float(early.dropped.sum()) == 0


def test_a_threshold_stores_a_short_overload():
    """Load 5/4 for 0.1 s: 25 packets too many, of which a threshold of 30 drops none; and then it does."""
    net = network(queues.loss_load(1, threshold=30), rates=(0.75, 0.5))
    assert float(run(net, duration=0.1, rng=1).dropped.sum()) == 0
    assert float(run(net, duration=1.0, rng=1).dropped.sum()) > 100


def test_regular_drops_are_counted():
    """With `regular` the number of drops is that of the excess, to the packet.

    Load 5/4 for 100 s: (0.75 (3/13) + 0.5 (2/13)) 1000/s = 250/s are dropped. At random the standard deviation would
    be about 140 packets; here it is one, besides the 1 to 2 packets that arrive before both rates are known.
    """
    data = run(network(queues.loss_load(1, regular=True), rates=(0.75, 0.5)), duration=100, rng=1, progress=False)
    assert float(data.dropped.sum()) == pytest.approx(25_000, abs=3)
    again = run(network(queues.loss_load(1, regular=True), rates=(0.75, 0.5)), duration=100, rng=2, progress=False)
    assert again.dropped.values.tolist() == data.dropped.values.tolist()  # no random number


def test_red_packets_have_a_limit():
    """A flow of load 5/4 whose packets are all red never has more than 8 waiting; a green one fills the buffer.

    In 20 s 25,000 packets arrive and 20,000 are transmitted.
    """
    for red, most in ((1.0, 8), (0.0, 50)):
        net = network(queues.loss_load(1, overflow=True, red_limit=8), rates=(1.25,), reds=(red,))
        data = run(net, duration=20, rng=1, progress=False)
        assert float(data.max_queue.sel(link="n0-n1")) == most
        assert float(data.dropped.sum()) == pytest.approx(5000, abs=most + 2)


def test_a_red_packet_of_the_same_flow_gives_way():
    """A red packet of the same flow is dropped instead of a green one.

    Overload by a flow half of whose packets are red: only red ones are dropped as long as some are queued. The other
    flow is green and has no red packets: it loses its own arrivals.
    """
    flows = [
        (STUBBORN, {"packet": 1000, "send_jitter": 0.001, "parameters": {"rate": 0.75 * CAPACITY, "red": red}})
        for red in (0.5, 0.0)
    ]
    switch = queues.loss_load(1, overflow=True)
    seen, simulation = seen_behind(flows, 20.0, rate=CAPACITY, delay=0.001, buffer=50, discipline=switch)
    half_red, green = simulation.state.flows
    arrived = [one for one in seen if one.flow == 0]
    reds = sum(one.colour == RED for one in arrived)
    assert min(half_red.dropped, green.dropped) > 1000
    # of 15,000 packets 7,500 were red: nearly all that were lost (a green one only when no red one waited)
    assert reds == pytest.approx(half_red.sent / 2 - half_red.dropped, abs=0.02 * half_red.dropped)
    assert sum(one.colour == RED for one in seen if one.flow == 1) == 0


def test_without_colours_arrivals_are_dropped():
    switch = queues.loss_load(1, colours=False)
    assert switch.service == "fifo"
    data = run(network(switch, rates=(0.75, 0.5), reds=(1.0, 0.0)), duration=100, rng=1, progress=False)
    assert float(data.loss[0]) == pytest.approx(3 / 13, abs=0.006)


@pytest.mark.parametrize(
    ("switch", "flow", "until", "excess"),
    [
        # The second flow ends with its last packet, at 0.02 s: from then on the first one is alone.
        ({"silence": 100.0}, {"file": 10_000}, 0.0185, -0.5),
        ({"silence": 100.0}, {"file": 10_000}, 0.1, -1.0),
        ({"silence": 100.0, "farewell": False}, {"file": 10_000}, 0.5, -0.5),
        # It stops at 0.1 s, before the last packet of its file.
        ({"silence": 0.05}, {"stop": 0.1}, 0.2, -1.0),
        ({"silence": 0.5}, {"stop": 0.1}, 0.2, -0.5),
    ],
)
def test_a_flow_that_ends_counts_no_more(switch, flow, until, excess):
    """Two flows of half of the capacity: for the first a = -1/2 and b = 1/8, and alone a = -1 and b = 0."""
    net = network(queues.loss_load(2, **switch), rates=(0.5,), reds=(0,))
    net.flow(STUBBORN, path=["n0", "n1"], packet=1000, parameters={"rate": 0.5 * CAPACITY}, **flow)
    assert feedback_of(simulated(net, until))[0] == pytest.approx([excess, (1 + excess) ** 3, CAPACITY])


@pytest.mark.parametrize("window", [0.0, 0.02])
def test_rates_are_measured_where_none_are_declared(window):
    """The rate of uncontrolled traffic, 3/10, is measured over 20 ms, beside a source that declares 1/4."""
    net = network(queues.loss_load(2, window=window), rates=(0.25,), reds=(0,))
    net.flow(traffic.constant(0.3 * CAPACITY), path=["n0", "n1"], packet=1000)
    simulation = simulated(net, 0.5)
    excess, spread, _ = feedback_of(simulation)[0]
    assert excess == pytest.approx(-0.7, abs=1 / 20 / 2 + 0.05)  # a packet more or less in a window
    assert spread == pytest.approx((1 + excess) ** 3)


def test_headers_of_others_are_left_alone():
    """Rates of flows whose headers mean something else are measured: explicit-feedback sources write inf there."""
    net = Network().link("a", "b", rate=1e6, delay=0.01, discipline=queues.loss_load(3, 0.9), buffer=50)
    net.link("b", "a", rate=1e6, delay=0.01)
    for name in ("loss-load", "explicit-feedback", "hop-by-hop", "xcp"):
        net.flow(name, path=["a", "b"], packet=1000)
    one = Simulation(net, rng=1)
    for step in range(40):
        one.advance(0.05 * (step + 1))
        source = of_flow(one)
        excess, spread, capacity = source.excess, source.spread, source.capacity
        assert capacity in (0.0, 0.9e6)
        assert -1.0 <= excess < 10.0
        assert 0.0 <= spread < 1e4
    one.packet_counts()
    goodput = one.state.flows["received_bytes"] / 2.0
    assert goodput.sum() > 0.8e6
    assert (goodput > 1e4).all()


def test_powers_are_not_found_by_subtraction():
    """A source of 1 beside one of 1/1000 with k = 20: for the first b = 1e-63, which 1 + 1e-63 - 1 is not."""
    simulation = simulated(network(queues.loss_load(20), rates=(1.0, 0.001), reds=(0, 0)), 0.5)
    assert feedback_of(simulation)[0][1] == pytest.approx(1e-63, rel=1e-12)


def test_connections_that_come_and_go():
    """Files arrive at random; when all have ended, the list of flows is empty."""
    link = {"rate": CAPACITY, "delay": 0.001, "buffer": 50, "discipline": queues.loss_load(2), "back": CAPACITY}
    net = one_link(traffic.arrivals(20, by="loss-load"), **link, packet=1000, file=20_000, stop=5.0)
    simulation = simulated(net, 20.0, 2)
    assert simulation.state.row.connections > 50
    assert of_link(simulation).first_flow == END
    known = queues.loss_load(2).flow_columns
    words = simulation.state.row.flow_state_words
    rows = [known.read(simulation.state.flow_state, f, words) for f in range(len(simulation.state.flows))]
    assert {int(row.next) for row in rows} == {OUT}
    assert max(row.last_arrival for row in rows) > 1.0


def test_a_link_without_transmission_time():
    """A link of infinite capacity drops nothing and gives no feedback; the source gets that of the other link."""
    net = Network().link("a", "b", rate=math.inf, delay=0.01, buffer=5, discipline=queues.loss_load(2))
    net.link("b", "c", rate=CAPACITY, delay=0.01, buffer=50, discipline=queues.loss_load(2))
    net.flow(STUBBORN, path=["a", "b", "c"], ack_path="ideal", packet=1000, parameters={"rate": 0.5 * CAPACITY})
    simulation = simulated(net, 1.0)
    assert feedback_of(simulation)[0] == pytest.approx([-1.0, 0.0, CAPACITY])
    assert simulation.state.flows[0].dropped == 0
