"""Claims and numbers of the papers, each with the result of our laws and simulators, and a verdict.

A row is bound to a function that reproduces and assesses it, in the module ``claims`` of the paper's folder. Verdicts:
*reproduced*, *ordering reproduced*, *differs* (with the reason), *not reproducible* (with the reason), *input*
(parameters and quotations); the rule is `figures.rule`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from figures.data import stem
from figures.rule import (
    VERDICTS,
    Arithmetic,
    Declared,
    Evidence,
    Printed,
    Together,
    Verdict,
    criterion,
    fitted_choices,
    judge,
    met_by_others,
    printed,
)  # fmt: skip
from longfat.base.domains import choice, conflict, integer, unknown

if TYPE_CHECKING:
    import pandas as pd

PAPERS = {"000": "blt", "001": "kkm", "002": "cadpc", "003": "gong_parulkar", "004": "loss_load"}


@dataclass(frozen=True)
class Claim:
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
    """Our result for a claim as text, the evidence, and the verdict on it by the published rule (`judged`)."""

    ours: str
    verdict: Verdict
    reason: str = ""
    criterion: str = ""
    scale: str = ""
    repeats: str = ""
    evidence: Evidence | None = None

    def __post_init__(self) -> None:
        choice("verdict", self.verdict, VERDICTS)
        if self.verdict in ("differs", "not reproducible") and not self.reason:
            raise conflict(f"verdict {self.verdict!r}", "needs a reason")

    @property
    def met_by(self) -> list[str]:
        """Other runs that meet the printed numbers of the row, too."""
        return [] if self.evidence is None else met_by_others(self.evidence)[0]

    @property
    def others(self) -> int:
        """Number of other runs that were tried."""
        return 0 if self.evidence is None else met_by_others(self.evidence)[1]


def judged(evidence: Evidence, ours: str, reason: str = "", *, scale: str = "", repeats: str = "") -> Finding:
    """Return the finding that follows from some evidence by the published rule (`figures.rule`).

    Parameters
    ----------
    evidence : Evidence
        Measured result and printed claim.
    ours : str
        Our value as text, with its interval and unit.
    reason : str
        Why our value is not the printed one; not used if it meets it.
    scale : str
        Scale of its simulation: packets, runs, seeds; empty if nothing was simulated.
    repeats : str
        Claim of another row that prints the same number, which is counted there.

    Examples
    --------
    >>> from figures.rule import Estimate, Quantity, printed
    >>> judged(Quantity(printed("12.5"), Estimate(12.4)), "12.4 MB").verdict
    'reproduced'
    """
    verdict, found = judge(evidence)
    why = (
        reason
        if verdict in ("differs", "undecided", "sensitive", "not reproducible", "reproduced under an interpretation")
        else ""
    )
    text = "; ".join(part for part in (found, why) if part)
    return Finding(ours, verdict, text, criterion(evidence), scale, repeats, evidence)


Assessment = Callable[["Context"], Finding]


@dataclass(frozen=True)
class Context:
    """Scale of a simulation (packets delivered at each point), its seed, and the folder of finished runs."""

    packets: float
    seed: int
    store: Path | None = None

    @property
    def small(self) -> bool:
        """Whether the scale is so small that only tests use it."""
        return self.packets < 1e6

    def runs(self, least: int, most: int) -> int:
        """Return the number of runs at each point: one for every million packets, within limits.

        >>> Context(1e7, 0).runs(3, 20), Context(1e5, 0).runs(3, 20)
        (10, 3)
        """
        return int(min(max(self.packets / 1e6, least), most))

    def place(self, name: str) -> Path | None:
        """Return the folder of finished runs of a name; None if runs are not stored."""
        return None if self.store is None else self.store / stem(name)


def given(ours: str, reason: str = "") -> Assessment:
    """Return the assessment of an input: a parameter, definition or quotation, with our value as text."""
    return lambda _: judged(Declared("input", reason), ours)


def arithmetic(ours: str, *numbers: tuple[str | Printed, float]) -> Assessment:
    """Return the assessment of printed numbers by arithmetic on other printed numbers.

    Parameters
    ----------
    ours : str
        The arithmetic as text.
    *numbers : tuple of str or Printed, and float
        Each printed number, and the value that follows from others.
    """
    parts = tuple(Arithmetic(printed(one) if isinstance(one, str) else one, value) for one, value in numbers)
    return lambda _: judged(parts[0] if len(parts) == 1 else Together(parts), ours)


def read(paper: str) -> list[Claim]:
    """Return the rows of a paper.

    >>> len(read("003"))
    39
    """
    if paper not in PAPERS:
        raise unknown("paper", paper, PAPERS)
    with (Path(__file__).parent / PAPERS[paper] / "claims.csv").open(encoding="utf-8", newline="") as file:
        return [Claim(**line) for line in csv.DictReader(file)]


def findings(
    paper: str, *, packets: float = 1e7, seed: int = 0, progress: bool = False, known: Collection[str] = ()
) -> list[tuple[Claim, Finding]]:
    """Return the rows of a paper with our findings, without claims that are ``known``.

    The scale and the seed are those of `figures.verdicts.scoreboard`.
    """
    from longfat.base.progress import bar

    rows = [row for row in read(paper) if row.claim not in known]
    assessments: Mapping[str, Assessment] = import_module(f"figures.{PAPERS[paper]}.claims").ASSESSMENTS
    packets = integer("packets", packets, "packets", "[1e5, 1e12]")
    context = Context(packets, integer("seed", seed, "1", "[0, inf)"))
    watched = bar(rows, task=f"paper {paper}", unit="row", shown=progress)
    return [(row, assessments[row.claim](context)) for row in watched]


def tabulated(made: Sequence[tuple[Claim, Finding]]) -> pd.DataFrame:
    """Return the columns of `figures.verdicts.scoreboard`, from the rows of a paper with their findings."""
    import pandas as pd

    rows, found = [row for row, _ in made], [one for _, one in made]
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
            "criterion": [one.criterion for one in found],
            "scale": [one.scale for one in found],
            "repeats": [one.repeats for one in found],
            "fitted": ["; ".join(fitted_choices(one.evidence)) for one in found],
            "met_by": ["; ".join(one.met_by) for one in found],
            "others": [one.others for one in found],
        }
    )
