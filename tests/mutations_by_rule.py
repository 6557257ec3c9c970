"""Mutants of whole modules, made by rule and tried in forked processes.

``python -m tests.mutations_by_rule [MODULE...] [--tests FILE...] [--every K]`` changes, one at a time, each comparison,
operator, number, condition and minimum of a module, and runs tests until one fails. `tests.mutations` has mutants
chosen by hand, each with the test that is meant to notice, and starts an interpreter for each: seconds before the first
test. Here everything but the modules of the package under test is imported once, and each mutant is a fork of that
process, so that it costs what its tests cost. The table has the mutants that survive. Exit status 1 if there are any.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import importlib.abc
import importlib.util
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = [
    "-x", "-q", "--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:faulthandler",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",  # plugins are imported already
]  # fmt: skip
LIMIT = 60  # CPU seconds; a mutant that makes the tests run on is noticed, too

#: Imported before the forks: what tests of `longfat.testing` need, but none of its modules.
PRELOADED = ("jax", "matplotlib", "scipy.stats", "scipy.integrate", "hypothesis", "longfat.laws.queues", "longfat.sim")

#: Modules, and the files whose tests are to notice; those of few seconds first.
TESTED_BY = {
    "longfat.testing.evidence": ("by_hand", "evidence", "comparing"),
    "longfat.testing.comparing": ("by_hand", "comparing", "nearer"),
    "longfat.testing.holding": ("by_hand", "shrinking", "holding", "plugin"),
    "longfat.testing.domain": ("cases", "by_hand", "holding", "shrinking"),
    "longfat.testing.seeded_runs": ("by_hand", "comparing", "nearer"),
}

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "any": "all", "all": "any"}


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the replacements for a part of a module."""
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            new = copy.deepcopy(node)
            new.ops[k] = SWAPPED[type(operator)]()
            yield new
    elif isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in SWAPPED:
        new = copy.deepcopy(node)
        new.op = SWAPPED[type(node.op)]()
        yield new
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield ast.Name(NAMES[node.id], node.ctx)
    elif isinstance(node, ast.Attribute) and node.attr in NAMES:
        yield ast.Attribute(node.value, NAMES[node.attr], node.ctx)
    elif isinstance(node, ast.Break):
        yield ast.Pass()


def mutants(source: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield all mutants of a module, each with its line number and the new line."""
    tree = ast.parse(source)
    lines = source.splitlines()
    for path, node in places(tree, ()):
        for new in changed(node):
            mutant = copy.deepcopy(tree)
            put(mutant, path, ast.copy_location(new, node))
            ast.fix_missing_locations(mutant)
            yield (
                f"{node.lineno}: {lines[node.lineno - 1].strip()}  [{ast.unparse(node)} -> {ast.unparse(new)}]",
                mutant,
            )


def places(node: ast.AST, path: tuple[tuple[str, int | None], ...]) -> Iterator:
    """Yield the parts of a tree that are computed, with their paths: neither annotations nor decorators."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for k, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(part, ast.AST):
                yield (*path, (name, k)), part
                yield from places(part, (*path, (name, k)))


def put(tree: ast.AST, path: tuple[tuple[str, int | None], ...], new: ast.AST) -> None:
    """Replace the part of a tree at a path."""
    for name, k in path[:-1]:
        tree = getattr(tree, name) if k is None else getattr(tree, name)[k]
    name, k = path[-1]
    if k is None:
        setattr(tree, name, new)
    else:
        getattr(tree, name)[k] = new


def file_of(module: str) -> Path:
    """Return the file of a module."""
    return (ROOT / "models" / Path(*module.split("."))).with_suffix(".py")


class Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import of one module from a tree in place of its file."""

    def __init__(self, module: str, tree: ast.Module):
        self.module, self.tree = module, tree

    def find_spec(self, name, path=None, target=None):
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, file_of(name), loader=self)

    def exec_module(self, module):
        exec(compile(self.tree, self.module, "exec"), module.__dict__)


def status(module: str, tree: ast.Module | None, tests: list[str]) -> int:
    """Return the exit status of pytest, run in a fork with a mutant in place of a module."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    import resource

    import pytest

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 1))
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    if tree is not None:
        sys.meta_path.insert(0, Instead(module, tree))
    code = 99
    with contextlib.suppress(BaseException):
        importlib.import_module(module)  # before pytest does, which would rewrite the asserts of the file
        code = int(pytest.main([*OPTIONS, *tests]))
    os._exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Try the mutants and print those that survive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=list(TESTED_BY), help="dotted names; all known ones by default")
    parser.add_argument("--tests", nargs="+", help="files of tests; by default those listed here")
    parser.add_argument("--every", type=int, default=1, help="try every K-th mutant only")
    given = parser.parse_args(arguments)
    os.chdir(ROOT)
    for name in PRELOADED:
        importlib.import_module(name)
    imported = sorted(set(given.modules) & set(sys.modules))
    if imported:
        parser.error(f"imported before the forks, so that no mutant would run: {', '.join(imported)}")
    survivors = 0
    for module in given.modules:
        tests = given.tests or [f"tests/testing/test_{name}.py" for name in TESTED_BY[module]]
        tests = [str(file_of(module)), *tests]  # its examples first
        if status(module, None, tests):
            print(f"the tests of {module} fail on the code as it is", file=sys.stderr)
            return 1
        source = file_of(module).read_text(encoding="utf-8")
        tried, begun, survived = list(mutants(source))[:: given.every], time.perf_counter(), 0
        for what, tree in tried:
            if status(module, tree, tests) == 0:
                survived += 1
                print(f"SURVIVED {module}:{what}", flush=True)
        print(f"{module}: {len(tried)} mutants, {survived} survived, {time.perf_counter() - begun:.0f} s", flush=True)
        survivors += survived
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
