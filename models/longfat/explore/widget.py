"""Jupyter widget that shows the view of `longfat.handbook`; Python keeps the state and runs the simulations."""

from __future__ import annotations

import asyncio
import base64
import secrets
import threading
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from longfat.base import extras
from longfat.explore import simulations
from longfat.explore.state import State, chosen, dataset, find, start, svg
from longfat.handbook import pages
from longfat.law import Law

if TYPE_CHECKING:
    import xarray as xr

FIRST = "selective_repeat.throughput_efficiency"  # law that the explorer of all laws shows first
CAPTION = "The last picture. Run the cell to move it."


class Explorer(anywidget.AnyWidget):  # type: ignore[misc]  # anywidget has no types that mypy accepts
    """Jupyter widget that shows a law with sliders; other widgets may contain it.

    Parameters
    ----------
    state : State
        Initial state.
    laws : list of Law, optional
        Laws among which the user can choose; by default the law of the state only.

    Examples
    --------
    >>> from longfat.laws import queues
    >>> view = Explorer(start(queues.mm1_wait))
    >>> view.set(load=0.5)
    >>> view.data.operating_value.item()
    1.0
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    picture = traitlets.Unicode().tag(sync=True)

    def __init__(self, state: State, laws: list[Law] | None = None) -> None:
        self._laws = {one.public_name: one for one in laws or [state.law]}
        self._still: Any = None
        self._task: asyncio.Task[None] | None = None
        self._points: dict[float, dict[str, Any]] = {}
        super().__init__(
            _esm=pages.laws_script(self._laws.values()) + pages.source("widget.js"),
            _css=styles(),
            name=secrets.token_hex(4),
            shown=_shown(state),
        )
        self.on_msg(self._asked)
        self.observe(lambda change: self._show_still(), "picture")

    @property
    def state(self) -> State:
        """State of the exploration that the widget shows: law, values, axis, family of curves."""
        shown = self.shown
        law = self._laws[shown["law"]]
        values = {name: float(text) for name, text in shown["values"].items() if name in law.symbols}
        found = start(law, shown["x"] or None, **values)
        return found.spread(shown["family"], [float(one) for one in shown["family_values"]] or None)

    def set(
        self, across: str | None = None, family: str | None = None, family_values: Any = None, **values: Any
    ) -> None:
        """Change parameter values, the x axis or the family of curves, and move the sliders accordingly."""
        state = self.state.changed(**values)
        state = state if across is None else state.along(across)
        state = state if family is None else state.spread(family, family_values)
        self.shown = _shown(state) | {"axis": self.shown.get("axis", "automatic")}

    @property
    def points(self) -> list[dict[str, Any]]:
        """Points of the last simulation: ``x``, ``mean``, interval ``low`` to ``high``, and ``runs`` (replications)."""
        return list(self._points.values())

    @property
    def data(self) -> xr.Dataset:
        """Dataset of the curves that the widget shows and of the points of the last simulation."""
        return dataset(self.state, simulated=self.points)

    def close(self) -> None:
        """End the simulation and close the widget."""
        self._end()
        super().close()

    def _ipython_display_(self, **options: Any) -> None:
        """Display the widget, and below it a picture, which remains visible in a saved notebook or without a kernel."""
        from IPython.display import display

        display(self._repr_mimebundle_(**options)[0], raw=True)
        if not self.picture and extras.installed("matplotlib"):
            self.picture = svg(dataset(self.state))
        self._still = display(self._still_bundle(), raw=True, display_id=True)

    def _still_bundle(self) -> dict[str, str]:
        law = self._laws[self.shown["law"]]
        text = base64.b64encode(self.picture.encode()).decode()
        image = (
            f'<img alt="{law.name.replace("_", " ")}" src="data:image/svg+xml;base64,{text}" style="max-width:100%">'
        )
        return {
            "text/html": f'<div class="longfat-picture longfat-picture-{self.name}">{image}<p>{CAPTION}</p></div>',
            "text/plain": f"Explorer of {law.public_name}",
        }

    def _show_still(self) -> None:
        if self._still is not None:
            self._still.update(self._still_bundle(), raw=True)

    def _asked(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        """Handle a message of the view: end the running simulation, and begin a new one if requested."""
        self._end()
        number = content.pop("number", 0)
        if content.pop("end", False):
            return
        try:
            request = simulations.request(content, self._laws)
        except (TypeError, ValueError) as error:
            self.send({"kind": "error", "why": str(error), "number": number})
            return
        self._points = {}
        self._task = asyncio.get_running_loop().create_task(self._simulate(request, number))

    def _end(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _simulate(self, request: simulations.Request, number: int) -> None:
        """Simulate in a thread, so that the notebook's kernel stays responsive, and send each event to the view."""
        stop = threading.Event()
        estimates = simulations.estimates(request, simulations.simulator(request.state.law), stop.is_set)
        try:
            async for one in simulations.stream(lambda: next(estimates)):
                if one["kind"] == "point":
                    self._points[one["x"]] = one
                self.send(one | {"number": number})
        except Exception as error:  # shown in the view, because the traceback of a task is not
            self.send({"kind": "error", "why": f"{type(error).__name__}: {error}", "number": number})
        finally:
            stop.set()


def styles() -> str:
    """Return the style sheet of the view, which applies to the widget only and leaves the notebook's colours."""
    return pages.source("view.css").replace(":root", ".lf-widget") + ".lf-widget .lf-law { max-width: 100%; }\n"


def _shown(state: State) -> dict[str, Any]:
    """Return a state as the dictionary that the view reads; numbers are texts, because JSON has no infinity."""
    return {
        "law": state.law.public_name,
        "values": {name: _text(value) for name, value in state.values.items()},
        "x": state.across,
        "family": state.family,
        "family_values": [_text(value) for value in state.family_values],
        "axis": "automatic",
    }


def _text(value: float) -> str:
    """Return a number as text that JavaScript parses to the same number."""
    text = f"{value!r}".removesuffix(".0")
    return text.replace("inf", "Infinity")


def law(record: Law | str, across: str | None = None, **values: float) -> Explorer:
    """Return an explorer of a law with sliders over its parameters, for Jupyter.

    Parameters
    ----------
    record : Law or str
        Law, such as ``lf.laws.selective_repeat.throughput_efficiency``, or its name.
    across, **values
        As for `longfat.explore.start`.

    Returns
    -------
    Explorer
        Widget that Jupyter displays; ``set`` changes its state, ``data`` has the curves that are shown.

    Examples
    --------
    >>> from longfat.laws import selective_repeat
    >>> view = law("selective_repeat.throughput_efficiency", loss=1e-3)
    >>> view.set(window=24, segment_packets=16, ack_segments=23.08)
    >>> round(view.data.operating_value.item(), 4) == round(
    ...     selective_repeat.throughput_efficiency(24, 1e-3, 16, 23.08), 4)
    True
    """
    return Explorer(start(find(record) if isinstance(record, str) else record, across, **values))


def page(first: Law | str | None = None) -> Explorer:
    """Return an explorer in which the user can choose among all laws; ``lf.explore()`` calls this function.

    Parameters
    ----------
    first : Law or str, optional
        Law that is shown first.

    Examples
    --------
    >>> page("queues.mm1_wait").state.law.name
    'mm1_wait'
    """
    begun = first if isinstance(first, Law) else find(first or FIRST)
    return Explorer(start(begun), list(chosen().values()))
