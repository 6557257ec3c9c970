"""Closed forms, one module per subject; no simulator in here."""

from longfat.laws import blt, cadpc, fair_share, loss_load, power, queues, selective_repeat, tcp

__all__ = ["blt", "cadpc", "fair_share", "loss_load", "power", "queues", "selective_repeat", "tcp"]
