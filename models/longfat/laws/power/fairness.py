"""Jain's fairness index, which is a function of a vector and so not a law of single numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from longfat.base.domains import Interval, array, out_of_range, wrong_type

ALLOWED = Interval.parse("[0, inf)")


def jain_index(throughputs: Any, axis: int = -1) -> Any:
    r"""Return Jain's fairness index of several throughputs.

    .. math:: f = \frac{\left(\sum_{i=1}^n \Theta_i\right)^2}{n \sum_{i=1}^n \Theta_i^2}

    Parameters
    ----------
    throughputs : array
        Theta_i [bytes/s], each in [0, inf) and at least one along the axis positive: a sequence (of symbols and
        mpmath numbers, too), or an array of any library that follows the array API, JAX's tracers among them.
    axis : int
        The axis along which the users are.

    Returns
    -------
    float or array
        f [1], without that axis: from 1/n, where one user has all, to 1, where all have the same. If k of n users
        have equal throughputs and the others none, it is k/n.

    Notes
    -----
    Exact, a definition: 1/(1 + c^2) with c the coefficient of variation. Throughputs are divided by the largest one
    first, so squares neither overflow nor vanish. NaN gives NaN; under tracing nothing is checked, and throughputs
    that are all 0 give NaN. The unit does not matter.

    Examples
    --------
    >>> jain_index([1.0, 1.0, 1.0, 0.0])
    0.75

    References
    ----------
    R. Jain, D.-M. Chiu and W. Hawe, "A Quantitative Measure of Fairness and Discrimination for Resource Allocation in
    Shared Computer Systems", DEC-TR-301, Digital Equipment Corporation, 1984.
    """
    plain = not hasattr(throughputs, "__array_namespace__")
    values = np.asarray(throughputs) if plain else throughputs
    if values.ndim == 0 or 0 in values.shape:
        raise out_of_range("throughputs", str(throughputs), "bytes/s", f"{ALLOWED}, for one user or more")
    if values.dtype == object:  # symbols, mpmath numbers, fractions: exact, so no scale is needed
        for value in values.flat:
            if not getattr(value, "free_symbols", None):
                _check_exact(value)
        if not np.all(np.any(values != 0, axis=axis)):
            raise _all_zero()
        return values.sum(axis=axis) ** 2 / (values.shape[axis] * (values * values).sum(axis=axis))
    xp = values.__array_namespace__()
    if not xp.isdtype(values.dtype, "real floating"):
        if not xp.isdtype(values.dtype, ("integral", "bool")):
            raise wrong_type("throughputs", throughputs, "an array of numbers", "bytes/s")
        values = xp.astype(values, xp.asarray(0.0).dtype)
    _check(values, axis)
    values = values / xp.where(_all(values == 0, axis, xp), xp.nan, xp.max(values, axis=axis, keepdims=True))
    total = xp.sum(values, axis=axis)
    index = total * total / (values.shape[axis] * xp.sum(values * values, axis=axis))
    return float(index) if plain and index.ndim == 0 else index


def _all(condition: Any, axis: int, xp: Any) -> Any:
    return xp.all(condition, axis=axis, keepdims=True)


def _all_zero() -> ValueError:
    return out_of_range("throughputs", "all 0", "bytes/s", f"{ALLOWED}, not all 0")


def _check_exact(value: Any) -> None:
    try:
        inside = bool(ALLOWED.contains(value)) or value != value
    except TypeError:
        inside = False
    if not inside:
        raise out_of_range("throughputs", str(value), "bytes/s", ALLOWED)


def _check(values: Any, axis: int) -> None:
    try:
        numbers = np.asarray(values, dtype=float)
    except TypeError:  # a tracer has no values
        return
    array("throughputs", numbers, "bytes/s", ALLOWED)
    if np.any(np.all(numbers == 0, axis=axis)):
        raise _all_zero()
