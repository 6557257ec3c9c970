"""Page of all laws: choose a subject and a law, and move its sliders."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets

from longfat.explore.curves import title
from longfat.explore.presets import presets, subject
from longfat.explore.state import State, check, start
from longfat.explore.view import Explorer
from longfat.law import PACKAGE, Law, registered

FIRST = "selective_repeat", "throughput_efficiency"


def by_subject() -> dict[str, list[Law]]:
    """Return all laws, grouped by subject.

    >>> subjects = sorted(by_subject())
    >>> subjects[:7]
    ['aqm', 'bbr', 'blt', 'buffers', 'cadpc', 'cubic', 'dctcp']
    """
    found: dict[str, list[Law]] = {}
    for _, record in registered():
        if record.place.startswith(PACKAGE) and record.symbols:
            found.setdefault(subject(record), []).append(record)
    return {name: sorted(found[name], key=lambda one: one.name) for name in sorted(found)}


class Page:
    """A choice of all laws, and the explorer of the chosen one; it displays itself in Jupyter."""

    def __init__(self, first: Law | None = None) -> None:
        self._laws = by_subject()
        about, name = (subject(first), first.name) if first is not None else FIRST
        self.subject = widgets.Dropdown(
            options=[(f"{title(one)} ({len(some)})", one) for one, some in self._laws.items()],
            value=about, description="subject",
        )  # fmt: skip
        self.law = widgets.Dropdown(description="law")
        self._offer(name)
        for one in (self.subject, self.law):
            one.layout = widgets.Layout(flex="1 1 300px", max_width="460px", min_width="0")
        self.explorer = Explorer(_begin(self.law.value))
        self._place = widgets.VBox([self.explorer.widget], layout=widgets.Layout(width="100%", overflow="visible"))
        picker = widgets.HBox(
            [self.subject, self.law],
            layout=widgets.Layout(display="flex", flex_flow="row wrap", width="100%", overflow="visible"),
        )
        self.widget = widgets.VBox([picker, self._place], layout=widgets.Layout(width="100%", overflow="visible"))
        self.widget.add_class("lf-view")
        self.subject.observe(lambda change: self._offer(), "value")
        self.law.observe(self._chosen, "value")

    def _offer(self, name: str | None = None) -> None:
        """Offer the laws of the subject."""
        some = self._laws[self.subject.value]
        chosen = next((one for one in some if one.name == name), some[0])
        self.law.options = [(title(one.name), one) for one in some]
        self.law.value = chosen

    def _chosen(self, change: Any) -> None:
        """Change to another law; within a subject, parameters of the same name and unit keep their values."""
        new, old = change["new"], self.explorer
        if new is None or new is old.state.law:
            return
        state = _begin(new)
        if subject(new) == subject(old.state.law):
            for name, value in old.state.values.items():
                here, there = new.symbols.get(name), old.state.law.symbols[name]
                if here is not None and (here.unit, here.letter) == (there.unit, there.letter):
                    try:
                        state = state.changed(**{name: check(new, name, value)})
                    except ValueError:
                        continue  # outside the domain of the new law, which keeps its own value
        self.explorer = Explorer(state)
        self._place.children = (self.explorer.widget,)
        old.close()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)


def _begin(record: Law) -> State:
    """Return the state of a law in the first network of the papers that fits it, so that the curve is meaningful."""
    state, networks = start(record), presets(record)
    return networks[0].applied(state) if networks else state


def page(first: Law | None = None) -> Page:
    """Return a page of all laws with sliders, grouped by subject.

    Parameters
    ----------
    first : Law, optional
        The law to begin with.

    Returns
    -------
    Page
        Shows itself in Jupyter; `longfat explore` serves it to a browser.

    Examples
    --------
    >>> found = page()
    >>> found.law.value.name, found.explorer.state.across
    ('throughput_efficiency', 'window')
    """
    return Page(first)
