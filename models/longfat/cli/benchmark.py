"""`longfat benchmark`: schemes in the ten experiments of Kanakia, Keshav and Mishra, or in a suite of situations."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base import extras
from longfat.cli.parameter_types import left_out, netcdf, say
from longfat.cli.parameters import SEED, Integer, Name, Option, PathName, disciplines, entries, experiments, suites

if TYPE_CHECKING:
    import xarray as xr


@click.command("benchmark")
@click.option(
    "--suite",
    cls=Option,
    type=Name("suite", suites),
    help="Run a suite of situations instead, with one scheme.",
)
@click.option(
    "--experiment",
    cls=Option,
    type=Name("experiment", experiments, several=True, checked=False),
    show_default="all ten",
    help="Experiments or their variants, e.g. 1,3-20,7-0.9-ramp; with --suite its cases, e.g. a01,a15 or fairness.",
)
@click.option(
    "--scheme",
    cls=Option,
    type=Name("scheme", entries, own="scheme", loaded=False, several=True, checked=False),
    show_default="all with settings for these experiments",
    help="Congestion control schemes, e.g. tahoe,packet-pair,my_schemes.py.",
)
@click.option(
    "--discipline",
    cls=Option,
    type=Name("discipline", disciplines),
    default="fifo",
    show_default=True,
    help="Queue discipline of all switches, for schemes without settings of their own.",
)
@click.option(
    "--replications",
    type=Integer("runs", 1, 10**6),
    show_default="10; with --suite as many as it has",
    help="Replications of each experiment with random elements.",
)
@SEED
@click.option(
    "--executor",
    type=Name("executor", lambda: ("threads", "processes")),
    default="threads",
    show_default=True,
    help="Executor of the runs: threads or processes.",
)
@click.option(
    "--output",
    type=PathName("dir"),
    help="Directory for benchmark.csv, .md, .html, .nc (with --suite SUITE.csv, .md) and finished runs.",
)
@click.option("--traces", is_flag=True, help="Draw sending rates and queue lengths over time; needs --output.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of rows, times in ms.")
@click.option(
    "--csv", "as_csv", is_flag=True, help="Print CSV: the columns of the paper's tables, with confidence intervals."
)
@click.pass_context
def benchmark_command(
    context: click.Context, /, output: str | None, traces: bool, as_json: bool, as_csv: bool, **flags: Any
) -> None:
    """Compare schemes in ten published experiments, or judge one scheme in a suite of situations.

    Prints transfer times and packet delays beside those of Kanakia, Keshav and Mishra (1992).

    With --suite bbr: the 22 test cases of draft-ietf-ccwg-bbr-06. With --suite bcp133: the situations of RFC 9743
    (BCP 133), beside a reference scheme. The exit status is 1 if an expectation fails.

    With --output, a repeated call continues from the runs that an interrupted one has finished.
    """
    from longfat.base.files import AtomicFiles

    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    if traces and output is None:
        raise click.UsageError("--traces needs --output")
    if traces:
        extras.need("--traces", "netCDF4", "matplotlib")
    if flags["suite"] is not None:
        context.exit(_suite(flags, output, as_json, as_csv, traces))
    replications, seed = flags["replications"] or 10, flags["seed"]
    if output is None:
        _print(_run(flags, replications, seed, None), as_json, as_csv)
        return
    with AtomicFiles(output) as files:
        store = Path(output) / "runs"
        try:
            data = _run(flags, replications, seed, store)
        except KeyboardInterrupt:
            click.echo(f"longfat: finished runs are in {store}; the same call continues from them", err=True)
            raise
        _print(data, as_json, as_csv)
        _write(data, files)
        if traces:
            _draw(data, flags, seed, files)


def _suite(flags: dict[str, Any], output: str | None, as_json: bool, as_csv: bool, traces: bool) -> int:
    """Run a suite, print and write its report; return the exit status."""
    from longfat.base.files import AtomicFiles
    from longfat.benchmark import suites

    name, schemes = flags["suite"], flags["scheme"]
    if traces or flags["discipline"] != "fifo":
        raise click.UsageError(f"--suite excludes {'--traces' if traces else '--discipline'}")
    if schemes is not None and len(schemes) != 1:
        raise click.UsageError("--suite needs one --scheme")
    suites.suite(name).chosen(flags["experiment"])
    store = None if output is None else Path(output) / "runs"

    def judge() -> list[Any]:
        return suites.run(
            name, schemes and schemes[0], flags["experiment"], replications=flags["replications"],
            rng=flags["seed"], store=store, executor=flags["executor"], progress=sys.stderr.isatty(),
        )  # fmt: skip

    if output is None:
        found = judge()
    else:
        with AtomicFiles(output) as files:
            found = judge()
            for suffix, text in (("csv", suites.rows_to_csv(found)), ("md", suites.to_markdown(name, found))):
                files.path(f"{name}.{suffix}").write_text(text, encoding="utf-8")
    if as_json:
        say(json.dumps([asdict(one) for one in found], indent=2, allow_nan=False))
    else:
        say(suites.rows_to_csv(found).rstrip("\n") if as_csv else suites.to_text(name, found))
    return int(any(one.verdict == "fail" for one in found))


def _run(flags: dict[str, Any], replications: int, seed: int, store: Path | None) -> xr.Dataset:
    from longfat import benchmark

    return benchmark.run(
        flags["experiment"], flags["scheme"], replications=replications, rng=seed, store=store,
        discipline=flags["discipline"], executor=flags["executor"],
        progress=sys.stderr.isatty(),  # for scripts, stderr holds errors only
    )  # fmt: skip


def _print(data: xr.Dataset, as_json: bool, as_csv: bool) -> None:
    from longfat.benchmark import tables

    rows = tables.rows(data)
    if as_json:
        answer = json.dumps([asdict(one) | {"printed": one.printed} for one in rows], indent=2, allow_nan=False)
    else:
        answer = tables.to_csv(rows).rstrip("\n") if as_csv else tables.to_text(tables.tables(data))
    say(answer)


def _write(data: xr.Dataset, files: Any) -> None:
    """Write the table as CSV, Markdown and HTML, and the Dataset as netCDF."""
    from longfat.benchmark import tables

    made = tables.tables(data)
    texts = {"csv": tables.to_csv(tables.rows(data)), "md": tables.to_markdown(made), "html": tables.to_html(made)}
    for suffix, text in texts.items():
        files.path(f"benchmark.{suffix}").write_text(text, encoding="utf-8")
    if not left_out("benchmark.nc"):
        netcdf(data, files, "benchmark.nc")


def _draw(data: xr.Dataset, flags: dict[str, Any], seed: int, files: Any) -> None:
    """Draw sending rates and queue lengths of each experiment until the last scheme has finished, for 20 s at most."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    from longfat import benchmark, plot
    from longfat.base.progress import bar

    schemes = [benchmark.entry(one, flags["discipline"]) for one in flags["scheme"] or benchmark.ENTRIES]
    for variant in bar(data.variant.values, task="drawing", unit="picture", shown=True):
        longest = float(np.nanmax([*data.transfer_time.sel(variant=variant).values.ravel(), 0.01]))
        sampled = benchmark.traces(str(variant), schemes, min(1.05 * longest, 20.0), rng=seed, interval=longest / 100)
        netcdf(sampled, files, f"traces_{variant}.nc")
        for name, draw in (("rates", plot.benchmark_rates), ("queues", plot.benchmark_queues)):
            with plot.style():
                count = sampled.sizes["scheme"]
                figure, axes = plt.subplots(count, 1, sharex=True, figsize=(7.2, 1 + 1.7 * count), squeeze=False)
                draw(sampled, axes[:, 0], f"Experiment {variant}")
                figure.savefig(files.path(f"{name}_{variant}.svg"), format="svg", metadata={"Date": None})
                plt.close(figure)
