"""The proofs about power run, give results known by hand, agree with the laws of the package, and can fail."""

import heapq
import math
import random

import pytest
import sympy as sp

from derivations import power as proofs
from longfat.laws import power as laws


def in_letters(expression):
    return expression.subs({symbol: sp.Symbol(symbol.name.lstrip("\\")) for symbol in expression.free_symbols})


@pytest.mark.parametrize(
    ("law", "proved"),
    [
        (laws.network_power, proofs.network_power),
        (laws.little_mean_number, proofs.little),
        (laws.relative_power, proofs.relative_power),
        (laws.knee_load, proofs.knee),
        (laws.knee_number, proofs.knee_number),
        (laws.power_ceiling, proofs.power_ceiling),
        (laws.first_come_ceiling, proofs.first_come_ceiling),
        (laws.greatest_power, proofs.greatest_power),
        (laws.power_ceiling_exponent, proofs.ceiling_growth),
    ],
    ids=lambda side: getattr(side, "name", ""),
)
def test_shipped_is_proved(law, proved):
    names = {symbol: sp.Symbol(symbol.name, positive=True) for symbol in in_letters(law.expr).free_symbols}
    shipped, proof = (
        in_letters(side).subs({sp.Symbol(s.name): s for s in names.values()}) for side in (law.expr, proved())
    )
    assert shipped.free_symbols == proof.free_symbols
    # Roots of fractions are one and the same to a few digits at several points, to all digits after squaring apart.
    for shift in (1, 7):
        at = {symbol: sp.Rational(shift + k, 8 + k) for k, symbol in enumerate(sorted(shipped.free_symbols, key=str))}
        assert abs((shipped - proof).subs(at).evalf(50)) < sp.Float(10) ** -45
    assert sp.simplify(sp.powdenest(sp.together(shipped - proof), force=True)) == 0


def test_by_hand():
    at = {proofs.C: 10, proofs.F: 1}
    assert proofs.greatest().subs(at | {proofs.h: 1, proofs.D: sp.Rational(3, 10)}) == sp.Rational(100, 9)
    assert proofs.refusing().subs(at | {proofs.rho: 1, proofs.D: 0}) == 50  # half the time busy, S = 1/10
    half = sp.Rational(1, 2)
    assert sp.simplify(proofs.unequal_sharing().subs(proofs.rho, half) - (1 + sp.log(2))) == 0


def test_fairness():
    """f = 1/(1 + c^2); 1 - f is a sum of squares (Lagrange's identity), and f n - 1 of products: 1/n <= f <= 1."""
    x = sp.symbols("x:4", positive=True)
    index = laws.jain_index(x)
    squares = sum(v**2 for v in x)
    apart = sum((a - b) ** 2 for i, a in enumerate(x) for b in x[:i])
    assert sp.simplify(1 - index - apart / (4 * squares)) == 0
    products = sum(2 * a * b for i, a in enumerate(x) for b in x[:i])
    assert sp.simplify(4 * index - 1 - products / squares) == 0
    mean = sum(x) / 4
    assert sp.simplify(index - 1 / (1 + (squares / 4 - mean**2) / mean**2)) == 0


def weighted_sharing(weights, load, files, seed):
    """Simulate the mean response time of equal files of size 1 that share a link by random weights.

    All files of a class are served equally, so each class has its own clock of service per file, and a heap of
    completions.
    """
    draw = random.Random(seed)
    clocks, ends = [0.0] * len(weights), [[] for _ in weights]
    now, total, done, coming = 0.0, 0.0, 0, draw.expovariate(load)
    while done < files:
        share = sum(w * len(queue) for w, queue in zip(weights, ends, strict=True))
        least, which = coming - now, None
        for k, queue in enumerate(ends):
            if queue and (queue[0][0] - clocks[k]) * share / weights[k] < least:
                least, which = (queue[0][0] - clocks[k]) * share / weights[k], k
        now += least
        if share:
            clocks = [clock + least * w / share for clock, w in zip(clocks, weights, strict=True)]
        if which is None:
            k = draw.randrange(len(weights))
            heapq.heappush(ends[k], (clocks[k] + 1.0, now))
            coming = now + draw.expovariate(load)
        else:
            total += now - heapq.heappop(ends[which])[1]
            done += 1
    return total / files


def largest_weight_first(load, files, seed):
    """Simulate the mean response time of equal files of size 1 if the one with the largest random weight gets all."""
    draw = random.Random(seed)
    now, total, done, present, coming = 0.0, 0.0, 0, [], draw.expovariate(load)
    while done < files:
        if present and now + present[0][1] <= coming:
            _, left, came = heapq.heappop(present)
            now += left
            total += now - came
            done += 1
            continue
        if present:
            present[0][1] -= coming - now
        now = coming
        heapq.heappush(present, [-draw.random(), 1.0, now])
        coming = now + draw.expovariate(load)
    return total / files


def test_unequal_sharing_passes_the_fair_ceiling():
    """Load 1/2, no propagation: equal shares take 2 S, two weights of 1 and 10^6 about 1.91 S.

    Weights that differ more and more tend to 1 + ln 2 = 1.69 S. Deviations of such means are below 0.015.
    """
    equal, two = (weighted_sharing(weights, 0.5, 60_000, 3) for weights in ([1.0, 1.0], [1.0, 1e6]))
    many = largest_weight_first(0.5, 100_000, 3)
    assert equal == pytest.approx(2.0, abs=0.05)
    assert two < 1.95
    assert many == pytest.approx(1 + math.log(2), abs=0.04)
    fair = laws.power_ceiling(1.0, 1.0, 0.0)
    assert fair < laws.network_power(0.5, two) < laws.network_power(0.5, many)
    assert laws.network_power(0.5, many) < laws.first_come_ceiling(1.0, 1.0, 0.0)


def test_the_proofs_can_fail(monkeypatch):
    monkeypatch.setattr(proofs, "odds", lambda: proofs.alpha * (1 + proofs.delta) / proofs.h)
    with pytest.raises(AssertionError, match="M/D/1"):
        proofs.knee()
    monkeypatch.setattr(proofs, "schedules", lambda arrived, sizes, slots: iter([[1, 2, 3]] * 9))
    with pytest.raises(AssertionError, match="n-th completion"):
        proofs.first_come_is_best()
    monkeypatch.setattr(proofs, "waiting", lambda: proofs.rho / (1 - proofs.rho))
    with pytest.raises(AssertionError, match="W_q"):
        proofs.relative_power.__wrapped__()
