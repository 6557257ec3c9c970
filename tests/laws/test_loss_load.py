"""The loss-load laws: by hand, slopes against many digits, and rates of least response time against searches."""

import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from mpmath import mpf

from longfat.law.array_namespaces import NUMPY, JaxNamespace
from longfat.law.roots import newton
from longfat.laws import loss_load as laws
from longfat.laws.loss_load import optimum
from longfat.laws.loss_load.optimum import largest_throughput

SLOPES_OF_RESPONSE = jax.jit(jax.grad(lambda *x: jnp.sum(laws.response_optimal_rate(*x)), argnums=tuple(range(6))))

# The printed formulas in mpmath, the reference of all tests.


def printed_loss(f, a, b, k):
    return f**k * (f + a) / (f ** (k + 1) + b)


def exact_loss(f, a, b, k):
    return min(max(printed_loss(f, a, b, k), mpf(0)), mpf(1)) if f > -a else mpf(0)


def exact_response(f, a, b, k, packets, round_trip, capacity):
    loss = exact_loss(f, a, b, k)
    rounds = 1 - mpmath.log(packets) / mpmath.log(loss) if loss else 1
    return packets / ((1 - loss) * f * capacity) + rounds * round_trip


def wide_points(count, seed):
    """(a, b, k) over the whole range: a from -1 to 1e6, b down to 1e-30, k from 1 to 50."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 4, count)
    signed, large = rng.uniform(-1, 1, count), 10 ** rng.uniform(-6, 6, count)
    near_zero = rng.choice([-1.0, 1.0], count) * 10 ** rng.uniform(-15, -1, count)
    a = np.choose(kind, [signed, large, near_zero, np.round(signed)])
    b = 10 ** rng.uniform(-30, 6, count)
    k = np.where(rng.random(count) < 0.5, rng.integers(1, 51, count), rng.uniform(1, 50, count))
    return a, b, k


def transfers(count, seed):
    """(N, R, mu) over the whole range, R = 0 and N = 1 among them."""
    rng = np.random.default_rng(seed)
    packets = np.where(rng.random(count) < 0.05, 1.0, 10 ** rng.uniform(0, 9, count))
    round_trip = np.where(rng.random(count) < 0.05, 0.0, 10 ** rng.uniform(-8, 1, count))
    return packets, round_trip, 10 ** rng.uniform(0, 9, count)


# The curve


@pytest.mark.parametrize(
    ("rate", "excess", "spread", "k", "by_hand"),
    [
        (0.75, -0.25, 0.5625, 1, 1 / 3),  # 3/4 * 1/2 / (9/16 + 9/16)
        (0.5, 0.5, 0.5, 2, 0.4),  # 1/4 * 1 / (1/8 + 1/2)
        (0.25, -0.25, 0.5625, 1, 0),  # just fills the capacity
        (0.1, -0.25, 0.5625, 1, 0),  # printed: 0.1 * -0.15 / ... < 0
        (2, 1, 1, 2, 1),  # printed: 4 * 3 / (8 + 1) = 4/3
        (0, 1, 1, 2, 0),
        (2, -1, 0, 5, 0.5),  # alone: (2 - 1)/2
        (0.9, -1, 0, 5, 0),
        (0, -1, 0, 5, 0),
        (0.3, 0.2, 0, 5, 1),  # others above the capacity, with rates that add up to nothing: 5/3 before the bound
        (0, 0.2, 0, 5, 0),
    ],
)
def test_loss_by_hand(rate, excess, spread, k, by_hand):
    assert laws.loss_probability(rate, excess, spread, k) == pytest.approx(by_hand, rel=1e-15)
    passed = laws.raw_throughput(rate, excess, spread, k)
    assert passed == pytest.approx((1 - by_hand) * rate, rel=1e-15)


def test_loss_as_printed_leaves_its_bounds():
    assert laws.loss_probability.as_printed(2, 1, 1, 2) == pytest.approx(4 / 3)
    assert laws.loss_probability.as_printed(0.1, -0.25, 0.5625, 1) == pytest.approx(-0.015 / 0.5725)


# Most throughput


def test_kinds_of_throughput_optimum():
    """Alone; at the access limit, alone or not; alone with others above the capacity: nothing gets through."""
    excess, spread, access = [-1.0, -1.0, -0.5, 0.5], [0.0, 0.0, 0.3, 0.0], [math.inf, 0.4, 0.3, 9.0]
    assert laws.throughput_optimal_rate(excess, spread, 3.0, access).tolist() == [1, 0.4, 0.3, 0]


def test_slopes_of_the_throughput_optimum():
    """Slopes and curvature against differences of the 60-digit root, at and around a = 0."""
    slopes = jax.jit(jax.vmap(jax.grad(laws.throughput_optimal_rate, argnums=(0, 1, 2))))
    second = jax.jit(jax.vmap(jax.grad(jax.grad(laws.throughput_optimal_rate))))
    a, b, k = wide_points(40, 10)
    a[:6], k = [0, 1e-300, -1e-300, 1e-12, -1e-12, -1], np.maximum(k, 1 + 1e-9)
    got, curved = np.array(slopes(a, b, k)), np.array(second(a, b, k))
    with mpmath.workdps(90):
        for i, point in enumerate(zip(a.tolist(), b.tolist(), k.tolist(), strict=True)):
            exact = [mpf(x) for x in point]
            middle = laws.throughput_optimal_rate(*exact)
            for j in range(3):
                size = mpf(10) ** -20 * (middle + abs(exact[0]) if j == 0 else exact[j])
                ends = [
                    laws.throughput_optimal_rate(*(x + s * size * (i == j) for i, x in enumerate(exact)))
                    for s in (-1, 1)
                    if j or exact[0] + s * size >= -1
                ]
                slope = (ends[-1] - (ends[0] if len(ends) > 1 else middle)) / (size * len(ends))
                assert abs(got[j, i] / slope - 1) < 1e-9, (point, j)
                if j == 0 and len(ends) > 1:
                    curvature = (ends[0] - 2 * middle + ends[1]) / size**2
                    assert abs(curved[i] - curvature) <= 1e-8 * abs(curvature), point
    assert got[0, 0] == pytest.approx(-1 / k[0], rel=1e-12)  # by hand at a = 0: -(k + 1) f / (k (k + 1) f)


# Response time


def searched(points, grid=800):
    """Rate of the least response time by brute force: a grid that is dense at both ends, then golden sections."""
    a, b, k = (x[:, None] for x in points[:3])
    rest = [x[:, None] for x in points[3:]]
    base, top = np.maximum(-a, 0), laws.throughput_optimal_rate(a, b, k)
    z = np.linspace(-45, 30, grid)[None, :]
    rates = base + (top - base) / (1 + np.exp(-z))
    times = laws.response_time(rates, a, b, k, *rest)
    at = np.clip(np.argmin(times, axis=1), 1, grid - 2)
    rows = np.arange(at.size)
    low, high = z[0, at - 1], z[0, at + 1]
    golden = (math.sqrt(5) - 1) / 2

    def time(z):
        f = (base + (top - base) / (1 + np.exp(-z[:, None])))[:, 0]
        return laws.response_time(f, *(x[:, 0] for x in (a, b, k, *rest)))

    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        worse = time(left) > time(right)
        low, high = np.where(worse, left, low), np.where(worse, high, right)
    best = np.minimum(time((low + high) / 2), times[rows, at])
    cusp = np.where(a[:, 0] < 0, laws.response_time(np.where(a < 0, -a, 1), a, b, k, *rest)[:, 0], np.inf)
    return np.minimum(best, cusp), cusp <= best


def test_response_optimum_against_a_search():
    points = (*wide_points(600, 15), *transfers(600, 16))
    found = laws.response_optimal_rate(*points)
    least, at_cusp = searched(points)
    times = laws.response_time(found, *points)
    np.testing.assert_allclose(times, least, rtol=1e-11)
    assert np.all(times <= least * (1 + 1e-12))
    assert 25 < np.sum(found == -points[0]) < 550
    disagree = (found == -points[0]) != at_cusp  # only where the two branches tie
    lossless = points[0] < 0
    assert np.mean(disagree[lossless]) < 0.05


@pytest.mark.parametrize("k", [1, 1.3, 2, 5, 10, 20, 50])
def test_shape_that_the_solver_relies_on(k):
    """In z, ln h rises with a slope of 0.6 to 2.5 where it is searched, and ln h + ln C has one zero: at its rise."""
    z = np.linspace(-60, 30, 3001)
    for size in 10.0 ** np.arange(-6, 4.1, 0.5):
        for excess in (-size, size):
            spread = 1.0
            if excess < 0:  # scaled to |a| = 1
                excess, spread = -1.0, size ** -(k + 1.0)
                if spread < 1e-250:
                    continue
            everywhere = [np.full_like(z, x) for x in (excess, spread, k)]
            top = largest_throughput(*everywhere, NUMPY)
            here = optimum.at(z, top, *everywhere, NUMPY)
            if excess > 0:
                assert here.slope_h.min() > 0.6
                assert here.slope_h.max() < 2.5
            else:
                tie = here.log_h + here.log_gain
                assert np.sum(np.diff(np.sign(tie)) != 0) == 1
                assert (here.slope_h + here.slope_gain).min() > -1e-9
                beyond = here.slope_h[tie > 0]
                assert beyond.min() > 0.6
                assert beyond.max() < 2.5
                assert np.sum(np.diff(np.sign(here.slope_h)) != 0) == 1  # one valley


def test_cusp_is_a_local_minimum_with_infinite_slope():
    """T(-a + d) - T(-a) over d grows without bound as d falls, like 1/(d ln^2 d)."""
    with mpmath.workdps(60):
        point = [mpf(x) for x in ("-0.3", "0.1", "2", "1e4", "0.01", "1e4")]
        base = exact_response(mpf("0.3"), *point)
        steep = [(exact_response(mpf("0.3") + d, *point) - base) / d for d in map(mpf, ("1e-12", "1e-20", "1e-30"))]
        assert 0 < steep[0] < steep[1] < steep[2]
    assert laws.response_optimal_rate(-0.3, 0.1, 2, 1e4, 0.01, 1e4) > 0.5  # and yet not the least here


def test_two_branches_tie():
    """Where the rate jumps from the interior to the cusp, both have the same response time."""
    low, high = 0.0, 1.0  # round-trip time
    point = (-0.3, 0.1, 2.0, 1e4)
    for _ in range(60):
        middle = (low + high) / 2
        cusp = laws.response_optimal_rate(*point, middle, 1e4) == 0.3
        low, high = (low, middle) if cusp else (middle, high)
    inside, cusp = (laws.response_optimal_rate(*point, r, 1e4) for r in (low, high))
    assert inside > 0.4
    assert cusp == 0.3
    times = [laws.response_time(f, *point, low, 1e4) for f in (inside, cusp)]
    assert times[0] == pytest.approx(times[1], rel=1e-12)


def test_access_limit_of_the_response_optimum():
    """The best rate up to the limit: the limit, the cusp, or the interior, whichever is faster."""
    point = (-0.3, 0.1, 2.0, 1e4, 0.01, 1e4)
    best = laws.response_optimal_rate(*point)
    for limit in (0.1, 0.3, 0.3005, 0.301, 0.31, 0.4, 0.45, best - 1e-6, best + 1e-6, 2.0):
        rates = np.append(np.linspace(1e-3, limit, 20_001), min(limit, 0.3))
        times = laws.response_time(rates, *point)
        found = laws.response_optimal_rate(*point, limit)
        assert laws.response_time(found, *point) == pytest.approx(times.min(), rel=1e-7)
        assert found == pytest.approx(rates[np.argmin(times)], abs=1e-4)
    assert laws.response_optimal_rate(*point, [0.1, 0.3005, 0.45]).tolist() == [0.1, 0.3, 0.45]


def test_response_optimum_without_others():
    for transfer in ((1e4, 0.1, 1e3), (1, 0, 1e6), (1e9, 10, 1)):
        assert laws.response_optimal_rate(-1, 0, 5, *transfer) == 1


def test_response_optimum_tends_to_the_throughput_optimum():
    """As R -> 0 in proportion to R, as N -> inf in proportion to ln N / N; equal for R = 0 and N = 1."""
    for a, b, k in ((0.5, 0.2, 3.0), (-0.3, 0.1, 2.0)):
        top = laws.throughput_optimal_rate(a, b, k)
        assert laws.response_optimal_rate(a, b, k, 1e3, 0, 1e4) == top
        assert laws.response_optimal_rate(a, b, k, 1, 0.1, 1e4) == top
        small = [1 - laws.response_optimal_rate(a, b, k, 1e3, r, 1e4) / top for r in (1e-8, 1e-9)]
        assert small[0] / small[1] == pytest.approx(10, rel=1e-3)
        many = [1 - laws.response_optimal_rate(a, b, k, n, 1e-3, 1e4) / top for n in (1e8, 1e9)]
        assert many[0] / many[1] == pytest.approx(10 * 8 / 9, rel=1e-3)  # ln 1e8 / ln 1e9 = 8/9
        # and the slope by R at R = 0 is that of the limit
        slope = SLOPES_OF_RESPONSE(*(jnp.asarray(np.full(16, x)) for x in (a, b, k, 1e3, 0.0, 1e4)))[4][0]
        assert slope == pytest.approx(-small[1] * top / 1e-9, rel=1e-3)


def test_slopes_of_the_response_optimum_where_hardly_anything_is_free():
    """As at a = 0, and no square of a is 0 on the way: (x/y)/y is x/(y y) for XLA."""
    excess = np.zeros(16)
    excess[1:15] = np.repeat([-1e-100, -1e-160, -8e-240, -1e-300, -1e-310, -5e-324, 1e-300], 2)
    slopes = np.array(
        SLOPES_OF_RESPONSE(*map(jnp.asarray, (excess, *(np.full(16, x) for x in (1.0, 1.0, 2.0, 1.0, 1e3)))))
    )
    with mpmath.workdps(60):
        ahead, at = (laws.response_optimal_rate(mpf(a), 1, 1, 2, 1, 1000) for a in ("1e-20", 0))
        expected = float((ahead - at) / mpf("1e-20"))
    np.testing.assert_allclose(slopes[0], expected, rtol=1e-9)
    np.testing.assert_allclose(laws.response_optimal_rate(excess, 1, 1, 2, 1, 1e3), float(at), rtol=1e-14)
    np.testing.assert_allclose(slopes, np.broadcast_to(slopes[:, :1], slopes.shape), rtol=1e-9)


# The solver


def test_newton_halves_where_newton_fails():
    """The cube root of 0 has a vertical tangent where Newton's steps grow; an arctangent throws them out."""

    def cube_root(x, shift):
        return np.cbrt(x - shift), 1 / (3 * np.maximum(np.cbrt((x - shift) ** 2), 1e-200))

    shift = np.array([0.1, -0.3, 0.9])
    found = newton(cube_root, shift - 1, shift + 2, 0 * shift, shift, scale=1, xp=NUMPY)
    np.testing.assert_allclose(found, shift, atol=1e-14)

    def arctangent(x, shift):
        return np.arctan(x - shift), 1 / (1 + (x - shift) ** 2)

    np.testing.assert_allclose(
        newton(arctangent, shift - 100, shift + 60, shift + 50, shift, scale=1, xp=NUMPY), shift, atol=1e-14
    )


