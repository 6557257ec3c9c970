"""Explorer of one law in Jupyter or the browser: sliders, the curve, simulated points, files."""

from __future__ import annotations

import asyncio
import base64
import time
import warnings
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from longfat.explore import chart, curves, saving, simulations, wording
from longfat.explore.background import Background, Progress
from longfat.explore.controls import Control, read
from longfat.explore.presets import presets
from longfat.explore.state import State, start
from longfat.explore.style import CSS

if TYPE_CHECKING:
    from longfat.law import Law

SLOW = 0.1  # CPU time of drawing [s]; curves that take longer are drawn with fewer points from then on
FEWEST = 61  # points of a curve


class Explorer:
    """A law with its sliders; it displays itself in Jupyter, and ``widget`` can be part of other layouts.

    Parameters
    ----------
    state : State
        The initial state.
    background : Background, optional
        Thread of the simulations; by default one that delivers to the kernel's event loop.

    Examples
    --------
    >>> from longfat.laws import queues
    >>> view = Explorer(start(queues.mm1_wait))
    >>> view.set(load=0.5)
    >>> view.data.operating_value.item()
    1.0
    """

    def __init__(self, state: State, background: Background | None = None) -> None:
        self.state = state
        self.points: simulations.Points | None = None
        self._density, self._slow = curves.POINTS, 0
        self._showing = False  # whether the widgets are being set to the state, not changed by the user
        self._background = background or Background(_loop())
        law, names = state.law, list(state.law.symbols)
        self.controls = {
            name: Control(law, name, state.scale(name), state.values[name], self._moved, self._show_message)
            for name in names
        }
        self.across = widgets.Dropdown(options=_named(law, names), value=state.across, description="x axis")
        self.family = widgets.Dropdown(options=self._families(), value=state.family, description="family of curves")
        self.family_values = widgets.Text(
            _joined(state.family_values),
            description="family values",
            continuous_update=False,
            tooltip="values, separated by commas",
        )
        self.y_scale = widgets.Dropdown(options=["automatic", "linear", "logarithmic"], description="y axis")
        self.networks = widgets.Dropdown(
            options=[("choose…", ""), *((one.name, one) for one in presets(law))], description="network"
        )
        self.simulator = simulations.simulator(law)
        self.simulate = widgets.ToggleButton(
            False, description="Simulate", icon="", tooltip="simulate points along the x axis"
        )
        self.replications = widgets.BoundedIntText(10, min=2, max=1000, description="replications")
        self.progress = widgets.IntProgress(0, 0, simulations.POINTS, layout=widgets.Layout(width="160px"))
        self.simulation_status = widgets.HTML("")
        self.save = widgets.Button(description="Files…", tooltip="save the curves as SVG, PNG, CSV or NetCDF")
        self.links, self.value, self.picture = widgets.HTML(""), widgets.HTML(""), widgets.HTML("")
        self.message, self.formula, self.code = widgets.HTML(""), widgets.HTMLMath(""), widgets.HTML("")
        self.widget = self._layout()
        self._listen()
        self.redraw()

    def _layout(self) -> widgets.VBox:
        law, box = self.state.law, widgets.Layout
        wrap = box(display="flex", flex_flow="row wrap", width="100%", overflow="visible")
        head = widgets.HTML(
            f'<div class="lf-head"><h2>{escape(curves.title(law.name))}</h2><p>{_sentence(law)}</p></div>'
        )
        left_column = [self.value]
        if law.validity is not None:
            where = f"<summary>Where the law is valid</summary>{escape(law.validity.text)}"
            left_column.append(widgets.HTML(f'<details class="lf-note">{where}</details>'))
        left_column.append(self.picture)
        for one in (self.across, self.family, self.family_values, self.y_scale, self.networks):
            one.layout = box(width="auto", max_width="420px")
            one.style.description_width = "115px"  # of the longest description
        self.replications.layout = box(width="190px")
        if self.simulator is not None:
            row = [self.simulate, self.replications, self.progress, self.simulation_status]
            left_column.append(widgets.HBox(row, layout=wrap))
        left_column += [widgets.HBox([self.save, self.links], layout=wrap)]
        left = widgets.VBox(left_column, layout=box(flex="3 1 340px", min_width="0", overflow="visible"))
        chosen = [self.across, self.family, self.family_values, self.y_scale]
        if len(self.networks.options) > 1:
            chosen.insert(0, self.networks)
        right = widgets.VBox(
            [*(one.widget for one in self.controls.values()), self.message, *chosen],
            layout=box(flex="2 1 320px", min_width="0", overflow="visible", padding="0 0 0 8px"),
        )
        self.about = widgets.Accordion([widgets.VBox([self.formula, self.code])], titles=("Formula and Python call",))
        view = widgets.VBox(
            [widgets.HTML(CSS), head, widgets.HBox([left, right], layout=wrap), self.about],
            layout=box(width="100%", overflow="visible"),
        )
        view.add_class("lf-view")
        return view

    def _listen(self) -> None:
        self.across.observe(lambda change: self._set(lambda: self.state.along(change["new"])), "value")
        self.family.observe(lambda change: self._set(lambda: self.state.spread(change["new"])), "value")
        self.family_values.observe(self._read_family_values, "value")
        self.y_scale.observe(lambda change: self.redraw(), "value")
        self.networks.observe(self._network, "value")
        self.simulate.observe(lambda change: self._simulate(), "value")
        self.replications.observe(lambda change: self._simulate(), "value")
        self.save.on_click(lambda button: self._files())
        self.about.observe(lambda change: self._explain(), "selected_index")

    # Methods for users.

    def set(
        self, across: str | None = None, family: str | None = None, family_values: Any = None, **values: Any
    ) -> None:
        """Change values, the x axis or the family of curves; the sliders follow."""
        if "members" in values:
            warnings.warn("members= is deprecated: use family_values=", DeprecationWarning, stacklevel=2)
            family_values = values.pop("members")
        state = self.state.changed(**values)
        state = state if across is None else state.along(across)
        state = state if family is None else state.spread(family, family_values)
        self._set(lambda: state)

    @property
    def data(self) -> Any:
        """The curves and simulated points shown, as a Dataset."""
        return saving.complete(self.state, self.points)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """End simulations and close the widgets."""
        self._background.cancel()
        _close(self.widget)

    # Callbacks of the widgets.

    def _moved(self, name: str, value: float) -> None:
        self._set(lambda: self.state.changed(**{name: value}))

    def _read_family_values(self, change: Any) -> None:
        """Read family values separated by commas."""
        words = [word for word in change["new"].split(",") if word.strip()]
        family = self.state.family
        if _joined(self.state.family_values) != change["new"] and family:
            law = self.state.law
            self._set(lambda: self.state.spread(family, [read(law, family, word.strip()) for word in words]))

    def _network(self, change: Any) -> None:
        if change["new"]:
            self._set(lambda: change["new"].applied(self.state))

    def _set(self, make: Callable[[], State]) -> None:
        """Change to another state, or show why not; discard points simulated for the old one."""
        if self._showing:
            return
        before = self.state
        try:
            self.state = make()
        except (TypeError, ValueError) as error:
            self._show_message(str(error))
            return
        self._show_message("")
        if self.state == before:
            return
        self._showing = True
        try:
            self._show()
        finally:
            self._showing = False
        # The simulated points do not depend on the position of the operating point on the x axis.
        if _settings(self.state) != _settings(before):
            self.points = None
            self._simulate()
        self.redraw()

    def _show(self) -> None:
        """Set the widgets to the state."""
        for name, control in self.controls.items():
            if control.value != self.state.values[name]:
                control.show(self.state.values[name])
        self.across.value = self.state.across
        families = self._families()
        if list(self.family.options) != families:
            self.family.options = families  # this selects the first option
        self.family.value, self.family_values.value = self.state.family, _joined(self.state.family_values)

    def redraw(self) -> None:
        """Update numbers, picture and call to the state."""
        begin = time.thread_time()
        data = curves.dataset(self.state, self._density)
        self.picture.value = chart.html(self.state, data, self.points, self.y_scale.value)
        self.value.value = _value(self.state, data)
        self.links.value = ""  # the old links are files of the previous curves
        call = saving.python(self.state)
        self.code.value = f'<div class="lf-code">import longfat as lf\n\n{escape(call)}</div>'
        self._slow = self._slow + 1 if time.thread_time() - begin > SLOW else 0
        if self._slow == 2:  # twice in a row: the first time of anything is slow
            self._density, self._slow = max(FEWEST, self._density // 2), 0

    def _show_message(self, words: str) -> None:
        self.message.value = f'<p class="lf-warn" role="alert">{escape(words)}</p>' if words else ""

    def _simulate(self) -> None:
        """Restart the simulation if it is switched on, else stop it."""
        self._background.cancel()
        if self.simulator is None or not self.simulate.value:
            self.progress.value, self.simulation_status.value = 0, "stopped" if self.points is not None else ""
            return
        points = simulations.plan(self.state)
        self.points = None
        self.progress.value, self.progress.max = 0, len(points)
        self.simulation_status.value = f"starting: {escape(self.simulator.description)}"
        runs = self.replications.value
        estimate = simulations.estimate(self.state, runs)
        self._background.start(points, estimate, self.state.across, runs, self._on_progress)

    def _on_progress(self, progress: Progress) -> None:
        self.points, self.progress.value = progress.points, progress.done
        words = progress.error or (
            "done" if progress.finished else f"{progress.done} of {progress.total} points: {self.simulator.description}"  # type: ignore[union-attr]
        )
        self.simulation_status.value = escape(words)
        self.redraw()

    def _files(self) -> None:
        """Offer links to files of what is shown; a browser saves them without calling the kernel again."""
        data, name = self.data, self.state.law.name
        self.links.value = "writing…"
        try:
            made = {kind: base64.b64encode(saving.file(data, kind)).decode() for kind in saving.KINDS}
        except Exception as error:  # the browser does not show the traceback of a button
            self.links.value = f'<p class="lf-warn" role="alert">{escape(f"{type(error).__name__}: {error}")}</p>'
            return
        links = [
            f'<a download="{name}.{kind}" href="data:{saving.KINDS[kind]};base64,{content}">{name}.{kind}</a>'
            for kind, content in made.items()
        ]
        self.links.value = f'<div class="lf-links">{"".join(links)}</div>'

    def _explain(self) -> None:
        """Show the formula when it is opened, because sympy takes a moment to make it."""
        if self.about.selected_index is not None and not self.formula.value:
            self.formula.value = f'<div class="lf-law">{self.state.law._repr_html_()}</div>'

    def _families(self) -> list[tuple[str, str]]:
        law = self.state.law
        return [("one curve", ""), *_named(law, [name for name in law.symbols if name != self.state.across])]


def law(record: Law, across: str | None = None, **values: float) -> Explorer:
    """Return an explorer of a law with sliders over its parameters, for Jupyter.

    Parameters
    ----------
    record : Law
        The law, such as ``lf.laws.selective_repeat.throughput_efficiency``.
    across : str, optional
        The parameter along the x axis; the first one by default.
    **values : float
        Values of some parameters, in the record's units; the others are in the middle of their typical ranges.

    Returns
    -------
    Explorer
        A widget that displays itself; ``set`` changes it, ``data`` has the curves shown.

    Raises
    ------
    ValueError
        For unknown parameters and values outside their domains.

    Examples
    --------
    >>> from longfat.laws import selective_repeat
    >>> view = law(selective_repeat.throughput_efficiency, loss=1e-3)
    >>> view.set(window=24, segment_packets=16, ack_segments=23.08)
    >>> round(view.data.operating_value.item(), 4) == round(
    ...     selective_repeat.throughput_efficiency(24, 1e-3, 16, 23.08), 4)
    True
    """
    return Explorer(start(record, across, **values))


def _settings(state: State) -> Any:
    """Return the settings on which simulated points depend."""
    others = {name: value for name, value in state.values.items() if name != state.across}
    return state.law, state.across, others, state.scale(state.across)


def _value(state: State, data: Any) -> str:
    """Return the value at the operating point, and whether the law is valid there, as HTML."""
    law, found = state.law, float(data["operating_value"])
    words = f"{escape(curves.title(law.name))} = <b>{wording.quantity(found, law.unit)}</b>"
    if "operating_as_printed" in data:
        words += f"; as printed {wording.quantity(float(data['operating_as_printed']), law.unit)}"
    if law.validity is not None:
        if bool(data["operating_valid"]):
            words += (
                f'<br><span class="lf-note">valid at this operating point, accuracy {law.validity.accuracy:g}</span>'
            )
        else:
            words += '<br><span class="lf-note lf-warn">outside the law\'s validity at this operating point</span>'
    return f'<div class="lf-value" role="status" data-value="{found!r}">{words}</div>'


def _sentence(law: Law) -> str:
    return f'{escape(law.summary)} <span class="lf-note">{escape(law.source)}</span>'


def _named(law: Law, names: list[str]) -> list[tuple[str, str]]:
    return [(curves.title(name), name) for name in names]


def _joined(family_values: tuple[float, ...]) -> str:
    return ", ".join(f"{family_value:.6g}" for family_value in family_values)


def _loop() -> Callable[[Callable[[], None]], Any] | None:
    """Return a function that schedules calls in the kernel's event loop, or None if there is no loop."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop.call_soon_threadsafe


def _close(widget: Any) -> None:
    for child in getattr(widget, "children", ()):
        _close(child)
    widget.close()
