"""Notebooks as pages with their outputs: ``python -m docs.handbook.notebooks [NAME ...]`` runs and stores them.

Without names it runs those whose stored outputs are stale. All take five minutes of processor time, so that the outputs
lie in ``outputs`` as text, tables, SVG and names of laws. Each file has a digest of the notebook's code, of its
solutions' code and of the simulator's results.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from docs.handbook.front import toctree
from docs.handbook.markup import code, html, unfolding
from docs.handbook.staging import ROOT, with_notebooks
from longfat._version import __version__

NOTEBOOKS = ROOT / "notebooks"
STORED = ROOT / "docs" / "handbook" / "outputs"
RESULTS = ROOT / "tests" / "data" / "guard" / "networks.txt"  # what 200 random networks count: changes with results
COMMAND = "python -m docs.handbook.notebooks"
#: Both notebooks of a page, by folder below `NOTEBOOKS`.
PARTS = ("", "solutions")
GREY = re.compile(r"#([0-9a-f]{2})\1\1\b")
BLUE = "#0072b2"  # too dark on a dark page; the style sheet has another one
EXERCISE = re.compile(r"^\d\. ", re.MULTILINE)
#: The theme's list of sections would take the width that lines of code need.
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n"
Output = tuple[str, str]


def order() -> list[str]:
    """Return the names of the notebooks in the order of the course, as README.md lists them."""
    return re.findall(r"^\| \d+ \| \[(\w+)\]", (NOTEBOOKS / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def minutes(name: str) -> str:
    """Return the minutes that a notebook takes with its exercises, as its first cell says.

    >>> minutes("how_fast_is_fair")
    '45'
    """
    found: list[str] = re.findall(r"(\d+) minutes", cells(name)[0][1])
    return found[0]


def cells(name: str, part: str = "") -> list[tuple[str, str]]:
    """Return the kinds and texts of a notebook's cells."""
    found = json.loads((NOTEBOOKS / part / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in found]


def digest(name: str) -> str:
    """Return a digest of the code, results and version on which the outputs of a notebook depend."""
    sources = [[text for kind, text in cells(name, part) if kind == "code"] for part in PARTS]
    given = json.dumps([sources, RESULTS.read_text(encoding="utf-8"), __version__])
    return hashlib.sha256(given.encode()).hexdigest()[:16]


def stale() -> list[str]:
    """Return the names of the notebooks whose stored outputs are missing or of other sources."""
    files = {name: STORED / f"{name}.json" for name in order()}
    return [
        name
        for name, path in files.items()
        if not path.is_file() or json.loads(path.read_text(encoding="utf-8"))["digest"] != digest(name)
    ]


#: Settings of the pictures of notebooks: SVG whose letters are text, not paths, and whose identifiers are not random.
PICTURES = """\
%config InlineBackend.figure_formats = ["svg"]
%config InlineBackend.rc = {"svg.fonttype": "none", "svg.hashsalt": "longfat"}
"""


def skip_address_grammar() -> None:
    """Keep nbformat from loading a grammar of addresses, which takes three seconds and is not needed."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


def run(name: str, part: str) -> list[list[Output]]:
    """Run a notebook, and return the outputs of its cells of code.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    skip_address_grammar()
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOKS / part / f"{name}.ipynb", as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(PICTURES))
    place = {"metadata": {"path": NOTEBOOKS}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=place).execute()
    return [list(kept(cell.outputs)) for cell in notebook.cells[1:] if cell.cell_type == "code"]


def kept(outputs: Sequence[Any]) -> Iterator[Output]:
    """Yield the kind and text of the outputs that a page shows: no progress bars, and of views of laws the law's name.

    >>> list(kept([{"name": "stdout", "text": "24 segments"}, {"data": {"text/plain": "Explorer of queues.mm1_wait"}}]))
    [('text', '24 segments'), ('law', 'queues.mm1_wait')]
    """
    seen = set()
    for one in outputs:
        data = {kind: "".join(text) for kind, text in one.get("data", {}).items() if not isinstance(text, dict)}
        explored = re.match(r"Explorer of ([\w.]+)", data.get("text/plain", ""))
        if explored and explored[1] not in seen:
            seen.add(explored[1])
            yield "law", explored[1]
        elif explored or any("widget" in kind for kind in one.get("data", {})) or one.get("name") == "stderr":
            continue
        elif "image/svg+xml" in data:
            yield "svg", slim(data["image/svg+xml"])
        elif "text/latex" in data:
            yield "math", data["text/latex"].strip("$").removeprefix(r"\displaystyle ")
        elif "text/html" in data:
            yield "html", re.sub(r"<style.*?</style>\s*", "", data["text/html"], flags=re.DOTALL)
        else:
            yield "text", data.get("text/plain") or "".join(one.get("text", ""))


