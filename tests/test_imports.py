"""The rooms of the house: who may import whom, and what stays unloaded until it is needed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import longfat

ROOT = Path(longfat.__file__).parent

# A room -> the rooms it may import. What is not named here sits on top and may import everything.
ALLOWED = {
    "discovery": set(),
    "domains": set(),
    "user_files": {"sim", "domains", "files"},
    "sums": set(),
    "exact_namespaces": {"sums"},
    "namespaces": {"exact_namespaces", "domains"},
    "files": set(),
    "code_cache": set(),
    "extras": set(),
    "student": set(),
    "progress": set(),
    "threads": set(),
    "quantities": {"domains"},
    "measured": {"measured", "laws", "quantities", "domains", "files"},
    "symbols": {"domains"},
    "docstrings": {"symbols"},
    "law": {"symbols", "docstrings", "domains", "namespaces"},
    "roots": {"law", "namespaces"},
    "law_digests": {"law", "roots"},
    "laws": {"law", "roots", "laws", "domains", "sums"},
    "single_transfer": {"laws", "domains"},
    "fluid": {"fluid", "code_cache", "extras", "threads", "law", "laws", "quantities", "domains", "namespaces"},
    "sim": {
        "sim", "segments", "code_cache", "threads", "progress", "discovery", "domains", "files", "student",
        "quantities", "accessor", "_version",
    },
    "segments": {"segments", "sim", "threads", "progress", "domains", "student"},  # of sim, how kernels are compiled
    "scenario": {"sim", "user_files", "domains", "files"},
    "simulators": {"law", "domains", "verify"},  # of verify, what simulates
    "verify": {
        "verify", "simulators", "testing", "progress", "threads", "benchmark", "sweeping", "testbed", "law_digests",
        "law", "laws", "roots", "sums", "sim", "segments", "domains", "extras", "files", "student", "_version",
    },
    "sweeping": {"sweeping", "progress", "domains", "files", "student", "_version"},
    "benchmark": {
        "benchmark", "progress", "threads", "scenario", "sim", "user_files", "sweeping", "laws", "domains", "_version",
    },
    "design": {
        "design", "progress", "threads", "domains", "quantities", "law", "laws",
        "sim", "segments", "sweeping", "accessor", "_version",
    },
    "testbed": {
        "testbed", "sim", "design", "laws", "progress", "domains", "files", "quantities", "accessor", "_version",
    },
    "accessor": {"extras", "plot"},
    "presets": {"law"},
    "explore": {
        "explore", "handbook", "presets", "simulators", "testing", "user_files", "sim", "domains", "extras", "law",
        "laws", "plot", "accessor",
    },
    "handbook": {"handbook", "presets", "quantities", "law_digests", "law", "docstrings", "extras", "fluid"},
}  # fmt: skip


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "longfat" else [f"longfat.{alias.name}" for alias in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith("longfat."))


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        room = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if room in ALLOWED:
            yield pytest.param(path, room, id=str(path.relative_to(ROOT)))


@pytest.mark.parametrize(("path", "room"), list(modules()))
def test_imports_run_one_way(path, room):
    assert set(imported_rooms(path)) <= ALLOWED[room]


def test_the_check_sees_a_forbidden_import(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("from longfat.laws import selective_repeat\nfrom longfat import plot\n")
    assert set(imported_rooms(bad)) - ALLOWED["sim"] == {"laws", "plot"}


#: What formulas and simulators have no business with: files, pictures and the command line.
OUTSIDE = {"click", "matplotlib", "open", "pathlib", "shutil", "tempfile"}
#: Modules of theirs that touch files, and why; captures get a folder that is open already.
WRITING = {"sim/jit.py": "the cache of compiled code"}


def outside(path):
    """Return the names of `OUTSIDE` that a module imports or calls, but for imports that only type checkers see."""
    waiting, found = [ast.parse(path.read_text())], set()
    while waiting:
        node = waiting.pop()
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                found |= {alias.name.split(".")[0] for alias in names}
            case ast.ImportFrom(module=str(module)):
                found.add(module.split(".")[0])
            case ast.Call(func=ast.Name(id=name)):
                found.add(name)
        waiting += ast.iter_child_nodes(node)
    return found & OUTSIDE


@pytest.mark.parametrize("room", ["laws", "sim", "segments"])
def test_formulas_and_simulators_touch_no_files_and_draw_no_pictures(room):
    found = {str(path.relative_to(ROOT)): outside(path) for path in sorted((ROOT / room).rglob("*.py"))}
    assert {name for name, some in found.items() if some} == {name for name in WRITING if name.startswith(room)}


@pytest.mark.parametrize(
    "code",
    [
        "import matplotlib.pyplot as plt",
        "def f():\n    from pathlib import Path",
        "import click",
        "x = [open(name) for name in names]",
    ],
)
def test_a_file_or_a_picture_is_found(tmp_path, code):
    (tmp_path / "bad.py").write_text(code)
    assert len(outside(tmp_path / "bad.py")) == 1


@pytest.mark.parametrize(
    "code",
    [
        "import longfat",
        "import longfat as lf; lf.laws.selective_repeat.throughput_efficiency(24, 1e-3, 16, 23.0)",
        "from longfat import cli",
    ],
)
def test_heavy_libraries_stay_unloaded(code):
    heavy = ("jax", "sympy", "mpmath", "numba", "matplotlib", "pint")
    check = f"; import sys; print([name for name in {heavy} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_rooms_open_when_entered():
    assert set(longfat.__all__) == set(dir(longfat))
    with pytest.raises(AttributeError, match="no attribute 'cellar'"):
        longfat.cellar  # noqa: B018
