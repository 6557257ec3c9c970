"""Closed forms, one module per subject; no simulator in here."""

from longfat.laws import queues, selective_repeat, tcp

__all__ = ["queues", "selective_repeat", "tcp"]
