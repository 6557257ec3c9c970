"""`longfat explore`: every law with sliders, in a browser."""

from __future__ import annotations

import click

from longfat.cli.typed import whole


@click.command("explore")
@click.option("--port", default="8866", show_default=True, help="Port to listen on; 0 for any that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
@click.option("--browser/--no-browser", default=True, help="Open a browser.  [default: open]")
def explore_command(port: str, host: str, browser: bool) -> None:
    """Every law with sliders, in a browser, until Ctrl-C.

    Prints the address. It has a token, without which nobody gets in, and only this machine can reach it, unless --host
    opens it to others. Needs the extra "notebook".
    """
    from longfat.explore import serving

    number = whole("port", port, "1", "[0, 65535]")
    serving.serve(host, number, browser, lambda url: click.echo(f"{url}  (Ctrl-C ends)"))
    click.echo("ended")
