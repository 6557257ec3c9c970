"""Files that the real programs wrote over known paths (data/measured/README.md): figures read by hand; the truth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longfat import measured
from longfat.measured import Measurement, PathFigures, path_of
from longfat.measured.counting import poisson_interval

DATA = Path(__file__).parents[1] / "data" / "measured"
TRUTH = json.loads((DATA / "truth.json").read_text())  # what the relay counted


def read(*names):
    return measured.read(*(DATA / name for name in names))


@pytest.mark.parametrize("name", [name for name in TRUTH if name.endswith(".json") and name != "reverse.json"])
def test_the_share_that_the_relay_lost_lies_in_the_interval(name):
    counts = TRUTH[name]
    lost = counts["overflows"] + counts["random losses"] + counts["policed"]
    low, high = read(name).loss_interval
    assert low <= lost / counts["packets"] <= high


def test_scattered_retransmissions_widen_the_interval():
    figures = read("policed.json")
    intervals = json.loads((DATA / "policed.json").read_text())["intervals"]
    resent = [one["streams"][0]["retransmits"] for one in intervals]
    assert sum(resent) == 125
    mean = 12.5  # of ten intervals
    scatter = sum((count - mean) ** 2 for count in resent) / 9 / mean
    assert scatter > 20  # most of them in the first interval
    events = round(125 / scatter)
    low, high = poisson_interval(events)
    expected = (low * 125 / events / figures.packets_sent, high * 125 / events / figures.packets_sent)
    assert figures.loss_interval == pytest.approx(expected, rel=1e-9)


def test_only_clocks_tell_the_send_buffer_from_the_program():
    assert read("send-buffer.json").limited_by == "sender"
    # the last sample: busy:2608ms sndbuf_limited:1804ms
    for figures in (read("send-buffer.ss"), read("send-buffer.json", "send-buffer.ss")):
        assert figures.limited_by == "send buffer"
        assert figures.limited_share == pytest.approx(1804 / 2608, rel=1e-9)


def test_the_other_side_of_reverse():
    client, server = read("reverse.json"), read("reverse-server.json")
    assert client.round_trip_time is None
    assert (server.round_trip_time, server.loss) == (0.027923, None)  # end.streams[0].sender.min_rtt
    assert server.rate == pytest.approx(601456689.7147483 / 8, rel=1e-12)  # end.sum_sent: the receiver is the other one
    both = read("reverse.json", "reverse-server.json")
    assert both.rate_interval == (client.rate, server.rate)
    assert (both.round_trip_time, both.loss) == (0.027923, 0.0)


def test_ss():
    figures = read("clean.ss")
    # the last sample: minrtt:20.632 bytes_acked:6232230 data_segs_out:4400 busy:2648ms retrans:0/37 mss:1448
    assert figures.round_trip_time == pytest.approx(0.020632, rel=1e-12)
    assert figures.rate == pytest.approx(6232230 / 2.648, rel=1e-12)
    assert figures.loss == pytest.approx(37 / 4400, rel=1e-12)
    assert 0.01 < figures.queueing_delay < 0.03  # a buffer of 30 ms, which CUBIC keeps mostly full
    assert (figures.packet, figures.policed) == (1448, False)
    assert read("receiver.ss").rate == pytest.approx(read("receiver.json").rate, rel=0.05)


def test_losses_without_a_queue_need_packets_to_be_explained():
    assert read("lossy.ss").policed is read("policed.ss").policed is None


def test_ping():
    assert read("loaded.ping").queueing_delay > 5 * read("idle.ping").queueing_delay
    series = measured.read_each(DATA / "loaded.ping")[0].series[0]
    assert series.timed  # -D
    assert series.times[1] == pytest.approx(1795412168.496610 - 1795412168.293132, abs=1e-6)
    assert len(series.values) == 12


def test_ping_with_losses_and_duplicates():
    one = measured.read_each(DATA / "lossy.ping")[0]
    assert one.figures.remarks[-1].startswith("ping lost 17.5%")  # 33 of 40 received, +3 duplicates
    assert len(one.series[0].values) == 33


def test_ping_of_nobody():
    for name, words in (("unreachable.ping", "no round-trip time"), ("none.ping", "no known kind")):
        with pytest.raises(ValueError, match=words):
            read(name)


def test_tc():
    figures = read("tbf.tc")
    text = (DATA / "tbf.tc").read_text()
    sent, dropped = 3174, 13  # "Sent ... bytes 3174 pkt (dropped 13, ..."
    assert f" {sent} pkt (dropped {dropped}," in text
    assert figures.loss == pytest.approx(dropped / (sent + dropped), rel=1e-12)
    assert figures.rate == 10e6 / 8  # rate 10Mbit
    assert read("several.tc").loss == figures.loss  # the root queue that has sent most
    assert any("htb 2: longfat" in remark for remark in read("several.tc").remarks)
    with pytest.raises(ValueError, match="no queue that has sent a packet"):
        read("tbf-before.tc")


def test_several_runs_give_intervals():
    runs = [read(f"clean-{i}.json") for i in (1, 2, 3)]
    path = read("clean-1.json", "clean-2.json", "clean-3.json")
    rates = sorted(run.rate for run in runs)
    assert (path.rate, path.rate_interval) == (rates[1], (rates[0], rates[2]))
    assert path.round_trip_time == min(run.round_trip_time for run in runs)
    lost = sum(run.loss * run.packets_sent for run in runs)
    assert lost == pytest.approx(6 + 8 + 4)
    assert path.loss == pytest.approx(18 / path.packets_sent, rel=1e-12)
    # Garwood's interval of 18 events is 10.668 to 28.448
    low, high = path.loss_interval
    assert low == pytest.approx(min(10.668 / path.packets_sent, min(run.loss for run in runs)), rel=1e-3)
    assert high == pytest.approx(max(28.448 / path.packets_sent, max(run.loss for run in runs)), rel=1e-3)
    assert any(remark.endswith("probability of 0.75") for remark in path.remarks)


def test_runs_that_differ_by_more_than_their_number_explains():
    """Of 1000 losses in two million packets Garwood's interval is 4.70e-4 to 5.32e-4; the runs have 0 and 1e-3."""
    runs = [
        Measurement("", "pcap", PathFigures(loss=loss, packets_sent=1e6, loss_interval=(loss, loss)))
        for loss in (0.0, 1e-3)
    ]
    path = path_of(runs)
    assert path.loss == pytest.approx(5e-4, rel=1e-12)
    assert path.loss_interval == (0.0, 1e-3)


