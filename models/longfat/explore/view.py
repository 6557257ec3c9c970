"""One law in Jupyter or the browser: sliders, the curve, simulated points, files."""

from __future__ import annotations

import asyncio
import base64
import time
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

SLOW = 0.1  # s of this thread's own time; what takes longer to draw gets fewer points from then on
FEWEST = 61


class Explorer:
    """A law with its sliders; shows itself in Jupyter, and ``widget`` goes into other layouts.

    Parameters
    ----------
    state : State
        What to look at first.
    background : Background, optional
        Where simulations run; a thread that delivers to the kernel's event loop by default.

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
        self._showing = False  # whether the widgets are being set to the state, and not by hand
        self._background = background or Background(_loop())
        law, names = state.law, list(state.law.symbols)
        self.controls = {
            name: Control(law, name, state.scale(name), state.values[name], self._moved, self._say) for name in names
        }
        self.across = widgets.Dropdown(options=_named(law, names), value=state.across, description="x axis")
        self.family = widgets.Dropdown(options=self._families(), value=state.family, description="several")
        self.members = widgets.Text(
            _joined(state.members), description="values", continuous_update=False, tooltip="numbers with commas"
        )
        self.y_scale = widgets.Dropdown(options=["automatic", "linear", "logarithmic"], description="y axis")
        self.networks = widgets.Dropdown(
            options=[("choose…", ""), *((one.name, one) for one in presets(law))], description="network"
        )
        self.simulator = simulations.simulator(law)
        self.simulate = widgets.ToggleButton(False, description="Simulate", icon="", tooltip="simulate beside the law")
        self.replications = widgets.BoundedIntText(10, min=2, max=1000, description="replications")
        self.progress = widgets.IntProgress(0, 0, simulations.POINTS, layout=widgets.Layout(width="160px"))
        self.told = widgets.HTML("")
        self.save = widgets.Button(description="Files…", tooltip="SVG, PNG, CSV and NetCDF of what is shown")
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
        shown = [self.value]
        if law.validity is not None:
            where = f"<summary>Where the law is valid</summary>{escape(law.validity.text)}"
            shown.append(widgets.HTML(f'<details class="lf-note">{where}</details>'))
        shown.append(self.picture)
        for one in (self.across, self.family, self.members, self.y_scale, self.networks):
            one.layout = box(width="auto", max_width="420px")
        self.replications.layout = box(width="190px")
        if self.simulator is not None:
            row = [self.simulate, self.replications, self.progress, self.told]
            shown.append(widgets.HBox(row, layout=wrap))
        shown += [widgets.HBox([self.save, self.links], layout=wrap)]
        left = widgets.VBox(shown, layout=box(flex="3 1 340px", min_width="0", overflow="visible"))
        chosen = [self.across, self.family, self.members, self.y_scale]
        if len(self.networks.options) > 1:
            chosen.insert(0, self.networks)
        right = widgets.VBox(
            [*(one.widget for one in self.controls.values()), self.message, *chosen],
            layout=box(flex="2 1 320px", min_width="0", overflow="visible", padding="0 0 0 8px"),
        )
        self.about = widgets.Accordion([widgets.VBox([self.formula, self.code])], titles=("The law, and the call",))
        view = widgets.VBox(
            [widgets.HTML(CSS), head, widgets.HBox([left, right], layout=wrap), self.about],
            layout=box(width="100%", overflow="visible"),
        )
        view.add_class("lf-view")
        return view

    def _listen(self) -> None:
        self.across.observe(lambda change: self._set(lambda: self.state.along(change["new"])), "value")
        self.family.observe(lambda change: self._set(lambda: self.state.spread(change["new"])), "value")
        self.members.observe(self._typed, "value")
        self.y_scale.observe(lambda change: self.redraw(), "value")
        self.networks.observe(self._network, "value")
        self.simulate.observe(lambda change: self._simulate(), "value")
        self.replications.observe(lambda change: self._simulate(), "value")
        self.save.on_click(lambda button: self._files())
        self.about.observe(lambda change: self._explain(), "selected_index")

    # What users of Python call.

    def set(self, across: str | None = None, family: str | None = None, members: Any = None, **values: float) -> None:
        """Go to other values, another x axis, another family of curves; the sliders follow."""
        state = self.state.changed(**values)
        state = state if across is None else state.along(across)
        state = state if family is None else state.spread(family, members)
        self._set(lambda: state)

    @property
    def data(self) -> Any:
        """What is shown, as a Dataset, simulated points included."""
        return saving.complete(self.state, self.points)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """End simulations and take the widgets away."""
        self._background.cancel()
        _close(self.widget)

    # What widgets call.

    def _moved(self, name: str, value: float) -> None:
        self._set(lambda: self.state.changed(**{name: value}))

    def _typed(self, change: Any) -> None:
        """Several values with commas."""
        words = [word for word in change["new"].split(",") if word.strip()]
        family = self.state.family
        if _joined(self.state.members) != change["new"] and family:
            law = self.state.law
            self._set(lambda: self.state.spread(family, [read(law, family, word.strip()) for word in words]))

    def _network(self, change: Any) -> None:
        if change["new"]:
            self._set(lambda: change["new"].applied(self.state))

    def _set(self, make: Callable[[], State]) -> None:
        """Go to another state, or say why not; what was simulated of the old one is dropped."""
        if self._showing:
            return
        before = self.state
        try:
            self.state = make()
        except ValueError as error:
            self._say(str(error))
            return
        self._say("")
        if self.state == before:
            return
        self._showing = True
        try:
            self._show()
        finally:
            self._showing = False
        # The place of the operating point on the x axis is no setting of the points simulated along it.
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
            self.family.options = families  # which chooses the first of them
        self.family.value, self.members.value = self.state.family, _joined(self.state.members)

    def redraw(self) -> None:
        """Numbers, picture, call: everything that follows the state."""
        begin = time.thread_time()
        data = curves.dataset(self.state, self._density)
        self.picture.value = chart.html(self.state, data, self.points, self.y_scale.value)
        self.value.value = _value(self.state, data)
        self.links.value = ""  # they were of what was shown before
        call = saving.python(self.state)
        self.code.value = f'<div class="lf-code">import longfat as lf\n\n{escape(call)}</div>'
        self._slow = self._slow + 1 if time.thread_time() - begin > SLOW else 0
        if self._slow == 2:  # twice in a row: the first time of anything is slow
            self._density, self._slow = max(FEWEST, self._density // 2), 0

    def _say(self, words: str) -> None:
        self.message.value = f'<p class="lf-warn" role="alert">{escape(words)}</p>' if words else ""

    def _simulate(self) -> None:
        """Begin anew if it is wanted, else stop."""
        self._background.cancel()
        if self.simulator is None or not self.simulate.value:
            self.progress.value, self.told.value = 0, "stopped" if self.points is not None else ""
            return
        points = simulations.plan(self.state)
        self.points = None
        self.progress.value, self.progress.max = 0, len(points)
        self.told.value = f"waiting: {escape(self.simulator.description)}"
        runs = self.replications.value
        estimate = simulations.estimate(self.state, runs)
        self._background.start(points, estimate, self.state.across, runs, self._heard)

    def _heard(self, progress: Progress) -> None:
        self.points, self.progress.value = progress.points, progress.done
        words = progress.error or (
            "done" if progress.finished else f"{progress.done} of {progress.total} points: {self.simulator.description}"  # type: ignore[union-attr]
        )
        self.told.value = escape(words)
        self.redraw()

    def _files(self) -> None:
        """Links to what is shown now; a browser saves them without asking the kernel again."""
        data, name = self.data, self.state.law.name
        self.links.value = "writing…"
        try:
            made = {kind: base64.b64encode(saving.file(data, kind)).decode() for kind in saving.KINDS}
        except Exception as error:  # a browser shows no traceback of a button
            self.links.value = f'<p class="lf-warn" role="alert">{escape(f"{type(error).__name__}: {error}")}</p>'
            return
        links = [
            f'<a download="{name}.{kind}" href="data:{saving.KINDS[kind]};base64,{content}">{name}.{kind}</a>'
            for kind, content in made.items()
        ]
        self.links.value = f'<div class="lf-links">{"".join(links)}</div>'

    def _explain(self) -> None:
        """The formula takes sympy a moment: only when somebody looks."""
        if self.about.selected_index is not None and not self.formula.value:
            self.formula.value = f'<div class="lf-law">{self.state.law._repr_html_()}</div>'

    def _families(self) -> list[tuple[str, str]]:
        law = self.state.law
        return [("one curve", ""), *_named(law, [name for name in law.symbols if name != self.state.across])]


def law(record: Law, across: str | None = None, **values: float) -> Explorer:
    """A law with sliders over its parameters, for Jupyter.

    Parameters
    ----------
    record : Law
        The law, such as ``lf.laws.selective_repeat.throughput_efficiency``.
    across : str, optional
        The parameter along the x axis; the first one by default.
    **values : float
        Of some parameters, in the record's units; the others are in the middle of their typical ranges.

    Returns
    -------
    Explorer
        Shows itself; ``set`` moves it, ``data`` is what it shows.

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
    """What simulated points depend on."""
    others = {name: value for name, value in state.values.items() if name != state.across}
    return state.law, state.across, others, state.scale(state.across)


