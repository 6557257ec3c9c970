"""Intervals of counted losses: Garwood's table, and the definition by plain sums."""

from __future__ import annotations

import math

import pytest

from longfat.measured.counting import loss_interval, poisson_interval


@pytest.mark.parametrize(
    ("events", "low", "high"),
    [  # Garwood 1936, table 1, at 95 %; half the chi-square quantiles with 2 k and 2 k + 2 degrees of freedom
        (0, 0.0, 3.689),
        (1, 0.025, 5.572),
        (5, 1.623, 11.668),
        (10, 4.795, 18.390),
        (50, 37.111, 65.919),
    ],
)
def test_printed_values(events, low, high):
    assert poisson_interval(events) == pytest.approx((low, high), abs=5.1e-4)


@pytest.mark.parametrize("events", [1, 7, 100])
@pytest.mark.parametrize("confidence", [0.5, 0.99])
def test_the_tails_have_the_stated_probability(events, confidence):
    low, high = poisson_interval(events, confidence)
    pmf = [lambda m, k=k: math.exp(-m + k * math.log(m) - math.lgamma(k + 1)) for k in range(events + 1)]
    assert sum(p(high) for p in pmf) == pytest.approx((1 - confidence) / 2, rel=1e-9)
    assert 1 - sum(p(low) for p in pmf[:-1]) == pytest.approx((1 - confidence) / 2, rel=1e-9)


def test_many_events_are_normal():
    # Wilson and Hilferty's cube: (1 - 1/(9 k) - z/(3 sqrt k))^3 k, whose error is far below 1e-5 k at this k
    k, z = 10**6, 1.959963985
    cube = [n * (1 - 1 / (9 * n) + s * z / (3 * math.sqrt(n))) ** 3 for n, s in ((k, -1), (k + 1, 1))]
    assert poisson_interval(k) == pytest.approx(cube, rel=1e-8)


@pytest.mark.parametrize("k", [2 * 10**6, 5 * 10**9, 5 * 10**12])
def test_counters_of_a_link(k):
    """Sums of terms would take seconds, or have no end."""
    # Cornish and Fisher's expansion for a gamma variable of shape n, whose third cumulant over its variance is 2:
    # n + z sqrt(n) + (z^2 - 1)/3 + (z^3 - 7 z)/(36 sqrt(n)), and the next term is below 0.1/n
    z = 1.959963984540054
    ends = [
        n + s * z * math.sqrt(n) + (z**2 - 1) / 3 + s * (z**3 - 7 * z) / (36 * math.sqrt(n))
        for n, s in ((k, -1), (k + 1, 1))
    ]
    assert poisson_interval(k) == pytest.approx(ends, rel=1e-11)
    assert loss_interval(k, 2 * k) == pytest.approx([end / (2 * k) for end in ends], rel=1e-11)


def test_bursts_widen_the_interval():
    # 40 lost in 10 bursts of 4: Garwood's 4.795 to 18.390 events
    assert loss_interval(40, 1e4, 4.0) == pytest.approx((4 * 4.795 / 1e4, 4 * 18.390 / 1e4), rel=1e-3)
    assert loss_interval(1, 3)[1] == 1.0
