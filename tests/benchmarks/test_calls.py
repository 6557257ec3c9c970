"""Speed of laws, schedules, fluid paths and segments beside plain ways to compute the same.

Ways of one group are timed on the same work in the same run, so that pytest-benchmark's table has their ratios. What
they compute has to agree.
"""

import functools
from fractions import Fraction

import jax
import jax.numpy as jnp
import numba
import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp
from scipy.optimize import elementwise

from longfat.fluid import cadpc, cadpc_fairness, integrate
from longfat.laws.fair_share import Flow, Network, max_min_rates, transfer_times
from longfat.laws.loss_load import response_optimal_rate, throughput_optimal_rate
from longfat.laws.selective_repeat import throughput_efficiency
from longfat.segments.channel import IndependentLoss
from longfat.segments.replications import Rules, run_one

RNG = np.random.default_rng(0)
POINTS = 10**6


def ways_of(law, plain, arguments):
    """Return a law on many points: by plain NumPy or SciPy, as it is, and under jit."""
    traced, compiled = [jnp.asarray(x) for x in arguments], jax.jit(law)
    return {
        "plain": lambda: plain(*arguments),
        "law": lambda: law(*arguments),
        "law under jit": lambda: compiled(*traced).block_until_ready(),
    }


def efficiency(window, loss, packets, ack):
    g = -np.expm1(packets * np.log1p(-loss))
    in_flight = (2 * ack + 1 + loss) * g
    small = (1 + window * g) / (in_flight + (ack + 1) / window)
    middle = ((ack + np.minimum(window - ack, ack * (1 - loss))) * g + 1) / (in_flight + 1)
    return np.where(window <= ack + 1, small, np.where(window < 2 * ack + 1, middle, 1 - loss))


