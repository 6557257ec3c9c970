"""Picture that follows a slider: HTML with SVG, made from the Dataset in a few milliseconds.

Matplotlib takes some hundred milliseconds for a picture, even if only the data of the lines change, and the text of a
picture of fixed size is unreadable on a telephone. Here only the lines are scaled, with strokes of constant width, and
labels are text. Matplotlib draws the files from the same Dataset (`longfat.plot.law_curves`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.explore import wording
from longfat.explore.scales import Scale
from longfat.explore.simulations import Points

if TYPE_CHECKING:
    import xarray as xr

    from longfat.explore.state import State

#: Okabe and Ito's colours, grey and brown; the first one is the curve through the operating point.
COLOURS = ("#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777", "#8C564B")
PRINTED = "#D55E00"
SIZE = 1000  # width and height of the drawing in its own units; the browser scales them


@dataclass(frozen=True)
class Axis:
    """An axis: its ends, its scale, and the position of a value from 0 to 1."""

    low: float
    high: float
    logarithmic: bool

    def place(self, values: Any) -> np.ndarray:
        """Return positions along the axis; NaN for values that have none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.asarray(values, dtype=float)
            if self.logarithmic:
                found = np.log(values / self.low) / math.log(self.high / self.low)
            else:
                found = (values - self.low) / (self.high - self.low)
        return np.where(np.isfinite(found), found, np.nan)


@dataclass
class Picture:
    """Parts of the picture: SVG of the lines, HTML of the labels, entries of the legend."""

    x: Axis
    y: Axis
    lines: list[str] = field(default_factory=list)
    legend: list[str] = field(default_factory=list)

    def path(self, xs: Any, ys: Any, colour: str, width: float, dash: str = "", more: str = "") -> None:
        """Draw a line, with gaps where there is no value."""
        across, up = SIZE * self.x.place(xs), SIZE * (1 - self.y.place(ys))
        up = np.clip(up, -SIZE, 2 * SIZE)
        parts, pen = [], "M"
        for a, b in zip(across, up, strict=True):
            if math.isnan(a) or math.isnan(b):
                pen = "M"
                continue
            parts.append(f"{pen}{a:.1f} {b:.1f}")
            pen = "L"
        if parts:
            dashes = f' stroke-dasharray="{dash}"' if dash else ""
            self.lines.append(f'<path d="{"".join(parts)}" stroke="{colour}" stroke-width="{width}"{dashes}{more}/>')

    def dot(self, x: float, y: float, colour: str, size: float, kind: str) -> None:
        """Draw a round marker: a line of length 0 with round ends, so that stretching does not distort it."""
        a, b = float(self.x.place(x)), float(self.y.place(y))
        if 0 <= a <= 1 and -0.01 <= b <= 1.01:
            self.lines.append(
                f'<path class="lf-{kind}" d="M{SIZE * a:.1f} {SIZE * (1 - b):.1f}h0" stroke="{colour}" '
                f'stroke-width="{size}" stroke-linecap="round"/>'
            )

    def entry(self, colour: str, words: str, dash: str = "", dot: bool = False, width: float = 2.5) -> None:
        """Add an entry to the legend."""
        shape = (
            f'<path d="M14 6h0" stroke="{colour}" stroke-width="9" stroke-linecap="round"/>'
            if dot
            else f'<path d="M0 6h28" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"/>'
        )
        self.legend.append(
            f'<span class="lf-key"><svg width="28" height="12" aria-hidden="true">{shape}</svg> {words}</span>'
        )


def html(state: State, data: xr.Dataset, points: Points | None = None, scale: str = "automatic") -> str:
    """Return the picture of a state as HTML.

    Parameters
    ----------
    state : State
        The state.
    data : xarray.Dataset
        Its curves, from `longfat.explore.curves.dataset`.
    points : Points, optional
        The points simulated so far.
    scale : {"automatic", "linear", "logarithmic"}
        Scale of the y axis; "automatic" is logarithmic if positive values span three decades.

    Returns
    -------
    str
        HTML with SVG inside, as wide as its container.
    """
    law, across = state.law, state.across
    x = _x_axis(state.scale(across))
    values = np.atleast_2d(data["law"].values)
    y = _y_axis(values, data, points, scale)
    if y is None:
        return _frame(state, '<p class="lf-empty">The law has no finite value along this axis, at these settings.</p>')
    picture = Picture(x, y)
    _grid(picture)
    _curves(picture, state, data, values)
    _simulated(picture, points)
    here = float(data["operating_value"])
    picture.path([state.values[across]] * 2, [y.low, y.high], "currentColor", 1, "2 4", ' opacity="0.6"')
    picture.dot(state.values[across], here, "currentColor", 13, "circle")
    picture.dot(state.values[across], here, COLOURS[0], 9, "here")
    picture.entry(COLOURS[0], f"operating point: {wording.number(here)}", dot=True)
    unit = "" if law.unit == "1" else f" [{escape(law.unit)}]"
    symbol = law.symbols[across]
    name = f"{escape(symbol.meaning or across)} {wording.letter(symbol.letter)}"
    body = (
        f'<div class="lf-yname">{escape(law.name.replace("_", " "))}{unit}</div><div class="lf-plot">'
        f'<div class="lf-yticks" aria-hidden="true">{_ticks(y, "bottom")}</div><div class="lf-area">'
        f'<svg viewBox="0 0 {SIZE} {SIZE}" preserveAspectRatio="none" aria-hidden="true">{"".join(picture.lines)}</svg>'
        f'</div><div></div><div class="lf-xticks" aria-hidden="true">{_ticks(x, "left")}</div></div>'
        f'<div class="lf-xname">{name}{"" if symbol.unit == "1" else f" [{escape(symbol.unit)}]"}</div>'
        f'<div class="lf-legend">{"".join(picture.legend)}</div>'
    )
    return _frame(state, body)


