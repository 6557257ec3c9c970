"""`longfat buffer --rate-trace`: comparison of queues at a link whose rate varies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from longfat.base.domains import conflict
from longfat.base.files import text_of
from longfat.base.progress import bar
from longfat.base.quantities import rounded, text
from longfat.cli import tables
from longfat.cli.output import Output, finite, print_answer, shows_progress
from longfat.cli.parameters import flag_of
from longfat.cli.tables import Column, percent
from longfat.design.arguments import BUFFER

if TYPE_CHECKING:
    from longfat.design.variable_rate import VariablePath

#: Arguments whose options --rate-trace excludes, because they describe a link of constant rate.
EXCLUDED = ("rate", "file", "discipline", "mark_above", "parameters")
#: Least ratio of the least to the mean rate at which shaping is advised. Our choice: a shaper must be slower than the
#: least rate, and below this ratio would lose more than three quarters of the mean rate.
WORTH = 0.25
COLUMNS = (
    Column("queue", -33, lambda row: row["name"]),
    Column("packets", 7, lambda row: str(row["packets"])),
    Column("rate", 11, lambda row: rounded(row["rate"], "bytes/s")),
    Column("of mean", 7, lambda row: percent(row["share"], 3)),
    Column("mean wait", 9, lambda row: rounded(row["mean_wait"], "s")),
    Column("95% wait", 8, lambda row: rounded(row["wait"], "s")),
    Column(
        "its interval", -18, lambda row: " .. ".join(rounded(row[f"wait_{end}"], "s") for end in ("lower", "upper"))
    ),
)


def answer(output: Output, file: str, asked: dict[str, Any]) -> None:
    """Read a trace of rates, simulate the queues, and print the results."""
    from longfat.design import variable_rate

    given = [flag_of(name) for name in EXCLUDED if asked.get(name)]
    given += ["--find"] if asked["find"] != "buffer" else []
    given += ["--share"] if asked["share"] != BUFFER["share"].checked("share", BUFFER["share"].default) else []
    given += ["--csv"] if output.form == "csv" else []
    given += ["--output"] if output.directory is not None else []
    if given:
        raise conflict("--rate-trace", f"excludes {given[0]}")
    flows = asked.get("flows", 1)
    if isinstance(flows, list) or isinstance(asked["round_trip_time"], list) or "spread" in asked:
        raise conflict("--rate-trace", "needs one number for --flows, and one time for --rtt")
    trace = variable_rate.read(text_of("rate_trace", file), file)
    path = variable_rate.VariablePath(trace, asked["round_trip_time"], asked["packet"], asked["scheme"], flows)
    with output:
        if output.form == "text":
            print_answer(_path(path, file))
        with bar(task="simulating queues", unit="run", shown=shows_progress()) as shown:
            found = path.queues(asked["replications"], asked["confidence"], asked.get("rng", 0), shown.update)
        output.emit(lambda: _table(path, found), json=lambda: _json(path, found))


def _path(path: VariablePath, file: str) -> str:
    """Return a line that describes the trace and the flows."""
    least, mean, greatest = (rounded(rate, "bytes/s") for rate in path.trace.means())
    scheme = path.scheme if isinstance(path.scheme, str) else path.scheme.name
    return (
        f"{file}: {path.trace.period:.4g} s, {least} at least, {mean} in the mean, {greatest} at most (over 0.1 s). "
        f"{path.flows} {scheme} flow{'s' if path.flows > 1 else ''}, {text(path.round_trip_time, 's')}:"
    )


def _table(path: VariablePath, found: dict[str, dict[str, Any]]) -> str:
    """Return a table of the simulated queues, the conclusions from it, and the limits of the simulation."""
    least, mean, _ = path.trace.means()
    rows = [{"name": name, "share": one["rate"] / mean} | one for name, one in found.items()]
    *fifos, fair, shaped = rows
    largest = fifos[-1]
    shortest, longest = (rounded(wait, "s") for wait in path.full(largest["packets"]))
    said = [
        f"fq_codel in the driver or modem, where it has it: {_gives(fair)}; the largest FIFO: {_gives(largest)}",
        f"No one buffer fits: behind {tables.packets(largest['packets'])} one waits {shortest} to {longest} here, as "
        "the rate is. Choose bytes = delay budget x least rate",
    ]
    lines = []
    rate = math.floor(8 * path.shaped + 1e-3)  # bit/s; 1e-3 is added because rounding may yield 999999.999
    if least >= WORTH * mean and shaped["wait"] < largest["wait"] and rate > 0:  # with a rate of 0 CAKE does not shape
        said += [f"A shaper below the least rate, if the queue of the link cannot be changed: {_gives(shaped)}"]
        lines = ["", "# As root, DEV leads to the link. CAKE itself is not simulated, fq_codel behind a shaper is:"]
        lines += [f"tc qdisc replace dev DEV root cake bandwidth {rate}bit"]
    else:
        said += [f"No shaper: below the least rate it gives {_gives(shaped)}"]
    said += [
        "Not known: other times and places than the trace's, losses and frames of the radio, other stations, queues "
        "below tc. Packets of flows that send little wait less behind fq_codel"
    ]
    made = ["", *tables.table(COLUMNS, rows), ""]
    for one in said:
        made += tables.wrapped(one, "- ")
    return "\n".join([*made, *lines])


def _gives(row: dict[str, Any]) -> str:
    return f"{percent(row['share'], 3)} of the mean rate, 95% of waits up to {rounded(row['wait'], 's')}"


def _json(path: VariablePath, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    least, mean, greatest = path.trace.means()
    rates = {"least_rate": least, "mean_rate": mean, "greatest_rate": greatest, "period": path.trace.period}
    return {
        "path": rates,
        "queues": [{"queue": name} | finite(one) for name, one in found.items()],
    }
