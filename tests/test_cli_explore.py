"""`longfat explore`: who gets in, what it refuses, what it simulates for whom, and that nothing is left of it."""

import asyncio
import contextlib
import json
import multiprocessing
import re
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from longfat.base import extras, progress
from longfat.cli import main
from longfat.explore import simulations, state
from tests.served import TOKEN, Fake, Inside, Served

psutil = pytest.importorskip("psutil", reason="comes with ipykernel")
server = pytest.importorskip("longfat.explore.server", reason="the extra 'explore'")
pytestmark = pytest.mark.skipif(not extras.installed("docutils"), reason="the extra 'explore'")

ASKED = {"law": "queues.mm1_wait", "across": "load", "values": {"load": "0.5"}, "replications": 3}
PAGE = "laws/queues/mm1_wait/"


@pytest.fixture
def inside():
    made = []

    def begin(fake=None, **options):
        made.append(Inside(fake, **options))
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
    processes = process.children()
    out, err, code = served.end()
    assert (out.strip(), err, code) == ("ended", "", 0)
    _, alive = psutil.wait_procs(processes, timeout=10)
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
    assert served.fake.done == 0
    status, headers, _ = served.ask("")
    assert status == 200
    assert headers["Referrer-Policy"] == "no-referrer"  # the address has the token
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "Server" not in headers


def test_requests_under_other_names_are_refused(inside):
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
    assert served.fake.done == 0
    assert served.ask(f"/{TOKEN}")[1]["Location"] == f"/{TOKEN}/"
    for host in (here, f"localhost:{served.port}"):
        assert served.ask(PAGE, Host=host, Origin=f"http://{host}")[0] == 200


def test_open_to_others_by_its_addresses_only(inside):
    served = inside(host="0.0.0.0")
    for host in (f"127.0.0.1:{served.port}", f"{socket.gethostname()}:{served.port}", "192.0.2.1"):  # as others call it
        assert served.ask("", Host=host)[0] == 200
    assert served.ask("", Host="evil.example")[0] == 403
    assert served.ask("/", Host="192.0.2.1")[0] == 403


def test_only_the_site_is_served(inside):
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
    status, headers, _ = served.ask("laws/queue/<script>mm1_wiat/")
    assert (status, headers["Content-Type"]) == (404, "text/plain; charset=utf-8")
    assert "did you mean laws/queues/mm1_wait/index.html?" in served.ask("laws/queues/mm1_wiat/")[2]
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
    (ASKED | {"values": []}, "values must be a JSON object"),
    (ASKED | {"replications": 1001}, r"replications = 1001 runs is out of range: must be an integer in \[2, 1000\]"),
    (ASKED | {"replications": True}, "replications"),
    (ASKED | {"code": "print()"}, "part of a request 'code' is unknown"),
    ([], "request must be a JSON object"),
    ("[" * 9000, "request cannot be read: must be a JSON object"),
    ("", "request cannot be read"),
]  # fmt: skip


def test_requests_are_checked(inside):
    served = inside()
    for asked, message in REFUSED:
        status, _, text = served.ask("simulate", asked if isinstance(asked, str) else json.dumps(asked))
        assert status == 400, asked
        assert re.match(message, text), text
    assert served.ask("simulate", json.dumps(ASKED), Content_Type="text/plain")[0] == 415  # as a form would send
    with contextlib.suppress(ConnectionError):  # the server may have closed before it read all
        assert served.ask("simulate", json.dumps(ASKED) + " " * 20_000)[0] in (400, 413)
    assert served.fake.done == 0
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
    served = inside(Fake(takes=0.1))
    connection, answer = served.opened("simulate", json.dumps(ASKED))
    assert answer.read(5) == b"data:"  # the first point is there
    connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
    assert within(5, lambda: served.served.streams == 0)
    assert served.running == 0
    assert served.fake.done < 3 * simulations.POINTS


