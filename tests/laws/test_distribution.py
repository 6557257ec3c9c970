"""Distributions of a segment's rounds and delay: by hand, by other algorithms, in many digits, by simulation."""

import itertools
import math
from fractions import Fraction

import jax
import mpmath
import numpy as np
import pytest

from longfat.law.array_namespaces import NUMPY
from longfat.laws import selective_repeat as laws
from longfat.laws.selective_repeat import tolerance
from longfat.laws.selective_repeat.delay import joint
from longfat.segments import simulate

LOSSES = [1e-300, 1e-12, 1e-6, 1e-3, 0.1, 0.3, 0.5, 0.74, 0.86]
PACKETS = [1, 2, 3, 16, 128, 10**4, 10**9]


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(50):
        yield


def plain(loss, packets, k, tolerance=0):
    """Return F_k from its definition, at the present precision: binomial terms, each from the one before."""
    if tolerance >= packets:
        return mpmath.mpf(1)
    x = mpmath.mpf(loss) ** k
    if x == 1:
        return mpmath.mpf(0)
    odds = x / (1 - x)
    term = total = (1 - x) ** packets
    for j in range(tolerance):
        term *= odds * (packets - j) / (j + 1)
        total += term
    return total


def close(got, expected, rel=1e-12):
    return abs(got - expected) <= rel * abs(expected)


# By hand


def test_two_packets_by_hand():
    """For p = 1/2: F_k = (1 - 2^-k)^2, so 1 - F_k = 2 2^-k - 4^-k."""
    assert laws.rounds_cdf([1, 2, 3], 0.5, 2) == pytest.approx([1 / 4, 9 / 16, 49 / 64], rel=1e-15)
    assert laws.rounds_pmf([1, 2, 3], 0.5, 2) == pytest.approx([1 / 4, 5 / 16, 13 / 64], rel=1e-15)
    # sum of (2 k + 1) 2^-k = 6, of (2 k + 1) 4^-k = 20/9; E[K^2] = 12 - 20/9 = 88/9, E[K] = 4 - 4/3
    assert laws.rounds_variance(0.5, 2) == pytest.approx(88 / 9 - 64 / 9, rel=1e-15)
    # Cov = sum of 2 k 2^-k (1 - 2^-k) = 2 (2 - 4/9) = 28/9, Var N = 2 (1/2)/(1/4) = 4
    assert laws.delay_variance(0.5, 2, 1.0, 1.0) == pytest.approx(4 + 2 * 28 / 9 + 24 / 9, rel=1e-15)
    # both arrive at once: 1/4; one lost once: 1/2 1/2, three packets; both lost once: 1/4 1/4, four packets.
    # RTD = 10 s: each way takes 5 s, and a second round begins t_a = 13 s after the end of the first.
    assert laws.delay_cdf([6.9, 7.0, 21.0, 22.0], 0.5, 2, 1.0, 10.0) == pytest.approx([0, 1 / 4, 1 / 2, 9 / 16])
    assert laws.delay_quantile([0.25, 0.26, 0.5, 0.51], 0.5, 2, 1.0, 10.0).tolist() == [7, 21, 21, 22]
    assert laws.max_delay_quantile(0.25, [1, 2], 0.5, 2, 1.0, 10.0).tolist() == [7, 21]  # 1/2 squared
    # of two packets one may be missing: only both lost is lost, with p^(2 k)
    assert laws.rounds_cdf_tolerant([1, 2], 0.5, 2, 1) == pytest.approx([3 / 4, 15 / 16], rel=1e-15)
    assert laws.mean_rounds_tolerant(0.5, 2, 1) == pytest.approx(4 / 3, rel=1e-15)
    assert laws.mean_rounds_tolerant(0.5, 2, 2) == laws.mean_rounds_tolerant(0.5, 2, 64) == 1


