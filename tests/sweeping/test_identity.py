"""Which function a store belongs to."""

import functools
import os
import subprocess
import sys

import pytest

from longfat.sweeping import identity, sweep
from tests.sweeping.common import QUIET, queue


def test_a_function_that_has_changed_is_refused(tmp_path):
    def make(body):
        space = {"__name__": "notebook"}
        exec(body, space)
        return space["f"]

    first = make("def f(load, rng):\n    'as it was'\n    return load + rng.random()")
    kept = sweep(first, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)
    reworded = make("# a comment\ndef f(load, rng):\n    'in other words'\n    return load + rng.random()")
    assert sweep(reworded, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET).identical(kept)
    for other in ("load - rng.random()", "load + rng.normal()", "1.5 * load + rng.random()"):
        changed = make(f"def f(load, rng):\n    'as it was'\n    return {other}")
        with pytest.raises(ValueError, match="the code of the function has been changed since"):
            sweep(changed, {"load": [1, 2]}, rng=1, store=tmp_path, **QUIET)


def test_functions_are_told_apart():
    def make(factor, name="a"):
        return lambda load, rng, name=name: {"a", "b", name} and load * factor

    assert identity.code(make(1)) == identity.code(make(1)) != identity.code(make(2))
    assert identity.code(make(1)) != identity.code(make(1, "b"))
    assert identity.code(len) is None
    assert identity.name(functools.partial(queue, 0.5, rng=len)) == (
        "partial(tests.sweeping.common.queue, 0.5, rng=builtins.len)"
    )

    class Model:
        def __call__(self, load, rng):
            return load

    assert identity.name(Model()) == identity.name(Model())  # no addresses
    assert identity.code(Model()) == identity.code(Model().__call__) is not None


def test_a_function_has_the_same_identity_in_every_process():
    """Sets of text have another order in every process, and instructions that ran often are specialised."""
    code = (
        "from longfat.sweeping import identity\n"
        "def f(load, rng): return load in {'reno', 'cubic', 'bic', 'vegas'} and load + 'x'\n"
        "for _ in range({}): f('reno', None)\n"
        "print(identity.code(f))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code.replace("{}", calls)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for calls, seed in (("1", "1"), ("1000", "2"), ("1", "3"))
    }
    assert len(said) == 1
