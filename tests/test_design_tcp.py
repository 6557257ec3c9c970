"""What TCP makes of a path: published rates, paths of one shape, and the loss up to which a link is full."""

import math

import numpy as np
import pytest

from longfat import design
from longfat.design import tcp
from longfat.design.replicating import Effort

LONG = {"rate": "10Gbit/s", "round_trip_time": "80ms", "segment": "16KiB", "packet": "1024B", "points": 0}


def effort(replications=8, confidence=0.99):
    return Effort(0, replications, confidence, lambda done: None)


def test_the_law_by_hand():
    path = tcp.TcpPath(1.25e9, 0.08, 1460)
    # sqrt(1.5/1e-4) = 122.4745 segments of 1460 bytes in 0.08 s
    assert path.law(1e-4) == pytest.approx(122.474487 * 1460 / 0.08, rel=1e-8)
    assert path.law(0) == path.law(1e-12) == 1.25e9  # no more than the link
    assert math.isnan(path.law(0.02))
    # 68493.15 segments are in flight; 1.5/(0.95 x 68493.15)^2 = 3.5428e-10
    assert path.law_loss(0.95) == pytest.approx(3.5428e-10, rel=1e-4)


def test_random_losses_against_the_published_constant():
    """Mathis et al. 1997, table 1: 1.31/sqrt(p) segments where losses are random and each segment is acknowledged."""
    path = tcp.TcpPath(1.25e9, 0.08, 1460)
    share = path.share(1e-4, effort(32, 0.95))
    low, high = (share[f"share{end}"] * path.bandwidth_delay_product * math.sqrt(1e-4) for end in ("_lower", "_upper"))
    assert 0.95 * 1.31 < low < high < 1.05 * 1.31  # the limit for small p; recovery takes 2 % off at this one
    assert math.sqrt(1.5) < low  # the constant of periodic losses lies outside


@pytest.mark.parametrize("shape", [0.5, pytest.param(2.0, marks=pytest.mark.long), 50.0])
def test_paths_of_equal_shape_carry_equal_shares(monkeypatch, shape):
    """The share depends on p N^2 only: paths ten times apart in loss differ by less than 6 %, simulated as they are."""
    monkeypatch.setattr(tcp, "SCALED_LOSS", 0.0)
    shares = []
    for loss in (5e-5, 5e-4):
        products = math.sqrt(shape / loss)
        path = tcp.TcpPath(products * 1000 / 0.1, 0.1, 1000)
        shares.append(path.share(loss, effort(8)))
    one, ten = shares
    assert one["share"] == pytest.approx(ten["share"], rel=0.06)
    assert one["share_lower"] < ten["share_upper"]
    assert ten["share_lower"] < one["share_upper"]


def test_a_smaller_path_stands_for_a_larger_one():
    """1e-9 on 68493 segments has p N^2 = 4.69, as 1e-4 has on 216.6 segments."""
    large, small = tcp.TcpPath(1.25e9, 0.08, 1460), tcp.TcpPath(216.5943 * 1460 / 0.08, 0.08, 1460)
    assert large.share(1e-9, effort())["share"] == pytest.approx(small.share(1e-4, effort())["share"], rel=0.02)


def test_without_loss_nothing_is_random():
    share = tcp.TcpPath(1.25e6, 0.02, 1000).share(0.0, effort())
    assert share["share"] == pytest.approx(1, abs=0.01)  # a buffer of one product fills the link
    assert math.isnan(share["share_lower"])
    assert math.isnan(share["share_upper"])


def test_the_loss_that_fills_the_link():
    path = tcp.TcpPath(1.25e6, 0.02, 1250)  # 20 segments
    found = tcp.loss_that_fills(path, 0.9, effort())
    assert path.share(found, effort())["share_lower"] >= 0.9
    assert path.share(1.2 * found, effort())["share_lower"] < 0.9


@pytest.mark.parametrize("largest", [1e-3 / 250, 1e-3, 3.9e-3])
def test_the_largest_loss(largest):
    found = tcp.largest_loss(lambda loss: loss <= largest, 1e-3)
    assert largest / tcp.FINENESS <= found <= largest


def test_no_loss_is_small_enough():
    assert math.isnan(tcp.largest_loss(lambda loss: False, 1e-3))


def test_the_answer_of_a_long_path():
    """10 Gbit/s, 80 ms, 1e-4: some 20 Mbit/s of TCP, whatever the window of selective repeat is."""
    data = design.window(loss=[0, 1e-4], **LONG)
    assert 15e6 / 8 < float(data.tcp_rate_lower[1]) < float(data.tcp_rate_upper[1]) < 25e6 / 8
    assert float(data.tcp_rate[0]) == pytest.approx(1.25e9, rel=0.01)
    assert np.isnan(data.tcp_rate_lower[0])
    assert 3e-11 < float(data.tcp_filling_loss) < float(data.tcp_filling_loss_law)
    # two products of 100 MB, of which Linux needs twice as much memory
    assert data.attrs["tcp_receive_window"] == pytest.approx(2e8)
    assert data.attrs["tcp_linux_receive_buffer"] == pytest.approx(4e8)
    assert "no congestion control" in data.attrs["protocol"]


def test_the_law_alone():
    data = design.window(loss=1e-4, replications=0, receive_buffer=False, **LONG)
    assert "tcp_rate" not in data
    assert "tcp_filling_loss" not in data
    assert "buffer_segments" not in data
    assert float(data.tcp_rate_law) == pytest.approx(122.474487 * 1460 / 0.08, rel=1e-8)
