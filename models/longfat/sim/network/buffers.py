"""Limits of buffers, in packets or in bytes."""

from __future__ import annotations

import math
from typing import Any

from longfat.base import quantities
from longfat.base.domains import integer, out_of_range


def read_buffer(buffer: Any) -> tuple[float, float]:
    """Return the limits of a buffer [packets], [bytes]; a limit that is not given is infinite.

    >>> read_buffer("440 packets"), read_buffer("64 KiB"), read_buffer(None)
    ((440, inf), (inf, 65536.0), (inf, inf))
    """
    if buffer is None or buffer == math.inf:
        return math.inf, math.inf
    if isinstance(buffer, str):
        text = buffer.strip()
        for word in ("packets", "packet"):
            if text.endswith(word):
                amount = text.removesuffix(word).strip()
                try:
                    return integer("buffer", float(amount), "packets", "[0, 1e15]"), math.inf
                except ValueError:
                    raise out_of_range("buffer", repr(buffer), "1", "[0, 1e15]", integer=True) from None
        return math.inf, quantities.size(buffer, "buffer", "[0, 1e18]")
    return integer("buffer", buffer, "packets", "[0, 1e15]"), math.inf
