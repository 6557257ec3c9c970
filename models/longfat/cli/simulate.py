"""`longfat simulate`: a scenario file run, as a table, JSON, a picture and data files."""

from __future__ import annotations

import json
import math
import shutil
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameter_types import left_out, netcdf, picture_format, say, with_units
from longfat.cli.parameters import Integer, PathName
from longfat.cli.scenario_options import JSON, LIST, SCENARIO, SEED, TRUST, duration, load, replications

if TYPE_CHECKING:
    import xarray as xr

    from longfat.base.files import AtomicFiles
    from longfat.sim.network.network import Network
    from longfat.sim.runs.results import Answer

#: JSON's name of a quantity, and the Dataset's
FLOW = {name: name for name in ("transfer_time", "goodput", "delivered", "dropped", "sent")}
LINK = {name: name for name in ("utilisation", "mean_queue", "max_queue")} | {"dropped": "link_dropped"}


@click.command("simulate")
@SCENARIO
@LIST
@JSON
@click.option("--output", type=PathName("dir"), help="Directory for run.nc, flows.csv, links.csv and pictures.")
@click.option(
    "--figure",
    type=PathName("file"),
    help="Picture of the first run over time (sample_every in FILE), else of goodputs and utilisations, e.g. run.svg.",
)
@duration("Simulated time, e.g. 60s; overrides the scenario's.")
@SEED
@replications(10**6)
@click.option(
    "--pcap", type=PathName("dir"), help="Directory for senders.pcap and receivers.pcap: the first run's packets."
)
@click.option(
    "--qlog", type=PathName("dir"), help="Directory for a qlog file of each flow: windows, losses and round trips."
)
@click.option(
    "--trace-packets",
    type=Integer("packets", 1, 10**12),
    show_default="1000000",
    help="Number of packets in senders.pcap after which --pcap and --qlog end.",
)
@TRUST
def simulate_command(
    scenario: str, as_json: bool, output: str | None, figure: str | None, trust: bool, **flags: Any
) -> None:
    """Simulate a network, packet by packet.

    NAME is a scenario that comes with longfat (--list). FILE, which has a suffix or a separator, is TOML, with a table
    for each link and flow. It may name Python files in its folder, which are executed. With --output, and sample_every
    in the file, traces.svg and traces.png show windows and queues over time. The column heads of flows.csv and
    links.csv contain the units, as in "goodput [bytes/s]".
    """
    from longfat.base.domains import conflict
    from longfat.base.files import AtomicFiles

    traced = [flag for flag in ("pcap", "qlog") if flags[flag] is not None]
    if flags["trace_packets"] is not None and not traced:
        raise conflict("--trace-packets", "needs --pcap or --qlog")
    net, options = load(scenario, trust, flags)
    options |= {flag: flags[flag] for flag in (*traced, "trace_packets") if flags[flag] is not None}
    for flag in traced:
        _announce(flag, Path(flags[flag]), flags["trace_packets"])
    with ExitStack() as stack:
        files = None if output is None else stack.enter_context(AtomicFiles(output))
        picture = None if figure is None else (Path(figure), picture_format(figure))
        place = None if picture is None else stack.enter_context(AtomicFiles(picture[0].parent, "figure"))
        data = _simulate(net, options, scenario, as_json, keep=files is not None or place is not None)
        if files is not None:
            write_files(data, files)
        if picture is not None and place is not None:
            _draw(data, place.path(picture[0].name), picture[1])
    if data.attrs.get("trace_end") and data.attrs["trace_until"] == 0:  # no trace was written
        raise click.exceptions.Exit(2)


