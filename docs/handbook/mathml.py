"""Formulas as MathML, which browsers draw themselves: a page needs neither a script nor a font for them.

MathJax would be 2 MB beside each page, or a request to another server. Docutils translates the LaTeX that sympy and the
docstrings use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils.utils.math import MathError

from longfat.handbook.law_records import translated

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx


def _visit(writer: Any, node: nodes.Element, block: bool) -> None:
    """Write a formula; a formula that cannot be translated is a warning, and so an error of the build."""
    from docutils import nodes
    from sphinx.util import logging

    latex = node.astext()
    try:
        text = translated(latex, block)
    except MathError as failure:
        logging.getLogger(__name__).warning("formula %r: %s", latex, failure, location=node)
        text = writer.encode(latex)
    writer.body.append(f'<div class="math">{text}</div>' if block else text)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer; Sphinx calls this."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda writer, node: _visit(writer, node, block=False), None),
        block_renderers=(lambda writer, node: _visit(writer, node, block=True), None),
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
