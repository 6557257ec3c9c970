"""Inverse questions: which window does a path need, and which receive buffer; which k and v keep loss low; how often
must CADPC flows ask, and what does a class of them need; how much buffer does a switch need?
"""

from longfat.design.cadpc import cadpc, cadpc_class
from longfat.design.loss_load import loss_load
from longfat.design.path import Path
from longfat.design.search import law_is_valid, law_window, simulated_window
from longfat.design.switch_buffer import buffer
from longfat.design.windows import window

__all__ = [
    "Path", "buffer", "cadpc", "cadpc_class", "law_is_valid", "law_window", "loss_load", "simulated_window", "window",
]  # fmt: skip
