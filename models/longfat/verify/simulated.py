"""Checks of laws against simulators within a tolerance, at points drawn from ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from longfat.law import Law
from longfat.testing.comparing import Comparison, compare
from longfat.verify import points
from longfat.verify.faces import Outcome
from longfat.verify.simulators import simulator_of

#: Largest number of replications at a point. Our choice: this number is enough if the standard deviation is six times
#: the accuracy.
BUDGET = 1000


def reason(law: Law) -> str:
    """Return the reason why a law is not simulated.

    >>> from longfat.laws.power import little_mean_number
    >>> reason(little_mean_number)
    'arithmetic of definitions'
    """
    return law.not_simulated or "@law declares neither simulated= nor not_simulated="


def is_valid(law: Law, point: Mapping[str, Any]) -> bool:
    """Return whether a point is in the range of validity that a law declares; True if it declares none."""
    return law.validity is None or bool(law.validity(**point))


def drawn(law: Law, count: int, seed: int) -> list[points.Point]:
    """Draw points in the ranges of a law's simulator check; return up to ``count`` points at which the law is valid."""
    assert law.simulated is not None
    found = points.typical(law, 64 * count, seed, law.simulated.ranges)
    return [one for one in found if is_valid(law, one)][:count]


def simulated(
    law: Law, drawn: Sequence[tuple[points.Point, int]], alpha: float, power: float
) -> tuple[Outcome, Outcome | None]:
    """Compare a law, and its printed formula if that has an error, with its simulator at the points ``drawn``."""
    assert law.simulated is not None
    simulator, allowed = simulator_of(law), law.simulated.allowed
    assert simulator is not None
    limits: dict[str, Any] = {"alpha": alpha, "power": power, "power_at": 1, "budget": BUDGET}
    found = [compare(law, simulator, point, within=allowed(law, point), rng=seed, **limits) for point, seed in drawn]
    return judged(law, found), printed(law, found) if law.has_printed else None


def judged(law: Law, found: Sequence[Comparison]) -> Outcome:
    """Summarise comparisons as an outcome: the worst verdict, and the largest deviation with its point."""
    worst = max(found, key=lambda one: _off(one) / one.within)
    verdicts = [one.verdict for one in found]
    status = next((one for one in ("differs", "undecided") if one in verdicts), "agrees")
    text = f"off by {_off(worst):.2g} where {worst.within:.2g} {law.unit} are allowed".replace(" 1 are", " are")
    remarks = dict.fromkeys([text, *(one.remark for one in found if one.verdict == "undecided")])
    at = {name: float(worst.point[name]) for name in law.symbols}
    return Outcome(
        status, _off(worst) / worst.within, at, len(found), "; ".join(remarks),
        packets=math.fsum(one.cost for one in found), evidence=min(one.agreement for one in found)
    )  # fmt: skip


def printed(law: Law, found: Sequence[Comparison]) -> Outcome:
    """Return an outcome that counts the points where the printed formula deviates by more than the accuracy."""
    values = [float(law.as_printed(**one.point)) for one in found]
    beyond = [max(one.interval[0] - value, value - one.interval[1]) for one, value in zip(found, values, strict=True)]
    count = sum(one > by.within for one, by in zip(beyond, found, strict=True))
    return Outcome("erratum", checks=len(found), remark=f"as printed {count} of {len(found)} differ")


def _off(one: Comparison) -> float:
    return abs(one.estimate - one.formula)