def test_without_loss():
    assert laws.rounds_pmf([1, 2], 0.0, 16).tolist() == [1, 0]
    assert laws.rounds_quantile(0.9999, 0.0, 16) == laws.max_rounds(0.0, 16, 10**9) == 1
    assert laws.rounds_variance(0.0, 16) == laws.delay_variance(0.0, 16, 1.0, 1.0) == 0
    # the ideal delay of section 4.1 of Gong and Parulkar: t_s + RTD/2
    assert laws.delay_cdf([65.9, 66], 0, 16, 1.0, 100.0).tolist() == [0, 1]
    assert laws.delay_quantile(0.5, 0, 16, 1.0, 100.0) == laws.max_delay_mean(10**12, 0, 16, 1.0, 100.0) == 66


# Many digits


@pytest.mark.parametrize("loss", [*LOSSES, 0.99, 1 - 1e-9])
def test_distribution_against_its_definition(loss):
    for packets, k in itertools.product(PACKETS, (1, 2, 3, 7, 20, 60) if loss > 1e-20 else (1, 2)):
        with mpmath.workdps(60 - k * math.floor(math.log10(loss))):  # 1 - p^k is not 1
            within = plain(loss, packets, k)
            exactly = within - plain(loss, packets, k - 1) if k > 1 else within
        for got, expected in (
            (laws.rounds_cdf(k, loss, packets), within),
            (laws.rounds_pmf(k, loss, packets), exactly),
        ):
            assert abs(got - expected) <= 1e-12 * expected + 1e-300, (packets, k)


def test_rare_numbers_of_rounds_keep_their_digits():
    # s p^29 (1 - p) = 1.6e-28 (1 - p), all but 1e-28 of it
    assert laws.rounds_pmf(30, 0.1, 16) == pytest.approx(1.44e-28, rel=1e-13)
    assert laws.rounds_cdf(30, 0.1, 16) - laws.rounds_cdf(29, 0.1, 16) == 0


@pytest.mark.parametrize("packets", [1, 2, 16, 65, 1000, 10**9])
def test_tolerance_against_the_incomplete_beta_function(packets):
    for point in itertools.product((1, 2, 5, 40), (1e-6, 0.01, 0.3, 0.86, 0.99), (0, 1, 2, 8, 15, 64)):
        k, loss, few = point
        got = laws.rounds_cdf_tolerant(k, loss, packets, few)
        if few >= packets:
            assert got == 1, point
            continue
        x = mpmath.mpf(loss) ** k
        if packets * x < 1e4:  # mpmath takes very long where nothing is left
            expected = mpmath.betainc(packets - few, few + 1, 0, 1 - x, regularized=True)
            assert abs(got - expected) <= 1e-12 * expected + 1e-300, point
        assert abs(got - plain(loss, packets, k, few)) <= 1e-12 * got + 1e-300, point


@pytest.mark.parametrize("loss", [1e-300, 1e-6, 0.1, 0.5, 0.86])
def test_tolerant_rounds_against_plain_summation(loss):
    for packets, few in itertools.product((1, 16, 70, 10**4, 10**9), (0, 1, 5, 64)):
        total, k = mpmath.mpf(1), 1
        while True:
            late = 1 - plain(loss, packets, k, few)
            total, k = total + late, k + 1
            if late < mpmath.mpf(10) ** -25 and packets * mpmath.mpf(loss) ** k < 1:
                break
        assert close(laws.mean_rounds_tolerant(loss, packets, few), total, 1e-13), (packets, few)


def test_rare_repetitions_keep_their_digits():
    """T = s - 1: one more round if all s are lost, s packets again: p^s + p^(2 s) + ..."""
    more, again = tolerance.repeated_until_few(*map(np.float64, (0.1, 65, 64)), NUMPY)
    assert more == pytest.approx(1e-65, rel=1e-13, abs=0)
    assert again == pytest.approx(65e-65, rel=1e-13, abs=0)


