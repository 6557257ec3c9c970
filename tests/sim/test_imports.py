"""The imports of the simulators, those inside functions included, have no cycle."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from longfat import sim

PACKAGE = Path(sim.__file__).parent


def modules(folder):
    """Return the path of each module below a package, by its name; a package is its ``__init__``."""
    root = folder.parents[1]
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def is_for_types(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def nodes(tree):
    """Return all nodes of a module except those for the type checker only."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.orelse if is_for_types(node) else ast.iter_child_nodes(node)


def needs(path, name, known, lazy):
    """Return the known modules that a module imports; `lazy` maps lazily imported names of packages to modules."""
    found = set()
    for node in nodes(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: the imports of the package are absolute"
            for alias in node.names:
                imported = f"{node.module}.{alias.name}"
                found.add(lazy.get(imported, imported if imported in known else node.module))
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            found |= {given.value for given in node.args if isinstance(given, ast.Constant)}
    return (found & known) - {name}


def graph(folder, lazy=None):
    known = modules(folder)
    return {name: needs(path, name, set(known), lazy or {}) for name, path in known.items()}


def circle(graph):
    """Return the modules of a cycle, empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_the_network_simulator_has_no_circles():
    lazy = {f"longfat.sim.{name}": f"longfat.sim.{module}" for name, module in sim._NAMES.items()}
    found = graph(PACKAGE, lazy)
    assert circle(found) == []
    # The graph includes an import at the top, one inside a function, and one of a lazily imported name.
    assert "longfat.sim.network.elements" in found["longfat.sim.network.network"]
    assert "longfat.sim.network.scenario.parsing" in found["longfat.sim.network.network"]
    assert "longfat.sim.runs.engine" in found["longfat.sim.runs.run"]


def test_the_segment_simulator_has_no_circles():
    assert circle(graph(PACKAGE.parent / "segments")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from longfat.small import one\n", True),
        ("from longfat.small.one import NAME\n", True),
        ("import longfat.small.one\n", True),
        ("def later():\n    from longfat.small.one import NAME\n", True),
        ("from longfat.small import Lazy\n", True),
        ('from importlib import import_module\nimport_module("longfat.small.one")\n', True),
        ("if TYPE_CHECKING:\n    from longfat.small.one import NAME\n", False),
        ("from longfat.small import three\n", False),
    ],
)
def test_a_circle_is_seen(tmp_path, text, found):
    folder = tmp_path / "longfat" / "small"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text("from longfat.small import two\nNAME = 1\n")
    (folder / "two.py").write_text(text)
    (folder / "three.py").write_text("")
    seen = circle(graph(folder, {"longfat.small.Lazy": "longfat.small.one"}))
    assert set(seen) == ({"longfat.small.one", "longfat.small.two"} if found else set())
