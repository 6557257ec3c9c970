"""`run` of several networks: the results of each network alone, in one dataset; and objects kept from run to run."""

import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import xarray as xr

from longfat.sim import Discipline, Network, Scheme, SchemeError, Service, Simulation, run, schemes
from longfat.sim.network import traffic
from longfat.sim.runs import assemble, engine, results
from longfat.sim.runs import run as module
from tests.sim.lab import one_link

QUIET = {"rng": 1, "progress": False}


def path(buffer, scheme="reno", **flow):
    net = Network(f"buffer of {buffer}").link("a", "b", rate="2 Mbit/s", delay="20 ms", buffer=buffer, duplex=True)
    return net.flow(scheme, path=["a", "b"], **flow)


def random(rate):
    return one_link(traffic.poisson(rate), rate="1 Mbit/s", loss=0.01, name="poisson")


def steady():
    return one_link(traffic.constant(5e4), rate="1 Mbit/s")


def child(k, count, seed=1):
    return np.random.default_rng(seed).spawn(count)[k]


@pytest.mark.parametrize("options", [{}, {"replications": 3, "warm_up": 0.5}])
def test_each_result_is_that_of_the_network_alone(options):
    check_each([path(5), random(8e4), path(50, "cubic")], options)


def test_networks_in_one_call_of_a_thread_are_told_apart(monkeypatch):
    monkeypatch.setattr(module, "CALLS", 1)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 1)
    check_each([random(8e4), random(5e4), random(2e4)], {"replications": 2}, duration=1)


def test_packet_counts_are_those_of_all_replications():
    data = run(random(8e4), duration=1, replications=3, **QUIET)
    assert data.attrs["packets_sent"] == pytest.approx(3 * float(data.sent.sum()), rel=1e-12)


def check_each(nets, options, duration=3):
    together = run(nets, duration=duration, **options, **QUIET)
    assert together.sizes["network"] == len(nets)
    for k, net in enumerate(nets):
        alone = run(net, duration=duration, **options, rng=child(k, 3), progress=False)
        one = together.isel(network=k)
        assert together.attrs["entropy"] == "1"
        for name, variable in alone.data_vars.items():
            names = {dim: alone[dim] for dim in variable.dims}
            xr.testing.assert_identical(one[name].sel(names).reset_coords(drop=True), variable)
        for name in set(results.OF_NETWORKS) - {"network", "remark", "wall_time"}:
            assert one[name].item() == alone.attrs[name], name
        assert one.scenario.item() == alone.attrs["network"] == net.to_toml()
    return together


def test_variables_that_a_network_lacks_are_nan():
    data = run([path(5), random(8e4)], duration=1, **QUIET)
    assert np.isnan(data.goodput.values).tolist() == [[False, True], [True, False]]
    assert data.flow.values.tolist() == ["reno-1", "poisson"]
    assert np.isnan(data.utilisation.values).tolist() == [[False, False], [False, True]]
    assert data.deterministic.values.tolist() == [1, 0]


def test_units_and_files(tmp_path):
    data = run([path(5), path(20)], duration=1, replications=2, **QUIET)
    for name, variable in data.variables.items():
        assert name in ("flow", "link", "network") or {"units", "long_name"} <= set(variable.attrs), name
    assert data.attrs["made_by"] == "longfat.sim.run"
    assert data.replications.values.tolist() == [1, 1]
    assert data.attrs["replications_asked"] == 2
    data.to_netcdf(tmp_path / "several.nc")
    with xr.open_dataset(tmp_path / "several.nc") as read:
        assert read.scenario.values.tolist() == [path(5).to_toml(), path(20).to_toml()]


def test_many_more_than_threads_in_order():
    buffers = [3 + k % 40 for k in range(100)]
    data = run([path(buffer, file="30 kB") for buffer in buffers], **QUIET)
    first = {buffer: float(data.transfer_time[k, 0]) for k, buffer in enumerate(buffers[:40])}
    assert data.transfer_time[:, 0].values.tolist() == [first[buffer] for buffer in buffers]
    assert len(set(first.values())) > 1


def raising(flow, event):
    return 1 / (flow.acks_received - flow.acks_received)


def test_errors_of_a_run_name_the_place():
    message = r"^net\[3\]: scheme 'mine', ack, flow 'mine-1' at .* s: ZeroDivisionError"
    with pytest.raises(SchemeError, match=message):
        run([path(5)] * 3 + [path(5, Scheme("mine", ack=raising))], duration=3, **QUIET)


