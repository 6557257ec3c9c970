"""Static pages of the laws: each is a single file that loads no other file, opened from a disk or a server.

A page contains the record of its law as text, and the formula and the view (``view/``) as a script. Browsers do not
load modules of JavaScript from the file system; the modules are therefore joined into one script.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from longfat.base.progress import bar
from longfat.handbook import javascript, law_records, presets
from longfat.handbook.law_records import mathml
from longfat.law import Law

#: Modules of the view, ordered so that each module follows the modules that it imports.
MODULES = ("quantities.js", "chart.js", "curves.js", "elements.js", "saving.js", "simulation.js", "view.js")
IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
#: Part of a law's name -> its spelling in headings, for parts that have capital letters.
SPELLED = {
    "mm1": "M/M/1", "md1": "M/D/1", "mg1": "M/G/1", "mm1k": "M/M/1/K", "md1k": "M/D/1/K", "mg1ps": "M/G/1 PS",
    "rtt": "RTT", "pftk": "PFTK", "aimd": "AIMD", "gaimd": "GAIMD", "tcp": "TCP", "codel": "CoDel", "aqm": "AQM",
    "bbr": "BBR", "blt": "BLT", "cadpc": "CADPC", "cubic": "CUBIC", "dctcp": "DCTCP", "reno": "Reno", "cdf": "CDF",
}  # fmt: skip


def texts(laws: Iterable[Law] | None = None, *, simulate: str = "") -> dict[str, Callable[[], str]]:
    """Return functions that return the texts of the site's files, by path: an index, and a page for each law.

    The pages send requests for simulated points to the path ``simulate`` of the site's server. If the path is empty,
    the pages cannot simulate.

    >>> from longfat.laws.queues import mm1_wait
    >>> list(texts([mm1_wait]))
    ['laws/queues/mm1_wait/index.html', 'index.html']
    """
    chosen = law_records.laws() if laws is None else list(laws)
    made: dict[str, Callable[[], str]] = {
        f"{law_records.address(one)}index.html": functools.partial(
            page, one, simulate=simulate if one.simulated is not None else ""
        )
        for one in chosen
    }
    return made | {"index.html": functools.partial(index, chosen)}


def write(folder: Path, laws: Iterable[Law] | None = None, *, progress: bool = False) -> None:
    """Write the files of the site, by default with all laws, to a folder; ``progress`` shows a progress bar."""
    made = texts(laws)
    for name, text in bar(made.items(), task="writing pages", unit="file", shown=progress, total=len(made)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), encoding="utf-8")


def view_script() -> str:
    """Return a classic script that defines ``longfatView``, with ``mount``, ``served`` and ``pictured``."""
    return f"const longfatView = (() => {{\n{joined(MODULES)}\nreturn {{ mount, served, pictured }};\n}})();\n"


def joined(modules: Iterable[str]) -> str:
    """Return modules of the view as one script, without imports, exports or comments."""
    return "\n".join(COMMENT.sub("", EXPORT.sub("", IMPORT.sub("", source(name)))) for name in modules)


def laws_script(laws: Iterable[Law]) -> str:
    """Return a script that defines the view, formulas of laws in ``longfat``, and their records ``longfatRecords``."""
    chosen = list(laws)
    data = {one.public_name: for_view(one) for one in chosen}
    names = {one.name: k for k, one in enumerate(presets.PRESETS)}
    letters: dict[str, str] = {}
    for one in data.values():  # networks and letters that several laws have are written once
        one["networks"] = {names[network["name"]]: network["values"] for network in one.pop("presets", ())}
        letters |= {letter["letter"]: letter.pop("mathml") for letter in one["letters"]}
    networks = [{"name": one.name, "source": one.source} for one in presets.PRESETS]
    known = f"const longfatRecords = {json_text(data)}, longfatNetworks = {json_text(networks)};\n"
    known += f"const longfatLetters = {json_text(letters)};\n"
    formulas = re.sub("^ +", "", javascript.script(chosen), flags=re.MULTILINE)  # smaller without indentation
    return f"{view_script()}{formulas}{known}{source('records.js')}"


def json_text(data: Any) -> str:
    """Convert data to JSON text in which "<" is escaped, so that an HTML element ``script`` can contain the text."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def source(name: str) -> str:
    """Return the text of a file of the view."""
    return files("longfat.handbook").joinpath("view", name).read_text(encoding="utf-8")


def words(name: str) -> str:
    """Return a law's name in words, with the usual capitals of abbreviations.

    >>> words("md1k_loss"), words("throughput_efficiency"), words("probe_rtt_utilisation")
    ('M/D/1/K loss', 'Throughput efficiency', 'Probe RTT utilisation')
    """
    text = " ".join(SPELLED.get(one, one) for one in name.split("_"))
    return text[0].upper() + text[1:] if name.split("_")[0] not in SPELLED else text


def live(law: Law, *, simulate: str = "") -> str:
    """Return the HTML of a law's interactive plot, for a page that has the view's style sheet and script.

    ``simulate`` is the address, relative to the page, to which requests for simulated points are sent.
    """
    name = json.dumps(law.public_name)
    place = "law-" + law.public_name.replace(".", "-")
    known = json_text(for_view(law))
    home = f", {{ simulate: longfatView.served({json.dumps(simulate)}) }}" if simulate else ""
    element = f"document.getElementById({json.dumps(place)})"
    return (
        f'<div id="{place}"><noscript>The plot needs JavaScript.</noscript></div>\n<script>\n(() => {{\n'
        f"{javascript.script([law])}"
        f"longfatView.mount({element}, {known}, longfat.laws[{name}]{home});\n}})();\n"
        "</script>\n"
    )


