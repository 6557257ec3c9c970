"""`longfat benchmark`: comparison of schemes in ten experiments of Kanakia, Keshav and Mishra, or in a test suite."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.base.text_tables import csv_of
from longfat.cli.output import Output, outputs, shows_progress
from longfat.cli.parameters import SEED, Name, disciplines, entries, experiments, option, options, suites
from longfat.design.arguments import REPLICATIONS

if TYPE_CHECKING:
    import xarray as xr

RUNS = replace(
    REPLICATIONS, domain="[1, 1e6]", default=None, otherwise="10; with ``suite`` as many as it has",
    meaning="Replications of each experiment with random elements",
)  # fmt: skip


@click.command("benchmark")
@option("--suite", Name("suite", suites), "Run a test suite with one scheme instead.")
@option(
    "--experiment",
    Name("experiment", experiments, several=True, checked=False),
    "Experiments or their variants, e.g. 1,3-20,7-0.9-ramp; with --suite its cases, e.g. a01,a15 or fairness.",
    show_default="all ten",
)
@option(
    "--scheme",
    Name("scheme", entries, own="scheme", loaded=False, several=True, checked=False),
    "Congestion control schemes, e.g. tahoe,packet-pair,my_schemes.py.",
    show_default="all with settings for these experiments",
)
@option(
    "--discipline",
    Name("discipline", disciplines),
    "Queue discipline of all switches, for schemes without settings for these experiments.",
    default="fifo",
)
@options({"replications": RUNS})
@SEED
@outputs(
    json="Print JSON: a list of rows, times in ms.",
    csv="Print CSV: the columns of the paper's tables, with confidence intervals.",
    directory="Directory for benchmark.csv, .md, .nc (with --suite SUITE.csv, .md) and finished runs.",
    figure="Picture to write, with --suite paths: heat maps over round trip, buffer and loss, e.g. paths.png.",
)
@click.pass_context
def benchmark_command(
    context: click.Context, /, output: Output, suite: str | None, **options: Any
) -> None:  # fmt: skip
    """Compare schemes in ten published experiments, or run a test suite with one scheme.

    Prints transfer times and packet delays beside those of Kanakia, Keshav and Mishra (1992).

    With --suite bbr: the 22 test cases of draft-ietf-ccwg-bbr-06. With --suite bcp133: the situations of RFC 9743
    (BCP 133), beside a reference scheme. With --suite paths: the scheme alone over round trips of 1 to 600 ms, buffers
    of 0.1 to 8 BDP and losses of 0 to 3 %, and CUBIC on the same paths. The exit status is 1 if an expectation fails,
    or if the scheme is far from CUBIC on a path, for example because it lacks slow start.

    With --output, a repeated call continues from the runs that an interrupted call has finished.
    """
    store = options["store"] = None if output.directory is None else Path(output.directory) / "runs"
    if output.draws and suite != "paths":
        raise conflict("--figure", "needs --suite paths")
    if suite is not None:
        context.exit((_paths if suite == "paths" else _suite)(suite, options, output))
    from longfat import benchmark

    with output:
        try:
            data = benchmark.run(
                options["experiment"], options["scheme"], replications=options["replications"] or 10,
                **{name: options[name] for name in ("rng", "store", "discipline")}, progress=shows_progress(),
            )  # fmt: skip
        except KeyboardInterrupt:
            if store is not None:
                click.echo(f"longfat: finished runs are in {store}; the same call continues from them", err=True)
            raise
        _emit(data, output)


def _suite(name: str, options: dict[str, Any], output: Output) -> int:
    """Run a suite, print and write its report; return the exit status, 1 if an expectation fails."""
    from longfat.benchmark import suites

    schemes, cases = _one_scheme(options)
    suites.suite(name).chosen(cases)
    with output:
        found = suites.run(name, schemes and schemes[0], cases, **options, progress=shows_progress())
        output.emit(
            lambda: suites.to_text(name, found),
            json=lambda: [asdict(one) for one in found],
            csv=lambda: suites.rows_to_csv(found),
            name=name,
            texts={f"{name}.md": lambda: suites.to_markdown(name, found)},
        )
    return int(any(one.verdict == "fail" for one in found))


def _one_scheme(options: dict[str, Any]) -> tuple[Any, Any]:
    """Take schemes and experiments out of the options and return them; refuse options that suites do not have."""
    schemes, cases, discipline = (options.pop(name) for name in ("scheme", "experiment", "discipline"))
    if discipline != "fifo":
        raise conflict("--suite", "excludes --discipline")
    if schemes is not None and len(schemes) != 1:
        raise conflict("--suite", f"needs one --scheme, got {len(schemes)}")
    return schemes, cases


def _paths(name: str, options: dict[str, Any], output: Output) -> int:
    """Simulate a scheme and CUBIC on many paths, print and draw both; return 1 if they are far apart, else 0."""
    from longfat.design import scheme_paths as paths

    schemes, cases = _one_scheme(options)
    if schemes is None:
        raise conflict("--suite paths", "needs --scheme")
    for flag, value in (("experiment", cases), ("replications", options["replications"])):
        if value is not None:
            raise conflict("--suite paths", f"excludes --{flag}")
    with output:
        data = paths.run(schemes[0], rng=options["rng"], store=options["store"], progress=shows_progress())

        def picture(plot: Any) -> Any:
            return plot.path_maps(data)[0, 0].figure

        cells = data.to_dataframe().reset_index()
        output.emit(
            lambda: paths.to_text(data), csv=lambda: csv_of(cells, data), name=name,
            json=lambda: json.loads(cells.to_json(orient="records")),
            data=data, pictures={name: picture}, figure=picture,
        )  # fmt: skip
    return int(bool(data.far.any()))


def _emit(data: xr.Dataset, output: Output) -> None:
    """Print the result's tables; write them as CSV and Markdown, and the Dataset as netCDF."""
    from longfat.benchmark import tables

    name, rows, made = "benchmark", tables.rows(data), tables.tables(data)
    output.emit(
        lambda: tables.to_text(made),
        json=lambda: [asdict(one) | {"printed": one.printed} for one in rows],
        csv=lambda: tables.to_csv(rows),
        name=name,
        texts={f"{name}.md": lambda: tables.to_markdown(made)},
        data=data,
    )