def test_the_dataset_is_that_of_the_constructor():
    """`Dataset._construct_direct` checks nothing: compare it with the constructor, which does."""
    data = run(path(5), duration=1, replications=2, **QUIET)
    variables = {name: (one.dims, one.values, one.attrs) for name, one in data.data_vars.items()}
    made = xr.Dataset(variables, {"flow": ["reno-1"], "link": ["a-b", "b-a"]}, data.attrs)
    xr.testing.assert_identical(data, made)
    assert data.sel(link="b-a").goodput.dims == ("flow",)
    assert data.indexes.keys() == made.indexes.keys()
    data.flow.attrs["units"] = "mine"  # is no other run's
    assert run(path(5), duration=1, **QUIET).flow.attrs == {}


def test_another_version_of_xarray(monkeypatch):
    data, construct = run(path(5), duration=1, **QUIET), xr.Dataset._construct_direct

    def other(*arguments, **named):
        if len(arguments) > 2:
            raise TypeError("takes 2 positional arguments")
        return construct(*arguments, **named)

    monkeypatch.setattr(xr.Dataset, "_construct_direct", other)
    again = run(path(5), duration=1, **QUIET)
    xr.testing.assert_equal(again, data)
    assert again.attrs.keys() == data.attrs.keys()


def gain(flow, event):
    return flow.window + flow.gain


def windows(scheme):
    return run(path(9, scheme), duration=2, **QUIET).sent.item()


def test_code_is_kept_for_equal_functions_and_fields_only():
    """One compilation for all values of a parameter, and another for a state of the parameter's name."""
    scheme = Scheme("kept", ack=gain, parameters={"gain": 0.5})
    engine._compiled.cache_clear()
    few, many = windows(scheme(gain=0.01)), windows(scheme(gain=0.5))
    assert few < many
    assert engine._compiled.cache_info().misses == 1
    assert windows(Scheme("kept", ack=gain, state={"gain": 0.01})) == few
    assert windows(Scheme("kept", ack=gain, parameters={"gain": 0.5}, state={"other": 1})) == many
    assert engine._compiled.cache_info().misses == 3


def pop(link, now):
    return 0


def push(link, packet, now):
    return 0


def shown(**state):
    """Return a service with a state variable of queues, which disciplines may set if it is `settable`."""
    return {"service": Service("shown", push, pop, queue_state={"x": 0}, **state)}


SCHEME, SERVICE = {"name": "kept", "ack": gain}, {"name": "kept", "enqueue": push, "dequeue": pop}
LATE = {"reply": gain, "receive": gain, "recovery": "own"}


@pytest.mark.parametrize(
    ("kind", "given", "other"),
    [
        (Scheme, SCHEME, {"name": "other"}),
        (Scheme, SCHEME, {"ack": lambda flow, event: flow.window}),
        (Scheme, SCHEME, {"controls": "rate"}),
        (Scheme, SCHEME | LATE | {"state": {"x": 0}}, {"state": {}, "receiver_state": {"x": 0}}),
        (schemes.scheme("bbr1"), {"allowances": 0}, {"allowances": 1}),
        (Service, SERVICE, {"queue_state": {"x": 0}}),
        (Discipline, {"name": "kept"}, {"flow_state": {"x": 0}}),
        (Discipline, {"name": "kept"} | shown(), shown(settable=("x",))),
        (Discipline, {"name": "kept"} | shown(), shown(state={"y": 0})),
    ],
)
def test_code_is_not_that_of_a_plug_in_with_one_difference(kind, given, other):
    assert kind(**given).code == kind(**given).code != kind(**given | other).code


def test_threads_that_need_the_same_code_load_it_once(monkeypatch):
    loaded = []

    def slow(plug_in):
        loaded.append(plug_in.name)
        time.sleep(0.1)  # so that the other thread asks before the code is loaded
        return compiled(plug_in)

    compiled = Scheme.compiled
    monkeypatch.setattr(Scheme, "compiled", slow)
    engine._compiled.cache_clear()
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(Simulation.prepare, [Simulation(path(9), rng=k) for k in range(2)]))
    assert loaded == ["reno"]


def test_rows_are_kept_for_equal_options_only():
    """Values of a scheme, sizes and rates of other networks do not show."""
    cubic = schemes.scheme("cubic")
    first = [
        run(path(9, cubic(beta=beta), packet=size), duration=3, **QUIET) for beta, size in [(0.5, 500), (0.9, 900)]
    ]
    assemble._flow.cache_clear()
    assemble._link.cache_clear()
    for before, (beta, size) in zip(reversed(first), [(0.9, 900), (0.5, 500)], strict=True):
        after = run(path(9, cubic(beta=beta), packet=size), duration=3, **QUIET)
        xr.testing.assert_equal(before, after)
        assert math.isfinite(after.goodput.item())
    assert first[0].goodput.item() != first[1].goodput.item()
