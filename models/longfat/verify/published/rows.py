"""Rows of a paper's claims, our findings about them, and the table of both."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, get_args

from longfat.domains import choice, conflict, integer, unknown

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["reproduced", "ordering reproduced", "differs", "not reproducible", "input"]
PAPERS = {"000": "blt", "001": "kkm", "002": "cadpc", "003": "gong_parulkar", "004": "loss_load"}


@dataclass(frozen=True)
class Row:
    """One number or statement as a paper prints it."""

    paper: str
    section: str
    claim: str
    value: str
    unit: str
    conditions: str
    kind: str


@dataclass(frozen=True)
class Finding:
    """Our result for a claim, as text with its interval, and the verdict on whether both agree.

    >>> Finding("12.5 MB", "reproduced").verdict
    'reproduced'
    """

    ours: str
    verdict: Verdict
    reason: str = ""

    def __post_init__(self) -> None:
        choice("verdict", self.verdict, get_args(Verdict))
        if self.verdict in ("differs", "not reproducible") and not self.reason:
            raise conflict(f"verdict {self.verdict!r}", "needs a reason")


def assessed(holds: object, ours: str, verdict: Verdict, reason: str = "") -> Finding:
    """Return a finding with the verdict if the criterion ``holds``, otherwise one that says "differs"."""
    if not bool(holds):
        return Finding(
            ours, "differs", "this run does not show it: too few packets were simulated, or the code has changed"
        )
    return Finding(ours, verdict, reason)


Assessment = Callable[["Context"], Finding]


@dataclass(frozen=True)
class Context:
    """Scale of a simulation (packets delivered at each point) and its seed."""

    packets: float
    seed: int


def read(paper: str) -> list[Row]:
    """Return the rows of a paper.

    >>> len(read("003"))
    30
    """
    if paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    text = files("longfat.verify.published").joinpath(f"{PAPERS[paper]}.csv").read_text(encoding="utf-8")
    return [Row(**line) for line in csv.DictReader(text.splitlines())]


def published(paper: str = "003", *, packets: float = 1e7, seed: int = 0, progress: bool = False) -> pd.DataFrame:
    """Return every row of a paper: the printed value, our value and the verdict.

    Parameters
    ----------
    paper : str
        Number of the paper: "000", Kim & Farber; "001", Kanakia, Keshav & Mishra; "002", Welzl; "003", Gong & Parulkar;
        "004", Prithviraj & Williamson.
    packets : float
        Least number of packets delivered at each simulated point [packets], in [1e5, 1e12]. A point of "004" has one
        run of 15,000 packets for every million, but 4 to 100 runs; a cell of "001" has 2 to 10 runs and takes some
        minutes in all.
    seed : int
        Seed of the random numbers, at least 0.
    progress : bool
        Whether to show a progress bar over the rows.

    Returns
    -------
    pandas.DataFrame
        Columns ``section``, ``claim``, ``kind``, ``published``, ``unit``, ``ours``, ``verdict``, ``reason``. Simulated
        values have confidence intervals: 99 %, but 95 % for "004" and 90 % for "000".

    Raises
    ------
    ValueError
        For values outside their ranges.

    Examples
    --------
    >>> table = published("003", packets=1e5)
    >>> str(table.verdict[table.claim == "BDP example"].item())
    'reproduced'
    """
    import pandas as pd

    from longfat.progress import bar

    rows = read(paper)
    assessments: Mapping[str, Assessment] = import_module(f"longfat.verify.published.{PAPERS[paper]}").ASSESSMENTS
    packets = integer("packets", packets, "packets", "[1e5, 1e12]")
    context = Context(packets, integer("seed", seed, "1", "[0, inf)"))
    watched = bar(rows, task=f"paper {paper}", unit="row", shown=progress)
    found = [assessments[row.claim](context) for row in watched]
    return pd.DataFrame(
        {
            "section": [row.section for row in rows],
            "claim": [row.claim for row in rows],
            "kind": [row.kind for row in rows],
            "published": [row.value for row in rows],
            "unit": [row.unit for row in rows],
            "ours": [one.ours for one in found],
            "verdict": [one.verdict for one in found],
            "reason": [one.reason for one in found],
        }
    )
