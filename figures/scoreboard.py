"""Scoreboard: every row of the five papers with its verdict, as ``scoreboard.md`` and a picture.

Run with ``python -m figures.scoreboard``; at full scale it takes up to an hour, with ``--quick`` some minutes. Finished
papers are stored in ``figures/scoreboard`` and read from there as long as neither laws nor simulator nor assessments
change. ``longfat verify --published`` prints the same. ``--redraw`` draws the picture from the stored numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import xarray as xr

from figures import data as stored
from figures import verdict_tables
from figures.verdicts import NAMES, scoreboard, summary
from figures.writing import HERE, figure_files, main, save
from longfat.base.files import AtomicFiles

if TYPE_CHECKING:
    import pandas as pd

CAPTIONS = {"scoreboard": "Published numbers and claims by our verdict on them."}
#: Okabe and Ito's colours, which differ for colour-blind readers and in grey; light green is between two of them.
COLOURS = {
    "reproduced": "#009E73", "reproduced under an interpretation": "#8FD3BD", "fitted": "#F0E442",
    "ordering reproduced": "#56B4E9", "sensitive": "#E69F00", "differs": "#D55E00", "consistent": "#0072B2",
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


def kept() -> xr.Dataset:
    """Return what the picture shows as it is stored in this folder."""
    data = stored.dataset("scoreboard", ("paper", "verdict"))
    return data.assign_coords(paper=[f"{number:03d}" for number in data.paper.values])  # pandas reads 000 as a number


def draw(files: AtomicFiles, data: xr.Dataset) -> None:
    """Draw the picture."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 1.7 + 0.45 * data.sizes["paper"]))
    draw_counts(data, ax)
    save(files, figure, "scoreboard")


def redraw(directory: str | Path = HERE) -> None:
    """Draw the picture again from the stored numbers."""
    with figure_files(directory) as files:
        draw(files, kept())


def _scales(table: pd.DataFrame) -> str:
    """Return the scales of the papers (`figures.claims.published`) as text."""
    found = {paper: f"{rows.packets.iloc[0]:.0e} packets" for paper, rows in table.groupby("paper")}
    same = set(found.values())
    return same.pop() if len(same) == 1 else ", ".join(f"{value} for {paper}" for paper, value in found.items())


def text(table: pd.DataFrame) -> str:
    """Return the content of ``scoreboard.md``."""
    absent = [f"{NAMES[paper]} ({paper})" for paper in NAMES if paper not in set(table.paper)]
    missing = f"Not in this table, because it was not run: {', '.join(absent)}.\n\n" if absent else ""
    return (
        f"# Scoreboard\n\n{missing}"
        "Every number and claim that the five papers print, our value, and the verdict by one rule. Written by "
        f"`python -m figures.scoreboard`, seed {table.attrs['seed']}, at a scale of {_scales(table)}; the "
        "column *run* says what was run for a row. Errors in the papers are in [ERRATA.md](../ERRATA.md), "
        "refinements of ours in [docs/refinements.md](../docs/refinements.md).\n\n"
        "![Rows by verdict](scoreboard.png)\n\n" + verdict_tables.to_markdown(table)
    )


def write(
    directory: str | Path = HERE,
    packets: Mapping[str, float] | float = 1e7,
    seed: int = 0,
    store: str | Path | None = None,
    progress: bool = False,
) -> pd.DataFrame:
    """Run what the verdicts depend on, and write the table and the picture.

    Parameters
    ----------
    directory : str or Path
        Directory of the figures.
    packets : float or mapping
        Scale of the runs, see `figures.claims.published` [packets]: for all papers, or for each paper that
        the scoreboard should have.
    seed : int
        Seed of the random numbers.
    store : str or Path, optional
        Directory for finished papers; ``scoreboard`` in ``directory`` by default.
    progress : bool
        Whether to show a progress bar.
    """
    import pandas as pd

    place = Path(directory) / "scoreboard" if store is None else store
    scales = packets if isinstance(packets, Mapping) else dict.fromkeys(NAMES, packets)
    parts = [
        scoreboard([paper], packets=scales[paper], seed=seed, store=place, progress=progress)
        for paper in sorted(scales, reverse=True)  # those that take minutes last
    ]
    table = pd.concat(parts[::-1], ignore_index=True)
    table.attrs = parts[0].attrs
    with figure_files(directory) as files:
        draw(files, counted(table))
        stored.write(files, "scoreboard", counted(table), "figures.scoreboard")
        files.path("scoreboard.md").write_text(text(table), encoding="utf-8")
    return table


if __name__ == "__main__":
    main(partial(write, progress=sys.stderr.isatty()), redraw, quick={"packets": 1e5})
