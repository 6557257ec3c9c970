"""Closed forms, one module per subject; no simulator in here."""

from longfat.laws import cadpc, loss_load, queues, selective_repeat, tcp

__all__ = ["cadpc", "loss_load", "queues", "selective_repeat", "tcp"]
