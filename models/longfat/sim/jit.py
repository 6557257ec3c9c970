"""The one place that decides how kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

#: Compiled once, kept on disk, and run without the interpreter's lock, so that threads run side by side.
#: With ``NUMBA_DISABLE_JIT=1`` the same function runs as plain Python and gives the same numbers.
kernel: Callable[..., Any] = numba.njit(cache=True, nogil=True)
