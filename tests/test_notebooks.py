"""Notebooks run from top to bottom, are stored without outputs, and need no more than what is public."""

import ast
import json
import re
import shutil
import warnings
from pathlib import Path

import pytest

from docs.handbook import notebooks as pages

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SOLUTIONS = sorted((FOLDER / "solutions").glob("*.ipynb"))
#: A sweep of the simulator, pictures and a widget.
SHORT = ("where_is_the_knee",)


def named(path):
    return f"{path.parent.name}/{path.stem}"


def test_stored_without_outputs_and_short():
    for path in (*NOTEBOOKS, *SOLUTIONS):
        cells = json.loads(path.read_text())["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code), path
        assert sum(len("".join(cell["source"]).splitlines()) for cell in code) <= 60, path


def code(path):
    """The code cells, as Python."""
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def private(source):
    """Return the private names that a notebook uses: with a leading underscore, or internals of the simulator."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        else:
            continue
        found += [one for one in names if any(part.startswith("_") for part in one.split(".")) or ".sim.kernel" in one]
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_title_and_steps(path):
    """A question as title, steps, and at the end of each a line that says what to try."""
    cells = json.loads(path.read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert cells[0]["cell_type"] == "markdown"
    title = texts[0].splitlines()[0]
    assert title.startswith("# ")
    assert title.endswith("?")
    steps = [text for text in texts if text.startswith("## ")]
    assert len(steps) >= 3
    assert all("\n\n**Try** " in text for text in steps[:-1])
    assert steps[-1].startswith("## Exercises\n\n1. ")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_exercise_has_a_solution(path):
    """Of the same number and name, with code that asserts the answer."""
    exercises = "".join(json.loads(path.read_text())["cells"][-1]["source"])
    asked = re.findall(r"^(\d)\. \*\*(.+?)\.?\*\*", exercises, re.MULTILINE)
    assert [int(number) for number, _ in asked] == [*range(1, len(asked) + 1)]
    assert len(asked) in (2, 3)
    cells = json.loads((FOLDER / "solutions" / path.name).read_text())["cells"]
    texts = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert re.findall(r"^## (\d)\. (.+)$", texts, re.MULTILINE) == asked
    assert all("assert " in source for source in code(FOLDER / "solutions" / path.name))


def test_order_and_minutes():
    """The notebooks themselves and their README say the same; so does the sum."""
    names = pages.order()
    assert sorted(names) == [path.stem for path in NOTEBOOKS] == [path.stem for path in SOLUTIONS]
    table = (FOLDER / "README.md").read_text()
    rows = re.findall(r"^\| (\d+) \| \[(\w+)\]\(\2\.ipynb\) \| .+ \| (\d+) \|$", table, re.MULTILINE)
    assert [(int(number), name) for number, name, _ in rows] == [*enumerate(names, 1)]
    for number, name, minutes in rows:
        text = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"][0]["source"][2]
        place, time = f"Notebook {number} of {len(rows)}.", f"{minutes} minutes with the exercises."
        assert text == f"*{place} {time} [Solutions](solutions/{name}.ipynb).*\n"
    assert f"The minutes, {sum(int(minutes) for *_, minutes in rows)} in all" in table


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_seeds_and_public_names(path):
    source = "\n".join(code(path))
    assert "rng=" in source or '"rng": ' in source
    assert private(source) == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from longfat.sim.kernel import loop", ["longfat.sim.kernel.loop"]),
        ("import longfat._version", ["longfat._version"]),
        ("from longfat.sim import kernel as inside", ["longfat.sim.kernel"]),
        ("from longfat.law import _REGISTRY", ["longfat.law._REGISTRY"]),
        ("import longfat as lf\nlf.law._REGISTRY", ["lf.law._REGISTRY"]),
        ("import longfat as lf\nlf.sim.kernel", ["lf.sim.kernel"]),
        ("import longfat as lf\nfor _ in range(3):\n    lf.sim.Network()", []),
    ],
)
def test_the_check_sees_private_names(source, names):
    assert private(source) == names


def test_measured_files_are_those_of_the_tests():
    originals = FOLDER.parent / "tests" / "data" / "measured"
    for path in (FOLDER / "measured").iterdir():
        assert path.read_bytes() == (originals / path.name).read_bytes()


@pytest.mark.parametrize("name", SHORT)
def test_code_runs(name, tmp_path, monkeypatch):
    """In this process: a kernel of its own takes three times as long, most of it for imports."""
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in a notebook
        exec("\n".join(code(FOLDER / f"{name}.ipynb")), {})


def ran(paths, folder):
    """Return the code cells of notebooks as they ran, each notebook in a kernel."""
    pages.skip_address_grammar()
    shutil.copytree(FOLDER / "measured", folder / "measured")
    import nbformat  # here: it takes a second, of every process that collects tests
    from nbclient import NotebookClient

    found = {path: nbformat.read(path, as_version=4) for path in paths}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the notebook machinery, not of ours
        for one in found.values():
            place = {"metadata": {"path": folder}}
            NotebookClient(one, timeout=120, kernel_name="python3", allow_errors=True, resources=place).execute()
    return {path: [cell for cell in one.cells if cell.cell_type == "code"] for path, one in found.items()}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    return ran(NOTEBOOKS, tmp_path_factory.mktemp("notebooks"))


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    return ran(SOLUTIONS, tmp_path_factory.mktemp("solutions"))


@pytest.mark.long  # a minute and a half
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, outcome):
    cells = outcome[path]
    errors = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    assert errors == []
    drawn = ["image/png" in str([list(output.get("data", {})) for output in cell.outputs]) for cell in cells]
    assert drawn == ["plot.style()" in cell.source for cell in cells]  # every picture is shown, not the first alone
    assert any(drawn)


@pytest.mark.long
@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_solutions_are_right(path, solved):
    """They compare hand arithmetic or the literature with what the toolkit finds, and fail where these differ."""
    assert [output for cell in solved[path] for output in cell.outputs if output.output_type == "error"] == []


def test_stored_outputs_are_of_these_notebooks():
    """Run by hand where this fails: the command takes half a minute for each notebook."""
    stale = pages.stale()
    assert stale == [], f"renew the outputs of the handbook with: {pages.COMMAND} {' '.join(stale)}"
    assert sorted(path.stem for path in pages.STORED.iterdir()) == sorted(pages.order())
    assert sum(path.stat().st_size for path in pages.STORED.iterdir()) < 800_000  # bytes


@pytest.mark.parametrize("part", pages.PARTS)
@pytest.mark.parametrize("changed", [0, 1])
def test_outputs_are_stale_where_code_has_changed(monkeypatch, changed, part):
    """A change of a code cell is noticed, one of a text cell is not: outputs have no text cells."""
    original = pages.cells

    def cells(name, place=""):
        found = original(name, place)
        kinds = ("code", "markdown")
        return [(kind, f"{text} " if place == part and kind == kinds[changed] else text) for kind, text in found]

    monkeypatch.setattr(pages, "cells", cells)
    assert pages.stale() == ([] if changed else pages.order())


def test_outputs_are_stale_where_results_have_changed(monkeypatch, tmp_path):
    other = tmp_path / "networks.txt"
    other.write_text(pages.RESULTS.read_text(encoding="utf-8") + "200 1\n", encoding="utf-8")
    monkeypatch.setattr(pages, "RESULTS", other)
    assert pages.stale() == pages.order()


def test_pages_leave_out_progress_and_have_live_laws():
    outputs = [
        {"data": {"application/vnd.jupyter.widget-view+json": {"model_id": "view"}, "text/plain": "Explorer of a.b"}},
        {"data": {"text/html": "<img>", "text/plain": "Explorer of a.b"}},
        {"data": {"application/vnd.jupyter.widget-view+json": {"model_id": "bar"}, "text/plain": "100%|###"}},
        {"name": "stderr", "text": "100%|#####"},
        {"name": "stdout", "text": "24 segments"},
        {"data": {"text/html": "<style>a { }</style><table>", "text/plain": "a"}},
    ]
    assert [*pages.kept(outputs)] == [("law", "a.b"), ("text", "24 segments"), ("html", "<table>")]
    assert 'data-law="a.b"' in pages.shown("law", "a.b")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pages_have_outputs_and_solutions_that_unfold(path):
    page = pages.page(path.stem)
    exercises = "".join(json.loads(path.read_text())["cells"][-1]["source"])
    asked = re.findall(r"^\d\. \*\*", exercises, re.MULTILINE)
    assert page.count("<details><summary>Solution</summary>") == len(asked)
    assert page.count('<div class="picture"><svg ') >= 1
    assert ".ipynb)" not in page.replace(f"(/notebooks/{path.stem}.ipynb)", "")
    assert not re.search(r"(?<![\w`])\$\w", re.sub(r"```.*?```|`[^`]*`", "", page, flags=re.DOTALL))  # formulas


@pytest.mark.long
def test_a_notebook_runs_as_it_is_stored():
    """The simulations have seeds, so that texts and tables come out again; pictures have hashes of their own."""
    name = "which_window"
    stored = json.loads((pages.STORED / f"{name}.json").read_text(encoding="utf-8"))["notebook"]
    found = pages.run(name, "")
    kinds = ("text", "html", "law")
    assert [[one for one in map(list, cell) if one[0] in kinds] for cell in found] == [
        [one for one in cell if one[0] in kinds] for cell in stored
    ]
