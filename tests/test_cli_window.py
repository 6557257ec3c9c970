"""`longfat window` for TCP: figures that follow from the path, lines that programs accept, and nothing that harms."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from longfat import cli, design, measured
from longfat.cli import paste, window_tcp
from tests.measured import questions

pytestmark = pytest.mark.usefixtures("drawn_quickly")

DATA = Path(__file__).parent / "data"
LAW = ["--no-simulation"]


def run(capsys, tmp_path, *arguments):
    assert cli.main(["window", *arguments, "--output", str(tmp_path)]) == 0
    return capsys.readouterr().out


def said(capsys, *arguments):
    """Return what the command says without writing files; every short answer fits on a screen."""
    assert cli.main(["window", *arguments]) == 0
    out = capsys.readouterr().out
    if "--verbose" not in arguments:
        assert len(out.splitlines()) <= 20
        assert max(map(len, out.splitlines())) <= 116
    return out


#: The settings of docs/advice.md have at most 100 Mbit/s and 150 ms.
BEYOND = "no check on Linux above 100 Mbit/s, 150 ms: processor, network card (TSO, GRO), fq or tcp_mem may limit"
FOUR = str(DATA / "measured" / "parallel.json")  # of iperf3 -P 4
#: Arguments, words of the answer without breaks and signs of comments, and words that are not in it.
ANSWERS = [
    # 1.25e9 x 1e-4/1500 = 83.3 packets, a seventh of which is 11.9
    ("--rate 10Gbit/s --rtt 100us --scheme dctcp --no-simulation",
     ["mark packets above 12 in the queue", "must not be used over the Internet", "iperf3 -c HOST -C dctcp",
      "bursts of hosts (TSO"], []),
    ("--rate 1Gbit/s --rtt 50ms --scheme bbr1 --no-simulation",
     ["sysctl -w net.ipv4.tcp_congestion_control=bbr"], []),
    ("--rate 1Gbit/s --rtt 50ms --no-simulation", [], ["tcp_congestion_control"]),
    # 0.95 x 65953 packets: the law's p = 0.08 (1.50415 x 0.4^(1/4)/62655)^(4/3) = 4.1e-8.
    ("--rate 10Gbit/s --rtt 80ms --loss 1e-4 --no-simulation --verbose",
     ["95% of this link up to a loss of 4.1e-08 (law), and no window or buffer changes that"], []),
    ("--rate 100Mbit/s --rtt 20ms", ["in 95 of 100 checks"], [BEYOND]),
    ("--rate 100Mbit/s --rtt 200ms", ["in 95 of 100 simulated checks", BEYOND], []),
    ("--rate 1Gbit/s --rtt 20ms", ["in 95 of 100 simulated checks", BEYOND], []),
    # 1 Gbit/s at 100 ms: 12.07 MB of data; each of 8 streams needs a quarter, 3.02 MB, and four times the memory. At
    # p = 1e-4 they have 8 x 24.6 Mbit/s.
    ("--rate 1Gbit/s --rtt 100ms --loss 1e-4 --flows 8 --no-simulation",
     ["loss: 197 Mbit/s at 0.0001 (law of CUBIC in 8 streams, 100 ms)",
      "37 streams, iperf3 -P 37 (check: --flows 37): 197 Mbit/s -> 912 Mbit/s by law",
      "a window of 3.02 MB (0.25 BDPs) for each of 8 streams, in up to 12.1 MB of memory each",
      "iperf3 -c HOST -C cubic -P 8"], []),
    # 2^30 bytes in 0.3 s are 28.6 Gbit/s, 256 times 4 MiB; the law has 1.1962 x (0.3/1e-5)^(3/4) = 2727 packets at
    # 1e-5, 105 Mbit/s, and without losses TCP's largest window carries 272 times as much.
    ("--rate 400Gbit/s --rtt 300ms --loss 1e-9,1e-5 --no-simulation",
     ["up to 28.6 Gbit/s by law, 260 times as much or more at the least loss",
      "optics): 28.6 Gbit/s by law, 270 times as much as at 1e-05"], ["the whole link"]),
    ("--rate 400Gbit/s --rtt 300ms --loss 1e-9 --no-simulation --verbose",
     ["fills TCP's largest window keeps CUBIC from carrying 95% of this link"], ["up to a loss of"]),
    # 128 x 4,194,304 bytes in 300 ms, however many streams there are now
    ("--rate 40Gbit/s --rtt 300ms --flows 2 --no-simulation", ["buffers of its own: up to 14.3 Gbit/s"], []),
    # twice a quarter of 4,194,304 bytes in 20 ms
    ("--rate 1Gbit/s --rtt 20ms --flows 2 --no-simulation", ["with Linux's defaults: 839 Mbit/s or more"], []),
    # the program may be the limit, and no setting helps then
    (f"{DATA}/measured/application.ss --rate 100Mbit/s --rtt 20ms --no-simulation", ["2. a faster program"], []),
    # sum_received of the file has 14.27 Mbit/s
    (f"{DATA}/measured/receiver.json --no-simulation", ["up to 28.5 Mbit/s, twice what was measured"], []),
    # iperf.h: MAX_TCP_BUFFER is 512 x 1024 x 1024; two products are 483 and 241 MB, and requests twice that
    ("--rate 10Gbit/s --rtt 200ms --no-simulation --verbose", ["iperf3: -w is at most 536870912"], ["HOST -w"]),
    # SO_RCVBUF of 482,672,640 bytes, doubled (socket(7))
    ("--rate 10Gbit/s --rtt 100ms --no-simulation --verbose",
     ["iperf3: iperf3 -c HOST -w 482672640", "Expect: 965345280"], []),
    # a range that is not given cannot be narrowed
    ("--rate 10Mbit/s --rtt 20ms --loss 0.5", ["expect 0 to"], ["narrower"]),
    # the law is that of the middle, sqrt(20 x 200) ms
    ("--rate 10Mbit/s --rtt 20..200ms --loss 2e-3 --no-simulation", ["(law of CUBIC, 63.2 ms)"], ["20 to 200 ms"]),
    # An option overrides the number of streams of a file.
    (f"{FOUR} --no-simulation", ["for each of 4 streams"], []),
    (f"{FOUR} --no-simulation --flows 2", ["for each of 2 streams"], []),
    (f"{FOUR} --no-simulation --flows 1", [], [" streams"]),
    # 100 Mbit/s, 50 ms: 411 packets of data; 122.5 each at p = 1e-4: 3.2 streams for 95 %.
    ("--rate 100Mbit/s --rtt 50ms --loss 1e-4 --scheme reno",
     ["4 streams, iperf3 -P 4 (check: --flows 4)", "checks (1 stream, idle path"], []),
    ("--rate 10Mbit/s --rtt 20ms --loss 1e-4 --scheme reno --flows 4", ["checks (4 streams, idle path"], []),
    # These 122.5 packets in 50 ms lose one in 4.08 s: two of these times are skipped, and ten measured, in whole 10 s.
    ("--rate 100Mbit/s --rtt 50ms --loss 1e-4,1e-2 --scheme reno", ["-C reno -O 9 -t 50"], []),
    # BBR of version 1 does not respond to the marks of the switches that DCTCP requires.
    ("--rate 10Gbit/s --rtt 10ms --loss 1e-3 --scheme dctcp --no-simulation", ["remove the losses"], ["bbr"]),
    # A flow has sqrt(1.5/0.005) = 17.3 packets, 2.01 Mbit/s: 200 have 401 Mbit/s, and iperf3's 128 would have 257.
    ("--rate 10Gbit/s --rtt 100ms --loss 0.005 --no-simulation --flows 200", ["401 Mbit/s at 0.005"], ["128 streams"]),
    ("--rate 10Gbit/s --rtt 100ms --loss 0.005 --no-simulation --flows 100",
     ["128 streams, iperf3 -P 128 (check: --flows 128)"], []),
    ("--rate 100Gbit/s --rtt 200ms --no-simulation --flows 100", ["more streams, iperf3 -P 128"], []),
    ("--rate 100Gbit/s --rtt 200ms --no-simulation --flows 200", ["paste the lines"], ["more streams"]),
    ("--rate 10Mbit/s --rtt 20ms --scheme reno --flows 129", ['in the sum of the lines "[SUM] ... receiver" in'], []),
    # A round trip has 1e6/8 x 0.05/1500 = 4.2 packets; 20 flows of BBR have 4 each, and 64 arrive at a loss of 0.2.
    ("--rate 1Mbit/s --rtt 50ms --scheme bbr --loss 0.05,0.2 --no-simulation --flows 20",
     ["limit the link: "], ["remove the losses"]),
    ("--rate 1Mbit/s --rtt 50ms --scheme bbr --loss 0.05,0.2 --no-simulation", ["remove the losses"], []),
    # The bbr of mainline Linux is version 1: numbers of version 3 are named as such, beside lines and check.
    ("--rate 10Mbit/s --rtt 40ms --scheme bbr",
     ["version 3, which mainline Linux lacks (it has 1: --scheme bbr1): modprobe tcp_bbr",
      "in 95 of 100 checks (1 stream, version 3 of BBR, idle path"], []),
    ("--rate 10Mbit/s --rtt 40ms --scheme bbr1", [], ["version 3"]),
    # 64 of 154 bytes are data on Ethernet, 8948 of 9038 with jumbo frames: 2.38 times; 8948/64 = 139.8
    ("--rate 1Gbit/s --rtt 1ms --mss 64B --no-simulation",
     ["138% more data, 140 times fewer packets", "no check: iperf3 cannot send packets with 64 bytes of data"],
     ["expect"]),
    # up to 128 streams in a call: 8 times 125
    ("--rate 1Gbit/s --rtt 100ms --no-simulation --flows 1000",
     ["check iperf3 -c HOST -C cubic -P 125 -p PORT 8 of these at once, whose rates are added, each with"], ["-M"]),
    # TCP_MAXSEG counts the 12 bytes of time stamps, and Linux has 88 at least
    ("--rate 1Gbit/s --rtt 100ms --mss 76B --no-simulation", ["-M 88 expect"], []),
    ("--rate 1Gbit/s --rtt 100ms --mss 75B --no-simulation", ["iperf3 cannot send packets with 75 bytes"], [" -M "]),
    ("--rate 10Mbit/s --rtt 20ms --mss 65495B --no-simulation", ["cannot send packets with 65495 bytes"], ["expect"]),
    ("--rate 10kbit/s --rtt 800ms --no-simulation", [], ["9000", "MTU"]),  # 9038 bytes take 7.2 s
    # 20 bytes of IPv4, 20 of TCP and 12 of time stamps are 52: 65535, IPv4's most, with 65483.
    ("--rate 10Gbit/s --rtt 20ms --mss 65483B --no-simulation", ["path need an MTU of 65535 bytes"], []),
    # tbf.tc has a configured rate of 10 Mbit/s with headers; no data has been seen at that rate.
    (f"{DATA}/measured/tbf.tc --rate 1Mbit/s --rtt 20ms --no-simulation", [], ["more than --rate"]),
    # the law of Reno ends at 0.01: sqrt(1.5/p) = 19.36 packets at 0.004, 12.25 at 0.01, 12.95 at the middle,
    # sqrt(0.004 x 0.02) = 0.00894, of 1448 bytes in 0.1 s
    ("--rate 100Mbit/s --rtt 100ms --loss 0.004..0.02 --scheme reno --no-simulation",
     ["1.42 to 2.24 Mbit/s at 0.01 to 0.004, 1.5 Mbit/s at 0.00894 (no law holds above 0.01)"], []),
    # only the lower end of the range has a law: its middle is sqrt(0.004 x 0.09) = 0.019
    ("--rate 100Mbit/s --rtt 100ms --loss 0.004..0.09 --scheme reno --no-simulation",
     ["1.42 to 2.24 Mbit/s at 0.01 to 0.004 (no law holds above 0.01)"], []),
    ("--rate 20Mbit/s --rtt 20ms --scheme bbr1 --loss 0.05..0.2 --no-simulation", ["(no law holds above 0.13)"], []),
    # a loss in 2 s: 164.5 packets a round trip (95.3 Mbit/s x 20 ms), 100 round trips, 1/16,450
    ("--rate 100Mbit/s --rtt 20ms --scheme bbr --loss 1e-5..3e-4 --no-simulation --verbose",
     ["(no law holds above 6.08e-05)"], []),
    # One fq as root would replace mq (sch_mq.c): mq comes first, and fq alone where the card has one queue.
    ("--rate 10Mbit/s --rtt 40ms --scheme bbr1 --no-simulation",
     ["sysctl -w net.core.default_qdisc=fq; tc qdisc replace dev DEV root mq || tc qdisc replace dev DEV root fq"], []),
    # Options override files.
    (f"{DATA}/iperf3_tcp.json {DATA}/ping.txt --rate 25Mbit/s --no-simulation --verbose",
     ["path 25 Mbit/s (with headers), round trip 20.464 ms"], ["remark rate:"]),
    # With a buffer of 8 packets at 10 Gbit/s: 8.68 Gbit/s in the end, above the 7.79 Gbit/s expected after 20 s.
    ("--rate 10Gbit/s --rtt 10ms --buffer 0.001",
     ["0.001 BDP buffer); a check so soon after slow start is slower than a long transfer hosts"], []),
    ("--rate 100Mbit/s --rtt 10ms", [], ["so soon"]),
    # long answers, which fit on a screen
    ("--rate 100Gbit/s --rtt 200ms --loss 0,1e-7,1e-5", [], []),
    ("--rate 1Gbit/s --rtt 100ms --loss 1e-4,1e-3,1e-2 --scheme bbr", [], []),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "words", "absent"), ANSWERS, ids=[Path(row[0]).name for row in ANSWERS])
def test_answers(capsys, arguments, words, absent):
    out = " ".join(said(capsys, *arguments.split()).replace("#", "").split())
    assert [one for one in words if one not in out] == [one for one in absent if one in out] == []


def test_buffers_are_for_the_upper_ends_of_ranges_and_rates_for_both():
    data = design.tcp_window(rate="80..100Mbit/s", round_trip_time=(0.01, 0.02), loss="1e-4..4e-4", replications=2)
    assert data.window == 483328
    assert float(data.check_lower) <= float(data.tcp_rate_lower) <= float(data.tcp_rate)
    full = 12.5e6 * 1448 / 1500
    assert float(data.tcp_rate) <= float(data.tcp_rate_upper) <= full
    # a full link may end one packet more than its rate within the time of a check
    assert float(data.tcp_rate_upper) <= float(data.check_upper) <= full + 1448 / float(data.check_time)
    # Reno-friendly at 2e-4: sqrt(1.5/2e-4) x 1448/0.01414 s = 8.87 MB/s of 10.8 MB/s
    assert float(data.tcp_rate_law) == pytest.approx(np.sqrt(1.5 / 2e-4) * 1448 / np.sqrt(2e-4), rel=1e-6)


def test_dctcp_keeps_the_queue_at_the_threshold():
    data = design.tcp_window(rate="20Mbit/s", round_trip_time="20ms", scheme="dctcp", replications=2)
    assert float(data.tcp_rate) > 0.97 * 2.5e6 * 1448 / 1538
    # CUBIC fills the whole buffer, one product, and has nearly two in flight; DCTCP one and a seventh at most
    assert float(data.tcp_in_flight) < 1.25 * data.bandwidth_delay_product


def test_the_answer_ends_with_lines_and_an_interval(tmp_path, capsys):
    out = run(capsys, tmp_path, "--rate", "100Mbit/s", "--rtt", "20ms")
    assert '[ "$3" -ge 1933312 ] || sysctl -w net.ipv4.tcp_rmem="$1 $2 1933312"' in out
    assert out.splitlines()[-1] == "more: --verbose"
    low, high = (float(one) for one in re.search(r"\nexpect +([\d.]+) to ([\d.]+) Mbit/s", out).groups())
    # RFC 6349: at most 100 x 1448/1500 = 96.53 without Ethernet's headers, 100 x 1448/1538 = 94.15 with them
    assert low < 94.15
    assert high == 96.6
    assert low > 92  # the link is full, but for 0.01
    assert {one.name for one in tmp_path.iterdir()} == {"window.csv", "window.nc", "window.png", "window.svg"}
    with xr.open_dataset(tmp_path / "window.nc") as data:
        assert data.attrs["window"] == 483328
    assert pd.read_csv(tmp_path / "window.csv")["tcp_window [bytes]"][0] == pytest.approx(482666.7, abs=0.1)


def test_the_law_answers_before_a_simulator_is_imported():
    """Imports are reported while they happen, into the pipe of the answer: what stands first happened first."""
    words = ["window", "--rate", "10Mbit/s", "--rtt", "20ms", "--loss", "1e-4,1e-3"]
    command = [sys.executable, "-X", "importtime", "-m", "longfat.cli", *words]
    told = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    imported = set(re.findall(r"^import time:.*\| +([^.\s]+)", told.split("sysctl -w net.ipv4.tcp_wmem")[0], re.M))
    assert {"numpy", "click"} <= imported
    assert not imported & {"numba", "xarray", "pandas", "pint", "scipy", "sympy", "jax", "matplotlib"}
    rows = [told.index(f"in a long transfer at a loss of {loss}\n") for loss in ("0.0001", "0.001")]
    assert told.index("tcp_wmem") < re.search(r"\| +numba$", told, re.M).start() < rows[0] < rows[1]
    assert "\ncheck " in told[rows[1] :]
    assert not re.search(r"\| +(xarray|pandas|pint|sympy)$", told, re.M)  # nor later, if no file is written


def test_no_simulation_gives_only_the_answer_by_law(capsys):
    path = ["--rate", "100Mbit/s", "--rtt", "20ms"]
    law, whole = said(capsys, *path, *LAW), said(capsys, *path)
    begin, end = law.split("check ")
    assert whole.startswith(begin)
    assert end == "    iperf3 -c HOST -C cubic\nexpect    not simulated (--no-simulation)\nmore: --verbose\n"


def test_the_rate_of_a_long_transfer_explains_a_measurement(capsys):
    """10 Gbit/s, 80 ms, p = 2.5e-7, with fast convergence: 1.50415 x 0.4^(1/4) x (0.08/2.5e-7)^(3/4) = 16094 packets.

    That is 2.33 Gbit/s. In the first minute a connection may have several times as much.
    """
    out = said(capsys, "--rate", "10Gbit/s", "--rtt", "80ms", "--loss", "2.5e-7", "--verbose")
    assert re.search(r"^law       2\.33 Gbit/s at 2\.5e-07 ", out, re.M)
    seen, low, high = re.search(r"^simulated (\S+) Gbit/s \((\S+) to (\S+) Gbit/s\) in a long", out, re.M).groups()
    check = re.search(r"^expect    (\S+) to (\S+) Mbit/s", out, re.M).groups()
    assert 2.33 / 1.1 < float(seen) < 1.1 * 2.33
    assert float(low) < float(seen) < float(high) < 1.25 * float(low)
    assert float(check[0]) < 1000  # Mbit/s
    assert float(check[1]) > 5000
    # The interval of the check spans a factor of ten. That of a transfer of 100 cycles, whose rates spread by 8 % and
    # with t = 2.57 for 6 runs, is 2.33 -+ 0.08 x 2.57 x sqrt(7/6) = 22 %, and 6 % for the accuracy: a factor of 1.8.
    low, high = re.search(r"narrower +-O 199 -t 1989: ([\d.]+) to ([\d.]+) Mbit/s, simulated", out).groups()
    assert 1.3 < float(high) / float(low) < 2.6


def test_the_answer_states_the_cost_of_changing_to_bbr(capsys):
    out = said(capsys, "--rate", "100Mbit/s", "--rtt", "20ms", "--loss", "1e-3", "--verbose")
    share, low, high = (float(one) for one in re.search(r"CUBIC flow: (\S+)% \((\S+) \.\. (\S+)%", out).groups())
    # Ware et al. 2019: in-flight caps of two products, with one in the buffer, leave CUBIC nothing; simulated, a little
    assert 75 < low < share < high < 100
    loss, short = (float(one) for one in re.search(r"(\S+)% lost \((\S+)% with 0.1 BDP of buffer", out).groups())
    # Scherrer et al. 2022: at most (1 - 1/1.25)(1 - 1/2) = 10 % in a short buffer
    assert loss < 1 < short < 10
    assert "up to 1.93 MB of memory" in out  # 4 x 483328 bytes
    assert "BBR at the sender (lines: --scheme bbr1)" in out
    path = {"rate": "100Mbit/s", "round_trip_time": "20ms"}
    assert np.isnan(design.tcp_window(**path, loss=1e-7, replications=2).bbr_share)  # nothing to get out of


def test_a_rate_measured_by_tcp_is_a_lower_bound(capsys):
    """No buffer that a program sets, because it would keep TCP from more; the settings allow twice the rate."""
    assert "\nsimulated" not in said(capsys, str(DATA / "iperf3_tcp.json"))  # on a link of the measured rate
    out = said(capsys, str(DATA / "iperf3_tcp.json"), "--verbose")
    assert "No number for iperf3 -w and SO_RCVBUF" in out
    assert not re.search(r"-w \d", out)
    assert "rmem_max" not in out
    # 29 losses of 8700 would allow 11.5 Mbit/s by Reno's law, and the flow had 23.1: its own overflows
    assert "taken for overflows of the measured flow itself" in out
    assert "no window or buffer changes that" not in out
    assert "20.7 Mbit/s or more" in out  # nine tenths of 23.0956


#: Settings of a host as `sysctl -a` prints them.
HOST = """\
net.ipv4.tcp_mem = 10000\t20000\t40000
net.ipv4.tcp_moderate_rcvbuf = 1
net.ipv4.tcp_rmem = 4096\t131072\t{}
net.ipv4.tcp_window_scaling = {}
net.ipv4.tcp_wmem = 4096\t16384\t4194304
"""


def lines_of(out):
    """Settings that the pasted lines raise."""
    return re.findall(r"sysctl -w net\.ipv4\.(\w+)=", out)


@pytest.mark.parametrize(("kernel", "rate", "needed"), [
    # two products of 0.02 s at 1448/1500 in pages, four times: 1,933,312, 19,316,736 and 193,069,056 bytes
    ("6.18", "100Mbit/s", []), ("4.18.0-553.el8_10.x86_64", "100Mbit/s", []),
    ("6.18", "1Gbit/s", ["tcp_wmem"]), ("4.18", "1Gbit/s", ["tcp_rmem", "tcp_wmem"]),
    ("6.18", "10Gbit/s", ["tcp_rmem", "tcp_wmem"]),
])  # fmt: skip
def test_the_kernel_decides_which_lines_are_needed(capsys, kernel, rate, needed):
    """32 MB of tcp_rmem and 4 MB of tcp_wmem in 6.18, 6 MB and 4 MB in 4.18 (kernel documentation, ip-sysctl)."""
    out = said(capsys, "--rate", rate, "--rtt", "20ms", "--kernel", kernel, *LAW)
    assert lines_of(out) == needed
    assert ("Nothing to type: Linux" in out) == (not needed)
    if not needed:
        assert "tcp_wmem up to 4.19 MB" in out
        assert "needs 1.93 MB; by default, on hosts with 247 MB" in " ".join(out.replace("#", "").split())  # x 128


@pytest.mark.parametrize(("receive", "scaling", "needed", "words"), [
    (33554432, 1, [], "Nothing to type: host.txt has"),
    (1000000, 1, ["tcp_rmem"], "next:     paste the lines"),
    # 65,535 bytes in 20 ms are 26.2 Mbit/s, of 95.3: 3.6 times as much
    (33554432, 0, ["tcp_window_scaling"],
     "limit     socket buffers of host.txt: 26.2 Mbit/s (tcp_window_scaling is off, 20 ms) of 94.1"),
    (33554432, 0, ["tcp_window_scaling"], "paste the lines: up to 95.3 Mbit/s by law, 3.6 times as much"),
])  # fmt: skip
def test_the_settings_of_a_host_decide_which_lines_are_needed(tmp_path, capsys, receive, scaling, needed, words):
    host = tmp_path / "host.txt"
    host.write_text(HOST.format(receive, scaling))
    out = said(capsys, str(host), "--rate", "100Mbit/s", "--rtt", "20ms", *LAW)
    assert lines_of(out) == needed
    assert words in out
    assert ("Nothing to type" in out) == (not needed)


def test_a_host_that_does_not_tune_receive_buffers(tmp_path, capsys):
    """131,072 bytes in 20 ms are 52.4 Mbit/s, a quarter of them 13.1, whatever the third number of tcp_rmem."""
    host = tmp_path / "host.txt"
    host.write_text(HOST.format(33554432, 1).replace("rcvbuf = 1", "rcvbuf = 0"))
    out = said(capsys, str(host), "--rate", "100Mbit/s", "--rtt", "20ms", *LAW)
    assert out.startswith("limit     socket buffers of host.txt: 13.1 to 52.4 Mbit/s (tcp_rmem 131 kB, as tcp_moder")
    assert lines_of(out) == ["tcp_rmem", "tcp_moderate_rcvbuf"]
    host.write_text(host.read_text().replace("scaling = 1", "scaling = 0"))
    # two products of 2413 bytes are less than 65,535 and 131,072/4: neither setting has to change
    assert "Nothing to type: host.txt has" in said(capsys, str(host), "--rate", "1Mbit/s", "--rtt", "20ms", *LAW)


def test_a_window_that_the_hosts_do_not_explain(tmp_path, capsys):
    """14.8 Mbit/s by a window of 39.6 kB, where the receiver's kernel would let it grow: 95.3/14.27 = 6.7."""
    host = tmp_path / "host.txt"
    host.write_text(HOST.format(33554432, 1))
    out = said(capsys, str(DATA / "measured/receiver.json"), str(host), "--rate", "100Mbit/s", *LAW)
    step = "look for iperf3 -w and SO_RCVBUF, because host.txt allows 504 kB: up to 95.3 Mbit/s by law, 6.7 times"
    assert step in " ".join(out.split())
    assert lines_of(out) == []


