"""Control of a parameter: a slider over its range, and a field that accepts any value of its domain."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as widgets

from longfat import quantities
from longfat.explore import wording
from longfat.explore.scales import Scale
from longfat.explore.state import check
from longfat.law import Law, Symbol

_READERS = {
    "s": quantities.duration, "bytes/s": quantities.rate, "bytes": quantities.size,
    "probability": quantities.fraction, "1": quantities.fraction,
}  # fmt: skip


def read(law: Law, name: str, text: str) -> float:
    """Read a typed value: a number in the parameter's unit, or text with a unit such as "20 ms", "1 Gbit/s", "0.1%".

    >>> from longfat.laws import selective_repeat
    >>> read(selective_repeat.ack_delay, "round_trip_time", "20 ms")
    0.02
    >>> read(selective_repeat.throughput_efficiency, "loss", "0.1%")
    0.001
    """
    try:
        value: float = float(text.replace("_", ""))
    except ValueError:
        reader = _READERS.get(law.symbols[name].unit)
        try:
            if reader is None:
                raise
            value = reader(text, name, "[-inf, inf]")  # the domain is checked below, of every value
        except ValueError:
            raise ValueError(f"{name} = {text!r} cannot be read: must be {_readable(law.symbols[name])}") from None
    return check(law, name, value)


def _readable(symbol: Symbol) -> str:
    """Return what a field accepts: the domain, the unit, and an example in each notation."""
    unit, example = symbol.unit, float(f"{symbol.middle:.2g}")
    examples = [f"{example:g}"]
    if unit in ("s", "bytes/s", "bytes"):
        examples.append(quantities.text(example, unit))
    elif unit == "probability":
        examples.append(f"{100 * example:g}%")
    kind = "an integer" if symbol.integer else "a number"
    unit = "" if unit in ("1", "probability") else f" {unit}"
    return f"{kind} in {symbol.domain}{unit}, such as {' or '.join(examples)}"


class Control:
    """Slider and field of one parameter; ``changed`` is called with its name and the new value.

    Parameters
    ----------
    law : Law
        The law.
    name : str
        The parameter.
    scale : Scale
        Range of the slider.
    value : float
        Initial value [the parameter's unit].
    changed : callable
        Called with name and value after a change.
    show_refusal : callable
        Called with the error message if a value is refused.
    """

    def __init__(
        self, law: Law, name: str, scale: Scale, value: float,
        changed: Callable[[str, float], None], show_refusal: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.law, self.name, self.scale, self.value = law, name, scale, value
        self._changed, self._show_refusal, self._silent = changed, show_refusal, False
        symbol = law.symbols[name]
        about = f" {escape(symbol.meaning)}" if symbol.meaning else ""
        unit = "" if symbol.unit == "1" else f" [{escape(symbol.unit)}]"
        label = widgets.HTML(
            f'<div class="lf-name"><code>{name}</code> {wording.letter(symbol.letter)}:{about}{unit} '
            f'<span class="lf-range">{"integer in " if symbol.integer else ""}{escape(symbol.domain)}</span></div>'
        )
        self.slider = widgets.IntSlider(
            scale.position(value), 0, len(scale.values) - 1, readout=False, tooltip=f"slider for {name}{unit}",
            layout=widgets.Layout(flex="1 1 0", min_width="0", width="auto", margin="2px 12px 2px 10px"),
        )  # fmt: skip
        self.field = widgets.Text(
            f"{value:.10g}", continuous_update=False, tooltip=f"value of {name}{unit}",
            layout=widgets.Layout(width="118px", flex="0 0 auto"),
        )  # fmt: skip
        row = widgets.HBox([self.slider, self.field], layout=widgets.Layout(width="100%", overflow="visible"))
        self.widget = widgets.VBox([label, row], layout=widgets.Layout(width="100%", overflow="visible"))
        self.slider.observe(self._moved, "value")
        self.field.observe(self._read_field, "value")

    def show(self, value: float) -> None:
        """Show a value without calling ``changed``."""
        self.value, self._silent = value, True
        self.scale = self.scale.including(value)
        with self.slider.hold_trait_notifications():
            self.slider.max = len(self.scale.values) - 1
            self.slider.value = self.scale.position(value)
        self.field.value = f"{value:.10g}"
        self._silent = False

    def _moved(self, change: Any) -> None:
        if not self._silent:
            value = self.scale.values[change["new"]]
            self.show(value)
            self._changed(self.name, value)

    def _read_field(self, change: Any) -> None:
        if self._silent:
            return
        try:
            value = read(self.law, self.name, change["new"])
        except ValueError as error:
            self._show_refusal(str(error))
            return
        self.show(value)
        self._changed(self.name, value)
