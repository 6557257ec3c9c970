"""Closed forms, one module per subject; no simulator in here."""

from longfat.laws import selective_repeat

__all__ = ["selective_repeat"]
