"""Change the code, one line at a time, and see which test fails: ``python -m tests.mutations [WORD]``.

Each mutant is one exact text in one file, what it becomes, and the tests meant to notice. Nothing is changed in place:
the checkout is copied once to a temporary directory, in which the tests have to pass first; then every mutant is put
in, tested and taken out again. The table says which test killed it. Exit status 1 if one survives. With a WORD, only
mutants whose path or text contains it are tried.

Code of the kernel runs as plain Python (``NUMBA_DISABLE_JIT=1``): it is the same code, and nothing compiles.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CODE = "models/longfat/"
LIMIT = 300  # seconds; a mutant that makes the tests run on is noticed, too


class Mutant(NamedTuple):
    """An exact text in a file, its replacement, and the tests that are meant to notice."""

    path: str
    text: str
    replacement: str
    tests: str
    compiled: bool = True


def read(text: str) -> list[Mutant]:
    r"""Read mutants: a line of path, test and perhaps `plain`, lines "-" of the text, and lines "+" in their place.

    >>> read("a.py test_a.py::test_b plain\n-x = 1\n-y = 2\n+x = 2")
    [Mutant(path='a.py', text='x = 1\ny = 2', replacement='x = 2', tests='test_a.py::test_b', compiled=False)]
    """
    found: list[tuple[list[str], dict[str, list[str]]]] = []
    for line in text.splitlines():
        if line[0] in "-+":
            found[-1][1][line[0]].append(line[1:])
        elif line[0] != "#":
            found.append((line.split(), {"-": [], "+": []}))
    return [
        Mutant(path, "\n".join(lines["-"]), "\n".join(lines["+"]), tests, compiled=not plain)
        for (path, tests, *plain), lines in found
    ]


MUTANTS = read((Path(__file__).parent / "data" / "mutants.txt").read_text(encoding="utf-8"))


def run(folder: Path, tests: list[str], compiled: bool) -> tuple[int, str]:
    """Return the exit status and the output of pytest; status 1 if it took too long."""
    environment = {
        "PYTHONPATH": os.pathsep.join([str(folder / "models"), str(folder)]),
        "PYTHONDONTWRITEBYTECODE": "1",  # a mutant of the same length in the same second would not be read again
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "--tb=no", "-rfE", "-p", "no:xdist"]
    command.append("--hypothesis-profile=unshrunk")  # a smaller example would take minutes to find
    try:
        done = subprocess.run(
            [*command, "-p", "no:cacheprovider", *tests],
            cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=LIMIT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, f"FAILED {tests[0]} - longer than {LIMIT} s"
    return done.returncode, done.stdout + done.stderr


def killer(said: str) -> str:
    """Return the name of the test that failed."""
    found = re.search(r"^(?:FAILED|ERROR) (?:[\w.]+/)*(\S+)", said, re.MULTILINE)
    return found[1] if found else "?"


def copied(folder: Path) -> None:
    """Copy all files known to git, as they are now, to a folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def failing_without_mutants(folder: Path, mutants: list[Mutant]) -> str:
    """Return the output of tests that fail even without a mutant; empty if all pass."""
    for compiled in (True, False):
        tests = sorted({one.tests for one in mutants if one.compiled == compiled})
        if tests:
            status, said = run(folder, tests, compiled)
            if status:
                return said
    return ""


def main(word: str = "") -> int:
    """Try the mutants and print the table."""
    mutants = [one for one in MUTANTS if word in one.path + one.text]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copied(folder)
        wrong = failing_without_mutants(folder, mutants)
        if wrong:
            print(wrong)
            print("the tests fail on the code as it is", file=sys.stderr)
            return 1
        print(f"{'mutant':72} {'file':40} {'killed by':60} seconds", flush=True)
        for one in mutants:
            path = folder / one.path
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace(one.text, one.replacement), encoding="utf-8")
            begun = time.perf_counter()
            status, said = run(folder, [one.tests], one.compiled)
            path.write_text(text, encoding="utf-8")
            survived = status not in (1, 2)  # 2: the module does not even load
            survivors += survived
            by = "SURVIVED" if survived else killer(said)
            what = " ".join(one.replacement.split())[:72]
            print(f"{what:72} {one.path.removeprefix(CODE):40} {by:60} {time.perf_counter() - begun:.1f}", flush=True)
    print(f"{len(mutants)} mutants, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2]))
