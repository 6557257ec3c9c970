"""Types of rows in compiled code."""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.datamodel import models
from numba.extending import register_model


class Row(types.Record):
    """Record type of numba with a short name: numba's own name lists every field, in every compiled symbol."""

    def __init__(self, dtype: np.dtype, name: str) -> None:
        plain = numba.from_dtype(dtype)
        fields: Any = [(each, {"type": info.type, "offset": info.offset}) for each, info in plain.fields.items()]
        super().__init__(fields, plain.size, plain.aligned)
        self.name = f"longfat.{name}"
        self.layout = dtype

    def at(self, address: int) -> Any:
        """Return the row that begins at an address, as a record of NumPy."""
        memory: Any = (ctypes.c_char * self.layout.itemsize).from_address(int(address))
        return np.frombuffer(memory, self.layout)[0]

    @property
    def key(self) -> Any:
        """Name and layout, by which numba compares types; cached, because it is asked for often."""
        known = self.__dict__.get("_key")
        if known is None:
            layout = "; ".join(f"{each} {info.type} {info.offset}" for each, info in self.fields.items())
            known = self.__dict__["_key"] = (self.name, self.size, layout)
        return known

    def __repr__(self) -> str:
        return self.name


register_model(Row)(models.RecordModel)


class ReadOnly(types.NestedArray):
    """Type of an array inside a row whose elements a plug-in may read, but not set."""

    def __init__(self, array: types.NestedArray, what: str) -> None:
        self.what = what
        super().__init__(array.dtype, array.shape)
        self.name = what
        self.mutable = False

    @property
    def key(self) -> Any:
        """Key that differs from that of an array that may be set."""
        return self.what, self.dtype, self.shape


register_model(ReadOnly)(models.NestedArrayModel)
