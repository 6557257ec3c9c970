"""`longfat window`: the window and the socket buffers of TCP on a path, or the window of selective repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.cli.output import FOLDER, Output, outputs, say, watched
from longfat.cli.parameters import (
    CONFIDENCE,
    FILE,
    POSITIVE,
    SEED,
    SHARE,
    Between,
    Choice,
    Integer,
    Quantity,
    Size,
    given,
    option,
    replications,
)

if TYPE_CHECKING:
    from longfat.measured import PathFigures

Names = tuple[str, ...]
SELECTIVE_REPEAT = "selective-repeat"
#: Options of one answer only, by parameter.
OF_TCP = {"mss": "--mss", "buffer": "--buffer", "replications": "--replications"}
OF_SELECTIVE_REPEAT = {
    "segment": "--segment", "packet": "--packet", "source": "--source", "points": "--points", "tradeoff": "--tradeoff",
}  # fmt: skip


@click.command("window", short_help="Window, socket buffers and rate of TCP on a path.")
@click.argument("files", nargs=-1, type=FILE)
@option("--rate", Between("rate", **POSITIVE), "Rate of the bottleneck link, e.g. 1Gbit/s or 80..100Mbit/s.")
@option(
    "--rtt",
    Between("duration", **POSITIVE),
    "Round-trip time without queueing, e.g. 100ms or 20..30ms.",
    argument="round_trip_time",
)
@option(
    "--loss",
    Between("fraction", several=True, min=0, max=1, max_open=True),
    "Packet loss probabilities, e.g. 1e-4,1e-3 or 1e-4..3e-4, without overflows of the flow itself.",
    show_default="0",
)
@option(
    "--scheme",
    Choice("scheme", "cubic", "reno", "bbr", "bbr1", "dctcp", SELECTIVE_REPEAT),
    "Congestion control of TCP; bbr1 is the bbr of mainline Linux, bbr is version 3; dctcp is for data centers. Or "
    "selective repeat without congestion control, which is no TCP.",
    default="cubic",
    show_default="cubic, that of Linux",
)
@option("--iperf3", FILE, "Output of iperf3 --json; more files may follow.", multiple=True)
@option("--ping", FILE, "Output of ping; more files may follow.", multiple=True)
@option("--measured", FILE, "Any file that longfat measured reads; more may follow.", multiple=True)
@option("--target", SHARE, "Share of the link that is wanted.", default="0.95")
@option("--mss", Size(1, 10**6), "TCP: data bytes in a packet.", show_default="1448B, or that of --iperf3")
@option(
    "--buffer",
    Quantity("fraction", max=100, **POSITIVE),
    "TCP: buffer of the bottleneck [bandwidth-delay products].",
    show_default="1",
)
@replications(0, "TCP: simulations at each loss; 0 for the laws only.", show_default="6")
@option("--segment", Size(1), "Selective repeat: segment size [bytes].", show_default="16KiB")
@option("--packet", Size(1), "Selective repeat: packet size.", show_default="1024B, or that of --iperf3")
@option(
    "--source",
    Choice("source", "auto", "law", "simulator"),
    "Selective repeat: source of the window.",
    show_default="auto",
)
@option(
    "--points",
    Integer("windows", 2, 10_000),
    "Selective repeat: number of windows at which the curves are simulated.",
    show_default="24",
)
@option(
    "--tradeoff",
    Integer("windows", 0, 1000),
    "Selective repeat: number of wider windows for which the receive buffer is found, too.",
    show_default="0",
)
@CONFIDENCE
@SEED
@outputs(directory=FOLDER.format("window"))
def window_command(
    output: Output, files: Names, iperf3: Names, ping: Names, measured: Names, **options: Any
) -> None:  # fmt: skip
    """Find the window and the socket buffers of TCP on a path, and the rate that it reaches.

    FILES are measurements: of iperf3, ping and others. Options override them. For TCP prints a table, lines to paste,
    and the command that checks them with the rate to expect; nothing is changed on this machine. With --scheme
    selective-repeat: the smallest window of a sender without congestion control. No file is written if FILES show that
    no window raises the rate, as with a policer.
    """
    from longfat.cli import window_path

    asked = given(options)
    selective = asked["scheme"] == SELECTIVE_REPEAT
    needed = "a --scheme of TCP" if selective else f"--scheme {SELECTIVE_REPEAT}"
    for name, flag in (OF_TCP if selective else OF_SELECTIVE_REPEAT).items():
        if name in asked:
            raise conflict(flag, f"needs {needed}")
    with output:
        found = window_path.measurements([*ping, *iperf3, *measured, *files])
        (_selective_repeat if selective else _tcp)(asked, found, output)


def _tcp(asked: dict[str, Any], found: PathFigures, output: Output) -> None:
    """Answer for TCP."""
    from longfat import design
    from longfat.cli import window_path, window_tcp

    verdict = window_path.diagnosed(found)
    if verdict is not None and verdict.is_beyond_windows:
        say("\n".join([*verdict.lines(), "", *window_path.NO_WINDOW]))
        return
    path = window_path.of_tcp(asked, found, verdict)
    data = path.described(design.tcp_window(**path.arguments, progress=watched()))
    pictures = {"window": lambda plot: plot.tcp_rates(data).figure}
    output.emit(
        lambda: window_tcp.answer(data, path), csv=lambda: window_tcp.csv(data), name="window", data=data,
        pictures=pictures,
    )  # fmt: skip


def _selective_repeat(asked: dict[str, Any], found: PathFigures, output: Output) -> None:
    """Answer for selective repeat."""
    from longfat import design
    from longfat.cli import window_path, window_segments

    path = window_path.of_selective_repeat(asked, found)
    data = path.described(design.window(**path.arguments, progress=watched()))
    pictures = {"window": lambda plot: plot.window_curves(data).figure}
    if "tradeoff" in data.dims:
        pictures["receive_buffer"] = lambda plot: plot.buffer_curves(data).figure
    output.emit(
        lambda: window_segments.answer(data, path.remarks), csv=lambda: window_segments.csv(data), name="window",
        data=data, pictures=pictures,
    )  # fmt: skip
