"""The BLT laws against values by hand, windows built packet by packet, and a simulation of packets and links."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import sympy

from longfat.laws import blt, tcp
from tests.blt_referee import Alone

# Windows


def windows_by_building(packets, following):
    """Return the window of each packet, by filling windows of given sizes one after the other."""
    numbers, k, size = [], 0, Fraction(1)
    end = size
    for packet in range(packets):
        while packet >= end:
            k, size = k + 1, following(size)
            end += size
        numbers.append(k)
    return numbers


in_jax = jax.jit(blt.packet_priority)


@pytest.mark.parametrize("growth", [1.0, 2.0, 3.0, 4.0, 7.0, 1.5, 1.25, 2.75])
def test_priorities_against_windows_built_one_by_one(growth):
    built = windows_by_building(3000, lambda size: size * Fraction(growth))
    s = np.arange(3000.0)
    np.testing.assert_array_equal(blt.packet_priority(s, growth), built)
    np.testing.assert_array_equal(blt.packet_priority(s.astype(np.float32), growth), built)
    np.testing.assert_array_equal(in_jax(jnp.asarray(s), growth), built)


@pytest.mark.parametrize("step", [0, 1, 2, 3, 7, 0.5, 0.25])
def test_additive_priorities_against_windows_built_one_by_one(step):
    built = windows_by_building(3000, lambda size: size + Fraction(step))
    s = np.arange(3000.0)
    np.testing.assert_array_equal(blt.additive_priority(s, step), built)
    np.testing.assert_array_equal(jax.jit(blt.additive_priority)(jnp.asarray(s), step), built)


@pytest.mark.parametrize("growth", [2, 3, 4, 10, 1000])
def test_priorities_are_exact_up_to_2_to_the_53(growth):
    """Logarithms in floats give floor(log2(2^49 + 1 - 2)) = 49, but the window ends one packet earlier."""
    first, k = 0, 0
    while first < 2**53:
        near = [(s, expected) for s, expected in ((first - 1, k - 1), (first, k)) if 0 <= s < 2**53]
        assert blt.packet_priority([s for s, _ in near], growth).tolist() == [expected for _, expected in near]
        assert first >= 2**53 or blt.packets_in_windows(k, growth) == first
        first, k = first + growth**k, k + 1
    assert k > (10 if growth < 1000 else 5)


def test_priorities_of_fractional_growth_are_exact_for_long_bursts():
    size, end = Fraction(1), Fraction(1)
    for k in range(32):
        last = math.ceil(end) - 1
        assert [blt.packet_priority(last, 1.5), blt.packet_priority(last + 1, 1.5)] == [k, k + 1]
        size *= Fraction(3, 2)
        end += size
    assert end > 1_290_000 / 1.5


@pytest.mark.parametrize("step", [1, 2, 5, 1000])
def test_additive_priorities_are_exact_up_to_2_to_the_53(step):
    largest = math.isqrt(2**54 // step)
    for k in (*range(2, 200), *range(largest - 200, largest)):
        first = k + step * k * (k - 1) // 2
        if first < 2**53:
            assert blt.packets_in_additive_windows(k, step) == first
            assert [blt.additive_priority(first - 1, step), blt.additive_priority(first, step)] == [k - 1, k]


def test_growth_and_steps_beyond_all_bursts():
    for priority in (blt.packet_priority, blt.additive_priority):
        assert [priority(s, 1e300) for s in (0, 1, 2**52)] == [0, 1, 1]


def test_sums_of_windows():
    for k in (0, 1, 2, 3, 15, 30, 51):  # |W_0| + ... + |W_k| = |W_(k+1)| - 1 for gamma = 2
        assert blt.packets_in_windows(k + 1) == sum(blt.window_size(j) for j in range(k + 1))
        assert blt.packets_in_windows(k + 1) == blt.window_size(k + 1) - 1
    for growth in (1, 1.5, 3, 4):  # else (|W_(k+1)| - 1)/(gamma - 1)
        for k in (0, 1, 2, 7, 19):
            exact = sum(Fraction(growth) ** j for j in range(k + 1))
            assert blt.packets_in_windows(k + 1, growth) == exact
            assert exact * (Fraction(growth) - 1) == Fraction(growth) ** (k + 1) - 1
    assert float(jax.jit(jax.jacfwd(blt.packets_in_windows, argnums=1))(5.0, 1.0)) == 10  # 0 + 1 + 2 + 3 + 4


def test_bits():
    # 2^(2^pi) - 1
    assert [blt.packets_encodable(bits) for bits in range(6)] == [1, 3, 15, 255, 65535, 4294967295]
    assert blt.packets_encodable(2, 3) == 1 + 3 + 9 + 27
    assert blt.packets_encodable(9) == 2.0**512
    assert math.isinf(blt.packets_encodable(10))
    with mpmath.workdps(400):
        assert blt.packets_encodable(mpmath.mpf(10)) == mpmath.mpf(2) ** 1024 - 1
    assert blt.packets_encodable(sympy.Integer(10), sympy.Integer(2)) == 2**1024 - 1
    assert blt.packet_priority(65534) == 15  # the last with 4 bits
    assert blt.packet_priority(65535) == 16


# Alone and without loss


@pytest.mark.parametrize("times", [(3, 7, 5), (7, 3, 5), (5, 5, 5), (0, 4, 0), (2, 4, 9), (9, 1, 8)])
def test_unloaded_time_against_packets(times):
    for n in (1, 2, 3, 50, 333):
        run = Alone(n, 600, *times, room=math.inf)
        assert blt.unloaded_transfer_time(n, 600.0, *map(float, times)) == run.finish


@pytest.mark.parametrize(("access", "between"), [(1, 5), (3, 5), (2, 3), (999, 1000), (4, 4), (1, 2)])
def test_buffer_for_a_burst_against_packets(access, between):
    """A buffer that just suffices, and one place less; the link sends 1000 packets."""
    ratio = access / between
    for n in (1, 2, 3, 10, 95, 200, 1001):
        run = Alone(n, 6, access, between, 0, room=math.inf, discipline="drop-tail")
        need = Fraction(n - 1) * (1 - Fraction(access, between))
        assert run.largest_backlog == math.ceil(need)
        assert blt.buffer_for_burst(n, ratio) == pytest.approx(float(need), rel=1e-14, abs=1e-14)
        if need > 1:
            assert blt.burst_for_buffer(float(need), ratio) == pytest.approx(n, rel=1e-12)
            case = n, 10_000_000, access, between, 0
            assert Alone(*case, math.ceil(need)).drops == 0
            assert Alone(*case, math.ceil(need) - 1).drops > 0


# Power


@pytest.mark.parametrize("packets", [1, 2, 3, 20, 200, 2000])
def test_advantage_from_both_times(packets):
    capacity, size = 1.25e7, 1e5
    t_b = size / packets / capacity
    for trip in (0.0, 1e-6, 1e-3, 0.03, 0.3, 1e3):
        times = [law.unloaded_transfer_time(packets, trip, 0, t_b) for law in (blt, tcp)]
        at_once, slow = (blt.power_with_unloaded_time(capacity, size, time) for time in times)
        x = capacity * trip / size
        assert blt.power_advantage(x, packets) == pytest.approx(at_once / slow, rel=1e-12)
    assert blt.power_advantage(0, packets) == 1
    x = np.geomspace(1e-6, 1e9, 3000)
    advantage = blt.power_advantage(x, packets)
    if packets == 1:
        np.testing.assert_array_equal(advantage, 1)
    else:
        assert (advantage > 1).all()
        assert (np.diff(advantage) > 0).all()
        rounds = tcp.slow_start_rounds(packets)
        assert advantage.max() < rounds
        assert blt.power_advantage(1e24, packets) == pytest.approx(rounds, rel=1e-10)


@pytest.mark.parametrize("packets", [2, 3, 20, 200, 2**40])
def test_product_for_an_advantage(packets):
    """The inverse against the advantage in 50 digits, and against bisection."""
    rounds = tcp.slow_start_rounds(packets)
    for factor in (1 + 1e-9, 1.5, 1.99, 5, 7.5, 39):
        x = blt.bandwidth_delay_product_for_advantage(factor, packets)
        if factor >= rounds:
            assert math.isinf(x)
            continue
        with mpmath.workdps(50):
            low, high = mpmath.mpf(0), mpmath.mpf(2) ** 200
            for _ in range(250):
                middle = (low + high) / 2
                below = blt.power_advantage(middle, packets) < factor
                low, high = (middle, high) if below else (low, middle)
        assert x == pytest.approx(float(low), rel=1e-7 if factor < 1.001 else 1e-12)
    assert blt.bandwidth_delay_product_for_advantage(1, packets) == 0
    np.testing.assert_array_equal(blt.bandwidth_delay_product_for_advantage([1, 2], [[1], [packets]])[0], [0, math.inf])


@pytest.mark.parametrize(
    ("bad", "message"), [((0.5, 2), "advantage = 0.5"), ((2, 0), "packets = 0"), ((2, [2, 2.5]), r"packets\[1\] = 2.5")]
)
def test_product_outside_the_domain(bad, message):
    with pytest.raises(ValueError, match=message):
        blt.bandwidth_delay_product_for_advantage(*bad)


def test_kim_and_farbers_orderings():
    """Estimates in log10 of bytes/s^2: BLT leads in every cell of table 1, and its advantage is larger at 1 Gbit/s."""
    lead = {}
    for access in (150e6, 1e9):
        for ratio in (0.2, 0.6, 1.0):
            rate = ratio * access
            t_a, t_b, room = 4000 / access, 4000 / rate, round(rate * 0.01 / 4000)
            times = (
                Alone(200, 30_000_000, round(1e9 * t_a), round(1e9 * t_b), 0, room).finish / 1e9,
                tcp.unloaded_transfer_time(200, 30e-3, t_a, t_b),
            )
            assert tcp.buffer_for_slow_start(200, ratio) <= room
            powers = [blt.power_with_unloaded_time(rate / 8, 1e5, time) for time in times]
            lead[access, ratio] = math.log10(powers[0] / powers[1])
    for ratio in (0.2, 0.6, 1.0):
        assert 0 < lead[150e6, ratio] < lead[1e9, ratio] < math.log10(8)
