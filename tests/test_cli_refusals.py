"""Command lines that are refused: one line on stderr, exit status 2, and nothing is computed or written."""

import shlex
from pathlib import Path

import click
import pytest

from longfat import cli
from longfat.cli.parameters import Name, Value

#: Arguments before those of the rows; and rows of arguments and words of the line.
REFUSED = {
    "longfat": (
        "",
        [
            ("widnow", "command 'widnow' is unknown; did you mean 'window'? Available: benchmark, buffer, "),
            ("plot", "command 'plot' is unknown; available: benchmark, buffer, curves, explore, measured, "),
            ("--bogus", "option '--bogus' is unknown; available: --help, --version\n"),
            (
                "window --bogus",
                "option '--bogus' is unknown; available: --application, --buffer, --flows, --help, --kernel, ",
            ),
            ("window --rat 1", "option '--rat' is unknown; did you mean '--rate'? Available: "),
            ("verify --law md1_wate", "law 'md1_wate' is unknown; did you mean 'queues."),
            ("explore --host ''", "host = '' is out of range: must be an address of this machine"),
            ("explore --host ' '", "host = ' ' is out of range: must be an address of this machine"),
            ("window --rtt 1s --loss 0", "--rate is missing: give it, or a file that contains it (of iperf3)"),
            ("buffer --rate 1Gbit/s", "--rtt"),
            ("buffer --rtt 40ms", "--rate is missing"),
            ("vectors vegas --rtt 40ms", "sender 'vegas' is unknown"),
            ("vectors cubic --rtt 0s", "rtt = 0 s is out of range"),
            ("vectors cubic --rtt 40ms --losses 10000000", "must be less than"),
            ("vectors cubic --rtt 40ms --losses 30,40,30", "losses = 30,40,30 is out of range: must be different"),
            ("window --rate 1G --loss 0", "--rtt is missing: give it, or a file that contains it (of ping"),
        ],
    ),
    "window with losses": (
        "window --rate 1Gbit/s --rtt 100ms --loss 1e-3",
        [
            ("--mss 0.5B", "mss = 0.5 bytes is out of range: must be in [1, "),
            ("--mss 12bit", "mss = 1.5 bytes is out of range: must be an integer in"),
            ("--mss 65496B", "mss = 65496 bytes is out of range: must be in [1, 65495] bytes"),
            ("--mss 16K", "mss = '16K' has an ambiguous unit"),
            ("--loss 2", "loss = 2 is out of range: must be in [0, 1)\n"),
            ("--output ''", "output = '' is out of range: must be a path\n"),
        ],
    ),
    "buffer at 1 Gbit/s": (
        "buffer --rate 1Gbit/s --rtt 100ms",
        [
            ("--scheme renno", "scheme 'renno' is unknown; did you mean 'reno'? Available: bbr, "),
            ("--flows 1,0", "flows = 0 flows is out of range: must be an integer in [1, 1"),
            ("--seed --5", "seed must be an integer in [0, inf), got the string '--5'\n"),
            ("--seed " + "1" * 5000, "seed must be an integer in [0, inf), got the string '111"),
            ("--replications 1_000", "replications must be an integer in [2, 1e+06], got the string '1_000'"),
            ("--parameter delayed_ack", "parameter must be a name and a number, such as delayed_ack=2"),
            ("--parameter speed=1", "speed"),
            ("--parameter c=-1", "c = -1"),
            ("--parameter c=1 --parameter c=2", "--parameter c is given twice"),
            ("--scheme dctcp --mark-above 0", "mark_above = 0"),
            ("--scheme dctcp --mark-above 20 --discipline fifo", "mark_above = 20 needs discipline 'step-marking'"),
        ],
    ),
    "window, numbers": (
        "window --rate 150Mbit/s --rtt 20ms --loss 1e-4,1e-2",
        [
            ("--rate 0bit/s", "rate = "),
            ("--rate 1Gfoo/s", "rate = '1Gfoo/s'"),
            ("--rtt -1ms", "rtt = "),
            ("--rtt 0s", "rtt = 0 s"),
            ("--loss 1", "loss = 1"),
            ("--loss 1e-3,2", "loss"),
            ("--loss ''", "loss = '' cannot be read"),
            ("--mss 16", "mss = '16' has no unit"),
            ("missing.json", "missing.json"),
            ("--loss", "requires an argument"),
        ],
    ),
    "window": (
        "window --rate 1Gbit/s --rtt 10ms",
        [
            ("--rate 100..80Mbit/s", "a range whose lower end comes first"),
            ("--kernel new", "kernel must be a version of Linux such as 6.18"),
            ("--kernel 2.6.32", "kernel = '2.6.32' is out of range: must be a version of Linux from 3.4 on"),
        ],
    ),
    "buffer": (
        "buffer --rate 12Mbit/s --rtt 60ms --replications 2",
        [
            ("--flows 1,x", "flows must be an integer in"),
            ("--flows 3,3", "flows = [3, 3]"),
            ("--rate 400Gbit/s --rtt 100ms --scheme bbr", "would be simulated: about"),
            ("--file 10kB --flows 2", "--flows and --file exclude each other"),
        ],
    ),
    "window of an application": (
        "window --application http2 --rate 1Gbit/s --rtt 1ms",
        [
            ("--output new", "--application excludes --output"),
            ("--flows 4", "--application excludes --flows"),
            ("--application http3", "http3"),
        ],
    ),
    "curves": (
        "curves --rate 12Mbit/s --rtt 50ms --scheme reno --flows 1,2 --replications 2 --at 0.3,1 --file 15kB",
        [
            ("--scheme reno,rino", "scheme 'rino' is unknown; available"),
            ("--scheme reno,reno", "schemes = ['reno', 'reno'] is out of range: must be schemes of different names"),
            ("--flows 3,3", "flows = [3, 3]"),
            ("--over buffer,buffer", "names an axis twice"),
            ("--over buffer,window", "--at needs one axis"),
            ("--over window --scheme tfrc", "scheme 'tfrc' has no window"),
            ("--at 0", "at = 0"),
            ("--at 1,200", "at = 200"),
            ("--figure paper.bmp", "suffix of --figure '.bmp' is unknown; available: .pdf, .png, .svg"),
            ("--figure /proc/nowhere/a.pdf", "figure = /proc/nowhere cannot be written to"),
            ("--html page.txt", "suffix of --html '.txt' is unknown; available: .html"),
            ("--rate 400Gbit/s", "these curves take"),
            ("--quick", "option '--quick' is unknown"),  # its runs of three cycles ended in the transient
        ],
    ),
    "buffer of a policer": (
        "buffer --rate 10Mbit/s --rtt 36ms --find burst",
        [
            ("--mark-above 5", "find = 'burst' excludes discipline and mark_above"),
            ("--discipline codel", "find = 'burst' excludes discipline and mark_above"),
            ("--find threshold", "discipline 'fifo' is unknown; available: codel, "),
            ("--find threshold --discipline step-marking --mark-above 5", "mark_above = 5 excludes find = 'threshold'"),
            ("--file 1MB", "find = burst excludes file"),
        ],
    ),
    "verify": (
        "verify",
        [
            ("--law nothing --html page.html", "law 'nothing' is unknown; available: aqm.*, bbr.*, blt.*, "),
            ("--published 009", "paper '009' is unknown; available: 000, 001, 002, 003, 004"),
            ("003", "PAPER 003 needs --published"),
            ("--published --law md1_wait", "exclude each other"),
            ("--seed -1", "seed = -1 is out of range"),
            ("--workers 0", "workers = 0 processes is out of range"),
            ("--html /proc/none/page.html", "cannot be written to"),
            ("--linux --published", "--linux and --published exclude each other"),
            ("--published 001 --workers 4", "--workers and --published exclude each other"),
            ("--linux --law queues.md1_wait", "exclude each other"),
        ],
    ),
    "benchmark": (
        "benchmark",
        [
            ("--scheme no/such.py", "no/such.py cannot be read: No such file or directory"),
            ("--experiment mine.toml", "experiment = 'mine.toml' is the name of a file: must be the number"),
            ("--scheme reno --experiment 3-4 --discipline nosuch", "discipline 'nosuch' is unknown"),
            ("--scheme gaimd --experiment 3-4 --discipline policer", "discipline 'policer' needs rate"),
            ("--scheme reno --experiment 3-4 --discipline fair", "discipline = 'fair' is used by none of the schemes"),
            ("--seed -1", "seed = -1 is out of range"),
            ("--traces", "--traces needs --output"),
            ("--suite bcp134", "suite 'bcp134' is unknown; did you mean 'bcp133'?"),
            ("--suite bcp133 --scheme renu", "scheme 'renu' is unknown; available: "),
            ("--suite bcp133 --scheme optimal", "scheme = 'optimal' is a fluid model without packets"),
            ("--suite bcp133 --scheme reno,sack", "--suite needs one --scheme, got 2"),
            ("--suite bbr --experiment a23", "case of suite bbr 'a23' is unknown"),
            ("--suite bbr --traces --output x", "--suite excludes --traces"),
            ("--suite bbr --discipline red", "--suite excludes --discipline"),
            ("--suite bbr --replications 0", "replications = 0 runs is out of range"),
            ("--suite paths", "--suite paths needs --scheme"),
            ("--suite paths --scheme reno,cubic", "--suite needs one --scheme, got 2"),
            ("--suite paths --scheme reno --experiment 1", "excludes --experiment"),
            ("--suite bbr --figure a.png", "--figure needs --suite paths"),
            ("--suite paths --scheme nosuch", "'nosuch' is unknown"),
        ],
    ),
    "buffer before a link of varying rate": (
        "buffer --rate-trace t.txt --rtt 40ms",
        [
            ("--rate 1Mbit/s", "--rate-trace excludes --rate"),
            ("--discipline codel", "--rate-trace excludes --discipline"),
            ("--find burst", "--rate-trace excludes --find"),
            ("--csv", "--rate-trace excludes --csv"),
            ("--flows 1,2", "--rate-trace needs one number for --flows"),
        ],
    ),
    "vectors": (
        "vectors newreno --rtt 40ms --duration 0.09s",
        [
            ("--jitter 1ms", "--jitter needs --check"),
            ("--check nowhere.csv", "nowhere.csv"),
            (
                "--initial-window 20000",
                "initial_window = 20000 packets is out of range: must be an integer in [1, 10000]",
            ),
            ("--check x --csv", "--check excludes --csv"),
        ],
    ),
    "explore": (
        "explore --no-browser",
        [
            ("--port 70000", "port = 70000 is out of range: must be an integer in [0, 65535]"),
            ("--host no.such.host.invalid", "host = 'no.such.host.invalid' is unknown"),
            ("--host 192.0.2.1", "port = 8866 on 192.0.2.1 cannot be listened on"),  # of RFC 5737, nobody's
        ],
    ),
}
#: Commands whose options are tried one by one, with what they need.
COMMANDS = {
    "window": "--rate 1Gbit/s --rtt 10ms",
    "buffer": "--rate 12Mbit/s --rtt 60ms",
    "curves": "",
    "benchmark": "",
    "vectors": "cubic --rtt 40ms",
    "explore": "--no-browser",
    "verify": "",
}


