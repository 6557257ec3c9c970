"""Laws: published closed forms, one package per subject, independent of all simulators."""

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
