"""Compiled code on disk: used by the next process, but never after a change of any file that it was made from."""

import ctypes
import errno
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core import caching

from longfat.base import code_cache
from longfat.sim.kernel import jit

pytestmark = pytest.mark.skipif(not jit.COMPILED, reason="nothing is compiled")
PACKAGE = Path(jit.__file__).resolve().parents[2]
#: Print whether the loop's stamp changes with a helper, and is the old one afterwards; nothing is compiled.
STAMPS = """
import importlib
from pathlib import Path
from longfat.sim.kernel import loop
def stamp():
    return importlib.reload(loop).run._cache._cache_file._source_stamp
before = stamp()
for helper in {helpers}:
    path = Path(loop.__file__).parents[1] / helper
    text = path.read_text()
    path.write_text(text + "# changed")
    changed = stamp() != before
    path.write_text(text)
    print(changed, stamp() == before)
"""
HELPERS = ("kernel/link.py", "kernel/records.py", "kernel/memory.py")


def process(folder, code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")} | environment,
        cwd=folder, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_stamp_of_the_loop(tmp_path):
    """The digest changes with a file that the loop only calls, and is the old one after that is undone."""
    shutil.copytree(PACKAGE, tmp_path / "longfat", ignore=shutil.ignore_patterns("__pycache__"))
    assert process(tmp_path, STAMPS.format(helpers=HELPERS)) == ["True", "True"] * len(HELPERS)


LITTLE = {
    "little.py": "from longfat.sim.kernel.jit import entry\nfrom helper import value\n\n\n"
    "@entry\ndef run():\n    return value()\n",
    "helper.py": "from longfat.sim.kernel.jit import inline\n\n\n@inline\ndef value():\n    return 20\n",
}
CHANGED = LITTLE["helper.py"].replace("20", "1010")
COMPILED, LOADED = 0, 1


@pytest.fixture
def little(tmp_path, monkeypatch):
    """Return a function that imports `run` anew, and says what it returns and how often its code was on disk."""
    for name, text in LITTLE.items():
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def call():
        for name in ("little", "helper"):
            sys.modules.pop(name, None)
        run = importlib.import_module("little").run
        return run(), sum(run.stats.cache_hits.values())

    yield call
    for name in ("little", "helper"):
        sys.modules.pop(name, None)


def test_a_helper_that_changes(little, tmp_path):
    """numba alone would return 20 for ever, because the file of `run` has not changed."""
    assert little() == (20, COMPILED)
    assert little() == (20, LOADED)
    (tmp_path / "helper.py").write_text(CHANGED)
    assert little() == (1010, COMPILED)
    assert little() == (1010, LOADED)


def test_another_user_reads_what_was_compiled(little, tmp_path, monkeypatch):
    """The cache beside the package is used; code that is out of date is compiled again, and not kept there.

    As for another user: the folder beside the files is there to be read, and there is no home.
    """

    def refuse(locator):
        raise PermissionError

    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    assert little() == (20, COMPILED)
    monkeypatch.setattr(caching.InTreeCacheLocator, "ensure_cache_path", refuse)
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert little() == (20, LOADED)
    (tmp_path / "helper.py").write_text(CHANGED)
    assert little() == (1010, COMPILED)
    assert little() == (1010, COMPILED)


def test_a_cache_that_cannot_be_written_is_reported_once(capsys):
    """The hint names the variable to set; users whose code can be kept get no hint."""
    lost, kept = numba.njit(lambda: 3), jit.entry(plain)
    for one in (lost, kept):
        assert one() == 3
        code_cache.tell_if_lost(one)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "set NUMBA_CACHE_DIR to a folder that can be written to" in said


@pytest.mark.parametrize("missing", ["_cache", "_cache_file", "_source_stamp"])
def test_another_numba(monkeypatch, missing):
    """If another numba has no such stamp, nothing is kept on disk: slow, but never out of date."""
    true_stamp = code_cache.stamp
    assert type(jit.entry(plain)._cache).__name__ != "NullCache"

    class Without:
        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            if name == missing:
                raise AttributeError(name)
            value = getattr(self.inner, name)
            return Without(value) if name in ("_cache", "_cache_file") else value

    monkeypatch.setattr(code_cache, "stamp", lambda dispatcher, digest: true_stamp(Without(dispatcher), digest))
    dispatcher = jit.entry(plain)
    assert dispatcher() == 3
    assert "cache" not in dispatcher.targetoptions or not dispatcher.targetoptions["cache"]
    assert type(dispatcher._cache).__name__ == "NullCache"
    compiled = jit.callback(numba.float64(numba.float64), twice, cache=True)
    # by numba's convention: the result through the first argument, the exception through the second, 0 if there is none
    pointers = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_void_p)
    result = ctypes.c_double()
    call = ctypes.CFUNCTYPE(ctypes.c_int, *pointers, ctypes.c_double)(compiled.address)
    assert call(ctypes.byref(result), ctypes.byref(ctypes.c_void_p()), 2.0) == 0
    assert result.value == 4.0
    assert type(compiled.code._cache).__name__ == "NullCache"


def test_no_place_to_write_to(monkeypatch):
    def refuse(dispatcher, digest):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(code_cache, "stamp", refuse)
    assert jit.entry(plain)() == 3


@pytest.mark.parametrize("how", ["empty", "cut", "flipped"])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_files(little, tmp_path, kind, how):
    """The function is compiled again, and found the next time."""
    assert little() == (20, COMPILED)
    (file,) = (tmp_path / "cache").rglob(f"little.run*.{kind}")
    content = bytearray(file.read_bytes())
    if how == "flipped":
        content[len(content) // 3] ^= 1
    file.write_bytes({"empty": b"", "cut": content[: len(content) // 2], "flipped": content}[how])
    assert little() == (20, COMPILED)
    assert little() == (20, LOADED)


def test_code_of_another_text(little, tmp_path):
    """An index of the new text beside the code of the old one: left by a process killed between writing both."""
    assert little() == (20, COMPILED)
    (code,) = (tmp_path / "cache").rglob("little.run*.nbc")
    old = code.read_bytes()
    (tmp_path / "helper.py").write_text(CHANGED)
    assert little() == (1010, COMPILED)
    code.write_bytes(old)
    assert little() == (1010, COMPILED)


SEGMENTS = """
from longfat import segments
from longfat.segments import kernel
run = segments.simulate(window=4, loss=0.1, segment_packets=2, ack_segments=1, segments=1, rng=1, progress=False)
print(run is not None, sum(kernel.run.stats.cache_hits.values()))
"""


def test_code_that_takes_arrays():
    """When loaded, it needs parts of numba that the packet simulator does not need; without them the process dies.

    `make venv` has compiled it; otherwise the first process does.
    """
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", SEGMENTS], capture_output=True, text=True, check=False)
        if (done.returncode, done.stdout) == (0, "True 1\n"):
            return
    pytest.fail(f"{done.returncode}: {done.stdout}{done.stderr}")


def test_a_full_disk(monkeypatch, capsys):
    """The code runs from memory, and a message says why the next run compiles it again."""

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    dispatcher = jit.entry(plain_too)
    monkeypatch.setattr(dispatcher._cache._cache_file, "_save_index", full)
    assert dispatcher() == 4
    code_cache.tell_if_lost(dispatcher)
    assert "set NUMBA_CACHE_DIR" in capsys.readouterr().err


def plain():
    return 3


def plain_too():
    return 4


def twice(x):
    return 2 * x
