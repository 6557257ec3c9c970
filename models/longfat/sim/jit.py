"""The one place that decides how kernels are compiled, and when what is on disk is out of date."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

#: Compiled once, kept on disk, and run without the interpreter's lock, so that threads run side by side.
#: With ``NUMBA_DISABLE_JIT=1`` the same function runs as plain Python and gives the same numbers.
kernel: Callable[..., Any] = numba.njit(cache=True, nogil=True)

#: A function that is only called from kernels: compiled into them, never on its own.
part: Callable[..., Any] = numba.njit(
    nogil=True, _nrt=False, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)

COMPILED: bool = not numba.config.DISABLE_JIT


def callback(signature: Any, function: Callable[..., Any], *, cache: bool) -> Any:
    """A function of somebody's, compiled to be called from a kernel through a slot."""
    if not COMPILED:
        return function
    dispatcher = numba.njit(nogil=True, cache=cache)(getattr(function, "py_func", function))
    if cache:
        stamp(dispatcher, [Path(inspect.getfile(function)).parent])
    dispatcher.compile(signature.signature)
    dispatcher.disable_compile()
    return dispatcher


def entry(*folders: str) -> Callable[[Callable[..., Any]], Any]:
    """A kernel whose parts stand in other files: it is compiled anew when any file of these folders changed.

    numba looks at the file of the cached function alone, so that a change in a file it calls would go
    unnoticed. Here the stamp it compares covers the text of all of them.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(cache=True, nogil=True, _nrt=False)(function)
        if COMPILED:
            here = Path(inspect.getfile(function)).parent
            stamp(dispatcher, [(here / folder).resolve() for folder in folders])
        return dispatcher

    return decorate


def stamp(dispatcher: Any, folders: list[Path]) -> None:
    """Make the cached code of a dispatcher depend on every Python file of these folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    cache_file = dispatcher._cache._cache_file
    cache_file._source_stamp = (*cache_file._source_stamp, digest.hexdigest())


def reason(error: Exception) -> str:
    """The line of numba's page of types that a person needs."""
    text = str(error)
    if "none to float64" in text or ("cast <Var" in text and "none" in text):
        return "it returns nothing on some path; return the new window [packets] or rate [bytes/s]"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    useful = [line for line in lines if not line.startswith(("Failed in", "During", "File ", "-", "<", "def "))]
    where = next((line for line in lines if line.startswith("File ")), "")
    return " ".join((useful[0] if useful else lines[0]).split()) + (f" ({where})" if where else "")
