"""Interactive exploration of laws: sliders from a law's record, curves, simulated points, and files to save.

``law`` and ``page`` are for Jupyter and the browser and need ipywidgets. The rest works without: `start` makes the
state of an exploration, `dataset` computes its numbers, `figure` draws them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from longfat import extras
from longfat.explore.curves import dataset
from longfat.explore.presets import Preset, presets
from longfat.explore.saving import figure, file
from longfat.explore.state import State, start

if TYPE_CHECKING:
    from longfat.explore.picker import page
    from longfat.explore.view import Explorer, law

_WIDGETS = {"Explorer": "view", "law": "view", "page": "picker"}

__all__ = ["Explorer", "Preset", "State", "dataset", "figure", "file", "law", "page", "presets", "start"]


def __getattr__(name: str) -> Any:
    if name not in _WIDGETS:
        raise AttributeError(f"module 'longfat.explore' has no attribute {name!r}")
    extras.need(f"longfat.explore.{name}", "ipywidgets")
    return getattr(importlib.import_module(f"longfat.explore.{_WIDGETS[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
