"""Small pictures of curves over time as SVG inside a page, whose colours follow the page's, light or dark."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from docs.handbook.notebooks import coloured, slim
from longfat import plot


@dataclass(frozen=True)
class Panel:
    """One panel: curves by their names over a common time, with the unit of their values."""

    title: str
    unit: str
    curves: Sequence[tuple[str, np.ndarray]]


def svg(time: np.ndarray, panels: Sequence[Panel], title: str, description: str, unit: str = "s") -> str:
    """Return panels below each other as one SVG, with a title and a description for screen readers."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    with plot.style():
        figure, axes = plt.subplots(len(panels), sharex=True, figsize=(6.4, 0.4 + 1.4 * len(panels)), squeeze=False)
        for ax, panel in zip(axes[:, 0], panels, strict=True):
            for name, values in panel.curves:
                ax.plot(time, np.where(np.isfinite(values), values, np.nan), label=name)
            ax.set_title(f"{panel.title} [{panel.unit}]")
            ax.set(xlim=(0, time[-1]), ylim=(0, None))
            if panel.curves[0][0]:
                ax.legend(ncols=len(panel.curves), loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0)
        ax.set_xlabel(f"time [{unit}]")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        plt.close(figure)
    head, _, rest = coloured(slim(text.getvalue())).partition(">")
    about = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    return f'<div class="picture">{head} role="img">{about}{rest}</div>'
