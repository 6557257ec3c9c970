"""What TCP makes of a path: published rates, paths of one shape, parallel flows, windows and buffers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from longfat import design
from longfat.design import tcp, tcp_windows
from longfat.design.replicating import Effort, measured
from longfat.design.senders import SENDERS
from longfat.sim import Network, schemes

RENO, CUBIC = SENDERS["reno"], SENDERS["cubic"]


def effort(replications=8, confidence=0.99):
    return Effort(0, replications, confidence, lambda done: None)


def mean(path, loss, runs=8):
    return average(path.checks(loss, effort(runs)))


def average(runs):
    return sum(run.share for run in runs) / len(runs)


def watched(rate, trip, loss, begin, lasts, runs, ratio=1.0):
    """Return the mean share that CUBIC carries over a path of ``ratio`` times the rate, and its standard error.

    RFC 9438, equation 1: W over the capacity has the same course in time if C is in proportion to the capacity, and as
    many packets are lost in a second if p is in inverse proportion.
    """
    given = schemes.linux("cubic") | ({"c": 0.4 * ratio, "reno_friendly": 0.0} if ratio < 1 else {})
    rate *= ratio

    def network():
        room = round(rate * trip / 1448)
        net = Network().link("a", "b", rate=rate, delay=trip / 2, buffer=room, loss=loss / ratio)
        return net.flow("cubic", path=["a", "b"], packet=1448, ack_path="ideal", parameters=given)

    streams = np.random.SeedSequence(1).spawn(runs)
    found = measured([network() for _ in streams], streams, begin, begin + lasts, lambda done: None)
    shares = [float(run["goodput"][0]) / rate for run in found]
    return np.mean(shares), np.std(shares, ddof=1) / math.sqrt(runs)


def test_the_laws_by_hand():
    path = tcp.TcpPath(1.25e9, 0.08, 1460, RENO)
    # sqrt(1.5/1e-4) = 122.4745 segments of 1460 bytes in 0.08 s
    assert path.law(1e-4) == pytest.approx(122.474487 * 1460 / 0.08, rel=1e-8)
    assert path.law(0) == path.law(1e-12) == 1.25e9  # no more than the link
    assert math.isnan(path.law(0.02))
    # 68493.15 segments are in flight; 1.5/(0.95 x 68493.15)^2 = 3.5428e-10
    assert path.law_loss(0.95) == pytest.approx(3.5428e-10, rel=1e-4)
    # derivations/cubic_random.py: 1.50415 with fast convergence; x 0.4^(1/4) x (0.1/1e-5)^(3/4) = 1196.2 segments
    cubic = tcp.TcpPath(1.25e9, 0.1, 1460, CUBIC)
    assert cubic.law(1e-5) == pytest.approx(1196.2 * 1460 / 0.1, rel=1e-3)
    # Reno-friendly above 5.48e-4 at 0.1 s: sqrt(1.5/0.002) = 27.386
    assert cubic.law(0.002) == pytest.approx(27.386 * 1460 / 0.1, rel=1e-4)
    # the inverse: 1196.2 segments are 0.95 of 1259.16
    small = tcp.TcpPath(1259.16 * 1460 / 0.1, 0.1, 1460, CUBIC)
    assert small.law_loss(0.95) == pytest.approx(1e-5, rel=1e-3)
    # BBR of 2016: 4 packets in flight, 1/17123.29 of the product, for three round trips of ProbeRTT and one before it,
    # in 10 s, these 0.24 s, and the one before; what is lost arrives later
    bbr, left = tcp.TcpPath(1.25e9, 0.08, 1460, SENDERS["bbr1"]), 1 - 4 / 68493.15
    assert bbr.law(0.01) == pytest.approx(1.25e9 * 0.99 * (1 - left * 0.32 / (10.24 + left * 0.08)), rel=1e-9)
    assert math.isnan(bbr.law(0.25))


def test_random_losses_against_the_published_constant():
    """Mathis et al. 1997, table 1: 1.31/sqrt(p) segments where losses are random and each segment is acknowledged.

    Linux reduces its window in proportion to what arrives in recovery and counts in whole packets, so that it is up to
    7 % faster than the table's Reno (docs/linux.md, the cases with random loss).
    """
    path = tcp.TcpPath(1.25e9, 0.08, 1460, RENO)
    constant = average(path.transfers(1e-4, effort(16))) * path.bandwidth_delay_product * math.sqrt(1e-4)
    assert 0.95 * 1.31 < constant < 1.1 * 1.31
    assert math.sqrt(1.5) < constant  # the constant of losses at equal distances


#: Rate [bytes/s], round-trip time [s], loss; times that are skipped and observed [s], runs, and the ratio of the
#: simulated path to the given one. A cycle, 1/p packets, lasts 4.7, 20, 8.4 and 12 s.
SHORT_RUNS = (125e6, 0.1, 1e-4, 50.0, 600.0, 4, 1.0)
LONG_RUNS = [(1.25e9, 0.08, 2.5e-7, 200.0, 1500.0, 4, 0.1), (125e6, 0.1, 1e-5, 100.0, 1000.0, 6, 1.0),
             (125e6, 0.02, 1e-6, 120.0, 600.0, 3, 1.0)]  # fmt: skip


@pytest.mark.parametrize("setting", [SHORT_RUNS, *(pytest.param(one, marks=pytest.mark.long) for one in LONG_RUNS)])
def test_long_transfers_against_runs_of_minutes_and_hours(setting):
    """Long transfers, on the smallest paths, carry what a flow does in 500 s and more on the path or a tenth of it."""
    rate, trip, loss, *_ = setting
    seen, error = watched(*setting)
    runs = tcp.TcpPath(rate, trip, 1448, CUBIC).transfers(loss, effort(12))
    own = np.std([run.share for run in runs], ddof=1) / math.sqrt(len(runs))
    assert abs(average(runs) - seen) < 0.03 * seen + 3 * math.hypot(error, own)


@pytest.mark.parametrize(("sender", "loss"), [(RENO, 2e-6), (CUBIC, 4e-6)])
@pytest.mark.long
def test_a_smaller_path_stands_for_a_larger_one(monkeypatch, sender, loss):
    """A path whose checks are long is simulated smaller; simulated as it is, it carries the same within 10 %."""
    path = tcp.TcpPath(18.75e6, 0.08, 1000, sender)  # 1500 packets
    small = mean(path, loss, 64)
    assert path.scaled(loss).ratio < 0.5
    monkeypatch.setattr(tcp, "MOST_PACKETS", math.inf)
    assert path.scaled(loss).ratio == 1.0
    assert small == pytest.approx(mean(path, loss, 64), rel=0.1)


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
    # a long transfer of 60 packets and 20 round trips in a cycle: p N/k and C k^3/N
    fast = tcp.TcpPath(1.25e9, 0.08, 1460, CUBIC).scaled_long(1e-7)
    assert fast.loss * fast.ratio * fast.clock == pytest.approx(1e-7)
    assert fast.parameters["c"] * fast.clock**3 == pytest.approx(0.4 * fast.ratio)
    assert fast.loss == pytest.approx(1 / 60 / 20)


def test_a_check_of_reno_on_a_large_path_begins_where_slow_start_ends():
    """Its window falls slowly: 1/W grows by p/(2 R) in a second, from 1/65953, to 1/21650 in 20 s and 1/7134 in 80 s.

    The mean window of a long transfer is 1.31/sqrt(p) = 2620.
    """
    path = tcp.TcpPath(65953 * 1448 / 0.08, 0.08, 1448, RENO)
    assert 7134 / 65953 < mean(path, 2.5e-7, 16) < 2 * 21650 / 65953


def test_without_loss_nothing_is_random():
    path = tcp.TcpPath(1.25e6, 0.02, 1000, RENO)
    for runs in (path.checks(0.0, effort()), path.transfers(0.0, effort())):
        assert [run.share for run in runs] == [pytest.approx(1, abs=0.01)]  # a buffer of one product fills the link


def test_a_check_lasts_ten_cycles_between_half_a_minute_and_a_minute():
    # 5 MB/s, 0.02 s: 100 packets, with the buffer 200; Reno adds 100 packets in 100 round trips of 0.03 s: 3 s
    assert tcp.TcpPath(5e6, 0.02, 1000, RENO).check(0.0) == (6, 30.0)
    assert tcp.TcpPath(1.25e9, 0.1, 1460, RENO).check(0.0) == (20, 60.0)
    assert tcp.TcpPath(5e6, 0.02, 1000, RENO).check(0.01) == (5, 30.0)


# Parallel flows


def test_the_laws_of_parallel_flows_by_hand():
    """10,000 packets in a round trip of 0.1 s; at p = 1e-4 a Reno flow has sqrt(1.5/1e-4) = 122.474 of them."""
    eight = tcp.TcpPath(1.25e8, 0.1, 1250, RENO, flows=8)
    assert eight.law(1e-4) == pytest.approx(8 * 122.474487 * 1250 / 0.1, rel=1e-8)
    assert eight.law(1e-9) == 1.25e8  # no more than the link
    # 9500/8 = 1187.5 packets for each: 1.5/1187.5^2
    assert eight.law_loss(0.95) == pytest.approx(1.06371e-6, rel=1e-5)
    # 9500/122.474 = 77.57
    assert [eight.law_streams(loss, 0.95) for loss in (0.0, 1e-4)] == [1, 78]
    assert math.isnan(eight.law_streams(0.02, 0.95))  # timeouts: the law is unknown
    # windows of 2 x 10,000/8 packets: 8/(3 x 2500^2)
    assert eight.law_own_loss() == pytest.approx(4.26667e-7, rel=1e-5)
    # BBR version 1 keeps its rate up to a loss of 0.13; above, no number of flows is known to
    bbr = tcp.TcpPath(1.25e8, 0.1, 1250, SENDERS["bbr1"])
    assert [bbr.law_streams(loss, 0.9) for loss in (0.01, 0.3)] == [1, pytest.approx(math.nan, nan_ok=True)]
    assert math.isnan(bbr.law_own_loss())


@pytest.mark.parametrize(("sender", "low", "high"), [(RENO, 0.97, 1.08), (CUBIC, 0.95, 1.13)])
@pytest.mark.parametrize("loss", [1e-4, 1e-3])
@pytest.mark.parametrize("flows", [8, *(pytest.param(one, marks=pytest.mark.long) for one in (2, 32))])
def test_parallel_flows_at_random_losses(sender, low, high, loss, flows):
    """Rates far below the link's are those of one flow times their number.

    The law of Reno has losses at equal distances, random ones allow 7 % more. That of CUBIC is the larger of two
    regions, which meet at these losses: one flow is up to 10 % faster there, too.
    """
    path = tcp.TcpPath(1.25e9, 0.05, 1448, sender, flows=flows)
    found = tcp.limits([run.share for run in path.transfers(loss, effort(6))], 0.99)
    law = path.law(loss) / path.rate
    assert found["upper"] > low * law
    assert found["lower"] < high * law


def test_several_flows_begin_at_random():
    runs = tcp.TcpPath(1.25e6, 0.02, 1000, RENO, flows=2).transfers(0.0, effort(3))
    assert len(runs) == 3
    assert all(run.share == pytest.approx(1, abs=0.01) for run in runs)


def test_overflows_of_the_flows_replace_the_losses_of_the_path():
    """500 packets and a buffer of 50; at p = 1e-4 four flows of 122 packets fill the path.

    40 flows have windows of 13.75 packets where they lose: 8/(3 x 13.75^2) = 0.0141, with which more flows add losses.
    """
    few, many = (tcp.TcpPath(1.25e7, 0.05, 1250, RENO, 0.1, flows) for flows in (2, 40))
    assert few.law_own_loss() < 1e-4 < many.law_own_loss() == pytest.approx(0.0141, rel=0.01)
    shares = [average(one.transfers(1e-4, effort(4))) for one in (few, many)]
    assert shares[0] == pytest.approx(2 * 122.47 / 500, rel=0.1)
    assert 0.85 < shares[1] < 0.99  # far from 40 x 122.47/500: the buffer is short


@pytest.mark.parametrize(("rate", "trip", "loss", "sender", "flows"), [
    (1.25e7, 0.05, 1e-4, RENO, 4),  # 500 packets; the law has 475/122.47 = 3.88
    (1.25e8, 0.02, 1e-5, CUBIC, 5),
    pytest.param(1.25e9, 0.08, 1e-6, CUBIC, 11, marks=pytest.mark.long),
    pytest.param(1.25e8, 0.1, 1e-4, CUBIC, 37, marks=pytest.mark.long),
])  # fmt: skip
def test_the_number_of_flows_by_law_nearly_fills_the_link(rate, trip, loss, sender, flows):
    """The accuracy that docs/streams.md states: 0.90 of the link or more with a buffer of 1 BDP, 0.82 with 0.1."""
    path = tcp.TcpPath(0.953 * rate, trip, 1448 if sender is CUBIC else 1250, sender)
    assert path.law_streams(loss, 0.95) == flows
    for buffer, least in ((1.0, 0.90), (0.1, 0.82)):
        runs = replace(path, flows=flows, buffer=buffer).transfers(loss, effort(3))
        assert tcp.limits([run.share for run in runs], 0.95)["upper"] > least


@pytest.mark.parametrize(("rate", "trip", "buffer", "share"), [
    (1.25e8, 0.01, 0.01, 0.868), (1.25e8, 0.01, 0.05, 0.913),  # 8 and 41 packets
    (1.25e6, 0.02, 0.01, 0.105),  # one packet: half of the link in the first two seconds
])  # fmt: skip
def test_a_smaller_path_has_a_buffer_of_packets(rate, trip, buffer, share):
    """The shares are those of `longfat.sim.run` over the path itself, 100 s and 300 s long."""
    path = tcp.TcpPath(0.9534 * rate, trip, 1448, CUBIC, buffer)
    assert average(path.transfers(0.0, effort(2))) == pytest.approx(share, abs=0.02)
    assert average(path.checks(0.0, effort(2))) == pytest.approx(share, abs=0.03)


def test_time_does_not_pass_faster_over_a_buffer_of_few_packets():
    """Over the path itself CUBIC carries 0.2 of 10 Gbit/s at 100 ms with 80 packets between 60 s and 120 s."""
    path = tcp.TcpPath(0.9534 * 1.25e9, 0.1, 1448, CUBIC, 0.001)
    small = path.scaled_long(0.0)
    assert average(path._runs(small, {}, small.clock * 60, small.clock * 60, effort(1))) == pytest.approx(0.2, abs=0.05)


@pytest.mark.parametrize(("path", "expected"), [
    # 12.5 MB/s x 1448/1500 x 0.02 s = 241,333.3 bytes; two of them in pages of 4096: 118 x 4096 = 483,328
    (("100Mbit/s", "20ms"), {"tcp_window": pytest.approx(482666.667), "window": 483328, "linux_maximum": 4 * 483328,
                             "linux_request": 2 * 483328}),
    # two products of 2.4133 GB, but a socket has 512 MiB at most: 8.99
    (("100Gbit/s", "200ms"), {"window": 2**30, "linux_maximum": 2**31 - 1, "linux_request": 2**30 - 1,
                              "window_limited": 1, "sockets": 9}),
    # 37.5 MB: two eighths of 36.2 MB of data in 2210 pages
    (("25Gbit/s", "12ms", {"flows": 8}), {"tcp_window": pytest.approx(9.05e6), "window": 2210 * 4096,
                                          "linux_maximum": 8840 * 4096}),
    # 45,578 bytes in 12 pages; a page and its record, 4672 bytes, for 536 bytes of data: 8.7, so nine times the window,
    # of which Linux doubles what is requested
    (("10Mbit/s", "20ms", {"segment": 536}), {"window": 12 * 4096, "linux_maximum": 108 * 4096,
                                              "linux_request": 54 * 4096}),
    # 25 bytes in a product, but four packets of 8948 bytes: nine pages
    (("1Mbit/s", "1ms", {"segment": 8948}), {"window": 9 * 4096}),
    # 12.07 MB; 8333 packets, of which 8333 x 0.02^2 = 3.3 are lost twice in each window, 0.067 three times and 0.0013
    # four times: windows of four
    (("1Gbit/s", "100ms", {"loss": 0.02, "scheme": "bbr1"}), {"tcp_window": pytest.approx(5e7 * 1448 / 1500)}),
    # 8333 x 0.13^6 = 0.04 and 8333 x 0.13^7 = 0.005, above which losses do not count; CUBIC has few packets in flight
    (("1Gbit/s", "100ms", {"loss": 0.9, "scheme": "bbr1"}), {"tcp_window": pytest.approx(8.75e7 * 1448 / 1500)}),
    (("1Gbit/s", "100ms", {"loss": 0.99}), {"tcp_window": pytest.approx(2.5e7 * 1448 / 1500), "sockets": 1}),
])  # fmt: skip
def test_windows_and_buffers_by_hand(path, expected):
    """A packet of 1500 bytes has 1448 of data; without a simulation there is no rate."""
    rate, trip, *others = path
    answer = design.tcp_window(rate=rate, round_trip_time=trip, simulate=False, **dict(*others))
    assert {name: float(getattr(answer, name)) for name in expected} == expected
    assert (answer.replications, "tcp_rate" in answer) == (0, False)


def test_limits_by_hand(monkeypatch):
    """Three runs: t = 4.30265, s = 0.02: the half width is 0.0496827 for the mean, 0.0993655 for one more run.

    A further run is widened by 5 % and by 0.01 of the mean. The worst path has the lower rate, the largest headers and
    the higher loss, with a mean of 0.3; the best one 0.7, the middle 0.5; checks have 0.1 less.
    """

    def runs(less):
        def made(path, loss, effort):
            middle = {4e-3: 0.3, 1e-3: 0.7}.get(loss, 0.5) - less
            return [tcp.Run(middle + one, 0.01, 0.004) for one in (-0.02, 0.0, 0.02)]

        return made

    monkeypatch.setattr(tcp.TcpPath, "transfers", runs(0.0))
    monkeypatch.setattr(tcp.TcpPath, "checks", runs(0.1))
    steps = tcp_windows.answers(
        rate=(1e6, 4e6), round_trip_time=(0.05, 0.2), loss=(1e-3, 4e-3), scheme="cubic", flows=1, target=0.9,
        segment=1448, buffer=1.0, replications=3, confidence=0.95, rng=1, progress=False,
    )  # fmt: skip
    (row,) = (next(steps), next(steps))[1].rows
    slow, middle, fast = 1e6 * 1448 / 1538, 2e6 * (1448 / 1538 + 1448 / 1500) / 2, 4e6 * 1448 / 1500
    worst, best = (rate * middle / 2e6 for rate in (1e6, 4e6))  # the mean of long transfers has the mean of the headers
    expected = {
        "tcp_rate": 0.5 * middle, "tcp_rate_lower": (0.3 - 0.0496827) * worst,
        "tcp_rate_upper": (0.7 + 0.0496827) * best, "tcp_in_flight": 0.5 * middle * (0.1 + 0.01),
        "long_lower": ((0.3 - 0.0993655) * 0.95 - 0.003) * slow,
        "long_upper": ((0.7 + 0.0993655) * 1.05 + 0.007) * fast,
        "check_lower": ((0.2 - 0.0993655) * 0.95 - 0.002) * slow - 1448 / row["check_time"],
        "check_upper": ((0.6 + 0.0993655) * 1.05 + 0.006) * fast + 1448 / row["check_time"],
    }  # fmt: skip
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-6)
    assert math.isnan(row["tcp_lost"])  # known for BBR alone, whose long transfers are its checks
    bbr = tcp_windows._rates(tcp.TcpPath(1e6, 0.1, 1448, SENDERS["bbr1"]), 0.0, effort(3))
    assert (bbr["tcp_lost"], bbr["tcp_rate"]) == (pytest.approx(0.004), pytest.approx(0.4e6))


@pytest.mark.parametrize("scheme", ["cubic", "reno", "bbr1"])
def test_a_path_of_less_than_two_packets(scheme):
    # 10 Mbit/s x 1 ms are 1250 bytes. The laws' loss at two packets is 0.375, so that their limit of 0.01 decides.
    answer = design.tcp_window(rate="10Mbit/s", round_trip_time="1ms", scheme=scheme, simulate=False)
    assert float(answer.tcp_filling_loss_law) == (0.01 if scheme != "bbr1" else 0.13)


def test_dctcp_needs_room_for_its_threshold():
    with pytest.raises(ValueError, match=r"^buffer = 1 BDPs is out of range: must be in \[1\.82, inf\) BDPs"):
        design.tcp_window(rate="10Mbit/s", round_trip_time="1ms", scheme="dctcp")  # 1.5 x 1448/(1250 x 0.9534)


def test_bbr_has_a_law_where_it_keeps_its_rate():
    """At 1448 packets a second version 3 has a loss in 2 s, which ends its rate until the next probe, at 1/2896."""
    path = tcp.TcpPath(1448.0**2, 0.02, 1448, SENDERS["bbr"])
    assert path.law_loss(1.0) == pytest.approx(1 / 2896)
    assert math.isfinite(path.law(1 / 2900))
    assert math.isnan(path.law(1 / 2890))
    # 100 Mbit/s and 20 ms: the simulated rate is below the law's 0.93, and far below it at the threshold of 2 %
    fast = tcp.TcpPath(11.9e6, 0.02, 1448, SENDERS["bbr"])
    for loss, most in ((0.01, 0.85), (0.019, 0.5)):
        assert math.isnan(fast.law(loss))
        assert np.mean([run.share for run in fast.checks(loss, effort(2))]) < most
    one = tcp.TcpPath(11.9e6, 0.02, 1448, SENDERS["bbr1"])
    # 0.2 s of every 10 s with four of 164 packets, and the share that arrives: 0.977 x 0.87
    assert one.law(0.13) / one.rate == pytest.approx(0.85, abs=0.005)
    assert np.mean([run.share for run in one.checks(0.13, effort(2))]) == pytest.approx(0.85, abs=0.03)
    assert math.isnan(one.law(0.19))
    assert np.mean([run.share for run in one.checks(0.19, effort(2))]) < 0.3
