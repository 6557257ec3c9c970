"""`longfat buffer`: the smallest buffer of a switch with which flows reach a utilisation or network power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from longfat.base.domains import conflict
from longfat.base.text_tables import csv_of
from longfat.cli.output import Output, finite, outputs, print_answer, shows_progress
from longfat.cli.parameters import FILE, VERBOSE, disciplines, given, listing, option, options, schemes
from longfat.design.arguments import BUFFER

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


@click.command("buffer", short_help="Buffer that a switch needs, and lines for tc.")
@options(BUFFER, "rate", required=False)
@options(BUFFER, "round_trip_time", "flows", "scheme", "share")
@options(BUFFER, "discipline", metavar="NAME")
@options(BUFFER, "mark_above")
@options(BUFFER, "find", metavar="WHAT")
@options(BUFFER, "file", "packet")
@options(BUFFER, "parameters", metavar="NAME=X")
@options(BUFFER, "replications", "confidence", "rng")
@option("--rate-trace", FILE, "Rates over time of a path that varies: Wi-Fi, LTE.")
@listing(schemes=schemes, disciplines=disciplines)
@VERBOSE
@outputs(
    json="Print JSON, in s, bytes, bytes/s and fractions of 1.",
    csv="Print CSV, with units in the column heads.",
    directory="Directory for buffer.csv, .nc, .svg and .png.",
)
def buffer_command(output: Output, verbose: bool, rate_trace: str | None, **flags: Any) -> None:
    """Find the buffer that a switch needs, by rules, laws and simulations.

    For long-lived flows the goal is a fraction of the capacity, for files that arrive at random a fraction of the
    greatest network power. For a path whose rate varies, --rate-trace compares queues; each line of the trace is a time
    [s] and a rate [Mbit/s], or a delivery opportunity [ms] as in Mahimahi's traces.
    """
    from longfat.cli import buffer_text, buffer_trace
    from longfat.design.switch_buffer import answered

    asked = _checked(given(flags))
    if rate_trace is not None:
        buffer_trace.answer(output, rate_trace, asked)
        return
    if "rate" not in asked:
        raise conflict("--rate", "is missing", "give it, or --rate-trace for a path whose rate varies")
    if output.form == "text" and output.directory is None and "file" not in asked:
        asked |= {"points": 0, "every_rule": verbose}  # the short answer has no curve and few rules
    with output:
        if "file" not in asked and output.form == "text":
            asked["begin"] = lambda found: print_answer(buffer_text.by_rules(asked, found))
        found: Any = answered(**asked, progress=shows_progress())
        if asked["scheme"] in ("bbr", "bbr1") and not asked["parameters"]:
            found.attrs.update(buffer_text.beside_cubic(found))
        data = found if output.form == "text" and not output.writes else found.dataset()
        output.emit(
            lambda: buffer_text.table(data) if "file" in asked else buffer_text.answer(data, verbose),
            json=lambda: summary(data),
            csv=lambda: csv_of(frame(data), data),
            name="buffer",
            data=data,
            pictures={"buffer": lambda plot: plot.switch_buffer_curves(data).figure},
        )


def _checked(asked: dict[str, Any]) -> dict[str, Any]:
    """Convert the options to arguments of `longfat.design.buffer`; refuse options that exclude each other."""
    if "file" in asked and "flows" in asked:
        raise conflict("--flows and --file", "exclude each other")
    trips = asked["round_trip_time"]
    low, high = trips[0]
    asked["round_trip_time"] = _trips(trips)
    if low < high:  # a range from R (1 - s) to R (1 + s), where s is the spread
        asked["spread"] = (high - low) / (high + low)
    if len(asked.get("flows", ())) == 1:
        asked["flows"] = asked["flows"][0]
    return asked | {"parameters": _once(asked.get("parameters", ()))}


def _trips(given: list[tuple[float, float]]) -> float | list[float]:
    """Return one round-trip time [s], the middle of a given range, or a list of several round-trip times [s]."""
    if len(given) == 1:
        return sum(given[0]) / 2
    if any(low < high for low, high in given):
        raise conflict("--rtt", "must be one time, one range, or a list of times without ranges")
    return [low for low, _ in given]


def _once(pairs: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """Return the values of --parameter by name; refuse a name that is given twice."""
    names = [name for name, _ in pairs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise conflict(f"--parameter {twice[0]}", "is given twice")
    return dict(pairs)


def frame(data: xr.Dataset) -> pd.DataFrame:
    """Convert the result to a table: for each number of flows, rows for the rules, the smallest buffer and the curve.

    >>> from longfat import design
    >>> path = {"rate": "1Gbit/s", "round_trip_time": "100ms", "bandwidth_delay_product": 60}
    >>> path |= {"scheme": "reno", "points": 2, "replications": 2}
    >>> list(frame(design.buffer(**path, progress=False)).rule)
    ['one BDP', 'AIMD closed form', 'BDP/3', 'simulated', 'curve', 'curve']
    """
    import pandas as pd

    from longfat.cli.buffer_text import by_rule
    from longfat.plot import rows

    prefix = "curve_"
    names = [str(name).removeprefix(prefix) for name in data if str(name).startswith(prefix)]
    names = [name for name in names if name in data]
    table = []
    for row in rows(data, "flows"):
        flows = {"flows": int(row.flows)} if "flows" in data.coords else {}
        table += [
            flows | {"rule": str(one.rule.item())} | {name: one[name].item() for name in names} for one in by_rule(row)
        ]
        table += [
            flows | {"rule": "curve"} | {name: one[prefix + name].item() for name in names}
            for one in rows(row, "point")
        ]
    return pd.DataFrame(table)


def summary(data: xr.Dataset) -> dict[str, Any]:
    """Convert the result for JSON: ``path``, ``simulated_bdp``, ``rules`` and ``curve``; missing values are None."""
    rows = [finite(row) for row in frame(data).to_dict("records")]
    return {
        "path": finite({name: value for name, value in data.attrs.items() if name != "units"}),
        "simulated_bdp": data.simulated_bdp.values.tolist(),
        "rules": [row for row in rows if row["rule"] != "curve"],
        "curve": [row for row in rows if row["rule"] == "curve"],
    }
