"""Pages of the repository in the handbook: copied with the files that they link to, so that their links hold.

Where a page names a law in its text, such as ``lf.laws.queues.mm1_wait``, the copy links to the page of the law, which
the repository does not have.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from longfat.handbook.law_records import address, laws

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)
LAW = re.compile(r"(?<!\[)`(?:lf|longfat)\.laws\.(\w+\.\w+)`(?!\])")


def pages(root: Path = ROOT) -> list[Path]:
    """Return the paths of the pages, in the order of their names."""
    top = [root / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "ERRATA.md", "README.md")]
    figures = sorted((root / "figures").rglob("*.md"))
    return [*top, *sorted((root / "docs").rglob("*.md")), *figures, root / "notebooks" / "README.md"]


def linked(page: Path) -> list[Path]:
    """Return the files that a page links to, without anchors and without addresses elsewhere."""
    links = LINK.findall(page.read_text(encoding="utf-8"))
    places = (one.partition("#")[0] for one in links if "://" not in one)
    return [(page.parent / place).resolve() for place in places if place]


def with_laws(text: str, addresses: Mapping[str, str]) -> str:
    """Return a page whose text links to the laws that it names; its code stays as it is.

    >>> with_laws("`lf.laws.queues.mm1_wait` at 1/2:", {"queues.mm1_wait": "/laws/queues/mm1_wait/index.md"})
    '[`lf.laws.queues.mm1_wait`](/laws/queues/mm1_wait/index.md) at 1/2:'
    """

    def linked(found: re.Match[str]) -> str:
        place = addresses.get(found[1])
        return f"[{found[0]}]({place})" if place else found[0]

    parts = FENCED.split(text)
    parts[::2] = [LAW.sub(linked, part) for part in parts[::2]]
    return "".join(parts)


def with_notebooks(text: str) -> str:
    """Return a page whose links to notebooks lead to their pages.

    >>> with_notebooks("[one](../notebooks/which_window.ipynb)")
    '[one](../notebooks/which_window.md)'
    """
    return re.sub(r"(\]\([\w./-]+)\.ipynb\)", r"\1.md)", text)


def stage(into: Path, root: Path = ROOT) -> list[Path]:
    """Copy the pages and the files to which they link; return the paths of the copied pages.

    A link that leads nowhere is left to Sphinx, which names the page and the line.
    """
    chosen = pages(root)
    files = {target for page in chosen for target in linked(page) if target.is_file()}
    for path in {*chosen, *files}:
        place = into / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    addresses = {one.public_name: f"/{address(one)}index.md" for one in laws()}
    for path in chosen:
        place = into / path.relative_to(root)
        place.write_text(with_laws(path.read_text(encoding="utf-8"), addresses), encoding="utf-8")
    return [into / page.relative_to(root) for page in chosen]
