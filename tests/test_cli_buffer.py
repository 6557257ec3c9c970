"""`longfat buffer`: table, JSON, CSV, four files, and one line for every mistake."""

import io
import json
import re
import shutil
import subprocess

import pandas as pd
import pytest
import xarray as xr

from longfat.cli import buffer_lines, main
from longfat.cli.buffer import _spread
from longfat.cli.buffer_table import table
from longfat.cli.output import sayable

PATH = ["--rate", "1Gbit/s", "--rtt", "100ms", "--bdp", "60", "--points", "2", "--replications", "2"]


def test_table_and_files(tmp_path, capsys):
    assert main(["buffer", *PATH, "--output", str(tmp_path / "out")]) == 0
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == [
        f"buffer.{kind}" for kind in ("csv", "nc", "png", "svg")
    ]
    out, err = capsys.readouterr()
    assert err == ""
    assert "bandwidth-delay product 12.5 MB, 8333.3 packets" in out
    assert "Buffer of the switch (not a socket buffer, not tcp_rmem) for 95% of the capacity" in out
    with xr.open_dataset(tmp_path / "out" / "buffer.nc") as data:
        for rule in data.rule.values:
            line = next(one for one in out.splitlines() if one[7:].startswith(f"{rule}  "))
            row = data.sel(rule=rule)
            assert f"{float(row.buffer_bdp):.4g}" in line
            assert f"{float(row.share):.4f}" in line
            assert line.endswith(str(row.status.values))
        table = pd.read_csv(tmp_path / "out" / "buffer.csv")
        assert list(table.rule) == [*data.rule.values, "curve", "curve"]
        assert table.buffer_bytes[:6].values == pytest.approx(data.buffer_bytes.values)
    assert (tmp_path / "out" / "buffer.svg").read_text().startswith("<?xml")


