"""`longfat testbed`: run of a scenario file with Linux's TCP over emulated links, and comparison with the simulator."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.base.quantities import read, text
from longfat.base.text_tables import columns
from longfat.cli.output import Output, shows_progress
from longfat.cli.parameters import given, switch
from longfat.cli.simulate import PCAP, emit, load, of_run, scenario, short, shown, summary, table, title

if TYPE_CHECKING:
    import xarray as xr

    from longfat.sim.network.network import Network
    from longfat.testbed.law_values import LawValue

#: Function that returns the answer as text, function that returns it for JSON, and the Dataset to draw.
Answer = tuple[Callable[[], str], Callable[[], Any], "xr.Dataset"]
SAMPLES = 1000  # samples of a drawn trace, if the scenario sets no interval
#: Quantities of the comparison with their units; a row is left out if neither simulator nor Linux has a value.
COMPARED = {
    "flow": {"transfer_time": "s", "goodput": "bytes/s", "loss": "%", "mean_delay": "s"},
    "link": {"utilisation": "%", "mean_queue": "", "link_dropped": ""},
}


@click.command("testbed")
@scenario("Time to run", 1000)
@switch("--compare", "Print simulator, Linux and laws side by side.")
@of_run("Picture of windows and queues, e.g. run.svg; with --compare over each other.")
@PCAP
def testbed_command(
    output: Output, scenario: str, compare: bool, trust: bool, pcap: str | None, **options: Any
) -> None:  # fmt: skip
    """Run a network with Linux's TCP.

    NAME and FILE are as for longfat simulate. A run takes as long as its simulated time. The same quantities are
    printed as by longfat simulate. An element of the network that Linux cannot reproduce is an error that names it.
    """
    from longfat.testbed.network_namespaces import CannotRun
    from longfat.testbed.runs import Killed, RejectedRun

    net, run = load(scenario, trust, given(options))
    run = _checked(run, output.draws)
    with output:
        try:
            measured = _run(net, run, pcap)
        except (CannotRun, RejectedRun, Killed) as error:
            raise click.ClickException(str(error)) from None
        measured.attrs["scenario"] = Path(scenario).name
        text, json, drawn = _compared(net, run, measured) if compare else _alone(net, measured)
        emit(output, text, json, measured, lambda plot: plot.traces(drawn)[0].figure)


def _checked(options: dict[str, Any], drawn: bool) -> dict[str, Any]:
    """Return the options of the run, with sampling for a figure; refuse options that a run on Linux cannot have."""
    if options.get("duration") is None:
        raise conflict("a run on Linux", "needs a duration", "give --duration, or duration in [run] of the scenario")
    if drawn and options.get("sample_every") is None:
        options["sample_every"] = read("duration", options["duration"], "s", "[0, inf)") / SAMPLES
    return options


def _run(net: Network, options: dict[str, Any], pcap: str | None) -> xr.Dataset:
    """Run the scenario on Linux; on a terminal, first print how long the runs take."""
    from longfat import testbed

    if shows_progress():
        runs, time = options.get("replications", 1), read("duration", options["duration"], "s", "[0, inf)")
        one = text(time, "s")
        click.echo(f"longfat: {runs} x {one} in real time, {text(runs * time, 's')} in total", err=True)
    return testbed.run(net, **options, pcap=pcap, progress=shows_progress())


def _alone(net: Network, measured: xr.Dataset) -> Answer:
    """Return a function that formats the results on Linux as text, one that does so for JSON, and the Dataset drawn."""
    return (
        lambda: "\n".join([table(measured, net), *_trust(measured)]), lambda: _summary(measured, net), measured,
    )  # fmt: skip


def _summary(measured: xr.Dataset, net: Network) -> dict[str, Any]:
    """Convert the results on Linux for JSON: the variables of a simulation, and the settings of the testbed."""
    return summary(measured, net) | {"testbed": json.loads(measured.attrs["testbed"])}


def _trust(measured: xr.Dataset) -> list[str]:
    """Return a line with the version of Linux, and with the longest time by which a packet was sent too late [ms]."""
    about = json.loads(measured.attrs["testbed"])
    longest = max(run["lateness"].get("largest", 0.0) for run in about["runs"])
    repeated = f", {about['repeated']} repeated" if about["repeated"] else ""
    return [f"Linux {about['release']}: packets at most {1000 * longest:.2g} ms late{repeated}"]


def _compared(net: Network, options: dict[str, Any], measured: xr.Dataset) -> Answer:
    """Simulate the measured scenario; return the comparison as functions for text and JSON, and as a Dataset."""
    from longfat import sim
    from longfat.testbed.datasets import beside
    from longfat.testbed.law_values import law_values
    from longfat.testbed.plan import with_handshakes

    simulated = sim.run(with_handshakes(net), **options, progress=shows_progress())
    laws = law_values(net, float(measured.attrs["duration"]))
    both = beside(simulated, measured, laws)
    return (
        lambda: "\n".join([*_comparison(both, net, laws), *_trust(measured)]),
        lambda: {
            "simulator": summary(simulated, net),
            "Linux": _summary(measured, net),
            "laws": [vars(one) for one in laws],
        },
        both,
    )


def _comparison(both: xr.Dataset, net: Network, laws: list[LawValue]) -> Iterator[str]:
    """Yield the lines of the comparison: tables of flows and links, and the laws."""
    yield title(both, net)
    several = both.attrs["replications"] > 1
    for dim, quantities in COMPARED.items():
        rows = list(_rows(both, dim, quantities, laws, several))
        yield ""
        heads = [dim, "quantity", "simulator", "Linux", "difference", "law"]
        yield from columns([heads, *rows], [-1, -1, 0])
    if laws:
        yield ""
        yield from dict.fromkeys(f"law of {one.quantity}: {one.law}{_remark(one)}" for one in laws)
    yield ""


def _remark(one: LawValue) -> str:
    return f" ({one.remark})" if one.remark else ""


def _rows(
    both: xr.Dataset, dim: str, quantities: dict[str, str], laws: list[LawValue], several: bool
) -> Iterator[list[str]]:
    """Yield the rows of one table, without rows in which both simulator and Linux have 0 or no value."""
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
    """Format the value of the simulator or of Linux with half the width of its interval."""
    ends = ("", "_upper") if several else ("",)
    values = {f"{quantity}{end}": float(both[quantity + end].sel(where)) for end in ends}
    return shown({name: value if math.isfinite(value) else None for name, value in values.items()}, quantity, unit)


def _ratio(both: xr.Dataset, quantity: str, where: dict[str, str]) -> str:
    """Format the relative difference of Linux from the simulator, with the half width of its interval."""
    from longfat.testbed.datasets import difference

    more, half = difference(both, quantity, where)
    if math.isnan(more):
        return "-"
    return f"{100 * more:+.2g}%" + ("" if math.isnan(half) else f" ± {100 * half:.2g}%")
