"""Where in their domains laws have been simulated: a map of the cells of each, coloured by the evidence."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.domains import out_of_range
from longfat.plot.axes import SIZE, pyplot, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: By the mark of `longfat.verify.run` what a cell's colour means; the colours are those of Okabe and Ito.
STATES = {
    ".": ("never simulated", "white"),
    "o": ("some evidence", "#56B4E9"),
    "+": ("evidence of 100 or more that the law is within its accuracy", "#0072B2"),
    "x": ("evidence of 1e6 or more that it is not", "#D55E00"),
    " ": ("the law is not valid", "0.75"),
}
ROW, FRAME, LINE, LEGEND = 0.22, 0.75, 0.13, 0.6  # in: height of a row of cells, of title and label, of a line of ticks


def evidence_maps(summaries: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Draw for each law the cells of its domain, coloured by the evidence that simulation has given there.

    Parameters
    ----------
    summaries : mapping
        ``attrs["store"]`` of the table that `longfat.verify.run` returns with ``store=``.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there is no law.

    Examples
    --------
    >>> figure = evidence_maps({"mm1_wait": {"parts": {"load": ["0.1 to 0.3", "0.3 to 0.8"]}, "units": {"load": "1"},
    ...                                      "map": "+.", "simulated": 1, "cells": 2}})
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_title("left")
    ('load', 'mm1_wait: 1 of 2 cells')
    """
    if not summaries:
        raise out_of_range("summaries", "{}", "1", "those of one law or more; only laws with a simulator have cells")
    sides = {name: _sides(one) for name, one in summaries.items()}
    heights = [FRAME + LINE * len(across) + ROW * len(_combinations(one, down)) for one, (down, across) in
               zip(summaries.values(), sides.values(), strict=True)]  # fmt: skip
    with style():
        figure, grid = pyplot().subplots(
            len(summaries), 1, squeeze=False, height_ratios=heights, layout="constrained",
            figsize=(SIZE[0], sum(heights) + LEGEND),
        )  # fmt: skip
        for ax, (name, one) in zip(grid.flat, summaries.items(), strict=True):
            ax.set_title(f"{name}: {one['simulated']} of {one['cells']} cells", fontsize="small")
            _draw(ax, one, *sides[name])
        _explain(figure)
    made: Figure = figure
    return made


def _sides(one: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return the parameters whose parts lie below, and those whose parts lie beside each other."""
    names = list(one["parts"])
    return names[: len(names) // 2], names[len(names) // 2 :]


def _combinations(one: Mapping[str, Any], names: list[str]) -> list[tuple[str, ...]]:
    """Return the parts of some parameters in every combination, the last one varying first."""
    return list(itertools.product(*(one["parts"][name] for name in names)))


def _draw(ax: Axes, one: Mapping[str, Any], down: list[str], across: list[str]) -> None:
    """Draw the map of a law."""
    rows, columns = _combinations(one, down), _combinations(one, across)
    size = len(one["parts"][across[-1]]) if across else 1
    marks = "".join(one["map"][k : k + size] for k in range(0, len(one["map"]), size + 1))  # between groups is a space
    for (y, x), mark in zip(np.ndindex(len(rows), len(columns)), marks, strict=True):
        ax.add_patch(pyplot().Rectangle((x - 0.5, y - 0.5), 1, 1, fc=STATES[mark][1], ec="0.4", lw=0.6))
        ax.text(x, y, mark, ha="center", va="center", color="white" if mark in "+x" else "black", fontsize="x-small")
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    ax.set_xticks(
        range(len(columns)),
        ["\n".join(filter(None, reversed(words))) for words in _changed(columns)],
        fontsize="xx-small",
    )
    ax.set_yticks(range(len(rows)), [", ".join(filter(None, words)) for words in _changed(rows)], fontsize="xx-small")
    ax.set_xlabel(", ".join(_labelled(one, name) for name in reversed(across)), fontsize="x-small")
    ax.set_ylabel(",\n".join(_labelled(one, name) for name in down), fontsize="x-small")
    ax.grid(visible=False)
    ax.tick_params(length=0)


def _changed(combinations: list[tuple[str, ...]]) -> list[list[str]]:
    """Return the words of each combination, but for those that it has in common with the one before.

    >>> _changed([("a", "c"), ("a", "d"), ("b", "c")])
    [['a', 'c'], ['', 'd'], ['b', 'c']]
    """
    found = []
    for before, words in itertools.pairwise([(), *combinations]):
        same = next((k for k, pair in enumerate(zip(before, words, strict=False)) if len({*pair}) > 1), 0)
        found.append([""] * same + list(words[same:]))
    return found


def _labelled(one: Mapping[str, Any], name: str) -> str:
    """Return a parameter with its unit."""
    unit = one["units"].get(name, "1")
    words = name.replace("_", " ")
    return words if unit == "1" else f"{words} [{unit}]"


def _explain(figure: Figure) -> None:
    """Write what the colours mean below all maps."""
    patches = [
        pyplot().Rectangle((0, 0), 1, 1, facecolor=colour, edgecolor="0.4", lw=0.6, label=f"{words}  {mark}".rstrip())
        for mark, (words, colour) in STATES.items()
    ]
    figure.legend(handles=patches, loc="outside lower left", ncols=2, fontsize="x-small")
