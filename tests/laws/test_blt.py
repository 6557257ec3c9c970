"""The BLT laws against values by hand, windows built packet by packet, and a simulation of packets and links."""

import math
import random
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


def test_the_first_priorities():
    # W_0 = (p), W_1 = (p + 1, p + 2), W_2 = (p + 3 ... p + 6), W_3: eight packets
    assert blt.packet_priority(range(15)).tolist() == [0, 1, 1, 2, 2, 2, 2, *8 * [3]]
    assert blt.additive_priority(range(10)).tolist() == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]


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
    assert [blt.additive_window_size(k, 3) for k in range(3)] == [1, 4, 7]


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


def test_unloaded_time_by_hand():
    # 30 ms and 200 packets of 4 us, and 4 us more for a line more: 1 Gbit/s, 500 bytes
    assert blt.unloaded_transfer_time(200, 30e-3, 0, 4e-6) == pytest.approx(30.8e-3, rel=1e-14)
    assert blt.unloaded_transfer_time(200, 30e-3, 4e-6, 4e-6, 4e-6) == pytest.approx(30.808e-3, rel=1e-14)
    # 30 ms + 80/3 us + 20 * 400/3 us = 32.69333 ms
    assert blt.unloaded_transfer_time(20, 30e-3, 80e-6 / 3, 400e-6 / 3) == pytest.approx(98.08e-3 / 3, rel=1e-14)
    assert blt.unloaded_transfer_time(3, 0, 5.0, 1.0, 2.0) == 5 + 1 + 2 + 2 * 5  # the slowest line is the first


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


# Files that overflow the switch


def test_the_papers_file_by_hand():
    """200 packets at 30 of 150 Mbit/s, K = 75: t_b = 400/3 us, t_a = 80/3 us, D + t_a = 30 ms + 80/3 us.

    94 = floor(1 + 75/0.8) are kept, and of the packets from there on every fifth: 95, 100, ... 195. The first lost, 94,
    is revealed by 95, the 95th to leave. The second burst, 94 ... 199, keeps 94 packets, 94 ... 187, and 189, 194, 199:
    188 is revealed by 189, the 95th again. The third, 188 ... 199, fits; the last missing then is 198, its 11th.
    3 (D + t_a) + (95 + 95 + 11) t_b = 90 ms + 80 us + 26.8 ms
    """
    t_a, t_b, trip = 80_000, 400_000, 90_000_000  # in thirds of a nanosecond
    for discipline in ("priority-discard", "priority-discard-published", "drop-tail"):
        found = Alone(200, trip, t_a, t_b, 0, 75, discipline)
        assert found.finish == 3 * 116_880_000
        assert (found.bursts, found.sent, found.timeouts) == (3, 200 + 106 + 12, 0)
        # 106 of the first: 94, 96 ... 99 and so on but 21 of 105; of the second 12 less 3
        assert found.drops == (106 - 21) + (12 - 3)
        assert Alone(200, trip, t_a, t_b, t_a, 75, discipline).finish == found.finish + 3 * t_a


@pytest.mark.parametrize(("packets", "last"), [(96, 94), (100, 99), (106, 104), (150, 149)])
def test_one_round_of_losses_by_its_formula(packets, last):
    """K = 75, r = 1/5: packets 94, 96 ... 99, 101 ... are lost; 2 (D + t_a + t_d) + (h + 2) t_b."""
    trip, t_a, t_b, t_d = 30_000_000, 100_000, 500_000, 333_333
    found = Alone(packets, trip, t_a, t_b, t_d, 75)
    assert found.finish == 2 * (trip + t_a + t_d) + (last + 2) * t_b
    assert (found.bursts, found.timeouts) == (2, 0)


def test_the_last_packet_lost_waits_for_the_timer():
    """95 packets, K = 75, r = 1/5: no packet follows packet 94.

    D = 10 s, t_a = 0, t_b = 1 s, K = 1: of 4 packets that arrive at once 2 are kept. Round trips of 11 and 12 s give
    srtt = 11.125 and var = (1 + 3 * 5.5)/4 = 4.375, so that the timer runs for 28.625 s from 12 s on. Packets 2 and 3
    are kept then: 40.625 + 12 s.
    """
    assert Alone(95, 30_000_000, 100_000, 500_000, 0, 75).timeouts == 1
    found = Alone(4, 10 * 10**9, 0, 10**9, 0, 1, first_rto=100.0)
    assert (found.finish, found.bursts, found.sent, found.drops, found.timeouts) == (52_625_000_000, 2, 6, 2, 1)


def scenarios(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        between = rng.choice([1000, 13_000, 133_333, 400_000, 1_333_333])
        access = int(between * rng.choice([Fraction(1, 5), Fraction(3, 5), 1, Fraction(1, 3), Fraction(2, 3)]))
        trip = 6 * rng.choice([access, 5 * access, 20 * between, rng.randint(1, 10**6), 5 * 10**6])
        packets = rng.choice([rng.randint(1, 400), rng.randint(1, 100), rng.randint(1, 100)])
        yield packets, trip, access, between, rng.choice([0, access, between]), rng.choice([1, 2, 5, 11, 75])


def test_files_with_losses_against_packets():
    """For a file alone, the published and the corrected switch give the same result; that of Bully-Tyrant does not."""
    kinds = {"kept": 0, "lost": 0, "timer": 0, "other": 0}
    for case in scenarios(40, seed=1):
        corrected, published, tail = (
            Alone(*case, name) for name in ("priority-discard", "priority-discard-published", "drop-tail")
        )
        assert corrected.outcome == published.outcome
        kinds["kept" if corrected.drops == 0 else "timer" if corrected.timeouts else "lost"] += 1
        kinds["other"] += corrected.outcome != tail.outcome
        if corrected.drops == 0:
            packets, trip, access, between, last, _ = case
            time = blt.unloaded_transfer_time(packets, float(trip), float(access), float(between), float(last))
            assert corrected.finish == time
    assert min(kinds.values()) >= 5, kinds


def test_the_comparison_can_fail():
    case = (200, 30_000_000, 26_667, 133_335, 0, 75)
    run = Alone(*case)
    assert run.finish != Alone(*case[:-1], 76).finish
    case = (85, 78_000, 2600, 13_000, 2600, 2)
    assert Alone(*case).finish != Alone(*case, "drop-tail").finish


def test_without_priorities_a_source_may_lock_in_phase():
    """Each burst ends when one packet more is accepted; the first packet of the next one arrives just too late."""
    case = (58, 0, 26_666, 133_333, 0, 5)
    assert math.isinf(Alone(*case, "drop-tail").finish)
    assert Alone(*case).finish < 12_000_000


def test_other_windows_and_timers():
    """Windows decide which packets a burst pushes out of the queue that the one before left; so do restarted timers."""
    assert len({Alone(79, 15_600, 20_000, 70_000, 0, 23, growth=growth).outcome for growth in (1, 4, 1000)}) == 3
    case = (298, 15_999_960, 88_888, 133_333, 88_888, 11, "drop-tail")
    assert Alone(*case, restart=True).finish != Alone(*case).finish


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
