"""Comparison of a law with a simulator as an equivalence test with a confidence."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from longfat.domains import conflict, number, out_of_range
from longfat.law import Law

if TYPE_CHECKING:
    import xarray as xr

Estimator = Callable[..., tuple[float, float, float]]


def check(
    law: Law,
    estimator: Estimator,
    points: Iterable[Mapping[str, Any]],
    *,
    confidence: float = 0.95,
    accuracy: float | None = None,
) -> xr.Dataset:
    """Compare a law with a simulator at some points, within the law's accuracy and validity.

    Parameters
    ----------
    law : Law
        The law.
    estimator : callable
        Simulator, called with a point's parameters by name and ``confidence=``, and with the law's defaults for
        parameters that the point leaves out, if it accepts them. Returns estimate, lower and upper limit.
    points : iterable of mapping
        The law's parameters at each point; those with a default may be left out.
    confidence : float
        Confidence of all verdicts together [probability], in (0, 1). Each of n intervals has the confidence
        1 - (1 - confidence) / n.
    accuracy : float, optional
        Largest deviation allowed [the law's unit]; by default the accuracy in the law's record.

    Returns
    -------
    xarray.Dataset
        Along ``point``: the parameters, ``law``, ``estimate``, ``lower``, ``upper``, ``valid`` and ``verdict``:
        "agrees" (the interval lies within the accuracy of the law), "differs" (it lies entirely
        outside), "undecided" (it contains the limit: simulate longer), "not valid" (the point is outside the law's
        validity). ``attrs["agrees"]`` is 1 if all valid points agree and there is at least one.

    Raises
    ------
    ValueError
        If neither the law nor the caller states an accuracy, or there are no points.
    TypeError
        If a point has other parameters than the law.

    Examples
    --------
    >>> from longfat.laws.selective_repeat import initial_window
    >>> table = check(initial_window, lambda ack_segments, confidence: (3.1, 3.0, 3.2),
    ...               [{"ack_segments": 2.0}], accuracy=0.25)
    >>> str(table.verdict.values[0])
    'agrees'
    """
    import xarray as xr

    confidence = number("confidence", confidence, "probability", "(0, 1)")
    if accuracy is None:
        if law.validity is None:
            raise conflict(f"law {law.name}", "needs an accuracy in (0, inf)", "it states none")
        accuracy = law.validity.accuracy
    accuracy = number("accuracy", accuracy, law.unit, "(0, inf)")
    points = list(points)
    if not points:
        raise out_of_range("points", "[]", "1", "one point or more")
    each = 1 - (1 - confidence) / len(points)
    rows = [_judge(law, estimator, point, each, accuracy) for point in points]
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


def _judge(
    law: Law, estimator: Estimator, point: Mapping[str, Any], confidence: float, accuracy: float
) -> dict[str, Any]:
    every = law.bind(**point)  # with defaults
    value = law(**every)
    estimate, lower, upper = estimator(**_taken(estimator, every, point), confidence=confidence)
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        raise ValueError(f"the estimator gave no interval at {dict(point)}: {lower} to {upper}")
    valid = law.validity is None or bool(law.validity(**every))
    if not valid:
        verdict = "not valid"
    elif value - accuracy <= lower and upper <= value + accuracy:
        verdict = "agrees"
    elif upper < value - accuracy or lower > value + accuracy:
        verdict = "differs"
    else:
        verdict = "undecided"
    return {
        **every,
        "law": value,
        "estimate": estimate,
        "lower": lower,
        "upper": upper,
        "valid": valid,
        "verdict": verdict,
    }


def _taken(estimator: Estimator, every: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that the point gives and those defaults of the law that the estimator accepts."""
    taken = inspect.signature(estimator).parameters
    any_name = any(one.kind is one.VAR_KEYWORD for one in taken.values())
    return {name: value for name, value in every.items() if name in point or any_name or name in taken}
