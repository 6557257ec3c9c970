"""`longfat buffer`: the buffer of a switch, as a table, JSON, a picture and data files."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameter_types import left_out, netcdf, say, with_units
from longfat.cli.parameters import (
    CONFIDENCE,
    OUTPUT,
    SEED,
    Assignment,
    Between,
    Choice,
    Integer,
    Name,
    Numbers,
    Option,
    Quantity,
    Size,
    disciplines,
    schemes,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

SPREAD = 0.1
POSITIVE_RATE = Quantity("rate", min=0, min_open=True)


@click.command("buffer")
@click.option("--rate", type=POSITIVE_RATE, required=True, help="Rate of the bottleneck link, e.g. 1Gbit/s.")
@click.option(
    "--rtt",
    type=Between("duration", several=True, min=0, min_open=True),
    required=True,
    help="Round-trip time without queueing, e.g. 100ms; or those of the flows, evenly in a range such as 20ms..80ms, "
    "or in turn from a list such as 10ms,20ms,80ms.",
)
@click.option(
    "--flows",
    type=Integer("flows", 1, 10_000, several=True),
    show_default="1, or one for each --rtt of a list",
    help="Numbers of long-lived flows, e.g. 1,16,64.",
)
@click.option(
    "--file",
    "size",
    type=Size(1),
    help="Size of files that arrive at random, e.g. 100kB; the goal is then network power.",
)
@click.option(
    "--scheme",
    cls=Option,
    type=Name("scheme", schemes, own="scheme"),
    default="cubic",
    show_default=True,
    help="Congestion control of the flows; cubic, reno, bbr, bbr1 and dctcp are those of hosts.",
)
@click.option(
    "--share",
    type=Quantity("fraction", min=0, max=1, min_open=True),
    default="95%",
    show_default=True,
    help="Goal: share of the attainable utilisation or network power.",
)
@click.option("--packet", type=Size(1, 10**6), default="1500B", show_default=True, help="Packet size [bytes].")
@click.option(
    "--discipline",
    cls=Option,
    type=Name("discipline", disciplines),
    show_default="fifo; step-marking for dctcp",
    help="Queue discipline of the bottleneck.",
)
@click.option(
    "--mark-above",
    type=Integer("packets", 1, 10**9),
    show_default="a seventh of the bandwidth-delay product",
    help="Backlog above which step-marking marks packets [packets].",
)
@click.option(
    "--find",
    type=Choice("find", "buffer", "threshold", "burst"),
    default="buffer",
    show_default=True,
    help="What is sought: the buffer; the threshold or target of --discipline codel, fq-codel, pie, dualpi2, red or "
    "step-marking; or the burst of a policer, the bucket with which flows get the share of its rate.",
)
@click.option(
    "--access",
    type=POSITIVE_RATE,
    show_default="unlimited",
    help="Rate of the access link of each source, e.g. 100Mbit/s.",
)
@click.option(
    "--spread",
    type=Quantity("fraction", min=0, max=0.9),
    show_default="10%, or that of a range of --rtt",
    help="Relative spread of the flows' round-trip times: R (1 - s) to R (1 + s).",
)
@click.option(
    "--decrease",
    type=Quantity("fraction", min=0, max=1, min_open=True, max_open=True),
    show_default="that of the scheme",
    help="Factor by which a loss reduces the window, e.g. 0.5; for gaimd-window, cubic and own schemes.",
)
@click.option(
    "--parameter",
    "parameters",
    type=Assignment(),
    multiple=True,
    help="Parameter of the scheme, e.g. delayed_ack=2; may be repeated.",
)
@click.option(
    "--loads",
    type=Numbers(0, 1, min_open=True, max_open=True),
    show_default="0.4,0.6,0.8,0.9,0.95",
    help="Offered loads, over the capacity, at which network power is simulated; with --file.",
)
@click.option(
    "--bdp",
    "bandwidth_delay_product",
    type=Integer("packets", 10, 10**7),
    show_default="200, or 40 per flow if that is more",
    help="Largest bandwidth-delay product to simulate [packets].",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, in s, bytes, bytes/s and shares of 1.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with units in the column heads.")
@OUTPUT
@click.option(
    "--points",
    type=Integer("buffers", 2, 1000),
    default="8",
    show_default=True,
    help="Number of buffers at which the curve is simulated.",
)
@click.option(
    "--replications", type=Integer("runs", 2, 10**6), default="3", show_default=True, help="Simulations of each buffer."
)
@click.option(
    "--search",
    type=Choice("search", "bisect", "scan"),
    default="bisect",
    show_default=True,
    help="Search for the smallest buffer: by bisection, or each buffer in turn (slow).",
)
@CONFIDENCE
@SEED
def buffer_command(output: str, as_json: bool, as_csv: bool, **flags: Any) -> None:
    """Find the buffer that a switch needs, by rules, laws and simulations.

    For long-lived flows the goal is a share of the capacity, for files that arrive at random a share of the greatest
    network power. Prints a table and writes buffer.csv, buffer.nc, buffer.svg and buffer.png.
    """
    from longfat import design
    from longfat.base.files import AtomicFiles

    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    if flags["size"] is not None:
        for flag, name in (("--flows", "flows"), ("--bdp", "bandwidth_delay_product")):
            if flags[name] is not None:
                raise click.UsageError(f"{flag} and --file exclude each other")
    elif flags["loads"] is not None:
        raise click.UsageError("--loads needs --file")
    with AtomicFiles(output) as files:
        data = design.buffer(
            rate=flags["rate"],
            round_trip_time=_trips(flags["rtt"]),
            flows=flags["flows"] if flags["flows"] is None or len(flags["flows"]) > 1 else flags["flows"][0],
            file=flags["size"],
            scheme=flags["scheme"],
            share=flags["share"],
            packet=flags["packet"],
            discipline=flags["discipline"],
            mark_above=flags["mark_above"],
            access_rate=math.inf if flags["access"] is None else flags["access"],
            spread=_spread(flags["rtt"], flags["spread"]),
            decrease=flags["decrease"],
            parameters=_once(flags["parameters"]),
            loads=flags["loads"],
            bandwidth_delay_product=flags["bandwidth_delay_product"],
            find=flags["find"],
            points=flags["points"],
            replications=flags["replications"],
            search=flags["search"],
            confidence=flags["confidence"],
            rng=flags["seed"],
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        if as_json:
            say(json.dumps(summary(data), indent=2, allow_nan=False))
        elif as_csv:
            say(with_units(frame(data), data).to_csv(index=False), nl=False)
        else:
            from longfat.cli.buffer_table import table

            say(table(data))
        _write(data, files)


def _trips(given: list[tuple[float, float]]) -> float | list[float]:
    """Return the mean of one round-trip time or range [s], or the round-trip times of a list."""
    if len(given) == 1:
        return sum(given[0]) / 2
    if any(low < high for low, high in given):
        raise click.UsageError("a list for --rtt excludes ranges")
    return [low for low, _ in given]


def _spread(trips: list[tuple[float, float]], given: float | None) -> float:
    """Return the relative spread of the round-trip times: R (1 - s) and R (1 + s) are the ends of a range."""
    if len(trips) > 1 and given is not None:
        raise click.UsageError("--spread and a list for --rtt exclude each other")
    low, high = trips[0]
    if low == high:
        return SPREAD if given is None else given
    if given is not None:
        raise click.UsageError("--spread and a range for --rtt exclude each other")
    return (high - low) / (high + low)


def _once(pairs: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """Return parameters by name; each may be given once."""
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise click.UsageError(f"--parameter {twice[0]} is given twice")
    return dict(pairs)


def frame(data: xr.Dataset) -> pd.DataFrame:
    """Return one tidy table: the rules and the smallest buffer, then the curve, for each number of flows.

    >>> from longfat import design
    >>> path = {"rate": "1Gbit/s", "round_trip_time": "100ms", "bandwidth_delay_product": 60}
    >>> path |= {"scheme": "reno", "points": 2, "replications": 2}
    >>> list(frame(design.buffer(**path, progress=False)).rule)
    ['one BDP', 'BDP/sqrt(n)', 'AIMD closed form', 'BDP/3', 'simulated', 'curve', 'curve']
    """
    import pandas as pd

    every = data if "flows" in data.dims else data.expand_dims("flows")
    prefix = "curve_"
    names = [str(name).removeprefix(prefix) for name in data if str(name).startswith(prefix)]
    names = [name for name in names if name in data]
    table = []
    for k in range(every.sizes["flows"]):
        row = every.isel(flows=k)
        flows = {"flows": int(row.flows)} if "flows" in data.coords else {}
        for dim, before in (("rule", ""), ("point", prefix)):
            for i in range(row.sizes[dim]):
                one = row.isel({dim: i})
                rule = str(one.rule.values) if dim == "rule" else "curve"
                table.append(flows | {"rule": rule} | {name: one[before + name].item() for name in names})
    return pd.DataFrame(table)


def summary(data: xr.Dataset) -> dict[str, Any]:
    """Return the answer for programs: ``path``, ``rules`` and ``curve``, with None where there is no value."""
    rows = [
        {name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()}
        for row in frame(data).to_dict("records")
    ]
    path = {name: value for name, value in data.attrs.items() if name != "units"}
    return {
        "path": {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in path.items()
        },
        "simulated_bdp": data.simulated_bdp.values.tolist(),
        "rules": [row for row in rows if row["rule"] != "curve"],
        "curve": [row for row in rows if row["rule"] == "curve"],
    }


def _write(data: xr.Dataset, files: Any) -> None:
    """Write the table as CSV, the Dataset as netCDF, and the picture as SVG and PNG."""
    with_units(frame(data), data).to_csv(files.path("buffer.csv"), index=False)
    if left_out("buffer.nc", "buffer.svg", "buffer.png"):
        return
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    netcdf(data, files, "buffer.nc")
    with plot.style():
        figure, ax = plt.subplots()
        plot.switch_buffer_curves(data, ax)
        for kind in ("svg", "png"):
            figure.savefig(files.path(f"buffer.{kind}"), format=kind)
            figure.set_layout_engine("none")  # laid out once, for both files
        plt.close(figure)
