"""HTML pages with tables of verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def html_table(heads: Sequence[str], body: Iterable[Iterable[tuple[str, str, str]]]) -> str:
    """Return an HTML table from cells (text, tooltip, CSS class); the CSS class decides the colour of a cell."""
    head = "".join(f"<th>{escape(word)}</th>" for word in heads)
    rows = []
    for line in body:
        words = []
        for word, remark, kind in line:
            attributes = (f' class="{escape(kind)}"' if kind else "") + (f' title="{escape(remark)}"' if remark else "")
            words.append(f"<td{attributes}>{escape(word)}</td>")
        rows.append(f"<tr>{''.join(words)}</tr>")
    return f"<table>\n<tr>{head}</tr>\n" + "\n".join(rows) + "\n</table>"


def page(title: str, text: str) -> str:
    """Return an HTML page with a title, a body, and colours for the CSS classes of verdicts."""
    style = (
        "body { font-family: sans-serif } table { border-collapse: collapse; margin: 1em 0 } "
        "td, th { border: 1px solid #ccc; padding: 2px 8px; text-align: left; vertical-align: top } "
        # Light tones of the colours of Okabe and Ito, which colour-blind readers can distinguish. Every cell also names
        # its verdict in words.
        ".differs, .error { background: #f3d3c0 } .undecided { background: #faf3bf } .erratum { background: #d6e8f5 } "
        ".agrees, .reproduced, .ordering-reproduced { background: #d5efe6 }"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8" />\n<title>{escape(title)}</title>\n'
        f"<style>{style}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{text}\n</body>\n</html>\n"
    )
