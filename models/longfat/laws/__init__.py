"""Laws: published closed forms, one package per subject, independent of all simulators."""

from longfat.laws import aqm, bbr, blt, cadpc, dctcp, fair_share, loss_load, power, queues, selective_repeat, tcp

__all__ = [
    "aqm",
    "bbr",
    "blt",
    "cadpc",
    "dctcp",
    "fair_share",
    "loss_load",
    "power",
    "queues",
    "selective_repeat",
    "tcp",
]
