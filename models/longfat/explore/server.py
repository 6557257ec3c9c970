"""Server of `longfat explore`, which serves the files of `longfat.handbook.pages` and runs simulations on request.

Every request needs a token, which is the first part of each path, so that relative links in the pages contain it. A
cookie would not protect the server, because browsers send it with every request, whichever page causes the request.

Each simulation runs in a process, which is killed when the client disconnects. This process is forked from one that has
loaded the simulators, and therefore starts in about 20 ms. A simulation receives only data, never code: the text of a
request, and the name of the user's file that the command was given.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import functools
import hmac
import ipaddress
import json
import logging
import mimetypes
import multiprocessing
import os
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import tornado.web as web
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPServerRequest
from tornado.iostream import StreamClosedError

from longfat.base.domains import nearest
from longfat.base.user_files import names_file
from longfat.explore import simulations
from longfat.explore.state import chosen, find
from longfat.handbook import law_records, pages
from longfat.law import Law

MEMORY = 4 << 30  # address space of a simulation [bytes]; the libraries take 1 GiB of it
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["longfat.explore.__main__", "longfat.explore.server"])


def prepare() -> None:
    """Start the process that forks a child for each simulation, and wait until it has loaded the simulators."""
    CONTEXT.Process(target=int, daemon=True).start()


async def events(text: bytes, file: str = "") -> AsyncGenerator[simulations.Event, None]:
    """Simulate a request (`simulations.read`) in a separate process; yield the events of `simulations.estimates`.

    ``file`` is the user's file that defines the law; empty for the laws of longfat.
    """
    receiving, sending = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_work, args=(sending, text, file), daemon=True)
    starting = asyncio.ensure_future(asyncio.to_thread(process.start))
    try:
        await asyncio.shield(starting)
        sending.close()
        async for one in simulations.stream(receiving.recv):
            yield one
    except EOFError:
        why = "the simulation has ended: its process took too much memory, or was killed"
        yield {"kind": "error", "why": why}
    finally:
        await starting
        process.kill()
        process.join()


def _work(sending: Connection, text: bytes, file: str) -> None:
    """Simulate a request in the child process, and send each event to the server's process."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # some systems lack the module or the limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.nice(5)  # lower priority than the page and its server
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):  # discard output, because a user's law may print
        os.dup2(nowhere, output)
    try:
        asked = simulations.read(text, chosen(file))
        for one in simulations.estimates(asked, simulations.simulator(asked.state.law)):
            sending.send(one)
    except Exception as error:
        sending.send({"kind": "error", "why": f"{type(error).__name__}: {error}"})


BODY = 10_000  # largest body of a request [bytes]
HEADERS = 20_000  # largest headers of a request [bytes]
IDLE = 60.0  # a connection without a request is closed after this time [s]
SIMULATE = "simulate"  # path of requests for simulations
STREAMS = 200  # largest number of simulations that run or wait
MOST = 4  # largest number of simulations that run, each in a process that uses a core
NO_TOKEN = "The address needs its token: `longfat explore` prints it."
FOREIGN = "This server answers requests of its own pages only."
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Foreign:
    """Function that decides whether a request is foreign: its Host names another host, or another site's page sent it.

    A web site can make its own name resolve to this machine (DNS rebinding); a browser then takes this server for the
    site, but the Host header still has the site's name. The Origin header identifies requests from other pages.

    Parameters
    ----------
    host : str
        Address on which the server listens. For a loopback address the names localhost, 127.0.0.1 and ::1 are allowed;
        for 0.0.0.0 and :: the name of this machine and any address, because DNS rebinding uses a name.
    """

    def __init__(self, host: str) -> None:
        self._names, self._any_address = {host.lower()}, host in ("0.0.0.0", "::")
        if self._any_address:
            self._names |= {"localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
        elif host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback):
            self._names |= {"localhost", "127.0.0.1", "::1"}

    def __call__(self, request: HTTPServerRequest) -> bool:
        """Return whether the headers Host and Origin of a request show that it is foreign."""
        here = request.headers.get("Host", "").lower()
        origin = request.headers.get("Origin")
        try:
            name = urlsplit(f"//{here}").hostname or ""
            same = origin is None or urlsplit(origin.lower()).netloc == here
        except ValueError:  # urlsplit refuses brackets without an address
            return True
        known = name in self._names or (self._any_address and _is_address(name))
        return not (known and same)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@dataclass
class Served:
    """Data that all request handlers share: files by path, laws by name, the function that simulates, and the token."""

    files: Mapping[str, Callable[[], str]]
    laws: Mapping[str, Law]
    simulate: Callable[[bytes], AsyncGenerator[simulations.Event, None]]
    token: str
    foreign: Foreign
    streams: int = 0
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(max(2, min(MOST, os.cpu_count() or 1))))


class Handler(web.RequestHandler):  # type: ignore[misc]  # tornado is not analysed
    """Base of the request handlers, which refuses requests without the token and requests from other sites."""

    def initialize(self, served: Served) -> None:
        """Store the data that all handlers share."""
        self.served = served

    def set_default_headers(self) -> None:
        """Set headers that keep the token, a part of the address, from other sites, and that forbid embedding."""
        self.clear_header("Server")
        self.set_header("Content-Security-Policy", POLICY)
        self.set_header("Referrer-Policy", "no-referrer")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")
        self.set_header("Cross-Origin-Opener-Policy", "same-origin")
        self.set_header("Cache-Control", "no-store")

    def prepare(self) -> None:
        """Refuse foreign requests, and requests without the token."""
        if self.served.foreign(self.request):
            raise web.HTTPError(403, FOREIGN)
        given = f"{self.request.path}/".split("/")[1]
        if not hmac.compare_digest(given.encode(), self.served.token.encode()):
            raise web.HTTPError(403, NO_TOKEN)

    def write_error(self, status_code: int, **about: Any) -> None:
        """Send an error message of one line in plain text."""
        error = about.get("exc_info", (None, None))[1]
        words = error.log_message if isinstance(error, web.HTTPError) else None
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(str(words or self._reason).replace("%%", "%") + "\n")  # tornado doubles percent signs


