"""Views of rows for compiled code and plug-ins; plug-ins see fields by name, in SI units, and may set some of them.

A view is a few pointers to rows and a table of names. `longfat.sim.fields` has the names; a plug-in adds those of its
parameters and state, which are in a record of its own. In compiled code a view costs nothing: a field is resolved when
the plug-in is compiled, and an assignment to a read-only field is refused then. With jit off a small Python object uses
the same table.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.core.datamodel import models
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, register_model
from numba.np.arrayobj import record_getattr, record_setattr

from longfat.base.domains import nearest

# --- Types of rows ---------------------------------------------------------------------------------------------------
#
# Types with which numba compiles rows of the run's arrays.


class Row(types.Record):
    """Record type of numba with a short name; numba's default name lists every field, in every compiled symbol."""

    def __init__(self, dtype: np.dtype, name: str) -> None:
        plain = numba.from_dtype(dtype)
        fields: Any = [(each, {"type": info.type, "offset": info.offset}) for each, info in plain.fields.items()]
        super().__init__(fields, plain.size, plain.aligned)
        self.name = f"longfat.{name}"
        self.layout = dtype

    def at(self, address: int) -> Any:
        """Return the row that begins at an address, as a NumPy record."""
        memory: Any = (ctypes.c_char * self.layout.itemsize).from_address(int(address))
        return np.frombuffer(memory, self.layout)[0]

    @property
    def key(self) -> Any:
        """Name and layout, by which numba compares types; cached because numba reads the key often."""
        known = self.__dict__.get("_key")
        if known is None:
            layout = "; ".join(f"{each} {info.type} {info.offset}" for each, info in self.fields.items())
            known = self.__dict__["_key"] = (self.name, self.size, layout)
        return known

    def __repr__(self) -> str:
        return self.name


register_model(Row)(models.RecordModel)


class ReadOnly(types.NestedArray):
    """Type of an array field of a row; plug-ins may read its elements, but not set them."""

    def __init__(self, array: types.NestedArray, what: str) -> None:
        self.what = what
        super().__init__(array.dtype, array.shape)
        self.name = what
        self.mutable = False

    @property
    def key(self) -> Any:
        """Key of the type, which differs from that of a writable array."""
        return self.what, self.dtype, self.shape


register_model(ReadOnly)(models.NestedArrayModel)


# --- Views -----------------------------------------------------------------------------------------------------------

OWN = "own"  # name of the pointer to the record of a plug-in
#: Kind of view -> argument of plug-ins that declares the view's state variables.
STATES = {"flow": "state", "receiver": "receiver_state", "link": "state", "queue": "queue_state",
          "flow_state": "flow_state"}  # fmt: skip
MOST = 9e18  # ns; times that plug-ins set are limited to -MOST ... MOST


@dataclass(frozen=True)
class Field:
    """Field of a view: where its value is stored, in which unit, and whether plug-ins may set it.

    Parameters
    ----------
    row : str
        Name of the view's pointer to the row that has the field.
    name : str
        Field of that row.
    unit : str
        Unit that plug-ins see, "1" for a pure number.
    about : str
        Description for the documentation.
    settable : bool
        Whether a plug-in may set it.
    scale : float
        Factor from the core's unit to the unit that plug-ins see: `records.NS` for times, 0 if the units are equal.
    constant : float, optional
        Value of a field that no row has: compiled code contains the number.
    """

    row: str
    name: str
    unit: str
    about: str
    settable: bool = False
    scale: float = 0.0
    constant: float | None = None


