"""`longfat vectors`: test vectors for implementations of senders, as a table, CSV or JSON, and checks of traces."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from longfat.base.argument import Argument
from longfat.base.domains import conflict
from longfat.base.files import text_of
from longfat.base.text_tables import WIDTH, csv_text
from longfat.cli import tables
from longfat.cli.output import Output, finite, outputs, shows_progress
from longfat.cli.parameters import FILE, Name, given, option, options
from longfat.cli.tables import Column, number
from longfat.design.arguments import RATE, ROUND_TRIP_TIME

if TYPE_CHECKING:
    from longfat.benchmark.vectors import Judged, Row, Seen, Vector

SHOWN = 6  # rows of the text; --csv and --json have all
COUNT = Argument("packets", "[1, 1000]", 2, "Packets for which the receiver sends one acknowledgment", integer=True)
ARGUMENTS = {
    "round_trip_time": ROUND_TRIP_TIME,
    "acks": COUNT,
    "packet": Argument("bytes", "[1, 65535]", "1200B", "Packet size", integer=True),
    "initial_window": Argument("packets", "[1, 1e4]", 10, "Initial window [packets]", integer=True),
    "rate": Argument(
        RATE.unit, RATE.domain, meaning="Rate of the link",
        otherwise="unlimited, so that the round trip is constant; 10 Mbit/s for hystart++ and bbr",
    ),
    "losses": Argument(
        "packets", "[0, 9e15]", several=True, integer=True, otherwise="one or more, by the sender",
        meaning="Transmissions that are lost, the first being 0, e.g. 30,200", kind="sequence of int",
    ),
    "duration": Argument("s", "(0, 1e6]", otherwise="12 to 75 round trips", meaning="Simulated time"),
}  # fmt: skip
JITTER = Argument(
    "s", "[0, 1e6]", otherwise="0 with a constant round trip, else 1 ms",
    meaning="Time by which a window of --check may be early or late; with 0, windows of one time are compared in order",
)  # fmt: skip
HEADS = (
    "time [s]", "acked", "lost", "window [bytes]", "ssthresh [bytes]", "pacing_rate [bytes/s]", "tolerance [bytes]",
    "sent [packets]",
)  # fmt: skip


def names() -> tuple[str, ...]:
    """Return the names of the senders that have test vectors."""
    from longfat.benchmark.vectors import SUBJECTS

    return tuple(SUBJECTS)


@click.command("vectors", short_help="Windows to test an implementation of a sender against.")
@click.argument("sender", type=Name("sender", names), metavar="SENDER")
@options(ARGUMENTS)
@option("--check", FILE, "Trace of your sender to compare: CSV with time and window.")
@options({"jitter": JITTER})
@outputs(
    json="Print JSON: the scenario, the columns and the rows.",
    csv="Print CSV: the scenario as lines that begin with #, then a row for each acknowledgment.",
)
def vectors_command(
    output: Output, sender: str, check: str | None, jitter: float | None, **flags: Any
) -> None:  # fmt: skip
    """Write the window of a sender after each acknowledgment, in a scenario that another stack can repeat.

    SENDER is newreno (RFC 5681), newreno-quic (RFC 9002), cubic (RFC 9438), prr (RFC 9937), hystart++ (RFC 9406) or bbr
    (draft-ietf-ccwg-bbr-06).

    With --check: the first window of a trace that differs by more than the tolerance; the exit status is then 1.
    """
    from longfat.benchmark import vectors

    if check is None and jitter is not None:
        raise conflict("--jitter", "needs --check")
    if check is not None and output.form == "csv":
        raise conflict("--check", "excludes --csv")
    content = "" if check is None else text_of("check", check)
    with output:
        made = vectors.vector(sender, progress=shows_progress(), **given(flags))
        if check is None:
            output.emit(lambda: text(made), json=lambda: as_json(made), csv=lambda: as_csv(made), indent=0)
            return
        seen = vectors.read(content, made.scenario["packet [bytes]"], check)
        usual = 0.0 if made.scenario["rate [bytes/s]"] is None else vectors.CLOCK
        found = vectors.judge(made.rows, seen, usual if jitter is None else jitter, check)
        output.emit(
            lambda: in_one_line(found, seen, made.rows, check),
            json=lambda: {"agrees": found.first is None, "windows": len(seen), **finite(_of_check(found))},
        )
    if found.first is not None:
        raise click.exceptions.Exit(1)


def _of_check(found: Judged) -> dict[str, Any]:
    """Return the comparison of a trace with a vector as a mapping, whose keys contain the units."""
    first = found.first._asdict() if found.first is not None else dict.fromkeys(("line", "time", "window"))
    return {
        "compared": found.compared, "largest excess [bytes]": found.largest, "first line": first["line"],
        "first time [s]": first["time"], "first window [bytes]": first["window"],
        "least allowed [bytes]": found.low, "most allowed [bytes]": found.high,
    }  # fmt: skip


def in_one_line(found: Judged, seen: list[Seen], rows: list[Row], name: str) -> str:
    """Return a text on the comparison of a trace with a vector: "agrees", or "differs" and where it first differs."""
    compared = f"{found.compared} of {len(seen)} windows of {name} lie in the time of the vector, which has {len(rows)}"
    if found.first is None:
        last, end = seen[-1].time, rows[-1].time
        until = f" until {last:.6f} s, where the trace ends; the vector ends at {end:.6f} s" if last < end else ""
        return f"agrees{until}: {compared}, and all are within the tolerance"
    return (
        f"differs: {compared}\nfirst in line {found.first.line}, at {found.first.time:.6f} s: window "
        f"{found.first.window:.0f} bytes, expected {found.low:.0f} to {found.high:.0f}\n"
        f"largest excess: {found.largest:.0f} bytes"
    )


def in_words(made: Vector) -> dict[str, str]:
    """Return the scenario of a test vector, without the network, as a dict of texts."""
    return {name: _words(value) for name, value in made.scenario.items() if name != "network"}


def _words(value: Any) -> str:
    """Format a value of the scenario; None stands for an unlimited rate."""
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return "unlimited" if value is None else f"{value:.12g}" if isinstance(value, float) else str(value)


def cells(row: Row) -> list[Any]:
    """Return the cells of a row for JSON and CSV, with None for missing values."""
    return [*finite({k: int(x) if isinstance(x, float) and k and x == x else x for k, x in enumerate(row)}).values()]


def as_json(made: Vector) -> dict[str, Any]:
    """Convert a vector for JSON: scenario, column heads and rows."""
    return {"scenario": made.scenario, "columns": list(HEADS), "rows": [cells(row) for row in made.rows]}


def as_csv(made: Vector) -> str:
    """Convert a vector to CSV: the scenario as comments, then the rows."""
    scenario = "".join(f"# {name}: {value}\n" for name, value in in_words(made).items())
    return scenario + csv_text([HEADS, *map(cells, made.rows)])


def text(made: Vector) -> str:
    """Return a vector as text: the scenario, and the first rows with losses or at the beginning of round trips."""
    trip, last, kept = made.scenario["round_trip_time [s]"], -math.inf, []
    for row in made.rows:
        if row.lost or row.time >= last + trip * (1 - 1e-9):
            kept.append(row._asdict())
            last = row.time
    columns = [
        Column("time [s]", 10, number("time", ".6f")),
        Column("acked", 12, lambda row: row["acked"]),
        Column("lost", 8, lambda row: row["lost"] or "-"),
        *(Column(f"{name} [bytes]", 0, number(name, ".0f")) for name in ("window", "ssthresh", "tolerance")),
    ]
    more = f"{len(made.rows)} acknowledgments, of which {min(SHOWN, len(kept))} are shown; all: --csv or --json"
    lines = [fill(f"{name}: {value}", WIDTH, subsequent_indent="  ") for name, value in in_words(made).items()]
    return "\n".join([*lines, "", *tables.table(columns, kept[:SHOWN]), "", more])
