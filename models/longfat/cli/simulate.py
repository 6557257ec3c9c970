"""`longfat simulate`: simulation of a scenario file; options and results that `longfat testbed` has, too."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.base.quantities import rounded, text
from longfat.base.text_tables import csv_of
from longfat.cli import tables
from longfat.cli.output import Output, outputs, print_answer, shows_progress
from longfat.cli.parameters import DIRECTORY, FILE, Decorator, given, option, options, switch
from longfat.cli.tables import Column, percent
from longfat.sim.network.options import RUN_OPTIONS

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.network.network import Network
    from longfat.sim.runs.results import Answer

#: Name of a quantity in JSON -> its name in the Dataset.
FLOW = {name: name for name in ("transfer_time", "goodput", "delivered", "dropped", "sent")}
LINK = {name: name for name in ("utilisation", "mean_queue", "max_queue")} | {"dropped": "link_dropped"}

#: Options of the run that the command line can override.
OVERRIDES = ("duration", "rng", "replications")
PCAP = option("--pcap", DIRECTORY, "Directory for senders.pcap and receivers.pcap: the first run's packets.")


def _list(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the bundled scenarios if --list is given; otherwise require a scenario."""
    if context.resilient_parsing:
        return
    scenario = context.params["scenario"]
    if not wanted:
        if scenario is None:
            raise click.MissingParameter(ctx=context, param_hint="'NAME|FILE'", param_type="argument")
        return
    if scenario is not None:
        raise conflict("--list", f"excludes NAME|FILE, got {scenario!r}")
    from longfat.sim.network.scenario import SHIPPED, shipped

    names = shipped()
    width = max(map(len, names))
    print_answer("\n".join(f"{name:<{width}}  {words}" for name, words in names.items()) + f"\n\nfiles: {SHIPPED}")
    context.exit()


def of_run(figure: str) -> Decorator:
    """Return a decorator that adds the output options of commands that run a scenario.

    ``figure`` is the help text of --figure.
    """
    return outputs(
        json="Print JSON, in s, bytes/s, packets and fractions of 1.",
        directory="Directory for run.nc, flows.csv, links.csv and pictures.",
        figure=figure,
    )


def scenario(lasts: str, most: int) -> Decorator:
    """Return a decorator that adds the scenario and the options of its run.

    ``lasts`` is the help text of --duration, ``most`` the largest value of --replications.
    """
    added = (
        # Click must process this argument before --list (`is_eager`), whose callback checks whether a scenario is
        # given.
        click.argument("scenario", metavar="NAME|FILE", type=FILE, required=False, is_eager=True),
        click.option(
            "--list", is_flag=True, expose_value=False, callback=_list,
            help="List the scenarios that come with longfat, and exit.",
        ),
        options({
            "duration": replace(
                RUN_OPTIONS["duration"], domain="(0, inf)", meaning=f"{lasts}, e.g. 60s; overrides the scenario's",
            ),
            "rng": replace(RUN_OPTIONS["rng"], otherwise="rng of the scenario, or 0"),
            "replications": replace(
                RUN_OPTIONS["replications"], domain=f"[1, {most}]",
                meaning=f"{RUN_OPTIONS['replications'].meaning}; overrides the scenario's",
            ),
        }, required=False),
        switch("--trust", "Allow FILE to load Python files outside its folder."),
    )  # fmt: skip

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(added):
            command = one(command)
        return command

    return decorate


def load(scenario: str, trust: bool, asked: dict[str, Any]) -> tuple[Network, dict[str, Any]]:
    """Load a scenario; return its network and the options of its run; ``asked`` may replace those in `OVERRIDES`."""
    from longfat.sim.network.scenario import load

    net, options = load(scenario, trust=trust)
    return net, {"rng": 0} | options | {name: asked[name] for name in OVERRIDES if name in asked}


@click.command("simulate")
@scenario("Simulated time", 10**6)
@of_run("Picture of the first run over time (sample_every in FILE), else of goodputs and utilisations, e.g. run.svg.")
@PCAP
@option("--qlog", DIRECTORY, "Directory for a qlog file of each flow: windows, losses and round trips.")
def simulate_command(output: Output, scenario: str, trust: bool, **options: Any) -> None:
    """Simulate a network, packet by packet.

    NAME is a scenario that comes with longfat (--list). FILE, which has a suffix or a separator, is TOML, with a table
    for each link and flow. It may name Python files in its folder, which are executed. With --output, and sample_every
    in the file, traces.svg and traces.png show windows and queues over time. The column heads of flows.csv and
    links.csv contain the units, as in "goodput [bytes/s]".
    """
    asked = given(options)
    net, run = load(scenario, trust, asked)
    run |= {flag: asked[flag] for flag in ("pcap", "qlog") if flag in asked}
    with output:
        data = _simulate(net, run, keep=output.writes)
        data.attrs["scenario"] = Path(scenario).name
        emit(output, lambda: table(data, net), lambda: summary(data, net), data, lambda plot: plot.show(data)[0].figure)
        if data.attrs.get("trace_end"):
            click.echo(f"longfat: {data.attrs['trace_end']}", err=True)
    if data.attrs.get("trace_end") and data.attrs["trace_packets"] == 0:  # no trace was written
        raise click.exceptions.Exit(2)


