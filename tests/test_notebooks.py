"""Notebooks run from top to bottom, are stored without outputs, and need no more than what is public."""

import ast
import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from notebooks import pages
from tests.examples import is_long

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SOLUTIONS = sorted((FOLDER / "solutions").glob("*.ipynb"))
#: A sweep of the simulator, pictures and a widget. All fifteen take a minute and a half; what they call has tests.
SHORT = ("where_is_the_knee",)


def named(path):
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", [*NOTEBOOKS, *SOLUTIONS], ids=named)
def test_stored_without_outputs_and_short(path):
    cells = json.loads(path.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    assert sum(len("".join(cell["source"]).splitlines()) for cell in code) <= 60


def code(path):
    """The code cells, as Python."""
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def private(source):
    """What a notebook uses that is not for users: names that begin with an underscore, the insides of the simulator."""
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


def ran(paths, folder):
    """Return the code cells of notebooks as they ran.

    In the short profile in one kernel, emptied before each: a kernel for each spends most of its time on imports.
    """
    pages.skip_address_grammar()
    shutil.copytree(FOLDER / "measured", folder / "measured")
    import nbformat  # here: it takes a second, of every process that collects tests
    from nbclient import NotebookClient

    emptied = "%reset -f"
    found = {path: nbformat.read(path, as_version=4).cells for path in paths}

    def run(*several):
        cells = [cell for one in several for cell in (nbformat.v4.new_code_cell(emptied), *one)]
        notebook = nbformat.v4.new_notebook(cells=cells)
        place = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True, resources=place).execute()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the notebook machinery, not of ours
        for several in [[one] for one in found.values()] if is_long() else [found.values()]:
            run(*several)
    return {path: [cell for cell in cells if cell.cell_type == "code"] for path, cells in found.items()}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    paths = [path for path in NOTEBOOKS if is_long() or path.stem in SHORT]
    return ran(paths, tmp_path_factory.mktemp("notebooks"))


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    return ran(SOLUTIONS, tmp_path_factory.mktemp("solutions"))


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[] if path.stem in SHORT else pytest.mark.long) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
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


def test_pages_leave_out_widgets_and_link_to_pages():
    import nbformat

    cell = nbformat.v4.new_code_cell("view")
    picture = {"text/html": "<img>", "text/plain": "Explorer of queues.mm1_wait"}
    cell.outputs = [
        nbformat.v4.new_output("display_data", {pages.WIDGET: {"model_id": "view"}, "text/plain": "Explorer"}),
        nbformat.v4.new_output("display_data", picture),
        nbformat.v4.new_output("stream", name="stderr", text="100%|#####"),
        nbformat.v4.new_output("stream", name="stdout", text="24 segments"),
    ]
    text = nbformat.v4.new_markdown_cell("[Solutions](solutions/which_window.ipynb)")
    notebook = nbformat.v4.new_notebook(cells=[text, cell], metadata={"widgets": {}})
    made = pages.still(notebook)
    assert made.cells[0].source == "[Solutions](solutions/which_window.html)"
    assert [one.get("data") or one.text for one in made.cells[1].outputs] == [picture, "24 segments"]
    assert "widgets" not in made.metadata
    assert pages.WIDGET in notebook.cells[1].outputs[0].data  # the notebook itself is as it was


def test_the_index_is_in_the_order_of_the_course():
    item = r'<a href="(\w+)\.html">(.+?)</a> \((\d+) minutes\) <a href="solutions/\1\.html"'
    found = re.findall(item, pages.index(pages.order()))
    assert [name for name, *_ in found] == pages.order()
    assert found[0] == ("which_window", "Which window does my path need?", "40")


def test_an_unknown_notebook_is_refused_by_name(tmp_path):
    with pytest.raises(ValueError, match=r"notebook = 'nosuch' is unknown; available: which_window, where_is"):
        pages.write(tmp_path / "pages", ["nosuch"])
    assert not (tmp_path / "pages").exists()


@pytest.mark.long
def test_pages_are_built(tmp_path):
    command = [sys.executable, "-m", "notebooks.pages", "which_window", "--output", str(tmp_path / "pages")]
    subprocess.run(command, check=True, cwd=FOLDER.parent, capture_output=True)
    made = {path.relative_to(tmp_path / "pages").as_posix() for path in tmp_path.rglob("*.html")}
    assert made == {"index.html", "which_window.html", "solutions/which_window.html"}
    page = (tmp_path / "pages" / "which_window.html").read_text()
    assert 'src="data:image/png;base64,' in page
    assert "<svg" in page
    assert 'href="solutions/which_window.html"' in page
    assert "cdnjs.cloudflare.com/ajax/libs/mathjax/2.7" in page
    refused = subprocess.run([*command[:3], "nosuch"], cwd=FOLDER.parent, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "error: notebook = 'nosuch' is unknown; available: " in refused.stderr.splitlines()[-1]
