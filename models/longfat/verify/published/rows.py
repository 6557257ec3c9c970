"""Rows of a paper's claims, what is found about them, and the table of both."""

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
    """One number or statement as printed."""

    paper: str
    section: str
    claim: str
    value: str
    unit: str
    conditions: str
    kind: str


@dataclass(frozen=True)
class Finding:
    """What we have instead, with its interval in words, and whether that is the same.

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


def judged(holds: object, ours: str, verdict: Verdict, reason: str = "") -> Finding:
    """The verdict, if what it rests on holds in this run."""
    if not bool(holds):
        return Finding(ours, "differs", "not so in this run: too few packets, or something has changed")
    return Finding(ours, verdict, reason)


Judge = Callable[["Context"], Finding]


@dataclass(frozen=True)
class Context:
    """How much is simulated: packets delivered at each point, and the seed."""

    packets: float
    seed: int


def read(paper: str) -> list[Row]:
    """The rows of a paper.

    >>> len(read("003"))
    30
    """
    if paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    text = files("longfat.verify.published").joinpath(f"{PAPERS[paper]}.csv").read_text(encoding="utf-8")
    return [Row(**line) for line in csv.DictReader(text.splitlines())]


def published(paper: str = "003", *, packets: float = 1e7, seed: int = 0, progress: bool = False) -> pd.DataFrame:
    """Every row of a paper: what it prints, what we find, and the verdict.

    Parameters
    ----------
    paper : str
        Its number: "000", Kim & Farber; "001", Kanakia, Keshav & Mishra; "002", Welzl; "003", Gong & Parulkar; "004",
        Prithviraj & Williamson.
    packets : float
        Packets delivered at each simulated point, at least [packets], in [1e5, 1e12]. Of "004", whose runs deliver
        15,000 packets, a run at each point for every million, but 4 to 100 of them; of "001"
        2 to 10 in all, and some minutes.
    seed : int
        Of the random numbers, at least 0.
    progress : bool
        Whether to show a progress bar, of rows.

    Returns
    -------
    pandas.DataFrame
        Columns ``section``, ``claim``, ``kind``, ``published``, ``unit``, ``ours``, ``verdict``, ``reason``; ours with
        intervals where it is simulated: of 99 %, of 95 % for "004", of 90 % for "000".

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
    judges: Mapping[str, Judge] = import_module(f"longfat.verify.published.{PAPERS[paper]}").JUDGES
    packets = integer("packets", packets, "packets", "[1e5, 1e12]")
    context = Context(packets, integer("seed", seed, "1", "[0, inf)"))
    watched = bar(rows, task=f"paper {paper}", unit="row", shown=progress)
    found = [judges[row.claim](context) for row in watched]
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
