"""`longfat explore`: all laws with sliders, in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from longfat.base import extras
from longfat.base.argument import Argument
from longfat.base.files import AtomicFiles
from longfat.cli.output import shows_progress
from longfat.cli.parameters import DIRECTORY, Name, Text, laws, option, options


@click.command("explore")
@options({"port": Argument("1", "[0, 65535]", 8866, "TCP port to listen on; 0 for any free port", integer=True)})
@option(
    "--host",
    Text("address", "an address of this machine"),
    "Address of this machine to listen on.",
    default="127.0.0.1",
)
@option(
    "--law",
    Name("law", laws, own="law", loaded=False, checked=False, listed=False),
    "Law to show first: a name, or FILE.py[:LAW].",
    default="",
    show_default=False,
    metavar="LAW",
)
@click.option("--browser/--no-browser", default=True, help="Open a browser.  [default: browser]")
@click.option("--output", type=DIRECTORY, help="Directory to write the pages to; nothing is served then.")
def explore_command(port: int, host: str, law: str, browser: bool, output: str | None) -> None:
    """Show laws with sliders in a browser, until Ctrl-C.

    Prints the address, which contains an access token. Only this machine can reach the address, unless --host is an
    address that others can reach. Needs the extra "explore". With --output the command only writes the pages, which
    need no server but cannot simulate.
    """
    if output is not None:
        extras.need("explore", "docutils")
        _write(output, law)
        return
    extras.need("explore", "tornado", "docutils")
    from longfat.explore import server

    server.serve(host, port, browser, lambda url: click.echo(f"{url}  (Ctrl-C ends)"), law)
    click.echo("ended")


def _write(output: str, law: str) -> None:
    from longfat.explore.state import chosen, find
    from longfat.handbook import pages

    if law:
        find(law)  # refuses names that are no law
    with AtomicFiles(output):  # refuses a path that cannot be written to
        laws = chosen(law)
        pages.write(Path(output), laws.values(), progress=shows_progress())
    click.echo(f"{len(laws)} laws: {Path(output) / 'index.html'}")
