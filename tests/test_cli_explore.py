"""`longfat explore`: who gets in, what it refuses, and that nothing is left of it."""

import base64
import os
import re
import socket
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from longfat import extras
from longfat.cli import main
from longfat.explore import server
from tests.served import Served

psutil = pytest.importorskip("psutil", reason="comes with ipykernel")
pytestmark = pytest.mark.skipif(find_spec("voila") is None, reason="the extra 'notebook'")  # not imported: four seconds


@pytest.fixture
def serve():
    made = []

    def begin(*flags, **options):
        made.append(Served(*flags, **options))
        return made[-1]

    yield begin
    for one in made:
        one.kill()


def test_own_machine_only_and_nothing_left(serve):
    served = serve()
    assert served.url.startswith("http://127.0.0.1:")
    listening = {one.laddr.ip for one in psutil.Process(served.process.pid).net_connections("inet") if
                 one.status == "LISTEN" and one.laddr.port == served.port}  # fmt: skip
    assert listening == {"127.0.0.1"}
    status, _, page = served.get(served.query)
    assert status == 200
    assert "lf-chart" in page or "jupyter.widget-view" in page
    assert "jsdelivr" not in page
    kernels = served.kernels()
    assert kernels  # the page has one
    folder = kernels[0].cwd()
    assert "longfat-explore-" in folder
    out, err, code = served.end()
    assert (out.strip(), err, code) == ("ended", "", 0)
    _, alive = psutil.wait_procs(kernels, timeout=10)
    assert alive == []
    assert not os.path.exists(folder)


def test_open_to_others_only_with_the_token(serve):
    served = serve("--host", "0.0.0.0")
    token = re.search(r"\?token=([\w-]{20,})", served.url)[1]
    for path in ("", "?token=wrong", "voila/files/explore.ipynb", "login"):
        status, _, page = served.get(path)
        assert status == 403, path
    assert "needs its token: `longfat explore` prints it" in page
    for host in (f"127.0.0.1:{served.port}", f"{socket.gethostname()}:{served.port}", "192.0.2.1"):  # as others call it
        assert served.get("", Host=host)[2] == page
    assert "token" not in served.get("", Host="evil.example")[2]
    status, _, page = served.get(f"?token={token}")
    assert status == 200
    assert "jupyter.widget-view" in page
    kernel = re.search(r'"kernelId":\s*"([0-9a-f-]{36})"', page)
    assert kernel
    assert served.get(f"api/kernels/{kernel[1]}")[0] == 403  # nobody talks to its kernel without the token
    assert served.end()[2] == 0


def test_strangers_start_nothing(serve):
    """A name that somebody else's DNS leads here, another site's page, an address without the token: 403, no kernel."""
    served = serve()
    here = f"127.0.0.1:{served.port}"
    key = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode()}  # fmt: skip
    socket_of = f"api/kernels/01234567-0123-0123-0123-0123456789ab/channels{served.query}"
    hosts = ("evil.example", f"evil.example:{served.port}", "192.0.2.1", "127.0.0.1.evil.example", "[")
    origins = ("https://evil.example", "null", "http://127.0.0.1:1", f"http://evil.{here}")
    strangers = [{"Host": host} for host in hosts] + [{"Origin": origin} for origin in origins]
    for headers in strangers:
        for path in (served.query, "voila/static/voila.js"):
            assert served.get(path, **headers)[0] == 403, headers
        assert served.get(socket_of, **key, **headers)[0] == 403, headers
    for _ in range(50):
        status, _, page = served.get("", Origin=f"http://{here}")
        assert status == 403
    assert "needs its token: `longfat explore` prints it" in page
    assert served.kernels() == []
    # The cookie that a page leaves in the browser opens no other page, whoever makes the browser ask for it.
    name = f"localhost:{served.port}"
    request = urllib.request.Request(served.url, headers={"Host": name, "Origin": f"http://{name}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        cookies = [one.partition(";")[0] for one in answer.headers.get_all("Set-Cookie")]
        assert answer.status == 200
        assert any(one.startswith("username-") for one in cookies)
    assert served.get("", Host=name, Cookie="; ".join(cookies))[0] == 403
    assert len(served.kernels()) == 1
    assert served.end()[2] == 0


@pytest.mark.long
def test_kernels_are_few_and_none_is_left_alone(serve):
    first = "import longfat.explore.tabs as t; t.most = lambda: 1; t.OPENING = 4; t.WAIT = 0.5"
    served = serve(first=first)
    with socket.create_connection(("127.0.0.1", served.port)) as hasty:  # a tab closed while its page is made
        hasty.sendall(f"GET /{served.query} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n\r\n".encode())
        assert served.becomes(1)
    assert served.becomes(0)
    with ThreadPoolExecutor(3) as pool:  # at once
        pages = sorted(pool.map(served.get, [served.query] * 3))
    assert [status for status, *_ in pages] == [200, 503, 503]
    assert "as many tabs are open as half of this machine&#x27;s memory has room for (1). Close one" in pages[-1][2]
    assert served.becomes(0)  # nobody has connected to it
    assert served.end()[2] == 0


def test_half_of_the_memory(monkeypatch):
    server.skip_address_grammar()
    from longfat.explore import tabs

    for memory, most in ((8e9, 11), (24e9, 34), (1e8, 1)):  # 4e9/350e6 = 11.4; 12e9/350e6 = 34.3; one at least
        monkeypatch.setattr(tabs.psutil, "virtual_memory", lambda memory=memory: SimpleNamespace(total=memory))
        assert tabs.max_kernels() == most


def test_port_in_use(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["explore", "--no-browser", "--port", str(port)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(
        rf"longfat: port = {port} on 127\.0\.0\.1 cannot be listened on: .*--port takes another\n", said.err
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--port", "70000"], r"port = 70000 is out of range: must be an integer in \[0, 65535\]"),
        (["--port", "web"], "port must be an integer in"),
        (["--host", "no.such.host.invalid"], "host = 'no.such.host.invalid' is unknown"),
        (["--host", "192.0.2.1"], "port = 8866 on 192.0.2.1 cannot be listened on"),  # of RFC 5737, nobody's
    ],
)
def test_refusals_are_one_line(flags, message, capsys):
    assert main(["explore", "--no-browser", *flags]) == 2
    said = capsys.readouterr()
    assert re.match(f"longfat: {message}", said.err)
    assert said.err.count("\n") == 1


def test_without_voila(monkeypatch, capsys):
    monkeypatch.setattr(extras, "installed", lambda module: module != "voila")
    assert main(["explore", "--no-browser"]) == 2
    assert capsys.readouterr().err == ("longfat: explore needs voila: pip install 'longfat[notebook]'\n")


def test_without_widgets(monkeypatch):
    import longfat.explore

    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match=r"longfat\.explore\.law needs ipywidgets: pip install"):
        longfat.explore.__getattr__("law")


def test_a_browser_is_opened_with_the_address(monkeypatch):
    opened, said = [], []
    monkeypatch.setattr(server.webbrowser, "open", opened.append)

    class Voila:
        def start(self):
            from tornado.ioloop import IOLoop

            loop = IOLoop.current()
            loop.add_callback(loop.stop)
            loop.start()

    server._run(Voila(), "http://127.0.0.1:1/", True, said.append)
    for _ in range(100):
        if opened:
            break
        time.sleep(0.05)
    assert opened == said == ["http://127.0.0.1:1/"]
