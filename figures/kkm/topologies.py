"""Topologies of Kanakia, Keshav and Mishra's experiments (1992), figures 1 to 6, drawn from the networks that are run.

``kkm_topologies``: nodes, links with their rates and delays, and flows. Run with ``python -m figures.kkm.topologies``.
"""

from __future__ import annotations

from typing import Any

from figures.writing import Part, Picture
from longfat import benchmark
from longfat.benchmark.entries import ENTRIES
from longfat.sim.network.drawing import once, placed, said, sketch

#: A variant of the benchmark for each figure of the paper.
FIGURES = {1: "1", 2: "3-4", 3: "4", 4: "5", 5: "6", 6: "10"}
TITLES = {
    1: "experiments 1, 2 and 7 to 9", 2: "experiment 3", 3: "experiment 4", 4: "experiment 5", 5: "experiment 6",
    6: "experiment 10",
}  # fmt: skip


def draw_network(variant: str, ax: Any) -> None:
    """Draw the network of a variant; below it stand its links with rate, delay and buffer, and its connections."""
    drawn = sketch(benchmark.build(benchmark.VARIANTS[variant], ENTRIES["sack"], probe=False))
    middle = {node: (box.x, box.y) for node, box in placed(drawn, 20.0).items()}
    lines = []
    for tail, head in once(drawn.links):
        (x, y), (to_x, to_y) = middle[tail], middle[head]
        ax.plot([x, to_x], [y, to_y], "k", lw=1)  # the boxes cover its ends
        link = said(drawn.links, (tail, head), x <= to_x)
        lines.append(f"{drawn.boxes[tail]} - {drawn.boxes[head]}: {'; '.join(link)}")
    for node, place in middle.items():
        words = drawn.boxes[node].replace(" … ", "\n… ")
        ax.annotate(
            words, place, ha="center", va="center", fontsize=6, bbox={"boxstyle": "square,pad=1", "fc": "white"}
        )
        ax.update_datalim([place])
    lines += [
        f"{bundle.words[0]}: {' → '.join(drawn.boxes[node] for node in bundle.flow.path)}" for bundle in drawn.bundles
    ]
    ax.invert_yaxis()
    ax.margins(0.2)
    ax.set(xticks=[], yticks=[])
    ax.axis("off")
    ax.text(0.0, -0.02, "\n".join(lines), transform=ax.transAxes, va="top", fontsize=5.5)


def draw_all(_: dict[str, Any], axes: Any) -> None:
    """Draw the six topologies."""
    for ax, (number, variant) in zip(axes.flat, FIGURES.items(), strict=True):
        draw_network(variant, ax)
        ax.set_title(f"Figure {number}: {TITLES[number]}")


PICTURES = {
    "kkm_topologies": Picture(
        "Figures 1 to 6: the networks of the ten experiments; of several flows of one kind one is drawn.",
        draw_all, "", (2, 3), (14, 10),
    ),
}  # fmt: skip
PART = Part("figures.kkm.topologies", lambda: {}, {}, PICTURES)

if __name__ == "__main__":
    PART.main()
