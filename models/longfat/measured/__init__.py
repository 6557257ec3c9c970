"""Measurements of a path: figures from files that iperf3, ping, ss, tc and other programs wrote.

No tool measures the rate, round-trip time and loss of a path directly. A remark on each figure therefore names the
quantity that was measured instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.base.layers import LAYERS, layer_sizes, rate_at
    from longfat.measured.combining import path_of
    from longfat.measured.figures import Measurement, PathFigures, Series
    from longfat.measured.recognising import KINDS, read, read_each

__all__ = [
    "KINDS", "LAYERS", "Measurement", "PathFigures", "Series", "layer_sizes", "path_of", "rate_at", "read", "read_each",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
