"""Browser tabs of the page: access, their number, and the end of their kernels.

This module needs Voila and is imported only to serve.
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

KERNEL = 350e6  # memory of a kernel after a simulation [bytes]; measured: 348 MB
GRACE = 5.0  # time for a tab to connect again [s]: Jupyter's first three attempts come within 4 s
OPENING = 60.0  # time for a tab to connect for the first time after its page was sent [s]: slow machines take about 10
WAIT = 10.0  # time that a new tab waits for a kernel [s]: a reloaded tab releases its old kernel only now
NO_TOKEN = "The address needs its token: `longfat explore` prints it."


def max_kernels() -> int:
    """Return the largest number of kernels: as many as fit into half of the memory, but at least one."""
    return max(1, int(psutil.virtual_memory().total / 2 / KERNEL))


class ForeignRequests(Matcher):
    """Requests under a host name that is not this server's, or from a page that is not this server's.

    A web site can make its own name resolve to this machine (DNS rebinding), so that a browser takes the server for
    that site; the Host header still has the site's name. The Origin header identifies requests from other pages.

    Parameters
    ----------
    host : str
        Address listened on. A loopback address is also reached as localhost; 0.0.0.0 and :: under any address, which
        DNS rebinding cannot forge, and under the name of this machine.
    """

    def __init__(self, host: str) -> None:
        self._names, self._any_address = {host.lower()}, host in ("0.0.0.0", "::")
        if self._any_address:
            self._names |= {"localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
        elif host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback):
            self._names |= {"localhost", "127.0.0.1", "::1"}

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """Return an empty dictionary, so that tornado applies this rule, to a foreign request; None to others."""
        here = request.headers.get("Host", "").lower()
        origin = request.headers.get("Origin")
        try:
            name = urlsplit(f"//{here}").hostname or ""
            same = origin is None or urlsplit(origin.lower()).netloc == here
        except ValueError:  # brackets without an address
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
    """Kernels of the tabs: at most `max_kernels`; each ends soon after its last connection."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._starting = 0
        self._ends: dict[str, object] = {}

    async def start_kernel(self, **options: Any) -> str:
        """Start a kernel for the requested page; refuse if none can be started within `WAIT` seconds."""
        places, now = max_kernels(), IOLoop.current().time
        until = now() + WAIT
        while len(self) + self._starting >= places:
            if now() > until:
                words = f"as many tabs are open as fit into half of this machine's memory ({places})"
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
        """Keep the kernel when a tab connects."""
        super().notify_connect(kernel_id)
        if kernel_id in self._ends:
            IOLoop.current().remove_timeout(self._ends.pop(kernel_id))

    def notify_disconnect(self, kernel_id: str) -> None:
        """End the kernel soon when a tab is closed or its connection breaks."""
        super().notify_disconnect(kernel_id)
        self.end_unless_connected(kernel_id, GRACE)

    def end_unless_connected(self, kernel_id: str, seconds: float) -> None:
        """End a kernel after a time, unless a tab is connected to it by then."""
        if kernel_id in self and self._kernel_connections.get(kernel_id, 0) <= 0 and kernel_id not in self._ends:
            self._ends[kernel_id] = IOLoop.current().call_later(seconds, self._end, kernel_id)

    async def _end(self, kernel_id: str) -> None:
        self._ends.pop(kernel_id, None)
        if kernel_id in self:
            await self.shutdown_kernel(kernel_id)


class Tab(TornadoVoilaHandler):  # type: ignore[misc]
    """The page, for requests whose address has the token.

    A cookie would not do: browsers send it with every request, whichever page causes it.
    """

    kernel_id = ""
    tab_closed = False

    def get_login_url(self) -> str:
        """Refuse: there is no form to log in."""
        raise web.HTTPError(403, NO_TOKEN)

    async def get(self, path: str | None = None) -> None:
        """Send the page as it is generated, and end its kernel if the tab has been closed."""
        if not self.token_authenticated:
            raise web.HTTPError(403, NO_TOKEN)
        _ = self.xsrf_token  # sets a cookie that Voila's script needs to report that the tab is closed
        try:
            async for piece in self.get_generator(path=path):
                if not self.tab_closed:
                    self.write(piece)
                    self.flush()
        finally:
            if self.kernel_id:
                self.kernel_manager.end_unless_connected(self.kernel_id, 0 if self.tab_closed else OPENING)

    def on_connection_close(self) -> None:
        """Record that the tab was closed before the page was complete."""
        super().on_connection_close()
        self.tab_closed = True

    def write_error(self, status_code: int, **about: Any) -> None:
        """Send a page with one line that says what is wrong."""
        error = about.get("exc_info", (None, None))[1]
        words = error.log_message if isinstance(error, web.HTTPError) else None
        self.finish(f"<!doctype html><title>longfat</title><p>{escape(words or self._reason)}</p>\n")


class Server(Voila):  # type: ignore[misc]
    """Voila for one page: foreign requests are refused, and there is no form to log in."""

    def init_handlers(self) -> list[Any]:
        """Return Voila's handlers with `Tab` for the page, behind the rule for foreign requests."""
        self.app.default_router.rules.insert(0, Rule(ForeignRequests(self.ip), web.ErrorHandler, {"status_code": 403}))
        found: list[tuple[str, Callable[..., Any], Any]] = super().init_handlers()
        return [
            (pattern, Tab if handler is TornadoVoilaHandler else handler, *options)
            for pattern, handler, *options in found
            if pattern not in ("/login", "/logout")
        ]
