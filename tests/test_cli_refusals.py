"""Command lines that are refused: one line on stderr, exit status 2, and nothing is computed or written."""

from pathlib import Path

import pytest

from longfat import cli

BUFFER = ["buffer", "--rate", "1Gbit/s", "--rtt", "100ms"]
WINDOW = ["window", "--rate", "1Gbit/s", "--rtt", "100ms", "--loss", "1e-3"]

#: Arguments before those of the rows; and rows of arguments and words of the line.
REFUSED = {
    "longfat": (
        [],
        [
            (["widnow"], "longfat: command 'widnow' is unknown; did you mean 'window'? Available: benchmark, buffer, "),
            (
                ["plot"],
                "longfat: command 'plot' is unknown; available: benchmark, buffer, curves, explore, measured, ",
            ),
            (["--bogus"], "longfat: option '--bogus' is unknown; available: --help, --version\n"),
            (
                ["window", "--bogus"],
                "longfat: option '--bogus' is unknown; available: --application, --buffer, --flows, --help, --kernel, ",
            ),
            (["window", "--rat", "1"], "longfat: option '--rat' is unknown; did you mean '--rate'? Available: "),
            ([*BUFFER, "--scheme", "scalable"], "longfat: scheme 'scalable' is unknown; available: bbr, bbr1, becn, "),
            ([*BUFFER, "--scheme", "westwood"], "longfat: scheme 'westwood' is unknown; available: bbr, bbr1, "),
            (
                [*BUFFER, "--scheme", "renno"],
                "longfat: scheme 'renno' is unknown; did you mean 'reno'? Available: bbr, ",
            ),
            ([*BUFFER, "--discipline", "cake"], "longfat: discipline 'cake' is unknown; available: aggregation, avq, "),
            (
                [*WINDOW, "--scheme", "cubik"],
                "longfat: scheme 'cubik' is unknown; did you mean 'cubic'? Available: bbr, ",
            ),
            (["benchmark", "--scheme", "westwood"], "longfat: scheme 'westwood' is unknown; available: bbr, "),
            (
                ["benchmark", "--discipline", "nosuch"],
                "longfat: discipline 'nosuch' is unknown; available: aggregation, ",
            ),
            (["verify", "--law", "md1_wate"], "longfat: law 'md1_wate' is unknown; did you mean 'queues."),
            (["verify", "--law", "nosuch"], "longfat: law 'nosuch' is unknown; available: aqm.*, bbr.*, blt.*, "),
            (["explore", "--law", "nosuch"], "longfat: law 'nosuch' is unknown; available: aqm.*, bbr.*, blt.*, "),
            (["explore", "--host", ""], "longfat: host = '' is out of range: must be an address of this machine"),
            (["explore", "--host", " "], "longfat: host = ' ' is out of range: must be an address of this machine"),
            ([*WINDOW, "--mss", "0.5B"], "longfat: mss = 0.5 bytes is out of range: must be in [1, "),
            ([*WINDOW, "--mss", "12bit"], "longfat: mss = 1.5 bytes is out of range: must be an integer in"),
            ([*WINDOW, "--mss", "16K"], "longfat: mss = '16K' has an ambiguous unit"),
            ([*WINDOW, "--loss", "2"], "longfat: loss = 2 is out of range: must be in [0, 1)\n"),
            ([*WINDOW, "--output", ""], "longfat: output = '' is out of range: must be a path\n"),
            ([*BUFFER, "--file", "0.5B"], "longfat: file = 0.5 bytes is out of range"),
            ([*BUFFER, "--flows", "1,0"], "longfat: flows = 0 flows is out of range: must be an integer in [1, 1"),
            ([*BUFFER, "--share", "0"], "longfat: share = 0 is out of range: must be in (0, 1]"),
            ([*BUFFER, "--seed", "--5"], "longfat: seed must be an integer in [0, inf), got the string '--5'\n"),
            ([*BUFFER, "--seed", "1" * 5000], "longfat: seed must be an integer in [0, inf), got the string '111"),
            (
                [*BUFFER, "--replications", "1_000"],
                "longfat: replications must be an integer in [2, 1e+06], got the string '1_000'",
            ),
            (
                ["window", "--rtt", "1s", "--loss", "0"],
                "--rate is missing: give it, or a file that contains it (of iperf3)",
            ),
            (
                ["window", "--rate", "1G", "--loss", "0"],
                "--rtt is missing: give it, or a file that contains it (of ping",
            ),
        ],
    ),
    "window, numbers": (
        ["window", "--rate", "150Mbit/s", "--rtt", "20ms", "--loss", "1e-4,1e-2"],
        [
            (["--rate", "0bit/s"], "rate = "),
            (["--rate", "1Gfoo/s"], "rate = '1Gfoo/s'"),
            (["--rate", "fast"], "rate = 'fast'"),
            (["--rtt", "nan ms"], "'nan ms'"),
            (["--rtt", "-1ms"], "rtt = "),
            (["--rtt", "0s"], "rtt = 0 s"),
            (["--loss", "1"], "loss = 1"),
            (["--loss", "1e-3,2"], "loss"),
            (["--loss", ""], "loss = '' cannot be read"),
            (["--mss", "0B"], "mss = 0"),
            (["--mss", "16"], "mss = '16' has no unit"),
            (["--output", "/proc/nowhere"], "output = /proc/nowhere cannot be written to"),
            (["missing.json"], "missing.json"),
            (["--colour"], "option '--colour' is unknown; available: --application"),
            (["--loss"], "requires an argument"),
        ],
    ),
    "window": (
        ["window", "--rate", "1Gbit/s", "--rtt", "10ms"],
        [
            (["--rate", "100..80Mbit/s"], "a range whose lower end comes first"),
            (["--kernel", "new"], "kernel must be a version of Linux such as 6.18"),
            (["--kernel", "2.6.32"], "kernel = '2.6.32' is out of range: must be a version of Linux from 3.4 on"),
            (["--scheme", "vegas"], "scheme 'vegas' is unknown"),
            (["--buffer", "0"], "buffer"),
            (["--mss", "0B"], "mss = 0 bytes"),
        ],
    ),
    "buffer": (
        ["buffer", "--rate", "12Mbit/s", "--rtt", "60ms", "--replications", "2"],
        [
            (["--rate", "0bit/s"], "rate = "),
            (["--rtt", "0s"], "rtt = 0 s"),
            (["--share", "0"], "share = 0"),
            (["--flows", "1,x"], "flows must be an integer in"),
            (["--flows", "3,3"], "flows = [3, 3]"),
            (["--scheme", "rino"], "rino"),
            (["--discipline", "fifi"], "fifi"),
            (["--find", "guess"], "find 'guess' is unknown; available: buffer, burst, threshold"),
            (["--json", "--csv"], "--json and --csv exclude each other"),
            (["--file", "10kB", "--flows", "2"], "--flows and --file exclude each other"),
            (["--output", "/proc/nowhere"], "output = /proc/nowhere cannot be written to"),
            (["--colour"], "option '--colour' is unknown; available: --confidence"),
        ],
    ),
    "curves": (
        [
            "curves",
            "--rate",
            "12Mbit/s",
            "--rtt",
            "50ms",
            "--scheme",
            "reno",
            "--flows",
            "1,2",
            "--replications",
            "2",
            "--at",
            "0.3,1",
            "--file",
            "15kB",
        ],
        [
            (["--rate", "0bit/s"], "rate = "),
            (["--rtt", "0s"], "rtt = 0 s"),
            (["--scheme", "reno,rino"], "scheme 'rino' is unknown; available"),
            (["--scheme", "reno,reno"], "different values"),
            (["--flows", "1,x"], "flows must be an integer in"),
            (["--flows", "3,3"], "flows = [3, 3]"),
            (["--over", "loss"], "axis 'loss' is unknown; available: buffer, window"),
            (["--over", "buffer,buffer"], "names an axis twice"),
            (["--over", "buffer,window"], "--at needs one axis"),
            (["--over", "window", "--scheme", "tfrc"], "scheme 'tfrc' has no window"),
            (["--at", "0"], "at = 0"),
            (["--at", "1,200"], "at = 200"),
            (["--buffer", "0"], "buffer = 0"),
            (["--file", "1K"], "file = "),
            (["--spread", "100%"], "spread = "),
            (["--replications", "1"], "replications = 1"),
            (["--figure", "paper.bmp"], "suffix of --figure '.bmp' is unknown; available: .pdf, .png, .svg"),
            (["--figure", "/proc/nowhere/a.pdf"], "figure = /proc/nowhere cannot be written to"),
            (["--html", "page.txt"], "suffix of --html '.txt' is unknown; available: .html"),
            (["--output", "/proc/nowhere"], "output = /proc/nowhere cannot be written to"),
            (["--rate", "400Gbit/s"], "these curves take"),
            (["--colour"], "option '--colour' is unknown"),
            (["--quick"], "option '--quick' is unknown"),  # its runs of three cycles ended in the transient
        ],
    ),
}
ROWS = [
    (f"{name}: {' '.join(more)}"[:60], [*before, *more], words)
    for name, (before, rows) in REFUSED.items()
    for more, words in rows
]


@pytest.mark.parametrize(("arguments", "words"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_one_line_and_status_2(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.startswith("longfat: ")
    assert list(Path().rglob("*")) == []
