"""Live plots of laws: a script and a style sheet for the pages that have an element with ``data-law``.

`longfat.handbook.pages` writes both. The script has the view and the laws of its page only, about 50 kB, and fills each
such element with the sliders and the chart of its law.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from longfat.handbook import pages, records

if TYPE_CHECKING:
    from sphinx.application import Sphinx

STYLES = "laws.css"
HOOK = re.compile(r'data-law="([\w.]+)"')


def _write(app: Sphinx) -> None:
    """Write the style sheet beside the other static files of the site."""
    if app.builder.format == "html":
        folder = app.outdir / "_static"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STYLES).write_text(pages.view_styles(), encoding="utf-8")


def _add(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Add the script and the style sheet to a page that has a live plot."""
    wanted = set(HOOK.findall(context.get("body", "")))
    if wanted:
        laws = [one for one in records.laws() if one.public_name in wanted]
        app.add_js_file(None, body=pages.site_script(laws))
        app.add_css_file(STYLES)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both; Sphinx calls this."""
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _add)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