class View(types.Type):
    """Numba type of a view, which gives plug-ins access to fields of rows by name."""

    def __init__(
        self, kind: str, rows: Mapping[str, Row], fields: Mapping[str, Field], related: Mapping[str, View] | None = None
    ) -> None:
        self.kind, self.rows, self.fields, self.related = kind, dict(rows), dict(fields), dict(related or {})
        parts = [str(row.key) for row in self.rows.values()], sorted(self.fields.items()), sorted(self.related.items())
        super().__init__(f"longfat.{kind}.{hashlib.sha256(repr(parts).encode()).hexdigest()[:12]}")

    def field(self, name: str) -> Field:
        """Return the field of this name; raise a TypingError that lists the view's fields if there is none."""
        found = self.fields.get(name)
        if found is None:
            raise errors.TypingError(no_field(self.kind, name, self.fields))
        return found

    def of(self, *rows: Any) -> Look:
        """Return a view of the given rows for plain Python; in compiled code numba creates the view."""
        found = [
            kind.at(int(row)) if isinstance(row, int | np.integer) else row
            for kind, row in zip(self.rows.values(), rows, strict=True)
        ]
        return Look(self, dict(zip(self.rows, found, strict=True)))


def no_field(kind: str, name: str, fields: Mapping[str, Field]) -> str:
    """Return the error message for a name that a view does not have.

    >>> no_field("event", "nwo", {"now": Field("event", "now", "s", "")})
    "event has no field 'nwo'; its fields are now"
    """
    near = nearest(name, fields)
    if near is not None:
        return f"{kind} has no field {name!r}; did you mean {near!r}?"
    hint = f"; declare a state of your own as {STATES[kind]}={{{name!r}: 0.0}}" if kind in STATES else ""
    return f"{kind} has no field {name!r}; its fields are {', '.join(sorted(fields))}{hint}"


def refusal(kind: str, name: str, fields: Mapping[str, Field]) -> str:
    """Return the error message for setting a read-only field, with the fields that may be set.

    >>> refusal("event", "now", {"now": Field("event", "now", "s", ""), "x": Field("event", "x", "1", "", True)})
    'it sets event.now, which may only be read; fields of event that it may set: x'
    """
    allowed = ", ".join(sorted(one for one, field in fields.items() if field.settable)) or "nothing"
    return f"it sets {kind}.{name}, which may only be read; fields of {kind} that it may set: {allowed}"


def lost_fraction(name: str) -> str:
    """Return the error message for setting an integer to a float.

    >>> lost_fraction("flow.count")
    'it sets flow.count, an integer, to a float: must be an integer, as from int(...), unless the state begins as 0.0'
    """
    return (
        f"it sets {name}, an integer, to a float: must be an integer, as from int(...), unless the state begins as 0.0"
    )


@register_model(View)
class _ViewModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, view: View) -> None:
        super().__init__(manager, view, [(name, types.voidptr) for name in view.rows])


@infer_getattr
class _ViewFields(AttributeTemplate):  # type: ignore[misc]
    key = View

    def generic_resolve(self, view: View, name: str) -> Any:
        field = view.field(name)
        if field.constant is not None:
            return types.float64
        kind = view.rows[field.row].typeof(field.name)
        if field.scale:
            return types.float64
        if isinstance(kind, types.NestedArray) and not field.settable:
            return ReadOnly(kind, f"{view.kind}.{name}")
        return kind


def _pointer(context: Any, builder: Any, view: View, value: Any, row: str) -> Any:
    """Return the pointer to a row of a view."""
    struct = cgutils.create_struct_proxy(view)(context, builder, value=value)
    return builder.bitcast(getattr(struct, row), context.get_value_type(view.rows[row]))


@lower_getattr_generic(View)  # type: ignore[untyped-decorator]
def _get(context: Any, builder: Any, view: View, value: Any, name: str) -> Any:
    """Generate the code that reads a field, in the plug-in's unit."""
    field = view.fields[name]
    if field.constant is not None:
        return context.get_constant(types.float64, field.constant)
    row = view.rows[field.row]
    found = record_getattr(context, builder, row, _pointer(context, builder, view, value, field.row), field.name)
    if not field.scale:
        return found
    plain = context.cast(builder, found, row.typeof(field.name), types.float64)
    return builder.fmul(plain, context.get_constant(types.float64, field.scale))


