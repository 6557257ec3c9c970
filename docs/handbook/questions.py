"""First level of the handbook: a page of one screen for each question that people ask, from ``questions.toml``."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

from docs.handbook import notebooks, play
from docs.handbook.formulas import typeset
from docs.handbook.front import toctree
from docs.handbook.markup import code, html, table, unfolding
from longfat.handbook.pages import words

LETTERS = "NPWfkmnprs"  # that stand alone in sentences
PREDICT = '<div class="predict">'
STORED = Path(__file__).resolve().parent / "questions.toml"


@functools.cache
def stored() -> dict[str, dict[str, Any]]:
    """Return the questions by the names of their pages.

    >>> list(stored())[:2]
    ['bigger-buffer', 'fairness']
    """
    return tomllib.loads(STORED.read_text(encoding="utf-8"))


def live(law: str, at: str = "") -> str:
    """Return the place of the live plot of a law, which begins at some values: ``name=value&name=value``."""
    return html(f'<div class="live-law brief" data-law="{law}" data-at="{at.replace("&", "&amp;")}"></div>')


def title_of(page: str, root: Path) -> str:
    """Return the title of a page of the repository."""
    return (root / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def page(one: dict[str, Any], root: Path) -> str:
    """Return the page of a question."""
    law = f"[{words(one['law'].partition('.')[2])}](/laws/{one['law'].replace('.', '/')}/index.md)"
    links = {
        "Law": law,
        "Notebook": f"[{notebooks.minutes(one['notebook'])} minutes](/notebooks/{one['notebook']}.md)",
        "Read on": ", ".join(f"[{title_of(name, root)}](/{name}.md)" for name in one["read"]),
        "Play": f"[{one['play']}](/{play.PAGE}.md)" if "play" in one else "",
    }
    listed = " · ".join(f"**{name}:** {text}" for name, text in links.items() if text)
    predict = (
        f"{html(PREDICT)}\n**Predict first.** {typeset(one['predict'], LETTERS)}\n\n"
        f"{unfolding('Answer', typeset(one['answer'], LETTERS))}{html('</div>')}"
    )
    return (
        f"# {one['title']}\n\n{typeset(one['text'], LETTERS)}\n\n{predict}\n{live(one['law'], one['at'])}\n{listed}\n\n"
        f"{code('$ ' + one['command'], 'console')}\n{toctree(one['read'], hidden=True) if one['read'] else ''}"
    )


def index() -> str:
    """Return the questions as a list of links, each with its subject."""
    return "".join(f"- [{one['title']}](/questions/{name}.md): {one['subject']}\n" for name, one in stored().items())


def pages(root: Path) -> dict[str, str]:
    """Return the pages of all questions by name, and the page that lists them."""
    made = {f"questions/{name}": page(one, root) for name, one in stored().items()}
    rows = [
        (f"[{one['title']}](/questions/{name}.md)", f"`{one['law']}`", f"`{one['command']}`")
        for name, one in stored().items()
    ]
    listed = table(["question", "law", "command"], rows)
    return {"questions/index": f"# Questions\n\n{listed}\n{toctree([*made, play.PAGE], hidden=True)}", **made}