def test_runs_share_limit_and_layer_and_add_their_bursts():
    runs = [
        Measurement(
            "", "pcap",
            PathFigures(rate=1e6, rate_layer="IP", loss=1e-3, packets_sent=1e4, loss_events=bursts, limited_by=limit),
        )
        for bursts, limit in ((3, "sender"), (4, "send buffer"))
    ]  # fmt: skip
    path = path_of(runs)
    assert (path.loss_events, path.limited_by, path.rate_layer) == (7, "sender", "IP")


def test_kinds_together():
    path = read("clean-1.json", "clean.ss", "loaded.ping")
    assert path.rate == read("clean-1.json").rate
    assert path.round_trip_time == pytest.approx(0.020313, rel=1e-12)  # the ping's is the smallest
    # the mean that Linux saw, above the ping's base
    ss = read("clean.ss")
    assert path.queueing_delay == pytest.approx(ss.queueing_delay + ss.round_trip_time - 0.020313, rel=1e-9)
    assert path.loss == read("clean-1.json").loss
    assert (path.limited_by, path.policed) == ("network", False)


def test_rates_of_two_directions():
    """Rates of 19 and 598 Mbit/s are of two directions; a ratio of 2.9 may be that of two runs on one path."""
    runs = [Measurement(f"{one:g}", "iperf3", PathFigures(one * 125e3, None, None, ())) for one in (19, 598, 55.1)]
    words = "files: rates of 19 Mbit/s in 19 and 598 Mbit/s in 598: two paths, or two directions of one"
    assert words in path_of(runs[:2]).remarks
    assert not any("two directions" in one for one in path_of(runs[::2]).remarks)


@pytest.mark.parametrize(
    ("flows", "transport", "cause"),
    [((1, 8), "TCP", "different numbers of flows"), ((1, 1), "UDP", "two offered rates")],
)
def test_rates_of_other_runs(flows, transport, cause):
    """One flow and iperf3 -P 8, or -u with -b 10M and -b 100M, give such rates on one path in one direction."""
    figures = [
        PathFigures(one * 1e6, None, None, (), flows=n, transport=transport)
        for one, n in zip((1, 9), flows, strict=True)
    ]
    path = path_of([Measurement(str(k), "iperf3", one) for k, one in enumerate(figures)])
    words = f"files: rates of 8 Mbit/s in 0 and 72 Mbit/s in 1: two paths, two directions of one, or {cause}"
    assert words in path.remarks


@pytest.mark.parametrize(
    ("ping", "ends"),
    [(0.6, "32 ms in run.json, 600 ms in far.ping"), (0.01, "10 ms in far.ping, 32 ms in run.json"), (0.095, "")],
)  # 3 times 32 ms are 96 ms
def test_files_that_may_be_of_two_paths(ping, ends):
    files = [
        Measurement("run.json", "iperf3 --json", PathFigures(1e6, 0.032, None, ())),
        Measurement("far.ping", "ping", PathFigures(None, ping, None, ())),
    ]
    found = [one for one in path_of(files).remarks if "two paths" in one]
    assert found == (
        [f"files: base round-trip time of {ends}: two paths, or a queue that never emptied"] if ends else []
    )


def test_files_that_disagree():
    path = read("clean-1.json", "application.json")
    assert path.limited_by is None
    assert any("differs among 2 runs" in remark for remark in path.remarks)
