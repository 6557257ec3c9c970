"""`longfat explore`: every law with sliders, in a browser."""

from __future__ import annotations

import click

from longfat.cli.parameters import Host, Integer, Name, laws


@click.command("explore")
@click.option(
    "--port",
    type=Integer("1", 0, 65535),
    default="8866",
    show_default=True,
    help="TCP port to listen on; 0 for any free port.",
)
@click.option(
    "--host", type=Host(), default="127.0.0.1", show_default=True, help="Address of this machine to listen on."
)
@click.option(
    "--law",
    type=Name("law", laws, own="law", loaded=False, checked=False),
    default="",
    metavar="LAW",
    help="Law to show first: a name, or FILE.py[:LAW].",
)
@click.option("--browser/--no-browser", default=True, help="Open a browser.  [default: browser]")
def explore_command(port: int, host: str, law: str, browser: bool) -> None:
    """Show laws with sliders in a browser, until Ctrl-C.

    Prints the address, which contains an access token. Only this machine can reach it, unless --host is an address
    that others can reach. Needs the extra "explore".
    """
    from longfat.base import extras

    extras.need("explore", "tornado", "docutils")
    from longfat.explore import server

    server.serve(host, port, browser, lambda url: click.echo(f"{url}  (Ctrl-C ends)"), law)
    click.echo("ended")
