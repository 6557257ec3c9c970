"""Checks of laws against simulators, at points drawn from ranges, within a tolerance."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longfat.law import Law
from longfat.testing import Comparison, compare
from longfat.verify import equivalence, points
from longfat.verify.faces import Outcome
from longfat.verify.simulators import simulator_of


@dataclass(frozen=True)
class SimulatorCheck:
    """Check of a law against a simulator.

    The laws of longfat declare theirs as `longfat.law.symbols.SimulatedBy`; this is the form that ``simulators=`` of
    `longfat.verify.run` takes.

    Parameters
    ----------
    simulator : callable
        One replication, as `longfat.testing.compare` takes it: called with a seed and the law's parameters by name,
        returns a number, or a number and the packets that it took.
    ranges : mapping
        Ranges of the points, for parameters that are not drawn from their typical range: (low, high), a list, or a
        number.
    accuracy, relative : float
        Tolerance, in the law's unit and as a share of the law's value; both 0: the accuracy in the law's validity.
    long : bool
        Whether quick runs leave it out.

    Examples
    --------
    >>> SimulatorCheck(lambda rng, load: load, accuracy=0.1).relative
    0.0
    """

    simulator: Callable[..., Any]
    ranges: Mapping[str, Any] = field(default_factory=dict)
    accuracy: float = 0.0
    relative: float = 0.0
    long: bool = False

    def draw(self, law: Law, count: int, seed: int) -> list[points.Point]:
        """Return points drawn from the ranges, ``count`` of them or as many as are found inside the law's validity."""
        drawn = points.typical(law, 64 * count, seed, self.ranges)
        valid = [one for one in drawn if law.validity is None or bool(law.validity(**one))]
        return valid[:count]

    def allowed(self, law: Law, point: Mapping[str, float]) -> float:
        """Return the tolerance at a point, in the law's unit."""
        if self.accuracy or self.relative:
            return self.accuracy + self.relative * abs(float(law(**point)))
        return equivalence.accuracy_of(law)

    def compared(self, law: Law, point: Mapping[str, float], alpha: float, power: float, seed: int) -> Comparison:
        """Return the comparison of the law with the simulator at a point, by its tolerance."""
        return compare(
            law, self.simulator, point, within=self.allowed(law, point), alpha=alpha, power=power, power_at=1,
            budget=equivalence.BUDGET, rng=seed,
        )  # fmt: skip


@functools.cache
def check_of(law: Law) -> SimulatorCheck | None:
    """Return the check that a law declares; None if it declares none.

    >>> from longfat.laws.queues import mm1_wait
    >>> check_of(mm1_wait).relative
    0.05
    """
    simulator, declared = simulator_of(law), law.simulated
    if simulator is None or declared is None:
        return None
    return SimulatorCheck(simulator, declared.ranges, declared.accuracy, declared.relative, declared.long)


def reason(law: Law) -> str:
    """Return the reason why a law is not simulated.

    >>> from longfat.laws.power import little_mean_number
    >>> reason(little_mean_number)
    'arithmetic of definitions'
    """
    return law.not_simulated or "@law declares neither simulated= nor not_simulated="


def simulated(
    law: Law, check: SimulatorCheck, drawn: Sequence[tuple[points.Point, int]], alpha: float, power: float
) -> tuple[Outcome, Outcome | None]:
    """Compare a law, and the formula printed in its source, with a simulator at some points, each with its seed."""
    found = [check.compared(law, point, alpha, power, seed) for point, seed in drawn]
    return judged(law, found), printed(law, found) if law.has_printed else None


def judged(law: Law, found: Sequence[Comparison]) -> Outcome:
    """Return the outcome of comparisons at some points: the worst verdict, and the point of the largest deviation."""
    worst = max(found, key=lambda one: _off(one) / one.within)
    verdicts = [one.verdict for one in found]
    status = next((one for one in ("differs", "undecided") if one in verdicts), "agrees")
    text = f"off by {_off(worst):.2g} where {worst.within:.2g} {law.unit} are allowed".replace(" 1 are", " are")
    remarks = dict.fromkeys([text, *(one.remark for one in found if one.verdict == "undecided")])
    at = {name: float(worst.point[name]) for name in law.symbols}
    return Outcome(
        status, _off(worst) / worst.within, at, len(found), "; ".join(remarks),
        packets=math.fsum(one.cost for one in found), evidence=min(one.agreement for one in found), found=tuple(found),
    )  # fmt: skip


def printed(law: Law, found: Sequence[Comparison]) -> Outcome:
    """Return the number of points at which the printed formula lies too far from the simulator's interval."""
    values = [float(law.as_printed(**one.point)) for one in found]
    beyond = [max(one.interval[0] - value, value - one.interval[1]) for one, value in zip(found, values, strict=True)]
    count = sum(one > by.within for one, by in zip(beyond, found, strict=True))
    return Outcome("erratum", checks=len(found), remark=f"as printed {count} of {len(found)} differ")


def _off(one: Comparison) -> float:
    return abs(one.estimate - one.formula)
