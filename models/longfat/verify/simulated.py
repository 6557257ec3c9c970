"""Checks of laws against simulators, at points drawn from ranges, within a tolerance."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from longfat import domains
from longfat.law import Law
from longfat.simulators import simulator_of
from longfat.verify import equivalence, points
from longfat.verify.faces import Outcome

LOOKS = 4  # an undecided point is simulated again, four times as long, up to this number of looks in all


@dataclass(frozen=True)
class SimulatorCheck:
    """Check of a law against a simulator.

    The laws of longfat declare theirs as `longfat.symbols.SimulatedBy`; this is the form that ``estimators=`` of
    `longfat.verify.run` takes.

    Parameters
    ----------
    estimator : callable
        Takes ``effort`` (1, 4, 16, 64: multiples of the least simulated time) and ``rng``, returns an estimator for
        `longfat.verify.check`.
    ranges : mapping
        Ranges of the points, for parameters that are not drawn from their typical range: (low, high), a list, or a
        number.
    accuracy, relative : float
        Tolerance, in the law's unit and as a share of the law's value; both 0: the accuracy in the law's validity.
    long : bool
        Whether quick runs leave it out.

    Examples
    --------
    >>> SimulatorCheck(lambda effort, rng: None, accuracy=0.1).relative
    0.0
    """

    estimator: Callable[[float, Any], equivalence.Estimator]
    ranges: Mapping[str, Any] = field(default_factory=dict)
    accuracy: float = 0.0
    relative: float = 0.0
    long: bool = False

    def draw(self, law: Law, count: int, seed: int) -> list[points.Point]:
        """Return points drawn from the ranges, ``count`` of them or as many as are found inside the law's validity."""
        drawn = points.typical(law, 64 * count, seed, self.ranges)
        valid = [one for one in drawn if law.validity is None or bool(law.validity(**one))]
        return valid[:count]


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
    return SimulatorCheck(simulator.check, declared.ranges, declared.accuracy, declared.relative, declared.long)


def reason(law: Law) -> str:
    """Return the reason why a law is not simulated.

    >>> from longfat.laws.power import little_mean_number
    >>> reason(little_mean_number)
    'arithmetic of definitions'
    """
    return law.not_simulated or "@law declares neither simulated= nor not_simulated="


def simulated(
    law: Law, check: SimulatorCheck, drawn: list[points.Point], confidence: float, seed: int, printed: bool = True
) -> tuple[Outcome, Outcome | None]:
    """Compare a law, and what its source prints instead, with a simulator at some points.

    ``confidence`` is that of one point's verdict, all its looks included; undecided points are simulated again, longer.
    """
    import numpy as np

    each = 1 - (1 - confidence) / LOOKS
    left, decided, text, by_print = list(drawn), [], "", []
    for look, stream in enumerate(np.random.default_rng(seed).spawn(LOOKS)):
        estimator = check.estimator(4.0**look, stream)
        undecided = []
        for point in left:
            table = _compared(law, estimator, point, each, check)
            verdict = str(table.verdict.values[0])
            if verdict == "undecided" and look + 1 < LOOKS:
                undecided.append(point)
                continue
            decided.append((verdict, table))
            if printed and law.has_printed:
                by_print.append(_compared(law.as_printed, _repeat(table), point, each, check, law))
        left = undecided
        if not left:
            break
    off = [abs(float(table["estimate"][0] - table["law"][0])) for _, table in decided]
    allowed = [float(table.attrs["allowed"]) for _, table in decided]
    worst = max(range(len(decided)), key=lambda k: off[k] / allowed[k])
    verdicts = [verdict for verdict, _ in decided]
    status = next((one for one in ("differs", "undecided") if one in verdicts), "agrees")
    at = {name: float(decided[worst][1][name][0]) for name in law.symbols}
    text = f"off by {off[worst]:.2g} where {allowed[worst]:.2g} {law.unit} are allowed".replace(" 1 are", " are")
    found = Outcome(status, off[worst] / allowed[worst], at, len(decided), text)
    if not by_print:
        return found, None
    count = sum(str(one.verdict.values[0]) == "differs" for one in by_print)
    return found, Outcome("erratum", checks=len(by_print), remark=f"as printed {count} of {len(by_print)} differ")


def _compared(
    law: Law, estimator: Any, point: points.Point, confidence: float, check: SimulatorCheck, other: Law | None = None
) -> Any:
    """Return the table of `equivalence.check` at one point, with the tolerance used among its attributes."""
    value = float(law(**point))
    validity = (other or law).validity
    if check.accuracy or check.relative:
        allowed = check.accuracy + check.relative * abs(value)
    elif validity is not None:
        allowed = validity.accuracy
    else:
        raise domains.conflict(f"law {law.name}", "needs an accuracy in (0, inf)", "it states none")
    table = equivalence.check(law, estimator, [point], confidence=confidence, accuracy=allowed)
    table.attrs["allowed"] = allowed
    return table


def _repeat(table: Any) -> Callable[..., tuple[float, float, float]]:
    """Return an estimator that repeats the estimate of a table, for another law at the same point."""
    found = tuple(float(table[name][0]) for name in ("estimate", "lower", "upper"))
    return lambda **_: found  # type: ignore[return-value]
