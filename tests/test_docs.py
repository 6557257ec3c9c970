"""The pages of `docs`: generated ones are what the code gives, and the page by hand names what there is."""

import itertools
import re
from pathlib import Path

import numba
import pytest

from docs import advice, drawing, import_graph, linux, pages, peers, size
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


def test_every_kind_of_event_is_in_the_drawing():
    kinds = {name for name, _, _ in drawing.EVENTS.values()}
    assert kinds == {"ARRIVAL", "DEPARTURE", "SWITCH_CLOCK", "SAMPLING", "WAKE"} | {
        f"CLOCK + {name}" for name in ("RTO", "PACE", "ALARM")
    }
    assert all(hasattr(records, word) for kind in kinds for word in kind.split(" + "))
    assert {letter for letter, _, _ in drawing.DISCS} == set(drawing.EVENTS) - {"S"}  # no packet meets a sample


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def areas():
    """Yield left, top, right and bottom of the boxes (except the frame of the link), discs and texts."""
    for box in drawing.BOXES:
        if box is not drawing.LINK:
            yield box.title, (box.x, box.y, box.x + box.width, box.y + box.height)
    for letter, x, y in drawing.DISCS:
        r = drawing.RADIUS
        yield f"disc {letter}", (x - r, y - r, x + r, y + r)
    for x, y, anchor, text in drawing.WORDS:
        width = drawing.width_of(text, "word")
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        yield text, (left, y - 12, left + width, y + 4)


def test_nothing_is_on_top_of_another():
    for (name, one), (other, two) in itertools.combinations(areas(), 2):
        assert apart(one, two), f"{name!r} and {other!r}"
    for _, (left, top, right, bottom) in areas():
        assert 0 <= left < right <= drawing.WIDTH
        assert 0 <= top < bottom <= drawing.HEIGHT


def test_words_fit_into_their_boxes():
    for box in drawing.BOXES:
        for text, kind, _ in box.lines:
            assert drawing.width_of(text, kind) <= box.width - 12, text
        assert 5 + sum(height for *_, height in box.lines) <= box.height - 4, box.title
    for letter, x, y, text in drawing.listed():
        box = drawing.HEAP_ARRIVALS if drawing.EVENTS[letter][1] == "arrivals" else drawing.HEAP_CLOCKS
        assert x + 18 + drawing.width_of(text, "word") <= box.x + box.width
        assert y + drawing.RADIUS < box.y + box.height


def test_files_in_the_drawing_exist():
    for box in drawing.BOXES:
        for line in box.files:
            for path in re.findall(r"[\w/*]+\.py", line):
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
    """A dot for each import, to the right of the diagonal."""
    package, inside = size.dependencies(), size.dependencies(inside="sim")
    package = {name: others - {"_version"} for name, others in package.items() if name != "_version"}
    drawn = re.findall(r'<circle cx="(\d+)" cy="(\d+)"', import_graph.svg())
    assert len(drawn) == sum(map(len, [*package.values(), *inside.values()]))
    for graph in (package, inside):
        names = import_graph.ordered(graph)
        assert all(names.index(one) > k for k, name in enumerate(names) for one in graph[name])
