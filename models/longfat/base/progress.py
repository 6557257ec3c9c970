"""Display of progress: a bar (text in a terminal, a widget in a notebook), or a message."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

DELAY = 2.0  # s: tasks that end sooner show no bar


def bar(items: Iterable[Any] | None = None, *, task: str, unit: str, shown: bool, total: float | None = None) -> Any:
    """Return a tqdm progress bar that appears after two seconds and disappears at the end.

    A text bar is erased with spaces. There is no bar if the output is a file or a notebook without widgets, where the
    spaces would remain as an empty red stripe.

    Parameters
    ----------
    items : iterable, optional
        Items to iterate over; without them the caller counts with ``update``.
    task, unit : str
        Description of the task, and the unit that is counted.
    shown : bool
        Whether to show a bar.
    total : float, optional
        Total count; by default the number of ``items``.

    Examples
    --------
    >>> list(bar([1, 2], task="counting", unit="number", shown=False))
    [1, 2]
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")  # a notebook without widgets
        if "ipykernel" in sys.modules:
            from tqdm import auto as kind
        else:
            from tqdm import std as kind  # without asyncio, which takes a tenth of a second to import

        # With disable = None tqdm shows its text bar only on a terminal, but a notebook widget would take None as
        # False.
        disable = None if shown else True
        made = kind.tqdm(items, desc=task, unit=unit, total=total, delay=DELAY, leave=False, disable=disable)
    if not made.disable and "ipykernel" not in sys.modules:
        timer = threading.Timer(DELAY, _appear, [made])
        timer.daemon = True
        timer.start()
    return made


def _appear(bar: Any) -> None:
    """Draw a text bar, because tqdm draws it only when an item ends, and the first item may take minutes."""
    bar.refresh()
    bar.last_print_t = max(bar.last_print_t, bar.start_t + bar.delay)  # `close` erases a bar only if it was drawn


def describe(bar: Any, text: str) -> None:
    """Set the text before a progress bar made by `bar`; if the bar is visible, redraw it."""
    bar.set_description_str(text, refresh=(bar.format_dict["elapsed"] or 0.0) > DELAY)


@contextmanager
def announced(what: str, after: float = 2.0) -> Iterator[None]:
    """Print a message on a terminal or in a notebook if the `with` block takes longer than ``after`` seconds."""
    watched = sys.stderr.isatty() or "ipykernel" in sys.modules
    timer = threading.Timer(after, lambda: print(what, file=sys.stderr, flush=True))
    timer.daemon = True
    if watched:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