@pytest.mark.parametrize("loss", [1e-6, 0.01, 0.5, 0.99])
def test_the_slowest_of_very_many(loss):
    """N s = 1e12; and H_n/u <= S < H_n/u + 1."""
    total, k = mpmath.mpf(0), 0
    while (late := 1 - plain(loss, 10**12, k)) > mpmath.mpf(10) ** -20:
        total, k = total + late, k + 1
    got = laws.max_rounds(loss, 1000, 10**9)
    assert close(got, total, 1e-13)
    least = mpmath.harmonic(10**12) / -mpmath.log(loss)
    assert least <= got < least + 1
    assert laws.rounds_variance(min(loss, 0.86), 10**12) > 0


# Quantiles


@pytest.mark.parametrize("packets", [1, 2, 16, 10**4, 10**12])
@pytest.mark.parametrize("loss", [1e-300, 1e-6, 0.1, 0.25, 0.5, 0.9])
def test_the_quantile_undoes_the_distribution(loss, packets):
    k = np.arange(1.0, 400)
    within, exactly = laws.rounds_cdf(k, loss, packets), laws.rounds_pmf(k, loss, packets)
    known = (within < 1) & (within > 1e-280) & (exactly > 1e-15)
    np.testing.assert_array_equal(laws.rounds_quantile(within[known], loss, packets), k[known])
    between = within[known] - 0.5 * exactly[known]
    np.testing.assert_array_equal(laws.rounds_quantile(between, loss, packets), k[known])


@pytest.mark.parametrize(("q", "rounds"), [(0.9, 1), (0.99, 2), (0.999, 3), (0.9999, 4), (0.99999, 5), (0.999999, 6)])
def test_exact_hits_by_hand(q, rounds):
    """One packet, p = 0.1: F_k = 0.9, 0.99, ... reached exactly, though 1 - 0.9 is not 0.1 in floats."""
    assert laws.rounds_quantile(q, 0.1, 1) == rounds
    assert laws.rounds_quantile(q + 1e-12, 0.1, 1) == rounds + 1
    assert jax.jit(laws.rounds_quantile)(q, 0.1, 1) == rounds
    assert laws.delay_quantile(q, 0.1, 1, 1.0, 2.0) == 2 + 6 * (rounds - 1)  # t_p + RTD/2, then t_p + RTD + 3 t_p
    assert laws.delay_quantile(q + 1e-12, 0.1, 1, 1.0, 2.0) == 2 + 6 * rounds


def test_hits_next_to_one():
    assert laws.rounds_quantile([1 - 2.0**-52, 1 - 2.0**-53], 0.5, 1).tolist() == [52, 53]
    assert laws.rounds_quantile(mpmath.mpf(1) - mpmath.mpf(2) ** -150, 0.5, 1) == 150


# Other algorithms


def by_rounds(loss, packets, rounds):
    """Return P(K = k, N = n) as a dictionary, by following the number of missing packets from round to round."""
    found, states = {}, {(packets, packets): Fraction(1)}  # missing and sent, the current round included
    for k in range(1, rounds + 1):
        after = {}
        for (missing, sent), chance in states.items():
            for left in range(missing + 1):
                share = chance * math.comb(missing, left) * loss**left * (1 - loss) ** (missing - left)
                at = (left, sent + left) if left else (k, sent)
                target = after if left else found
                target[at] = target.get(at, 0) + share
        states = after
    return found


@pytest.mark.parametrize("packets", [1, 2, 3, 6])
def test_the_delay_followed_from_round_to_round(packets):
    found = by_rounds(Fraction(1, 4), packets, 14)
    for d in (0.5, packets, packets + 3.5, 2.0 * packets + 3.5, 30.0, 41.75):
        expected = sum(chance for (k, n), chance in found.items() if n + 3.5 * (k - 1) + 0.25 <= d)
        assert laws.delay_cdf(d, 0.25, packets, 1.0, 0.5) == pytest.approx(float(expected), rel=1e-13, abs=0)
    # the largest of five; 14 rounds are exceeded with 6 4^-14 = 2e-8
    order = sorted((n + 3.5 * (k - 1) + 0.25, chance) for (k, n), chance in found.items())
    within, mean = Fraction(0), Fraction(0)
    for d, chance in order:
        mean += Fraction(d) * ((within + chance) ** 5 - within**5)
        within += chance
    assert laws.max_delay_mean(5, 0.25, packets, 1.0, 0.5) == pytest.approx(float(mean), rel=1e-5)