def efficiencies():
    window, ack = RNG.uniform(1, 60, POINTS), RNG.uniform(5, 30, POINTS)
    arguments = window, 10 ** RNG.uniform(-6, -1, POINTS), RNG.integers(1, 129, POINTS).astype(float), ack
    alone = np.where(np.arange(POINTS) < POINTS // 100, 1.0, window)
    one = {"law, 1 % with W = 1": lambda: throughput_efficiency(alone, *arguments[1:])}
    return ways_of(throughput_efficiency, efficiency, arguments) | one


def bracketed(excess, spread, k):
    """Return the optimal rates by Chandrupatla's method in ln f, with the law's bracket and equation."""
    top, ratio = (spread / k) ** (1 / (k + 1)), (k + 1) / k
    free = ratio * np.maximum(-excess, 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        above = np.where(excess > 0, np.minimum(top, (spread / ((k + 1) * excess)) ** (1 / k)), top)
    low = np.where(excess < 0, np.maximum(free, top), above * 0.5 ** (1 / k)) * 0.98
    high = np.where(excess < 0, free + top, above) * 1.02

    def equation(x, excess, log_spread, k):
        f = np.exp(x)
        return f + (k + 1) / k * excess - np.exp(log_spread - k * x)

    found = elementwise.find_root(equation, (np.log(low), np.log(high)), args=(excess, np.log(spread / k), k))
    assert found.success.all()
    return np.exp(found.x)


def optimal_rates():
    signed, large = RNG.uniform(-1, 1, POINTS), 10 ** RNG.uniform(-6, 6, POINTS)
    arguments = np.where(RNG.random(POINTS) < 0.5, signed, large), 10 ** RNG.uniform(-30, 6, POINTS)
    arguments = *arguments, RNG.uniform(1, 50, POINTS)
    transfer = 10 ** RNG.uniform(0, 9, POINTS), 10 ** RNG.uniform(-8, 1, POINTS), 10 ** RNG.uniform(0, 9, POINTS)
    response = {"law of the response time": lambda: response_optimal_rate(*arguments, *transfer)}
    return ways_of(throughput_optimal_rate, bracketed, arguments) | response


def one_link(files, kind=float):
    """Return files of exponential size at load 0.9; as fractions, with integer sizes and starts."""
    starts, sizes = np.cumsum(RNG.exponential(1 / 0.9, files)), RNG.exponential(1.0, files)
    if kind is Fraction:
        starts, sizes = np.round(8 * starts).astype(int), 1 + np.round(8 * sizes).astype(int)
    flows = [Flow("link", size.item(), start=start.item()) for size, start in zip(sizes, starts, strict=True)]
    return Network({"link": kind(1)}, flows)


def grid(files, links=20):
    """Return files that start together, each over three random links, with weights 1 and 2."""
    paths = [tuple(f"link-{i}" for i in RNG.choice(links, 3, replace=False)) for _ in range(files)]
    flows = [Flow(path, RNG.exponential(), weight=1 + i % 2) for i, path in enumerate(paths)]
    return Network({f"link-{i}": 1.0 for i in range(links)}, flows)


def schedules():
    """A file causes two events. On one link all form one group, else an event costs the filling of all links."""
    networks = {
        "20000 files on one link": one_link(20_000),
        "300 files on one link, fractions": one_link(300, Fraction),
        "200 paths over 20 links": grid(200),
    }
    routes = RNG.random((50, 1000)) < 0.1
    routes[0, ~routes.any(axis=0)] = True
    capacities = RNG.uniform(1, 2, 50)
    calls = {name: functools.partial(transfer_times, network) for name, network in networks.items()}
    return calls | {"rates of 1000 flows over 50 links": lambda: max_min_rates(routes, capacities)}


UPDATES, FLOWS, SMOOTHING = 1000, 100, 0.5


def numpy_loop(rates):
    """Return the final rates by a loop in NumPy over all updates, with the time of fairness that is not returned."""
    fair = np.full(len(rates), -1)
    for t in range(UPDATES + 1):
        traffic = rates.sum(axis=1)
        fair[(fair < 0) & (traffic**2 >= 0.99 * FLOWS * np.einsum("ij,ij->i", rates, rates))] = t
        if t < UPDATES:
            rates = rates * ((1 + SMOOTHING * (1 - traffic))[:, None] - SMOOTHING * rates)
    return rates


def fluid_paths():
    """1000 starts, log-uniform between 10^-4 of the fair rate and the fair rate; of SciPy's continuous form 20."""
    start = 10 ** RNG.uniform(-4, 0, (1000, FLOWS)) / (FLOWS + 1)
    case = {"rate": xr.DataArray(start, dims=("point", "flow"))}

    def rule(_, x):
        return SMOOTHING * x * (1 - x - x.sum())

    return {
        "NumPy in blocks of 200": lambda: np.concatenate([numpy_loop(start[i : i + 200]) for i in range(0, 1000, 200)]),
        "cadpc_fairness": lambda: cadpc_fairness(start, UPDATES, SMOOTHING).rate.values,
        "cadpc_fairness, one core": lambda: cadpc_fairness(start, UPDATES, SMOOTHING, threads=1).rate.values,
        "integrate on JAX": lambda: integrate(
            cadpc(FLOWS), UPDATES, case, every=UPDATES, smoothing=SMOOTHING
        ).rate.values[:, -1],
        "solve_ivp, a fiftieth of the points": lambda: (
            [solve_ivp(rule, (0, UPDATES), x, rtol=1e-6, atol=1e-9).y[:, -1] for x in start[:20]]
        ),
    }


@numba.njit(nogil=True)
def plain_loop(rng, damaged, segments):
    """Draw one random number per segment and compare it: the least work of a simulator without jumps."""
    time = 0
    for _ in range(segments):
        time += 16
        if rng.random() < damaged:
            time += 1
    return time


def segments(loss):
    """The same number of segments of 16 packets in each way; a buffer of w_a + 2 segments discards hardly any."""
    count = int(4e4 / loss / 16)
    stop = np.zeros(1, np.bool_)

    def run(window, *buffer):
        rules = Rules(window, 16, 369 / 16, *buffer)
        run_one(np.random.default_rng(1), IndependentLoss(loss), rules, 10 * window, count, stop)

    return {
        "plain loop": lambda: plain_loop(np.random.default_rng(1), 1 - (1 - loss) ** 16, count),
        **{f"W = {window}": functools.partial(run, window) for window in (10, 24, 58)},
        "W = 58, hard acknowledgment": lambda: run(58, 0, 25, "hard"),
        "W = 58, soft acknowledgment": lambda: run(58, 0, 25, "soft"),
    }


#: Groups: how their calls are made, the ways whose results agree with those of the first, and the tolerance.
GROUPS = {
    "throughput efficiency, 10^6 points": (efficiencies, ("law", "law under jit"), 1e-12),
    "optimal rate, 10^6 points": (optimal_rates, ("law", "law under jit"), 1e-11),
    "max-min fair": (schedules, (), 0),
    "10^8 updates of flows": (fluid_paths, ("cadpc_fairness", "cadpc_fairness, one core", "integrate on JAX"), 1e-9),
    **{f"segments, loss {loss:g}": (functools.partial(segments, loss), (), 0) for loss in (1e-2, 1e-3, 1e-5)},
}
CALLS = {group: make() for group, (make, _, _) in GROUPS.items()}


@functools.cache
def of_the_first(group):
    return next(iter(CALLS[group].values()))()


@pytest.mark.parametrize(("group", "way"), [(group, way) for group, ways in CALLS.items() for way in ways])
def test_speed(benchmark, group, way):
    _, same, tolerance = GROUPS[group]
    benchmark.group, call = group, CALLS[group][way]
    found = call()  # compiles
    if way in same:
        np.testing.assert_allclose(found, of_the_first(group), rtol=tolerance)
    benchmark.pedantic(call, rounds=3)