def test_newton_leaves_undefined_values():
    start = np.array([1.0, math.nan, 1.0])
    found = newton(
        lambda x, y: (x * x - y, 2 * x), 0 * start, 2 + 0 * start, start, np.array([2.0, 2, math.nan]), xp=NUMPY
    )
    np.testing.assert_allclose(found, [math.sqrt(2), math.nan, math.nan])
    # Without a zero the bracket shrinks to its end, 0, and never closes.
    assert np.isnan(newton(lambda x: (1 + 0 * x, 0 * x), *np.float64([0, 2, 1]), xp=NUMPY))
    jitted = jax.jit(
        lambda y: newton(lambda x, y: (x * x - y, 2 * x), 0 * y, 2 + 0 * y, 1 + 0 * y, y, xp=JaxNamespace(jnp))
    )
    np.testing.assert_allclose(jitted(jnp.asarray([2.0, math.nan])), [math.sqrt(2), math.nan])


def test_large_arrays_are_solved_in_blocks():
    a, b, k = (np.resize(x, 70_000) for x in wide_points(977, 21))
    found = laws.throughput_optimal_rate(a, b, k)
    np.testing.assert_array_equal(found[:977], laws.throughput_optimal_rate(a[:977], b[:977], k[:977]))
    np.testing.assert_array_equal(found, np.resize(found[:977], 70_000))
    b[69_000] = -1
    with pytest.raises(ValueError, match=r"^spread\[69000\] = -1"):
        laws.throughput_optimal_rate(a, b, k)
    table = laws.throughput_optimal_rate(a[:300, None], b[None, :300], 2.0)
    assert table.shape == (300, 300)
    assert table[7, 11] == laws.throughput_optimal_rate(float(a[7]), float(b[11]), 2.0)


