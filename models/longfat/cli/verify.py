"""`longfat verify`: every law in all arithmetics and simulators, and every number of the papers."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from longfat.cli.parameter_types import say
from longfat.cli.parameters import Integer, Name, PathName, laws

AT_ONCE = 2  # scenarios on Linux at the same time, unless --workers says otherwise


@click.command("verify")
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option(
    "--published", is_flag=True, help="Check the numbers printed in the papers, in all or in PAPER, e.g. 003 000."
)
@click.option("--linux", is_flag=True, help="Compare simulator and laws with this machine's Linux: an hour.")
@click.option(
    "--law",
    "laws",
    type=Name("law", laws, own="law", checked=False),
    multiple=True,
    metavar="LAW",
    show_default="all",
    help="Laws to check: a name, which may contain * and ?, or FILE.py[:LAW].",
)
@click.option("--quick", is_flag=True, help="Check fewer points and shorter runs: about a minute.")
@click.option(
    "--seed", type=Integer("1", 0), default="0", show_default=True, help="Seed of the random points and simulations."
)
@click.option(
    "--workers",
    type=Integer("processes", 1, 1024),
    show_default="number of cores",
    help="Number of parallel processes.",
)
@click.option("--html", type=PathName("file"), help="Write the result as an HTML page.")
@click.option(
    "--json", "json_file", type=PathName("file"), help="Write the result as JSON; - prints it instead of the table."
)
def verify_command(
    papers: tuple[str, ...], published: bool, linux: bool, html: str | None, json_file: str | None, **flags: Any
) -> None:  # fmt: skip
    """Check that proofs, arithmetics and simulations of the laws agree.

    Each law is compared with its proof, with 50 digits, NumPy, sympy, JAX, its derivatives and the simulator; the exit
    status is 1 if one does not agree. With --published: each number of the papers, our value, and the verdict. With
    --linux: each scenario in the simulator, on Linux and by its law; the status is 1 if simulator and Linux differ.
    """
    from longfat.base.files import AtomicFiles

    if papers and not published:
        raise click.UsageError(f"PAPER {papers[0]} needs --published")
    for option, given in (("--published", published), ("--linux", linux)):
        if given and flags["laws"]:
            raise click.UsageError(f"--law and {option} exclude each other")
    if published and linux:
        raise click.UsageError("--linux and --published exclude each other")
    seed = flags["seed"]
    with ExitStack() as stack:  # refused before anything is computed
        outputs = {}
        for name, kind in ((html, "html"), (json_file, "json")):
            if name is not None and name != "-":
                place = Path(name)
                outputs[kind] = stack.enter_context(AtomicFiles(place.parent, kind)).path(place.name)
        agrees, made = (_published if published else _linux if linux else _laws)(papers, seed, flags)
        for kind, path in outputs.items():
            path.write_bytes(made[kind]().encode())
        say(made["json" if json_file == "-" else "text"]())
    if not agrees:
        raise click.exceptions.Exit(1)


class _CannotRun(click.ClickException):
    exit_code = 2


def _laws(_: tuple[str, ...], seed: int, flags: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    import os

    from longfat import verify
    from longfat.verify import report

    count = flags["workers"] or os.cpu_count() or 1
    table = verify.run(
        flags["laws"] or None,
        quick=flags["quick"],
        seed=seed,
        workers=count,
        progress=sys.stderr.isatty(),
    )
    return bool(table.attrs["agrees"]), _made(report.to_text, report.to_json, report.to_html, table)


def _published(papers: tuple[str, ...], seed: int, flags: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    from longfat.base import extras

    if not extras.beside("figures.verdicts"):
        raise _CannotRun("--published needs longfat's repository: its folder figures/ has the numbers of the papers")
    # Beside the package, like the proofs of `verify.faces`: the wheel does not have the claims of the papers.
    from figures import verdict_tables, verdicts

    table = verdicts.scoreboard(
        papers or None, packets=1e5 if flags["quick"] else 1e7, seed=seed, progress=sys.stderr.isatty()
    )
    return True, _made(verdict_tables.to_text, verdict_tables.to_json, verdict_tables.to_html, table)


def _linux(_: tuple[str, ...], seed: int, flags: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    from longfat.testbed import CannotRun
    from longfat.verify import linux, linux_report

    try:
        made = linux.run(
            quick=flags["quick"], seed=seed, at_once=flags["workers"] or AT_ONCE, progress=sys.stderr.isatty()
        )
    except CannotRun as error:
        raise _CannotRun(str(error)) from None
    agrees = all(one.verdict != "differs" for one in made)
    return agrees, _made(linux_report.to_text, linux_report.to_json, linux_report.to_html, made)


def _made(text: Any, json: Any, html: Any, table: Any) -> dict[str, Any]:
    return {"text": lambda: text(table), "json": lambda: json(table), "html": lambda: html(table)}
