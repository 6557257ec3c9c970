"""The bar that a sweep shows while it goes on: as text in a terminal, as a widget in a notebook."""

from __future__ import annotations

import warnings
from typing import Any


def bar(total: int, shown: bool) -> Any:
    """A bar of runs that appears after two seconds and is gone at the end; silent about widgets that are missing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")  # then it is a line of text
        from tqdm import auto

        return auto.tqdm(total=total, desc="sweeping", unit="run", delay=2, leave=False, disable=not shown)
