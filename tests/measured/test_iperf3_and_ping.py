"""Figures of a path from files that iperf3 and ping really wrote (see data/README.md), and from broken ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from longfat.measured import PathFigures, read, read_each

DATA = Path(__file__).parents[1] / "data"
TCP = json.loads((DATA / "iperf3_tcp.json").read_text())
UDP = json.loads((DATA / "iperf3_udp.json").read_text())

# Every key that is read, from the outermost on; a number is a place in a list.
TCP_KEYS = """
start  start.test_start  start.test_start.protocol  start.tcp_mss_default  end  end.streams  end.streams.0
end.streams.0.sender  end.streams.0.sender.mean_rtt  end.sum_sent  end.sum_sent.bytes  end.sum_sent.retransmits
end.sum_received  end.sum_received.bits_per_second
"""
UDP_KEYS = """
start.test_start.protocol  start.test_start.blksize  end.sum  end.sum.lost_percent  end.sum.packets
end.sum_received.bits_per_second
"""
REQUIRED = [(TCP, keys) for keys in TCP_KEYS.split()] + [(UDP, keys) for keys in UDP_KEYS.split()]
WRONG = ["7", "", None, -1, -0.5, float("nan"), float("inf"), True, [], [1], {}, 10**400]


def changed(content, keys, value):
    """A copy with one value replaced, or with the key removed if the value is ``...``."""
    result = copy.deepcopy(content)
    inner, names = result, [int(key) if key.isdigit() else key for key in keys.split(".")]
    for name in names[:-1]:
        inner = inner[name]
    if value is ...:
        del inner[names[-1]]
    else:
        inner[names[-1]] = value
    return result


def test_tcp():
    figures = read(DATA / "iperf3_tcp.json")
    # end.sum_received: 11627440 bytes in 4.027587 s
    assert figures.rate == pytest.approx(11627440 / 4.027587, rel=1e-9)
    # rtt of the four intervals: 27094, 33411, 22624, 21610 us, mean 26184.75, and iperf3 drops the fraction
    assert figures.round_trip_time == 0.021610
    assert figures.queueing_delay == pytest.approx(0.026184 - 0.021610, rel=1e-12)
    # 12597600 bytes / 1448 = 8700 segments; retransmits 25 + 2 + 2 + 0 = 29
    assert figures.loss == pytest.approx(29 / 8700, rel=1e-15)
    names = [remark.split(":")[0] for remark in figures.remarks]
    assert names == ["rate", "loss", "packet", "round_trip_time", "queueing_delay", "limited_by"]
    assert all("an estimate" in remark for remark in figures.remarks if remark.startswith(("rate", "loss", "round")))
    assert (figures.packet, figures.transport) == (1448, "TCP")  # start.tcp_mss_default
    assert "29 of 8700 segments" in figures.remarks[1]


def test_udp():
    figures = read(DATA / "iperf3_udp.json")
    # end.sum_received: 9990400 bytes in 4.021387 s; the 9998800 bytes of end.sum are those sent
    assert figures.rate == pytest.approx(9990400 / 4.021387, rel=1e-9)
    assert figures.loss == pytest.approx(6 / 7142, rel=1e-12)  # lost_packets of packets
    assert figures.round_trip_time is None
    assert [remark.split(":")[0] for remark in figures.remarks] == ["rate", "loss", "packet"]
    assert (figures.packet, figures.transport) == (1400, "UDP")  # start.test_start.blksize


def test_udp_of_versions_that_write_only_the_senders_sum(written):
    figures = read(written(changed(UDP, "end.sum_received", ...)))
    # sent at 19996600.17 bit/s, of which 7136 of 7142 datagrams arrived
    assert figures.rate == pytest.approx(19996600.1699915 / 8 * 7136 / 7142, rel=1e-12)


def test_ping():
    figures = read(DATA / "ping.txt")
    assert figures.round_trip_time == pytest.approx(0.020464, rel=1e-15)  # rtt min of 20.464/20.761/21.008/0.191 ms
    assert (figures.rate, figures.loss) == (None, None)
    assert figures.queueing_delay == pytest.approx(0.020761 - 0.020464, rel=1e-9)
    assert len(figures.remarks) == 2  # nothing was lost


def test_parallel_streams_count_together(written):
    two = copy.deepcopy(TCP)
    two["end"]["streams"].append(copy.deepcopy(two["end"]["streams"][0]))
    two["end"]["streams"][1]["sender"] |= {"mean_rtt": 36184, "min_rtt": 20610}
    figures = read(written(two))
    assert figures.round_trip_time == 0.020610
    assert figures.queueing_delay == pytest.approx((0.026184 + 0.036184) / 2 - 0.020610, rel=1e-12)


def test_versions_without_the_smallest_round_trip_time(written):
    figures = read(written(changed(TCP, "end.streams.0.sender.min_rtt", ...)))
    assert (figures.round_trip_time, figures.queueing_delay) == (0.026184, None)


def test_chosen_segment_size(written):
    content = changed(TCP, "start.tcp_mss_default", ...)
    content["start"]["tcp_mss"] = 1000  # what iperf3 -M 1000 writes instead
    assert read(written(content)).loss == pytest.approx(29 / 12597.6, rel=1e-15)


def test_reverse_run_has_no_round_trip_time(written):
    # iperf3 -R: the client receives, and writes 0 for what only the sender knows
    content = changed(TCP, "end.streams.0.sender.mean_rtt", 0)
    figures = read(written(content))
    assert figures.round_trip_time is None
    assert any(remark.startswith("round_trip_time: not measured") for remark in figures.remarks)
    assert figures.loss == pytest.approx(29 / 8700)


@pytest.mark.parametrize(("content", "keys"), REQUIRED)
def test_missing_keys_and_wrong_values_are_refused_by_name(refused, content, keys):
    names = keys.replace("streams.0", "streams").split(".")
    refused(changed(content, keys, ...), names[-1])
    for wrong in WRONG:
        refused(changed(content, keys, wrong), names[0])


@pytest.mark.parametrize(
    ("content", "keys", "value", "parts"),
    [
        (TCP, "end.sum_received.bits_per_second", 0, ["end.sum_received.bits_per_second = 0 bit/s"]),
        (TCP, "end.sum_sent.bytes", 0, ["end.sum_sent.bytes = 0 bytes"]),
        (TCP, "start.tcp_mss_default", 0, ["start.tcp_mss_default = 0 bytes"]),
        (TCP, "end.sum_sent.retransmits", 8700, ["end.sum_sent.retransmits = 8700", "8700 segments"]),  # loss 1
        (UDP, "end.sum.lost_percent", 100, ["end.sum.lost_percent = 100 %", "[0, 100)"]),
        (UDP, "end.sum_received.bits_per_second", 0, ["end.sum_received.bits_per_second"]),
        (UDP, "start.test_start.protocol", "SCTP", ["start.test_start.protocol 'SCTP'", "available: TCP, UDP"]),
        (TCP, "error", "unable to connect:\nrefused", ["iperf3 reports an error: unable to connect: refused"]),
        (TCP, "end.sum_sent_bidir_reverse", {}, ["both directions", "--bidir"]),
        (UDP, "end.sum_bidir_reverse", {}, ["both directions"]),
    ],
)
def test_refusal_says_what_is_wrong(refused, content, keys, value, parts):
    refused(changed(content, keys, value), *parts)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "3", "null", '"text"', "{}", "{}{}", "[" * 100000, "9" * 5000],
    ids=lambda text: repr(text)[:12],
)
def test_files_that_are_no_runs_are_refused(refused, text):
    refused(text)


REPLIES = "64 bytes from 10.0.0.1: icmp_seq={} ttl=64 time={} ms\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rtt min/avg/max/mdev = 0.045/0.060/0.082/0.012 ms, pipe 2\n", 45e-6),  # iputils
        ("round-trip min/avg/max/stddev = 12.345/13.000/14.000/0.500 ms\n", 12.345e-3),  # BSD, macOS
        ("round-trip min/avg/max/std-dev = 12.345/13.000/14.000/0.500 ms\n", 12.345e-3),  # NetBSD
        ("round-trip min/avg/max = 100.1/100.5/101.0 ms\n", 100.1e-3),  # busybox
        (REPLIES.format(1, 21.5) + REPLIES.format(2, 20.5) + REPLIES.format(3, 22), 20.5e-3),  # cut off
        # the summary has more digits than the replies
        (REPLIES.format(1, 20.5) + "rtt min/avg/max/mdev = 20.464/20.761/21.008/0.191 ms\n", 20.464e-3),
    ],
)
def test_pings_of_several_makes(written, text, expected):
    assert read(written(text)).round_trip_time == pytest.approx(expected, rel=1e-12)


def test_ping_loss_is_noted_and_not_used(written):
    text = "8 packets transmitted, 7 received, 12.5% packet loss, time 7ms\nrtt min/avg/max/mdev = 1/2/3/1 ms\n"
    figures = read(written(text))
    assert figures.loss is None
    assert figures.remarks[2].startswith("ping lost 12.5%")


def test_the_summary_of_windows(written):
    """Windows prints whole milliseconds: 20.9 ms may stand as 20ms."""
    text = (
        "Reply from 10.0.0.1: bytes=32 time=20ms TTL=54\r\nRequest timed out.\r\n\r\n"
        "    Packets: Sent = 2, Received = 1, Lost = 1 (50% loss),\r\n"
        "    Minimum = 20ms, Maximum = 20ms, Average = 20ms\r\n"
    )
    figures = read(written(text))
    assert figures.round_trip_time == 0.02
    assert figures.remarks[1] == "round_trip_time: in whole milliseconds, as Windows prints it (ping)"
    assert figures.remarks[3].startswith("ping lost 50%")
    assert len(figures.remarks) == 4  # it is not cut off


def test_pings_without_all_of_their_lines(written):
    text = (DATA / "ping.txt").read_text()
    whole = read(DATA / "ping.txt")
    assert not any("cut off" in one or "missing" in one for one in whole.remarks)
    lines = text.splitlines(keepends=True)
    replies = [line for line in lines if "time=" in line]
    cut = read(written("".join(lines[: lines.index(replies[3])]) + replies[3][:-9]))
    assert any("cut off, or ping was killed: it has 3 replies and no summary" in one for one in cut.remarks)
    without = read(written(text.replace(replies[2], "")))
    count = len(replies)
    assert any(f"missing or damaged: {count - 1} replies of the {count} received" in one for one in without.remarks)
    quiet = read(written("".join(line for line in lines if line not in replies)))  # of ping -q
    assert quiet == whole


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("3 packets transmitted, 0 received, 100% packet loss, time 2052ms\n", "no round-trip time"),
        ("Reply from 10.0.0.1: bytes=32 time<1ms TTL=128\n", "only bounded, as time<1ms"),
        ("PING h\nrtt min/avg/max/mdev = nan/nan/nan/nan ms\n", "no round-trip time"),
        ("rtt min/avg/max/mdev = 0.000/0.001/0.002/0.001 ms\n", "0 ms is out of range"),
        ("rtt min/avg/max/mdev = 1/2/3/1 ms\n" * 2, "2 runs"),
        # the smallest is the one that is not printed, not 14 ms
        (
            "Reply from h: bytes=32 time=14ms TTL=118\nReply from h: bytes=32 time<1ms TTL=118\n",
            "only bounded, as time<1ms",
        ),
        ("PING h\n64 Bytes von h: icmp_seq=1 ttl=64 Zeit=600 ms\n", "in English (LC_ALL=C ping HOST)"),
    ],
)
def test_pings_that_are_refused(refused, text, part):
    refused(text, part)


def test_merged():
    ping = read(DATA / "ping.txt")
    tcp = read(DATA / "iperf3_tcp.json")
    both = ping.merged(tcp)
    assert (both.rate, both.round_trip_time, both.loss) == (tcp.rate, ping.round_trip_time, tcp.loss)
    assert both.remarks == (*ping.remarks, *tcp.remarks[:3], tcp.remarks[5])  # not those on round-trip time and queue
    assert both.queueing_delay == ping.queueing_delay
    without = PathFigures(round_trip_time=0.020464).merged(tcp)
    assert without.queueing_delay == pytest.approx(0.026184 - 0.020464, rel=1e-12)  # the same mean above another base
    assert (both.packets_sent, both.loss_interval) == (tcp.packets_sent, tcp.loss_interval)
    assert PathFigures(loss=0.5).merged(tcp).packets_sent is None  # those of another loss
    reverse = PathFigures(rate=1.0, remarks=("rate: r", "round_trip_time: not measured"))
    assert reverse.merged(ping).remarks == ("rate: r", *ping.remarks)
    assert ping.merged(ping) == ping
    assert PathFigures(remarks=("a",)).merged(PathFigures(loss=0.0, remarks=("a", "b"))) == PathFigures(
        None, None, 0.0, ("a", "b")
    )


@pytest.mark.parametrize(
    "figures",
    [
        {"loss": 1.0},
        {"loss": -0.1},
        {"rate": 0.0},
        {"round_trip_time": 0.0},
        {"rate": float("nan")},
        {"queueing_delay": -1e-9},
        {"loss_burst": 0.5},
        {"limited_by": "the weather"},
        {"rate_interval": (1.0, 2.0)},
        {"rate_interval": (2.0, 3.0), "rate": 1.0},
        {"rate_interval": (3.0, 2.0), "rate": 2.5},
        {"loss_interval": (0.0, 1.1), "loss": 0.5},
    ],
)
def test_figures_outside_their_domain_are_refused(figures):
    with pytest.raises(ValueError, match=next(iter(figures))):
        PathFigures(**figures)


def stream(content, *, intervals=...):
    """What ``iperf3 --json-stream`` writes of a run: an object a line (iperf 3.17 and newer, JSONStream_Output)."""
    events = [("start", content["start"])]
    events += [("interval", one) for one in (content["intervals"] if intervals is ... else [])]
    events += [("end", content["end"])] if "end" in content else []
    return "".join(json.dumps({"event": name, "data": data}) + "\n" for name, data in events)


@pytest.mark.parametrize("content", [TCP, UDP])
def test_a_stream_gives_what_the_whole_gives(written, content):
    expected = read(written(content))
    assert read(written(stream(content))) == expected
    without = read(written(stream(content, intervals=None) + "\n"))
    assert (without.rate, without.loss, without.limited_by) == (expected.rate, expected.loss, None)


def test_streams_that_are_refused(refused):
    error = json.dumps({"event": "error", "data": "unable to connect\nto server"})
    failed = stream(TCP).splitlines()[0] + "\n" + error + "\n" + json.dumps({"event": "end", "data": {}})
    for text, words in [
        (failed, ": iperf3 reports an error: unable to connect to server"),
        (stream(TCP) + stream(TCP), ": the file holds 2 runs of iperf3 --json-stream, must hold one"),
        (stream({"start": TCP["start"], "intervals": TCP["intervals"]}), ": key 'end' is missing"),  # cut off
        (stream(TCP)[:-9], ": the file is damaged JSON (line 6: Unterminated string starting at): was it cut off?"),
        ('{"event": "start"}\n{"event": "end"}', ": the file is JSON of no known kind: must be the output of iperf3"),
        ("[1]\n[2]", ": the file goes on"),
    ]:
        refused(text, words)


def test_series_of_ping(written):
    """Replies at 20.1 and 22.5 ms, over their numbers or, with ping -D, over time."""
    lines = [f"64 bytes from h: icmp_seq={k} ttl=64 time={trip} ms\n" for k, trip in ((1, 20.1), (2, 22.5))]
    (found,) = read_each(written("PING h\n" + "".join(lines)))[0].series
    assert (found.times, found.values, found.timed) == ((0.0, 1.0), pytest.approx((0.0201, 0.0225)), False)
    stamped = [f"[{at}] {line}" for at, line in zip((1700000000.25, 1700000001.75), lines, strict=True)]
    (found,) = read_each(written("PING h\n" + "".join(stamped)))[0].series
    assert (found.times, found.values, found.timed) == ((0.0, 1.5), pytest.approx((0.0201, 0.0225)), True)


def test_series_of_iperf3(written):
    """Compare with the fields of the file; a series of zeros alone is left out."""
    content = copy.deepcopy(TCP)
    flows = [one["streams"][0] for one in content["intervals"]]
    for one in flows:
        one["retransmits"] = 0
    found = {one.name: one.values for one in read_each(written(content))[0].series}
    assert sorted(found) == ["congestion window", "rate", "round-trip time"]
    assert found["congestion window"] == tuple(one["snd_cwnd"] for one in flows)
    assert found["round-trip time"] == pytest.approx([one["rtt"] / 1e6 for one in flows])
    assert found["rate"] == pytest.approx([one["bits_per_second"] / 8 for one in flows], rel=1e-3)