@pytest.mark.parametrize("verbose", [[], ["--verbose"]])
def test_doubts_about_the_files_are_repeated(tmp_path, capsys, verbose):
    """Base round-trip times of 32 and 200 ms, and 7224072 bytes in 3.049233 s over a link of 10 Mbit/s."""
    (tmp_path / "far.ping").write_text("rtt min/avg/max/mdev = 200/201/202/1 ms")
    files = [str(DATA / "measured/clean-1.json"), str(tmp_path / "far.ping")]
    out = " ".join(said(capsys, *files, "--rate", "10Mbit/s", *LAW, *verbose).split())
    assert out.count("remark files: base round-trip time of 32.155 ms in") == 1
    assert out.count("files: 18.95 Mbit/s of data, more than --rate of 10 Mbit/s: another path, or a wrong rate") == 1
    assert "files: 18.95" not in said(capsys, *files, "--rate", "10..20Mbit/s", *LAW, *verbose)


def test_a_check_of_a_measured_rate_expects_nine_tenths_of_the_slowest_run():
    path = SimpleNamespace(figures=measured.PathFigures(rate=2e6, rate_interval=(1.01e6, 3e6)))
    # 8.08 Mbit/s times 0.9
    assert window_tcp._of_measured_rate(path, "cubic", "line").startswith("7.27 Mbit/s or more in line, without -w")


