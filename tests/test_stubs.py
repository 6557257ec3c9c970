"""The stubs of the laws, which editors read, are those of the code; type checkers know the laws by them."""

import ast

import pytest

from docs import stubs
from longfat.law import Law

PACKAGES = stubs.packages()


@pytest.mark.parametrize("package", PACKAGES, ids=[one.__name__ for one in PACKAGES])
def test_stubs_are_up_to_date(package):
    path = stubs.path_of(package)
    assert path.is_file(), f"{path} does not exist: run `make stubs`"
    text = path.read_text(encoding="utf-8")
    assert text == stubs.stub(package), f"{path} is not what the laws say: run `make stubs`"
    functions = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)}
    for name in package.__all__:
        one = getattr(package, name)
        if isinstance(one, Law):
            assert ast.get_docstring(functions[name]) == one.__doc__.strip()
            assert [argument.arg for argument in functions[name].args.args] == list(one.symbols)


def test_all_packages_with_laws_have_a_stub():
    assert {one.__name__.rpartition(".")[2] for one in PACKAGES} == {
        "aqm", "bbr", "blt", "buffers", "cadpc", "credits", "cubic", "dctcp", "guarantees", "loss_load", "power",
        "queues", "selective_repeat", "tcp",
    }  # fmt: skip
