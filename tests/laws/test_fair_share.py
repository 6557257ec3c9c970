"""Max-min fair shares: the benchmark's optimal times, the defining conditions, corner cases."""

import csv
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.laws import fair_share
from longfat.laws.fair_share import Flow, Load, Network, max_min_rates, transfer_times
from tests.examples import examples
from tests.laws import kkm
from tests.laws.kkm import exact_rates

DATA = Path(__file__).parents[1] / "data" / "kkm_optimal.csv"
ROWS = list(csv.DictReader(line for line in DATA.read_text().splitlines() if not line.startswith("#")))


# The benchmark


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: "-".join(filter(None, (row["experiment"], row["connection"], row["case"])))
)
def test_optimal_times_of_the_benchmark(row):
    times = transfer_times(kkm.NETWORKS[int(row["experiment"]), row["case"]]())
    time = 1000 * times[int(row["connection"]) - 1]
    assert isinstance(time, Fraction)
    assert abs(time - Fraction(row["expected"])) <= Fraction(1, 20)  # to 0.1 ms
    if row["printed"] and row["experiment"] != "7":  # which repeats experiment 1 there
        assert time == Fraction(row["printed"])


# The rates of an instant


def instants():
    """Strategy of usages, capacities and weights."""

    @st.composite
    def draw_one(draw):
        links, flows = draw(st.integers(1, 5)), draw(st.integers(1, 7))
        share = st.sampled_from([0, 0, 1, 1, Fraction(2, 25), Fraction(1, 2), 2])
        usage = [[draw(share) for _ in range(flows)] for _ in range(links)]
        for flow in range(flows):
            if not any(row[flow] for row in usage):
                usage[draw(st.integers(0, links - 1))][flow] = 1
        capacities = [draw(st.fractions(0, 10, max_denominator=8)) for _ in range(links)]
        weights = [draw(st.fractions(Fraction(1, 4), 4, max_denominator=4)) for _ in range(flows)]
        return usage, capacities, weights

    return draw_one()


def has_bottlenecks(usage, capacities, weights, rates):
    """Return whether rates are feasible and every flow has a full link on which none has more for its weight."""
    loads = [sum(a * x for a, x in zip(row, rates, strict=True)) for row in usage]
    if min(rates) < 0 or any(load > capacity for load, capacity in zip(loads, capacities, strict=True)):
        return False
    return all(
        any(
            row[i]
            and load == capacity
            and all(rates[i] * weights[j] >= x * weights[i] for j, x in enumerate(rates) if row[j])
            for row, load, capacity in zip(usage, loads, capacities, strict=True)
        )
        for i in range(len(rates))
    )


@examples(60)
@given(instants())
def test_every_flow_has_a_bottleneck(instant):
    rates = exact_rates(*instant)
    assert has_bottlenecks(*instant, rates)
    if max(rates) > 0:
        assert not has_bottlenecks(*instant, [x * Fraction(999, 1000) for x in rates])
    floats = [np.array(x, dtype=float) for x in instant]
    np.testing.assert_allclose(max_min_rates(*floats), np.array(rates, dtype=float), rtol=1e-12, atol=1e-13)


def test_kinds_of_numbers():
    assert max_min_rates([[1, 1]]).tolist() == [0.5, 0.5]
    assert max_min_rates([[True, True]], np.float32(3), [1, 2]).tolist() == [1.0, 2.0]
    assert max_min_rates(np.ones((1, 2), dtype=np.int8), Decimal("0.5"), Fraction(1, 2)).tolist() == [0.25, 0.25]


def test_rounding_does_not_depend_on_the_size_of_others():
    """Weights of 10^16 and 1 on one link: the capacity that one leaves goes to the other, to the last digits."""
    rates = max_min_rates([[1, 1, 0], [0, 1, 1]], [1.0, 1.0], [1e16, 1.0, 1.0])
    np.testing.assert_allclose(rates, [1, 1e-16, 1], rtol=1e-15)
    # Three flows fill both links; in floats 7 - 3 (7/3) is -9e-16, and a flow with 1e-20 of its bytes had -9e4 of it.
    np.testing.assert_allclose(max_min_rates([[1, 1, 1, 0], [1, 1, 1, 1e-20]], 7.0), [7 / 3] * 4, rtol=1e-15)


