"""Our choices where the paper is silent, ambiguous or contradicts its own numbers, with the evidence for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longfat.benchmark.entries import Entry
    from longfat.benchmark.experiments import Variant


@dataclass(frozen=True)
class Choice:
    """One of our choices, with the printed numbers that decided it.

    Parameters
    ----------
    words : str
        Description.
    kind : {"fitted", "interpretation", "open"}
        Fitted: a value that the paper does not print, set so that the results of `experiments` agree with the printed
        ones. Interpretation: the text allows or states something else, and the numbers of `experiments` have decided.
        Open: no printed number has been used.
    experiments : tuple of int
        Experiments whose printed numbers have decided.
    metric : str
        Which of their numbers: "transfer_time", "packet_delay", or "packet_delay_mean" if it cannot change a standard
        deviation; for an open choice, which numbers it can change.
    """

    words: str
    kind: str = "open"
    experiments: tuple[int, ...] = ()
    metric: str = "transfer_time"

    def decided_by(self, experiment: int, metric: str) -> bool:
        """Return whether the numbers of this kind in an experiment have decided; ``metric`` as in the tables.

        >>> Choice("2 MB", "fitted", (10,)).decided_by(10, "transfer_time_mean")
        True
        """
        return experiment in self.experiments and metric.startswith(self.metric)


def choices(entry: Entry, variant: Variant, metric: str, kind: str) -> str:
    """Return, as text, the choices of one kind that the printed numbers of a cell decided; empty if there are none.

    Parameters
    ----------
    entry : Entry
        Scheme of the cell.
    variant : Variant
        Experiment of the cell.
    metric : str
        Quantity of the cell, such as "transfer_time" or "packet_delay_mean".
    kind : {"fitted", "interpretation"}
        See `Choice`.

    Examples
    --------
    >>> from longfat.benchmark import ENTRIES, VARIANTS
    >>> choices(ENTRIES["explicit-feedback"], VARIANTS["3-4"], "transfer_time", "fitted")
    'start rate of 1 packet per ms, doubled at most once per round trip'
    >>> choices(ENTRIES["explicit-feedback"], VARIANTS["1"], "transfer_time", "fitted")
    ''
    """
    made = (*entry.choices, *variant.choices)
    return "; ".join(
        one.words for one in made if one.kind == kind and one.decided_by(variant.experiment, metric)
    )  # fmt: skip
