"""Small pictures of curves over time as SVG inside a page, whose colours follow the page's, light or dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 150, 56, 12, 22, 22


@dataclass(frozen=True)
class Panel:
    """One panel: curves by their names over a common time, with the unit of their values."""

    title: str
    unit: str
    curves: Sequence[tuple[str, np.ndarray]]


def ticks(high: float, count: int = 4) -> list[float]:
    """Return round numbers from 0 to a value or just below it.

    >>> ticks(87.0)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    if not high > 0:
        return [0.0]
    rough = high / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= 0.8 * rough)
    return [step * k for k in range(int(high / step + 1e-9) + 1)]


def svg(time: np.ndarray, panels: Sequence[Panel], title: str, description: str, unit: str = "s") -> str:
    """Return panels below each other as one SVG, with a title and a description for screen readers."""
    height = HEIGHT * len(panels) + 16
    parts = [
        f'<svg class="trace" viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>",
    ]
    for k, panel in enumerate(panels):
        parts += _panel(panel, np.asarray(time, float), k * HEIGHT, unit=unit if k == len(panels) - 1 else "")
    return "\n".join([*parts, "</svg>"])


def _panel(panel: Panel, time: np.ndarray, above: float, unit: str) -> list[str]:
    """Return the elements of one panel; the unit of time is written below the last one."""
    end = float(time[-1])
    highest = max((float(np.nanmax(values)) for _, values in panel.curves if np.isfinite(values).any()), default=0.0)
    high = highest * 1.05 or 1.0
    top, bottom = above + TOP, above + HEIGHT - BOTTOM

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * value / end

    def y(value: float) -> float:
        return bottom - (bottom - top) * value / high

    parts = [f'<text class="head" x="{LEFT}" y="{top - 8}">{escape(panel.title)} [{escape(panel.unit)}]</text>']
    for value in ticks(high):
        parts.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in ticks(end, 6):
        parts.append(f'<text class="tick" x="{x(value):.1f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>')
    for k, (name, values) in enumerate(panel.curves):
        label = x(end) - 8 - 90 * (len(panel.curves) - 1 - k)
        parts.append(f'<path class="curve c{k}" d="{_path(time, np.asarray(values, float), x, y)}"/>')
        if name:
            parts.append(
                f'<text class="name c{k}" x="{label:.0f}" y="{top - 8}" text-anchor="end">{escape(name)}</text>'
            )
    if unit:
        parts.append(f'<text class="tick" x="{WIDTH - RIGHT}" y="{bottom + 30}" text-anchor="end">time [{unit}]</text>')
    return parts


def _path(time: np.ndarray, values: np.ndarray, x, y) -> str:  # type: ignore[no-untyped-def]
    """Return a curve as a path that is interrupted where there is no value."""
    text, pen = [], "M"
    for at, value in zip(time, values, strict=True):
        if math.isfinite(value):
            text.append(f"{pen}{x(at):.1f} {y(value):.1f}")
            pen = "L"
        else:
            pen = "M"
    return "".join(text)
