"""Credit windows: numbers that people print."""

import pytest

from longfat.laws import credits


def test_numbers_that_people_print():
    """65,535 bytes over 485 kB in flight: 13 % (grpc/grpc-java#329); 4 MiB at 100 ms: 40 MB/s (grpc/grpc-go#2400)."""
    shares = [credits.throughput(65535, update, 485e3, 1.0) / 485e3 for update in (1, 32767)]
    assert [round(100 * one, 1) for one in shares] == [13.5, 12.7]
    assert credits.throughput(2**22, 1, 1.25e9, 0.1) == pytest.approx(41.94e6, rel=1e-3)