def _draw(data: xr.Dataset, path: Path, kind: str) -> None:
    """Draw a run into a file, as ``data.longfat.plot()`` draws it."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    with plot.style():
        canvas = plot.show(data)[0].figure
        canvas.savefig(path, format=kind)
        plt.close(canvas)


def _announce(flag: str, folder: Path, packets: int | None) -> None:
    """Print how large a trace may become, if it may be large; only on a terminal."""
    from longfat.sim.runs.captures import MOST, PACKET_BYTES

    if packets is None or packets <= MOST or not sys.stderr.isatty():
        return
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    free = shutil.disk_usage(there).free / 1e9
    size = packets * PACKET_BYTES[flag] / 1e9
    click.echo(f"longfat: --{flag} may write up to {size:.3g} GB; {free:.3g} GB are free in {there}", err=True)


def _simulate(net: Network, options: dict[str, Any], scenario: str, as_json: bool, *, keep: bool) -> Any:
    """Run, and print the answer; a Dataset if it is to be kept."""
    from longfat.sim.runs import run as runs

    watched = sys.stderr.isatty()  # for scripts, stderr holds errors only
    data: xr.Dataset | Answer
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(the|no) trace")  # printed below, as one line
        if keep:
            data = runs.run(net, **options, progress=watched)
        else:  # without xarray, which takes a second to load
            data, _ = runs.answer(net, **options, progress=watched)
    data.attrs["scenario"] = Path(scenario).name
    answer = json.dumps(summary(data, net), indent=2, allow_nan=False) if as_json else table(data, net)
    say(answer)
    if data.attrs.get("trace_end"):
        click.echo(f"longfat: {data.attrs['trace_end']}", err=True)
    return data


def summary(data: xr.Dataset | Answer, net: Network) -> dict[str, Any]:
    """Return the answer for programs: `flows`, `links` and `run`, with None where there is no value.

    >>> from longfat.sim import Network, run, traffic
    >>> net = Network("one link").link("a", "b", rate=1e6, delay=0.01)
    >>> net = net.flow(traffic.constant(1e5), path=["a", "b"], name="steady")
    >>> answer = summary(run(net, duration=1.005, rng=1, progress=False), net)
    >>> answer["flows"][0]["sent"], answer["flows"][0]["delivered"], answer["links"][0]["dropped"]
    (101, 100, 0)
    >>> answer["run"]["conservation"]["data"]
    {'sent': 101, 'received': 100, 'dropped': 0, 'in_flight': 1}
    """
    a = data.attrs
    counts = {
        kind: {name: int(a[f"packets_{prefix}{name}"]) for name in ("sent", "received", "dropped", "in_flight")}
        for kind, prefix in (("data", ""), ("acknowledgments", "acks_"))
    }
    intervals = a["replications"] > 1
    rows = enumerate((flow, name) for flow in net.flows for name in flow.names)
    trace = {name: a[f"trace_{name}"] for name in ("packets", "until", "end") if f"trace_{name}" in a}
    balanced = all(one["sent"] == one["received"] + one["dropped"] + one["in_flight"] for one in counts.values())
    return {
        "flows": [
            {
                "name": name,
                "scheme": flow.scheme.name if flow.scheme is not None else None,
                "traffic": flow.traffic.name if flow.traffic is not None else None,
                **_values(data, FLOW, k, intervals),
            }
            for k, (flow, name) in rows
        ],
        "links": [
            {"name": link.name, **_values(data, LINK, k, intervals)} for k, link in enumerate(net.links.values())
        ],
        "run": {
            "name": net.name,
            "duration": a["duration"],
            "warm_up": a["warm_up"],
            "replications": a["replications"],
            "replications_asked": a["replications_asked"],
            "deterministic": bool(a["deterministic"]),
            "confidence": a["confidence"] if intervals else None,
            "seed": a["entropy"],
            "version": a["version"],
            "events": a.get("events"),
            "wall_time": a["wall_time"],
            "conservation": {"balanced": balanced, **counts},
            **({"trace": trace} if trace else {}),
        },
    }


def _values(data: xr.Dataset | Answer, names: dict[str, str], k: int, intervals: bool) -> dict[str, float | None]:
    """Return the quantities of one flow or link, with confidence limits if there are several replications."""
    return {
        f"{name}{end}": _plain(float(data[variable + end][k]))
        for name, variable in names.items()
        for end in (("", "_lower", "_upper") if intervals else ("",))
    }


def _plain(value: float) -> float | None:
    """Return a number for JSON: None for NaN and infinity, an int for an integral value."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def table(data: xr.Dataset | Answer, net: Network) -> str:
    """Return the answer as text tables of flows and links."""
    from longfat.base.quantities import text

    answer = summary(data, net)
    run = answer["run"]
    counts = run["conservation"]["data"]
    flows = [
        [
            flow["name"],
            flow["scheme"] or flow["traffic"],
            shown(flow, "transfer_time", "s"),
            shown(flow, "goodput", "bytes/s"),
            *(shown(flow, name, "") for name in ("sent", "delivered", "dropped")),
        ]
        for flow in answer["flows"]
    ]
    links = [
        [link["name"], shown(link, "utilisation", "%"), *(shown(link, name, "") for name in list(LINK)[1:])]
        for link in answer["links"]
    ]
    return "\n".join(
        [
            title(data, net),
            "",
            *columns(["flow", "scheme", "transfer time", "goodput", "sent", "delivered", "dropped"], flows, 2),
            "",
            *columns(["link", "utilisation", "mean queue", "max queue", "dropped"], links, 1),
            "",
            ("" if run["events"] is None else f"{run['events']} events in ")
            + f"{text(run['wall_time'], 's')}; seed {run['seed']}",
            f"in total, {counts['sent']} data packets sent = {counts['received']} received + "
            f"{counts['dropped']} dropped + {counts['in_flight']} in flight",
            *remarks(data, net),
            *_trace(run),
        ]
    )


