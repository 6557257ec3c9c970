"""Keys of objects that are cached from run to run: compiled plug-ins, and the rows of links and flows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from longfat.sim.plugin.columns import Columns
from longfat.sim.queues import Discipline
from longfat.sim.schemes.scheme import Scheme
from longfat.sim.services import Service


@dataclass(frozen=True)
class Keyed:
    """Object that is compared by a key, for use as the argument of a cached function.

    A key may hold the `id` of a part of `thing`, because the cache entry keeps `thing` alive.
    """

    key: Hashable
    thing: Any = field(compare=False)


def by_code(plug_in: Scheme | Discipline | Service) -> Keyed:
    """Return a plug-in with a key; plug-ins that compile to the same code have equal keys.

    The code depends on the functions, on the fields of the plug-in's records, and on which of them may be set; values
    of parameters do not matter.
    """
    functions = (getattr(plug_in, name) for name in plug_in.CALLBACKS)
    parts: list[Any] = [type(plug_in), plug_in.name, *_layout(plug_in.columns), *functions]
    if isinstance(plug_in, Scheme):
        parts += [plug_in.controls, *plug_in.receiver_state]
    elif isinstance(plug_in, Service):
        parts += _layout(plug_in.queue_columns)
    else:
        parts += _layout(plug_in.flow_columns)
        service = plug_in.scheduler
        if service is not None:
            parts += [*_layout(service.columns), *_layout(service.queue_columns), service.settable]
    return Keyed(tuple(parts), plug_in)


def _layout(columns: Columns) -> tuple[Any, ...]:
    """Return the attributes that determine the view of a plug-in's record."""
    return columns.dtype, columns.parameters, tuple(columns.constants.items())
