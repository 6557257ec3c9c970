"""Runs of `longfat.sim.conformance` in a separate process without compilation."""

from __future__ import annotations

import importlib
import io
import os
import pickle
import subprocess
import sys
from dataclasses import fields
from typing import Any

import numba
import numpy as np

from longfat.sim.conforming.trials import Record, Subject, observe, trials_for
from longfat.sim.plugin.plug_in import PlugIn

CODE = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from longfat.sim.conforming.interpreted import answer
answer()
"""


class Interpreted(Exception):
    """Error of the process without compilation; the message says why there is no result."""


def observe_interpreted(subject: Subject, seed: int, timeout: float) -> list[Record]:
    """Return the records of all trials, run in plain Python in a separate process."""
    try:
        sent = portable((subject, seed))
    except Exception as error:  # a user's class may raise any exception
        raise Interpreted(f"it cannot be sent to another process: {type(error).__name__}: {error}") from None
    try:
        answer = subprocess.run(
            [sys.executable, "-c", CODE],
            input=pickle.dumps(sys.path) + sent,
            env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    if answer.returncode:
        lines = answer.stderr.decode(errors="replace").strip().splitlines() or [f"exit status {answer.returncode}"]
        raise Interpreted(f"it cannot be run without compilation: {lines[-1]}")
    return pickle.loads(answer.stdout)  # type: ignore[no-any-return]


def answer() -> None:
    """Write the records of all trials of the subject and seed on standard input to standard output."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # keeps output of the plug-in out of the result
    subject, seed = pickle.load(sys.stdin.buffer)
    np.seterr(all="ignore")
    out.write(pickle.dumps([observe(trial, subject, seed, slow=True) for trial in trials_for(subject)]))


def portable(thing: Any) -> bytes:
    """Return a pickled object, with the plug-in's functions by value and compiled ones as plain functions."""
    import cloudpickle

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
        def reducer_override(self, one: Any) -> Any:
            if isinstance(one, numba.core.dispatcher.Dispatcher):
                return (_named if one.__module__.startswith("longfat.") else _plain), _of_dispatcher(one)
            if isinstance(one, PlugIn):  # without attributes that follow from the fields
                return _make, (type(one), {each.name: getattr(one, each.name) for each in fields(one)})
            return super().reducer_override(one)

    file = io.BytesIO()
    mine = _modules(thing[0].plug_in)
    for module in mine:
        cloudpickle.register_pickle_by_value(module)
    try:
        Pickler(file).dump(thing)
    finally:
        for module in mine:
            cloudpickle.unregister_pickle_by_value(module)
    return file.getvalue()


def _modules(plug_in: Any) -> list[Any]:
    """Return the modules of the plug-in's functions, which the other process may not find by their names."""
    given = [*vars(plug_in).values(), *vars(getattr(plug_in, "scheduler", None) or plug_in).values()]
    functions = [getattr(one, "py_func", one) for one in given if callable(one)]
    names = {getattr(one, "__module__", None) or "" for one in functions}
    own = ("longfat", "numba", "numpy", "builtins", "__main__")
    return [sys.modules[name] for name in sorted(names) if name.split(".")[0] not in own and name in sys.modules]


def _of_dispatcher(one: Any) -> tuple[Any, ...]:
    function = one.py_func
    return (function.__module__, function.__qualname__) if one.__module__.startswith("longfat.") else (function,)


def _named(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _plain(function: Any) -> Any:
    return function


def _make(kind: type, fields: dict[str, Any]) -> Any:
    return kind(**fields)
