"""Functions that draw the Dataset of a result on matplotlib axes and return the axes; they compute no results."""

from longfat.plot.axes import nth_colour, rows, style
from longfat.plot.benchmark import benchmark_queues, benchmark_rates, benchmark_times
from longfat.plot.buffers import switch_buffer_curves
from longfat.plot.cadpc import cadpc_bounds, cadpc_shares
from longfat.plot.curve_panels import scheme_curves
from longfat.plot.intervals import sweep_curves, with_intervals
from longfat.plot.laws import agreement, law_curves
from longfat.plot.loss_load import loss_load_curves
from longfat.plot.measurements import measurements
from longfat.plot.paths import path_maps
from longfat.plot.runs import faces, run, traces
from longfat.plot.showing import show
from longfat.plot.windows import buffer_curves, tcp_rates, window_curves

__all__ = [
    "agreement", "benchmark_queues", "benchmark_rates", "benchmark_times", "buffer_curves", "cadpc_bounds",
    "cadpc_shares", "faces", "law_curves", "loss_load_curves", "measurements", "nth_colour", "path_maps", "rows",
    "run", "scheme_curves", "show", "style", "sweep_curves", "switch_buffer_curves", "tcp_rates", "traces",
    "window_curves", "with_intervals",
]  # fmt: skip
