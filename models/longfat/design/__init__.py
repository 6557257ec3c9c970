"""Inverse questions: which window does this path need, and which receive buffer? Which k and v keep loss low?"""

from longfat.design.loss_load import loss_load
from longfat.design.path import Path
from longfat.design.search import law_is_valid, law_window, simulated_window
from longfat.design.windows import window

__all__ = ["Path", "law_is_valid", "law_window", "loss_load", "simulated_window", "window"]
