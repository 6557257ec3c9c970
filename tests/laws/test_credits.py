"""Credit windows: numbers that people print, and limits."""

import pytest

from longfat.laws import credits


def test_numbers_that_people_print():
    """65,535 bytes over 485 kB in flight: 13 % (grpc/grpc-java#329); 4 MiB at 100 ms: 40 MB/s (grpc/grpc-go#2400)."""
    shares = [credits.throughput(65535, update, 485e3, 1.0) / 485e3 for update in (1, 32767)]
    assert [round(100 * one, 1) for one in shares] == [13.5, 12.7]
    assert credits.throughput(2**22, 1, 1.25e9, 0.1) == pytest.approx(41.94e6, rel=1e-3)


def test_an_update_above_half_of_the_window_halves_the_throughput():
    slow, fast = (credits.throughput(65535, update, 125e6, 0.1) for update in (32768, 32767))
    assert fast / slow == pytest.approx(2, rel=0.003)


@pytest.mark.parametrize("update", [1, 3, 10])
def test_the_path_is_full_from_its_product_and_an_update_on(update):
    assert credits.throughput(update + 50, update, 1.0, 50.0) == 1.0
    assert credits.throughput(update + 49, update, 1.0, 50.0) < 1.0
    assert credits.window_for_rate(update, 1.0, 50.0) == update + 50
    for rate in (0.1, 0.37, 0.9):
        window = -(-credits.window_for_rate(update, rate, 50.0) // 1)  # rounded up
        assert credits.throughput(window, update, 1.0, 50.0) >= rate