class Page(Handler):
    """Request handler for a file of the handbook."""

    def get(self, path: str | None = None) -> None:
        """Send the file at a path, or the index.html of a folder, whose path ends with a slash."""
        if path is None:  # the token lacks its final slash
            self.redirect(f"/{self.served.token}/")
            return
        name = f"{path}index.html" if path == "" or path.endswith("/") else path
        if name not in self.served.files:
            near = nearest(name, self.served.files)
            raise web.HTTPError(404, f"No such page: {path}" + (f"; did you mean {near}?" if near else ""))
        self.set_header("Content-Type", f"{mimetypes.guess_type(name)[0]}; charset=utf-8")
        self.write(self.served.files[name]())

    head = get


class Simulate(Handler):
    """Request handler that reads a simulation request as JSON and sends the points as server-sent events."""

    work: asyncio.Task[None] | None = None

    async def post(self) -> None:
        """Simulate the request, and send each point as soon as it is estimated."""
        if self.request.headers.get("Content-Type") != "application/json":  # no form can send this type
            raise web.HTTPError(415, "request must have the Content-Type application/json")
        try:
            simulations.read(self.request.body, self.served.laws)
        except (TypeError, ValueError) as error:
            raise web.HTTPError(400, str(error)) from None
        if self.served.streams >= STREAMS:
            raise web.HTTPError(503, f"{STREAMS} simulations run or wait already: try again later")
        self.set_header("Content-Type", "text/event-stream; charset=utf-8")
        self.served.streams += 1
        self.work = asyncio.ensure_future(self._send())
        try:
            await self.work
        except (asyncio.CancelledError, StreamClosedError):
            self.work.cancel()
        finally:
            self.served.streams -= 1

    async def _send(self) -> None:
        async with self.served.places, contextlib.aclosing(self.served.simulate(self.request.body)) as events:
            async for one in events:
                self.write(f"data: {json.dumps(one, allow_nan=False)}\n\n")
                await self.flush()

    def on_connection_close(self) -> None:
        """End the simulation when its client has disconnected."""
        if self.work is not None:
            self.work.cancel()


def serve(host: str, port: int, browser: bool, say: Callable[[str], None], law: str = "") -> None:
    """Serve the pages and simulations until SIGINT (Ctrl-C) or SIGTERM.

    Once the pages are served, ``say`` is called with the address, which contains the required token. The browser shows
    the page of ``law`` first; if a file defines the law, only this law is served. A ValueError is raised if the law is
    unknown, the address does not belong to this machine, or the port is in use.
    """
    first = law_records.address(find(law)) if law else ""
    with contextlib.closing(listening(host, port)) as place:
        asyncio.run(_serve(place, host, browser, say, law, first))


def listening(host: str, port: int) -> socket.socket:
    """Return a listening socket, on a free port if `port` is 0; raise a ValueError if the system refuses it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
        place.listen(256)
    except OSError as error:
        place.close()
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise ValueError(f"host = {host!r} is unknown: must be an address of this machine") from None
        why = error.strerror or error
        raise ValueError(f"port = {port} on {host} cannot be listened on: {why}; choose another with --port") from None
    place.setblocking(False)
    return place


def address(host: str, port: int, token: str) -> str:
    """Return the URL of the first page.

    >>> address("127.0.0.1", 8866, "y"), address("::1", 80, "x")
    ('http://127.0.0.1:8866/y/', 'http://[::1]:80/x/')
    """
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    return f"http://{name}:{port}/{token}/"


def application(served: Served) -> HTTPServer:
    """Return an HTTP server of the pages and simulations, not yet bound to a socket."""
    shared = {"served": served}
    routes: list[Any] = [(rf"/[^/]*/{SIMULATE}", Simulate, shared), (r"/[^/]*/(.*)", Page, shared)]
    made = web.Application(routes, default_handler_class=Page, default_handler_args=shared, log_function=lambda _: None)
    return HTTPServer(
        made, max_body_size=BODY, max_header_size=HEADERS, idle_connection_timeout=IDLE, body_timeout=IDLE
    )


async def _serve(
    place: socket.socket, host: str, browser: bool, say: Callable[[str], None], law: str, first: str
) -> None:
    for part in ("general", "access", "application"):  # refused requests are not logged on the terminal
        logging.getLogger(f"tornado.{part}").setLevel(logging.CRITICAL)
    token = secrets.token_urlsafe(24)
    laws, file = chosen(law), str(Path(law).absolute()) if names_file(law) else ""
    files = {path: functools.cache(text) for path, text in pages.texts(laws.values(), simulate=SIMULATE).items()}
    served = Served(files, laws, functools.partial(events, file=file), token, Foreign(host))
    server = application(served)
    server.add_socket(place)
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, ended.set)
    url = address(host, place.getsockname()[1], token) + first
    say(url)
    threading.Thread(target=prepare, daemon=True).start()
    if browser:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
    try:
        await ended.wait()
    finally:
        server.stop()
        await server.close_all_connections()
