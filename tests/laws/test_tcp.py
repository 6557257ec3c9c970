"""The TCP laws: rates as printed, rounds of slow start, and the test of SEARCH by integration."""

import math

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from longfat.laws import tcp


def test_buffer_for_utilisation():
    assert math.isinf(jax.grad(tcp.buffer_for_utilisation)(1.0))
    # Next above 3/4 the plain (1 - y)/(1 + y) has no digit left: 4 (U - 3/4) / (U (1 + 1)^2) = (4/3) 2^-53.
    near = np.nextafter(0.75, 1)
    assert tcp.buffer_for_utilisation(near) == pytest.approx((near - 0.75) / 0.75, rel=1e-9)


# Rates


@pytest.mark.parametrize(
    ("loss", "packets", "without_timeouts"),
    [
        (1e-4, "122", "122"),
        (1e-3, "38.4", "38.7"),
        (1e-2, "11.2", "12.2"),
        (0.05, "3.69", "5.48"),
        (0.1, "1.77", "3.87"),
    ],
)
def test_tfrc_values(loss, packets, without_timeouts):
    """Packets per round trip for t_RTO = 4 R, b = 1, and the square root alone: to the digits given."""
    assert f"{tcp.pftk_rate(loss, 0.05, 0.2) * 0.05:.3g}" == packets
    assert f"{tcp.square_root_rate(loss, 0.05) * 0.05:.3g}" == without_timeouts


# Slow start


def rounds_by_doubling(packets, window):
    rounds = 0
    while packets > 0:
        packets, window, rounds = packets - window, 2 * window, rounds + 1
    return rounds


def test_rounds():
    for initial in (1, 2, 3, 4, 7, 10):
        n = np.arange(1.0, 3000)
        expected = [rounds_by_doubling(k, initial) for k in range(1, 3000)]
        np.testing.assert_array_equal(tcp.slow_start_rounds(n, initial), expected)
        np.testing.assert_array_equal(tcp.slow_start_rounds(n.astype(np.float32), initial), expected)
        np.testing.assert_array_equal(jax.jit(tcp.slow_start_rounds)(jnp.asarray(n), initial), expected)
    assert tcp.slow_start_rounds(2.0**1000) == 1001


@pytest.mark.parametrize("rounds", [20, 29, 31, 47, 52])
def test_rounds_of_long_files_are_exact(rounds):
    """log(2^29)/log(2) is above 29 in floats, and that of 2^47 + 1 is that of 2^47."""
    full = 2.0**rounds - 1
    assert tcp.slow_start_rounds(full) == rounds
    assert tcp.slow_start_rounds(full + 1) == rounds + 1
    with mpmath.workdps(20):
        assert tcp.slow_start_rounds(mpmath.mpf(full)) == rounds
        assert tcp.slow_start_rounds(mpmath.mpf(full + 1)) == rounds + 1


# SEARCH


@pytest.mark.parametrize("after", [0.5, 1.34, 3.0, 3.881, 6.0])
def test_search_difference_by_integration(after):
    """Rates integrated and the departure sought, in 30 digits: neither uses the closed form."""
    with mpmath.workdps(30):

        def acknowledged(until):
            parts = [-60, min(until, 0)] + ([until] if until > 0 else [])
            return mpmath.quad(lambda u: mpmath.mpf(2) ** u if u < 0 else mpmath.mpf(1), parts)

        departure = mpmath.findroot(lambda y: 2 * acknowledged(y) - acknowledged(after), (after - 2, after - 1))
        sent = 2 * (acknowledged(departure) - acknowledged(departure - 3.5))
        delivered = acknowledged(after) - acknowledged(after - 3.5)
        assert tcp.search_difference(after) == pytest.approx(float((sent - delivered) / sent), rel=1e-9)
