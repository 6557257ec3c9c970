"""Design tools: windows of TCP and selective repeat, buffers, curves of schemes, loss-load curves, periods of CADPC.

Each answers an inverse question: it finds the parameter with which a law or a simulation reaches a goal.
"""

from longfat.design.cadpc import cadpc, cadpc_class
from longfat.design.loss_load import loss_load
from longfat.design.path import Path
from longfat.design.scheme_curves import curves
from longfat.design.search import law_is_valid, law_window, simulated_window
from longfat.design.switch_buffer import buffer
from longfat.design.tcp_window import tcp_window
from longfat.design.windows import window

__all__ = [
    "Path", "buffer", "cadpc", "cadpc_class", "curves", "law_is_valid", "law_window", "loss_load", "simulated_window",
    "tcp_window", "window",
]  # fmt: skip
