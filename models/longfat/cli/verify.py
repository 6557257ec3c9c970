"""`longfat verify`: check of all laws by proofs, arithmetic and simulators, and of all numbers in the papers."""

from __future__ import annotations

import os
from typing import Any

import click

from longfat.base import extras
from longfat.base.argument import Argument
from longfat.base.domains import conflict
from longfat.cli.output import Output, shows_progress
from longfat.cli.parameters import FILE, SEED, Name, laws, option, options, switch

AT_ONCE = 2  # scenarios that run at the same time on Linux if --workers is not given


@click.command("verify")
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@switch("--published", "Check the numbers printed in the papers, in all or in PAPER, e.g. 003 000: minutes for each.")
@switch("--linux", "Compare simulator and laws with this machine's Linux: an hour.")
@option(
    "--law",
    Name("law", laws, own="law", checked=False, listed=False),
    "Laws to check: a name, which may contain * and ?, or FILE.py[:LAW].",
    argument="laws",
    multiple=True,
    metavar="LAW",
    show_default="all",
)
@switch("--quick", "Check fewer points and shorter runs: about a minute, three with --linux, more with --published.")
@SEED
@options({
    "workers": Argument(
        "processes", "[1, 1024]", integer=True, otherwise="number of cores, 1 for few laws",
        meaning="Number of parallel processes",
    ),
})  # fmt: skip
@option("--html", FILE, "Write the result as an HTML page.")
@option("--json", FILE, "Write the result as JSON; - prints it instead of the table.", argument="json_file")
def verify_command(
    papers: tuple[str, ...], published: bool, linux: bool, html: str | None, json_file: str | None, **flags: Any
) -> None:  # fmt: skip
    """Check that proofs, computed values and simulations of the laws agree.

    Each law is compared with its proof, its values in 50 digits, those of NumPy, sympy and JAX, its derivatives, and
    the simulator; the exit status is 1 if any differs. --published prints each number of the papers, the value computed
    here, and the verdict. --linux prints the results of each scenario in the simulator, on Linux, and by its law; the
    exit status is 1 if simulator and Linux differ.
    """
    if papers and not published:
        raise conflict(f"PAPER {papers[0]}", "needs --published")
    for flag, wanted in (("--published", published), ("--linux", linux)):
        if wanted and flags["laws"]:
            raise conflict(f"--law and {flag}", "exclude each other")
    for flag, wanted in (("--linux", linux), ("--workers", flags["workers"])):
        if published and wanted:
            raise conflict(f"{flag} and --published", "exclude each other")
    with Output() as output:
        files = {"html": html, "json": None if json_file == "-" else json_file}
        paths = {kind: output.file(kind, name) for kind, name in files.items() if name is not None}
        agrees, form, table = (_published if published else _linux if linux else _laws)(papers, flags["rng"], flags)
        for kind, path in paths.items():
            path.write_bytes(getattr(form, f"to_{kind}")(table).encode())
        output.emit(lambda: form.to_json(table) if json_file == "-" else form.to_text(table))
    if not agrees:
        raise click.exceptions.Exit(1)


#: Whether everything agrees, the module with the functions that format the result, and the result.
Result = tuple[bool, Any, Any]


def _laws(_: tuple[str, ...], seed: int, flags: dict[str, Any]) -> Result:
    # Sympy keeps 1000 results of each function. With 10,000, proofs take 15 % less time.
    os.environ.setdefault("SYMPY_CACHE_SIZE", "10000")
    from longfat import verify
    from longfat.verify import report

    given = {"quick": flags["quick"], "seed": seed, "workers": flags["workers"], "progress": shows_progress()}
    table = verify.run(flags["laws"] or None, **given)
    return bool(table.attrs["agrees"]), report, table


def _need_figures(flag: str, content: str) -> None:
    """Refuse an option without the folder figures/, which is in the repository and not in the wheel."""
    if not extras.beside("figures.verdicts"):
        raise click.ClickException(f"{flag} needs longfat's repository: its folder figures/ has {content}")


def _published(papers: tuple[str, ...], seed: int, flags: dict[str, Any]) -> Result:
    _need_figures("--published", "the numbers of the papers")
    from figures import verdict_tables, verdicts

    table = verdicts.scoreboard(
        papers or None, packets=1e5 if flags["quick"] else 1e7, seed=seed, progress=shows_progress()
    )
    return True, verdict_tables, table


def _linux(_: tuple[str, ...], seed: int, flags: dict[str, Any]) -> Result:
    _need_figures("--linux", "the scenarios")
    from figures.linux import equivalence
    from longfat.testbed import CannotRun

    try:
        made = equivalence.run(
            quick=flags["quick"], seed=seed, at_once=flags["workers"] or AT_ONCE, progress=shows_progress()
        )
    except CannotRun as error:
        raise click.ClickException(str(error)) from None
    return all(one.verdict != "differs" for one in made), equivalence, made
