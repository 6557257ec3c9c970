"""Forms of ss, tc, iperf3 and sysctl from their documents, where the recorded programs wrote other ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from longfat import measured

DATA = Path(__file__).parents[1] / "data" / "measured"


DETAILS = (
    "cubic wscale:7,7 rto:240 rtt:40/2 mss:1448 cwnd:100 bytes_acked:1448000 data_segs_out:1000 send 29Mbps "
    "pacing_rate 34.8Mbps delivery_rate 28.96Mbps {more} retrans:0/10 minrtt:30"
)


def test_sockets_on_one_line(read):
    """Of ``ss -Otin``, and of a filter for one state, which leaves the column of the state out."""
    line = "ESTAB 0 0 10.0.0.1:5000 10.0.0.2:5201 " + DETAILS.format(more="busy:400ms")
    figures = read(line + "\n")
    assert figures.rate == pytest.approx(1448000 / 0.4)
    assert (figures.loss, figures.round_trip_time) == (0.01, pytest.approx(0.030))
    assert figures.queueing_delay == pytest.approx(0.010)
    assert figures.policed is False  # 40 ms is more than 1.3 times 30 ms
    assert read(line.removeprefix("ESTAB ") + "\n") == figures


def test_parallel_sockets_and_other_peers(read):
    """Sockets to the peer that got most count together, with IPv6 addresses, too."""
    head = "ESTAB 0 0 [2001:db8::1]:{port} [2001:db8::2]:5201\n\t"
    lines = "".join(head.format(port=port) + DETAILS.format(more="busy:400ms") + "\n" for port in (1, 2, 3))
    details = DETAILS.format(more="busy:100ms").replace("1448000", "14480")
    other = f"ESTAB 0 0 10.0.0.1:9 10.0.0.9:443\n\t{details}\n"
    figures = read(other + lines)
    assert figures.rate == pytest.approx(3 * 1448000 / 0.4)
    assert (figures.packets_sent, figures.loss) == (3000, 0.01)
    assert any("1 sockets to other hosts than [2001:db8::2]" in remark for remark in figures.remarks)


def test_series_of_a_socket(written):
    """Two samples: round trips in s, 28.96 Mbit/s in bytes/s, 100 segments of 1448 bytes; over numbers, not times."""
    sample = "ESTAB 0 0 10.0.0.1:5 10.0.0.2:5201\n\t" + DETAILS.format(more="busy:400ms") + "\n"
    series = measured.read_each(written(2 * sample))[0].series
    assert {one.name: one.values for one in series} == {
        "round-trip time": pytest.approx((0.04, 0.04)), "rate": pytest.approx((3.62e6, 3.62e6)),
        "congestion window": (144800, 144800),
    }  # fmt: skip
    assert {(one.times, one.timed) for one in series} == {((0.0, 1.0), False)}


def test_a_kernel_without_clocks(read):
    """Before Linux 4.10 there is no busy time: the rate is the last estimate, and the limit is unknown."""
    figures = read("ESTAB 0 0 10.0.0.1:5 10.0.0.2:5201\n\t" + DETAILS.format(more="") + "\n")
    assert (figures.rate, figures.limited_by) == (pytest.approx(28.96e6 / 8), None)


ESTAB = "ESTAB 0 0 10.0.0.1:5000 10.0.0.2:5201\n"


def test_a_sample_that_is_cut_off_is_left_out(read, refused):
    """Half of a number is a wrong one: bytes_acked:1448 for 1448000."""
    sample = ESTAB + "\t " + DETAILS.format(more="busy:400ms") + "\n"
    more = sample.replace("bytes_acked:1448000", "bytes_acked:2896000")
    expected = read(sample)
    for cut in (more[: more.index("2896000") + 4], more[:-1], ESTAB[:-1]):
        figures = read(sample + cut)
        line = 2 + cut.count("\n") + 1
        assert f"the file is cut off in line {line}, which has no end and is left out (ss)" in figures.remarks
        assert (figures.rate, figures.loss) == (expected.rate, expected.loss)
    figures = read(sample + ESTAB)
    assert "the file is cut off after line 3: the details of its last socket are missing (ss)" in figures.remarks
    assert read(sample + ESTAB.replace("ESTAB", "TIME-WAIT")) == expected
    refused(sample[:-1], "holds no socket ", "; the file is cut off in line 2")


@pytest.mark.parametrize("counter", ["bytes_acked:1448000", "data_segs_out:1000", "retrans:0/10", "busy:400ms"])
def test_counters_that_fall_are_damage(refused, counter):
    """A damaged counter is not found, and would count as 0."""
    sample = ESTAB + "\t " + DETAILS.format(more="busy:400ms") + "\n"
    name = counter.partition(":")[0]
    words = f"10.0.0.1:5000 10.0.0.2:5201, sample 2: {name} falls from ", " to 0,"
    refused(sample + sample.replace(counter, counter.replace(":", "#")), *words)


@pytest.mark.parametrize(
    ("details", "words"),
    [
        ("bytes_sent:1000 bytes_retrans:1001", "files: bytes_retrans exceeds bytes_sent in a sample, which"),
        ("bytes_sent:1000 bytes_retrans:1000", None),
        ("busy:400ms rtt:29/2", "files: minrtt exceeds rtt in a sample, which is impossible: is the line damaged?"),
    ],
)  # minrtt is 30 ms in all of them
def test_numbers_that_contradict_each_other_are_remarked(read, details, words):
    remarks = read(ESTAB + "\t " + DETAILS.format(more=details) + "\n").remarks
    assert any(one.startswith(words or "?") for one in remarks) == (words is not None)
    assert sum("is impossible" in one for one in remarks) == (words is not None)


FQ_CODEL = """\
qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms ecn
 Sent 1234567 bytes 990 pkt (dropped 10, overlimits 0 requeues 2)
 backlog 3028b 2p requeues 2
  maxpacket 1514 drop_overlimit 0 new_flow_count 100 ecn_mark 5
  new_flows_len 0 old_flows_len 1
