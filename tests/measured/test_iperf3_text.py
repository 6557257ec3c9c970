"""The text of iperf3, as version 3.12 printed it over a loopback device; figures read from it by hand."""

from __future__ import annotations

import pytest

from longfat import measured

HEAD = "Connecting to host 127.0.0.1, port 5299\n[  5] local 127.0.0.1 port 4 connected to 127.0.0.1 port 5299\n"
VERBOSE = """\
iperf 3.12
Control connection MSS 32768
Connecting to host 127.0.0.1, port 5299
      TCP MSS: 32768 (default)
[  5] local 127.0.0.1 port 45078 connected to 127.0.0.1 port 5299
Starting Test: protocol: TCP, 1 streams, 131072 byte blocks, omitting 1 seconds, 2 second test, tos 0
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  4.56 GBytes  39.2 Gbits/sec    2    895 KBytes       (omitted)
[  5]   0.00-1.00   sec  4.58 GBytes  39.4 Gbits/sec    0   1.12 MBytes       \n\
[  5]   1.00-2.00   sec  4.62 GBytes  39.7 Gbits/sec    2    895 KBytes       \n\
- - - - - - - - - - - - - - - - - - - - - - - - -
Test Complete. Summary Results:
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-2.00   sec  9.21 GBytes  39.5 Gbits/sec    2             sender
[  5]   0.00-2.00   sec  9.20 GBytes  39.5 Gbits/sec                  receiver
CPU Utilization: local/sender 96.6% (1.8%u/94.8%s), remote/receiver 76.2% (2.6%u/73.6%s)
snd_tcp_congestion bbr
rcv_tcp_congestion bbr

iperf Done.
"""
PARALLEL = """\
Tue Nov 24 17:39:03 2026 [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
Tue Nov 24 17:39:03 2026 [  5]   0.00-1.00   sec  6.00 MBytes  50326 Kbits/sec    3   1.12 MBytes       \n\
Tue Nov 24 17:39:03 2026 [  7]   0.00-1.00   sec  6.00 MBytes  50326 Kbits/sec    1   1.12 MBytes       \n\
Tue Nov 24 17:39:03 2026 [SUM]   0.00-1.00   sec  12.0 MBytes  100653 Kbits/sec    4             \n\
Tue Nov 24 17:39:03 2026 - - - - - - - - - - - - - - - - - - - - - - - - -
Tue Nov 24 17:39:03 2026 [ ID] Interval           Transfer     Bitrate         Retr
Tue Nov 24 17:39:03 2026 [  5]   0.00-1.00   sec  6.00 MBytes  50326 Kbits/sec    3             sender
Tue Nov 24 17:39:03 2026 [  5]   0.00-1.00   sec  6.00 MBytes  50283 Kbits/sec                  receiver
Tue Nov 24 17:39:03 2026 [  7]   0.00-1.00   sec  6.00 MBytes  50326 Kbits/sec    1             sender
Tue Nov 24 17:39:03 2026 [  7]   0.00-1.00   sec  6.00 MBytes  50283 Kbits/sec                  receiver
Tue Nov 24 17:39:03 2026 [SUM]   0.00-1.00   sec  12.0 MBytes  100653 Kbits/sec    4             sender
Tue Nov 24 17:39:03 2026 [SUM]   0.00-1.00   sec  12.0 MBytes  100566 Kbits/sec                  receiver
"""
UDP = """\
[  5] local 127.0.0.1 port 37031 connected to 127.0.0.1 port 5299
[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-1.00   sec   640 KBytes  5.24 Mbits/sec  20  \n\
[  5]   1.00-2.00   sec   608 KBytes  4.98 Mbits/sec  19  \n\
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-2.00   sec  1.22 MBytes  5.11 Mbits/sec  0.000 ms  0/39 (0%)  sender
[  5]   0.00-2.00   sec  1.22 MBytes  4.06 Mbits/sec  0.013 ms  8/39 (21%)  receiver
"""
SERVER = """\
Server listening on 5299 (test #1)
Accepted connection from 127.0.0.1, port 55416
[  5] local 127.0.0.1 port 5299 connected to 127.0.0.1 port 55420
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-1.00   sec  6.00 MBytes  50.3 Mbits/sec                  \n\
[ ID] Interval           Transfer     Bitrate
[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec                  receiver
"""


