"""Arguments of fluid models that are refused by name."""

import numpy as np
import pytest
import xarray as xr

from longfat.fluid import (
    Quantity,
    System,
    cadpc,
    cadpc_flow,
    integrate,
)

#: Arguments of `integrate` with CADPC, and a part of the sentence of refusal.
REFUSED = [
    ({"smoothing": 4.0}, r"^smoothing = 4 is out of range: must be in \(0, 3\]"),
    ({"delay": 0.5}, r"^delay = 0\.5 updates is out of range: must be an integer in \[0, 100000\]"),
    ({"weight": [1, 2]}, r"^weight has shape \(2,\): must be one value or an array of length 3 along 'flow'"),
    ({"speed": 1}, "^parameter of CADPC 'speed' is unknown; available: capacity, carry"),
    ({"start": {"window": 1}}, "^start: variable of CADPC 'window' is unknown; available: rate"),
    ({"start": {"rate": -1.0}}, r"^start_rate = -1 .*\[0, inf\)"),
    ({"duration": 2.5}, r"^duration = 2.5 updates"),
    ({"step": 0.1}, r"^step = 0\.1 needs continuous time: a map counts updates"),
    ({"every": 0}, r"^every = 0 steps .*\[1, 3\]"),
    ({"method": "guess"}, "^method 'guess' is unknown; available: jax, numpy"),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_bad_values_are_named(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        integrate(cadpc(3), **({"duration": 3} | change))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: integrate(cadpc_flow(2), 3), r"^continuous time needs step: give step \[s\]"),
        (lambda: integrate(cadpc_flow(2, delayed=True), 1.01, step=0.101, delay=0.1, method="numpy"),
         r"^step = 0\.101 s is out of range: must be in \(0, 0\.1\] s, up to the smallest "),
        (lambda: System("x", "other", lambda *_: 0, {}, {"a": Quantity("1", "(0, 1)", 0.5)}),
         "kind 'other' is unknown; available: flow, map"),
        (lambda: integrate("cadpc", 3), r"^system must be a System, such as .*, got the string 'cadpc'$"),
        (lambda: integrate(cadpc(3), 3, smoothing=[]), r"^smoothing has shape \(0,\): must be one value or more$"),
        (lambda: integrate(cadpc(3), 3, smoothing=xr.DataArray(0.5, attrs={"units": "ms"})),
         "^units = 'ms' of smoothing must be '1': arrays are not converted$"),
        (lambda: integrate(cadpc(3), 3, smoothing=True), "^smoothing must be a number or an array of .*, got the bool"),
        (lambda: integrate(cadpc(3), 3, smoothing=np.ma.array([1.0, 0.5], mask=[0, 1])), "^smoothing = nan is out of"),
        (lambda: cadpc(3, periods=[1, 2]), "flows = 3 needs 3 periods and 3 phases: got 2 and 3$"),
        (lambda: cadpc(3, periods=[]), "flows = 3 needs 3 periods and 3 phases: got 0 and 3$"),
        (lambda: cadpc(3, phases=[0, 0, 0, 0]), "flows = 3 needs 3 periods and 3 phases: got 3 and 4$"),
        (lambda: cadpc(3, phases=[0, 0, 1]), "must be"),
        (lambda: cadpc(3, routes=[[1, 1, 0]]), "must be"),
        (lambda: cadpc(3, floor=1.0), "must be"),
    ],
)  # fmt: skip
def test_bad_steps_and_systems_are_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