def test_the_smallest_of_several_hosts_counts(tmp_path, capsys):
    for name, receive in (("a.txt", 33554432), ("b.txt", 1000000)):
        (tmp_path / name).write_text(HOST.format(receive, 1))
    both = [str(tmp_path / name) for name in ("a.txt", "b.txt")]
    out = said(capsys, *both, "--rate", "100Mbit/s", "--rtt", "20ms", *LAW)
    # a million bytes hold a million at most, and a quarter at least, in 20 ms: 400 and 100 Mbit/s
    assert "Nothing to type" not in out


def test_memory_is_named_where_it_binds(tmp_path, capsys):
    host = tmp_path / "host.txt"
    host.write_text(HOST.format(33554432, 1))

    def memory(*arguments):
        out = said(capsys, *arguments, *LAW)
        return next((line for line in out.splitlines() if line.startswith("# Memory")), "")

    # 20,000 pages of 4096 bytes are 81.9 MB, less than the 96.5 MB for two products of 12.07 MB
    assert "may take 96.5 MB; by tcp_mem of host.txt Linux saves memory from 81.9 MB" in memory(
        str(host), "--rate", "1Gbit/s", "--rtt", "100ms"
    )
    assert memory(str(host), "--rate", "1Gbit/s", "--rtt", "80ms") == ""  # 77.2 MB
    # sixteen times 772 MB
    assert "hosts of 12.4 GB or more allow it" in memory("--rate", "10Gbit/s", "--rtt", "80ms")
    of_ten = memory("--rate", "10Gbit/s", "--rtt", "80ms", "--flows", "10")
    assert (
        of_ten
        == "# Memory: 10 connections may take 772 MB; hosts of 12.4 GB or more allow it (tcp_mem, by default 1/16)."
    )
    assert memory("--rate", "1Gbit/s", "--rtt", "100ms") == ""