@lower_setattr_generic(View)  # type: ignore[untyped-decorator]
def _set(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> Any:
    """Generate the code that sets a field from a value in the plug-in's unit; refuse a read-only field."""
    view = signature.args[0]
    field = view.fields[name]
    if not field.settable:
        raise errors.NumbaTypeError(refusal(view.kind, name, view.fields))
    row = view.rows[field.row]
    value, kind = arguments[1], signature.args[1]
    if field.scale:
        kind = row.typeof(field.name)
        value = builder.fmul(value, context.get_constant(types.float64, round(1 / field.scale)))
        value = builder.fadd(value, context.get_constant(types.float64, 0.5))
        for limit, order in ((-MOST, "<"), (MOST, ">")):
            bound = context.get_constant(types.float64, limit)
            value = builder.select(builder.fcmp_ordered(order, value, bound), bound, value)
        value = context.cast(builder, builder.call(_floor(builder), [value]), types.float64, kind)
    target = _pointer(context, builder, view, arguments[0], field.row)
    return record_setattr(
        context, builder, numba.core.typing.signature(types.void, row, kind), (target, value), field.name
    )


def _floor(builder: Any) -> Any:
    return builder.module.declare_intrinsic("llvm.floor", [ir.DoubleType()])


def made(context: Any, builder: Any, view: View, pointers: list[Any]) -> Any:
    """Return, in generated code, a view of the rows at `pointers`, given in the order of ``view.rows``."""
    struct = cgutils.create_struct_proxy(view)(context, builder)
    void = context.get_value_type(types.voidptr)
    for name, pointer in zip(view.rows, pointers, strict=True):
        setattr(struct, name, builder.bitcast(pointer, void))
    return struct._getvalue()


class Look:
    """View of rows for plain Python, with jit off."""

    __slots__ = ("_kind", "_rows")

    def __init__(self, kind: View, rows: dict[str, Any]) -> None:
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "_rows", rows)

    def __getattr__(self, name: str) -> Any:
        field = self._kind.fields.get(name)
        if field is None:
            raise AttributeError(no_field(self._kind.kind, name, self._kind.fields))
        if field.constant is not None:
            return field.constant
        value = self._rows[field.row][field.name]  # not as an attribute, because NumPy has attributes such as `round`
        if field.scale:
            return float(value) * field.scale
        if isinstance(value, np.ndarray) and not field.settable:
            value = value.view()
            value.flags.writeable = False
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._kind.fields.get(name)
        if field is None:
            raise AttributeError(no_field(self._kind.kind, name, self._kind.fields))
        if not field.settable:
            raise AttributeError(refusal(self._kind.kind, name, self._kind.fields))
        row = self._rows[field.row]
        if field.scale:
            value = math.floor(min(max(value * round(1 / field.scale) + 0.5, -MOST), MOST))
        elif isinstance(value, float | np.floating) and row.dtype[field.name].kind in "iu":
            raise TypeError(lost_fraction(f"{self._kind.kind}.{name}"))
        row[field.name] = value


def row(name: str) -> Any:
    """Return a function that returns a view's row `name`, which plug-ins cannot reach by themselves."""
    if numba.config.DISABLE_JIT:
        return lambda view: view._rows[name]

    @intrinsic
    def found(typingctx, view):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return _pointer(context, builder, view, arguments[0], name)

        return view.rows[name](view), generate

    return found


def relative(name: str) -> Any:
    """Return a function of (view of a link, tuple of row addresses) that returns a view `name` of these rows."""
    if numba.config.DISABLE_JIT:
        return lambda link, addresses: link._kind.related[name].of(*addresses)

    @intrinsic
    def found(typingctx, link, addresses):  # type: ignore[no-untyped-def]
        view, words = link.related[name], types.UniTuple(types.int64, len(addresses))

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            pointer = context.get_value_type(types.voidptr)
            rows = [builder.inttoptr(one, pointer) for one in cgutils.unpack_tuple(builder, arguments[1])]
            return made(context, builder, view, rows)

        return view(link, words), generate

    return found
