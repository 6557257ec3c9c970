"""`longfat buffer`: the buffer of a switch, as a table, JSON, a picture and data files."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameter_types import left_out, netcdf, with_units
from longfat.cli.parameters import (
    CONFIDENCE,
    OUTPUT,
    SEED,
    Assignment,
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

POSITIVE_RATE = Quantity("rate", min=0, min_open=True)


@click.command("buffer")
@click.option("--rate", type=POSITIVE_RATE, required=True, help="Rate of the bottleneck link, e.g. 1Gbit/s.")
@click.option(
    "--rtt",
    type=Quantity("duration", min=0, min_open=True),
    required=True,
    help="Round-trip time without queueing, e.g. 100ms.",
)
@click.option(
    "--flows",
    type=Integer("flows", 1, 10_000, several=True),
    show_default="1",
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
    default="reno",
    show_default=True,
    help="Congestion control of the flows. Reno as hosts run it is sack with the --parameter values of "
    "longfat.sim.schemes.DEPLOYED.",
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
    "--access",
    type=POSITIVE_RATE,
    show_default="unlimited",
    help="Rate of the access link of each source, e.g. 100Mbit/s.",
)
@click.option(
    "--spread",
    type=Quantity("fraction", min=0, max=0.9),
    default="10%",
    show_default=True,
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
@click.option("--product", type=Integer("packets", 10, 10**7), hidden=True, help="Old name of --bdp.")
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
    from longfat.files import AtomicFiles

    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    if flags["product"] is not None:
        _use_old_name(flags)
    if flags["size"] is not None:
        for flag, name in (("--flows", "flows"), ("--bdp", "bandwidth_delay_product")):
            if flags[name] is not None:
                raise click.UsageError(f"{flag} and --file exclude each other")
    elif flags["loads"] is not None:
        raise click.UsageError("--loads needs --file")
    with AtomicFiles(output) as files:
        data = design.buffer(
            rate=flags["rate"],
            round_trip_time=flags["rtt"],
            flows=flags["flows"] if flags["flows"] is None or len(flags["flows"]) > 1 else flags["flows"][0],
            file=flags["size"],
            scheme=flags["scheme"],
            share=flags["share"],
            packet=flags["packet"],
            discipline=flags["discipline"],
            mark_above=flags["mark_above"],
            access_rate=math.inf if flags["access"] is None else flags["access"],
            spread=flags["spread"],
            decrease=flags["decrease"],
            parameters=_once(flags["parameters"]),
            loads=flags["loads"],
            bandwidth_delay_product=flags["bandwidth_delay_product"],
            points=flags["points"],
            replications=flags["replications"],
            search=flags["search"],
            confidence=flags["confidence"],
            rng=flags["seed"],
            progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
        )
        if as_json:
            click.echo(json.dumps(summary(data), indent=2, allow_nan=False))
        elif as_csv:
            click.echo(with_units(frame(data), data).to_csv(index=False), nl=False)
        else:
            click.echo(_sayable(_table(data)))
        _write(data, files)


def _once(pairs: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """Return parameters by name; each may be given once."""
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise click.UsageError(f"--parameter {twice[0]} is given twice")
    return dict(pairs)


def _use_old_name(flags: dict[str, Any]) -> None:
    """Take --product for --bdp, with a warning on stderr."""
    from longfat.deprecated import message

    if flags["bandwidth_delay_product"] is not None:
        raise click.UsageError("--product is the old name of --bdp: give one")
    click.echo(f"longfat: DeprecationWarning: {message('--product', '--bdp')}", err=True)
    flags["bandwidth_delay_product"] = flags["product"]


def frame(data: xr.Dataset) -> pd.DataFrame:
    """Return one tidy table: the rules and the smallest buffer, then the curve, for each number of flows.

    >>> from longfat import design
    >>> path = {"rate": "1Gbit/s", "round_trip_time": "100ms", "bandwidth_delay_product": 60}
    >>> path |= {"points": 2, "replications": 2}
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


