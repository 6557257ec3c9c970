"""Sections of ``docs/rules`` about one scheme, discipline or service, found by their headings or first lines."""

from __future__ import annotations

import functools
import re
from pathlib import Path, PurePosixPath

from docs.handbook.staging import ROOT

FOLDER = ROOT / "docs" / "rules"
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\((?!https?:|/|#)([^)#\s]*)(#[^)\s]*)?\)")


@functools.cache
def sections() -> dict[tuple[str, str], tuple[Path, str, str]]:
    """Return page, heading and text of each section, by the kind and the name of the plug-in that is its subject.

    >>> ("scheme", "cubic") in sections(), ("service", "fq-codel") in sections()
    (True, True)
    """
    found: dict[tuple[str, str], tuple[Path, str, str]] = {}
    for path in sorted(FOLDER.glob("*.md")):
        _, *parts = _HEADING.split(path.read_text(encoding="utf-8"))
        for heading, text in zip(parts[::2], parts[1::2], strict=True):
            for key in _subjects(path, heading, text):
                found.setdefault(key, (path, heading, text.strip()))
    return found


def _subjects(path: Path, heading: str, text: str) -> list[tuple[str, str]]:
    """Return the plug-ins that are the subjects of a section, as (kind, name)."""
    if path.stem == "queue-disciplines":
        named = re.findall(r"(service )?`([\w-]+)`", heading.partition(": ")[0], re.IGNORECASE)
        return [("service" if service else "discipline", name) for service, name in named]
    first = text.strip().split(". ")[0]
    return [("scheme", name) for name in re.findall(r"`([\w-]+)`", first)] if first.startswith("`") else []


def absolute(text: str, page: Path, root: Path = ROOT) -> str:
    """Return a text with the links of the page that it comes from as links from the top of the site.

    >>> absolute("[a](../b.md#c) [d](#e)", ROOT / "docs" / "rules" / "tcp.md")
    '[a](/docs/b.md#c) [d](/docs/rules/tcp.md#e)'
    """
    folder = PurePosixPath("/") / page.parent.relative_to(root).as_posix()

    def moved(found: re.Match[str]) -> str:
        parts: list[str] = []
        for part in (folder / found[1]).parts[1:]:
            parts = parts[:-1] if part == ".." else [*parts, part]
        return f"](/{'/'.join(parts)}{found[2] or ''})"

    text = re.sub(r"\]\((#[^)\s]*)\)", lambda one: f"]({page.name}{one[1]})", text)
    return _LINK.sub(moved, text)


def about(kind: str, name: str) -> str:
    """Return the rules of a scheme, discipline or service as Markdown, with the page that they stand on."""
    if (kind, name) not in sections():
        return ""
    path, heading, text = sections()[kind, name]
    anchor = re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-")
    place = path.relative_to(ROOT).as_posix()
    return f"{absolute(text, path)}\n\nFrom [{heading}](/{place}#{anchor}), which explains the columns.\n"
