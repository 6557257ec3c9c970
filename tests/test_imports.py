"""Layers: what a subpackage may import, and which libraries stay unloaded until they are needed."""

import ast
import functools
import re
import subprocess
import sys
from contextlib import nullcontext
from graphlib import CycleError
from pathlib import Path

import pytest

import longfat
from docs import size
from longfat import sim
from longfat.base.discovery import lazy_imports

ROOT = Path(longfat.__file__).parent

#: The layers, the lowest first: a module imports modules of its own subpackage and of lower layers.
LAYERS = (
    {"_version", "base"},
    {"law", "replication"},
    {"laws", "sim"},
    {"segments", "testing"},
    {"benchmark", "design", "fluid", "measured"},
    {"handbook", "plot", "testbed"},
    {"verify"},
    {"explore"},
    {"cli"},
)
#: The layers of the simulator, likewise.
SIMULATOR_LAYERS = (
    {"kernel"}, {"plugin"}, {"schemes", "switch"}, {"queues", "services"}, {"network"}, {"runs"}, {"conforming"},
)  # fmt: skip


def upwards(graph, layers):
    """Return the imports that do not lead to a lower layer, and the subpackages without a layer."""
    layer = {name: k for k, names in enumerate(layers) for name in names}
    found = {name for name in graph if name not in layer}
    for name, others in graph.items():
        found |= {f"{name} -> {other}" for other in others if layer.get(other, 99) >= layer.get(name, 99)}
    return found


def reached(graph, subpackage):
    """Return the subpackages that a subpackage imports, in however many steps."""
    waiting, found = [subpackage], set()
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


#: The imports between subpackages; the whole package is parsed once for each `inside`.
dependencies = functools.cache(size.dependencies)


def test_a_subpackage_imports_lower_layers_only():
    assert upwards(dependencies(), LAYERS) == set()
    assert upwards(dependencies(inside="sim"), SIMULATOR_LAYERS) == set()


def test_the_simulator_never_sees_a_law_and_a_law_never_the_simulator():
    graph = dependencies()
    for simulator in ("sim", "segments"):
        assert not {"law", "laws"} & reached(graph, simulator)
    for laws in ("law", "laws"):
        assert not {"sim", "segments"} & reached(graph, laws)


#: The folders beside the package.
BESIDE = {"derivations", "docs", "figures", "notebooks", "tests"}


def parsed(path, names, before=""):
    """Return the tree of a module, or an empty one if its text nowhere has `before` followed by one of the names."""
    text = path.read_text(encoding="utf-8")
    return ast.parse(text if re.search(rf"{before}\b(?:{'|'.join(names)})\b", text) else "")


def beside(path):
    """Return the folders beside the package from which a module imports: anywhere in it, and at its top level."""
    tree = parsed(path, BESIDE, before=r"\b(?:from|import)\b.*")
    at_once = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
    names = [{name.split(".")[0] for name in size.imports(one)} for one in (tree, at_once)]
    return [found & BESIDE for found in names]


def test_the_package_needs_no_folder_beside_it():
    """`longfat verify` alone imports from `figures`, for papers and Linux, after asking whether the folder is there."""
    found = {name: beside(path) for name, path in size.modules().items()}
    assert {name: one for name, one in found.items() if one[0]} == {"longfat.cli.verify": [{"figures"}, set()]}


def test_an_import_from_beside_is_found(tmp_path):
    (tmp_path / "bad.py").write_text("from figures import rule\n\ndef later():\n    import tests.examples\n")
    assert beside(tmp_path / "bad.py") == [{"figures", "tests"}, {"figures"}]


def written(folder, **texts):
    """Write a package of subpackages with one module each, and return its folder."""
    for subpackage, text in texts.items():
        (folder / "longfat" / subpackage).mkdir(parents=True)
        (folder / "longfat" / subpackage / "one.py").write_text(text)
    return folder / "longfat"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("from longfat.laws import one\n", {"sim -> laws"}),
        ("def later():\n    import longfat.laws.one\n", {"sim -> laws"}),
        ("from longfat.base.one import x\n", set()),
        ("if TYPE_CHECKING:\n    from longfat.laws import one\n", set()),
    ],
)
def test_a_forbidden_import_is_found(tmp_path, text, seen):
    package = written(tmp_path, base="", laws="from longfat.base import one\n", sim=text)
    assert upwards(size.dependencies(package), LAYERS) == seen
    assert ("laws" in reached(size.dependencies(package), "sim")) == bool(seen)


