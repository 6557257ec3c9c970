"""Runs of `longfat.sim.conformance` in a separate process without compilation."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from typing import Any

import numba
import numpy as np

from longfat.sim.conforming.trials import Record, Subject, observe, trials_for

CODE = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from longfat.sim.conforming.interpreted import answer
answer()
"""


class Interpreted(Exception):
    """Error if the process without compilation gives no result; the message has the reason."""


def observe_interpreted(subject: Subject, seed: int, timeout: float) -> list[Record]:
    """Run all trials in plain Python in a separate process, for `timeout` [s] at most; return the records."""
    try:
        sent = portable((subject, seed))
    except Exception as error:  # a user's class may raise any exception
        raise Interpreted(f"the plug-in cannot be sent to another process: {type(error).__name__}: {error}") from None
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
        raise Interpreted(f"the plug-in cannot be run without compilation: {lines[-1]}")
    return pickle.loads(answer.stdout)  # type: ignore[no-any-return]


def answer() -> None:
    """Read a subject and a seed from standard input, run all trials, and write the records to standard output."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # keeps output of the plug-in out of the result
    subject, seed = pickle.load(sys.stdin.buffer)
    np.seterr(all="ignore")
    out.write(pickle.dumps([observe(trial, subject, seed, slow=True) for trial in trials_for(subject)]))


def portable(thing: Any) -> bytes:
    """Pickle an object, with the plug-in's functions by value and compiled functions as plain functions."""
    import cloudpickle

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
        def reducer_override(self, one: Any) -> Any:
            if not isinstance(one, numba.core.dispatcher.Dispatcher):
                return super().reducer_override(one)
            if one.__module__.startswith("longfat."):
                return getattr, (sys.modules[one.__module__], one.__name__)
            return _plain, (one.py_func,)

    file = io.BytesIO()
    modules = _modules(thing[0].plug_in)
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        Pickler(file).dump(thing)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    return file.getvalue()


def _modules(plug_in: Any) -> list[Any]:
    """Return the modules of the plug-in's functions that the other process may not be able to import."""
    service = getattr(plug_in, "scheduler", None)
    functions = [*plug_in.callbacks.values(), *(service.callbacks.values() if service else ())]
    names = {getattr(one, "py_func", one).__module__ or "" for one in functions}
    return [sys.modules[name] for name in names if not name.startswith("longfat.") and name in sys.modules]


def _plain(function: Any) -> Any:
    return function
