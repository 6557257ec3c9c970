"""Command lines that are refused: one line on stderr, exit status 2, and nothing is computed or written."""

import shlex
from pathlib import Path

import click
import pytest

from longfat import cli
from longfat.cli.parameters import Name, Value
from tests.test_cli_simulate import RENO, SCHEMES, STEADY
from tests.test_cli_window import HOST

#: Scenarios that are refused, and words of the line.
SCENARIOS = {
    "latin": ("name = 'ö'".encode("latin-1"), "latin.toml is not text in UTF-8: invalid start byte at byte 8"),
    "syntax": ("[[flow]\n", "syntax.toml: Expected ']]'"),
    "key": (RENO.replace("scheme", "sheme"), "key.toml: flow 1: key 'sheme' is unknown; did you mean 'scheme'?"),
    "endless": (RENO.replace('file = "50 kB", ', ""), "duration is absent and flow 'reno-1' never ends"),
    "own": (RENO.replace("reno", "own:mine"), "flow 1: scheme = 'own:mine' is not defined here"),
    "rng": (RENO + "run = {rng = -1}", "rng = -1 is out of range"),
    "warm_up": (RENO + 'run = {duration = 1, warm_up = "2 s"}', "must be in [0, 1) s, below the duration"),
    "samples": (RENO + "run = {duration = 10, sample_every = 1e-9}", "sample_every = 1e-09 s is out of range"),
}
#: Files with a scheme for a scenario, and words of the line.
SOURCES = {
    "division": ("x = 1\ny = 1 / 0\n", "division.py cannot be run: ZeroDivisionError: division by zero (line 2)"),
    "scheme": ("from longfat.sim import Scheme\nfour = Scheme('four', ack=3)", "scheme 'four': ack must be a"),
    "kind": (SCHEMES + "four = third", "scheme = 'kind.py:four' has the type Discipline: must be a Scheme"),
    "running": (SCHEMES.replace("4.0", "-4.0"), "scheme 'four packets', start, flow"),
    "compiling": (SCHEMES.replace("4.0", "flow.windw"), "flow has no field 'windw'; did you mean 'window'?"),
}
#: Scenarios that Linux cannot run, and words of the line.
ON_LINUX = {
    "files": (RENO, "a run on Linux needs a duration"),
    "vegas": (RENO.replace("reno", "vegas") + "run = {duration = 3}", "scheme 'vegas'"),
}
#: Windows measured by a stack, and words of the line.
TRACES = {
    "empty": ("", "an empty file"),
    "heads": ("a,b\n1,2\n", "header of"),
    "hours": ("time [h],window\n1,2\n", "header of"),
    "short": ("time,window\n1\n", "line 2 of"),
    "text": ("time,window\n1,x\n", "line 2 of"),
    "nan": ("time,window\n0.04,nan\n", "line 2 of"),
    "backwards": ("time,window\n0.05,13200\n0.04,13200\n", "time in line 3 of"),
    "late": ("time,window\n9,13200\n", "times in"),
    "head": ("time,window\n", "a header alone"),
}
#: Contents of all files in the current directory.
FILES = {
    "steady.toml": STEADY,
    "reno.toml": RENO,
    "nothing.toml": "",
    "mine": STEADY,
    "host.txt": HOST.format(33554432, 1),
    "binary.txt": b"\xff\xfe\x00",
    "raises.py": "class Own(BaseException): pass\nraise Own('no')\n",
    **{f"{name}.toml": content for name, (content, _) in (SCENARIOS | ON_LINUX).items()},
    **{f"{name}.py": content for name, (content, _) in SOURCES.items()},
    **{f"{name}.toml": RENO.replace("reno", f"{name}.py:four") for name in SOURCES},
    **{f"{name}.csv": content for name, (content, _) in TRACES.items()},
}

