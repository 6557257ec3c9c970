"""Checks of drawn figures: no overlapping text, all text inside the figure, every style explained."""

from itertools import combinations

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

SLACK = 1.0  # px


def _axes(figure):
    """Yield all axes, secondary ones included."""
    for ax in figure.axes:
        yield ax
        yield from (one for one in ax.child_axes if one.get_visible())


def _legends(figure):
    found = [*figure.legends]
    for ax in _axes(figure):
        found += [one for one in ax.get_children() if isinstance(one, Legend)]
    return found


def texts(figure):
    """Return every visible text of a figure with its box; a legend counts as one text."""
    figure.draw_without_rendering()
    found = []

    def add(words, artist):
        box = artist.get_window_extent()
        if words.strip() and artist.get_visible() and box.width > 0:
            found.append((words, box))

    for ax in _axes(figure):
        for text in (ax.title, ax._left_title, ax._right_title, ax.xaxis.label, ax.yaxis.label, *ax.texts):
            add(text.get_text(), text)
        for axis in (ax.xaxis, ax.yaxis):
            add(axis.offsetText.get_text(), axis.offsetText)
            for tick in axis._update_ticks():  # only those inside the view
                for label in (tick.label1, tick.label2):
                    add(label.get_text() if label.get_visible() else "", label)
    for text in [*figure.texts, figure._suptitle, figure._supxlabel, figure._supylabel]:
        if text is not None:
            add(text.get_text(), text)
    for legend in _legends(figure):
        add("legend: " + ", ".join(one.get_text() for one in legend.get_texts()), legend)
    unique = {(words, tuple(np.round(box.extents, 3))): (words, box) for words, box in found}
    return list(unique.values())


def overlaps(figure):
    """Return pairs of texts that overlap, and texts that are cut off."""
    seen = texts(figure)
    wrong = []
    for (one, a), (other, b) in combinations(seen, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        if wide > SLACK and high > SLACK:
            wrong.append(f"{one!r} lies on {other!r}")
    whole = figure.bbox
    for words, box in seen:
        if box.x0 < -SLACK or box.y0 < -SLACK or box.x1 > whole.x1 + SLACK or box.y1 > whole.y1 + SLACK:
            wrong.append(f"{words!r} is cut off at the figure's edge")
    return wrong


def covered(figure):
    """Return legends and texts that cover a marked point."""
    figure.draw_without_rendering()
    wrong = []
    for ax in figure.axes:
        boxes = [(f"legend {one.get_texts()[0].get_text()!r}...", one.get_window_extent()) for one in _legends(figure)]
        boxes += [(repr(text.get_text()), text.get_window_extent()) for text in ax.texts if text.get_visible()]
        for line in _drawn(ax):
            if line.get_marker() in ("", "None", None, " "):
                continue
            points = line.get_transform().transform(np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float))
            points = points[np.isfinite(points).all(1)]
            points = points[((points >= ax.bbox.min - SLACK) & (points <= ax.bbox.max + SLACK)).all(1)]
            for words, box in boxes:
                if len(points) and box.count_contains(points):
                    wrong.append(f"{words} covers a point at {line.get_xdata()[0]}")
    return wrong


def _drawn(ax):
    """Yield visible lines with data, without the caps of error bars."""
    caps = {cap for one in ax.containers if isinstance(one, ErrorbarContainer) for cap in one.lines[1]}
    return [line for line in ax.lines if line.get_visible() and len(line.get_xdata()) and line not in caps]


def _look(line):
    dashes = line.get_linestyle() if not line.is_dashed() else str(line._unscaled_dash_pattern)
    ls = None if line.get_linestyle() in ("None", "", " ") else dashes
    marker = None if line.get_marker() in ("None", "", " ", None) else str(line.get_marker())
    return to_hex(line.get_color()), ls, marker


def unexplained(figure, words=()):
    """Return colours, dashes and markers that no legend shows.

    ``words`` are colours that a title or a text explains.
    """
    colours, dashes, markers = {to_hex(one) for one in words}, {None}, {None}
    for legend in _legends(figure):
        for handle in legend.findobj(Line2D):
            colour, ls, marker = _look(handle)
            colours.add(colour), dashes.add(ls), markers.add(marker)
        colours |= {to_hex(one.get_edgecolor()) for one in legend.get_patches()}
    if not _legends(figure):
        return []
    wrong = []
    for ax in figure.axes:
        for line in _drawn(ax):
            colour, ls, marker = _look(line)
            if colour in {to_hex(one) for one in words}:
                continue
            if colour not in colours or ls not in dashes or marker not in markers:
                wrong.append(f"no legend shows {colour}, {ls}, {marker}")
    return sorted(set(wrong))
