"""Buffers of policers and shapers: a loop over packets, and measurements of others."""

import pytest

from longfat.laws import buffers


@pytest.mark.parametrize(("bucket", "beta"), [(2, 0.5), (50, 0.5), (200, 0.7), (2000, 0.5)])
def test_a_policer_in_a_loop_over_packets(bucket, beta):
    """A window of 100 packets in a round trip fits; a packet that finds no token ends the round trip's growth."""
    tokens, window, passed, rounds, fits = float(bucket), 60.0, 0.0, 0, 100
    for k in range(4000):
        tokens = min(float(bucket), tokens + fits - window)  # of a fluid: in steps of a round trip
        lost = tokens < 0
        tokens = max(tokens, 0.0)
        passed, rounds = passed + window * (k >= 1000), rounds + (k >= 1000)
        window = beta * window if lost else window + 1
    law = buffers.policed_utilisation(bucket, fits, beta)
    assert passed / rounds / fits == pytest.approx(law, abs=0.02)


def test_bursts_in_the_field():
    """Two measurements of others: kubernetes/kubernetes #90838 and Ozark-Connect/NetworkOptimizer #1006.

    tbf with 10 Mbit/s and burst 256Mb, which tc means as 2^28 bytes: iperf3 counted 238 and 21.2 MiB in the first two
    seconds (1.99 Gbit/s in the first), and 1.25 MiB in each later one.
    """
    two_seconds = (238 + 21.2) * 2**20 / 2
    assert buffers.shaped_rate(1.25e6, 2**28, 2.0) == pytest.approx(two_seconds, rel=0.005)
    assert 1.99e9 < 8 * buffers.shaped_rate(1.25e6, 2**28, 1.0) < 2.2e9
    # htb with 900 Mbit/s, packets of 1492 bytes and a burst of 5 kB: 65 to 70 % of the rate; with 1 ms of the rate no
    # loss is reported. Both hold with a timer that is late by 70 us, a fitted number.
    rate, late, packet = 900e6 / 8, 70e-6, 1492
    assert 0.65 < buffers.shaped_utilisation(5000 + packet, packet, rate, late) < 0.70
    assert buffers.shaped_utilisation(1e-3 * rate + packet, packet, rate, late) == 1
