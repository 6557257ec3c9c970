"""Topologies of Kanakia, Keshav and Mishra's experiments (1992), figures 1 to 6, drawn from the networks that are run.

``kkm_topologies``: nodes, links with their rates and delays, and flows. Run with ``python -m figures.kkm.topologies``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from figures.writing import Part, panels
from longfat import benchmark
from longfat.base.files import AtomicFiles
from longfat.benchmark.entries import ENTRIES
from longfat.sim.network.drawing import Placed
from longfat.sim.network.sketching import once, said, sketch

CAPTIONS = {
    "kkm_topologies": "Figures 1 to 6: the networks of the ten experiments; of several flows of one kind one is drawn.",
}
#: A variant of the benchmark for each figure of the paper.
FIGURES = {1: "1", 2: "3-4", 3: "4", 4: "5", 5: "6", 6: "10"}
TITLES = {
    1: "experiments 1, 2 and 7 to 9", 2: "experiment 3", 3: "experiment 4", 4: "experiment 5", 5: "experiment 6",
    6: "experiment 10",
}  # fmt: skip


def draw_network(variant: str, ax: Any) -> None:
    """Draw the network of a variant: boxes, links with their labels, and a line for each kind of flow."""
    drawn = sketch(benchmark.build(benchmark.VARIANTS[variant], ENTRIES["sack"], probe=False))
    placed = Placed(drawn, 20.0)
    middle = {node: ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for node, box in placed.boxes.items()}
    for tail, head in once(drawn.links):
        (x, y), (to_x, to_y) = middle[tail], middle[head]
        ax.plot([x, to_x], [y, to_y], color="0.8", lw=6, zorder=0, solid_capstyle="butt")
        words = "\n".join(said(drawn, tail, head, placed.rightwards((tail, head)))[:2])
        ax.annotate(words, ((x + to_x) / 2, (y + to_y) / 2), ha="center", va="center", fontsize=5.5,
                    bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.75})  # fmt: skip
    for k, bundle in enumerate(drawn.bundles):
        for place, pair in enumerate(pairwise(bundle.flow.path)):
            lane = placed.lane(k, pair)
            ax.plot(*zip(*lane, strict=True), color=f"C{k % 10}", lw=1, label=None if place else bundle.words[0])
    for node, words in drawn.boxes.items():
        ax.annotate(
            words, middle[node], ha="center", va="center", fontsize=7, bbox={"boxstyle": "round", "fc": "white"}
        )
    ax.invert_yaxis()
    ax.margins(0.12)
    ax.axis("off")
    ax.legend(title="connections", fontsize=6, title_fontsize=6, loc="upper right", ncols=2)


def draw_all(axes: Any) -> None:
    """Draw the six topologies."""
    for ax, (number, variant) in zip(axes.flat, FIGURES.items(), strict=True):
        draw_network(variant, ax)
        ax.set_title(f"Figure {number}: {TITLES[number]}")


def draw(files: AtomicFiles, _: dict[str, Any]) -> None:
    """Draw the picture."""
    panels(files, "kkm_topologies", (3, 2), (12, 11), draw_all)


PART = Part("figures.kkm.topologies", lambda: {}, {}, draw)

if __name__ == "__main__":
    PART.main()
