"""The report of `longfat.sim.conformance`."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field

PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "not applicable"


@dataclass(frozen=True)
class Check:
    """A check and its result.

    Parameters
    ----------
    name, meaning : str
        Its name, and what it checks in one sentence.
    networks : tuple of str
        On which networks it was made.
    verdict : {"passed", "failed", "not applicable"}
        Its result.
    message : str
        What is wrong, with numbers, network and simulated time; or why it does not apply.
    """

    name: str
    meaning: str
    networks: tuple[str, ...]
    verdict: str
    message: str = ""


@dataclass(frozen=True)
class Report:
    """What `conformance` found; printed, it is a table.

    Parameters
    ----------
    plug_in : str
        What was checked, such as "scheme 'reno'".
    checks : tuple of Check
        All checks.
    networks : mapping of str to str
        The networks by their names, and what they are.
    seed : int
        Of the random numbers.
    wall_time : float
        What it took [s].
    """

    plug_in: str
    checks: tuple[Check, ...]
    networks: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    wall_time: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(one for one in self.checks if one.verdict == FAILED)

    def __str__(self) -> str:
        made = sum(one.verdict != NOT_APPLICABLE for one in self.checks)
        head = f"{self.plug_in}: {made - len(self.failed)} of {made} checks passed"
        rows = [("check", "verdict", "networks", "what is checked")]
        for one in self.checks:
            text = one.message if one.verdict == NOT_APPLICABLE else one.meaning
            rows.append((one.name, _shown(one.verdict), ", ".join(one.networks) or "-", text))
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        lines = [head, ""]
        messages = ["", *(one.message if one.verdict == FAILED else "" for one in self.checks)]
        for row, message in zip(rows, messages, strict=True):
            lines.append("  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3])))
            if message:
                lines.append(f"    {message}")
        lines += ["", "networks"] + [f"  {name}: {about}" for name, about in self.networks.items()]
        return "\n".join([*lines, f"seed {self.seed}, {self.wall_time:.1f} s"])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _shown(verdict: str) -> str:
    return verdict.upper() if verdict == FAILED else verdict
