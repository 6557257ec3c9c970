"""Interactive exploration of laws: sliders, curves, simulated points with intervals, and saved results.

``lf.explore()`` shows all laws in Jupyter, ``lf.explore.law("queues.mm1_wait")`` one law; both need anywidget. The
command ``longfat explore`` serves the same view to a browser. Three functions need neither Jupyter nor a browser:
`start` returns the state of an exploration, `dataset` computes its numbers, and `figure` draws them.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

from longfat.base import extras
from longfat.explore.state import State, dataset, figure, start
from longfat.handbook.presets import Preset, presets

if TYPE_CHECKING:
    from longfat.explore.widget import Explorer, law, page

_WIDGETS = ("Explorer", "law", "page")

__all__ = ["Explorer", "Preset", "State", "dataset", "figure", "law", "page", "presets", "start"]


class _Package(types.ModuleType):
    """Type of this module that makes the module callable: ``lf.explore()`` calls ``lf.explore.page()``."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call `page` with the same arguments, and return its explorer of all laws."""
        return self.page(*arguments, **options)


def __getattr__(name: str) -> Any:
    if name not in _WIDGETS:
        raise AttributeError(f"module 'longfat.explore' has no attribute {name!r}")
    extras.need(f"longfat.explore.{name}", "anywidget", "docutils")
    return getattr(importlib.import_module("longfat.explore.widget"), name)


def __dir__() -> list[str]:
    return list(__all__)


sys.modules[__name__].__class__ = _Package
