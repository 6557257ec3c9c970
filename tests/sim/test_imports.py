"""The imports of the simulators' modules, those inside functions included, have no cycle."""

import ast

import pytest

from docs import size
from longfat import sim

#: Names that packages import when they are first used, and the modules that these names need.
LAZY = {f"longfat.sim.{name}": f"longfat.sim.{module}" for name, module in sim._NAMES.items()}


def graph(modules, lazy):
    """Return the modules that each module imports, but for type checkers only."""
    found = {name: set() for name in modules}
    for name, path in modules.items():
        for target in size.imports(ast.parse(path.read_text(encoding="utf-8"))):
            target = lazy.get(target, target)
            while target and target not in modules:
                target = target.rpartition(".")[0]
            found[name] |= {target} - {name, ""}
    return found


def test_the_simulators_have_no_circles():
    rooms = ("longfat.sim.", "longfat.segments.")
    found = graph({name: path for name, path in size.modules().items() if name.startswith(rooms)}, LAZY)
    assert size.circles(found) == []
    # The graph includes an import at the top, one inside a function, and one of a lazily imported name.
    assert "longfat.sim.network.elements" in found["longfat.sim.network.network"]
    assert "longfat.sim.network.scenario.parsing" in found["longfat.sim.network.network"]
    assert "longfat.sim.runs.engine" in found["longfat.sim.runs.run"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from longfat.small import one\n", True),
        ("from longfat.small.one import NAME\n", True),
        ("import longfat.small.one\n", True),
        ("def later():\n    from longfat.small.one import NAME\n", True),
        ("from longfat.small import Lazy\n", True),
        ("if TYPE_CHECKING:\n    from longfat.small.one import NAME\n", False),
        ("from longfat.small import three\n", False),
    ],
)
def test_a_circle_is_seen(tmp_path, text, found):
    folder = tmp_path / "longfat" / "small"
    folder.mkdir(parents=True)
    (folder / "one.py").write_text("from longfat.small import two\nNAME = 1\n")
    (folder / "two.py").write_text(text)
    (folder / "three.py").write_text("")
    seen = size.circles(graph(size.modules(tmp_path / "longfat"), {"longfat.small.Lazy": "longfat.small.one"}))
    assert seen == ([{"longfat.small.one", "longfat.small.two"}] if found else [])