@pytest.mark.parametrize(("path", "limit", "steps"), [
    # 4,194,304 bytes in 80 ms are 419 Mbit/s, a quarter of them 105; the link has 9.53 Gbit/s, 23 and 91 times as much
    (["--rate", "10Gbit/s", "--rtt", "80ms"], "socket buffers, if Linux's defaults: 105 to 419 Mbit/s (tcp_wmem ",
     ["paste the lines: up to 9.53 Gbit/s by law, 23 times as much or more", "-P 23 to 91"]),
    # half of 6 MB are 3.15 MB
    (["--rate", "10Gbit/s", "--rtt", "80ms", "--kernel", "4.18"],
     "socket buffers of Linux 4.18: 105 to 315 Mbit/s (tcp_rmem 6.29 MB, tcp_wmem 4.19 MB",
     ["paste the lines"]),
    # 1.50415 x 0.4^(1/4) x (0.1/1e-4)^(3/4) = 212.7 packets in 0.1 s, 38.7 times less than the link's 953 Mbit/s
    (["--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "1e-4"], "loss: 24.6 Mbit/s at 0.0001 (law of CUBIC, 100 ms)",
     ["remove the losses (ethtool -S, optics), paste the lines: the whole link by law, 39 times as much",
      # 0.95 x 38.7 = 36.8; 37 x 24.64; 953/38
      "37 streams, iperf3 -P 37 (check: --flows 37): 24.6 Mbit/s -> 912 Mbit/s by law",
      "leaves one flow of others 25.1 Mbit/s", "BBR"]),
    # both: 2.33 Gbit/s by the losses, 419 Mbit/s by the buffers
    (["--rate", "10Gbit/s", "--rtt", "80ms", "--loss", "2.5e-7"], "socket buffers",
     ["up to 2.33 Gbit/s by law, 5.6 times", "then remove the losses", "-P 6 to 23"]),
    # 1.50415 x 0.4^(1/4) x (0.1/1e-5)^(3/4) = 1196 packets in 0.1 s are 139 Mbit/s
    (["--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "1e-7,1e-5"], "socket buffers",
     ["up to 953 Mbit/s", "then remove the losses", "the whole link by law, 6.9 times as much as at 1e-05"]),
    # 2^30 bytes in 0.2 s are 42.9 Gbit/s, 256 times 4 MiB in 0.2 s
    (["--rate", "100Gbit/s", "--rtt", "200ms"], "socket buffers, if Linux's defaults: 41.9 to 168 Mbit/s",
     ["paste the lines: up to 42.9 Gbit/s by law, 260 times as much", "iperf3 -P 128,"]),
    (["--rate", "100Mbit/s", "--rtt", "20ms"],
     # 100 x 1448/1538 and 100 x 1448/1500
     "the link, if it loses no packet: 94.1 to 96.5 Mbit/s (Ethernet, IP) of data of 100 Mbit/s",
     ["only a faster link carries more"]),
    # 8948/9038 x 1538/1448 = 1.052
    (["--rate", "1Gbit/s", "--rtt", "1ms"], "the link, if it loses no packet: 941 to 965 Mbit/s (Ethernet, IP) of data",
     ["packets of 9000 bytes, if the whole path takes them: 5% more data, 6.2 times fewer packets"]),
    # 4,194,304 bytes are 1.2 products of 3.62 MB in 0.6 s, and a quarter of them 14 Mbit/s
    (["--rate", "50Mbit/s", "--rtt", "600ms"],
     "the link, if it loses no packet: 47.1 to 48.3 Mbit/s (Ethernet, IP) of data of 50 Mbit/s; or socket buffers, "
     "with Linux's defaults: 14 Mbit/s or more (tcp_wmem 4.19 MB)",
     ["Linux's defaults: 0.29 to 1.2 BDPs"]),
    # 1.50415 x 0.4^(1/4) x (0.6/1e-4)^(3/4) = 815.5 packets of 1448 bytes in 0.6 s are 15.7 Mbit/s; at 1e-5 5.6 times
    # as much, more than the link; in the middle, sqrt(1e-9), 2.37 times 15.7
    (["--rate", "50Mbit/s", "--rtt", "600ms", "--loss", "1e-5..1e-4"],
     "loss: 15.7 to 47.7 Mbit/s at 0.0001 to 1e-05, 37.3 Mbit/s at 3.16e-05 (law", ["1.3 times as much", "2 streams"]),
    # with no loss in the list: the gain is that of the other
    (["--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "0,1e-4", "--mss", "1448B"], "socket buffers",
     ["paste the lines", "then remove the losses", "39 times as much as at 0.0001"]),
    (["--rate", "1Gbit/s", "--rtt", "10ms", "--loss", "0,1e-3"], "loss: 953 Mbit/s at 0, 44.9 Mbit/s at 0.001 (law of",
     # 0.95 of 953 Mbit/s over 44.9 are 20.2 streams
     ["remove the losses", "21 times as much", "iperf3 -P 21 (check: --flows 21):"]),
    # 4,194,304 bytes in 0.1 s are 336 Mbit/s, and BBR may fill the link: 926 Mbit/s, 2.76 times as much
    (["--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "1e-4", "--scheme", "bbr"],
     "socket buffers, if Linux's defaults: 83.9 to 336 Mbit/s",
     ["paste the lines: up to 926 Mbit/s (no law holds at 0.0001), 2.8 times as much or more", "-P 3 to 12"]),
    # one loss in 2 s, of 1 Gbit/s x 1448/1519 (between IP's and Ethernet's headers): 8228 packets in 100 ms, 6.08e-6
    (["--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "1e-6..1e-2", "--scheme", "bbr"],
     "socket buffers, if Linux's defaults: 83.9 to 336 Mbit/s",
     ["paste the lines: up to 926 Mbit/s (no law holds at more than 6.08e-06), 2.8 times as much or more",
      "-P 3 to 12"]),
    (["--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "0.03", "--scheme", "bbr"], "loss: no law holds at 0.03",
     ["remove the losses"]),
    # the law of CUBIC ends at 0.01
    (["--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "0.05"], "loss: no law holds at 0.05", ["remove the losses"]),
])  # fmt: skip
def test_the_limit_by_law_and_what_to_do(capsys, path, limit, steps):
    out = said(capsys, *path, *LAW)
    assert " ".join(out.split()).startswith(f"limit {limit}")
    next_steps = " ".join(out.split("next:")[1].split("\n\n")[0].split())
    places = [next_steps.index(step) for step in steps]
    assert places == sorted(places)
    assert (" 2. " in next_steps) == (len(steps) > 1 or "--kernel" in path)


def test_one_flow_has_a_largest_window(tmp_path, capsys):
    """100 Gbit/s and 200 ms: 42.9 of 95.3 Gbit/s in 2^30 bytes.

    Two products of 2.41 GB are 8.99 times 2^29 bytes, the window that 2^31 bytes hold with any driver: nine flows.
    """
    host = tmp_path / "host.txt"
    host.write_text(HOST.format(2147483647, 1).replace("4194304", "2147483647"))
    out = said(capsys, str(host), "--rate", "100Gbit/s", "--rtt", "200ms", *LAW)
    assert out.startswith(
        "limit     TCP's largest window, 1 GiB (RFC 7323): 42.9 Gbit/s at 200 ms, of the link's 94.1 to 96.5 Gbit/s"
    )
    assert "9 streams, iperf3 -P 9: 95.3 Gbit/s by law, 2.2 times as much" in out
    assert "without losses 9 streams fill this path" in " ".join(out.replace("#", "").split())
    # 1.1962 x (0.2/1e-6)^(3/4) = 11,314 packets in 0.2 s are 655 Mbit/s; 42.9 Gbit/s are 66 times as much
    out = " ".join(said(capsys, str(host), "--rate", "100Gbit/s", "--rtt", "200ms", "--loss", "1e-6", *LAW).split())
    assert "(ethtool -S, optics): 42.9 Gbit/s by law, 66 times as much" in out
    assert "BBR at the sender (lines: --scheme bbr1): 42.9 Gbit/s by its rules, 66 times as much" in out
    # Two products of 38.6 GB are 143.9 times 2^29 bytes: two calls, as iperf3 has 128 streams at most
    out = " ".join(said(capsys, str(host), "--rate", "400Gbit/s", "--rtt", "800ms", *LAW).split())
    assert "144 streams, iperf3 -P 72 (2 of these at once, whose rates are added, each with a server" in out
    # the packets of any driver: 2^31 bytes hold 2^29, which are 21.47 Gbit/s
    assert re.search(r"expect +21400 to 43000 Mbit/s", said(capsys, "--rate", "100Gbit/s", "--rtt", "200ms"))


def test_a_processor_is_no_matter_of_windows(tmp_path, capsys):
    run_of = tmp_path / "run.json"
    run_of.write_text(questions.processor())
    out = said(capsys, str(run_of), "--rate", "10Gbit/s")
    assert out.startswith("limit     sender's processor, busy for 99.6% of the time: 2.1")
    assert "up to" not in out  # a second processor was not measured
    assert out.splitlines()[-1].startswith("No window and no socket buffer raises this rate")


def in_namespace(script):
    """Return the output and the errors of a script of the shell in a network namespace, or skip where there is none."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode:
        pytest.skip("network namespaces are not available")
    done = subprocess.run(["unshare", "-rn", "sh", "-c", script], capture_output=True, text=True)
    return done.stdout, done.stderr


@pytest.mark.skipif(not shutil.which("sysctl"), reason="needs sysctl")
def test_lines_raise_and_never_lower():
    """By the real shell and the real sysctl."""
    for setting, before, after in (("4096 131072", 6000000, 8000000), ("4096 131072", 9000000, 9000000)):
        name = "net.ipv4.tcp_rmem"
        line = f"{paste.raised_third(name, 8000000)} >&2"
        out, _ = in_namespace(f'sysctl -qw {name}="{setting} {before}"; {line}; {line}; sysctl -n {name}')
        assert out.split() == [*setting.split(), str(after)]
    for before, after in ((200, 300), (400, 400)):
        name = "net.ipv4.tcp_max_syn_backlog"
        out, _ = in_namespace(f"sysctl -qw {name}={before}; {paste.raised(name, 300)} >&2; sysctl -n {name}")
        assert int(out) == after


def test_a_closed_pipe_ends_the_command():
    """The command ends without a word, before it simulates; the status is click's."""
    program = Path(sys.executable).parent / "longfat"
    done = subprocess.run(
        ["bash", "-c", f"{program} window --rate 1Gbit/s --rtt 100ms | head -1; exit ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("limit ")


def test_several_flows_of_bbr_are_warned_of(capsys):
    """Scherrer and others, 2022: (1 - 1/1.25)(1 - 1/16) = 18.75 % of the packets."""
    path = ["--rate", "10Mbit/s", "--rtt", "40ms", "--scheme", "bbr1", "--buffer", "0.2"]
    out = said(capsys, *path, "--flows", "16", *LAW)
    assert "16 of bbr1 lose about 19% of packets" in out
    assert " of bbr1 " not in said(capsys, *path, *LAW)
    lost = float(re.search(r"in a long transfer, (\S+)% of packets lost", said(capsys, *path, "--flows", "4"))[1])
    assert 1 < lost < 20


def test_slow_links_have_rates_in_kbit(capsys):
    # a packet of 8948 bytes takes 72 ms, and the transfer lasts for a thousand: the link is full
    out = said(capsys, "--rate", "1Mbit/s", "--rtt", "1ms", "--mss", "8948B")
    rate = re.search(r"simulated ([\d.]+) kbit/s", out)
    assert 980 < float(rate[1]) < 995
    assert "iperf3 -c HOST -f k " in out
    assert re.search(r"expect    [\d.]+ to [\d.]+ kbit/s", out)


def test_a_check_of_a_slow_link_may_count_a_packet_more_or_less():
    """30 s at 10 kbit/s have 37,500 bytes: 25 packets of 1500 bytes, and 24.4 with Ethernet's 38, so 24 or 25."""
    data = design.tcp_window(rate="10kbit/s", round_trip_time="800ms", replications=2)
    assert data.check_time == 30
    assert data.check_lower <= 24 * 1448 / 30
    assert 25 * 1448 / 30 <= data.check_upper <= 26 * 1448 / 30


def test_longer_checks_have_the_unit_of_the_check(capsys):
    out = said(capsys, "--rate", "100kbit/s", "--rtt", "2s", "--loss", "0.01", "--mss", "200B")
    assert "iperf3 -c HOST -f k" in out
    assert re.search(r"-t \d+: [\d.]+ to [\d.]+ kbit/s, simulated", " ".join(out.split()))
