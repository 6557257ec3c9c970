"""Executors of runs, by name or address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from longfat.base import extras

PATIENCE = "10s"  # for a scheduler to answer


@contextmanager
def executor(text: str) -> Iterator[Any]:
    """Yield the executor for `longfat.sweep`: its name, or a client of the dask scheduler at an address."""
    if text in ("threads", "processes"):
        yield text
        return
    if "://" not in text:
        from longfat.base.domains import unknown

        raise unknown("executor", text, ("threads", "processes", "the address of a dask scheduler, as tcp://head:8786"))
    extras.need(f"executor = {text!r}", "distributed")
    from distributed import Client

    try:
        client = Client(text, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ValueError(f"executor = {text!r}: no dask scheduler answers there ({error})") from None
    with client:
        yield client
