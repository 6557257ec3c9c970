"""RFC 6349's metrics with the RFC's own example numbers."""

import pytest

from longfat.laws import tcp

#: Section 4.1.1 and table 4.1.2: Mbit/s, bytes around the packet of 1500, maximum throughput, as printed [Mbit/s].
LINKS = [(44.21, 8, "42.8"), (100.0, 38, "94.9"), (1000.0, 38, "949.2"), (10_000.0, 38, "9492")]


@pytest.mark.parametrize(("megabits", "framing", "printed"), LINKS)
def test_maximum_throughput(megabits, framing, printed):
    value = 8e-6 * tcp.achievable_throughput(megabits * 1e6 / 8, 1460, 40 + framing)
    unit = 10 ** len(printed.partition(".")[2])
    assert int(unit * value) / unit == float(printed)  # all are truncated: 949.28, 9492.84
    # The RFC's frames per second are rounded down: 3664, 8127, 81274, 812743.
    frames = megabits * 1e6 / ((1500 + framing) * 8)
    assert value == pytest.approx(frames * 11_680e-6, rel=1e-14)
    assert value >= int(frames) * 11_680e-6


def test_ideal_transfer_times_of_table_4_1_2():
    """100 MB, "rounded for simplicity": 18.0, 9.0, 1.0, 0.1 s; the T1's 571.0 is an erratum."""
    times = [tcp.ideal_transfer_time(100e6, rate * 1e6 / 8, 1460, 40 + framing) for rate, framing, _ in LINKS]
    assert times == pytest.approx([18.69, 8.428, 0.8428, 0.08428], rel=1e-3)
    for time, printed in zip(times[1:], (9.0, 1.0, 0.1), strict=True):
        assert time < printed < 1.2 * time
    t1 = tcp.ideal_transfer_time(100e6, 1.536e6 / 8, 1460, 48)
    assert t1 == pytest.approx(800 * 1508 / 1460 / 1.536, rel=1e-14)
    assert pytest.approx(800 / 1.4, abs=0.5) == 571.0
    assert t1 == pytest.approx(538, abs=0.5)
