"""Digest of a law and its simulator: evidence counts only for the formula and the simulator that it was found for."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import longfat
from longfat.domains import conflict
from longfat.law import Law
from longfat.law_digests import digest
from longfat.simulators import Simulator

if TYPE_CHECKING:
    from longfat.verify.cells import Partition
    from longfat.verify.simulated import SimulatorCheck

ROOT = Path(longfat.__file__).parent
#: The simulators of packets and of segments: a change of any of their files is a change of the simulator.
PACKAGES = ("sim", "segments")


def identity(law: Law, check: SimulatorCheck, partition: Partition) -> str:
    """Return the digest of a law's expression and code, its simulator, the accuracy, and the cells of its domain."""
    accuracy = (check.accuracy, check.relative) if check.accuracy or check.relative else law.validity
    parts = [
        digest(law),
        _code(inspect.getmodule(law.function), law.function),
        _simulator(check.simulator),
        repr(getattr(accuracy, "accuracy", accuracy)),
        repr(sorted(partition.cells.items())),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _simulator(simulator: Any) -> str:
    """Return what a simulator is made of: of ours, its arguments and the code that simulates."""
    if not isinstance(simulator, Simulator):
        return _code(inspect.getmodule(simulator), simulator)
    module = ROOT / "verify" / f"{simulator.module}.py"
    used = _imported(module)
    files = [module, ROOT / "verify" / "measured_runs.py"]
    packages = [_digest(*sorted((ROOT / name).rglob("*.py"))) for name in PACKAGES if name in used]
    return repr((simulator.module, simulator.name, simulator.arguments, _digest(*files), packages))


def _code(module: ModuleType | None, function: Any) -> str:
    """Return the digest of the module of a function; without a file, such as in a notebook, the function's text."""
    file = getattr(module, "__file__", None)
    if file:
        return _digest(Path(file))
    try:
        return _stripped(inspect.getsource(function))
    except (OSError, TypeError):
        why = "evidence counts for one formula and one simulator"
        raise conflict(f"store: {function!r}", "needs source code", why) from None


@functools.cache
def _digest(*files: Path) -> str:
    return hashlib.sha256("\n".join(_stripped(file.read_text(encoding="utf-8")) for file in files).encode()).hexdigest()


def _stripped(source: str) -> str:
    """Return source code as a syntax tree without comments, docstrings and positions.

    >>> _stripped("x = 1  # one") == _stripped("x  =  1") != _stripped("x = 2")
    True
    """
    tree = ast.parse(inspect.cleandoc(source) if source[:1].isspace() else source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = body[1:]  # type: ignore[attr-defined,index]
    return ast.dump(tree)


@functools.cache
def _imported(module: Path) -> frozenset[str]:
    """Return the packages of longfat that a module imports."""
    nodes = ast.walk(ast.parse(module.read_text(encoding="utf-8")))
    found = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return frozenset(name.split(".")[1] for name in found if name.startswith("longfat."))
