"""Pages of the repository in the handbook: copied with the files that they link to, so that their links hold."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def pages(root: Path = ROOT) -> list[Path]:
    """Return the paths of the pages, in the order of their names."""
    top = [root / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "ERRATA.md", "README.md")]
    figures = sorted((root / "figures").glob("*.md"))
    return [*top, *sorted((root / "docs").rglob("*.md")), *figures, root / "notebooks" / "README.md"]


def linked(page: Path) -> list[Path]:
    """Return the files that a page links to, without anchors and without addresses elsewhere."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    places = (one.partition("#")[0] for one in links if "://" not in one)
    return [(page.parent / place).resolve() for place in places if place]


def stage(into: Path, root: Path = ROOT) -> list[Path]:
    """Copy the pages and what they link to; return the paths of the pages below the folder.

    A link that leads nowhere is left to Sphinx, which names the page and the line.
    """
    chosen = pages(root)
    files = {target for page in chosen for target in linked(page) if target.is_file()}
    for path in {*chosen, *files}:
        place = into / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return [into / page.relative_to(root) for page in chosen]