"""
CAKE = """\
qdisc cake 8001: dev eth1 root refcnt 2 bandwidth 20Mbit diffserv3 triple-isolate split-gso rtt 100ms raw overhead 0
 Sent 2000000 bytes 1480 pkt (dropped 20, overlimits 3000 requeues 0)
 backlog 25Kb 20p requeues 0
 memory used: 100Kb of 4Mb
 capacity estimate: 20Mbit
                   Bulk  Best Effort        Voice
  thresh       1250Kbit       20Mbit        5Mbit
"""


def test_fq_codel(read):
    figures = read(FQ_CODEL)
    assert (figures.loss, figures.packets_sent, figures.rate) == (0.01, 1000, None)
    assert any("marked 5 packets" in remark for remark in figures.remarks)


def test_cake(read):
    figures = read(FQ_CODEL + CAKE)
    assert figures.loss == pytest.approx(20 / 1500)
    assert figures.rate == 2.5e6
    assert figures.queueing_delay == pytest.approx(25 * 1024 / 2.5e6)


def test_a_queue_without_its_backlog(read):
    figures = read(CAKE[: CAKE.index(" backlog")])
    assert (figures.rate, figures.queueing_delay) == (2.5e6, None)


def test_the_servers_output_in_the_clients_file(read):
    """Of ``iperf3 -R --get-server-output --json``: the server has the round-trip times that the client lacks."""
    client = json.loads((DATA / "reverse.json").read_text())
    client["server_output_json"] = json.loads((DATA / "reverse-server.json").read_text())
    figures = read(client)
    assert (figures.round_trip_time, figures.loss) == (0.027923, 0.0)
    assert figures.rate == pytest.approx(598540570.5756454 / 8)  # the client's end.sum_received


def test_omitted_seconds_do_not_count(read):
    run = json.loads((DATA / "application.json").read_text())
    for interval in run["intervals"][:-1]:
        for stream in interval["streams"]:
            stream["omitted"] = True
            stream["snd_cwnd"] = stream["snd_wnd"] = 1
    assert read(run).limited_by == "sender"


def test_bbr_keeps_its_window_half_empty(read):
    run = copy.deepcopy(json.loads((DATA / "application.json").read_text()))
    run["end"]["sender_tcp_congestion"] = "bbr"
    assert read(run).limited_by is None


#: Lines as `sysctl -a` of procps 4.0 printed them on Linux 6.18.44 with 24 GB.
SYSCTL = """\
kernel.osrelease = 6.18.44
net.core.rmem_max = 4194304
net.ipv4.tcp_mem = 287901\t383869\t575802
net.ipv4.tcp_moderate_rcvbuf = 1
net.ipv4.tcp_rmem = 4096\t131072\t33554432
net.ipv4.tcp_window_scaling = 1
net.ipv4.tcp_wmem = 4096\t16384\t4194304
vm.swappiness = 60
"""


def test_settings_of_a_host(written):
    (found,) = measured.read_each(written(SYSCTL))
    assert (found.kind, found.kernel, found.figures.rate) == ("sysctl -a", "6.18.44", None)
    assert found.numbers["net.ipv4.tcp_rmem"] == (4096, 131072, 33554432)
    assert found.numbers["net.ipv4.tcp_mem"] == (287901, 383869, 575802)
    assert "net.core.rmem_max" not in found.numbers


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("4096\t131072\t33554432", "4096\t131072", r"holds '4096\t131072', must hold 3 numbers"),
        ("4096\t131072\t33554432", "4096 many 33554432", "must hold 3 numbers"),
        ("4096\t131072\t33554432", "4096 131072 -1", "must hold 3 numbers"),
        ("tcp_window_scaling = 1", "tcp_window_scaling = ", "tcp_window_scaling holds '', must hold 1 number"),
        ("net.ipv4.tcp_wmem", "net.ipv4.udp_wmem", "lacks net.ipv4.tcp_wmem"),
        ("vm.", "net.ipv4.tcp_rmem = 4096 131072 6291456\nvm.", "holds two values of net.ipv4.tcp_rmem"),
        # 4194304 cut after four digits
        ("304\nvm.swappiness = 60\n", "", "ends within the line of net.ipv4.tcp_wmem: was it cut off"),
    ],
)
def test_text_that_is_no_output_of_sysctl_is_refused(refused, old, new, words):
    assert old in SYSCTL
    refused(SYSCTL.replace(old, new), words)


def test_a_host_says_nothing_of_the_path(written):
    ping = "tests/data/ping.txt"
    assert measured.read(written(SYSCTL), ping).round_trip_time == measured.read(ping).round_trip_time
