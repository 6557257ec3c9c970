"""Notebooks run from top to bottom, are stored without outputs, and need no more than what is public."""

import ast
import json
import warnings
from pathlib import Path

import pytest

from longfat.explore import serving
from tests.examples import is_long

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
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
    assert len(steps) >= 2
    assert all("\n\n**Try** " in text for text in steps)


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


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """The code cells of every notebook as they ran.

    In the short profile in one kernel, emptied before each: nine kernels spend most of their time on imports.
    """
    serving.without_grammar()
    import nbformat  # here: it takes a second, of every process that collects tests
    from nbclient import NotebookClient

    folder = tmp_path_factory.mktemp("notebooks")
    emptied = "%reset -f"
    found = {path: nbformat.read(path, as_version=4).cells for path in NOTEBOOKS}

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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, outcome):
    cells = outcome[path]
    errors = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    assert errors == []
    drawn = ["image/png" in str([list(output.get("data", {})) for output in cell.outputs]) for cell in cells]
    assert drawn == ["plot.style()" in cell.source for cell in cells]  # every picture is shown, not the first alone
    assert any(drawn)
