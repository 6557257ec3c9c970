"""Size and structure of the package: ``python -m docs.size``, or ``make size``.

Lines of Python by folder; rooms (folders and loose modules of the package), the arrows between them (one imports the
other, in functions, too, but not for type checkers only), floors (a room lies above all that it imports), circles, and
names that several modules have, although their folder does not say the kind.
"""

from __future__ import annotations

import ast
import functools
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "models" / "longfat"
#: Folders with one module for each thing of a kind, named after the thing: the folder says which module is meant.
SHELVES = ("cli", "fluid/systems", "laws", "plot", "sim/schemes", "sim/switch")
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


def arrows(package: Path = PACKAGE, inside: str = "") -> dict[str, set[str]]:
    """Return for each room those that it imports; ``inside`` a room, such as "sim", its parts are the rooms."""
    known = modules(package)
    prefix = f"{package.name}.{inside}." if inside else f"{package.name}."
    found: dict[str, set[str]] = {
        name.removeprefix(prefix).split(".")[0]: set() for name in known if name.startswith(prefix)
    }
    for name, path in known.items():
        if not name.startswith(prefix):
            continue
        room = name.removeprefix(prefix).split(".")[0]
        for target in imported(path):
            while target and target not in known:
                target = target.rpartition(".")[0]
            if target.startswith(prefix):
                found[room].add(target.removeprefix(prefix).split(".")[0])
    return {room: others - {room} for room, others in found.items()}


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the groups of rooms that import each other, in however many steps.

    >>> [sorted(group) for group in circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}})]
    [['b', 'c']]
    """
    below = {room: reached(graph, room) for room in graph}
    groups = [{other for other in below[room] if room in below[other]} for room in graph]
    return [group for k, group in enumerate(groups) if group and group not in groups[:k]]


def reached(graph: Mapping[str, set[str]], room: str) -> set[str]:
    """Return the rooms that a room imports, in however many steps."""
    waiting, found = [room], set()
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def floors(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the floor of each room, 1 for those that import none; the rooms of a circle share one.

    >>> floors({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()})
    {'a': 3, 'b': 2, 'c': 2, 'd': 1}
    """
    together = {room: group for group in map(frozenset, circles(graph)) for room in group}
    found: dict[frozenset[str], int] = {}

    def floor(group: frozenset[str]) -> int:
        if group not in found:
            below = {together.get(other, frozenset({other})) for room in group for other in graph[room]} - {group}
            found[group] = 1 + max(map(floor, below), default=0)
        return found[group]

    return {room: floor(together.get(room, frozenset({room}))) for room in graph}


def homonyms(package: Path = PACKAGE) -> dict[str, list[str]]:
    """Return the modules outside `SHELVES` that share their name with another one, by that name."""
    found = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        shelved = {folder.as_posix() for folder in place.parents} & set(SHELVES)
        if not path.stem.startswith("__") and not shelved:
            found[path.stem].append(place.with_suffix("").as_posix())
    return {name: places for name, places in found.items() if len(places) > 1}


def report() -> str:
    """Return the tables."""
    graph = arrows()
    counted = {room: lines(f"models/longfat/{room}") or lines(f"models/longfat/{room}.py") for room in graph}
    text = [f"{folder:14}{lines(folder):8,} lines of .py" for folder in FOLDERS]
    text += [f"{'stubs':14}{lines('models', '.pyi'):8,} lines of .pyi", ""]
    by_floor = defaultdict(list)
    for room, floor in floors(graph).items():
        by_floor[floor].append(f"{room} ({counted[room]:,})")
    text += [f"floor {floor:2}  {', '.join(by_floor[floor])}" for floor in sorted(by_floor, reverse=True)]
    for inside in ("", "sim"):
        seen = arrows(inside=inside) if inside else graph
        text.append(
            f"{inside or 'longfat'}: {len(seen)} rooms, {max(floors(seen).values())} floors, "
            f"{sum(map(len, seen.values()))} arrows, {len(circles(seen))} circles"
        )
        text += [f"    circle: {', '.join(sorted(group))}" for group in circles(seen)]
    return "\n".join([*text, f"{len(homonyms())} names of several modules: {', '.join(homonyms())}"])


if __name__ == "__main__":
    print(report())
