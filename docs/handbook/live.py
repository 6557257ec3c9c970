"""Live plots of laws: a script and a style sheet for the pages that have an element with ``data-law``.

`longfat.handbook.pages` writes both. The script has the view and the laws of its page only, about 50 kB, and fills each
such element with the sliders and the chart of its law.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from docs.handbook import simulated
from longfat.handbook import javascript, law_records, pages
from longfat.law import Law

if TYPE_CHECKING:
    from sphinx.application import Sphinx

STYLES = "laws.css"
HOOK = re.compile(r'data-law="([\w.]+)"')

FILL = """\
addEventListener("DOMContentLoaded", () => {
  for (const one of document.querySelectorAll("[data-law]")) {
    const record = longfatRecords[one.dataset.law];
    if (record) longfatView.mount(one, record, longfat.laws[record.id]);
  }
});
"""


def site_script(laws: Iterable[Law]) -> str:
    """Return a script that draws, in each element with an attribute ``data-law``, the law of that name."""
    return pages.laws_script(laws) + FILL


def points(laws: Iterable[Law]) -> str:
    """Return a script that gives the plots of laws their simulated points and the parameter values of these."""
    found = {law.public_name: simulated.points(law) for law in laws}
    known = json.dumps({name: one for name, one in found.items() if one}, separators=(",", ":"))
    return (
        ""
        if known == "{}"
        else (
            f"for (const [name, points] of Object.entries({known})) {{\n"
            "  const record = longfatRecords[name];\n"
            "  record.points = points;\n"
            "  for (const one of record.letters) if (one.name in points.values) one.start = points.values[one.name];\n"
            "}\n"
        )
    )


def _write(app: Sphinx) -> None:
    """Write the style sheet beside the other static files of the site, and the formulas for other programs."""
    if app.builder.format == "html":
        (app.outdir / "laws.mjs").write_text(javascript.module(), encoding="utf-8")
        folder = app.outdir / "_static"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STYLES).write_text(pages.source("view.css"), encoding="utf-8")


def _add(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Add the script and the style sheet to a page that has a live plot."""
    wanted = set(HOOK.findall(context.get("body", "")))
    if wanted:
        laws = [one for one in law_records.laws() if one.public_name in wanted]
        app.add_js_file(None, body=site_script(laws) + points(laws))
        app.add_css_file(STYLES)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both; Sphinx calls this."""
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _add)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