def for_view(law: Law) -> dict[str, Any]:
    """Return the record of a law as the view needs it, with typeset letters and the presets for the law."""
    given: dict[str, Any] = {
        "id": law.public_name,
        "unit": law.unit,
        "result": law_records.result(law)[0],
        "simulator": law.simulated and getattr(law.simulated.simulator, "__name__", law.simulated.simulator),
    }
    found = {name: value for name, value in given.items() if value}
    found["letters"] = [
        law_records.parameter(law, name, one)
        | {"mathml": re.sub(' alttext="[^"]*"', "", mathml(one.letter, block=False))}  # alttext is the letter
        for name, one in law.symbols.items()
    ]
    networks = [{"name": one.name, "source": one.source, "values": one.of(law)} for one in presets.presets(law)]
    return found | ({"presets": networks} if networks else {})


def page(law: Law, *, simulate: str = "") -> str:
    """Return the page of a law; ``simulate`` is the path to which it sends requests, empty without a server."""
    up = "../" * law_records.address(law).count("/")
    title = words(law.name)
    family = words(law.public_name.partition(".")[0])
    text, remarks = law_records.prose(law)
    parts = [
        f'<nav><a href="{up}index.html">All laws</a> / {escape(family)} / <code>{law.public_name}</code></nav>',
        f"<h1>{escape(title)}</h1>",
        f"<p>{_text(law.summary, up)}</p>",
        f'<div class="equation">{law_records.typeset(law)}</div>',
        _paragraphs(text, up),
        live(law, simulate=simulate and up + simulate),
        _letters(law),
        f"<h2>What is known</h2>\n{_paragraphs(remarks, up)}<dl>\n{_facts(law, up)}</dl>\n",
    ]
    return document(f"{title}: {family}", "\n".join(parts), view_script())


def document(
    title: str, body: str, before: str = "", after: str = "", styles: Iterable[str] = ("view.css", "page.css")
) -> str:
    """Return an HTML page with a title, a body, style sheets, and scripts before and after the body."""
    scripts = f"<script>\n{before}</script>\n" if before else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)} · longfat</title>\n"
        f"<style>\n{''.join(map(source, styles))}</style>\n{scripts}</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n<script>\n{after}</script>\n</body>\n</html>\n"
    )


def _text(text: str, up: str) -> str:
    """Convert a sentence to HTML: names in backquotes become code, and names of laws also links."""

    def code(found: re.Match[str]) -> str:
        name = found[1].rpartition(".")[2]
        target = _addresses().get(name)
        shown = f"<code>{found[1]}</code>"
        return f'<a href="{up}{target}index.html">{shown}</a>' if target else shown

    signs = text.replace(">=", "≥").replace("<=", "≤")
    return re.sub(r"`([^`]+)`", code, escape(signs, quote=False))


@functools.cache
def _addresses() -> dict[str, str]:
    return {one.name: law_records.address(one) for one in law_records.laws()}


def _paragraphs(text: str, up: str) -> str:
    return "".join(f"<p>{_text(part, up)}</p>\n" for part in text.split("\n\n") if part)


def _letters(law: Law) -> str:
    rows = "".join(
        f"<tr><td>{mathml(one.letter, block=False)}</td><td>{escape(one.meaning)}"
        f"{escape('. ' + one.remark if one.remark else '')}</td><td><code>{name}</code></td>"
        f"<td>{escape(one.unit)}</td>"
        f"<td>{'integer, ' if one.integer else ''}{escape(one.domain)}</td></tr>\n"
        for name, one in law.symbols.items()
    )
    head = "<tr><th>letter</th><th>meaning</th><th>name</th><th>unit</th><th>domain</th></tr>"
    return f'<h2>Letters</h2>\n<div class="scroll"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>\n'


def _facts(law: Law, up: str) -> str:
    letter, remark = law_records.result(law)
    rows = {"Result": f"{letter} [{law.unit}] {remark}".strip() if letter or remark else "", "Source": law.source}
    if law.validity is not None:
        unit = "" if law.unit == "1" else f" {law.unit}"
        rows["Accurate"] = f"within {law.validity.accuracy:g}{unit} where {law.validity.text}"
    if law.has_printed:
        rows["As printed"] = law.as_printed.errata
    rows["Not simulated"] = law.not_simulated
    return "".join(f"<dt>{name}</dt><dd>{_text(text, up)}</dd>\n" for name, text in rows.items() if text)


def index(laws: list[Law]) -> str:
    """Return the page that lists laws, with a filter."""
    families: dict[str, list[str]] = {}
    for law in laws:
        family, _, name = law.public_name.partition(".")
        more = escape(f"{law.public_name} {law.source}")  # the filter searches this text, too
        families.setdefault(family, []).append(
            f'<li data-more="{more}"><a href="{law_records.address(law)}index.html">{escape(words(name))}</a>'
            f"<span>{escape(law.summary.replace('`', ''))}</span></li>"
        )
    sections = "\n".join(
        f'<section><h2>{escape(words(family))}</h2>\n<ul class="laws">\n{chr(10).join(rows)}\n</ul></section>'
        for family, rows in families.items()
    )
    head = (
        '<h1>Laws of congestion and flow control</h1>\n<p><label>Filter <input class="filter" type="search" '
        'autocomplete="off" placeholder="words of names, meanings and sources"></label> '
        f'<span class="count" role="status">{len(laws)} laws</span></p>'
    )
    return document("Laws", f"{head}\n{sections}", after=source("index.js"))