def test_a_subpackage_without_a_layer_is_found(tmp_path):
    assert upwards(size.dependencies(written(tmp_path, base="", other="from longfat.base import one\n")), LAYERS) == {
        "other"
    }


#: Names that packages import when they are first used, and the modules that these names need.
LAZY = {f"longfat.sim.{name}": ".".join(there) for name, there in lazy_imports(sim.__name__).items()}


def graph(modules, lazy):
    """Return the modules that each module imports, but for type checkers only."""
    found = {name: set() for name in modules}
    for name, path in modules.items():
        for target in size.imported(path):
            target = lazy.get(target, target)
            while target and target not in modules:
                target = target.rpartition(".")[0]
            found[name] |= {target} - {name, ""}
    return found


def test_the_simulators_have_no_import_cycles():
    prefixes = ("longfat.sim.", "longfat.segments.")
    found = graph({name: path for name, path in size.modules().items() if name.startswith(prefixes)}, LAZY)
    assert max(size.layers(found).values()) > 1  # which raises an error at a cycle
    # The graph includes an import at the top, one inside a function, and one of a lazily imported name.
    assert "longfat.sim.network.elements" in found["longfat.sim.network.network"]
    assert "longfat.sim.network.scenario.parsing" in found["longfat.sim.network.scenario.loading"]
    assert "longfat.sim.runs.engine" in found["longfat.sim.runs.run"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from longfat.small import one\n", True),
        ("from longfat.small.one import NAME\n", True),
        ("from longfat.small import Lazy\n", True),
        ("from longfat.small import three\n", False),
    ],
)
def test_an_import_cycle_is_found(tmp_path, text, found):
    package = written(tmp_path, small="from longfat.small import two\nNAME = 1\n")
    (package / "small" / "two.py").write_text(text)
    (package / "small" / "three.py").write_text("")
    seen = graph(size.modules(package), {"longfat.small.Lazy": "longfat.small.one"})
    with pytest.raises(CycleError, match=r"small\.one.*small\.two") if found else nullcontext():
        size.layers(seen)


#: Modules and functions that formulas and simulators must not use: files, pictures and the command line.
OUTSIDE = {"click", "matplotlib", "open", "pathlib", "shutil", "tempfile"}
#: Modules of theirs that touch files, and why; captures get a folder that is open already.
WRITING = {
    "sim/kernel/jit.py": "the cache of compiled code",
    "sim/network/scenario/loading.py": "scenario files, which users name",
}


def outside(path):
    """Return the names of `OUTSIDE` that a module imports or calls, but for imports that only type checkers see."""
    waiting, found = [parsed(path, OUTSIDE)], set()
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


@pytest.mark.parametrize("subpackage", ["laws", "sim", "segments"])
def test_formulas_and_simulators_touch_no_files_and_draw_no_pictures(subpackage):
    found = {str(path.relative_to(ROOT)): outside(path) for path in sorted((ROOT / subpackage).rglob("*.py"))}
    assert {name for name, some in found.items() if some} == {name for name in WRITING if name.startswith(subpackage)}


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


#: First steps of a user, in this order: none loads a library of computation, and only the last loads NumPy.
FIRST = """
import sys

HEAVY = {"jax", "sympy", "mpmath", "scipy", "numba", "matplotlib", "pint", "pandas"}
found = []
import longfat as lf
from longfat import cli
for words in ([], ["--help"], ["window", "--help"], ["widnow"]):
    cli.main(words)
    found += sorted({*HEAVY, "numpy"} & {*sys.modules})
lf.laws.selective_repeat.throughput_efficiency(24, 1e-3, 16, 23.0)
print(found + sorted(HEAVY & {*sys.modules}))
"""


def test_heavy_libraries_stay_unloaded():
    out = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "[]"


def test_subpackages_are_imported_on_first_use():
    assert set(longfat.__all__) == set(dir(longfat))
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        longfat.unknown  # noqa: B018
