"""Corners of domains where a plain formula loses its digits in floats: against 50 digits, with slopes."""

import jax
import mpmath
import numpy as np
import pytest

from longfat import laws

NEXT = 1 + 2.0**-52  # the float after 1


def adaptive(k, growth):
    return (growth ** (k + 1) - 1) / (growth - 1)


def mean_queue(buffer, decrease):
    """Return the law in its printed form."""
    s, f = 1 / (1 + buffer), buffer / (1 + buffer)
    y, climb = max(decrease - s, 0), f - max(decrease - s, 0)
    up = climb * ((f * f + f * y + y * y) / 3 + s * (f + y) / 2)
    return (1 + buffer) * up / (s * max(s - decrease, 0) + climb * (1 + max(decrease, s)) / 2)


def startup(growth):
    return growth**2 * mpmath.log(growth) / (growth - 1)


@pytest.mark.parametrize(
    ("law", "formula", "point"),
    [
        (laws.credits.adaptive_allocation, adaptive, (7, 1.000000001)),
        (laws.credits.adaptive_allocation, adaptive, (7, NEXT)),
        (laws.credits.adaptive_allocation, adaptive, (20, 10.0)),
        (laws.tcp.aimd_mean_queue, mean_queue, (1e-9, 1 - 2.0**-53)),
        (laws.tcp.aimd_mean_queue, mean_queue, (1e-9, 0.5)),
        (laws.bbr.startup_pacing_gain, startup, (1 + 1e-9,)),
        (laws.bbr.startup_pacing_gain, startup, (1e5,)),
    ],
)
def test_values_and_slopes_against_50_digits(law, formula, point):
    with mpmath.workdps(50):
        exact = [mpmath.mpf(x) for x in point]
        expected = formula(*exact)
        last = len(point) - 1
        slope = mpmath.diff(lambda x: formula(*exact[:-1], x), exact[-1], h=mpmath.mpf(10) ** -25)
    assert law(*point) == pytest.approx(float(expected), rel=1e-13)
    assert float(jax.grad(law, last)(*map(float, point))) == pytest.approx(float(slope), rel=1e-9)


@pytest.mark.parametrize(("packet", "growth"), [(1, NEXT), (2, NEXT), (3, NEXT), (5, NEXT), (2, 1 + 1e-9), (3, 1.01)])
def test_priorities_of_windows_that_hardly_grow(packet, growth):
    """The first packet of window k is 1 + g + ... + g^(k-1), which is more than k for k >= 2."""
    with mpmath.workdps(50):
        first, k = mpmath.mpf(0), 0
        while first + mpmath.mpf(growth) ** k <= packet:
            first, k = first + mpmath.mpf(growth) ** k, k + 1
    assert laws.blt.packet_priority(packet, growth) == k
    assert np.all(laws.blt.packet_priority(range(6), 1.0) == range(6))