# The transfer times


def transfers(grid=1):
    """Strategy of networks of files with integers: starts and changes of loads at multiples of ``grid``/8 s."""

    @st.composite
    def draw_one(draw):
        names = ["a", "b", "c"][: draw(st.integers(1, 3))]
        paths = st.lists(st.sampled_from(names), min_size=1, unique=True)
        eighths = st.integers(0, 24).map(lambda i: Fraction(i, 8) * grid)
        flows = []
        for _ in range(draw(st.integers(1, 5))):
            ack = draw(st.sampled_from([0, 0, Fraction(2, 25), Fraction(1, 2)]))
            flow = Flow(
                tuple(draw(paths)),
                size=draw(st.integers(1, 12)),
                start=draw(eighths),
                weight=draw(st.sampled_from([1, 1, 1, 2, Fraction(1, 2)])),
                ack=ack,
                reverse_path=tuple(draw(paths)) if ack else (),
            )
            flows.append(flow)
        loads = []
        for _ in range(draw(st.integers(0, 2))):
            kind = draw(st.sampled_from(["always", "once", "again"]))
            first = draw(eighths)
            on = draw(st.integers(1, 8)) * Fraction(1, 8)
            times = {"always": (), "once": (first, first + on), "again": (first, first + on)}[kind]
            period = on + Fraction(1, 4) if kind == "again" else None
            loads.append(Load(tuple(draw(paths)), draw(st.integers(1, 3)), times=times, period=period))
        return Network({name: Fraction(draw(st.integers(4, 9))) for name in names}, flows, loads)

    return draw_one()


