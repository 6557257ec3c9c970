"""Live plots of laws: a script and a style sheet for the pages that have an element with ``data-law``.

Both are written by `longfat.handbook.pages`; the script fills each such element with sliders and chart of that law.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longfat.handbook import pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SCRIPT, STYLES = "laws.js", "laws.css"


def _write(app: Sphinx) -> None:
    """Write script and style sheet beside the other static files of the site."""
    if app.builder.format != "html":
        return
    folder = app.outdir / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SCRIPT).write_text(pages.site_script(), encoding="utf-8")
    (folder / STYLES).write_text(pages.view_styles(), encoding="utf-8")


def _add(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Load both on a page that has a live plot, and on no other."""
    if 'data-law="' in context.get("body", ""):
        app.add_js_file(SCRIPT)
        app.add_css_file(STYLES)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both; Sphinx calls this."""
    app.connect("builder-inited", _write)
    app.connect("html-page-context", _add)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
