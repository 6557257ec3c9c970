"""Delay bounds: values by hand and limits."""

import pytest

from longfat.laws import guarantees


def test_values_by_hand():
    """10 kB at 1 MB/s: 10 ms. Three links: 2 kB more at 1 MB/s, and three packets of 1500 bytes at 10 MB/s, 0.45 ms."""
    assert guarantees.fluid_delay_bound(10_000, 1e6) == pytest.approx(0.010, rel=1e-15)
    assert guarantees.delay_bound(10_000, 1e6, 1000, 1500, 1e7) == pytest.approx(0.01015, rel=1e-15)
    assert guarantees.delay_bound(10_000, 1e6, 1000, 1500, 1e7, hops=3) == pytest.approx(0.01245, rel=1e-15)


def test_limits():
    """A flow alone on a link with bursts of one packet waits for one packet at most; small packets are the fluid."""
    assert guarantees.delay_bound(1500, 1e6, 1500, 1500, 1e6) == pytest.approx(2 * 0.0015)
    assert guarantees.delay_bound(10_000, 1e6, 1e-9, 1e-9, 1e7, 30) == pytest.approx(0.01, rel=1e-9)
    with pytest.raises(ValueError, match="hops"):
        guarantees.delay_bound(10_000, 1e6, 1000, 1500, 1e7, hops=0)
