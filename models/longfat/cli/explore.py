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
    help="Port to listen on; 0 for any that is free.",
)
@click.option(
    "--host", type=Host(), default="127.0.0.1", show_default=True, help="Address to listen on; others need a token."
)
@click.option(
    "--law",
    type=Name("law", laws, own="law", loaded=False, checked=False),
    default="",
    metavar="LAW",
    help="Law to begin with: a name, or FILE.py[:LAW].",
)
@click.option("--browser/--no-browser", default=True, help="Open a browser.  [default: open]")
def explore_command(port: int, host: str, law: str, browser: bool) -> None:
    """Show laws with sliders in a browser, until Ctrl-C.

    Prints the address. It has a token, without which nobody gets in, and only this machine can reach it, unless --host
    opens it to others. Needs the extra "notebook".
    """
    from longfat.explore import server

    server.serve(host, port, browser, lambda url: click.echo(f"{url}  (Ctrl-C ends)"), law)
    click.echo("ended")
