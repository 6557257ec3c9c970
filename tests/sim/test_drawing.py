"""Pictures of networks: well-formed, everything said, nothing on top of another, left before right."""

import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given

from longfat.sim import Network, drawing, queues, traffic
from tests.examples import examples
from tests.sim.networks import build
from tests.sim.test_scenario import networks

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = {
    "dumbbell": Network.dumbbell(["reno"] * 5, rate="10 Mbit/s", delay="20 ms", buffer=50, access_rate="1 Gbit/s"),
    "parking lot": Network.parking_lot(4, "reno", rate="10 Mbit/s", delay="5 ms", buffer="64 KiB", file="2 MB"),
    "chain": Network.chain(6, rate="10 Mbit/s", discipline=queues.red(), buffer=30, loss=0.01),
}


def words(net):
    """Each text of a picture and where it stands."""
    root = ElementTree.fromstring(net.draw())
    assert root.tag == f"{SVG}svg"
    texts = [one for one in root.iter(f"{SVG}text") if one.get("aria-hidden") is None]
    return [(one.text or "", float(one.get("x")), float(one.get("y")), one.get("text-anchor")) for one in texts]


@given(networks())
@examples(50)
def test_well_formed(net):
    """Whatever the names; every number finite."""
    picture = net.draw()
    ElementTree.fromstring(picture)
    assert not re.search(r"\b(nan|inf)\b", re.sub(r">[^<]*<", "><", picture))
    assert set(drawing.layout(net)) == set(net.nodes)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_usual_shapes(shape):
    net = SHAPES[shape]
    texts = words(net)
    said = [text for text, *_ in texts]
    for node in net.nodes:
        assert node in said
    for flow in net.flows:
        assert flow.name in said
        assert " → ".join(flow.path) in said
    # Text as wide as its letters, 7 px each, does not overlap other text.
    boxes = []
    for text, x, y, anchor in texts:
        left = x - 3.5 * len(text) if anchor == "middle" else x
        boxes.append((left, y - 10, left + 7 * len(text), y))
    for (a, b, c, d), (e, f, g, h) in itertools.combinations(boxes, 2):
        assert c <= e or g <= a or d <= f or h <= b
    size = re.search(r'width="(\d+)" height="(\d+)"', net.draw())
    assert all(a >= 0 and c <= int(size[1]) and d <= int(size[2]) for a, b, c, d in boxes)
    places = drawing.layout(net)
    assert len(set(places.values())) == len(places)
    for flow in net.flows:
        columns = [places[node][0] for node in flow.path]
        assert columns == sorted(set(columns))


def test_what_is_said():
    said = [text for text, *_ in words(SHAPES["dumbbell"])]
    assert said.count("10 Mbit/s, 20 ms") == said.count("50 packets") == 1
    assert said.count("1 Gbit/s") == 10  # five hosts on each side
    said = [text for text, *_ in words(SHAPES["chain"])]
    assert said.count("30 packets, red, loss 0.01") == 6
    net = Network().link("house", "exchange", rate="1 Mbit/s", delay="10 ms", buffer=20)
    net.link("exchange", "house", rate="16 Mbit/s", jitter="1 ms").flow("reno", path=["exchange", "house"], count=5)
    net.flow(traffic.arrivals(3, "sack"), path=["house", "exchange"], file="30 kB")
    said = [text for text, *_ in words(net)]
    assert {"← 1 Mbit/s, 10 ms, 20 packets", "→ 16 Mbit/s, jitter 1 ms"} <= set(said)
    assert {"5 times reno", "arrivals, sack, 30 kB"} <= set(said)


def test_where_flows_do_not_go():
    """Nodes that no flow visits have a place of their own; many flows are counted, large networks not drawn."""
    net = Network.chain(1, rate=1e6).link("n1", "aside", rate=1e6).link("aside", "further", rate=1e6)
    net.link("alone", "together", rate=1e6)
    for _ in range(20):
        net.flow("reno", path=["n0", "n1"])
    assert len(set(drawing.layout(net).values())) == 6
    said = [text for text, *_ in words(net)]
    assert "and 6 more" in said
    assert net._repr_svg_() == net.draw()
    assert Network()._repr_svg_() is None
    assert Network.chain(100, rate=1)._repr_svg_() is None
    assert words(Network("nothing")) == [("nothing", 30, 24, None)]


@pytest.mark.parametrize("seed", range(20))
def test_the_tests_own_networks(seed):
    net = build(seed)
    places = drawing.layout(net)
    assert set(places) == set(net.nodes)
    assert len(set(places.values())) == len(places)
    words(net)
