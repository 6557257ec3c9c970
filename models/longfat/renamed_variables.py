"""Datasets of `longfat.design` in which old names of variables still work for one release, with a DeprecationWarning.

Variables that are in another answer now are refused with a sentence that says where they are.

Remove this module, and its test in ``tests/test_deprecated.py``, in the release after the one that renamed them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import xarray as xr

from longfat.deprecated import message

#: What `design.window` said of TCP: old name -> name in the answer of `design.tcp_window`.
OF_TCP = {
    **{
        name: name
        for name in (
            "tcp_rate_law", "tcp_rate", "tcp_rate_lower", "tcp_rate_upper", "tcp_filling_loss_law", "tcp_filling_loss",
        )
    },
    "tcp_receive_window": "window",
    "tcp_linux_receive_buffer": "linux_maximum",
    "tcp_segment": "segment",
}  # fmt: skip


def elsewhere(name: str) -> str:
    """Return the sentence that says where an answer about TCP is found.

    >>> elsewhere("tcp_receive_window")
    "design.window no longer has tcp_receive_window: use window of design.tcp_window(..., scheme='reno')"
    """
    return f"design.window no longer has {name}: use {OF_TCP[name]} of design.tcp_window(..., scheme='reno')"


class Dataset(xr.Dataset):  # type: ignore[no-untyped-call]
    """An `xarray.Dataset` whose renamed variables are found by their old names, too.

    >>> data = Dataset({"window_bdp": ("loss", [1.0, 2.0])})
    >>> data.window_bdp.values.tolist(), isinstance(data, xr.Dataset)
    ([1.0, 2.0], True)
    """

    __slots__ = ()
    #: Old name = new name.
    renamed: ClassVar[Mapping[str, str]] = {
        "window_products": "window_bdp",
        "buffer_products": "buffer_bdp",
        "curve_buffer_products": "curve_buffer_bdp",
        "simulated_product": "simulated_bdp",
    }

    def __getitem__(self, key: Any) -> Any:
        """Return a variable, also by its old name."""
        try:
            return super().__getitem__(self._present(key))
        except KeyError:
            if isinstance(key, str) and key in OF_TCP:
                raise KeyError(elsewhere(key)) from None
            raise

    def __getattr__(self, name: str) -> Any:
        """Return a variable or an attribute, the former also by its old name."""
        try:
            return super().__getattr__(self._present(name))
        except AttributeError:
            if name in OF_TCP:
                raise AttributeError(elsewhere(name)) from None
            raise

    def _present(self, key: Any) -> Any:
        """Return the present name for an old one, with a warning in the caller's name, and other keys as they are."""
        new = type(self).renamed.get(key) if isinstance(key, str) else None
        if new is None or key in self.variables or new not in self.variables:
            return key
        warnings.warn(message(f"variable {key}", new), DeprecationWarning, stacklevel=3)
        return new


def with_old_names(data: xr.Dataset) -> xr.Dataset:
    """Return the same Dataset, in which old names of variables work.

    >>> with_old_names(xr.Dataset(attrs={"rate": 1.0})).attrs
    {'rate': 1.0}
    """
    return Dataset(data.data_vars, coords=data.coords, attrs=data.attrs)
