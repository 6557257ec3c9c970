"""Size and structure of the package: ``python -m docs.size``, or ``make size``.

Lines of Python by folder; layers of the package, in which a subpackage lies above all that it imports (in functions,
too, but not for type checkers only); names that several modules have, although their folder does not say the kind. A
module directly in the package counts as a subpackage.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "models" / "longfat"
#: Folders with one module for each thing of a kind, named after the thing: the folder says which module is meant.
COLLECTIONS = ("cli", "fluid/systems", "laws", "plot", "sim/schemes", "sim/switch")
FOLDERS = ("models", "tests", "derivations", "figures", "docs", "notebooks")


def lines(folder: str, suffix: str = ".py") -> int:
    """Return the number of lines of the files of a kind that git tracks in a folder."""
    tracked = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in tracked.splitlines() if name.endswith(suffix)]
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths if path.exists())


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Return the paths of all modules by their dotted names; a package is its ``__init__``."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports, but not those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.expr() | ast.If(test=ast.Name(id="TYPE_CHECKING")):  # an expression contains no statement
                continue
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{alias.name}" for alias in names)
        yield from imports(node)


@functools.cache
def imported(path: Path) -> tuple[str, ...]:
    """Return the dotted names that a file imports; each file is parsed once."""
    return tuple(imports(ast.parse(path.read_text(encoding="utf-8"))))


def dependencies(package: Path = PACKAGE, inside: str = "") -> dict[str, set[str]]:
    """Return for each subpackage those that it imports, of the package or ``inside`` a subpackage such as "sim"."""
    known = modules(package)
    prefix = f"{package.name}.{inside}." if inside else f"{package.name}."
    found: dict[str, set[str]] = {
        name.removeprefix(prefix).split(".")[0]: set() for name in known if name.startswith(prefix)
    }
    for name, path in known.items():
        if not name.startswith(prefix):
            continue
        subpackage = name.removeprefix(prefix).split(".")[0]
        for target in imported(path):
            while target and target not in known:
                target = target.rpartition(".")[0]
            if target.startswith(prefix):
                found[subpackage].add(target.removeprefix(prefix).split(".")[0])
    return {subpackage: others - {subpackage} for subpackage, others in found.items()}


def layers(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the layer of each subpackage, 1 for a subpackage that imports none; raise a CycleError at import cycles.

    >>> layers({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    {'a': 3, 'b': 2, 'c': 1}
    """
    found: dict[str, int] = {}
    for name in graphlib.TopologicalSorter(graph).static_order():
        found[name] = 1 + max((found[other] for other in graph[name]), default=0)
    return {name: found[name] for name in graph}


def homonyms(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return the modules outside `COLLECTIONS` that share their name with another one, by that name."""
    found = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        collected = {folder.as_posix() for folder in place.parents} & set(COLLECTIONS)
        if not path.stem.startswith("__") and not collected:
            found[path.stem].append(place.with_suffix("").as_posix())
    return {name: places for name, places in found.items() if len(places) > 1}


def report() -> str:
    """Return the tables."""
    graph = dependencies()
    counted = {name: lines(f"models/longfat/{name}") or lines(f"models/longfat/{name}.py") for name in graph}
    text = [f"{folder:14}{lines(folder):8,} lines of .py" for folder in FOLDERS]
    text += [f"{'stubs':14}{lines('models', '.pyi'):8,} lines of .pyi", ""]
    by_layer = defaultdict(list)
    for name, layer in layers(graph).items():
        by_layer[layer].append(f"{name} ({counted[name]:,})")
    text += [f"layer {layer:2}  {', '.join(by_layer[layer])}" for layer in sorted(by_layer, reverse=True)]
    for inside in ("", "sim"):
        seen = dependencies(inside=inside) if inside else graph
        text.append(
            f"{inside or 'longfat'}: {len(seen)} subpackages, {max(layers(seen).values())} layers, "
            f"{sum(map(len, seen.values()))} dependencies"
        )
    return "\n".join([*text, f"{len(homonyms())} names of several modules: {', '.join(homonyms())}"])


if __name__ == "__main__":
    print(report())