def replies(rates, k, which=slice(None)):
    """Return the rates after some sources have replied to all others with the shortest response time."""
    rates, after = np.asarray(rates), np.array(rates)
    others, powers = rates.sum() - rates, (rates ** (k + 1)).sum() - rates ** (k + 1)
    after[which] = laws.response_optimal_rate(others - 1, powers, k, 1000, 0.044, 1e4)[which]
    return after


def test_few_sources_that_seek_response_time_alternate_about_the_capacity():
    """Two sources take the spare capacity f = -a: x' = 1 - y, y' = 1 - x, so errors alternate; in turn they stay."""
    once = replies([0.45, 0.5], 5)
    np.testing.assert_allclose(once, [0.5, 0.55], rtol=1e-12)
    np.testing.assert_allclose(replies(once, 5), [0.45, 0.5], rtol=1e-12)
    first = replies([0.45, 0.5], 5, 0)
    assert replies(first, 5, 1) == pytest.approx(first, rel=1e-12)
    assert first.sum() == pytest.approx(1, rel=1e-12)


def test_three_sources_never_settle_on_the_capacity():
    """At the capacity an update multiplies the load's error by -(M - 1): `loss_load_response.full_link`."""
    for k in (2, 20):
        rates = [np.array([0.33, 0.334, 0.335])]  # 0.999
        for _ in range(2):
            rates.append(replies(rates[-1], k))
        error = np.sum(rates, axis=1) - 1
        np.testing.assert_allclose(error[1:] / error[:-1], -2, rtol=1e-9)
