"""Buffer sizing: values by hand, windows drawn at random against the bound, Appenzeller's constant."""

import math

import numpy as np
import pytest

from longfat.laws import buffers, cubic, tcp


def test_synchronised_by_hand():
    assert buffers.buffer_for_synchronised(0.5) == 1
    assert buffers.buffer_for_synchronised(0.7) == pytest.approx(3 / 7, rel=1e-15)
    for beta in (0.3, 0.5, 0.7, 0.9):
        buffer = buffers.buffer_for_synchronised(beta)
        for utilisation in (cubic.utilisation, tcp.aimd_utilisation_general):
            assert utilisation(buffer, beta) == pytest.approx(1, abs=1e-15)
            assert utilisation(0.9 * buffer, beta) < 1


def test_deviation_of_reno():
    # "Sizing Router Buffers" (SIGCOMM 2004), section 3: sigma = 1/(3 sqrt 3) of the mean of one window, over sqrt(n)
    assert buffers.deviation_of_total_window(25) == pytest.approx(1 / (15 * math.sqrt(3)), rel=1e-14)


@pytest.mark.parametrize(("flows", "share", "beta"), [(16, 0.3, 0.5), (100, 0.1, 0.5), (100, 0.05, 0.7)])
def test_desynchronised_suffices(flows, share, beta):
    """The sums of drawn windows with mean 1 + B/2 are below 1, and above 1 + B, less often than the share allows."""
    buffer = buffers.buffer_for_desynchronised(flows, share, beta)
    window = 2 * (1 + buffer / 2) / (flows * (1 + beta))
    sums = window * np.random.default_rng(2).uniform(beta, 1, (20_000, flows)).sum(axis=1)
    assert 0 <= (sums < 1).mean() < share
    assert 0 <= (sums > 1 + buffer).mean() < share
    # A tenth of the buffer does not suffice.
    window = 2 * (1 + buffer / 20) / (flows * (1 + beta))
    sums = window * np.random.default_rng(2).uniform(beta, 1, (20_000, flows)).sum(axis=1)
    assert (sums < 1).mean() > share


def test_desynchronised_by_hand():
    # q = exp(-2): sqrt(2 ln(1/q)) = 2; beta = 1/2: a = 2/3; n = 16: (4/3)/(4 - 2/3) = 2/5
    assert buffers.buffer_for_desynchronised(16, math.exp(-2)) == pytest.approx(0.4, rel=1e-14)
    assert buffers.buffer_for_desynchronised(1, 0.01, 0.1) == math.inf  # a = (0.9/1.1) 3.03 > 1
    many = [buffers.buffer_for_desynchronised(n, 0.01) * math.sqrt(n) for n in (1e6, 1e8)]
    assert many[0] == pytest.approx(many[1], rel=1e-2)  # 1/sqrt(n)


def test_policer_by_hand():
    """N = 90: (1/3)^2 90^2/2 = 450 packets for Reno; 3/4 (1 + 2/90) = 23/30 with two, the middle with a quarter."""
    assert buffers.burst_for_policed_rate(90) == pytest.approx(450, rel=1e-14)
    assert buffers.policed_utilisation(2, 90) == pytest.approx(23 / 30, rel=1e-14)
    assert buffers.policed_utilisation(450 / 4, 90) == pytest.approx(0.875, rel=1e-14)
    assert buffers.policed_utilisation(450, 90) == pytest.approx(1, rel=1e-14)
    assert buffers.policed_utilisation(900, 90) == 1
    assert buffers.policed_utilisation(4, 90, 0.5, 2) == pytest.approx(47 / 60, rel=1e-14)  # 3/4 (1 + sqrt(16)/90)


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


def test_bursts_of_shapers_by_hand():
    """10 kB of tokens at 1 MB/s for 5 s; packets of 1 kB through 3.5 kB, at 1 MB/s with a timer 4 ms late.

    Three packets leave, 0.5 kB stay: 0.5 ms later there are tokens for one, and 4 ms later the timer expires. 3 kB in
    4.5 ms. The bucket that holds all tokens of that time is 1 + 4 kB.
    """
    assert buffers.shaped_rate(1e6, 1e4, 5.0) == pytest.approx(1.002e6, rel=1e-14)
    assert buffers.shaped_utilisation(3500, 1000, 1e6, 0.004) == pytest.approx(3 / 4.5, rel=1e-14)
    assert buffers.burst_for_shaped_rate(1000, 1e6, 0.004) == pytest.approx(5000, rel=1e-14)
    assert buffers.shaped_utilisation(5000, 1000, 1e6, 0.004) == 1
    assert buffers.shaped_utilisation(4999, 1000, 1e6, 0.004) < 1
    assert buffers.shaped_utilisation(999, 1000, 1e6, 0.004) == 0  # no packet fits


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
