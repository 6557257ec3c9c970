"""`longfat window`: TCP and selective repeat on a path, as a table, a picture and data files."""

from __future__ import annotations

import math
import sys
from typing import Any

import click

from longfat.cli.typed import whole
from longfat.cli.window_files import write

SEGMENT, PACKET = 16384, 1024  # bytes: of selective repeat


@click.command("window")
@click.option("--rate", help="Rate of the path, e.g. 1Gbit/s.")
@click.option("--rtt", help="Round-trip time, e.g. 100ms.")
@click.option("--loss", help="Packet loss probabilities, e.g. 1e-4,1e-3,1e-2 or 0.1%.")
@click.option("--mss", help="Segment size of TCP. [default: 1460B, or that of --iperf3]")
@click.option("--segment", help="Segment size of selective repeat. [default: 16KiB]")
@click.option("--packet", help="Largest packet of selective repeat. [default: 1024B, or that of --iperf3]")
@click.option(
    "--target", default="0.95", show_default=True, help="Share of the link, for selective repeat of 1 - loss."
)
@click.option("--source", default="auto", show_default=True, help="Source of the window: auto, law or simulator.")
@click.option("--iperf3", metavar="FILE", help="Take rate, RTT, loss, packet size from the output of iperf3 --json.")
@click.option("--ping", metavar="FILE", help="Take the RTT from the output of ping: its minimum.")
@click.option("--output", metavar="DIR", default=".", show_default=True, help="Where the files go.")
@click.option("--points", default="24", show_default=True, help="Windows at which the curves are simulated.")
@click.option(
    "--tradeoff", default="0", show_default=True, help="Wider windows of selective repeat with their buffers."
)
@click.option("--replications", default="4", show_default=True, help="Simulations of TCP at each loss; 0: law only.")
@click.option("--confidence", default="0.95", show_default=True, help="Confidence of the intervals.")
@click.option("--seed", default="0", show_default=True, help="Seed of the random numbers.")
def window_command(output: str, **flags: Any) -> None:
    """What TCP makes of a path, and the window that selective repeat without congestion control needs.

    TCP: the rate of one Reno flow with SACK at each loss, the loss up to which it fills the link, the receive window
    that it needs. Selective repeat with a fixed window, which is not TCP: the smallest window, with simulated points
    beside the law. Writes window.csv, window.nc, window.svg and window.png, and prints a table. What is given by a
    flag wins over what was measured.
    """
    from longfat import design, quantities
    from longfat.cli.window_table import table
    from longfat.files import WholeFiles

    with WholeFiles(output) as files:
        path, transport, notes = _path(flags)
        tradeoff = whole("tradeoff", flags["tradeoff"], "windows", "[0, 1000]")
        if transport == "TCP" and tradeoff:
            raise ValueError(
                "--tradeoff finds receive buffers of selective repeat, and --iperf3 holds a measurement of TCP, which "
                "they would hold back; leave one of the two out"
            )
        data = design.window(
            **path,
            source=flags["source"],
            target=quantities.fraction(flags["target"], "target", "(0, 1)"),
            points=whole("points", flags["points"], "windows", "[2, 10000]"),
            tradeoff=tradeoff,
            replications=whole("replications", flags["replications"], "runs", "[0, 1e6]"),
            receive_buffer=transport != "TCP",
            confidence=quantities.fraction(flags["confidence"], "confidence", "(0, 1)"),
            rng=whole("seed", flags["seed"], "1", "[0, inf)"),
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        data.attrs["notes"] = "\n".join(notes)
        click.echo(table(data, notes))
        write(data, files)


def _path(flags: dict[str, Any]) -> tuple[dict[str, Any], str, tuple[str, ...]]:
    """The path from flags first and measurements second, what the measurement was of, and notes on what was used."""
    from longfat import measured, quantities

    losses = quantities.fractions(flags["loss"]) if flags["loss"] else None
    figures = measured.PathFigures(
        rate=quantities.rate(flags["rate"]) if flags["rate"] else None,
        round_trip_time=quantities.duration(flags["rtt"], "rtt", "(0, inf)") if flags["rtt"] else None,
        loss=losses[0] if losses else None,
        packet=quantities.size(flags["packet"], "packet") if flags["packet"] else None,
    )
    # A ping's minimum over many small packets is nearer to the empty path than a mean under load.
    found = measured.PathFigures()
    for flag, read in (("ping", measured.read_ping), ("iperf3", measured.read_iperf3)):
        if flags[flag]:
            found = found.merged(read(flags[flag]))
    figures = figures.merged(found)
    for flag, value, holders in (
        ("--rate", figures.rate, "--iperf3"),
        ("--rtt", figures.round_trip_time, "--iperf3 or --ping"),
        ("--loss", figures.loss, "--iperf3"),
    ):
        if value is None:
            raise ValueError(f"{flag} is missing: give it, or a measurement that holds it ({holders})")
    packet = figures.packet or PACKET
    # By default a segment holds whole packets of the size that was measured.
    segment = quantities.size(flags["segment"], "segment") if flags["segment"] else max(1, SEGMENT // packet) * packet
    notes = list(figures.notes)
    sent = segment / math.ceil(segment / packet - 1e-9)
    if found.packet and losses is None and abs(sent - found.packet) > 1:
        notes.append(f"loss: measured for packets of {found.packet:g} bytes, used for packets of {sent:.6g} bytes")
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
    return path, found.transport, tuple(notes)
