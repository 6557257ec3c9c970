"""Server of the page: Voila with one notebook of one cell."""

from __future__ import annotations

import json
import logging
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat import extras
from longfat.domains import unknown
from longfat.user_files import names_file, read

if TYPE_CHECKING:
    from longfat.law import Law

NEEDED = ("voila", "ipywidgets", "ipykernel")
KERNEL = "longfat"
# Voila's page without the icons that it loads from another server.
TEMPLATE = """{%- extends 'voila/templates/lab/index.html.j2' -%}
{% import "spinner.macro.html.j2" as spinner %}
{%- block notebook_css -%}
{{ resources.include_js("static/voila-style.js") }}
{{ spinner.css() }}
<style>.jp-mod-noOutputs.jp-mod-noInput { display: none; }</style>
{{ super.super() }}
{%- endblock notebook_css -%}
{%- block body_footer -%}
{{ super() }}
<script>
{
  const {baseUrl, kernelId} = JSON.parse(document.getElementById("jupyter-config-data").textContent);
  const line = document.createElement("p");
  line.setAttribute("role", "alert");
  line.style = "position: fixed; inset: 0 0 auto; z-index: 99; margin: 0; padding: 8px; font: 16px sans-serif; " +
    "color: #fff; background: #a00";
  setInterval(async () => {
    let words = "";
    try {
      const response = await fetch(`${baseUrl}api/kernels/${kernelId}`);
      if (!response.ok) words = "The session of this page has ended: reload the page.";
    } catch {
      words = "The server has ended: start `longfat explore` again.";
    }
    if (line.textContent == words) return;
    line.textContent = words;
    if (words) document.body.append(line); else line.remove();
  }, 3000);
}
</script>
{%- endblock body_footer -%}
"""


def serve(host: str, port: int, browser: bool, say: Callable[[str], None], law: str = "") -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    host : str
        Address to listen on.
    port : int
        Port to listen on; 0 for any free port.
    browser : bool
        Whether to open a browser.
    say : callable
        Called with the address once the page is served; the address has a token that is required for access.
    law : str
        The first law: its name, or a file that defines it, in which case the page shows this law only.

    Raises
    ------
    MissingLibrary
        If Voila is not installed.
    ValueError
        If the law is unknown, the address does not belong to this machine, or the port is in use.
    """
    extras.need("explore", *NEEDED)
    if law:
        find(law)  # checked before the server starts; the kernel, another process, loads it again
        law = str(Path(law).absolute()) if names_file(law) else law
    port = free(host, port)
    token = secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix="longfat-explore-") as folder:
        _run(application(Path(folder), host, port, token, law), address(host, port, token), browser, say)


def free(host: str, port: int) -> int:
    """Return the port if it is free, or any free port for 0; raise an error otherwise."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            probe.bind((host, port))
            probe.listen()
        except socket.gaierror:
            raise ValueError(f"host = {host!r} is unknown: must be an address of this machine") from None
        except OSError as error:
            why = error.strerror or error
            raise ValueError(f"port = {port} on {host} cannot be listened on: {why}; --port takes another") from None
        return int(probe.getsockname()[1])


def address(host: str, port: int, token: str) -> str:
    """Return the address of the page for a browser.

    >>> address("127.0.0.1", 8866, "y"), address("::1", 80, "x")
    ('http://127.0.0.1:8866/?token=y', 'http://[::1]:80/?token=x')
    """
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/?token={token}"


def application(folder: Path, host: str, port: int, token: str, law: str = "") -> Any:
    """Return Voila, ready to start, with a kernel that runs in the same Python."""
    page = folder / "page"
    page.mkdir()
    (page / "explore.ipynb").write_text(json.dumps(notebook(law)), encoding="utf-8")
    kernel = folder / "jupyter" / "kernels" / KERNEL
    kernel.mkdir(parents=True)
    launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
    kernel.joinpath("kernel.json").write_text(
        json.dumps({"argv": launch, "display_name": KERNEL, "language": "python"}), encoding="utf-8"
    )
    template = folder / "jupyter" / "voila" / "templates" / "longfat"
    template.mkdir(parents=True)
    template.joinpath("conf.json").write_text('{"base_template": "lab"}', encoding="utf-8")
    template.joinpath("index.html.j2").write_text(TEMPLATE, encoding="utf-8")
    paths = [str(folder / "jupyter"), os.environ.get("JUPYTER_PATH", "")]
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, paths))
    skip_address_grammar()
    from longfat.explore.tabs import Server

    server = Server()
    server.initialize(
        [
            str(page / "explore.ipynb"),
            f"--Voila.ip={host}",
            f"--port={port}",
            "--Voila.port_retries=0",
            "--no-browser",
            "--template=longfat",
            f"--Voila.token={token}",
            "--Voila.log_level=ERROR",
            "--VoilaConfiguration.multi_kernel_manager_class=longfat.explore.tabs.Kernels",
        ]
    )
    return server


def skip_address_grammar() -> None:
    """Keep jsonschema from loading a grammar of addresses, which takes three seconds and is not needed."""
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


def find(text: str) -> Law:
    """Return a law by its name, or from a file.

    >>> find("md1_wait").name, find("queues.md1_wait").name
    ('md1_wait', 'md1_wait')
    """
    from longfat import laws  # noqa: F401  # registers them
    from longfat.law import Law, registered

    if names_file(text):
        return read(text, Law, what="law")
    every = [law for _, law in registered()]
    for law in every:
        if text in (law.public_name, law.name):
            return law
    raise unknown("law", text, [law.public_name for law in every])


def view(text: str) -> Any:
    """Return the widget for a law: its own explorer if the law is from a file, else the page of all laws."""
    from longfat import explore

    law = find(text)
    return explore.law(law) if names_file(text) else explore.page(law)


def notebook(law: str = "") -> dict[str, Any]:
    """Return the notebook that is served."""
    source = (
        f"from longfat.explore import server\n\nserver.view({law!r})"
        if law
        else "import longfat as lf\n\nlf.explore.page()"
    )
    cell: dict[str, Any] = {
        "cell_type": "code", "id": "page", "execution_count": None, "metadata": {}, "outputs": [],
        "source": source,
    }  # fmt: skip
    kernel = {"name": KERNEL, "display_name": KERNEL, "language": "python"}
    return {
        "cells": [cell], "metadata": {"kernelspec": kernel, "title": "longfat: laws to explore"},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip


def _run(voila: Any, url: str, browser: bool, say: Callable[[str], None]) -> None:
    from tornado.ioloop import IOLoop

    def listening() -> None:
        say(url)
        if browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    for part in ("general", "access", "application"):  # suppress warnings of foreign settings and of refused requests
        logging.getLogger(f"tornado.{part}").setLevel(logging.ERROR)
    loop = IOLoop.current()
    loop.add_callback(listening)
    # Stop between two callbacks: an exception inside a callback could be caught and swallowed there.
    before = signal.signal(signal.SIGINT, lambda *_: loop.add_callback_from_signal(loop.stop))
    try:
        voila.start()  # returns after Ctrl-C, its kernels ended
    except SystemExit:
        raise ValueError(f"{url} cannot be served: the port was taken; --port takes another") from None
    finally:
        signal.signal(signal.SIGINT, before)
