"""Links of a built site: each leads to a file and an anchor that exist; no page loads anything from elsewhere.

Sphinx checks what it resolves itself. It does not look into raw HTML, such as proofs and live plots, nor at what a
theme adds; and its own check of addresses needs a network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes from which a browser loads, by elements; a link that a reader follows may lead elsewhere.
LOADED = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"), "audio": ("src",),
    "video": ("src", "poster"), "object": ("data",), "embed": ("src",), "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}  # fmt: skip
#: Kinds of `<link>` that only name an address.
NAMED = {"canonical", "author", "license", "next", "prev", "index", "search", "alternate"}
URL = re.compile(r"""url\(\s*['"]?([^'")]+)['"]?\s*\)|@import\s+['"]([^'"]+)['"]""")


@dataclass
class Page(HTMLParser):
    """Anchors of a page, targets of its links, and addresses that it loads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    style: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and addresses of an element."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and "href" in given:
            kinds = {*given.get("rel", "").split()}
            (self.links if kinds & NAMED else self.loads).append(given["href"])
        for name in LOADED.get(tag, ()):
            if name in given:
                parts = given[name].split(",") if name == "srcset" else [given[name]]
                self.loads += [part.split()[0] for part in parts if part.strip()]
        self.loads += addresses(given.get("style", ""))
        self.style = tag == "style"

    def handle_data(self, data: str) -> None:
        """Note the addresses in a style sheet inside the page."""
        if self.style:
            self.loads += addresses(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave a style sheet."""
        self.style = False


def addresses(styles: str) -> list[str]:
    """Return the addresses that a style sheet loads.

    >>> addresses("a { background: url('a.png') } @import 'b.css';")
    ['a.png', 'b.css']
    """
    return [one or other for one, other in URL.findall(styles)]


def read(path: Path) -> Page:
    """Read a page."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


def elsewhere(address: str) -> bool:
    """Return whether an address is on another host.

    >>> [elsewhere(one) for one in ("https://a.org/b", "//a.org/b", "../b.html#c", "data:,", "#c")]
    [True, True, False, False, False]
    """
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "ws", "wss", "ftp")


def problems(site: Path) -> list[str]:
    """Return a sentence for each broken or foreign link of the pages and style sheets below a folder."""
    site = site.resolve()
    templates = site / "_static"  # of the theme
    pages = {path: read(path) for path in sorted(site.rglob("*.html")) if templates not in path.parents}
    found = []
    for path, page in pages.items():
        place = path.relative_to(site).as_posix()
        found += [f"{place} loads {one} from another host" for one in page.loads if elsewhere(one)]
        for address in dict.fromkeys([*page.links, *page.loads]):
            wrong = "" if elsewhere(address) else _wrong(address, path, pages, site)
            if wrong:
                found.append(f"{place} has {address}, {wrong}")
    return [*found, *_in_styles(site)]


def _wrong(address: str, path: Path, pages: dict[Path, Page], site: Path) -> str:
    """Return the defect of an address on a page as text; an empty text if its target exists."""
    parts = urlsplit(address)
    if parts.scheme:  # mailto, data
        return ""
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target != site and site not in target.parents:
        return "which is outside the site"
    if target.is_dir():  # from the file system a folder is not its index
        return "which is a folder"
    if not target.is_file():
        return "which does not exist"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "whose anchor does not exist"
    return ""


def _in_styles(site: Path) -> Iterator[str]:
    """Yield a sentence for each defective address in style sheets."""
    for path in sorted(site.rglob("*.css")):
        for address in addresses(path.read_text(encoding="utf-8")):
            place = path.relative_to(site).as_posix()
            if elsewhere(address):
                yield f"{place} loads {address} from another host"
            elif _missing(path, address):
                yield f"{place} has {address}, which does not exist"


def _missing(path: Path, address: str) -> bool:
    """Return whether an address in a style sheet names a file that does not exist."""
    parts = urlsplit(address)
    return not parts.scheme and bool(parts.path) and not (path.parent / unquote(parts.path)).is_file()
