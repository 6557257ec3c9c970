"""The front page and the other pages: links, targets, commands and lists agree with the code.

Their examples run as doctests: `pyproject.toml` names the pages.
"""

import re
from configparser import ConfigParser
from pathlib import Path

from longfat import cli
from longfat.sim import queues, schemes

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "ERRATA.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "figures" / "README.md",
    ROOT / "notebooks" / "README.md",
]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def text_of(path):
    return path.read_text(encoding="utf-8")


def anchors(text):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one.lower()).strip().replace(" ", "-") for one in headings}


def broken(path, text):
    """Return the links of a page that lead nowhere in the repository."""
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        place, _, anchor = link.partition("#")
        target = (path.parent / place).resolve() if place else path
        if not target.exists() or (anchor and anchor not in anchors(text_of(target))):
            found.append(link)
    return found


def test_links_lead_somewhere():
    assert {path.name: found for path in PAGES if (found := broken(path, text_of(path)))} == {}


def test_broken_links_are_found():
    page = "[a](README.md) [b](nowhere.md) [c](README.md#nowhere) [d](https://example.org) [e](README.md#five-tasks)"
    assert broken(ROOT / "README.md", page) == ["nowhere.md", "README.md#nowhere"]


def test_the_front_page_is_short():
    text = text_of(ROOT / "README.md")
    assert len(text.splitlines()) <= 80
    assert len(re.findall(r"^\*\*.+\?\*\*", text, re.MULTILINE)) == 5


def test_the_documentation_stays_short():
    """Ours, because nobody reads 99,000 words, which there were; long tables belong into docs/data."""
    words = {path: len(text_of(path).split()) for path in (ROOT / "docs").rglob("*.md")}
    assert sum(words.values()) <= 50_000
    assert max(words.values()) <= 6_000


def test_every_page_can_be_reached():
    """From the front page, over links."""
    seen, left = set(), [ROOT / "README.md"]
    while left:
        path = left.pop()
        if path in seen or path.suffix != ".md" or not path.is_file():
            continue
        seen.add(path)
        links = re.findall(r"\]\(([^)#\s]+)", text_of(path))
        left += [(path.parent / link).resolve() for link in links if "://" not in link]
    assert sorted(path.relative_to(ROOT).as_posix() for path in set(PAGES) - seen) == []


def test_targets_and_commands_exist():
    for path in PAGES:
        text = text_of(path)
        assert set(re.findall(r"(?:`|\$ )make ([a-z-]+)", text)) <= TARGETS, path
        assert set(re.findall(r"(?:`|\$ )longfat ([a-z-]+)", text)) <= {*cli.commands.commands}, path


def test_files_of_contributors_exist():
    """In tables and commands, but for those that are to be written."""
    text = text_of(ROOT / "CONTRIBUTING.md")
    named = re.findall(r"^\| \[?`([^`]+)`|(?<= )((?:tests|docs|figures)/[\w./]+|tests/[\w/]+)", text, re.MULTILINE)
    paths = {path for pair in named for path in pair if "/" in path and not re.search("NAME|FAMILY", path)}
    assert len(paths) > 10
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


def test_every_target_has_a_line_of_help():
    phony = set(re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split())
    helped = set(re.findall(r"^([a-z-]+):[^\n]*## [A-Z]", MAKEFILE, re.MULTILINE))
    assert phony == helped


def test_extras_are_listed():
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    table = text_of(ROOT / "docs" / "install.md").partition("| extra |")[2]
    cells = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(cells))) == {*config["options.extras_require"]}


def listed(heading):
    text = text_of(ROOT / "docs" / "simulator.md")
    return set(re.findall(r"`([\w-]+)`", re.search(rf"^- {heading}: (.+?)^- ", text, re.MULTILINE | re.DOTALL)[1]))


def test_every_scheme_and_discipline_is_listed():
    assert set(schemes.names()) <= listed("Schemes")
    assert set(queues.NAMED) <= listed("Disciplines")
