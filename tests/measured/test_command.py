"""`longfat measured`: table, JSON, picture, and one line for what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longfat import cli, measured, plot
from longfat.measured.diagnosis import beyond, metrics
from tests.measured import questions

pytestmark = pytest.mark.usefixtures("drawn_quickly")

DATA = Path(__file__).parents[1] / "data" / "measured"


def run(capsys, *arguments):
    status = cli.main(["measured", *map(str, arguments)])
    return status, capsys.readouterr()


def test_the_table(capsys):
    status, shown = run(capsys, *(DATA / f"clean-{i}.json" for i in (1, 2, 3)), DATA / "loaded.ping")
    assert status == 0
    lines = {line[:22].strip(): line[22:].split("  ") for line in shown.out.splitlines()}
    # the three goodputs: 18.953, 18.792 and 18.976 Mbit/s
    assert [part.strip() for part in lines["rate, data"] if part] == ["18.95 Mbit/s", "18.79 Mbit/s .. 18.98 Mbit/s"]
    assert "20.31 ms" in "".join(lines["base round-trip time"])
    assert "not seen" in "".join(lines["policer"])
    # 1500 of 1448 bytes of data are IP's, and 1538 are on the wire
    assert "19.63 Mbit/s" in "".join(lines["IP"])
    assert "20.13 Mbit/s" in "".join(lines["wire"])
    assert "iperf3 --json (3 files), ping" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize(
    ("segment", "ip", "headers"),
    [  # 14.48 Mbit/s of data; each segment fills 1500 bytes: 40 or 60 bytes of headers, and 12 of time stamps
        (1428, "15.21 Mbit/s", "IPv6 and TCP with time stamps"),
        (1460, "14.88 Mbit/s", "IPv4 and TCP without time stamps"),
        (1440, "15.08 Mbit/s", "IPv6 and TCP without time stamps"),
        (1000, "15.23 Mbit/s", "IPv4 and TCP with time stamps"),  # fills no packet: 1052 bytes
    ],
)
def test_headers_of_segments_that_fill_a_packet(tmp_path, capsys, segment, ip, headers):
    summary = "[  5] 0.00-10.00 sec 17.26 MBytes 14.48 Mbits/sec"
    text = f"Connecting to host h\nTCP MSS: {segment}\n{summary} 0 sender\n{summary} receiver\n"
    (tmp_path / "run.txt").write_text(text)
    assert cli.main(["measured", str(tmp_path / "run.txt")]) == 0
    assert f"IP                  {ip}  with {headers}\n" in capsys.readouterr().out


def test_the_rest_of_the_table(capsys):
    names = [*(DATA / f"clean-{i}.json" for i in (1, 2, 3)), DATA / "loaded.ping"]
    _, short = run(capsys, *names)
    _, shown = run(capsys, *names, "--verbose")
    assert short.out.endswith("\nmore: --verbose\n")
    for words in ("limited by  ", "remark    loss: 18 of 15452 packets of 3 runs", "packet  "):
        assert words in shown.out  # 6 + 8 + 4 of 5147 + 5089 + 5216
        assert words not in short.out
    assert all(f"  {name}\n" in shown.out for name in names)


@pytest.mark.parametrize("options", [[], ["--capacity", "1Gbit/s"]])
def test_a_short_answer_has_twenty_lines(capsys, options):
    others = ("README.md", "truth.json", "simulated.toml", "none.ping", "unreachable.ping", "tbf-before.tc")
    for file in DATA.iterdir():
        if file.name not in others:
            status, shown = run(capsys, file, *options)
            assert status == 0
            assert shown.out.count("\n") <= 20
            assert shown.out.startswith("limit ")


def test_the_policer_of_a_capture_has_its_rate(capsys):
    _, shown = run(capsys, DATA / "policed.pcap")
    line = next(one for one in shown.out.splitlines() if one.startswith("policer"))
    # 5 Mbit/s of IP packets: 1448/1500 of it are data, 4.827; a bucket of 30 kB. Three digits say that much.
    assert "4.83 Mbit/s of data (5 Mbit/s of IP) with a bucket of 28.1 kB" in line
    assert line.removeprefix("policer").split()[0] == "suspected"


@pytest.mark.parametrize(
    ("rate", "shown", "at_ip", "wire", "above"),
    [
        # 1500 and 1538 bytes for 1448 of data: 941.0 x 1500/1448 = 974.79, x 1538/1448 = 999.49
        (941.0, "941 Mbit/s", "974.8 Mbit/s", "999.5 Mbit/s", None),
        # 986.99 x 1.03591 = 1022.4, x 1.06215 = 1048.3; 1518 of 1538 bytes are Ethernet's: 987.00
        (986.99, "987 Mbit/s", "1.022 Gbit/s", "1.048 Gbit/s", "987 Mbit/s is Ethernet's"),
        (975.29, "975.3 Mbit/s", "1.01 Gbit/s", "1.036 Gbit/s", "975.3 Mbit/s is IP's"),  # 1500/1538
        (960.0, "960 Mbit/s", "994.5 Mbit/s", "1.02 Gbit/s", ""),
    ],
)
def test_rates_are_rounded_once_and_compared_with_the_link(tmp_path, capsys, rate, shown, at_ip, wire, above):
    file = tmp_path / "run.json"
    file.write_text(questions.run([rate * 1e6 / 8] * 10))
    _, said = run(capsys, file, "--capacity", "1Gbit/s")
    lines = {line[:24].strip(): line[24:] for line in said.out.splitlines()}
    for name, value in {"rate, data": shown, "IP": at_ip, "wire": wire}.items():
        assert lines[name].strip().split("  ")[0] == value
    # 1448 of 1538 bytes are data, and 8948 of 9038
    found = lines.get("above --capacity", "").strip()
    head = "" if above is None else "1 Gbit/s carries 941.5 Mbit/s of data, jumbo frames 990 Mbit/s"
    assert found == (f"{head}; {above}" if above else head)
    assert max(map(len, said.out.splitlines())) <= 116


def test_runs_that_narrow_a_wide_interval(tmp_path, capsys):
    file = tmp_path / "run.json"
    file.write_text(questions.run([2.5e6] * 10, resent=[0, 1, 0, 0, 0, 0, 0, 0, 0, 0]))
    _, shown = run(capsys, file)
    # Garwood's interval of one event is 0.0253 to 5.572, of ten 4.795 to 18.39. One in 10 s, ten in 100 s.
    words = "10 times as many packets (iperf3 -t 100) make it 3.8 times; tcpdump -s 96 tells bursts"
    assert f"narrower loss (ends differ 220 times): {words} of" in " ".join(shown.out.split())
    file.write_text(questions.run([2.5e6] * 10, resent=[1] * 10))
    assert "narrower" not in run(capsys, file)[1].out
    pings = [tmp_path / f"{k}.ping" for k in (1, 2)]
    for one, trip in zip(pings, (2, 16), strict=True):
        lines = [f"64 bytes from 192.0.2.1: icmp_seq={k} ttl=64 time={trip} ms" for k in (1, 2)]
        end = "2 packets transmitted, 2 received, 0% packet loss, time 1001ms"
        one.write_text(
            "\n".join(["PING h (192.0.2.1) 56(84) bytes of data.", *lines, "", "--- h ping statistics ---", end, ""])
        )
    assert "\nnarrower  base round-trip time (ends differ 8 times): ping -c 100 HOST" in run(capsys, *pings)[1].out


def test_json(capsys):
    status, shown = run(capsys, DATA / "policed.pcap", DATA / "idle.ping", "--json")
    found = json.loads(shown.out)
    assert status == 0
    assert found["path"]["policed"] is True
    assert [one["kind"] for one in found["files"]] == ["pcap", "ping"]
    assert found["path"]["loss"] == found["files"][0]["loss"] == 77 / 476
    assert found["rfc_6349"]["tcp_efficiency"] == pytest.approx(1 - 77 / 476)


def test_the_metrics_of_rfc_6349():
    figures = measured.read(DATA / "clean.ss")
    found = metrics(figures, capacity=2.5e6 * 1538 / 1500)
    # an Ethernet that is as fast: frames of 1538 bytes carry 1448, so that the ideal rate is 2.4133 MB/s
    assert found["transfer_time_ratio"] == pytest.approx(2.5e6 * 1448 / 1500 / (6232230 / 2.648), rel=1e-9)
    assert found["tcp_efficiency"] == pytest.approx(1 - 37 / 4400)
    assert found["buffer_delay"] == pytest.approx(figures.queueing_delay / 0.020632)
    assert "transfer_time_ratio" not in metrics(figures)
    assert metrics(measured.read(DATA / "overload-udp.json"), 1e9) == {}


def test_the_picture(tmp_path, capsys):
    names = ("clean-1.json", "clean.ss", "loaded.ping", "policed.pcap", "ndt7-client.jsonl", "simulated.sqlog")
    status, _ = run(capsys, *(DATA / name for name in names), "--figure", tmp_path / "path.svg")
    assert status == 0
    assert (tmp_path / "path.svg").read_text().count("<svg") == 1
    figure = plot.measurements(measured.read_each(*(DATA / name for name in names)))
    labels = [(ax.get_ylabel().replace("\n", " "), ax.get_xlabel(), len(ax.get_lines())) for ax in figure.axes]
    assert labels == [
        ("rate [Mbit/s]", "", 4),  # of data, but for the simulated qlog, which has whole packets
        ("round-trip time [ms]", "", 5),
        ("congestion window [kB]", "", 1),
        ("retransmissions [packets]", "", 1),
        ("losses [packets]", "time [s]", 2),
        ("rate, data [Mbit/s]", "", 1),
        ("round-trip time [ms]", "", 1),
        ("congestion window [kB]", "sample", 1),
    ]
    rate = figure.axes[0].get_lines()[0].get_ydata()
    assert rate.mean() == pytest.approx(8 * 7452856 / 3.000424 / 1e6, rel=1e-3)  # what clean-1.json has sent


def test_the_picture_has_one_time_axis_and_room_above_the_lines():
    def one(file, *series):
        return measured.Measurement(file, "ss", measured.PathFigures(), series)

    def series(name, *values):
        return measured.Series(name, "bytes", tuple(float(k) for k in range(len(values))), values)

    first = one("a", series("congestion window", 1e6, 4e7), series("retransmissions", 0.0, 0.0))
    figure = plot.measurements([first, one("b", series("rate", 2e8, 2e8, 2e8, 2.5e8))])
    rate, window = figure.axes
    # 2.5e8 bytes/s are 2 Gbit/s, 4e7 bytes 40 MB; no packet was sent again, so that these have no panel
    assert (rate.get_ylabel(), window.get_ylabel()) == ("rate,\ndata [Gbit/s]", "congestion\nwindow [MB]")
    assert (rate.get_lines()[0].get_ydata().max(), window.get_lines()[0].get_ydata().max()) == (2.0, 40.0)
    assert rate.get_ylim()[1] > 2.05
    assert window.get_ylim()[1] > 41
    assert rate.get_xlim() == window.get_xlim()
    assert window.get_xlim()[0] == 0
    assert window.get_xlim()[1] >= 3
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]
    still = plot.measurements([one("a", series("losses", 0.0, 0.0))])  # nothing else to draw
    assert still.axes[0].get_ylim() == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["truth.json"], "truth.json: the file is JSON of no known kind: must be the output of iperf3 --json, "),
        (["clean-1.json", "truth.json"], "truth.json: the file is JSON of no known kind"),
        (["absent"], "absent: cannot be read (No such file or directory)"),
        (["tbf.tc", "--figure", "x.svg"], "--figure needs values over time"),
        (["clean-1.json", "--figure", "x.gif"], "suffix of --figure '.gif' is unknown"),
        (["clean-1.json", "--capacity", "fast"], "capacity = 'fast'"),
        ([], "FILE"),
    ],
)
def test_refusals(capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(DATA)
    status, shown = run(capsys, *arguments)
    assert (status, shown.out) == (2, "")
    assert shown.err.count("\n") == 1
    assert words in shown.err
    assert not (DATA / "x.svg").exists()


def test_a_full_link_without_time_stamps():
    """1460 of 1538 bytes are data: 949.3 Mbit/s of Gigabit Ethernet, which is not more than the link carries."""
    full = measured.PathFigures(rate=949.2e6 / 8, packet=1460, transport="TCP")
    assert beyond(full, 125e6) == ""
    assert metrics(full, 125e6)["transfer_time_ratio"] == pytest.approx(949.285 / 949.2, rel=1e-5)
