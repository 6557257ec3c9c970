"""`longfat explore`: who gets in, what it refuses, and that nothing is left of it."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.util import find_spec

import pytest

from longfat.cli import main
from longfat.explore import serving

psutil = pytest.importorskip("psutil", reason="comes with ipykernel")
pytestmark = pytest.mark.skipif(find_spec("voila") is None, reason="the extra 'notebook'")  # not imported: four seconds


class Served:
    """`longfat explore` in a process of its own, and its address."""

    def __init__(self, *flags):
        command = [sys.executable, "-m", "longfat.cli", "explore", "--no-browser", "--port", "0", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert "http://" in line, self.process.stderr.read()
        self.url = line.split()[0]
        self.port = int(re.search(r":(\d+)/", self.url)[1])

    def get(self, path, timeout=60):
        """Status and text of a page of this machine."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=timeout) as answer:
                return answer.status, answer.url, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            return error.code, error.url, ""

    def end(self):
        """Ctrl-C; what it wrote."""
        self.process.send_signal(signal.SIGINT)
        return *self.process.communicate(timeout=60), self.process.returncode


@pytest.fixture
def serve():
    made = []

    def begin(*flags):
        made.append(Served(*flags))
        return made[-1]

    yield begin
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def test_own_machine_only_and_nothing_left(serve):
    served = serve()
    assert served.url.startswith("http://127.0.0.1:")
    listening = {one.laddr.ip for one in psutil.Process(served.process.pid).net_connections("inet") if
                 one.status == "LISTEN" and one.laddr.port == served.port}  # fmt: skip
    assert listening == {"127.0.0.1"}
    status, _, page = served.get("")
    assert status == 200
    assert "lf-chart" in page or "jupyter.widget-view" in page
    assert "jsdelivr" not in page
    kernels = psutil.Process(served.process.pid).children(recursive=True)
    assert kernels  # the page has one
    folder = next(one.cwd() for one in kernels if "ipykernel_launcher" in one.cmdline())
    assert "longfat-explore-" in folder
    out, err, code = served.end()
    assert (out.strip(), err, code) == ("ended", "", 0)
    _, alive = psutil.wait_procs(kernels, timeout=10)
    assert alive == []
    assert not os.path.exists(folder)


def test_open_to_others_only_with_the_token(serve):
    served = serve("--host", "0.0.0.0")
    token = re.search(r"\?token=([\w-]{20,})", served.url)[1]
    for path in ("", "?token=wrong", "voila/files/explore.ipynb"):
        _, url, page = served.get(path)
        assert "/login" in url or page == "", path
        assert "jupyter.widget-view" not in page
    status, _, page = served.get(f"?token={token}")
    assert status == 200
    assert "jupyter.widget-view" in page
    kernel = re.search(r'"kernelId":\s*"([0-9a-f-]{36})"', page)
    assert kernel
    status, url, _ = served.get(f"api/kernels/{kernel[1]}")  # nobody talks to its kernel without the token
    assert status in (401, 403) or "/login" in url
    assert served.end()[2] == 0


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
        (["--port", "70000"], r"port = 70000 is out of range: allowed are whole numbers in \[0, 65535\]"),
        (["--port", "web"], "port = 'web' is no whole number"),
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
    monkeypatch.setattr(serving, "NEEDED", ("voila_that_nobody_has",))
    assert main(["explore", "--no-browser"]) == 2
    assert capsys.readouterr().err == (
        "longfat: explore needs voila_that_nobody_has, not installed: pip install 'longfat[notebook]'\n"
    )


def test_without_widgets(monkeypatch):
    import longfat.explore

    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match=r"longfat\.explore\.law needs ipywidgets: pip install"):
        longfat.explore.__getattr__("law")


def test_a_browser_is_opened_with_the_address(monkeypatch):
    opened, said = [], []
    monkeypatch.setattr(serving.webbrowser, "open", opened.append)

    class Voila:
        def start(self):
            from tornado.ioloop import IOLoop

            loop = IOLoop.current()
            loop.add_callback(loop.stop)
            loop.start()

    serving._run(Voila(), "http://127.0.0.1:1/", True, said.append)
    for _ in range(100):
        if opened:
            break
        time.sleep(0.05)
    assert opened == said == ["http://127.0.0.1:1/"]
