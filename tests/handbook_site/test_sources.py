"""The sources of the handbook: every page of the repository is in it, and every name in a table of contents exists."""

import re
from pathlib import Path

from docs.handbook import front, staging

ROOT = Path(__file__).parents[2]


def listed(folder):
    """Return the names in all tables of contents."""
    pages = (path.read_text(encoding="utf-8") for path in folder.rglob("*.md"))
    tables = (table for page in pages for table in re.findall(r"^```\{toctree\}\n(.*?)^```", page, re.S | re.M))
    return [line.lstrip("/") for table in tables for line in table.splitlines() if line.startswith("/")]


def test_every_page_of_the_repository_is_in_a_table_of_contents(written):
    folder, names = written
    assert sorted(listed(folder)) == sorted({*names} - {"index"})  # each once: a page has one place


def test_the_pages_are_those_of_the_repository():
    top = {path.name for path in ROOT.glob("*.md")}
    assert top <= {path.name for path in staging.pages()}
    assert set((ROOT / "docs").rglob("*.md")) <= {*staging.pages()}


def test_files_behind_links_come_along(written):
    folder, _ = written
    assert (folder / "docs" / "glossary.md").is_file()
    assert (folder / "tests" / "plugins" / "aimd.py").is_file()
    assert (folder / "figures" / "today_buffer.png").is_file()


def test_groups_of_guides_name_pages():
    assert all((ROOT / f"{name}.md").is_file() for names in front.GUIDES.values() for name in names)
