"""Scoreboard: every row of the five papers with its verdict, as ``scoreboard.md`` and a picture.

Run with ``python -m figures.scoreboard``; it takes up to an hour. Finished papers are stored in ``figures/scoreboard``
and read from there as long as neither laws nor simulator nor assessments change. ``longfat verify --published`` prints
the same. ``--new`` runs claims that ``scoreboard.md`` has not yet and keeps its other rows. ``--redraw`` draws the
picture from the stored numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from figures import items, verdict_tables
from figures.claims import findings, read, tabulated
from figures.verdicts import NAMES, scoreboard, summary
from figures.writing import HERE, Part, Picture

if TYPE_CHECKING:
    import pandas as pd

#: Okabe and Ito's colours, which differ for colour-blind readers and in grey; light green is between two of them.
COLOURS = {
    "reproduced": "#009E73", "reproduced under an interpretation": "#8FD3BD", "predicted": "#00C0C0",
    "fitted": "#F0E442", "ordering reproduced": "#56B4E9", "sensitive": "#E69F00", "undecided": "#CC79A7",
    "differs": "#D55E00", "consistent": "#0072B2",
    "not reproducible": "#777777", "input": "#CCCCCC", "repeated": "#EEEEEE",
}  # fmt: skip


def draw_counts(data: xr.Dataset, ax: Any) -> None:
    """Draw a bar for each paper with its rows by verdict."""
    counts = data["rows"].to_pandas()
    left = [0] * len(counts)
    ax.set_axisbelow(True)
    for verdict, colour in COLOURS.items():
        values = counts[verdict].tolist()
        bars = ax.barh(range(len(counts)), values, left=left, color=colour, label=verdict, edgecolor="white")
        total = counts.sum(axis=1).max()
        ax.bar_label(bars, [str(v) if v > total / 40 else "" for v in values], label_type="center", fontsize="small")
        left = [a + b for a, b in zip(left, values, strict=True)]
    ax.set_yticks(range(len(counts)), [f"{NAMES[str(paper)]} ({paper})" for paper in counts.index])
    ax.invert_yaxis()
    ax.set(xlabel="rows", title="Published values and ours")
    ax.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.35, -0.25), fontsize="small", frameon=False)


def counted(table: pd.DataFrame) -> xr.Dataset:
    """Count the rows of each paper by verdict, for the picture."""
    counts = summary(table).drop("all")[list(COLOURS)]
    return xr.Dataset(
        {"rows": (("paper", "verdict"), counts.to_numpy(int))}, {"paper": list(counts.index), "verdict": list(COLOURS)}
    )


def _scales(table: pd.DataFrame) -> str:
    """Return the scales of the papers (`figures.verdicts.scoreboard`) as text."""
    found = {paper: f"{rows.packets.iloc[0]:.0e} packets" for paper, rows in table.groupby("paper")}
    same = set(found.values())
    return same.pop() if len(same) == 1 else ", ".join(f"{value} for {paper}" for paper, value in found.items())


def text(table: pd.DataFrame) -> str:
    """Return the content of ``scoreboard.md``."""
    absent = [f"{NAMES[paper]} ({paper})" for paper in NAMES if paper not in set(table.paper)]
    missing = f"Not in this table, because it was not run: {', '.join(absent)}.\n\n" if absent else ""
    return (
        f"# Scoreboard\n\n{missing}"
        "Every number and claim that the five papers print, our value, and the verdict by one rule; "
        f"{items.counted(items.items())} of the papers are missing, as [items.csv](items.csv) says, which has the "
        "place of every number, claim, system, figure and table. Written by "
        f"`python -m figures.scoreboard`, seed {table.attrs['seed']}, at a scale of {_scales(table)}; the "
        "column *run* says what was run for a row. Errors in the papers are in [ERRATA.md](../ERRATA.md), "
        "refinements of ours in [docs/papers/refinements.md](../docs/papers/refinements.md).\n\n"
        "![Rows by verdict](scoreboard.png)\n\n" + verdict_tables.to_markdown(table)
    )


def added(kept: pd.DataFrame, paper: str, packets: float, seed: int, progress: bool) -> pd.DataFrame:
    """Return the rows of a paper in the order of its claims: those kept, and the others run now."""
    import pandas as pd

    made = tabulated(findings(paper, packets=packets, seed=seed, progress=progress, known=set(kept.claim)))
    rows = {row["claim"]: row for row in (*kept.to_dict("records"), *made.to_dict("records"))}
    table = pd.DataFrame([rows[claim.claim] for claim in read(paper)])
    return table.assign(paper=paper, packets=float(packets))


def simulate(
    packets: Mapping[str, float] | float = 1e7,
    seed: int = 0,
    store: str | Path = HERE / "scoreboard",
    progress: bool | None = None,
    new: bool = False,
) -> dict[str, Any]:
    """Run all simulations for the verdicts; return the counts, the page, and the table of all rows.

    The arguments are those of `figures.verdicts.scoreboard`, but ``packets`` may also give a scale for each paper that
    the scoreboard should have. With ``new``, only claims that the stored page has not are run, and its other rows stay.
    """
    import pandas as pd

    scales = packets if isinstance(packets, Mapping) else dict.fromkeys(NAMES, packets)
    shown = sys.stderr.isatty() if progress is None else progress
    kept = verdict_tables.from_markdown((HERE / "scoreboard.md").read_text(encoding="utf-8")) if new else None
    parts = [
        scoreboard([paper], packets=scales[paper], seed=seed, store=store, progress=shown)
        if kept is None
        else added(kept[kept.paper == paper], paper, scales[paper], seed, shown)
        for paper in sorted(scales, reverse=True)  # those that take minutes last
    ]
    table = pd.concat(parts[::-1], ignore_index=True)
    table.attrs = {"seed": seed}
    return {"scoreboard": counted(table), "scoreboard.md": text(table), "table": table}


def completed(data: dict[str, Any]) -> dict[str, Any]:
    """Write the numbers of the papers with three digits again, since pandas has read 000 as 0."""
    papers = [f"{int(number):03d}" for number in data["scoreboard"].paper.values]
    return data | {"scoreboard": data["scoreboard"].assign_coords(paper=papers)}


PICTURES = {
    "scoreboard": Picture(
        "Published numbers and claims by our verdict on them.", draw_counts, "scoreboard", size=(8, 3.95)
    ),
}
PART = Part("figures.scoreboard", simulate, {"scoreboard": [("paper", "verdict")]}, PICTURES, completed=completed)

if __name__ == "__main__":
    PART.main()