def _frame(state: State, body: str) -> str:
    said = f"{state.law.name.replace('_', ' ')} over {state.across.replace('_', ' ')}, a curve"
    return f'<div class="lf-chart" role="img" aria-label="{escape(said)}">{body}</div>'


def _x_axis(scale: Scale) -> Axis:
    return Axis(scale.low, scale.high, scale.logarithmic)


def _y_axis(values: np.ndarray, data: xr.Dataset, points: Points | None, scale: str) -> Axis | None:
    """Return an axis that contains all finite values; None if there are none."""
    found = [values.ravel(), np.atleast_1d(data["operating_value"].values)]
    if points is not None and points.x:
        found += [np.asarray(points.lower), np.asarray(points.upper)]
    if "as_printed" in data:
        found.append(np.clip(data["as_printed"].values.ravel(), -10, 10) if data.law.units == "1" else found[0])
    together = np.concatenate(found)
    finite = together[np.isfinite(together)]
    if not finite.size:
        return None
    low, high = float(finite.min()), float(finite.max())
    positive = finite[finite > 0]
    wide = low > 0 and high >= 1000 * low
    if positive.size and (scale == "logarithmic" or (scale == "automatic" and wide)):
        low = max(float(positive.min()), high * 1e-12)
        return Axis(low / 1.3, high * 1.3, True) if high > 0 else None
    if low >= 0:
        return Axis(0.0, high * 1.05 or 1.0, False)
    room = 0.05 * (high - low) or 1.0
    return Axis(low - room, high + room, False)


def _grid(picture: Picture) -> None:
    for axis, vertical in ((picture.x, True), (picture.y, False)):
        for value in wording.ticks(axis.low, axis.high, axis.logarithmic):
            at = SIZE * float(axis.place(value))
            line = f"M{at:.1f} 0V{SIZE}" if vertical else f"M0 {SIZE - at:.1f}H{SIZE}"
            picture.lines.append(f'<path d="{line}" stroke="currentColor" stroke-width="1" opacity="0.15"/>')
    picture.lines.append(f'<path d="M0 0V{SIZE}H{SIZE}" stroke="currentColor" stroke-width="1.5"/>')


def _ticks(axis: Axis, side: str) -> str:
    return "".join(
        f'<span style="{side}:{100 * float(axis.place(value)):.2f}%">{wording.number(value)}</span>'
        for value in wording.ticks(axis.low, axis.high, axis.logarithmic)
    )


def _curves(picture: Picture, state: State, data: xr.Dataset, values: np.ndarray) -> None:
    """Draw the law for each family value; thin and dotted where it is not valid, dashed as printed in its source."""
    x = data[state.across].values
    family_values = data[state.family].values if state.family else [math.nan]
    valid = np.atleast_2d(data["valid"].values) if "valid" in data else np.ones(values.shape, dtype=bool)
    colours = iter(COLOURS[1:])
    for k, family_value in enumerate(family_values):
        here = not state.family or family_value == state.values[state.family]
        colour = COLOURS[0] if here else next(colours)
        if here and "as_printed" in data:  # drawn below the law, so that it shows where they differ
            picture.path(x, np.atleast_2d(data["as_printed"].values)[k], PRINTED, 2, "9 5")
        inside, outside = _parts(values[k], valid[k])
        picture.path(x, inside, colour, 3 if here else 2)
        picture.path(x, outside, colour, 2, "2 5")
        words = "law"
        if state.family:
            symbol = state.law.symbols[state.family]
            words = f"{wording.letter(symbol.letter)} = {wording.quantity(float(family_value), symbol.unit)}"
        picture.entry(colour, words)
    if not valid.all():
        picture.entry("currentColor", "outside the law's validity", "2 5", width=2)
    if "as_printed" in data:
        picture.entry(PRINTED, "as printed in the source", "9 5", width=2)


def _parts(values: np.ndarray, valid: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the valid and the invalid part of a curve, so that the two lines meet."""
    touches = ~valid
    touches[1:] |= ~valid[:-1]
    touches[:-1] |= ~valid[1:]
    return np.where(valid, values, np.nan), np.where(touches, values, np.nan)


def _simulated(picture: Picture, points: Points | None) -> None:
    if points is None or not points.x:
        return
    for x, value, lower, upper in zip(points.x, points.value, points.lower, points.upper, strict=True):
        picture.path([x, x], [lower, upper], "currentColor", 2)
        picture.dot(x, value, "currentColor", 8, "point")
    picture.entry("currentColor", points.words, dot=True)