def simulated(file, left=None):
    """Return the events of a simulation in a process of its own, which is left as soon as the path `left` exists."""
    process = pytest.importorskip("longfat.explore.server", reason="processes are not forked here")

    async def all_of():
        async with contextlib.aclosing(process.events(json.dumps(ASKED).encode(), file)) as found:
            return [one async for one in found]

    async def until_left():
        reading = asyncio.create_task(all_of())
        if left is not None:
            assert await asyncio.to_thread(within, 60, left.exists)
            reading.cancel()
        async with asyncio.timeout(60):
            return await reading

    return asyncio.run(until_left())


def test_a_simulation_for_nobody_is_killed(tmp_path):
    began = tmp_path / "began"
    (tmp_path / "mine.py").write_text(f"import pathlib, time\npathlib.Path({str(began)!r}).touch()\ntime.sleep(600)")
    begun, others = time.monotonic(), multiprocessing.active_children()  # workers of other tests
    with pytest.raises(asyncio.CancelledError):
        simulated(str(tmp_path / "mine.py"), began)
    assert time.monotonic() - begun < 90
    assert [one for one in multiprocessing.active_children() if one not in others] == []


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os; os._exit(1)", "the simulation has ended: its process took too much memory, or was killed"),
        ("x = bytearray(8 << 30)", ".*mine.py cannot be run: MemoryError"),
        ("print('no law')", "ValueError: .*mine.py.* no Law"),
    ],
)
def test_a_failed_simulation_is_reported(tmp_path, code, why):
    (tmp_path / "mine.py").write_text(code)
    (event,) = simulated(str(tmp_path / "mine.py"))
    assert event["kind"] == "error"
    assert re.search(why, event["why"])


def test_too_many_simulations_are_refused(inside, monkeypatch):
    monkeypatch.setattr(server, "STREAMS", 1)
    served = inside(Fake(takes=0.2))
    connection, answer = served.opened("simulate", json.dumps(ASKED))
    assert answer.status == 200
    status, _, text = served.ask("simulate", json.dumps(ASKED))
    assert (status, text) == (503, "1 simulations run or wait already: try again later\n")
    connection.close()


def test_a_hundred_clients_at_once(inside):
    """Each reads a page and simulates, all at the same time; all are answered in full, by a few processes."""
    most = 0

    def value(seed, point):
        nonlocal most
        most = max(most, served.running)
        return point["load"]

    served = inside(Fake(value=value))

    def visit(k):
        page = served.ask(PAGE, timeout=60)[0]
        return page, events(served.ask("simulate", json.dumps(ASKED | {"replications": 2}), timeout=60)[2])[-1]["why"]

    with ThreadPoolExecutor(100) as pool:
        assert list(pool.map(visit, range(100))) == [(200, "")] * 100
    assert 2 <= most <= server.MOST


def test_the_pages_are_those_that_are_written(inside, tmp_path, capsys, monkeypatch):
    """`--output` writes what is served, without what simulates: two laws stand for all."""
    names = ("queues.mm1_wait", "power.network_power")
    monkeypatch.setattr(state, "chosen", lambda law="": {name: state.find(name) for name in names})
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    assert main(["explore", "--output", str(tmp_path / "site")]) == 0
    out, err = capsys.readouterr()
    assert out.endswith(f" laws: {tmp_path / 'site' / 'index.html'}\n")
    assert "writing pages:" in err
    served = inside(laws=None)
    for path in (PAGE, "laws/power/network_power/", ""):
        home = ', { simulate: longfatView.served("../../../simulate") }'
        text = served.ask(path)[2]
        assert (home in text) == (path == PAGE)  # network power has no simulator
        assert text.replace(home, "") == (tmp_path / "site" / path / "index.html").read_text(encoding="utf-8")


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
        rf"longfat: port = {port} on 127\.0\.0\.1 cannot be listened on: .*choose another with --port\n", said.err
    )
