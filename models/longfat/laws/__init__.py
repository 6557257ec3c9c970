"""Laws: published closed forms, one package per subject, independent of all simulators.

Submodules are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.laws import (
        aqm,
        bbr,
        blt,
        buffers,
        cadpc,
        credits,
        cubic,
        dctcp,
        delay_based,
        fair_share,
        guarantees,
        loss_load,
        power,
        queues,
        selective_repeat,
        tcp,
    )

__all__ = [
    "aqm",
    "bbr",
    "blt",
    "buffers",
    "cadpc",
    "credits",
    "cubic",
    "dctcp",
    "delay_based",
    "fair_share",
    "guarantees",
    "loss_load",
    "power",
    "queues",
    "selective_repeat",
    "tcp",
]

__getattr__, __dir__ = lazily(__name__)