def remarks(data: xr.Dataset | Answer, net: Network) -> list[str]:
    """Return lines on what the numbers of a table do not show: goodputs of different times, marks that nobody gets."""
    begin, end = data.attrs["warm_up"], data.attrs["duration"]
    last = [flow.start + (flow.count - 1) * flow.stagger for flow in net.flows]
    apart = any(
        flow.file is not None or start > begin or flow.stop < end for flow, start in zip(net.flows, last, strict=True)
    )
    own = "goodput: over each flow's own time, from its start to its end; goodputs do not add up"
    ecn = data.attrs.get("remark")
    return [
        f"remark: {one}" for one in (own if apart and sum(flow.count for flow in net.flows) > 1 else "", ecn) if one
    ]


def title(data: xr.Dataset | Answer, net: Network) -> str:
    """Return the first line of a table: name, duration, warm-up and replications."""
    from longfat.base.quantities import text

    a = data.attrs
    words = f"{net.name or a['scenario']}: {text(a['duration'], 's')}"
    if a["warm_up"]:
        words += f", counted from {text(a['warm_up'], 's')} on"
    if a["replications"] > 1:
        words += f"; {a['replications']} replications, mean ± half of the {100 * a['confidence']:.6g}% interval"
    elif a["deterministic"] and a["replications_asked"] > 1:
        words += f"; deterministic: {a['replications_asked']} replications would be identical, one was run"
    return words


def _trace(run: dict[str, Any]) -> list[str]:
    """Return the line on the trace, if there is one."""
    if "trace" not in run:
        return []
    from longfat.base.quantities import text

    return [f"trace of the first run: {run['trace']['packets']} packets until {text(run['trace']['until'], 's')}"]


def shown(row: dict[str, Any], name: str, unit: str) -> str:
    """Return a quantity as text, with half the width of its confidence interval."""
    value = row[name]
    if value is None:
        return "-"
    lower, upper = row.get(f"{name}_lower"), row.get(f"{name}_upper")
    if lower is None or upper is None:
        return short(value, unit, 4)
    return f"{short(value, unit, 4)} ± {short(max(upper - value, value - lower), unit, 2)}"  # one may be cut at 0 or 1


def short(value: float, unit: str, digits: int) -> str:
    """Return a value rounded to so many digits with its unit; integral packet counts in full."""
    from longfat.base.quantities import text

    if unit == "" and value == int(value):
        return str(int(value))
    scale = {"%": 100, "bytes/s": 8}.get(unit, 1)
    rounded = float(f"{scale * value:.{digits}g}")
    return f"{rounded:g}{unit}" if unit in ("", "%") else text(rounded / scale, unit)


def columns(heads: list[str], rows: list[list[str]], left: int) -> list[str]:
    """Return the lines of a table, with the first ``left`` columns aligned to the left."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return [
        "  ".join(
            word.ljust(width) if k < left else word.rjust(width)
            for k, (word, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (heads, *rows)
    ]


def write_files(data: xr.Dataset, files: AtomicFiles) -> None:
    """Write the results as CSV and NetCDF, and draw the traces if there are any."""
    for dim in ("flow", "link"):
        names = [str(name) for name, array in data.items() if array.dims == (dim,)]
        with_units(data[names].to_dataframe(), data).to_csv(files.path(f"{dim}s.csv"))
    sampled = "time" in data.dims
    if left_out("run.nc", *(["traces.svg", "traces.png"] if sampled else [])):
        return
    netcdf(data, files, "run.nc")
    if not sampled:
        return
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    with plot.style():
        figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7.2, 6))
        plot.traces(data, axes)
        for kind in ("svg", "png"):
            figure.savefig(files.path(f"traces.{kind}"), format=kind)
            figure.set_layout_engine("none")  # laid out once, for both files
        plt.close(figure)
