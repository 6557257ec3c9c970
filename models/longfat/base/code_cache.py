"""Disk cache of compiled code; code is loaded only if its file is intact and the source files are unchanged.

numba reads a cache only from a folder that it may write to, and loads only code for the processor of this machine.
This module also reads a cache in the package's own folder. Wheels contain this cache, with code for any processor of
the architecture (``make wheel`` compiles it with ``NUMBA_CPU_NAME=generic``). Functions without code in that cache are
compiled, and their code is kept in numba's own cache. Code of another version of Python, numba or the package is not
loaded, and neither is a damaged file.
"""

from __future__ import annotations

import functools
import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
    NullCache,
)
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature

SEAL = hashlib.sha256().digest_size  # bytes at the end of a file
ANY_PROCESSOR = ("generic", "")  # processor and its features in numba's keys if NUMBA_CPU_NAME is generic


def compiled(function: Callable[..., Any], folders: list[Path], **flags: Any) -> Any:
    """Return a function that numba compiles on its first call; store the code on disk if numba finds a writable folder.

    The function is compiled again if any Python file of ``folders`` has changed or if the files on disk are damaged.
    """
    found = digest(folders)
    try:
        dispatcher = numba.njit(cache=True, nogil=True, **flags)(function)
        stamp(dispatcher, found)
    except AttributeError:  # JIT is disabled, or this version of numba's cache has no stamp
        return numba.njit(nogil=True, **flags)(function)
    except RuntimeError:  # the cache has no folder to write to
        dispatcher = numba.njit(nogil=True, **flags)(function)
    _share(dispatcher, found)
    return dispatcher


def stamp(dispatcher: Any, digest: str) -> None:
    """Make a dispatcher load cached code only if the file is intact and the source files have this digest."""
    dispatcher._cache._cache_file = Checked(dispatcher._cache._cache_file, digest)


def digest(folders: list[Path]) -> str:
    """Return a hash of the names and contents of all Python files in the folders."""
    files = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    return _digest(tuple((path, (of := path.stat()).st_mtime_ns, of.st_size) for path in files))


@functools.lru_cache(maxsize=64)  # a run loads a dozen functions of the same folders
def _digest(files: tuple[tuple[Path, int, int], ...]) -> str:
    found = hashlib.sha256()
    for path, _, _ in files:
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


class Checked(IndexDataCacheFile):  # type: ignore[misc]
    """Cache files of one compiled function; each ends with a hash of its content and of the source files.

    The hash is compared before a file is unpickled: a damaged file, or code of another version of the function, could
    name types that do not exist or end the process when the code runs. A file with another hash is ignored, and
    overwritten when the function has been compiled. The hash does not protect from users who may write to the folder.
    """

    def __init__(self, plain: Any, digest: str) -> None:
        self.__dict__.update(vars(plain))
        self._source_stamp = (*plain._source_stamp, digest)
        self.lost = False

    def save(self, key: Any, data: Any) -> None:
        """Write the code compiled for a signature; ignore an OSError (full disk), because the code is in memory."""
        try:
            super().save(key, data)
        except OSError:
            self.lost = True

    def _load_index(self) -> Any:
        return super()._load_index() if self._is_sound(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not self._is_sound(self._data_path(name)):
            raise FileNotFoundError(name)  # makes numba compile the function
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(path) as file, io.BytesIO() as content:
            yield content
            file.write(content.getvalue() + self._seal(content.getvalue()))

    def _is_sound(self, path: str) -> bool:
        """Return whether a file exists, is complete, and was compiled from the current source files."""
        try:
            content = Path(path).read_bytes()
        except OSError:
            return False
        return content[-SEAL:] == self._seal(content[:-SEAL])  # unpickling does not read the seal

    def _seal(self, content: bytes) -> bytes:
        return hashlib.sha256(repr(self._source_stamp).encode() + content).digest()


class _Beside(InTreeCacheLocator):  # type: ignore[misc]
    """Locator of the cache in the package's own ``__pycache__``, which is read but not written."""

    def ensure_cache_path(self) -> None:
        """Raise an OSError if the cache folder cannot be read."""
        os.listdir(self.get_cache_path())


class _BesideImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Beside,)


class _BesideCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _BesideImpl


class _ShippedCache(_BesideCache):
    """Cache beside the source files, with code that runs on any processor of this architecture."""

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        kinds, (architecture, *_), hashes = super()._index_key(signature, codegen)
        return kinds, (architecture, *ANY_PROCESSOR), hashes


class Shared:
    """Cache that looks for code in the dispatcher's own cache first, then in the caches beside the source files.

    ``load_overload`` of numba's own caches first calls `CPUContext.load_additional_registries`, to prepare for
    compiling: this imports functions of NumPy and SciPy, and takes longer than loading all code of a run. Code that
    takes numbers, or that has no wrapper for calls from Python (``bare``), needs no symbols but those of numba's
    runtime. Code that takes arrays needs the rest.
    """

    def __init__(self, own: Any, beside: list[Any], bare: bool) -> None:
        self.own, self.beside, self.bare = own, beside, bare

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled code for a signature, or None if no cache has it."""
        load = "load_overload"
        if self.bare or all(isinstance(one, types.Number) for one in normalize_signature(signature)[0]):
            rtsys.initialize(target)
            load = "_load_overload"
        found = (getattr(one, load, one.load_overload)(signature, target) for one in (self.own, *self.beside))
        return next((code for code in found if code), None)


def _share(dispatcher: Any, digest: str) -> None:
    """Make a dispatcher also read the cache beside the source files, if numba has the attributes that this needs."""
    try:
        beside = [_ShippedCache(dispatcher.py_func)]
        if dispatcher._cache.cache_path != beside[0].cache_path:
            beside.insert(0, _BesideCache(dispatcher.py_func))
        for one in beside:
            one._cache_file = Checked(one._cache_file, digest)
        bare = bool(dispatcher.targetoptions.get("no_cpython_wrapper"))
        dispatcher._cache = Shared(dispatcher._cache, beside, bare)
    except (AttributeError, RuntimeError, TypeError):  # numba lacks an attribute, or finds no cache folder
        pass


def tell_if_lost(dispatcher: Any) -> None:
    """Print a hint to stderr if the dispatcher has compiled code that cannot be stored on disk."""
    cache = getattr(dispatcher, "_cache", None)
    own = cache.own if isinstance(cache, Shared) else cache
    lost = isinstance(own, NullCache) or getattr(getattr(own, "_cache_file", None), "lost", False)
    if lost and sum(dispatcher.stats.cache_misses.values()):
        print(
            "longfat: compiled code cannot be kept, so that every run compiles the simulator anew: set "
            "NUMBA_CACHE_DIR to a folder that can be written to",
            file=sys.stderr,
            flush=True,
        )
