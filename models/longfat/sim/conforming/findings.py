"""Report of `longfat.sim.conformance`."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field

from longfat.base.text_tables import columns

PASSED, FAILED, NOT_APPLICABLE = "passed", "failed", "not applicable"


@dataclass(frozen=True)
class Check:
    """Check of a plug-in by one rule, and its result.

    Parameters
    ----------
    name, meaning : str
        Name of the check, and a sentence that describes it.
    networks : tuple of str
        Networks on which the check was made.
    verdict : {"passed", "failed", "not applicable"}
        Result of the check.
    message : str
        The fault, with numbers, network and simulated time; or why the check does not apply.
    """

    name: str
    meaning: str
    networks: tuple[str, ...]
    verdict: str
    message: str = ""


@dataclass(frozen=True)
class Report:
    """Result of `conformance`; printing it shows a table.

    Parameters
    ----------
    plug_in : str
        Plug-in that was checked, such as "scheme 'reno'".
    checks : tuple of Check
        All checks with their results.
    networks : mapping of str to str
        Networks by name, each with a description.
    seed : int
        Seed of the random numbers.
    wall_time : float
        Duration of the checks [s of wall time].
    """

    plug_in: str
    checks: tuple[Check, ...]
    networks: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    wall_time: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether every applicable check passed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """Checks that failed."""
        return tuple(one for one in self.checks if one.verdict == FAILED)

    def __str__(self) -> str:
        made = sum(one.verdict != NOT_APPLICABLE for one in self.checks)
        head = f"{self.plug_in}: {made - len(self.failed)} of {made} checks passed"
        rows = [("check", "verdict", "networks", "what is checked")]
        for one in self.checks:
            text = one.message if one.verdict == NOT_APPLICABLE else one.meaning
            verdict = one.verdict.upper() if one.verdict == FAILED else one.verdict
            rows.append((one.name, verdict, ", ".join(one.networks) or "-", text))
        heads, *table = columns(rows)
        lines = [head, "", heads]
        for one, line in zip(self.checks, table, strict=True):
            lines += [line, f"    {one.message}"] if one.verdict == FAILED and one.message else [line]
        lines += ["", "networks"] + [f"  {name}: {about}" for name, about in self.networks.items()]
        return "\n".join([*lines, f"seed {self.seed}, {self.wall_time:.1f} s"])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"
