"""Checks of laws against simulators within a tolerance, at points drawn from ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from longfat.law import Law
from longfat.testing.comparing import Comparison, compare
from longfat.testing.seeded_runs import seed_of
from longfat.verify import points
from longfat.verify.faces import Outcome, failed
from longfat.verify.simulators import simulator_of

#: Largest number of replications at a point. Our choice: this number is enough if the standard deviation is six times
#: the accuracy.
BUDGET = 1000


Drawn = list[tuple[points.Point, int]]  # points, each with the seed of its runs


def drawn(law: Law, count: int, seed: int) -> Drawn | Outcome:
    """Draw up to ``count`` points of a law's simulator check at which the law is valid; return them with their seeds.

    If that raises an exception, return the outcome "error".
    """
    assert law.simulated is not None
    try:
        found = points.typical(law, 64 * count, seed, law.simulated.ranges)
        valid = [one for one in found if law.validity is None or law.validity(**one)]
    except Exception as failure:
        return failed(failure)
    return [(point, seed_of(seed, k)) for k, point in enumerate(valid[:count])]


def simulated(law: Law, drawn: Drawn, alpha: float, power: float) -> dict[str, Outcome]:
    """Compare a law, and its printed formula if that has an error, with its simulator at the points ``drawn``."""
    simulator, record = simulator_of(law), law.simulated
    assert simulator is not None
    assert record is not None
    limits: dict[str, Any] = {"alpha": alpha, "power": power, "power_at": 1, "budget": BUDGET}
    try:
        found = [
            compare(law, simulator, point, within=record.allowed(law, point), rng=seed, **limits)
            for point, seed in drawn
        ]
        outcomes = {"simulator": judged(law, found)}
        return outcomes | ({"printed simulated": printed(law, found)} if law.has_printed else {})
    except Exception as failure:
        return {"simulator": failed(failure)}


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