def emit(output: Output, text: Any, json: Any, data: Any, figure: Any) -> None:
    """Print the results of a run, and write flows and links as CSV, the Dataset, and pictures of sampled traces."""
    traces = {"traces": lambda plot: plot.traces(data)[0].figure} if output.writes and "time" in data.dims else {}
    texts = {f"{dim}s.csv": lambda dim=dim: _csv(data, dim) for dim in ("flow", "link")}
    output.emit(text, json=json, name="run", texts=texts, data=data, pictures=traces, figure=figure)


def _csv(data: xr.Dataset, dim: str) -> str:
    """Return the results of all flows, or of all links, as CSV."""
    names = [str(name) for name, array in data.items() if array.dims == (dim,)]
    return csv_of(data[names].to_dataframe().reset_index(), data)


def _simulate(net: Network, options: dict[str, Any], *, keep: bool) -> xr.Dataset | Answer:
    """Run a network; return a Dataset if ``keep``, else arrays, which avoid the slow import of xarray."""
    from longfat.sim.runs import run as runs

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(the|no) trace")  # printed as one line
        if keep:
            return runs.run(net, **options, progress=shows_progress())
        return runs.answer(net, **options, progress=shows_progress())[0]


def summary(data: xr.Dataset | Answer, net: Network) -> dict[str, Any]:
    """Convert the results for JSON: `flows`, `links` and `run`, with None for missing values.

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
    """Return the quantities of flow or link number ``k`` by name, with confidence limits if ``intervals``."""
    return {
        f"{name}{end}": _plain(float(data[variable + end][k]))
        for name, variable in names.items()
        for end in (("", "_lower", "_upper") if intervals else ("",))
    }


def _plain(value: float) -> float | None:
    """Convert a number for JSON: NaN and infinity to None, an integral value to an int."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def shown(row: dict[str, Any], name: str, unit: str) -> str:
    """Format a quantity with half the width of its confidence interval."""
    value = row[name]
    if value is None:
        return "-"
    lower, upper = row.get(f"{name}_lower"), row.get(f"{name}_upper")
    if lower is None or upper is None:
        return short(value, unit, 4)
    return f"{short(value, unit, 4)} ± {short(max(upper - value, value - lower), unit, 2)}"  # a limit may be clipped


def short(value: float, unit: str, digits: int) -> str:
    """Format a value with its unit, rounded to a number of digits; integral counts of packets are not rounded."""
    if unit == "" and value == int(value):
        return str(int(value))
    scale = 100 if unit == "%" else 1
    return f"{float(f'{scale * value:.{digits}g}'):g}{unit}" if unit in ("", "%") else rounded(value, unit, digits)


def _column(heading: str, name: str, unit: str = "") -> Column:
    return Column(heading, 0, lambda row: shown(row, name, unit))


FLOWS = (
    Column("flow", -1, lambda row: row["name"]),
    Column("scheme", -1, lambda row: row["scheme"] or row["traffic"]),
    _column("transfer time", "transfer_time", "s"),
    _column("goodput", "goodput", "bytes/s"),
    _column("sent", "sent"),
    _column("delivered", "delivered"),
    _column("dropped", "dropped"),
)
LINKS = (
    Column("link", -1, lambda row: row["name"]),
    _column("utilisation", "utilisation", "%"),
    _column("mean queue", "mean_queue"),
    _column("max queue", "max_queue"),
    _column("dropped", "dropped"),
)


def table(data: xr.Dataset | Answer, net: Network) -> str:
    """Return the results as text tables of flows and links."""
    answer = summary(data, net)
    run = answer["run"]
    counts = run["conservation"]["data"]
    return "\n".join(
        [
            title(data, net),
            "",
            *tables.table(FLOWS, answer["flows"]),
            "",
            *tables.table(LINKS, answer["links"]),
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
    """Return remarks on a table: if goodputs count different times, and if no sender responds to marks."""
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
    a = data.attrs
    words = f"{net.name or a['scenario']}: {text(a['duration'], 's')}"
    if a["warm_up"]:
        words += f", counted from {text(a['warm_up'], 's')} on"
    if a["replications"] > 1:
        words += f"; {a['replications']} replications, mean ± half of the {percent(a['confidence'])} interval"
    elif a["deterministic"] and a["replications_asked"] > 1:
        words += f"; deterministic: {a['replications_asked']} replications would be identical, one was run"
    return words


def _trace(run: dict[str, Any]) -> list[str]:
    """Return a line with the number of packets and the end of the written trace, if there is a trace."""
    if "trace" not in run:
        return []
    return [f"trace of the first run: {run['trace']['packets']} packets until {text(run['trace']['until'], 's')}"]