def _value(state: State, data: Any) -> str:
    """The number at the operating point, and whether it holds there."""
    law, found = state.law, float(data["operating_value"])
    words = f"{escape(curves.title(law.name))} = <b>{wording.quantity(found, law.unit)}</b>"
    if "operating_as_printed" in data:
        words += f"; as printed {wording.quantity(float(data['operating_as_printed']), law.unit)}"
    if law.validity is not None:
        if bool(data["operating_valid"]):
            words += f'<br><span class="lf-note">valid here, within {law.validity.accuracy:g}</span>'
        else:
            words += '<br><span class="lf-note lf-warn">outside the law\'s validity here</span>'
    return f'<div class="lf-value" role="status" data-value="{found!r}">{words}</div>'


def _sentence(law: Law) -> str:
    return f'{escape(law.summary)} <span class="lf-note">{escape(law.source)}</span>'


def _named(law: Law, names: list[str]) -> list[tuple[str, str]]:
    return [(curves.title(name), name) for name in names]


def _joined(members: tuple[float, ...]) -> str:
    return ", ".join(f"{member:.6g}" for member in members)


def _loop() -> Callable[[Callable[[], None]], Any] | None:
    """Into the kernel's event loop, where there is one."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return loop.call_soon_threadsafe


def _close(widget: Any) -> None:
    for child in getattr(widget, "children", ()):
        _close(child)
    widget.close()
