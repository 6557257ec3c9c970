"""The tabs of the page: who may open one, how many there are, and when the kernel of each ends.

Needs Voila and is imported only to serve.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import urlsplit

import psutil
from jupyter_server import CallContext
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado import gen, web
from tornado.httputil import HTTPServerRequest
from tornado.ioloop import IOLoop
from tornado.routing import Matcher, Rule
from voila.app import Voila
from voila.tornado.handler import TornadoVoilaHandler

KERNEL = 350e6  # bytes that a kernel takes after a simulation; measured: 348 MB
GRACE = 5.0  # s that a tab has to connect again: Jupyter's own first three attempts come within 4 s
OPENING = 60.0  # s that a tab has to connect for the first time, its page sent: slow machines take some ten
WAIT = 10.0  # s that a new tab waits for a place: a tab that is reloaded leaves its own only now
NO_TOKEN = "The address needs its token: `longfat explore` prints it."


def most() -> int:
    """Return how many kernels there may be: as many as half of the memory has room for, but one at least."""
    return max(1, int(psutil.virtual_memory().total / 2 / KERNEL))


class Strangers(Matcher):
    """Match requests that come by a name which is not this server's, or from a page which is not this server's.

    A web site can have its own name lead to this machine (DNS rebinding), so that a browser takes the server for that
    site; the Host header still has the site's name. Other pages that send requests are told by the Origin header.

    Parameters
    ----------
    host : str
        Address listened on. A loopback address is reached as localhost, too; 0.0.0.0 and :: under any address, which
        nobody's name server can make another's, and under the name of this machine.
    """

    def __init__(self, host: str) -> None:
        self._names, self._any_address = {host.lower()}, host in ("0.0.0.0", "::")
        if self._any_address:
            self._names |= {"localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
        elif host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback):
            self._names |= {"localhost", "127.0.0.1", "::1"}

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return what makes tornado take this rule, an empty dictionary, for a stranger; None for others."""
        here = request.headers.get("Host", "").lower()
        origin = request.headers.get("Origin")
        try:
            name = urlsplit(f"//{here}").hostname or ""
            same = origin is None or urlsplit(origin.lower()).netloc == here
        except ValueError:  # brackets that are no address
            return {}
        known = name in self._names or (self._any_address and _is_address(name))
        return None if known and same else {}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Kernels(AsyncMappingKernelManager):  # type: ignore[misc]
    """The kernels of the tabs: `most` of them, each of which ends soon after its last connection."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._starting = 0
        self._ends: dict[str, object] = {}

    async def start_kernel(self, **options: Any) -> str:
        """Start a kernel for the page that is asked for; refuse where there is no place within `WAIT` seconds."""
        places, now = most(), IOLoop.current().time
        until = now() + WAIT
        while len(self) + self._starting >= places:
            if now() > until:
                words = f"as many tabs are open as half of this machine's memory has room for ({places})"
                raise web.HTTPError(503, f"There is no room for this tab: {words}. Close one and reload.")
            await gen.sleep(0.2)
        self._starting += 1
        try:
            kernel_id: str = await super().start_kernel(**options)
        finally:
            self._starting -= 1
        CallContext.get(CallContext.JUPYTER_HANDLER).kernel_id = kernel_id
        return kernel_id

    def notify_connect(self, kernel_id: str) -> None:
        """Hear that a tab is connected."""
        super().notify_connect(kernel_id)
        if kernel_id in self._ends:
            IOLoop.current().remove_timeout(self._ends.pop(kernel_id))

    def notify_disconnect(self, kernel_id: str) -> None:
        """Hear that a tab is gone, or that its connection broke."""
        super().notify_disconnect(kernel_id)
        self.end_unless_connected(kernel_id, GRACE)

    def end_unless_connected(self, kernel_id: str, seconds: float) -> None:
        """End a kernel after a time, unless a tab is connected to it or connects meanwhile."""
        if kernel_id in self and self._kernel_connections.get(kernel_id, 0) <= 0 and kernel_id not in self._ends:
            self._ends[kernel_id] = IOLoop.current().call_later(seconds, self._end, kernel_id)

    async def _end(self, kernel_id: str) -> None:
        self._ends.pop(kernel_id, None)
        if kernel_id in self:
            await self.shutdown_kernel(kernel_id)


class Tab(TornadoVoilaHandler):  # type: ignore[misc]
    """The page, for those whose address has the token: a cookie is sent along whoever makes a browser ask."""

    kernel_id = ""
    left = False

    def get_login_url(self) -> str:
        """Refuse: there is no form to log in."""
        raise web.HTTPError(403, NO_TOKEN)

    async def get(self, path: str | None = None) -> None:
        """Send the page as it is made, and end its kernel if nobody waits for it any more."""
        if not self.token_authenticated:
            raise web.HTTPError(403, NO_TOKEN)
        _ = self.xsrf_token  # sets a cookie that Voila's script needs to say that the tab is closed
        try:
            async for piece in self.get_generator(path=path):
                if not self.left:
                    self.write(piece)
                    self.flush()
        finally:
            if self.kernel_id:
                self.kernel_manager.end_unless_connected(self.kernel_id, 0 if self.left else OPENING)

    def on_connection_close(self) -> None:
        """Hear that the tab was closed before it had its page."""
        super().on_connection_close()
        self.left = True

    def write_error(self, status_code: int, **about: Any) -> None:
        """Say in one line what is wrong."""
        error = about.get("exc_info", (None, None))[1]
        words = error.log_message if isinstance(error, web.HTTPError) else None
        self.finish(f"<!doctype html><title>longfat</title><p>{escape(words or self._reason)}</p>\n")


class Server(Voila):  # type: ignore[misc]
    """Voila for one page: strangers are refused whatever they ask for, and there is no form to log in."""

    def init_handlers(self) -> list[Any]:
        """Return Voila's handlers with `Tab` for the page, behind the rule for strangers."""
        self.app.default_router.rules.insert(0, Rule(Strangers(self.ip), web.ErrorHandler, {"status_code": 403}))
        found: list[tuple[str, Callable[..., Any], Any]] = super().init_handlers()
        return [
            (pattern, Tab if handler is TornadoVoilaHandler else handler, *options)
            for pattern, handler, *options in found
            if pattern not in ("/login", "/logout")
        ]
