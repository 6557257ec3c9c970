"""Checks of laws against simulators within a tolerance, at given points or at points drawn from ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.base.domains import integer, number, out_of_range
from longfat.law import Law, SimulatedBy
from longfat.testing.comparing import Comparison, compare
from longfat.testing.seeded_runs import seed_of
from longfat.verify import points
from longfat.verify.faces import Outcome
from longfat.verify.simulators import simulator_of

if TYPE_CHECKING:
    import xarray as xr

#: Largest number of replications at a point. Our choice: this number is enough if the standard deviation is six times
#: the accuracy.
BUDGET = 1000


def check(
    law: Law,
    simulator: Callable[..., Any],
    points: Iterable[Mapping[str, Any]],
    *,
    confidence: float = 0.95,
    accuracy: float | None = None,
    budget: int = BUDGET,
    rng: int = 0,
) -> xr.Dataset:
    """Compare a law with a simulator at given points, to the law's accuracy; mark points where the law is not valid.

    Parameters
    ----------
    law : Law
        The law.
    simulator : callable
        One replication, as `longfat.testing.compare` takes it: called with a seed and the law's parameters by name.
    points : iterable of mapping
        The law's parameters at each point; those with a default may be left out.
    confidence : float
        Confidence of all verdicts together [probability], in (0, 1). Each of n verdicts is wrong with at most the
        probability (1 - confidence) / n.
    accuracy : float, optional
        Largest deviation allowed [the law's unit]; by default the accuracy in the law's record.
    budget : int
        Largest number of replications at a point.
    rng : int
        Seed.

    Returns
    -------
    xarray.Dataset
        Along ``point``: the parameters, ``law``, ``estimate``, ``lower``, ``upper``, ``replications``, ``valid`` and
        ``verdict``: "agrees" (the deviation is below the accuracy), "differs" (it is above), "undecided" (the budget
        was spent), "not valid" (the point is outside the law's validity). ``attrs["agrees"]`` is 1 if all valid points
        agree and there is at least one.

    Raises
    ------
    ValueError
        If neither the law nor the caller states an accuracy, or there are no points.
    TypeError
        If a point has other parameters than the law.

    Examples
    --------
    >>> import numpy as np
    >>> from longfat.laws.selective_repeat import initial_window
    >>> table = check(initial_window, lambda rng, ack_segments: np.random.default_rng(rng).normal(3.0, 0.1),
    ...               [{"ack_segments": 2.0}], accuracy=0.25)
    >>> str(table.verdict.values[0])
    'agrees'
    """
    import xarray as xr

    confidence = number("confidence", confidence, "probability", "(0, 1)")
    given = SimulatedBy(simulator).allowed(law, {}) if accuracy is None else accuracy
    accuracy = number("accuracy", given, law.unit, "(0, inf)")
    rng = integer("rng", rng, "1", "[0, inf)")
    points = list(points)
    if not points:
        raise out_of_range("points", "[]", "1", "one point or more")
    error = (1 - confidence) / len(points)
    rows = []
    limits: dict[str, Any] = {"within": accuracy, "alpha": error, "power": 1 - error, "power_at": 1, "budget": budget}
    for place, point in enumerate(points):
        every = law.bind(**point)  # with defaults
        found = compare(law, simulator, every, rng=seed_of(rng, place), **limits)
        valid = is_valid(law, every)
        rows.append({
            **every, "law": found.formula, "estimate": found.estimate, "lower": found.interval[0],
            "upper": found.interval[1], "replications": found.replications,
            "verdict": found.verdict if valid else "not valid", "valid": valid,
        })  # fmt: skip
    data = xr.Dataset({name: ("point", [row[name] for row in rows]) for name in rows[0]})
    for name in (*law.symbols, "law", "estimate", "lower", "upper"):
        data[name].attrs["units"] = law.symbols[name].unit if name in law.symbols else law.unit
    verdicts = data.verdict.values[data.valid.values]
    data.attrs = {
        "law": law.public_name,
        "source": law.source,
        "accuracy": accuracy,
        "confidence": confidence,
        "agrees": int(len(verdicts) > 0 and bool((verdicts == "agrees").all())),
    }
    return data


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