def _table(data: xr.Dataset) -> str:
    """Return the answer as a text table."""
    from longfat.quantities import text

    a = data.attrs
    power = a["criterion"] == "power"
    lines = [
        f"path      {text(a['rate'], 'bytes/s')}, round trip {text(a['round_trip_time'], 's')}: bandwidth-delay "
        f"product {text(a['rate'] * a['round_trip_time'], 'bytes')}, {a['bandwidth_delay_product']:.5g} packets of "
        f"{text(a['packet'], 'bytes')}",
    ]
    if power:
        lines += [
            f"files     {text(a['file'], 'bytes')} each, by {a['scheme']}, at random; discipline {a['discipline']}",
            f"power     {a['attainable']:.4g} bytes/s² at most with these buffers and loads; no discipline exceeds "
            f"{a['first_come_ceiling']:.4g}",
        ]
    else:
        spread = f", round-trip times ±{100 * a['spread']:.4g}%" if a["spread"] else ", equal round-trip times"
        above = f" above {a['mark_above']:g} packets" if "mark_above" in a else ""
        spread = spread if (data.flows > 1).any() else ""
        lines.append(f"flows     {a['scheme']}, long-lived{spread}; discipline {a['discipline']}{above}")
        if a["sender"]:
            lines += [f"{'sender' if not k else '':9} {one}" for k, one in enumerate(a["sender"].split(" | "))]
        lines.append(_simulated(data))
    goal = "greatest power" if power else "capacity"
    interval = f"{100 * a['confidence']:.6g}% interval"
    lines += [
        "",
        f"Buffer of the switch (not a socket buffer, not tcp_rmem) for {100 * a['share']:.6g}% of the {goal}:",
        "",
    ]
    said = "  load  of greatest" if power else "  together    apart  simulated"
    width = max(16, *(len(one) for one in data.rule.values))
    sizes = f"{'BDP':>8}  {'packets':>7}  {'bytes':>10}"
    lines.append(f"{'flows':>5}  {'rule':{width}}  {sizes}{said}  {interval:>16}  queueing delay")
    every = data if "flows" in data.dims else data.expand_dims("flows")
    for k in range(every.sizes["flows"]):
        for rule in data.rule.values:
            lines.append(_line(every.isel(flows=k).sel(rule=rule), power, width))
    if not power:
        lines += [
            "",
            "together: utilisation by the law for one flow, or for flows that all lose at the same time; apart: lower",
            "bound by the law for many flows that lose at different times. BDP/3: a third of the bandwidth-delay",
            "product (Kim and Farber 1994); no law shows that it is sufficient.",
        ]
        lines += a["about"].splitlines()
    return "\n".join(lines)


def _simulated(data: xr.Dataset) -> str:
    """Return lines that describe the simulated path and the path for which the answer is valid."""
    a = data.attrs
    simulated = data.simulated_bdp.values.ravel()
    bdps = ", ".join(sorted({f"{one:.5g}" for one in simulated}, key=float))
    if (simulated > 0.999 * a["bandwidth_delay_product"]).all():
        return "simulated over the path as given"
    said = f"simulated over a slower link with a bandwidth-delay product of {bdps} packets"
    if a["scale_free"] and a["kept"]:
        changed = "with another C, which keeps"
        return "\n".join([f"{said},", *(f"          {changed} {one}" for one in a["kept"].split(" | "))])
    if a["scale_free"]:
        return f"{said}: {a['scheme']} reaches a utilisation that depends only on buffer/BDP"
    return (
        f"{said}, as given by --bdp;\n"
        f"          the answer is valid for that link only: {a['scheme']} with {a['discipline']} "
        "is not known to be scale-free"
    )


def _sayable(answer: str) -> str:
    """Replace the characters of the answer that the terminal cannot show."""
    try:
        answer.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return answer.replace("±", "+-").replace("²", "^2").encode("ascii", "replace").decode()
    return answer


def _line(row: Any, power: bool, width: int) -> str:
    """Return the row of one rule: its buffer, and the utilisation or power that the simulation gave."""
    from longfat.quantities import text

    flows = f"{int(row.flows):5d}" if "flows" in row.coords else f"{'':5}"
    if not math.isfinite(row.buffer_bdp):
        why = "no buffer reaches it" if row.rule == "simulated" else "does not apply to this scheme"
        a = row.attrs
        if row.rule == "simulated" and int(row.get("flows", 1)) == 1 and a.get("ceiling", 1.0) < a["share"]:
            why += f": it is above the {a['ceiling']:.4f} that ProbeRTT leaves to one flow by the law"
        if row.rule == "one BDP":
            why = "is not above the threshold"
        return f"{flows}  {row.rule.item():{width}}  {why}"
    size = f"{float(row.buffer_bdp):8.4g}  {int(row.buffer_packets):7d}  {_size(float(row.buffer_bytes)):>10}"
    if power:
        size += f"  {float(row.best_load):4.2f}  {float(row.share):11.4f}"
    else:
        size += "".join(f"  {_or_dash(float(row[name]))}" for name in ("law_together", "law_apart"))
        size += f"  {float(row.share):9.4f}"
    limits = f"{float(row.share_lower):6.4f} .. {float(row.share_upper):6.4f}"
    wait = text(float(f"{float(row.queueing_delay):.3g}"), "s")
    return f"{flows}  {row.rule.item():{width}}  {size}  {limits:>16}  {wait}, {row.status.item()}"


def _size(value: float) -> str:
    from longfat.quantities import text

    return text(float(f"{value:.4g}"), "bytes")


def _or_dash(value: float) -> str:
    return f"{value:8.4f}" if math.isfinite(value) else f"{'-':>8}"


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
