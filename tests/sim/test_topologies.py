"""Common topologies against networks built by hand."""

import math

from longfat.sim import Network, queues, run
from longfat.sim.network import traffic


def test_dumbbell():
    net = Network.dumbbell(
        ["reno", traffic.constant("1 Mbit/s")],
        rate="10 Mbit/s", delay="20 ms", buffer=50, discipline=queues.red(), access_rate="100 Mbit/s",
        access_delay=["1 ms", 0.03], start=1, name="two",
    )  # fmt: skip
    by_hand = Network("two").link("left", "right", rate=1.25e6, delay=0.02, buffer=50, discipline="red", duplex=True)
    for k, delay in ((1, 0.001), (2, 0.03)):
        by_hand.link(f"source-{k}", "left", rate=1.25e7, delay=delay, duplex=True)
        by_hand.link("right", f"sink-{k}", rate=1.25e7, delay=delay, duplex=True)
    by_hand.flow("reno", path=["source-1", "left", "right", "sink-1"], start=1)
    by_hand.flow(traffic.constant(125000), path=["source-2", "left", "right", "sink-2"], start=1)
    assert net == by_hand
    assert net.name == by_hand.name
    alone = Network.dumbbell("reno", rate=1e6)
    assert len(alone.flows) == 1
    assert alone.links["source-1", "left"].rate == math.inf


def test_chain():
    net = Network.chain(2, rate=1e6, delay="1 ms", buffer="9 kB")
    by_hand = Network().link("n0", "n1", rate=1e6, delay=0.001, buffer="9 kB", duplex=True)
    assert net == by_hand.link("n1", "n2", rate=1e6, delay=0.001, buffer="9 kB", duplex=True)
    assert len(Network.chain(2, rate=1e6, duplex=False).links) == 2


def test_parking_lot():
    net = Network.parking_lot(3, "sack", cross=traffic.constant(1e5), rate=1e6, delay=0.001, buffer=9, stop=3)
    by_hand = Network.chain(3, rate=1e6, delay=0.001, buffer=9).flow("sack", path=net.nodes, name="long", stop=3)
    for k in range(3):
        by_hand.flow(traffic.constant(1e5), path=[f"n{k}", f"n{k + 1}"], name=f"cross-{k + 1}", stop=3)
    assert net == by_hand
    assert {flow.scheme.name for flow in Network.parking_lot(2, "reno", rate=1e6).flows} == {"reno"}
    # 1e5 of 1e6 bytes/s on each link, and the share of the long flow
    data = run(net, duration=3, rng=1, progress=False)
    assert (data.utilisation.values[::2] > 0.1).all()
