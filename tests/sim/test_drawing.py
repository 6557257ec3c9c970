"""Drawings of networks: well-formed, complete, without overlaps, from left to right."""

import itertools
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given

from longfat import benchmark
from longfat.sim import Network, queues
from longfat.sim.network import drawing, traffic
from tests.examples import examples
from tests.sim.test_scenario import networks

SVG = "{http://www.w3.org/2000/svg}"


def layout(net):
    return drawing.grid(list(net.nodes), list(net.links), [flow.path for flow in net.flows])


def words(net):
    """Return each text of a drawing and its place."""
    root = ElementTree.fromstring(net.draw())
    assert root.tag == f"{SVG}svg"
    texts = [one for one in root.iter(f"{SVG}text") if one.get("aria-hidden") is None]
    return [(one.text or "", float(one.get("x")), float(one.get("y")), one.get("text-anchor")) for one in texts]


def apart(net):
    """Where the texts are, each as wide as its letters, 7 px each: none lies on another."""
    boxes = []
    for text, x, y, anchor in words(net):
        left = x - 3.5 * len(text) if anchor == "middle" else x
        boxes.append((left, y - 10, left + 7 * len(text), y))
    for (a, b, c, d), (e, f, g, h) in itertools.combinations(boxes, 2):
        assert c <= e or g <= a or d <= f or h <= b
    return boxes


def attached(net):
    """Every line ends in the boxes that it joins; as many lines as all the drawn flows have hops."""
    root, drawn = ElementTree.fromstring(net.draw()), drawing.sketch(net)
    shapes = [one for one in root.iter(f"{SVG}rect") if one.get("class") == "node"]
    edges = [tuple(float(one.get(name)) for name in ("x", "y", "width", "height")) for one in shapes]
    boxes = dict(zip(drawn.boxes, edges, strict=True))
    lines = [one for one in root.iter(f"{SVG}polyline") if one.get("class") == "flow"]
    hops = [(bundle, pair) for bundle in drawn.bundles for pair in itertools.pairwise(bundle.flow.path)]
    for line, (bundle, pair) in zip(lines, hops, strict=True):
        assert line.find(f"{SVG}title").text == ": ".join(bundle.words)
        for node, end in zip(pair, line.get("points").split(), strict=True):
            (x, y), (left, top, wide, high) = map(float, end.split(",")), boxes[node]
            inside = left <= x <= left + wide and top <= y <= top + high
            assert inside, (pair, end, boxes[node])
    swatches = [one for one in root.iter(f"{SVG}polyline") if one.get("class") == "swatch"]
    looks = [(one.get("stroke"), one.get("stroke-dasharray")) for one in swatches]
    assert len(looks) == len(drawn.bundles)
    assert len(set(looks)) == min(len(looks), len(drawing.COLOURS) * len(drawing.DASHES))
    names = [name for bundle in drawn.bundles for name in bundle.names]
    assert sorted(names) == sorted(flow.name for flow in net.flows)


def dumbbell(count, schemes=("reno",), **more):
    return Network.dumbbell([schemes[k % len(schemes)] for k in range(count)], rate="10 Mbit/s", delay="20 ms",
                            buffer=50, access_rate="1 Gbit/s", **more)  # fmt: skip


def chain(flows):
    net = Network.chain(6, rate="10 Mbit/s", discipline=queues.red(), buffer=30, loss=0.01)
    for k in range(flows):
        net.flow(["reno", "vegas", "sack"][k % 3], path=[f"n{i}" for i in range(k % 5, 7)])
    return net


FLOWS = (1, 2, 5, 8, 20, 50)
MANY = {
    **{f"dumbbell, {n}": dumbbell(n) for n in FLOWS},
    **{f"mixed, {n}": dumbbell(n, ("reno", "vegas", "sack", "tahoe")) for n in FLOWS},
    "all different, 20": dumbbell(20, access_delay=[f"{k} ms" for k in range(1, 21)]),
    "all different, 50": dumbbell(50, access_delay=[f"{k} ms" for k in range(1, 51)]),
    **{f"parking lot, {n}": Network.parking_lot(n, "reno", rate="10 Mbit/s", delay="5 ms", buffer=20) for n in FLOWS},
    **{f"chain, {n}": chain(n) for n in FLOWS},
    **{f"experiment {name}": benchmark.build(one, benchmark.ENTRIES["packet-pair"])
       for name, one in benchmark.VARIANTS.items()},
}  # fmt: skip


