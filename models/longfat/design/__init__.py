"""Design tools: windows of TCP and selective repeat, buffers, curves of schemes, loss-load curves.

Each tool finds the parameter value with which a law or a simulation reaches a goal. Modules are imported on first use,
so that the command line can read the declarations in `arguments` without importing numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from longfat.base.discovery import lazily

if TYPE_CHECKING:
    from longfat.design.loss_load_curves import loss_load
    from longfat.design.scheme_curves import curves
    from longfat.design.switch_buffer import buffer
    from longfat.design.tcp_windows import tcp_window
    from longfat.design.windows import Path, law_is_valid, law_window, simulated_window, window

__all__ = [
    "Path", "buffer", "curves", "law_is_valid", "law_window", "loss_load", "simulated_window", "tcp_window", "window",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__)
