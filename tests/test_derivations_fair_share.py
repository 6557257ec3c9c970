"""The proofs of max-min fair shares run, agree with the functions of the package, and can fail."""

from fractions import Fraction

import pytest
import sympy as sp

from derivations import fair_share as proofs
from longfat.laws.fair_share import Flow, Network, transfer_times
from tests.laws import kkm


def fraction(value):
    value = sp.Rational(value)
    return Fraction(int(value.p), int(value.q))


def shipped(usage, capacity, weight):
    """Return the rates of the package, in fractions."""
    table = [[fraction(share) for share in row] for row in usage]
    return kkm.exact_rates(table, [fraction(c) for c in capacity], [fraction(w) for w in weight])


def test_networks():
    for case, rates in zip(proofs.SHAPES, proofs.networks(), strict=True):
        assert shipped(*case) == [fraction(rate) for rate in rates]


@pytest.mark.parametrize(("first", "second"), [(1, 1), (4, 2), (9, 1)])
def test_parking_lots(first, second):
    expected = proofs.parking_lot()
    at = {proofs.m_1: first, proofs.m_2: second, proofs.C: 7}
    usage = [[1] + [1] * first + [0] * second, [1] + [0] * first + [1] * second]
    rates = shipped(usage, [7, 7], [1] * (1 + first + second))
    assert rates[0] == fraction(expected.long.subs(at))
    assert set(rates[1 : 1 + first]) == {fraction(expected.crowded.subs(at))}
    assert set(rates[1 + first :]) == {fraction(expected.other.subs(at))}


def test_one_link_and_two():
    own, total = sp.symbols("w W", positive=True)
    shares = [fraction(proofs.single_link().subs({own: w, total: 10, proofs.C: 3})) for w in (1, 2, 3, 4)]
    assert shipped([[1, 1, 1, 1]], [3], [1, 2, 3, 4]) == shares
    at = {proofs.C: 3, sp.Symbol("d", nonnegative=True): 2}
    assert shipped([[1, 1, 0], [1, 0, 1]], [3, 5], [1, 1, 1]) == [
        fraction(x.subs(at)) for x in proofs.two_bottlenecks()
    ]


@pytest.mark.parametrize(("forward", "back"), [(1, 1), (3, 1), (5, 4)])
def test_two_ways(forward, back):
    ack = sp.Rational(2, 25)
    usage = [[1] * forward + [ack] * back, [ack] * forward + [1] * back]
    at = {proofs.n: forward, sp.Symbol("m", integer=True, positive=True): back, proofs.a: ack, proofs.C: 5}
    assert set(shipped(usage, [5, 5], [1] * (forward + back))) == {fraction(proofs.two_ways().subs(at))}


def test_sorted_and_equal_files():
    sizes = [3, 1, 4, 1, 5, 9, 2, 6]
    law, k = proofs.sorted_files(), sp.Symbol("k", integer=True, positive=True)
    size, before = sp.symbols("F_k S", positive=True)
    times = transfer_times(Network({"link": Fraction(7)}, [Flow("link", one) for one in sizes]))
    for place, i in enumerate(sorted(range(8), key=lambda i: sizes[i]), start=1):
        smaller = sum(sorted(sizes)[: place - 1])
        at = {size: sizes[i], before: smaller, k: place, proofs.n: 8, proofs.C: 7}
        assert times[i] == fraction(law.subs(at))
    together = transfer_times(Network({"link": Fraction(7)}, [Flow("link", 3)] * 5))
    expected = fraction(proofs.equal_files().subs({proofs.n: 5, proofs.F: 3, proofs.C: 7}))
    assert together.tolist() == [expected] * 5


def test_experiments():
    """The completion times of the primary files in the benchmark, exactly."""
    for key, finish in proofs.experiments().items():
        network = kkm.NETWORKS[key]()
        time = transfer_times(network)[0] - network.flows[0].round_trip_time
        assert 1000 * time == fraction(finish), key


def test_the_bottleneck_condition_refuses():
    usage, ones = [[1, 1, 0], [1, 0, 1]], [sp.Integer(1)] * 3
    capacity = [sp.Integer(2), sp.Integer(4)]
    assert proofs.has_bottlenecks(usage, capacity, ones, tuple(map(sp.Integer, (1, 1, 3))))
    for wrong in ((1, 1, 2), (1, 1, 4), (0, 2, 4), (2, 0, 2), (-1, 3, 5)):  # room left, too much, or not the largest
        assert not proofs.has_bottlenecks(usage, capacity, ones, tuple(map(sp.Integer, wrong)))
