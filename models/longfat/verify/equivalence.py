"""Comparison of a law with a simulator at several points, with one confidence for all verdicts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from longfat.base.domains import conflict, integer, number, out_of_range
from longfat.law import Law
from longfat.testing import compare
from longfat.testing.seeded_runs import seed_of

if TYPE_CHECKING:
    import xarray as xr

#: Most replications at a point. Ours: a standard deviation of six times the accuracy is then small enough.
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
    """Compare a law with a simulator at some points, within the law's accuracy and validity.

    Parameters
    ----------
    law : Law
        The law.
    simulator : callable
        One replication, as `longfat.testing.compare` takes it: called with a seed and a point's parameters by name, and
        with the law's defaults for parameters that the point leaves out, if it accepts them.
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
    accuracy = number("accuracy", accuracy_of(law) if accuracy is None else accuracy, law.unit, "(0, inf)")
    rng = integer("rng", rng, "1", "[0, inf)")
    points = list(points)
    if not points:
        raise out_of_range("points", "[]", "1", "one point or more")
    power = 1 - (1 - confidence) / len(points)
    rows = []
    for place, point in enumerate(points):
        every = law.bind(**point)  # with defaults
        taken = _taken(simulator, every, point)
        row = _compared(float(law(**every)), simulator, taken, accuracy, power, budget, seed_of(rng, place))
        row["valid"] = law.validity is None or bool(law.validity(**every))
        row["verdict"] = row["verdict"] if row["valid"] else "not valid"
        rows.append({**every, **row})
    data = xr.Dataset({name: ("point", [row[name] for row in rows]) for name in rows[0]})
    for name, symbol in law.symbols.items():
        data[name].attrs["units"] = symbol.unit
    for name in ("law", "estimate", "lower", "upper"):
        data[name].attrs["units"] = law.unit
    valid = data.verdict.values[data.valid.values]
    data.attrs = {
        "law": law.public_name,
        "source": law.source,
        "accuracy": accuracy,
        "confidence": confidence,
        "agrees": int(len(valid) > 0 and bool((valid == "agrees").all())),
    }
    return data


def accuracy_of(law: Law) -> float:
    """Return the accuracy in a law's record.

    >>> from longfat.laws.selective_repeat import throughput_efficiency
    >>> accuracy_of(throughput_efficiency)
    0.03
    """
    if law.validity is None:
        raise conflict(f"law {law.name}", "needs an accuracy in (0, inf)", "it states none")
    return law.validity.accuracy


def _compared(
    value: float, simulator: Callable[..., Any], point: Mapping[str, Any], accuracy: float, power: float, budget: int,
    seed: int,
) -> dict[str, Any]:  # fmt: skip
    found = compare(
        lambda **_: value, simulator, point, within=accuracy, alpha=1 - power, power=power, power_at=1, budget=budget,
        rng=seed,
    )  # fmt: skip
    low, high = found.interval
    return {
        "law": value, "estimate": found.estimate, "lower": low, "upper": high, "replications": found.replications,
        "verdict": found.verdict,
    }  # fmt: skip


def _taken(simulator: Callable[..., Any], every: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that the point gives and those defaults of the law that the simulator accepts."""
    taken = inspect.signature(simulator).parameters
    any_name = any(one.kind is one.VAR_KEYWORD for one in taken.values())
    return {name: value for name, value in every.items() if name in point or any_name or name in taken}
