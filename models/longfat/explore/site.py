"""Pages that `longfat explore` serves: those of `longfat.handbook`, made in memory when they are asked for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

from longfat.base.domains import unknown
from longfat.base.user_files import names_file
from longfat.base.user_files import read as read_file
from longfat.handbook import javascript, law_records, pages
from longfat.law import Law

SIMULATE = "simulate"  # path of the simulations
NEAR = 5  # laws named in place of one that does not exist


class Found(NamedTuple):
    """What a path leads to: the status of HTTP, and a page."""

    status: int
    text: str


class Site:
    """Pages of laws by their paths.

    Parameters
    ----------
    laws : list of Law
        The laws; a single one has the first page.

    Examples
    --------
    >>> from longfat.laws.queues import mm1_wait
    >>> site = Site([mm1_wait])
    >>> site.page("laws/queues/mm1_wait/").status, site.page("laws/queues/mm2_wait/").status, site.page("../x").status
    (200, 404, 404)
    """

    def __init__(self, laws: list[Law]) -> None:
        self.laws: Mapping[str, Law] = {one.public_name: one for one in laws}
        self._pages: dict[str, str] = {}

    def page(self, path: str) -> Found:
        """Return the page of a path; the page for a path that leads nowhere names the nearest laws."""
        path = path.removesuffix("index.html")
        if path not in self._pages:
            made = self._made(path)
            if made is None:
                return self._missing(path)
            self._pages[path] = made
        return Found(200, self._pages[path])

    def _made(self, path: str) -> str | None:
        if path == "":
            return pages.index([_summary(one) for one in self.laws.values()])
        law = self.laws.get(_name(path))
        if law is None or law_records.address(law) != path:
            return None
        simulate = SIMULATE if law.simulated is not None else ""
        return pages.page(law, law_records.record(law, hashed=False), simulate=simulate)

    def _missing(self, path: str) -> Found:
        up = "../" * path.count("/")
        near = {name: law_records.address(self.laws[name]) for name in self.nearest(_name(path))}
        links = "".join(f'<li><a href="{up}{place}">{name}</a></li>' for name, place in near.items())
        body = (
            f"<h1>No such page</h1>\n<p>No law has the address <code>{escape(path)}</code>.</p>\n"
            + (f"<p>The nearest names are:</p>\n<ul>{links}</ul>\n" if links else "")
            + f'<p><a href="{up or "./"}">All laws</a></p>'
        )
        return Found(404, pages.document("No such page", body))

    def nearest(self, name: str) -> list[str]:
        """Return the names nearest to one that no law has.

        >>> from longfat.laws.queues import md1_wait, mm1_wait
        >>> Site([md1_wait, mm1_wait]).nearest("queues.mm1_wiat")
        ['queues.mm1_wait', 'queues.md1_wait']
        """
        last = {one.rpartition(".")[2]: one for one in self.laws}
        name = name[:100]  # the comparison takes time with the square of the length
        found = difflib.get_close_matches(name, self.laws, NEAR)
        found += [last[one] for one in difflib.get_close_matches(name.rpartition(".")[2], last, NEAR)]
        return list(dict.fromkeys(found))[:NEAR]


def _name(path: str) -> str:
    """Return the public name of the law to which a path would lead."""
    return path.removeprefix("laws/").strip("/").replace("/", ".")


def _summary(law: Law) -> dict[str, str]:
    """Return what the list of laws shows of one."""
    return {"id": law.public_name, "address": law_records.address(law), "summary": law.summary, "source": law.source}


def find(text: str) -> Law:
    """Return a law by its name, or from a file.

    >>> find("md1_wait").name, find("queues.md1_wait").name
    ('md1_wait', 'md1_wait')
    """
    if names_file(text):
        law: Law = read_file(text, Law, what="law")
        try:
            javascript.entry(law)
        except Exception as error:  # whatever the user's formula does with what is not a number
            raise ValueError(f"law {text!r} cannot be shown in a browser: {type(error).__name__}: {error}") from None
        return law
    every = known()
    for law in every:
        if text in (law.public_name, law.name):
            return law
    raise unknown("law", text, [law.public_name for law in every])


def known() -> list[Law]:
    """Return all laws of longfat."""
    from longfat import laws  # noqa: F401  # registers them

    return [law for law in law_records.laws() if law.symbols]


def chosen(law: str) -> list[Law]:
    """Return the law of a file, or all laws."""
    return [find(str(Path(law).absolute()))] if names_file(law) else known()