#: Arguments before those of the rows; and rows of arguments and words of the line.
REFUSED = {
    "longfat": (
        "",
        [
            ("widnow", "command 'widnow' is unknown; did you mean 'window'? Available: benchmark, buffer, "),
            ("--bogus", "option '--bogus' is unknown; available: --help, --version\n"),
            ("window --rat 1", "option '--rat' is unknown; did you mean '--rate'? Available: "),
            ("verify --law md1_wate", "law 'md1_wate' is unknown; did you mean 'queues."),
            ("explore --host ''", "host = '' is out of range: must be an address of this machine"),
            ("explore --output mine", "output = mine cannot be written to: it is a file"),
            ("explore --host ' '", "host = ' ' is out of range: must be an address of this machine"),
            ("window --rtt 1s --loss 0", "--rate is missing: give it, or a file that contains it (of iperf3)"),
            ("buffer --rate 1Gbit/s", "--rtt"),
            ("buffer --rtt 40ms", "--rate is missing"),
            ("vectors vegas --rtt 40ms", "sender 'vegas' is unknown"),
            ("vectors cubic --rtt 0s", "rtt = 0 s is out of range"),
            ("vectors cubic --rtt 40ms --losses 10000000", "must be less than"),
            ("vectors cubic --rtt 40ms --losses 30,40,30", "losses = 30,40,30 is out of range: must be numbers of"),
            ("window --rate 1e300G --rtt 1s", "rate x round_trip_time = 1.25e+308 bytes must be at most 1e+18 bytes"),
            ("window --rate 1G --loss 0", "--rtt is missing: give it, or a file that contains it (of ping"),
            ("window host.txt --kernel 6.18 --rate 1Gbit/s --rtt 1ms", "--kernel excludes the output of sysctl -a"),
            *(
                (f"{command} raises.py", "longfat: raises.py cannot be run: Own: no (line 2)\n")
                for command in (
                    "benchmark --scheme",
                    "buffer --rate 1Gbit/s --rtt 100ms --scheme",
                    "verify --quick --law",
                    "explore --law",
                )
            ),
        ],
    ),
    "window with losses": (
        "window --rate 1Gbit/s --rtt 100ms --loss 1e-3",
        [
            ("--mss 65496B", "mss = 65496 bytes is out of range: must be in [1, 65495] bytes"),
            ("--output ''", "output = '' is out of range: must be a path\n"),
            ("--mss 16", "mss = '16' has no unit"),
            ("missing.json", "missing.json"),
            ("--loss", "requires an argument"),
        ],
    ),
    "buffer at 1 Gbit/s": (
        "buffer --rate 1Gbit/s --rtt 100ms",
        [
            ("--seed --5", "seed must be an integer in [0, inf), got the string '--5'\n"),
            ("--seed " + "1" * 5000, "seed must be an integer in [0, inf), got the string '111"),
            ("--replications 1_000", "replications must be an integer in [2, 1e+06], got the string '1_000'"),
            ("--parameter delayed_ack", "parameter must be a name and a number, such as delayed_ack=2"),
            ("--parameter c=-1", "c = -1"),
            ("--parameter c=1 --parameter c=2", "--parameter c is given twice"),
            ("--scheme dctcp --mark-above 0", "mark_above = 0"),
            ("--scheme dctcp --mark-above 20 --discipline fifo", "mark_above = 20 needs discipline 'step-marking'"),
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
            ("--loss 0.05", "loss = 0.05 is out of range: must be a smaller loss with --application"),
        ],
    ),
    "curves": (
        "curves --rate 12Mbit/s --rtt 50ms --scheme reno --flows 1,2 --replications 2 --at 0.3,1 --file 15kB",
        [
            ("--scheme reno,reno", "schemes = ['reno', 'reno'] is out of range: must be schemes of different names"),
            ("--over buffer,buffer", "names an axis twice"),
            ("--buffer 0.5", "--buffer needs --over window: the buffers of --over buffer are given by --at"),
            ("--over buffer,window", "--at needs one axis"),
            ("--over window --scheme tfrc", "scheme 'tfrc' has no window"),
            ("--at 1,200", "at = 200"),
            ("--figure paper.bmp", "suffix of --figure '.bmp' is unknown; available: .pdf, .png, .svg"),
            ("--figure /proc/nowhere/a.pdf", "figure = /proc/nowhere cannot be written to"),
            ("--html page.txt", "suffix of --html '.txt' is unknown; available: .html"),
            ("--rate 400Gbit/s", "these curves take"),
            ("--quick", "option '--quick' is unknown"),  # its runs of three cycles ended in the transient
        ],
    ),
    "buffer of several round trips": (
        "buffer --rate 10Mbit/s --rtt 10ms,50ms,100ms",  # two flows would have the BDP of all three
        [("--flows 2,9", "round_trip_time has 3 times, and needs as many flows, got 2")],
    ),
    "buffer of a policer": (
        "buffer --rate 10Mbit/s --rtt 36ms --find burst",
        [
            ("--mark-above 5", "find = 'burst' excludes discipline and mark_above"),
            ("--discipline codel", "find = 'burst' excludes discipline and mark_above"),
            ("--find threshold", "needs one of the disciplines step-marking, red, codel, fq-codel, "),
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
            ("--scheme gaimd --experiment 3-4 --discipline policer", "discipline 'policer' needs rate"),
            ("--scheme reno --experiment 3-4 --discipline fair", "discipline = 'fair' is used by none of the schemes"),
            ("--seed -1", "seed = -1 is out of range"),
            ("--suite bcp134", "suite 'bcp134' is unknown; did you mean 'bcp133'?"),
            ("--suite bcp133 --scheme renu", "scheme 'renu' is unknown; available: "),
            ("--suite bcp133 --scheme optimal", "scheme = 'optimal' is a fluid model without packets"),
            ("--suite bcp133 --scheme reno,sack", "--suite needs one --scheme, got 2"),
            ("--suite bbr --experiment a23", "case of suite bbr 'a23' is unknown"),
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
            ("--share 90%", "--rate-trace excludes --share"),
            ("--rtt 20..40ms", "--rate-trace needs one number for --flows, and one time for --rtt"),
            ("--csv", "--rate-trace excludes --csv"),
            ("--flows 1,2", "--rate-trace needs one number for --flows"),
        ],
    ),
    "buffer with a trace of rates": (
        "buffer --rtt 40ms --rate-trace",
        [
            ("nosuch", "nosuch: No such file or directory"),
            ("binary.txt", "binary.txt must be a text in UTF-8"),
            (".", "Is a directory"),
        ],
    ),
    "simulate": (
        "simulate",
        [
            ("", "Missing argument 'NAME|FILE'"),
            (".", "cannot be read: Is a directory"),
            ("nosuch --list", "--list excludes NAME|FILE, got '"),
            ("nosuch.toml", "nosuch.toml cannot be read: No such file or directory"),
            ("./nowhere", "nowhere cannot be read: No such file or directory"),
            (
                "mine",
                "longfat: scenario 'mine' is unknown; available: dumbbell, hosts, mixed, parking_lot, red; a path must "
                "have a suffix or a separator: ./mine\n",
            ),
            ("nothing.toml --duration 1s", "has no flow"),
            ("reno.toml --duration 3", "duration = '3' has no unit"),
            ("reno.toml --duration 0s", "duration = 0 s is out of range"),
            ("reno.toml --seed one", "seed must be an integer in"),
            ("reno.toml --replications 0", "replications = 0 runs is out of range"),
            ("reno.toml --pcap /proc/nowhere", "pcap = /proc/nowhere cannot be written to"),
            ("reno.toml --qlog /proc/nowhere", "qlog = /proc/nowhere cannot be written to"),
            ("reno.toml --figure run.gif", "suffix of --figure '.gif' is unknown"),
            *((f"{name}.toml", words) for name, (_, words) in (SCENARIOS | SOURCES).items()),
        ],
    ),
    "testbed": (
        "testbed",
        [
            (
                "reno.toml --duration 3s --figure x.bmp",
                "suffix of --figure '.bmp' is unknown; available: .pdf, .png, .svg",
            ),
            ("reno.toml --qlog x", "option '--qlog' is unknown; "),
            *((f"./{name}.toml", words) for name, (_, words) in ON_LINUX.items()),
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
            *((f"--check {name}.csv", words) for name, (_, words) in TRACES.items()),
        ],
    ),
    "explore": (
        "explore --no-browser",
        [
            ("--port 70000", "port = 70000 is out of range: must be an integer in [0, 65535]"),
            ("--host no.such.host.invalid", "host = 'no.such.host.invalid' is unknown"),
            ("--host 192.0.2.1", "host = '192.0.2.1' is unknown"),  # of RFC 5737, nobody's
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
    "simulate": "steady.toml",
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
                words = "= 'nosuch' cannot be read" if param.type.record.text_unit else "must be a"
                yield name, f"{flag} nosuch", f"{flag.strip('-').replace('-', '_')} {words}"
        if {"--json", "--csv"} <= flags.keys():
            yield name, "--json --csv", "--json and --csv exclude each other"
        if "--output" in flags:
            yield name, "--output /proc/nowhere", "output = /proc/nowhere cannot be written to"


ROWS = [
    *((f"{name}: {one}", f"{before} {one}", words) for name, (before, rows) in REFUSED.items() for one, words in rows),
    *((f"{name}, {one}", f"{name} {COMMANDS.get(name, '')} {one}", words) for name, one, words in of_options()),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files, and their names."""
    made = tmp_path_factory.mktemp("refused")
    for name, content in FILES.items():
        (made / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return made


@pytest.mark.parametrize(("line", "words"), [pytest.param(*row, id=name[:60]) for name, *row in ROWS])
def test_one_line_and_status_2(folder, monkeypatch, capsys, line, words):
    monkeypatch.chdir(folder)
    assert cli.main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert err.startswith("longfat: ")
    assert {path.as_posix() for path in Path().rglob("*")} == FILES.keys()
