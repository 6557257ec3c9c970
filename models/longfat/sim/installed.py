"""Cache of compiled code beside an installed package, used also where this user cannot write to it.

numba reads a cache only where it could write one. Whoever installed the package compiled it once
(``python -m longfat.sim.precompile``). Another user would compile all of it again, and one without a writable folder in
every run. Here every user reads the cache beside the package; what it lacks is kept where numba keeps it.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, InTreeCacheLocator, NullCache


class _Beside(InTreeCacheLocator):  # type: ignore[misc]
    """Cache locator for the package's own ``__pycache__``, which is only read."""

    def ensure_cache_path(self) -> None:
        """Raise an OSError if there is nothing to read."""
        os.listdir(self.get_cache_path())


class _BesideImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Beside,)


class _BesideCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _BesideImpl


class Shared:
    """Cache of a dispatcher that falls back to the cache beside the package."""

    def __init__(self, own: Any, beside: Any) -> None:
        self.own, self.beside = own, beside

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled code for a signature, None if neither cache has it."""
        return self.own.load_overload(signature, target) or self.beside.load_overload(signature, target)


def share(dispatcher: Any, digest: str) -> None:
    """Let a dispatcher read the cache beside the package, if its own cache is elsewhere and this numba is known."""
    try:
        beside = _BesideCache(dispatcher.py_func)
        if beside.cache_path != dispatcher._cache.cache_path:
            file = beside._cache_file
            file._source_stamp = (*file._source_stamp, digest)
            dispatcher._cache = Shared(dispatcher._cache, beside)
    except (AttributeError, RuntimeError, TypeError):  # another numba, or no folder beside the package
        pass


def tell_if_lost(dispatcher: Any) -> None:
    """Print a hint to stderr if the code compiled just now cannot be kept."""
    cache = getattr(dispatcher, "_cache", None)
    own = cache.own if isinstance(cache, Shared) else cache
    if isinstance(own, NullCache) and sum(dispatcher.stats.cache_misses.values()):
        print(
            "longfat: compiled code cannot be kept, so that every run compiles the simulator anew: set "
            "NUMBA_CACHE_DIR to a folder that can be written to",
            file=sys.stderr,
            flush=True,
        )
