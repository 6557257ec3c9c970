"""`longfat window`: TCP and selective repeat on a path, as a table, a picture and data files."""

from __future__ import annotations

import math
import sys
from typing import Any

import click

from longfat.cli.parameters import CONFIDENCE, OUTPUT, SEED, SHARE, Choice, Integer, PathName, Quantity, Size
from longfat.cli.window_files import write

SEGMENT, PACKET = 16384, 1024  # bytes: of selective repeat

SHARES = Quantity("fraction", several=True, min=0, max=1, max_open=True)
SOURCE = Choice("source", "auto", "law", "simulator")


@click.command("window", short_help="Rate of TCP on a path; window of selective repeat (not TCP).")
@click.option("--rate", type=Quantity("rate", min=0, min_open=True), help="Rate of the bottleneck link, e.g. 1Gbit/s.")
@click.option(
    "--rtt", type=Quantity("duration", min=0, min_open=True), help="Round-trip time without queueing, e.g. 100ms."
)
@click.option("--loss", type=SHARES, help="Packet loss probabilities, e.g. 1e-4,1e-3 or 0.1%.")
@click.option(
    "--mss", type=Size(1, 10**6), help="Maximum segment size of TCP [bytes].  [default: 1460B, or that of --iperf3]"
)
@click.option("--segment", type=Size(1), help="Segment size of selective repeat [bytes].  [default: 16KiB]")
@click.option(
    "--packet", type=Size(1), help="Packet size of selective repeat [bytes].  [default: 1024B, or that of --iperf3]"
)
@click.option(
    "--target",
    type=SHARE,
    default="0.95",
    show_default=True,
    help="Goal: utilisation of the link by TCP; share of 1 - loss for selective repeat.",
)
@click.option(
    "--source", type=SOURCE, default="auto", show_default=True, help="Source of the window of selective repeat."
)
@click.option(
    "--iperf3",
    type=PathName("file"),
    help="Read rate, round-trip time, loss and packet size from the output of iperf3 --json or --json-stream.",
)
@click.option("--ping", type=PathName("file"), help="Read the round-trip time from the output of ping: the minimum.")
@OUTPUT
@click.option(
    "--points",
    type=Integer("windows", 2, 10_000),
    default="24",
    show_default=True,
    help="Number of windows at which the curves are simulated.",
)
@click.option(
    "--tradeoff",
    type=Integer("windows", 0, 1000),
    default="0",
    show_default=True,
    help="Number of wider windows of selective repeat for which the receive buffer is found, too.",
)
@click.option(
    "--replications",
    type=Integer("runs", 0, 10**6),
    default="4",
    show_default=True,
    help="Simulations of TCP at each loss; 0 for the square-root law only.",
)
@CONFIDENCE
@SEED
def window_command(output: str, **flags: Any) -> None:
    """Find the rate of TCP on a path, and the window of selective repeat without congestion control.

    TCP: the rate of one Reno flow with SACK at each loss, the largest loss at which it reaches the goal, and its
    receive window. Selective repeat with a fixed window, which is not TCP: the smallest window that reaches the
    goal, by law and simulation. Prints a table and writes window.csv, window.nc, window.svg and window.png. Options
    override measurements.
    """
    from longfat import design
    from longfat.cli.window_table import table
    from longfat.domains import conflict
    from longfat.files import AtomicFiles

    with AtomicFiles(output) as files:
        path, transport, remarks = _path(flags)
        tradeoff = flags["tradeoff"]
        if transport == "TCP" and tradeoff:
            reason = "it finds receive buffers of selective repeat, and the file holds a measurement of TCP"
            raise conflict("--tradeoff", "excludes --iperf3 with TCP", reason)
        data = design.window(
            **path,
            source=flags["source"],
            target=flags["target"],
            points=flags["points"],
            tradeoff=tradeoff,
            replications=flags["replications"],
            receive_buffer=transport != "TCP",
            confidence=flags["confidence"],
            rng=flags["seed"],
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        data.attrs |= {"remarks": "\n".join(remarks), "rate_measured_by": "" if flags["rate"] else transport}
        if data.attrs["rate_measured_by"] == "TCP":  # what TCP reached says nothing of the buffers that it needs
            del data.attrs["tcp_receive_window"], data.attrs["tcp_linux_receive_buffer"]
        click.echo(table(data, remarks))
        write(data, files)


def _path(flags: dict[str, Any]) -> tuple[dict[str, Any], str, tuple[str, ...]]:
    """Return the path from options and, where these lack, measurements; the protocol measured; and remarks."""
    from longfat import measured

    losses = flags["loss"]
    figures = measured.PathFigures(
        rate=flags["rate"], round_trip_time=flags["rtt"], loss=losses[0] if losses else None, packet=flags["packet"]
    )
    # A ping's minimum over many small packets is nearer to the empty path than a mean under load.
    found = measured.PathFigures()
    for flag, read in (("ping", measured.read_ping), ("iperf3", measured.read_iperf3)):
        if flags[flag]:
            found = found.merged(read(flags[flag]))
    figures = figures.merged(found)
    for flag, value, holders in (
        ("--rate", figures.rate, "--iperf3"),
        ("--rtt", figures.round_trip_time, "--ping, or --iperf3 from the sending side of TCP"),
        ("--loss", figures.loss, "--iperf3; ping sends too few packets to tell"),
    ):
        if value is None:
            raise ValueError(f"{flag} is missing: give it, or a file that contains it ({holders})")
    packet = figures.packet or PACKET
    # By default a segment holds whole packets of the size that was measured.
    segment = flags["segment"] or max(1, SEGMENT // packet) * packet
    unused = ("queueing_delay:", "limited_by:", "policed:")
    remarks = [one for one in figures.remarks if not one.startswith(unused)]
    sent = segment / math.ceil(segment / packet - 1e-9)
    if found.packet and losses is None and abs(sent - found.packet) > 1:
        remarks.append(f"loss: measured for packets of {found.packet:g} bytes, used for packets of {sent:.6g} bytes")
    path = {
        "rate": figures.rate,
        "round_trip_time": figures.round_trip_time,
        "loss": losses or figures.loss,
        "segment": segment,
        "packet": packet,
    }
    if flags["mss"]:
        path["tcp_segment"] = flags["mss"]
    elif found.transport == "TCP":
        path["tcp_segment"] = round(found.packet or 0)
    return path, found.transport, tuple(remarks)
