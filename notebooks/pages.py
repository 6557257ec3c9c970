"""The notebooks and their solutions as HTML with all results, to be read without Python.

Run with ``python -m notebooks.pages [NAME ...]``; ``make notebooks-html`` builds all of them, in ./build/notebooks.
"""

from __future__ import annotations

import argparse
import copy
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longfat.base.files import AtomicFiles

HERE = Path(__file__).parent
WIDGET = "application/vnd.jupyter.widget-view+json"


def order() -> list[str]:
    """Return the names of the notebooks in the order of the course, as README.md lists them."""
    return re.findall(r"^\| \d+ \| \[(\w+)\]", (HERE / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def page(path: Path, mathjax: str | None = None) -> str:
    """Return a notebook, executed, as HTML.

    Parameters
    ----------
    path : Path
        The notebook.
    mathjax : str, optional
        Address of MathJax 2.7, which sets the formulas; by default cdnjs.cloudflare.com.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    skip_address_grammar()
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": HERE}}).execute()
    exporter = HTMLExporter(exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.require_js_url = exporter.widget_renderer_url = exporter.jquery_url = ""  # pages have no widgets
    if mathjax is not None:
        exporter.mathjax_url = mathjax
    body, _ = exporter.from_notebook_node(still(notebook), {"metadata": {"name": path.stem}})
    return str(body)


def skip_address_grammar() -> None:
    """Keep jsonschema from loading a grammar of addresses, which takes three seconds and is not needed."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


def still(notebook: Any) -> Any:
    """Return an executed notebook without widgets, which need Python, and with links to pages.

    Views of laws have their pictures beside them.
    """
    notebook = copy.deepcopy(notebook)
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\]\(([\w./]+)\.ipynb\)", r"](\1.html)", cell.source)
        if "outputs" in cell:
            cell.outputs = [
                one for one in cell.outputs if one.get("name") != "stderr" and WIDGET not in one.get("data", {})
            ]
    return notebook


def index(names: Sequence[str]) -> str:
    """Return the page that lists the notebooks, in the order of the course."""
    from html import escape

    items = []
    for name in names:
        title, about = head(HERE / f"{name}.ipynb")
        answers = f'<a href="solutions/{name}.html">Solutions</a>'
        items.append(f'<li><a href="{name}.html">{escape(title)}</a> {escape(about)} {answers}</li>')
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>longfat: notebooks</title>'
        "<style>body{font:1.05em/1.6 sans-serif;max-width:46em;margin:3em auto;padding:0 1em}</style>"
        f"<h1>Notebooks</h1><p>With all results, in the order of the course.</p><ol>{''.join(items)}</ol>"
        "<p>MathJax sets the formulas. It is loaded over the network; without one they appear as TeX.</p></html>\n"
    )


def head(path: Path) -> tuple[str, str]:
    """Return a notebook's question and how many minutes it takes, from its first cell."""
    import json

    text = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    found = re.match(r"# (.+)\n\n\*Notebook \d+ of \d+\. (\d+ minutes) with the exercises\. ", text)
    if found is None:
        raise ValueError(f"{path.name}: its first cell has no title, place and minutes")
    return found[1], f"({found[2]})"


def write(directory: str | Path, names: Sequence[str] = (), mathjax: str | None = None) -> None:
    """Write pages of some notebooks, by default all, with their solutions and the index.

    Raises
    ------
    ValueError
        For an unknown name, by those that there are, and for a directory that cannot be written to.
    """
    known = order()
    for name in names:
        if name not in known:
            raise ValueError(f"notebook = {name!r} is unknown; available: {', '.join(known)}")
    with AtomicFiles(directory) as files, AtomicFiles(Path(directory) / "solutions") as solutions:
        for name in names or known:
            print(name, flush=True)
            files.path(f"{name}.html").write_text(page(HERE / f"{name}.ipynb", mathjax), encoding="utf-8")
            answers = page(HERE / "solutions" / f"{name}.ipynb", mathjax)
            solutions.path(f"{name}.html").write_text(answers, encoding="utf-8")
        files.path("index.html").write_text(index(names or known), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="notebooks; by default all")
    parser.add_argument("--output", default=HERE.parent / "build" / "notebooks", help="directory of the pages")
    parser.add_argument("--mathjax", metavar="URL", help="address of MathJax 2.7's MathJax.js, such as a local copy")
    given = parser.parse_args()
    try:
        write(given.output, given.names, given.mathjax)
    except (ValueError, OSError) as error:
        parser.error(str(error))
