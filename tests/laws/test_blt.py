"""The BLT laws against windows built packet by packet."""

import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import sympy

from longfat.laws import blt

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


@pytest.mark.parametrize(
    ("bad", "message"), [((0.5, 2), "advantage = 0.5"), ((2, 0), "packets = 0"), ((2, [2, 2.5]), r"packets\[1\] = 2.5")]
)
def test_product_outside_the_domain(bad, message):
    with pytest.raises(ValueError, match=message):
        blt.bandwidth_delay_product_for_advantage(*bad)
