"""`longfat explore`: who gets in, what it refuses, what it simulates for whom, and that nothing is left of it."""

import asyncio
import contextlib
import json
import math
import re
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from longfat.base import extras
from longfat.cli import main
from longfat.explore import simulations
from longfat.explore.workers import PATIENCE, Workers
from longfat.laws.queues import mm1_wait
from tests.served import TOKEN, Inside, Served

psutil = pytest.importorskip("psutil", reason="comes with ipykernel")
server = pytest.importorskip("longfat.explore.server", reason="the extra 'explore'")
pytestmark = pytest.mark.skipif(not extras.installed("docutils"), reason="the extra 'explore'")

ASKED = {"law": "queues.mm1_wait", "across": "load", "values": {"load": "0.5"}, "replications": 3}
PAGE = "laws/queues/mm1_wait/"
# Answers each question with the load, at once or after a while.
ECHO = "import json, sys, time\nfor line in sys.stdin:\n    time.sleep({})\n    "
ECHO += "print(json.dumps({{'value': json.loads(line)['point']['load'], 'packets': 1000}}), flush=True)"


class Echo:
    """Simulations of the tests: the value is the load, and the replications that wait are counted."""

    def __init__(self, takes=0.0, slow_after=math.inf):
        self.takes, self.slow_after, self.running, self.done = takes, slow_after, 0, 0

    async def run(self, law, point, seed):
        self.running += 1
        try:
            await asyncio.sleep(self.takes if self.done < self.slow_after else 60)
            self.done += 1
        finally:
            self.running -= 1
        return point["load"], 1000.0


def echoing(seconds, most=2):
    """Return a pool of processes that answer after a time."""
    return lambda: Workers([sys.executable, "-c", ECHO.format(seconds)], most)


@pytest.fixture
def inside():
    made = []

    def begin(workers=Echo, **options):
        made.append(Inside(workers, **options))
        return made[-1]

    yield begin
    for one in made:
        one.end()


@pytest.fixture
def serve():
    made = []

    def begin(*flags):
        made.append(Served(*flags))
        return made[-1]

    yield begin
    for one in made:
        one.kill()


def events(text):
    return [json.loads(part.removeprefix("data: ")) for part in text.split("\n\n") if part]


