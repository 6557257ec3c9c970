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
    from longfat.measured.ping import read_ping
    from longfat.measured.recognising import KINDS, read, read_each, read_iperf3

#: Public name -> module that defines it. A module is imported when one of its names is first used, because commands
#: without files need none of the readers.
_NAMES = {
    **dict.fromkeys(("LAYERS", "layer_sizes", "rate_at"), ".base.layers"),
    "path_of": "combining",
    **dict.fromkeys(("Measurement", "PathFigures", "Series"), "figures"),
    "read_ping": "ping",
    **dict.fromkeys(("KINDS", "read", "read_each", "read_iperf3"), "recognising"),
}

__all__ = [
    "KINDS",
    "LAYERS",
    "Measurement",
    "PathFigures",
    "Series",
    "layer_sizes",
    "path_of",
    "rate_at",
    "read",
    "read_each",
    "read_iperf3",
    "read_ping",
]

__getattr__, __dir__ = lazily(__name__, _NAMES)