@pytest.mark.parametrize("segments", [1, 7, 10**6, 10**12])
def test_the_largest_delay_when_packets_cost_nothing(segments):
    """t_p = 1e-12 of RTD: only rounds count, of which the law for N segments knows the mean and the quantile."""
    rounds = laws.max_rounds(0.1, 16, segments)
    assert laws.max_delay_mean(segments, 0.1, 16, 1e-12, 1.0) == pytest.approx(rounds - 0.5, rel=1e-9)
    quantile = laws.rounds_quantile(0.99, 0.1, 16 * segments)
    assert laws.max_delay_quantile(0.99, segments, 0.1, 16, 1e-12, 1.0) == pytest.approx(quantile - 0.5, rel=1e-9)


def test_the_largest_delay_of_very_many_in_many_digits():
    """N = 1e12: 1 - F is below 1e-12 where it matters, and F alone has lost its digits."""
    table = joint(0.1, 4, 1e-40)
    chances = {}
    for (row, column), chance in np.ndenumerate(table):
        chances[4 + column + 3 * row] = chances.get(4 + column + 3 * row, mpmath.mpf(0)) + mpmath.mpf(chance)
    beyond, mean, last = mpmath.fsum(chances.values()), mpmath.mpf(0), 0
    for delay in sorted(chances):
        mean += (delay - last) * (1 - (1 - min(beyond, 1)) ** (10**12))
        beyond, last = beyond - chances[delay], delay
    assert close(laws.max_delay_mean(10**12, 0.1, 4, 1.0, 0.0), mean)


def test_shapes_and_what_is_not_a_number():
    got = laws.max_delay_quantile(np.array([[0.5], [np.nan]]), np.array([1.0, 10, 100]), 0.1, 16, 1.0, 5.0)
    assert got.shape == (2, 3)
    assert np.isnan(got[1]).all()
    assert np.isfinite(got[0]).all()
    assert np.isnan(laws.delay_cdf([1.0, np.nan], 0.1, 16, 1.0, 5.0)[1])
    assert isinstance(laws.delay_cdf(20, 0.1, 16, 1.0, 5.0), float)
    assert isinstance(laws.max_delay_mean(20, 0.1, 16, 1.0, 5.0), float)


@pytest.mark.parametrize(
    ("name", "bad", "call"),
    [
        ("delay", -1.0, lambda x: laws.delay_cdf(x, 0.1, 16, 1.0, 5.0)),
        ("delay", "soon", lambda x: laws.delay_cdf(x, 0.1, 16, 1.0, 5.0)),
        (r"delay\[1\]", [1.0, -1.0], lambda x: laws.delay_cdf(x, 0.1, 16, 1.0, 5.0)),
        ("delay", [1.0, "soon"], lambda x: laws.delay_cdf(x, 0.1, 16, 1.0, 5.0)),
        ("loss", 0.51, lambda x: laws.delay_cdf(1.0, x, 16, 1.0, 5.0)),
        ("segment_packets", 16.5, lambda x: laws.delay_cdf(1.0, 0.1, x, 1.0, 5.0)),
        ("segment_packets", 1001, lambda x: laws.delay_cdf(1.0, 0.1, x, 1.0, 5.0)),
        ("packet_time", 0.0, lambda x: laws.delay_cdf(1.0, 0.1, 16, x, 5.0)),
        ("round_trip_time", math.nan, lambda x: laws.delay_cdf(1.0, 0.1, 16, 1.0, x)),
        ("probability", 1.0, lambda x: laws.delay_quantile(x, 0.1, 16, 1.0, 5.0)),
        ("segments", 0, lambda x: laws.max_delay_mean(x, 0.1, 16, 1.0, 5.0)),
        (r"segments\[0\]", [1.5], lambda x: laws.max_delay_mean(x, 0.1, 16, 1.0, 5.0)),
    ],
)
def test_outside_the_domain(name, bad, call):
    with pytest.raises((TypeError, ValueError), match=f"^{name} .*must be|^delay must be a number") as refusal:
        call(bad)
    assert "\n" not in str(refusal.value)