def slim(svg: str) -> str:
    """Return a picture of matplotlib without its head, names of fonts and digits that nobody sees.

    >>> slim('<?xml?><svg><metadata>x</metadata><path d="M 1.23456 2.0 L 3 4"/></svg>')
    '<svg><path d="M 1.23 2.0 L 3 4"/></svg>'
    """
    svg = re.sub(
        r"<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>", "", svg[svg.index("<svg") :], flags=re.DOTALL
    )
    svg = re.sub(r' id="[a-z0-9]+_\d+"|font-family: [^;"]*;? ?| xmlns:xlink="[^"]*"', "", svg)
    svg = re.sub(r"(\.\d\d)\d+", r"\1", svg)
    return re.sub(r"\s*\n\s*", " ", svg).strip()


def write(name: str) -> None:
    """Run a notebook and its solutions, and store their outputs."""
    STORED.mkdir(exist_ok=True)
    found: dict[str, Any] = {"digest": digest(name), **{part or "notebook": run(name, part) for part in PARTS}}
    text = json.dumps(found, indent=0, ensure_ascii=False)
    (STORED / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


def shown(kind: str, text: str) -> str:
    """Return an output as Markdown."""
    if kind == "math":
        return f"```{{math}}\n{text}\n```\n"
    if kind == "svg":
        return html(f'<div class="picture">{coloured(text)}</div>')
    return html(
        f'<pre class="output">{escape(text)}</pre>' if kind == "text"
        else f'<div class="live-law" data-law="{text}"></div>' if kind == "law"
        else f'<div class="pst-scrollable-table-container output">{text.replace("dataframe", "table")}</div>'
    )  # fmt: skip


def coloured(svg: str) -> str:
    """Return a picture in which greys are replaced by shades of the colour of the page's text.

    >>> coloured('<path style="fill: #000000; stroke: #0072b2"/>')
    '<path style="fill: color-mix(in srgb, currentColor 100%, transparent); stroke: var(--picture-blue)"/>'
    """
    return GREY.sub(
        lambda one: f"color-mix(in srgb, currentColor {100 - int(one[1], 16) / 2.55:.0f}%, transparent)",
        svg.replace(BLUE, "var(--picture-blue)"),
    )


def texts(name: str, part: str = "") -> Iterator[str]:
    """Yield the cells of a notebook as Markdown, those of code with their outputs.

    Raises
    ------
    ValueError
        If the stored outputs are of another notebook.
    """
    stored = json.loads((STORED / f"{name}.json").read_text(encoding="utf-8"))[part or "notebook"]
    found = cells(name, part)
    if len(stored) != sum(kind == "code" for kind, _ in found):
        raise ValueError(f"the stored outputs of {name} are stale; renew them with: {COMMAND} {name}")
    outputs = iter(stored)
    for kind, text in found:
        if kind == "code":
            yield "\n".join([code(text), *(shown(*one) for one in next(outputs))])
        else:
            # In this order: solutions are on the same page, and formulas are those of MyST.
            text = re.sub(r"\]\(solutions/\w+\.md\)", "](#exercises)", with_notebooks(text))
            text = text.replace("[measured](measured)", "measured")
            yield re.sub(r"\$([^$]+)\$", lambda one: f"{{math}}`{' '.join(one[1].split())}`", text)


def page(name: str) -> str:
    """Return the page of a notebook; each exercise is followed by its solution, which unfolds."""
    *steps, exercises = texts(name)
    _, *answers = texts(name, "solutions")
    solutions = re.split(r"^## \d\. .+\n", "\n\n".join(answers), flags=re.MULTILINE)[1:]
    head, *asked = EXERCISE.split(exercises)
    parts = [*steps, head]
    for k, (question, answer) in enumerate(zip(asked, solutions, strict=True), 1):
        question = " ".join(question.split("\n   ")).strip()
        parts += [f"{k}\\. {question}", unfolding("Solution", answer)]
    parts.append(f"[The notebook](/notebooks/{name}.ipynb), and [all of them](/notebooks/README.md).")
    return WIDE + "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """Return the pages of all notebooks by name, and the page that lists them."""
    names = order()
    listed = with_notebooks((NOTEBOOKS / "README.md").read_text(encoding="utf-8"))
    listed += "\n" + toctree([f"notebooks/{name}" for name in names], hidden=True)
    return {"notebooks/README": listed} | {f"notebooks/{name}": page(name) for name in names}


if __name__ == "__main__":
    for one in sys.argv[1:] or stale():
        print(one, flush=True)
        write(one)