def test_all_that_v_prints(written):
    (one,) = measured.read_each(written(VERBOSE))
    figures = one.figures
    assert one.kind == "iperf3"
    assert figures.rate == pytest.approx(39.5e9 / 8)
    assert figures.loss == pytest.approx(2 / (9.21 * 2**30 / 32768), rel=1e-12)
    assert (figures.packet, figures.transport, figures.control) == (32768, "TCP", "bbr")
    assert (figures.limited_by, figures.processor) == ("sender's processor", 0.966)
    assert (figures.round_trip_time, figures.policed) == (None, None)
    series = {each.name: each.values for each in one.series}
    assert series["rate"] == (39.4e9 / 8, 39.7e9 / 8)  # without what was omitted
    assert series["congestion window"] == (1.12 * 2**20, 895 * 1024)
    assert series["retransmissions"] == (0, 2)


def test_parallel_streams_with_time_stamps(read):
    figures = read(PARALLEL)
    assert figures.rate == pytest.approx(100.566e6 / 8)
    assert figures.loss == pytest.approx(4 / (12 * 2**20 / 1448))
    assert figures.flows == 2
    assert any("1448 bytes are assumed" in remark for remark in figures.remarks)


def test_udp(read):
    figures = read(UDP)
    assert (figures.rate, figures.loss, figures.packets_sent) == (pytest.approx(4.06e6 / 8), pytest.approx(8 / 39), 39)
    assert figures.packet == round(1.22 * 2**20 / 39)  # of 32,768 bytes, to three digits of the transfer
    assert figures.transport == "UDP"


def test_server_and_reverse(read):
    server = read(SERVER)
    assert (server.rate, server.loss, server.transport) == (pytest.approx(50.3e6 / 8), None, "TCP")
    reverse = (
        HEAD
        + "Reverse mode, remote host 127.0.0.1 is sending\n"
        + VERBOSE.replace("local/sender 96.6%", "local/receiver 96.6%")
    )
    assert read(reverse).limited_by == "receiver's processor"


def test_rates_in_bytes(read):
    """Of -f K: powers of 1024."""
    text = PARALLEL.replace("100566 Kbits/sec", "12276 KBytes/sec")
    assert read(text).rate == pytest.approx(12276 * 1024)


def test_runs_of_both_forms_are_runs_of_a_path(written):
    """The JSON is believed first, because it has all digits."""
    both = measured.read("tests/data/iperf3_tcp.json", written(PARALLEL))
    assert both.rate == measured.read("tests/data/iperf3_tcp.json").rate


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (VERBOSE.partition("- - -")[0], "has no summary of iperf3"),
        (VERBOSE + VERBOSE, "holds 2 runs of iperf3, must hold one"),
        (PARALLEL + PARALLEL, "holds 2 runs of iperf3, must hold one"),
        (VERBOSE.replace("[ ID] Interval", "[ ID][Role] Interval"), "without --bidir"),
        (UDP.replace("8/39", "39/39"), "lost_percent = 100"),
        (UDP.replace("8/39", "0/0"), "UDP run of iperf3 without datagrams"),
        (UDP.rpartition("[  5]")[0], "whose last line ends with the word 'receiver': it may have been cut off"),
        (VERBOSE.replace("39.5 Gbits", "0.00 bits"), "sum_received.bits_per_second = 0"),
        (VERBOSE.rpartition("[  5]")[0], "may have been cut off"),
        (VERBOSE.replace("9.21 GBytes", "0.00 Bytes"), "sum_sent.bytes = 0"),
        (VERBOSE.replace("9.21 GBytes", "9..1 GBytes"), "9..1"),
        (HEAD, "has no summary of iperf3"),
    ],
)
def test_what_is_refused(refused, text, words):
    refused(text, words)