def test_sums_are_loops_of_the_compiled_program():
    """They are not unrolled: there are few lines to compile."""
    values = (0.1, 16.0, 1.0, 23.0)
    assert len(str(jax.make_jaxpr(laws.delay_variance)(*values)).splitlines()) < 200
    assert len(str(jax.make_jaxpr(laws.mean_rounds_tolerant)(0.1, 16.0, 2.0)).splitlines()) < 300


# The simulator


LONG = pytest.mark.long


@pytest.mark.parametrize(
    ("loss", "tolerance"),
    [(0.01, 0), (0.1, 2), pytest.param(0.01, 2, marks=LONG), pytest.param(0.1, 0, marks=LONG)],
)
def test_a_window_of_one_in_the_simulator(loss, tolerance):
    """A single segment in flight is in isolation: the interval, at 99.99 %, lies within 1 % of the law."""
    known = laws.mean_delay_tolerant(loss, 16, tolerance, 1.0, 368.0)
    run = simulate(
        window=1,
        loss=loss,
        segment_packets=16,
        ack_segments=23.0,
        tolerance=tolerance,
        segments=2_000_000,
        confidence=0.9999,
        rng=5,
        progress=False,
    )
    delay = known - 368
    assert 0.99 * delay < float(run.mean_delay_lower) < float(run.mean_delay_upper) < 1.01 * delay
    efficiency = 16 / known
    assert 0.99 * efficiency < float(run.throughput_efficiency_lower)
    assert float(run.throughput_efficiency_upper) < 1.01 * efficiency


def largest_delays(window, loss, ack_segments=23.0):
    """Return confidence intervals from 1000 runs of 1000 segments or a little more, over the values of the laws."""
    run = simulate(
        window=window,
        loss=loss,
        segment_packets=16,
        ack_segments=ack_segments,
        segments=1_000_000,
        replications=1000,
        confidence=0.9999,
        rng=6,
        progress=False,
    )
    ack_delay = 16 * ack_segments
    mean = laws.mean_delay_sender(loss, 16, 1.0, ack_delay) - ack_delay
    trip = ack_delay - 3.0
    largest = laws.max_delay_mean(int(run.segments) // 1000, loss, 16, 1.0, trip) - trip / 2  # propagation excluded
    ends = ("lower", "upper")
    return [float(run[f"mean_delay_{end}"]) / mean for end in ends], [
        float(run[f"max_delay_{end}"]) / largest for end in ends
    ]


@pytest.mark.parametrize(
    ("window", "loss", "ack_segments", "of_mean", "of_largest"),
    [
        *((1, loss, 23.0, (0.98, 1.02), (0.95, 1.05)) for loss in (0.001, 0.01, 0.1)),
        *((58, loss, 23.0, (0.95, 1.05), (0.95, 1.05)) for loss in (0.001, 0.01, 0.1)),
        (20, 0.1, 2.0, (1.05, 1.15), (1.05, 1.15)),
    ],
)
def test_delays_in_the_simulator(window, loss, ack_segments, of_mean, of_largest):
    """The intervals, at 99.99 %, lie within these shares of mean and largest delay.

    In large windows, which the laws exclude, the deviations are those of their Notes, and large on a short path.
    """
    mean, largest = largest_delays(window, loss, ack_segments)
    assert of_mean[0] < mean[0] < mean[1] < of_mean[1]
    assert of_largest[0] < largest[0] < largest[1] < of_largest[1]