def within(seconds, holds):
    """Return whether something holds soon."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_own_machine_only_and_nothing_left(serve):
    served = serve("--law", "mm1_wait")
    assert served.url.startswith("http://127.0.0.1:")
    assert served.url.endswith(PAGE)
    process = psutil.Process(served.process.pid)
    listening = {one.laddr.ip for one in process.net_connections("inet") if one.status == "LISTEN"}
    assert listening == {"127.0.0.1"}
    status, _, page = served.ask(PAGE)
    assert status == 200
    assert "longfatView.mount" in page
    assert within(20, lambda: process.children())  # what will simulate
    workers = process.children()
    out, err, code = served.end()
    assert (out.strip(), err, code) == ("ended", "", 0)
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert alive == []


def test_nothing_without_the_token(inside):
    served = inside()
    paths = (
        "/",
        "/wrong/",
        f"/wrong/{PAGE}",
        "//",
        "/?token=a-token-of-the-tests",
        "/a-token-of-the-test/",
        f"/{PAGE}",
    )
    for path in paths:
        status, headers, text = served.ask(path)
        assert status == 403, path
        assert "needs its token: `longfat explore` prints it" in text
        assert "Set-Cookie" not in headers
    status, _, text = served.ask("/wrong/simulate", json.dumps(ASKED))
    assert status == 403
    assert served.workers.done == 0
    status, headers, _ = served.ask("")
    assert status == 200
    assert headers["Referrer-Policy"] == "no-referrer"  # the address has the token
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "Server" not in headers


def test_strangers_get_nothing(inside):
    """A name that somebody else's DNS leads here, and another site's page: 403 for pages and simulations."""
    served = inside()
    here = f"127.0.0.1:{served.port}"
    hosts = ("evil.example", f"evil.example:{served.port}", "192.0.2.1", "127.0.0.1.evil.example", "[", "")
    origins = ("https://evil.example", "null", "http://127.0.0.1:1", f"http://evil.{here}", "http://[")
    for headers in [{"Host": host} for host in hosts] + [{"Origin": origin} for origin in origins]:
        for path, body in (("", None), (PAGE, None), ("simulate", json.dumps(ASKED))):
            status, _, text = served.ask(path, body, **headers)
            assert status == 403, (headers, path)
            assert "own pages only" in text
    assert served.workers.done == 0
    assert served.ask(f"/{TOKEN}")[1]["Location"] == f"/{TOKEN}/"
    for host in (here, f"localhost:{served.port}"):
        assert served.ask(PAGE, Host=host, Origin=f"http://{host}")[0] == 200


def test_open_to_others_by_its_addresses_only(inside):
    served = inside(host="0.0.0.0")
    for host in (f"127.0.0.1:{served.port}", f"{socket.gethostname()}:{served.port}", "192.0.2.1"):  # as others call it
        assert served.ask("", Host=host)[0] == 200
    assert served.ask("", Host="evil.example")[0] == 403
    assert served.ask("/", Host="192.0.2.1")[0] == 403


def test_nothing_but_the_site(inside):
    served = inside()
    for path in (
        "setup.cfg",
        "../../../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "laws/../../x",
        "laws/queues/",
        "view.js",
    ):
        status, _, text = served.ask(path)
        assert status == 404, path
        assert "No such page" in text
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        assert served.ask(PAGE, method=method)[0] == 405
    assert served.ask("simulate")[0] == 405
    status, _, text = served.ask("laws/queue/<script>mm1_wiat/")
    assert status == 404
    assert "<script>mm1" not in text
    assert "../../../laws/queues/mm1_wait/" in text  # the nearest name
    status, _, text = served.ask(PAGE, method="HEAD")
    assert (status, text) == (200, "")


REFUSED = [
    (ASKED | {"law": "queues.mm1_wiat"}, "law 'queues.mm1_wiat' is unknown; did you mean 'queues.mm1_wait'"),
    (ASKED | {"law": "power.network_power"}, "across 'load' is unknown"),
    (ASKED | {"law": ["queues.mm1_wait"]}, "law .* is unknown"),
    (ASKED | {"across": "lod"}, r"across 'lod' is unknown; did you mean 'load'\?"),
    (ASKED | {"values": {"load": "1"}}, r"load = 1 is out of range: must be in \[0, 1\)"),
    (ASKED | {"values": {"load": "__import__('os')"}}, "load cannot be read: must be a number as text"),
    (ASKED | {"values": {"load": 0.5}}, "load cannot be read: must be a number as text"),
    (ASKED | {"values": {"load": "0" * 41}}, "load cannot be read"),
    (ASKED | {"values": {"load": "nan"}}, "load"),
    (ASKED | {"values": {"lode": "0.5"}}, "parameter 'lode' is unknown"),
    (ASKED | {"values": []}, "values must be an object"),
    (ASKED | {"replications": 1001}, r"replications = 1001 runs is out of range: must be an integer in \[2, 1000\]"),
    (ASKED | {"replications": True}, "replications"),
    (ASKED | {"code": "print()"}, "part of a request 'code' is unknown"),
    ([], "request must be an object"),
    ("[" * 9000, "request cannot be read: must be a JSON object"),
    ("", "request cannot be read"),
]  # fmt: skip


def test_requests_are_checked(inside):
    served = inside()
    for asked, message in REFUSED:
        status, _, text = served.ask("simulate", asked if isinstance(asked, str) else json.dumps(asked))
        assert status == 400, asked
        assert re.match(message, json.loads(text)["error"]), text
    assert served.ask("simulate", json.dumps(ASKED), Content_Type="text/plain")[0] == 415  # as a form would send
    with contextlib.suppress(ConnectionError):  # the server may have closed before it read all
        assert served.ask("simulate", json.dumps(ASKED) + " " * 20_000)[0] in (400, 413)
    assert served.workers.done == 0
    assert served.ask(PAGE)[0] == 200


def test_points_stream_in(inside):
    served = inside()
    status, headers, text = served.ask("simulate", json.dumps(ASKED))
    assert (status, headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
    *points, end = events(text)
    assert len(points) == simulations.POINTS
    assert [one["x"] for one in points][:2] == [0.05, 0.8]  # the ends of the range of the comparison first
    for one in points:  # a replication is the load
        assert [one["low"], one["mean"], one["high"]] == pytest.approx([one["x"]] * 3)
    assert end == {"kind": "end", "why": "", "packets": 3 * 1000.0 * len(points), "refused": 0}


def test_a_client_that_leaves_ends_its_work(inside):
    served = inside()
    served.workers.slow_after = 3
    connection, answer = served.opened("simulate", json.dumps(ASKED))
    assert answer.read(5) == b"data:"  # the first point is there, the second takes a minute
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    assert within(5, lambda: served.served.streams == 0)
    assert served.workers.running == 0
    assert served.workers.done == 3


def test_a_replication_for_nobody_is_killed():
    """The process is not waited for longer than `PATIENCE`; the next replication has one of its own."""

    async def leave():
        workers = echoing(60, most=1)()
        first = asyncio.ensure_future(workers.run(mm1_wait, {"load": 0.5}, 1))
        await asyncio.sleep(0.1)
        (worker,) = workers._all
        first.cancel()
        begun = time.monotonic()
        await worker.process.wait()
        took = time.monotonic() - begun
        workers._command = (sys.executable, "-c", ECHO.format(0))
        after = await asyncio.wait_for(workers.run(mm1_wait, {"load": 0.25}, 1), 20)
        await workers.close()
        return took, after, len(workers._all)

    took, after, left = asyncio.run(leave())
    assert took < PATIENCE + 1
    assert after == (0.25, 1000)
    assert left == 1  # the second one, which close has killed


def test_limits_of_time_and_packets():
    request = simulations.read(json.dumps(ASKED), {"queues.mm1_wait": mm1_wait})

    async def all_of(**limits):
        return [one async for one in simulations.estimates(request, Echo(takes=0.01).run, **limits)]

    *points, end = asyncio.run(all_of(seconds=0.05))
    assert len(points) < simulations.POINTS
    assert end["why"] == "stopped after 0.05 s: take fewer replications"
    *points, end = asyncio.run(all_of(packets=2500))
    assert (len(points), end["why"]) == (1, "stopped after 2500 packets: take fewer replications")


def test_too_many_simulations_are_refused(inside, monkeypatch):
    monkeypatch.setattr(server, "STREAMS", 1)
    served = inside(lambda: Echo(takes=0.2))
    connection, answer = served.opened("simulate", json.dumps(ASKED))
    assert answer.status == 200
    status, _, text = served.ask("simulate", json.dumps(ASKED))
    assert (status, json.loads(text)["error"]) == (503, "1 simulations run or wait already: try again later")
    connection.close()


def test_a_hundred_clients_at_once(inside):
    """Each reads a page and simulates, all at the same time; all are answered in full by two processes."""
    served = inside(echoing(0))

    def visit(k):
        page = served.ask(PAGE, timeout=60)[0]
        return page, events(served.ask("simulate", json.dumps(ASKED | {"replications": 2}), timeout=60)[2])[-1]["why"]

    with ThreadPoolExecutor(100) as pool:
        assert list(pool.map(visit, range(100))) == [(200, "")] * 100
    assert len(served.workers._all) <= 2


def test_a_simulation_that_fails_is_said(inside):
    served = inside(lambda: Workers([sys.executable, "-c", "raise SystemExit"], 1))
    (event,) = events(served.ask("simulate", json.dumps(ASKED))[2])
    assert event["kind"] == "error"
    assert "the simulation has ended" in event["why"]


@pytest.mark.long
def test_a_real_simulation_beside_the_law(serve):
    served = serve()
    *points, end = events(served.ask("simulate", json.dumps(ASKED | {"replications": 10}), timeout=120)[2])
    last = {one["x"]: one for one in points}
    assert len(last) == simulations.POINTS
    assert end["why"] == ""
    inside = [one["low"] <= x / (1 - x) <= one["high"] for x, one in last.items()]
    assert sum(inside) >= 10  # of 13 intervals of 95 %: fewer in one of 5000 runs, and the seeds are fixed
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


def test_without_the_extra(monkeypatch, capsys):
    monkeypatch.setattr(extras, "installed", lambda module: module != "tornado")
    assert main(["explore", "--no-browser"]) == 2
    assert capsys.readouterr().err == ("longfat: explore needs tornado: pip install 'longfat[explore]'\n")
