"""The pages of `docs`: generated ones are what the code gives, and the page by hand names what there is."""

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import numba
import pytest

from docs import advice, import_graph, linux, pages, peers, size
from longfat import sim
from longfat.sim.kernel import records

ROOT = Path(__file__).parents[1]
SIM = ROOT / "models" / "longfat" / "sim"
ENGINE = (ROOT / "docs" / "engine.md").read_text()


@pytest.mark.parametrize(
    ("module", "name"), [(one, name) for one in (pages, advice, linux, peers) for name in one.PAGES]
)
def test_generated_pages_match_the_code(module, name):
    """Otherwise: ``make docs``, and of stored runs ``python -m docs.advice``, ``docs.linux`` and ``docs.peers``."""
    assert (ROOT / "docs" / name).read_text() == module.PAGES[name]()


def test_every_function_is_listed():
    dispatcher = numba.core.registry.CPUDispatcher
    public = {name for name in sim.__all__ if isinstance(getattr(sim, name), dispatcher)}
    listed = list(itertools.chain(*pages.FUNCTIONS.values()))
    if public:  # with jit off they are plain functions
        assert set(listed) == public
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("page", ["engine.md", "plug-ins.md"])
def test_names_and_paths_on_pages_exist(page):
    text = (ROOT / "docs" / page).read_text()
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (ROOT / "docs" / link).exists(), link
    for path in re.findall(r"`([\w/*]+(?:\.(?:py|csv)|/))`", text):
        assert any(any(folder.glob(path)) for folder in (SIM, ROOT)), path


def test_sizes_of_records():
    """In the order in which the row names them; packets have theirs alone."""
    table = ENGINE.partition("| owner | record |")[2].partition("\n\n")[0]
    seen = []
    for line in table.splitlines()[2:]:
        names, sizes = re.findall(r"`([A-Z_]+)`", line.split("|")[2]), re.findall(r"\d+", line.split("|")[3])
        assert [getattr(records, name).itemsize for name in names[: len(sizes)]] == list(map(int, sizes))
        seen += names
    assert set(seen) == {"PACKET", "EXTRA", "LINK", "HOP", "BACKLOG_ENTRY", "QUEUE"} | {
        name for name in vars(records) if any(getattr(records, name) is one for one in records.OF_FLOWS.values())
    }


#: Class of a text in `engine.svg` -> upper bound of the mean width of its letters [px], a part of the font size.
LETTERS = {"title": 0.6 * 15, "file": 0.61 * 12, "word": 0.56 * 13}
DRAWING = ElementTree.parse(ROOT / "docs" / "engine.svg").getroot()
DISC = "{*}g[@class='disc']", "{*}g[@class='disc arrivals']"


def boxes():
    return [one for one in DRAWING.iterfind("{*}g") if one.get("class", "").startswith("box")]


def discs(parent):
    return [one for path in DISC for one in parent.iterfind(path)]


def numbers(element, *names):
    return tuple(int(element.get(name)) for name in names)


def area(element):
    """Return left, top, right and bottom of a rectangle, of a circle, or of an area that contains a line of text."""
    if element.tag.endswith("rect"):
        x, y, width, height = numbers(element, "x", "y", "width", "height")
        return x, y, x + width, y + height
    if element.tag.endswith("circle"):
        x, y, r = numbers(element, "cx", "cy", "r")
        return x - r, y - r, x + r, y + r
    x, y = numbers(element, "x", "y")
    width = len(element.text) * LETTERS[element.get("class", "word")]
    left = x - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")]
    return left, y - 12, left + width, y + 4


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def inside(one, other, margin=0):
    """Return whether the first area is inside the second, with a margin at the right and the bottom."""
    return other[0] <= one[0] and other[1] <= one[1] and one[2] <= other[2] - margin and one[3] <= other[3] - margin


def test_every_kind_of_event_is_in_the_drawing():
    events = DRAWING.findall("{*}g[@data-kind]")
    kinds = {one.get("data-kind") for one in events}
    assert kinds == {"ARRIVAL", "DEPARTURE", "SWITCH_CLOCK", "SAMPLING", "WAKE"} | {
        f"CLOCK + {name}" for name in ("RTO", "PACE", "ALARM")
    }
    assert all(hasattr(records, word) for kind in kinds for word in kind.split(" + "))
    explained = {disc.findtext("{*}text"): disc.get("class") for one in events for disc in discs(one)}
    on_the_path = {disc.findtext("{*}text"): disc.get("class") for disc in discs(DRAWING)}
    # S: sampling, which concerns no packet
    assert on_the_path == {letter: kind for letter, kind in explained.items() if letter != "S"}
    heaps = [area(one.find("{*}rect")) for one in boxes() if "heap" in one.get("class")]
    for event in events:
        (disc,) = discs(event)
        (heap,) = (heap for heap in heaps if inside(area(disc.find("{*}circle")), heap))
        assert inside(area(event.find("{*}text")), heap), event.findtext("{*}text")
        assert ("arrivals" in disc.get("class")) == (heap == heaps[0])


def test_nothing_is_on_top_of_another():
    """The frame of the link has other boxes inside."""
    shapes = [one.find("{*}rect") for one in boxes() if "frame" not in one.get("class")]
    shapes += [one.find("{*}circle") for one in discs(DRAWING)] + DRAWING.findall("{*}text")
    sheet = (0, 0, *numbers(DRAWING, "width", "height"))
    for one, other in itertools.combinations(shapes, 2):
        assert apart(area(one), area(other)), (one.attrib, other.attrib)
    assert all(inside(area(one), sheet) for one in shapes)


def test_words_fit_into_their_boxes():
    for box in boxes():
        for text in box.iterfind("{*}text"):
            assert inside(area(text), area(box.find("{*}rect")), margin=2), text.text


def test_files_in_the_drawing_exist():
    for text in DRAWING.iterfind(".//{*}text[@class='file']"):
        for path in re.findall(r"[\w/*]+\.py", text.text):
            assert any(SIM.glob(path)), path


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


@pytest.mark.parametrize(
    ("inside", "head"), [("", "| subpackage of `models/longfat` |"), ("sim", "| subpackage of `sim/` |")]
)
def test_every_subpackage_has_a_line(inside, head):
    table = ARCHITECTURE.partition(head)[2].partition("\n\n")[0]
    named = [name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)(?:/|\.py)`", line.split("|")[1])]
    assert sorted(named) == sorted(set(size.dependencies(inside=inside)) - {"_version"})


def test_files_of_the_architecture_exist():
    """Below the package, the simulator or the repository; names in angle brackets stand for any."""
    for path in re.findall(r"`([\w/<>]+\.(?:py|js)|[\w/]+/)`", ARCHITECTURE):
        pattern = re.sub(r"<\w+>", "*", path)
        assert any(any(folder.glob(pattern)) for folder in (SIM.parent, SIM, ROOT)), path
    assert len(ARCHITECTURE.splitlines()) <= 100


def test_the_drawing_of_the_import_graph():
    """There is a dot for each import, to the right of the diagonal."""
    package, simulator = size.dependencies(), size.dependencies(inside="sim")
    package = {name: others - {"_version"} for name, others in package.items() if name != "_version"}
    drawn = re.findall(r'<circle cx="(\d+)" cy="(\d+)"', import_graph.svg())
    assert len(drawn) == sum(map(len, [*package.values(), *simulator.values()]))
    for graph in (package, simulator):
        names = import_graph.ordered(graph)
        assert all(names.index(one) > k for k, name in enumerate(names) for one in graph[name])
