"""`longfat testbed`: a scenario file run by Linux's own TCP over emulated links, also beside simulator and laws."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.parameter_types import picture_format, say
from longfat.cli.parameters import Integer, PathName
from longfat.cli.scenario_options import JSON, LIST, SCENARIO, SEED, TRUST, duration, load, replications
from longfat.cli.simulate import columns, short, shown, summary, table, title, write_files

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.network.network import Network
    from longfat.testbed.law_values import LawValue

SAMPLES = 1000  # of a trace that is drawn, where the scenario does not say how often
#: Quantities of the comparison with their units; a row without a value on either side is left out.
COMPARED = {
    "flow": {"transfer_time": "s", "goodput": "bytes/s", "loss": "%", "mean_delay": "s"},
    "link": {"utilisation": "%", "mean_queue": "", "link_dropped": ""},
}


@click.command("testbed")
@SCENARIO
@LIST
@JSON
@click.option("--compare", is_flag=True, help="Print simulator, Linux and laws side by side.")
@click.option(
    "--figure",
    type=PathName("file"),
    help="Picture of windows and queues, e.g. run.svg; with --compare over each other.",
)
@click.option("--output", type=PathName("dir"), help="Directory for run.nc, flows.csv, links.csv and pictures.")
@click.option(
    "--pcap", type=PathName("dir"), help="Directory for senders.pcap and receivers.pcap: the first run's packets."
)
@duration("Time to run, e.g. 60s; overrides the scenario's.")
@SEED
@replications(1000)
@click.option(
    "--repeats",
    type=Integer("runs", 1, 100),
    default="3",
    show_default=True,
    help="Greatest number of attempts at a run, which the machine's load may spoil.",
)
@TRUST
def testbed_command(scenario: str, as_json: bool, compare: bool, trust: bool, **flags: Any) -> None:
    """Run a network with Linux's own TCP.

    NAME and FILE are those of longfat simulate. The emulated links take the simulated time in real time. The results
    are those of longfat simulate. What Linux cannot do is refused by name.
    """
    from contextlib import ExitStack

    from longfat.base.files import AtomicFiles
    from longfat.testbed.network_namespaces import CannotRun
    from longfat.testbed.runs import Killed, Spoilt

    net, options = load(scenario, trust, flags)
    options = _checked(options, flags["figure"] is not None)
    with ExitStack() as stack:  # refused before anything is run
        picture = files = None
        if flags["figure"] is not None:
            picture_format(flags["figure"])
            place = Path(flags["figure"])
            picture = stack.enter_context(AtomicFiles(place.parent, "figure")).path(place.name)
        if flags["output"] is not None:
            files = stack.enter_context(AtomicFiles(flags["output"]))
        try:
            measured = _run(net, options, flags["repeats"], flags["pcap"])
        except (CannotRun, Spoilt, Killed) as error:
            raise click.ClickException(str(error)) from None
        measured.attrs["scenario"] = Path(scenario).name
        answer, both = _both(net, options, measured, as_json) if compare else (_alone(net, measured, as_json), None)
        say(answer)
        if picture is not None:
            _draw(measured if both is None else both, picture, Path(flags["figure"]).suffix[1:])
        if files is not None:
            write_files(measured, files)


def _checked(options: dict[str, Any], drawn: bool) -> dict[str, Any]:
    """Return the options of the run; refuse those that Linux cannot have, and sample what is drawn."""
    from longfat.base.domains import conflict

    if options.get("duration") is None:
        raise conflict("a run on Linux", "needs a duration", "give --duration, or duration in [run] of the scenario")
    if options.get("warm_up") == "auto":
        raise conflict("warm_up = 'auto'", "excludes a run on Linux", "give a time in [run] of the scenario")
    if drawn and options.get("sample_every") is None:
        from longfat.base import quantities

        options["sample_every"] = quantities.duration(options["duration"], "duration") / SAMPLES
    return options


def _run(net: Network, options: dict[str, Any], repeats: int, pcap: str | None) -> xr.Dataset:
    """Run on Linux; on a terminal say before how long that takes."""
    from longfat import testbed
    from longfat.base.quantities import duration, text

    watched = sys.stderr.isatty()  # for scripts, stderr holds errors only
    if watched:
        runs, time = options.get("replications", 1), duration(options["duration"], "duration")
        one = text(time, "s")
        click.echo(f"longfat: {runs} x {one} in real time, {text(runs * time, 's')} in all", err=True)
    return testbed.run(net, **options, repeats=repeats, pcap=pcap, progress=watched)


def _alone(net: Network, measured: xr.Dataset, as_json: bool) -> str:
    """Return the results on Linux as JSON or as a table."""
    if as_json:
        return json.dumps(_summary(measured, net), indent=2, allow_nan=False)
    return "\n".join([table(measured, net), *_trust(measured)])


def _summary(measured: xr.Dataset, net: Network) -> dict[str, Any]:
    """Return the results on Linux for programs: those of a simulation, and what the run was."""
    return summary(measured, net) | {"testbed": json.loads(measured.attrs["testbed"])}


def _trust(measured: xr.Dataset) -> list[str]:
    """Return the lines on the operating system and on lateness."""
    about = json.loads(measured.attrs["testbed"])
    longest = max(run["lateness"].get("largest", 0.0) for run in about["runs"])
    repeated = f", {about['repeated']} repeated" if about["repeated"] else ""
    return [f"Linux {about['release']}: packets at most {1000 * longest:.2g} ms late{repeated}"]


def _both(net: Network, options: dict[str, Any], measured: xr.Dataset, as_json: bool) -> tuple[str, xr.Dataset]:
    """Simulate the same, and return the comparison as JSON or tables, and its Dataset."""
    from longfat import sim
    from longfat.testbed.comparison import beside
    from longfat.testbed.law_values import law_values

    simulated = sim.run(net, **options, progress=sys.stderr.isatty())
    laws = law_values(net, float(measured.attrs["duration"]))
    both = beside(simulated, measured, laws)
    if not as_json:
        return "\n".join([*_comparison(both, net, laws), *_trust(measured)]), both
    answer = {
        "simulator": summary(simulated, net),
        "Linux": _summary(measured, net),
        "laws": [vars(one) for one in laws],
    }
    return json.dumps(answer, indent=2, allow_nan=False), both


def _comparison(both: xr.Dataset, net: Network, laws: list[LawValue]) -> Iterator[str]:
    """Yield the lines of the tables of flows and links."""
    yield title(both, net)
    several = both.attrs["replications"] > 1
    for dim, quantities in COMPARED.items():
        rows = list(_rows(both, dim, quantities, laws, several))
        yield ""
        yield from columns([dim, "quantity", "simulator", "Linux", "difference", "law"], rows, 2)
    if laws:
        yield ""
        yield from dict.fromkeys(f"law of {one.quantity}: {one.law}{_remark(one)}" for one in laws)
    yield ""


def _remark(one: LawValue) -> str:
    return f" ({one.remark})" if one.remark else ""


def _rows(
    both: xr.Dataset, dim: str, quantities: dict[str, str], laws: list[LawValue], several: bool
) -> Iterator[list[str]]:
    """Yield the rows of one table, without those in which both sides are 0 or have no value."""
    for name in map(str, both[dim].values):
        for quantity, unit in quantities.items():
            at = both[quantity].sel({dim: name}).values
            if not (at[~(at != at)] != 0).any():
                continue
            cells = [_cell(both, quantity, {dim: name, "face": face}, unit, several) for face in both["face"].values]
            found = [short(one.value, unit, 4) for one in laws if (one.quantity, one.of) == (quantity, name)]
            yield [name, quantity.replace("link_", "").replace("_", " "), *cells,
                   _ratio(both, quantity, {dim: name}), ", ".join(found) or "-"]  # fmt: skip


def _cell(both: xr.Dataset, quantity: str, where: dict[str, str], unit: str, several: bool) -> str:
    """Return one side's value with half the width of its interval."""
    ends = ("", "_upper") if several else ("",)
    values = {f"{quantity}{end}": float(both[quantity + end].sel(where)) for end in ends}
    return shown({name: value if math.isfinite(value) else None for name, value in values.items()}, quantity, unit)


def _ratio(both: xr.Dataset, quantity: str, where: dict[str, str]) -> str:
    """Return how much more Linux has than the simulator, with half the width of the interval."""
    from longfat.testbed.comparison import difference

    more, half = difference(both, quantity, where)
    if math.isnan(more):
        return "-"
    return f"{100 * more:+.2g}%" + ("" if math.isnan(half) else f" ± {100 * half:.2g}%")


def _draw(data: xr.Dataset, path: Path, kind: str) -> None:
    """Draw windows and queues over time."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    from longfat import plot

    with plot.style():
        figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7.2, 6), layout="constrained")
        (plot.faces if "face" in data.dims else plot.traces)(data, axes)
        figure.savefig(path, format=kind)
        plt.close(figure)
