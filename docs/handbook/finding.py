"""Data that the search uses besides Sphinx's index: beginnings of pages, their kinds, synonyms of their subjects."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from docs.handbook import questions
from docs.handbook.staging import ROOT

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

FILE = "finding.js"
LONGEST = 220  # characters of the beginning of a page
ROW = re.compile(r"^\| ([^|]+) \|[^|]*\|[^|]*\| ([^|]+) \|[^|]*\|$")


def kind(page: str) -> str:
    """Return the kind of a page, by which the search ranks it; empty for pages of no ranked kind.

    >>> kind("questions/fairness"), kind("docs/fairness"), kind("laws/tcp/pftk_rate/index"), kind("CHANGELOG")
    ('question', 'guide', 'law', '')
    """
    first = page.partition("/")[0]
    if page in {name for one in questions.stored().values() for name in one["read"]}:
        return "guide"
    if not page.endswith("/index") and first == "questions":
        return "question"
    if first == "notebooks" and page != "notebooks/README":
        return "notebook"
    below = {"laws": 3, "schemes": 2, "disciplines": 2, "services": 2}.get(first)
    return first.rstrip("s") * (page.count("/") == below)


def terms() -> list[dict[str, Any]]:
    """Return the terms of the glossary with their other names, meanings and the anchors of their sections.

    >>> next(one["names"] for one in terms() if "BDP" in one["names"])
    ['bandwidth-delay product', 'BDP']
    """
    found, anchor = [], ""
    for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            anchor = "#" + re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        row = ROW.match(line)
        if row and row[1] not in ("term", "---"):
            names = [re.sub(r"\s*\(.*?\)", "", one).strip("` ") for one in row[1].split(", ")]
            found.append({"names": names, "about": row[2].strip(), "anchor": anchor})
    return found


def synonyms() -> list[tuple[str, str]]:
    """Return the abbreviations of the glossary with their long forms, both in small letters."""
    return [
        (short.lower(), one["names"][0].lower())
        for one in terms()
        for short in one["names"][1:]
        if short.isupper() and short.isalpha()
    ]


def _read(app: Sphinx, tree: nodes.document) -> None:
    """Store the first paragraph of a page, after Sphinx has read the page."""
    from docutils import nodes

    page = app.env.docname
    first = next((one.astext() for one in tree.findall(nodes.paragraph) if isinstance(one.parent, nodes.section)), "")
    text = " ".join(first.split())
    app.env.metadata[page]["about"] = text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0] + " …"


def also(page: str) -> list[str]:
    """Return other words for the subject of a page: those of a question (for its notebook, too), or a law's name.

    >>> also("laws/tcp/pftk_rate/index")
    ['pftk_rate']
    """
    for name, one in questions.stored().items():
        if page in (f"questions/{name}", f"notebooks/{one['notebook']}"):
            return list(one["also"])
    return [page.split("/")[2]] if kind(page) == "law" else []


def _write(app: Sphinx, failure: Exception | None) -> None:
    """Write the script beside the other static files of the site."""
    if failure is None and app.builder.format == "html":
        pages = {
            page: {"kind": kind(page), "about": about.get("about", ""), "also": also(page)}
            for page, about in app.env.metadata.items()
        }
        known = json.dumps({"pages": pages, "terms": terms(), "synonyms": synonyms()}, ensure_ascii=False)
        (app.outdir / "_static" / FILE).write_text(f"const longfatPages = {known};\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both; Sphinx calls this."""
    app.connect("doctree-read", _read)
    app.connect("build-finished", _write)
    app.add_js_file(FILE, loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