def of_options():
    """Yield arguments that no command takes and words of the line, for each option of each command by its type."""
    for name, command in cli.commands.commands.items():
        yield name, "--colour", "option '--colour' is unknown; available: --"
        options = [param for param in command.params if isinstance(param, click.Option) and name in COMMANDS]
        flags = {flag: param for param in options for flag in param.opts}
        for flag, param in flags.items():
            if isinstance(param.type, Name):
                yield name, f"{flag} nosuch", " 'nosuch' is unknown"
            elif isinstance(param.type, Value):
                # with a unit, a percentage included, or without one
                words = "= 'nosuch' cannot be read" if param.type.record.has_unit else "must be a"
                yield name, f"{flag} nosuch", f"{flag.strip('-').replace('-', '_')} {words}"
        if {"--json", "--csv"} <= flags.keys():
            yield name, "--json --csv", "--json and --csv exclude each other"
        if "--output" in flags:
            yield name, "--output /proc/nowhere", "output = /proc/nowhere cannot be written to"


ROWS = [
    *((f"{name}: {one}", f"{before} {one}", words) for name, (before, rows) in REFUSED.items() for one, words in rows),
    *((f"{name}, {one}", f"{name} {COMMANDS.get(name, '')} {one}", words) for name, one, words in of_options()),
]


@pytest.mark.parametrize(("line", "words"), [pytest.param(*row, id=name[:60]) for name, *row in ROWS])
def test_one_line_and_status_2(tmp_path, monkeypatch, capsys, line, words):
    monkeypatch.chdir(tmp_path)
    assert cli.main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.startswith("longfat: ")
    assert list(Path().rglob("*")) == []
