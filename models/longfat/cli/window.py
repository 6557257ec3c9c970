"""`longfat window`: the window and the socket buffers of TCP on a path, or the window of selective repeat."""

from __future__ import annotations

import sys
from typing import Any

import click

from longfat.cli.parameter_types import say
from longfat.cli.parameters import CONFIDENCE, OUTPUT, SEED, SHARE, Between, Choice, Integer, PathName, Quantity, Size

SELECTIVE_REPEAT = "selective-repeat"
#: Options of one answer only, by parameter.
OF_TCP = {"mss": "--mss", "buffer": "--buffer", "replications": "--replications"}
OF_SELECTIVE_REPEAT = {
    "segment": "--segment", "packet": "--packet", "source": "--source", "points": "--points", "tradeoff": "--tradeoff",
}  # fmt: skip
SCHEME = Choice("scheme", "cubic", "reno", "bbr", "bbr1", "dctcp", SELECTIVE_REPEAT)
SOURCE = Choice("source", "auto", "law", "simulator")
FILE = PathName("file")


@click.command("window", short_help="Window, socket buffers and rate of TCP on a path.")
@click.argument("files", nargs=-1, type=FILE)
@click.option(
    "--rate",
    type=Between("rate", min=0, min_open=True),
    help="Rate of the bottleneck link, e.g. 1Gbit/s or 80..100Mbit/s.",
)
@click.option(
    "--rtt",
    type=Between("duration", min=0, min_open=True),
    help="Round-trip time without queueing, e.g. 100ms or 20..30ms.",
)
@click.option(
    "--loss",
    type=Between("fraction", several=True, min=0, max=1, max_open=True),
    show_default="0",
    help="Packet loss probabilities, e.g. 1e-4,1e-3 or 1e-4..3e-4, without overflows of the flow itself.",
)
@click.option(
    "--scheme",
    type=SCHEME,
    default="cubic",
    show_default="cubic, that of Linux",
    help="Congestion control of TCP; bbr1 is the bbr of mainline Linux, bbr is version 3; dctcp is for data centers. "
    "Or selective repeat without congestion control, which is no TCP.",
)
@click.option("--iperf3", type=FILE, multiple=True, help="Output of iperf3 --json; more files may follow.")
@click.option("--ping", type=FILE, multiple=True, help="Output of ping; more files may follow.")
@click.option("--measured", type=FILE, multiple=True, help="Any file that longfat measured reads; more may follow.")
@click.option("--target", type=SHARE, default="0.95", show_default=True, help="Share of the link that is wanted.")
@click.option(
    "--mss", type=Size(1, 10**6), show_default="1448B, or that of --iperf3", help="TCP: data bytes in a packet."
)
@click.option(
    "--buffer",
    type=Quantity("fraction", min=0, max=100, min_open=True),
    show_default="1",
    help="TCP: buffer of the bottleneck [bandwidth-delay products].",
)
@click.option(
    "--replications",
    type=Integer("runs", 0, 10**6),
    show_default="6",
    help="TCP: simulations at each loss; 0 for the laws only.",
)
@click.option("--segment", type=Size(1), show_default="16KiB", help="Selective repeat: segment size [bytes].")
@click.option(
    "--packet", type=Size(1), show_default="1024B, or that of --iperf3", help="Selective repeat: packet size."
)
@click.option("--source", type=SOURCE, show_default="auto", help="Selective repeat: source of the window.")
@click.option(
    "--points",
    type=Integer("windows", 2, 10_000),
    show_default="24",
    help="Selective repeat: number of windows at which the curves are simulated.",
)
@click.option(
    "--tradeoff",
    type=Integer("windows", 0, 1000),
    show_default="0",
    help="Selective repeat: number of wider windows for which the receive buffer is found, too.",
)
@OUTPUT
@CONFIDENCE
@SEED
def window_command(output: str, **flags: Any) -> None:
    """Find the window and the socket buffers of TCP on a path, and the rate that it reaches.

    FILES are measurements: of iperf3, ping and others. Options override them. For TCP prints a table, lines to paste,
    and the command that checks them with the rate to expect; nothing is changed on this machine. With --scheme
    selective-repeat: the smallest window of a sender without congestion control. Writes window.csv, window.nc,
    window.svg and window.png; nothing if FILES show that no window raises the rate, as with a policer.
    """
    from longfat.base.files import AtomicFiles

    if flags["scheme"] == SELECTIVE_REPEAT:
        _refuse(flags, OF_TCP, "a --scheme of TCP")
    else:
        _refuse(flags, OF_SELECTIVE_REPEAT, f"--scheme {SELECTIVE_REPEAT}")
    with AtomicFiles(output) as files:
        (_selective_repeat if flags["scheme"] == SELECTIVE_REPEAT else _tcp)(flags, files)


def _common(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the options that both answers have; for scripts, stderr holds errors only."""
    names = {"target": "target", "confidence": "confidence", "rng": "seed"}
    return {name: flags[flag] for name, flag in names.items()} | {"progress": sys.stderr.isatty()}


def _tcp(flags: dict[str, Any], files: Any) -> None:
    """Answer for TCP."""
    from longfat import design
    from longfat.cli import window_path, window_tcp

    found, verdict = window_path.diagnosed(flags)
    if verdict is not None and verdict.is_beyond_windows:
        click.echo("\n".join([*verdict.lines(), "", *window_path.NO_WINDOW]))
        return
    path = window_path.of_tcp(flags, found, verdict)
    chosen = {name: flags[name] for name in ("scheme", "buffer", "replications") if flags[name] is not None}
    data = design.tcp_window(**path.arguments, **chosen, **_common(flags))
    data.attrs |= {"remarks": "\n".join(path.remarks), "rate_measured_by": path.rate_measured_by}
    say(window_tcp.answer(data, path))
    window_tcp.write(data, files)


def _selective_repeat(flags: dict[str, Any], files: Any) -> None:
    """Answer for selective repeat."""
    from longfat import design
    from longfat.cli import window_files, window_path
    from longfat.cli.window_table import table

    path = window_path.of_selective_repeat(flags)
    data = design.window(
        **path.arguments,
        source=flags["source"] or "auto",
        points=24 if flags["points"] is None else flags["points"],
        tradeoff=flags["tradeoff"] or 0,
        **_common(flags),
    )
    data.attrs |= {"remarks": "\n".join(path.remarks), "rate_measured_by": path.rate_measured_by}
    say(table(data, path.remarks))
    window_files.write(data, files)


def _refuse(flags: dict[str, Any], options: dict[str, str], needed: str) -> None:
    """Refuse options that have a value and belong to another answer; ``options`` has flags by parameter."""
    from longfat.base.domains import conflict

    for name, flag in options.items():
        if flags[name] is not None:
            raise conflict(flag, f"needs {needed}")