@pytest.mark.parametrize("name", MANY)
def test_lines_end_in_boxes_and_texts_are_apart(name):
    attached(MANY[name])
    apart(MANY[name])


def test_flows_of_one_kind_are_one_line():
    """Of fifty flows, as many lines as kinds: another delay on the path is another kind, a later start is not."""
    count = {name: len(drawing.sketch(net).bundles) for name, net in MANY.items()}
    assert (count["dumbbell, 8"], count["dumbbell, 50"], count["mixed, 50"]) == (8, 1, 4)
    assert (count["all different, 50"], count["experiment 1"]) == (50, 3)  # connection 1, the ten newcomers, the probe
    said = [text for text, *_ in words(MANY["dumbbell, 50"])]
    assert {"reno-1 … reno-50", "50 flows, each reno", "source-1 … source-50"} <= set(said)
    other = dumbbell(9)
    other.flow("reno", path=["source-9", "left", "right", "sink-9"], packet=500)
    assert len(drawing.sketch(other).bundles) == 3  # eight alike, two on one path with other packets
    assert MANY["dumbbell, 50"]._repr_svg_() == MANY["dumbbell, 50"].draw()


def test_as_wide_as_its_page():
    """JupyterLab cut the picture of experiment 1 off."""
    root = ElementTree.fromstring(MANY["experiment 1"].draw())
    assert (root.get("width"), root.get("height")) == ("100%", None)
    assert float(root.get("viewBox").split()[2]) >= 900


@given(networks())
@examples(12)
def test_well_formed(net):
    """With any names, the file is valid, every number is finite, and every line ends in its boxes."""
    attached(net)
    picture = net.draw()
    ElementTree.fromstring(picture)
    assert not re.search(r"\b(nan|inf)\b", re.sub(r">[^<]*<", "><", picture))
    places = layout(net)
    assert set(places) == set(net.nodes)
    assert len(set(places.values())) == len(places)


@pytest.mark.parametrize("name", ["dumbbell, 5", "parking lot, 5", "chain, 5"])
def test_the_usual_shapes(name):
    net = MANY[name]
    said = [text for text, *_ in words(net)]
    for node in net.nodes:
        assert node in said
    for flow in net.flows:
        assert flow.name in said
        assert " → ".join(flow.path) in said
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', net.draw())
    assert all(a >= 0 and c <= int(size[1]) and d <= int(size[2]) for a, b, c, d in apart(net))
    places = layout(net)
    for flow in net.flows:
        columns = [places[node][0] for node in flow.path]
        assert columns == sorted(set(columns))


def test_labels_of_flows_and_links():
    said = [text for text, *_ in words(MANY["dumbbell, 5"])]
    assert said.count("10 Mbit/s, 20 ms") == said.count("50 packets") == 1
    assert said.count("1 Gbit/s") == 10  # five hosts on each side
    said = [text for text, *_ in words(MANY["chain, 1"])]
    assert said.count("30 packets, red, loss 0.01") == 6
    net = Network().link("house", "exchange", rate="1 Mbit/s", delay="10 ms", buffer=20)
    net.link("exchange", "house", rate="16 Mbit/s", jitter="1 ms", buffer=1).flow(
        "reno", path=["exchange", "house"], count=5
    )
    net.flow(traffic.arrivals(3, "sack"), path=["house", "exchange"], file="30 kB")
    said = [text for text, *_ in words(net)]
    assert {"← 1 Mbit/s, 10 ms, 20 packets", "→ 16 Mbit/s, 1 packet, jitter 1 ms"} <= set(said)
    assert {"5 times reno", "arrivals, sack, 30 kB"} <= set(said)


def test_where_flows_do_not_go():
    """Nodes that no flow visits have a place of their own; many flows are counted, large networks not drawn."""
    net = Network.chain(1, rate=1e6).link("n1", "aside", rate=1e6).link("aside", "further", rate=1e6)
    net.link("alone", "together", rate=1e6)
    for _ in range(20):
        net.flow("reno", path=["n0", "n1"])
    assert len(set(layout(net).values())) == 6
    said = [text for text, *_ in words(net)]
    assert {"reno-1 … reno-20", "20 flows, each reno"} <= set(said)
    links = [one for one in ElementTree.fromstring(net.draw()).iter(f"{SVG}polyline") if one.get("class") == "link"]
    assert len(links) == 4  # also those that no flow crosses
    assert net._repr_svg_() == net.draw()
    assert Network()._repr_svg_() is None
    assert Network.chain(100, rate=1)._repr_svg_() is None
    assert words(Network("nothing")) == [("nothing", 30, 24, None)]