def load_at(network, link, time):
    """Return the rate of all loads on a link just after a time, from the definition."""
    total = 0
    for load in network.loads:
        on = not load.times
        if load.times:
            within = time - load.times[0]
            if load.period is not None and within >= 0:
                within -= (within // load.period) * load.period
            on = any(
                first <= within + load.times[0] < end
                for first, end in zip(load.times[::2], load.times[1::2], strict=True)
            )
        total += load.rate * on * load.path.count(link)
    return total


def in_steps(network, step=Fraction(1, 8), horizon=200):
    """Return transfer times by max-min fair rates that are computed anew at each step and when a file is complete."""
    left, found = [flow.size for flow in network.flows], [math.inf] * len(network.flows)
    links, known, now = list(network.links), {}, Fraction(0)
    while now < horizon and math.inf in found:
        there = tuple(i for i, flow in enumerate(network.flows) if flow.start <= now and found[i] == math.inf)
        room = tuple(max(network.links[link] - load_at(network, link, now), 0) for link in links)
        if there and (there, room) not in known:
            usage = [[network.flows[i].usage().get(link, 0) for i in there] for link in links]
            known[there, room] = exact_rates(usage, room, [network.flows[i].weight for i in there])
        rates = dict(zip(there, known[there, room], strict=True)) if there else {}
        event = min([now + step - now % step, *(now + left[i] / rate for i, rate in rates.items() if rate)])
        for i, rate in rates.items():
            left[i] -= rate * (event - now)
            if not left[i]:
                found[i] = event - network.flows[i].start
        now = event
    return found


@examples(60)
@given(transfers())
def test_files_at_fair_rates_in_small_steps(network):
    assert transfer_times(network).tolist() == in_steps(network)


# Corners


def test_files_of_no_size():
    flows = [Flow("a", 0, start=3, round_trip_time=2), Flow("a", Fraction(6))]
    assert transfer_times(Network({"a": 4}, flows)).tolist() == [2, Fraction(3, 2)]


def test_links_of_ones_own():
    """A flow that shares no link has the rate of its slowest link; events elsewhere do not affect it."""
    flows = [Flow(("a", "b"), 6), Flow("c", 1, start=Fraction(1, 2)), Flow("c", 1, start=Fraction(1, 2))]
    assert transfer_times(Network({"a": 3, "b": 2, "c": 1}, flows)).tolist() == [3, 2, 2]
    assert transfer_times(Network({"a": Fraction(4)}, [Flow(("a", "a"), 8)])).tolist() == [4]  # crossed twice


def test_loads_above_the_capacity():
    """Files get nothing while loads take 3 + 2 of 4; the next link has 4 - 3 left."""
    loads = [Load(("a", "b"), 3), Load("a", Fraction(2), times=(1, 5))]
    assert transfer_times(Network({"a": 4, "b": 4}, [Flow("a", 2), Flow("b", 2)], loads)).tolist() == [6, 2]
    assert transfer_times(Network({"a": 4}, [Flow("a", 5)], [Load("a", 5, times=(1,))])).tolist() == [math.inf]
    assert transfer_times(Network({"a": 4}, [Flow("a", 2)], [Load(("a", "a"), 1)])).tolist() == [1]  # crossed twice


def test_gaps_and_early_starts():
    """From -3; nothing from -1/2 to 1. The load has been on for ten periods before."""
    flows = [Flow("a", Fraction(3), start=-3), Flow("a", 2, start=1)]
    load = Load("a", 1, times=(-23, -22, Fraction(-43, 2), -21), period=2)
    # The load takes 1 of 2 in [-3, -2), [-1.5, 0), [0.5, 2), ...: 1, 2 x 0.5, and 1 from -1.5 to -0.5
    assert transfer_times(Network({"a": 2}, flows, [load])).tolist() == [Fraction(5, 2), Fraction(3, 2)]


def test_loads_that_never_end_elsewhere():
    """With a starved file, changes of a load that does not affect it are not counted."""
    loads = [Load("a", 9), Load("b", 1, times=(0, 1), period=Fraction(3, 2))]
    times = transfer_times(Network({"a": 2, "b": 2}, [Flow("a", 1), Flow("b", 2)], loads))
    assert times.tolist() == [math.inf, Fraction(3, 2)]  # 1 byte until 1, then 2 a second


def test_many_files_on_one_link():
    """Equal files start every second: with a service time of 1 s each is alone, with 2 s they share the link."""
    flows = [Flow("a", 3, start=i) for i in range(100)]
    assert transfer_times(Network({"a": 3.0}, flows)).tolist() == [1] * 100
    busy = transfer_times(Network({"a": 1.5}, flows)) + np.arange(100)
    assert busy.max() == 200  # 300 bytes at 1.5 a second


def test_small_files_after_a_large_one():
    """Earlier service of a link does not cost a later file any digits."""
    flows = [Flow("a", 2.0**60, start=-(2.0**60)), Flow("a", 1 / 3)]
    assert transfer_times(Network({"a": 1.0}, flows)).tolist() == [2.0**60, 1 / 3]


def test_records_are_pickled():
    network = Network({"a": 1e6}, [Flow("a", 1e6, round_trip_time=0.1), Flow(["a"], 10**6)])
    assert pickle.loads(pickle.dumps(network)) == network
    with pytest.raises(AttributeError):
        network.flows[0].size = 3


# Refusals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Flow("a", -1), r"^size = -1 bytes is out of range: must be in \[0, inf\) bytes$"),
        (lambda: Flow("a", "big"), r"^size must be a number \[bytes\], got the string 'big'"),
        (lambda: Flow("a", Fraction(10**400)), r"^size = 10*0 bytes is out of range"),
        (lambda: Flow("a", 1, start=math.inf), r"^start = inf s is out of range"),
        (lambda: Flow("a", 1, round_trip_time=-0.1), r"^round_trip_time = -0.1 s is out of range: .* \[0, inf\)"),
        (lambda: Flow("a", 1, weight=0), r"^weight = 0 is out of range: .* \(0, inf\)"),
        (lambda: Flow("a", 1, weight=Decimal("-0.5")), r"^weight = -1/2 is out of range"),
        (lambda: Flow("a", 1, ack=-1, reverse_path="b"), r"^ack = -1 is out of range"),
        (lambda: Flow("a", 1, ack=0.08), r"^ack = 0\.08 needs a reverse_path"),
        (lambda: Flow((), 1), r"^path = \(\) is out of range: must be one link or more"),
        (lambda: Flow(3, 1), "^path must be the name of a link or a sequence of names, got the int 3"),
        (lambda: Flow("a", math.inf), r"^size = inf bytes is out of range: must be in \[0, inf\) bytes$"),
        (lambda: Load("a", -1), r"^rate = -1 bytes/s is out of range"),
        (lambda: Load("a", 1, times=(1, 1)), r"^times\[1\] = 1 s is out of range: must be in \(1, inf\)"),
        (lambda: Load("a", 1, times=3), r"^times must be a sequence of times \[s\], got the int 3"),
        (lambda: Load("a", 1, times=(0, math.nan)), r"^times\[1\] = nan s is out of range"),
        (lambda: Load("a", 1, period=1), "^period = 1 s needs an even number of times, on and off in turn: got 0"),
        (
            lambda: Load("a", 1, times=(0, 2), period=1),
            r"^period = 1 s is out of range: must be in \[2, inf\)",
        ),
        (lambda: Network({"a": 0}, [Flow("a", 1)]), r"^links\['a'\] = 0 bytes/s is out of range: .* \(0, inf\)"),
        (lambda: Network([1], [Flow("a", 1)]), r"^links must be a mapping of names to capacities \[bytes/s\]"),
        (lambda: Network({"a": 1}, []), r"^flows = \(\) is out of range: must be one Flow or more"),
        (lambda: Network({"a": 1}, [3]), r"^flows\[0\] must be a Flow, got the int 3"),
        (lambda: Network({"a": 1}, Flow("b", 1)), r"^flows\[0\]\.path: link 'b' is unknown; available: a"),
        (
            lambda: Network({"a": 1}, [Flow("a", 1, reverse_path="c")]),
            r"^flows\[0\]\.reverse_path: link 'c' is unknown; available: a",
        ),
        (
            lambda: Network({"a": 1}, [Flow("a", 1)], [Load("b", 1)]),
            r"^loads\[0\]\.path: link 'b' is unknown; available: a",
        ),
        (lambda: transfer_times({"a": 1}), r"^network must be a Network, got the dict \{'a': 1\}"),
        (lambda: max_min_rates([1, 1]), r"^routes has shape \(2,\): must be \(links, flows\)"),
        (lambda: max_min_rates("all"), "^routes must be a number or an array of numbers, got the string 'all'"),
        (lambda: max_min_rates([[1, -2]]), r"^routes\[0, 1\] = -2 is out of range: must be in \[0, inf\)"),
        (lambda: max_min_rates([[1, 0]]), r"^routes\[:, 1\] = no link is out of range"),
        (lambda: max_min_rates([[1, None]]), "^routes must be a number or an array of numbers, got the list"),
        (lambda: max_min_rates([[1, 1]], -1), r"^capacities = -1 bytes/s is out of range"),
        (
            lambda: max_min_rates([[1, 1]], [1, 2]),
            r"^capacities has shape \(2,\): must be one value or an array of length 1",
        ),
        (lambda: max_min_rates([[1, 1]], 1, [1, 0]), r"^weights\[1\] = 0 is out of range: .* \(0, inf\)"),
        (lambda: max_min_rates([[1, 1]], 1, [1, Fraction(-1, 2)]), r"^weights\[1\] = -0.5 is out of range"),
    ],
)
def test_refusals(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_files_that_loads_never_let_through(monkeypatch):
    """Two alternating loads leave no capacity, for ever."""
    monkeypatch.setattr(fair_share, "PATIENCE", 50)
    loads = [Load("a", 1, times=(i, i + 1), period=2) for i in (0, 1)] + [Load("a", 1, times=(0, 1), period=3)]
    network = Network({"a": Fraction(1)}, [Flow("a", 1, start=5)], loads)
    with pytest.raises(ValueError, match=r"^loads must leave capacity to every file: none is served in 51 intervals"):
        transfer_times(network)
