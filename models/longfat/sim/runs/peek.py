"""Fields of flows and links as plug-ins see them, for programs that inspect a run between calls of `advance`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from longfat.sim.kernel import records
from longfat.sim.kernel.views import Look, View
from longfat.sim.plugin.parameters import NO_COLUMNS
from longfat.sim.plugin.view_fields import flow_view
from longfat.sim.queues import Discipline
from longfat.sim.runs.engine import Simulation

_SPARE = np.zeros(1, np.int64)  # address in place of a record, for plug-ins without one

_flow_view = functools.lru_cache(64)(flow_view)


def flow(run: Simulation, name: str) -> Look:
    """Return a view of the flow with this name, including the fields of its scheme.

    >>> from longfat.sim import Network
    >>> net = Network.chain(1, rate="1 Mbit/s").flow("reno", path=["n0", "n1"], file="10 kB")
    >>> peek = flow(Simulation(net), "reno-1")
    >>> print(peek.window, peek.packets, peek.duplicate_threshold)
    1.0 10 3.0
    """
    f = run.state.flow_names.index(name)
    state, of = run.state, run.state.copies[f]
    return _of(
        _flow_view(of.scheme.assembled(of.parameters).columns if of.scheme is not None else NO_COLUMNS),
        state=state.row,
        sender=state.senders[f],
        timer=state.timers[f],
        recovery=state.recoveries[f],
        own=_address(state.flow_own, int(state.row.flow_own_words), f),
    )


def link(run: Simulation, name: str) -> Look:
    """Return a view of the link with this name, including the fields of its discipline.

    >>> from longfat.sim import Network
    >>> net = Network.chain(1, rate="1 Mbit/s").flow("reno", path=["n0", "n1"], file="10 kB")
    >>> print(link(Simulation(net), "n0-n1").rate)
    125000.0
    """
    k = run.state.link_names.index(name)
    run.count()  # brings the backlog up to date
    state, row = run.state, run.state.links[k]
    view = Discipline.BARE_VIEWS["link"]
    if row.discipline != records.NONE:
        view = state.disciplines[row.discipline].views["link"]
    elif row.service != records.NONE:
        view = state.services[row.service].views["link"]
    return _of(
        view,
        state=state.row,
        link=row,
        own=_address(state.link_own, int(state.row.link_own_words), k),
        service=_address(state.service_own, int(state.row.service_own_words), k),
    )


def _address(words: np.ndarray, each: int, number: int) -> int:
    """Return the address of a record in an array of words, or of a spare word if the array is empty."""
    return int(words.ctypes.data) + 8 * each * number if len(words) else int(_SPARE.ctypes.data)


def _of(view: View, **rows: Any) -> Look:
    """Return a view of the given rows; each keyword is the name of the view's pointer to the row."""
    return view.of(*[rows[name] for name in view.rows])


def fields(look: Look) -> dict[str, Any]:
    """Return all fields of a view as Python numbers or lists of numbers."""
    values = {name: getattr(look, name) for name in look._kind.fields}
    return {
        name: value.tolist() if isinstance(value, np.ndarray | np.generic) else value for name, value in values.items()
    }
