"""Pictures of results: a function takes a Dataset and axes, draws, and returns the axes. Nothing is computed here."""

from longfat.plot.agreement import agreement
from longfat.plot.axes import nth_colour, rows, style
from longfat.plot.benchmark import benchmark_times
from longfat.plot.benchmark_traces import benchmark_queues, benchmark_rates
from longfat.plot.buffers import switch_buffer_curves
from longfat.plot.cadpc import cadpc_bounds, cadpc_shares
from longfat.plot.curve_panels import scheme_curves
from longfat.plot.faces import faces
from longfat.plot.intervals import sweep_curves, with_intervals
from longfat.plot.laws import law_curves
from longfat.plot.loss_load import loss_load_curves
from longfat.plot.measurements import measurements
from longfat.plot.networks import traces
from longfat.plot.runs import run
from longfat.plot.showing import show
from longfat.plot.tcp import tcp_rates
from longfat.plot.windows import buffer_curves, window_curves

__all__ = [
    "agreement", "benchmark_queues", "benchmark_rates", "benchmark_times", "buffer_curves", "cadpc_bounds",
    "cadpc_shares", "faces", "law_curves", "loss_load_curves", "measurements", "nth_colour", "rows",
    "run", "scheme_curves", "show", "style", "sweep_curves", "switch_buffer_curves", "tcp_rates", "traces",
    "window_curves", "with_intervals",
]  # fmt: skip
