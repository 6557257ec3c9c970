"""The stubs of the laws, which editors read, have the laws' signatures and docstrings, and are in what is built."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from docs import stubs
from longfat.law import Law

PACKAGES = stubs.packages()


@pytest.mark.parametrize("package", PACKAGES, ids=[one.__name__ for one in PACKAGES])
def test_stubs_say_what_the_laws_say(package):
    functions = {one.name: one for one in ast.parse(stubs.stub(package)).body if isinstance(one, ast.FunctionDef)}
    for name in package.__all__:
        one = getattr(package, name)
        if isinstance(one, Law):
            assert ast.get_docstring(functions[name]) == one.__doc__.strip()
            assert [argument.arg for argument in functions[name].args.args] == list(one.symbols)


def test_all_packages_with_laws_have_a_stub():
    assert {one.__name__.rpartition(".")[2] for one in PACKAGES} == {
        "aqm", "bbr", "blt", "buffers", "cadpc", "credits", "cubic", "dctcp", "delay_based", "guarantees", "loss_load",
        "power", "queues", "selective_repeat", "tcp",
    }  # fmt: skip


def test_building_the_package_writes_the_stubs(tmp_path):
    """As pip does, from the configuration of the repository alone."""
    command = [
        sys.executable,
        "setup.py",
        "-q",
        "build",
        "--build-base",
        tmp_path / "base",
        "--build-lib",
        tmp_path / "lib",
    ]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for package in PACKAGES:
        path = stubs.place(package, tmp_path / "lib")
        assert path.read_text(encoding="utf-8") == stubs.stub(package)
