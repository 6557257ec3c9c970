"""What TCP makes of a path: published rates, paths of one shape, and the loss up to which a link is full."""

import math

import pytest

from longfat.design import tcp
from longfat.design.replicating import Effort
from longfat.design.senders import SENDERS

RENO, CUBIC = SENDERS["reno"], SENDERS["cubic"]


def effort(replications=8, confidence=0.99):
    return Effort(0, replications, confidence, lambda done: None)


def mean(path, loss, runs=8):
    shares, _ = path.shares(loss, effort(runs))
    return sum(shares) / len(shares)


def test_the_laws_by_hand():
    path = tcp.TcpPath(1.25e9, 0.08, 1460, RENO)
    # sqrt(1.5/1e-4) = 122.4745 segments of 1460 bytes in 0.08 s
    assert path.law(1e-4) == pytest.approx(122.474487 * 1460 / 0.08, rel=1e-8)
    assert path.law(0) == path.law(1e-12) == 1.25e9  # no more than the link
    assert math.isnan(path.law(0.02))
    # 68493.15 segments are in flight; 1.5/(0.95 x 68493.15)^2 = 3.5428e-10
    assert path.law_loss(0.95) == pytest.approx(3.5428e-10, rel=1e-4)
    # RFC 9438, section 5, table 1, at 1e-5 and 0.1 s: an average window of 1054 segments
    cubic = tcp.TcpPath(1.25e9, 0.1, 1460, CUBIC)
    assert cubic.law(1e-5) == pytest.approx(1054 * 1460 / 0.1, rel=1e-3)
    # BBR of 2016: 4 packets in flight for 0.08 + 0.2 s in 10 s, and what is lost arrives later
    bbr = tcp.TcpPath(1.25e9, 0.08, 1460, SENDERS["bbr1"])
    assert bbr.law(0.01) == pytest.approx(1.25e9 * 0.99 * (1 - (1 - 4 / 68493.15) * 0.028), rel=1e-9)
    assert math.isnan(bbr.law(0.25))


def test_random_losses_against_the_published_constant(monkeypatch):
    """Mathis et al. 1997, table 1: 1.31/sqrt(p) segments where losses are random and each segment is acknowledged.

    Linux reduces its window in proportion to what arrives in recovery and counts in whole packets, so that it is up to
    7 % faster than the table's Reno (docs/linux.md, the cases with random loss).
    """
    monkeypatch.setattr(tcp, "LONGEST_CHECK", 600.0)  # many losses: one in 6.5 s
    path = tcp.TcpPath(1.25e9, 0.08, 1460, RENO)
    constant = mean(path, 1e-4, 16) * path.bandwidth_delay_product * math.sqrt(1e-4)
    assert 0.95 * 1.31 < constant < 1.1 * 1.31
    assert math.sqrt(1.5) < constant  # the constant of losses at equal distances


@pytest.mark.parametrize(("sender", "loss"), [(RENO, 2e-6), (CUBIC, 4e-6)])
@pytest.mark.long
def test_a_smaller_path_stands_for_a_larger_one(monkeypatch, sender, loss):
    """A path whose checks are long is simulated smaller; simulated as it is, it carries the same within 10 %."""
    path = tcp.TcpPath(18.75e6, 0.08, 1000, sender)  # 1500 packets
    small = mean(path, loss, 64)
    assert path.scaled(loss).ratio < 0.5
    monkeypatch.setattr(tcp, "MOST_PACKETS", math.inf)
    if sender is RENO:  # the larger path forgets its start, as the smaller one has
        monkeypatch.setattr(tcp, "LONGEST_SKIPPED", 100.0)
        monkeypatch.setattr(tcp, "LONGEST_CHECK", 600.0)
    assert path.scaled(loss).ratio == 1.0
    assert small == pytest.approx(mean(path, loss, 16 if sender is RENO else 64), rel=0.1)


def test_the_shape_of_a_smaller_path():
    """Reno keeps p N^2, CUBIC p N and C/N in the cubic region and p N^2 and C N^2 in the other one."""
    reno = tcp.TcpPath(1.25e9, 0.08, 1460, RENO).scaled(1e-9)
    assert reno.loss * reno.ratio**2 == pytest.approx(1e-9)
    assert reno.clock == reno.ratio == pytest.approx(math.sqrt(1e-9 / tcp.SCALED_LOSS))
    long = tcp.TcpPath(1.25e9, 0.08, 1460, CUBIC).scaled(1e-7)
    assert long.loss * long.ratio == pytest.approx(1e-7)
    assert long.parameters["c"] == pytest.approx(0.4 * long.ratio)
    assert (long.clock, long.parameters["reno_friendly"]) == (1.0, 0.0)
    short = tcp.TcpPath(1.25e9, 1e-3, 1460, CUBIC).scaled(1e-6)  # 856 packets, cubic from 64,000 on
    assert short.loss * short.ratio**2 == pytest.approx(1e-6)
    assert short.parameters["c"] == pytest.approx(0.4 / short.ratio**2)
    assert "reno_friendly" not in short.parameters


def test_without_loss_nothing_is_random():
    shares, _ = tcp.TcpPath(1.25e6, 0.02, 1000, RENO).shares(0.0, effort())
    assert shares == [pytest.approx(1, abs=0.01)]  # a buffer of one product fills the link


def test_a_check_lasts_ten_cycles_between_half_a_minute_and_a_minute():
    # 5 MB/s, 0.02 s: 100 packets, with the buffer 200; Reno adds 100 packets in 100 round trips of 0.03 s: 3 s
    assert tcp.TcpPath(5e6, 0.02, 1000, RENO).check(0.0) == (6, 30.0)
    assert tcp.TcpPath(1.25e9, 0.1, 1460, RENO).check(0.0) == (20, 60.0)
    assert tcp.TcpPath(5e6, 0.02, 1000, RENO).check(0.01) == (5, 30.0)


def test_the_loss_that_fills_the_link():
    path = tcp.TcpPath(1.25e6, 0.02, 1250, RENO)  # 20 segments
    found = tcp.loss_that_fills(path, 0.9, effort(4))
    assert mean(path, found, 4) >= 0.9 > mean(path, tcp.FINENESS * found, 4)


@pytest.mark.parametrize("largest", [1e-3 / 250, 1e-3, 3.9e-3])
def test_the_largest_loss(largest):
    found = tcp.largest_loss(lambda loss: loss <= largest, 1e-3)
    assert largest / tcp.FINENESS <= found <= largest


def test_no_loss_is_small_enough():
    assert math.isnan(tcp.largest_loss(lambda loss: False, 1e-3))
