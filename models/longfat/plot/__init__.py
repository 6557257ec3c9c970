"""Pictures of results: a function takes a Dataset and axes, draws, and returns the axes. Nothing is computed here."""

from longfat.plot.axes import rows, style
from longfat.plot.buffers import switch_buffer_curves
from longfat.plot.laws import law_curves
from longfat.plot.loss_load import loss_load_curves
from longfat.plot.networks import traces
from longfat.plot.windows import buffer_curves, window_curves

__all__ = [
    "buffer_curves",
    "law_curves",
    "loss_load_curves",
    "rows",
    "style",
    "switch_buffer_curves",
    "traces",
    "window_curves",
]
