"""Sources of the handbook: all pages as Markdown in one folder."""

from __future__ import annotations

import shutil
from pathlib import Path

from docs import pages as repository_pages
from docs.handbook import (
    api,
    experiments,
    fluid_models,
    front,
    law_pages,
    notebooks,
    papers,
    play,
    plug_ins,
    questions,
    staging,
)

#: First pages of the parts, as the head of each page has them.
SECTIONS = (
    "questions/index",
    "notebooks/README",
    "laws/index",
    "schemes/index",
    "papers/index",
    "reference/index",
)


def write(into: Path, computed: bool = True) -> list[str]:
    """Write the sources of all pages; return their names, which are their addresses without suffix.

    Without `computed` what takes longer is left out: formulas by sympy, values, traces by the simulator.
    """
    if into.exists():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    staged = staging.stage(into)
    names = [path.relative_to(into).with_suffix("").as_posix() for path in staged]
    page = into / "docs" / "plug-ins.md"
    page.write_text(page.read_text(encoding="utf-8") + repository_pages.reference(), encoding="utf-8")
    generated: dict[str, str] = {}
    generated |= front.pages() | questions.pages(staging.ROOT)
    shown = questions.live(*front.SHOWN)
    generated["index"] = front.FIRST + questions.index() + front.SECOND + shown + front.toctree(SECTIONS, hidden=True)
    generated |= law_pages.pages(computed)
    generated |= plug_ins.pages(computed)
    generated |= fluid_models.pages(computed)
    generated |= experiments.pages()
    generated |= papers.pages()
    generated |= api.pages()
    generated |= notebooks.pages()
    generated |= play.pages(computed)
    for name, text in generated.items():
        path = into / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(dict.fromkeys([*names, *generated]))  # some pages of the repository are completed