def test_json(tmp_path, capsys):
    flags = ["--flows", "1,2", "--scheme", "gaimd-window", "--share", "0.9", "--output", str(tmp_path)]
    assert main(["buffer", *PATH, *flags, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["path"]["decrease"] == 7 / 8
    assert [row["flows"] for row in answer["rules"]] == [1] * 5 + [2] * 5
    assert len(answer["curve"]) == 4
    assert answer["rules"][0]["law_apart"] is None  # one flow is not many
    assert answer["rules"][0]["buffer_bytes"] == pytest.approx(12.5e6)
    assert answer["path"]["access_rate"] is None  # unlimited


def test_power_and_csv(tmp_path, capsys):
    path = ["--rate", "30Mbit/s", "--rtt", "6ms", "--packet", "500B", "--points", "2", "--replications", "2"]
    files = ["--file", "20kB", "--loads", "0.6", "--scheme", "newreno", "--access", "100Mbit/s"]
    assert main(["buffer", *path, *files, "--csv", "--output", str(tmp_path)]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    pd.testing.assert_frame_equal(printed, pd.read_csv(tmp_path / "buffer.csv"))
    with xr.open_dataset(tmp_path / "buffer.nc") as data:
        assert data.attrs["file"] == 20_000
        assert data.power.attrs["units"] == "bytes/s^2"
        shown = table(data.load())
    assert printed.best_load.dropna().eq(0.6).all()
    assert {"power [bytes/s^2]", "throughput_upper [bytes/s]", "queueing_delay [s]", "buffer_bytes"} <= set(printed)
    assert "for 95% of the greatest power" in shown
    assert shown.endswith("reached")


def test_what_is_missing_is_named(capsys):
    assert main(["buffer", "--rate", "1Gbit/s"]) == 2
    assert "--rtt" in capsys.readouterr().err


def test_a_terminal_without_greek(monkeypatch):
    class Stream(io.StringIO):
        encoding = "ascii"

    monkeypatch.setattr("sys.stdout", Stream())
    assert sayable("±10%, 3 bytes/s²") == "+-10%, 3 bytes/s^2"


def lines(capsys, tmp_path, *flags):
    assert main(["buffer", *PATH, *flags, "--output", str(tmp_path)]) == 0
    return capsys.readouterr().out


def test_lines_by_hand(tmp_path, capsys):
    out = lines(capsys, tmp_path)
    packets = next(int(one.split()[3]) for one in out.splitlines() if " simulated " in one and "reached" in one)
    size = packets * 1514  # with Ethernet's header, as tc counts
    # and room for 64 KiB that Linux joins to one packet: see tests/benchmarks/advice_lines.py for what happens without
    assert f"tc qdisc replace dev DEV root bfifo limit {size + 65536}" in out
    # a thousandth of a second of 1 Gbit/s, more than is ever joined
    assert f"tc qdisc replace dev DEV root tbf rate 1000000000bit burst 125000b limit {size + 65536}" in out
    high = float(re.search(r"to ([\d.]+) Mbit/s in the", " ".join(out.replace("#", "").split()))[1])
    # 1000 x 1448/1500 = 965.33 of data in a full link, and 95 % of it at least, rounded outwards
    assert 0.95 * 965.33 <= high <= 966
    assert "iperf3 -c HOST -f m -P 1 -O 10 -t 60 -C cubic" in out
    assert "-C reno" in lines(capsys, tmp_path, "--scheme", "reno")


def test_a_buffer_of_a_packet_has_room_for_what_is_joined():
    """A limit below what a token bucket passes on undivided drops all of it: two BBR flows kept 2 % of a link."""
    attrs = {"packet": 1500, "rate": 1812500.0, "share": 0.93, "scheme": "bbr1"}
    made = buffer_lines._fifo(attrs, xr.Dataset({"flows": 2}), 1)
    # 1.8 kB in a millisecond, less than two packets of 1514 bytes: 3028; four packets for each of two flows are more
    # than the one that was found: 8 x 1514 + 3028 = 15140
    assert made[1].lines == ("tc qdisc replace dev DEV root tbf rate 14500000bit burst 3028b limit 15140",)
    assert made[0].lines == (f"tc qdisc replace dev DEV root bfifo limit {1514 + 65536}",)


def test_no_lines_where_nothing_is_known(tmp_path, capsys):
    assert "not known to hold for both" in lines(capsys, tmp_path, "--discipline", "codel", "--share", "50%")


def test_tc_takes_the_lines(tmp_path, capsys):
    """By the real tc; queue disciplines that the kernel lacks are refused by it and not by the parser of tc."""
    if not (shutil.which("tc") and shutil.which("unshare")):
        pytest.skip("needs tc and unshare")
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode:
        pytest.skip("network namespaces are not available")
    out = lines(capsys, tmp_path)
    path = ["--rate", "1Gbit/s", "--rtt", "1ms", "--points", "2", "--replications", "2", "--scheme", "dctcp"]
    assert main(["buffer", *path, "--output", str(tmp_path)]) == 0
    out += capsys.readouterr().out
    attrs = {"packet": 1500, "rate": 1.25e6, "share": 0.9, "round_trip_time": 0.02, "spread": 0.0}
    attrs |= {"bandwidth_delay_product": 16.7}
    for name in ("red", "codel", "fq-codel", "pie", "dualpi2"):
        out += "".join(f"{one}\n" for one in buffer_lines.threshold({**attrs, "discipline": name}, 5).lines)
    found = [one.replace("DEV", "one") for one in out.splitlines() if one.startswith("tc qdisc")]
    kinds = ["bfifo", "tbf", "fq_codel", "red", "codel", "fq_codel", "pie", "dualpi2"]
    assert [one.split()[6] for one in found] == kinds
    helped = subprocess.run(["tc", "qdisc", "add", "dualpi2", "help"], capture_output=True, text=True).stderr
    if "Unknown qdisc" in helped:
        found.pop()  # a tc before iproute2 6.16
    for line in found:
        script = f"ip link add one type veth peer name two; {line}; tc qdisc show dev one"
        made = subprocess.run(["unshare", "-rn", "sh", "-c", script], capture_output=True, text=True)
        assert f"qdisc {line.split()[6]} " in made.stdout or "kind is unknown" in made.stderr, made.stderr
        wrong = script.replace("limit", "limitt")
        assert "imitt" in subprocess.run(["unshare", "-rn", "sh", "-c", wrong], capture_output=True, text=True).stderr


def test_every_flow_has_room_for_a_packet(policer):
    policer.attrs |= {"find": "buffer", "discipline": "fifo"}
    found = {}
    for packets in (2, 8, 20):
        policer["buffer_packets"] = "rule", [packets]
        every = xr.concat([policer.assign_coords(flows=flows) for flows in (1, 8)], "flows")
        made = buffer_lines.lines(every)
        found[packets] = (
            made[0].lines[0].split()[-1],
            made[-1].lines[0].split()[6],
            "where nothing is joined" in made[-1].expect,
        )
    # 8 flows have 8 x 1514 bytes at least, and 65536 for what is joined; with more than was found no mean delay
    assert found == {2: ("77648", "8", False), 8: ("77648", "1", True), 20: ("95816", "1", True)}


@pytest.fixture
def policer():
    """Return an answer as made by hand: one flow of CUBIC needs 70 packets for 95 % of 10 Mbit/s."""
    row = {"buffer_packets": 70.0, "queueing_delay_lower": 1e-4, "queueing_delay_upper": 1e-4}
    row |= {"share_lower": 0.96, "share_upper": 0.97}
    data = xr.Dataset({name: ("rule", [value]) for name, value in row.items()}, {"rule": ["simulated"], "flows": 1})
    return data.assign(simulated_bdp=33.3).assign_attrs(
        scheme="cubic", find="burst", discipline="policer", scale_free=0, packet=1500, rate=1.25e6, share=0.95,
        bandwidth_delay_product=33.3, round_trip_time=0.04,
    )  # fmt: skip


def test_lines_of_a_policer_by_hand(policer):
    police, check = buffer_lines.lines(policer)
    # 70 x 1514 = 105980, and 65536 for what is joined
    assert police.lines[1].endswith("police rate 10000000bit burst 171516 conform-exceed drop/ok")
    # 0.96 - 0.01 of 10 x 1448/1538, with all that Ethernet adds; at most all of 10 x 1448/1500; no queue, so no delay
    assert check.expect == 'in the line "receiver" 8.94 to 9.66 Mbit/s in the mean of several checks'


def test_tc_takes_the_policer(policer):
    if not (shutil.which("tc") and shutil.which("unshare")):
        pytest.skip("needs tc and unshare")
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode:
        pytest.skip("network namespaces are not available")
    pasted = [one.replace("DEV", "one") for one in buffer_lines.lines(policer)[0].lines]
    script = "; ".join(["ip link add one type veth peer name two", *pasted, "tc filter show dev one ingress"])
    made = subprocess.run(["unshare", "-rn", "sh", "-c", script], capture_output=True, text=True)
    refused = "kind is unknown" in made.stderr or "not found" in made.stderr  # a kernel without clsact or matchall
    assert "rate 10Mbit" in made.stdout or refused, made.stderr
    wrong = script.replace("burst", "burstt")
    assert "bad action" in subprocess.run(["unshare", "-rn", "sh", "-c", wrong], capture_output=True, text=True).stderr


@pytest.mark.long
def test_a_policer(tmp_path, capsys):
    """One flow, 33 packets in a round trip: bursts of a window of so many, and 33^2/18 = 62 by the law of Reno."""
    path = ["--rate", "10Mbit/s", "--rtt", "40ms", "--points", "3", "--replications", "2", "--find", "burst"]
    assert main(["buffer", *path, "--scheme", "cubic", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "Bucket of the policer (its burst) for 95% of the policed rate" in out
    rows = {one[7:23].strip(): one[23:].split() for one in out.splitlines() if one.endswith("reached")}
    assert 33 < int(rows["simulated"][1]) < 130


@pytest.mark.parametrize("flags", [["--discipline", "codel"], ["--mark-above", "5"], ["--file", "1MB"]])
def test_a_policer_excludes(flags, tmp_path, capsys):
    path = ["--rate", "10Mbit/s", "--rtt", "36ms", "--find", "burst"]
    assert main(["buffer", *path, *flags, "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("longfat: ")


def test_a_range_of_round_trip_times_is_a_spread(capsys):
    assert _spread([(0.02, 0.08)], None) == pytest.approx(0.6)  # 50 ms (1 +- 0.6)
    assert _spread([(0.02, 0.02)], None) == 0.1
    assert _spread([(0.02, 0.02)], 0.3) == 0.3
    assert _spread([(0.02, 0.02), (0.04, 0.04)], None) == 0.1  # of no effect
    assert main(["buffer", "--rate", "1Gbit/s", "--rtt", "20..80ms", "--spread", "10%"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_a_list_of_round_trip_times(tmp_path, capsys):
    assert main(["buffer", "--rate", "1Gbit/s", "--rtt", "20ms,30..40ms"]) == 2
    assert "a list for --rtt excludes ranges" in capsys.readouterr().err
    assert main(["buffer", "--rate", "1Gbit/s", "--rtt", "20ms,30ms", "--spread", "10%"]) == 2
    assert "exclude each other" in capsys.readouterr().err
    path = ["--rate", "3Mbit/s", "--rtt", "10ms,20ms,90ms", "--points", "2", "--replications", "2", "--json"]
    assert main(["buffer", *path, "--output", str(tmp_path)]) == 0
    answer = json.loads(capsys.readouterr().out)["path"]
    assert answer["round_trip_times"] == [0.01, 0.02, 0.09]
    assert answer["round_trip_time"] == pytest.approx(0.04)  # their mean


@pytest.mark.long
def test_the_threshold_is_found(tmp_path, capsys):
    path = ["--rate", "10Mbit/s", "--rtt", "24ms", "--points", "2", "--replications", "2", "--scheme", "sack"]
    assert main(["buffer", *path, "--discipline", "codel", "--find", "threshold", "--output", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    packets = next(int(one.split()[3]) for one in out.splitlines() if " simulated " in one and "reached" in one)
    # 1500 bytes take 1.2 ms; 20 packets in 24 ms, four times that behind the threshold; RFC 8289: 100 ms
    limit = packets + 80
    line = f"codel limit {limit} target {1200 * packets}us interval {max(100_000, 1200 * packets)}us"
    assert f"tc qdisc replace dev DEV root {line}\n" in out
    assert main(["buffer", *path, "--find", "threshold", "--output", str(tmp_path)]) == 2
    assert "discipline" in capsys.readouterr().err


def test_red_gets_the_simulated_weight():
    """The rule of iproute2's tc_red_eval_ewma(), here in another form: the first n at which it stops is 9."""
    for low in (2, 5, 40, 300):
        burst = buffer_lines.burst_of_red(low)
        stops = next(n for n in range(1, 32) if burst + 1 - low <= 2**n * (1 - (1 - 2.0**-n) ** burst))
        assert stops == 9
