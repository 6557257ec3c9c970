"""The fluid models in JavaScript against the NumPy method of `longfat.fluid.integrate`, in node."""

import numpy as np
import pytest

from longfat.fluid import integrate
from longfat.handbook import dynamics
from tests.handbook import engine
from tests.handbook.engine import needs_node

STEPS = 40
STEP = {"dctcp": 2e-4}  # s, of flows; no delay is shorter. Others: 0.02 s
SYSTEMS = dynamics.systems(flows=3)
RUN = """
const { systems, path } = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(given.module));
show(given.systems.map((one) => path(systems[one.name], one.start, one.steps, one.step, one.parameters)));
"""
#: Starts away from rest, and delays and weights that differ.
POINTS = {
    "bbr": ([0.2, 0.5, 0.6, 0.05], {"round_trip_time": [0.1, 0.07, 0.2]}),
    "cadpc": ([0.01, 0.05, 0.2], {"weight": [1.0, 2.0, 0.5], "delay": 3, "carry": 0.25}),
    "cadpc_flow": ([0.01, 0.05, 0.2], {"interval": [0.4, 0.8, 1.2]}),
    "capc": ([0.05], {"demand": [0.1, 1.0, 0.5], "delay": 2}),
    "cubic": ([40.0, 1.0, 300.0], {}),
    "dctcp": ([20.0, 0.3, 50.0], {}),
    "tcp_pie": ([10.0, 100.0, 0.02], {}),
    "tcp_red": ([5.0, 80.0, 60.0], {}),
    "xcp": ([0.1, 0.5, 0.7, 0.02], {"round_trip_time": 0.15}),
}


def paths(module, names):
    """Return the path of each system by JavaScript."""
    given = [
        {"name": name, "start": start, "steps": STEPS, "step": STEP.get(name, 0.02), "parameters": parameters}
        for name, (start, parameters) in ((name, POINTS[name]) for name in names)
    ]
    found = engine.run(RUN, {"module": module, "systems": given})
    return dict(zip(names, map(np.array, found), strict=True))


def in_python(name):
    system, (start, parameters) = SYSTEMS[name], POINTS[name]
    begin = {variable: np.array(start)[place] for variable, place in system.slices.items()}
    begin = {variable: x if system.variables[variable].axis else x[0] for variable, x in begin.items()}
    h = STEP.get(name, 0.02)
    step, duration = ({}, STEPS) if system.kind == "map" else ({"step": h}, STEPS * h)
    run = integrate(system, duration, begin, method="numpy", **step, **parameters)
    columns = [np.asarray(run[variable]).reshape(STEPS + 1, -1) for variable in system.variables]
    return np.concatenate(columns, axis=1)


@needs_node
def test_paths_agree_with_python():
    found = paths(dynamics.module(SYSTEMS), list(SYSTEMS))
    assert len(found) == 9
    for name, states in found.items():
        expected = in_python(name)
        assert np.ptp(expected, axis=0).min() > 0, f"{name} does not move"
        np.testing.assert_allclose(states, expected, rtol=1e-10, atol=1e-13, err_msg=name)


@needs_node
def test_the_comparison_finds_another_interpolation():
    right = dynamics.module(SYSTEMS)
    wrong = right.replace("step * theta * m0[k]", "step * theta * m1[k]")
    assert wrong != right
    states = paths(wrong, ["tcp_red"])["tcp_red"]
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(states, in_python("tcp_red"), rtol=1e-10, atol=1e-13)


def test_the_module_is_written_the_same_every_time():
    assert dynamics.module() == dynamics.module()
    assert len(dynamics.module()) < 20_000  # bytes
