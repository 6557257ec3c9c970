"""Pages of `longfat explore`, and the view in JupyterLab, in headless Chromium; skipped where something is missing."""

import base64
import contextlib
import csv
import io
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

import longfat as lf
from longfat.base import extras
from longfat.explore import simulations
from longfat.handbook.presets import presets
from tests.served import Fake, Inside, Served

EFFICIENCY = lf.laws.selective_repeat.throughput_efficiency
PAGE = "laws/selective_repeat/throughput_efficiency/"

pytestmark = [
    pytest.mark.skipif(not extras.installed("tornado"), reason="the extra 'explore'"),
    pytest.mark.skipif(not extras.installed("docutils"), reason="the extra 'explore'"),
    pytest.mark.filterwarnings("ignore"),  # of the browser's driver, not of ours
]

# Controls without a name for a screen reader.
NAMELESS = """() => [...document.querySelectorAll('.lf-view input, .lf-view select, .lf-view button')].filter(one =>
  one.offsetParent && !one.ariaLabel && !one.labels?.length && !one.textContent.trim()).map(one => one.outerHTML)"""


@pytest.fixture
def served():
    """The server with simulations of the test, so that the intervals are known."""
    fake = Fake(value=lambda seed, point: (0.25, 0.5, 0.75)[seed % 3])
    made = Inside(fake, laws=[EFFICIENCY, lf.laws.queues.mm1_wait])
    yield made
    made.end()


def opened(browser, address, width=1600, **options):
    """Return a page, with the errors of its console and its requests to other machines."""
    made = browser.new_page(viewport={"width": width, "height": 1000}, **options)
    made.errors, made.elsewhere = [], []
    origin = re.match(r"https?://[^/]+/", address)[0]
    made.on("console", lambda one: made.errors.append(one.text) if one.type == "error" else None)
    made.on("pageerror", lambda one: made.errors.append(str(one)))
    made.on(
        "request",
        lambda one: None if one.url.startswith((origin, "data:", "blob:")) else made.elsewhere.append(one.url),
    )
    made.goto(address)
    return made


def value(page):
    return float(page.locator(".lf-value").first.get_attribute("data-value"))


def test_points_arrive_while_the_sliders_move(served, browser):
    page = opened(browser, served.url)
    page.get_by_role("searchbox").fill("throughput efficiency")
    page.get_by_role("link", name="Throughput efficiency").click()
    assert page.url == f"{served.url}{PAGE}index.html"  # the links keep the token

    # The papers' networks set the sliders.
    network = presets(EFFICIENCY)[0]
    page.get_by_label("network").select_option(label=network.name)
    expected = EFFICIENCY(**{name: network.values[name] for name in EFFICIENCY.symbols})
    close = "x => Math.abs(document.querySelector('.lf-value').dataset.value / x - 1) < 1e-11"
    page.wait_for_function(close, arg=expected)
    assert network.source in page.locator(".lf-choices").inner_text()

    # Points with intervals come in; they stay while the operating point moves, and make room for others with a slider.
    page.get_by_role("button", name="Simulate").click()
    page.get_by_text("done: 13 points, 95 % intervals").wait_for()
    assert page.locator(".lf-chart circle.bar").count() == simulations.POINTS
    assert "confidence intervals" in page.locator(".lf-legend").inner_text()
    page.locator("input[type=range]").first.press("ArrowRight")
    assert page.locator(".lf-chart circle.bar").count() == simulations.POINTS
    page.locator("input[type=range]").nth(1).press("ArrowRight")
    page.get_by_text("starting …").wait_for()
    assert page.locator(".lf-chart circle.bar").count() == 0
    page.get_by_text("done: 13 points, 95 % intervals").wait_for()
    assert page.get_by_label("network").input_value() == "-1"  # it is that network no more

    # The picture and the numbers are files.
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text())))
    of_the_law = [row for row in rows if row["throughput_efficiency"]]
    for row in of_the_law[:: len(of_the_law) // 7]:
        arguments = {name: float(row[f"{name} [{symbol.unit}]"]) for name, symbol in EFFICIENCY.symbols.items()}
        assert float(row["throughput_efficiency"]) == pytest.approx(EFFICIENCY(**arguments), rel=1e-11)
        assert float(row["as_printed"]) == pytest.approx(EFFICIENCY.as_printed(**arguments), rel=1e-11)
        assert row["valid"] == str(bool(EFFICIENCY.validity(**arguments))).lower()
    simulated = [row for row in rows if row["simulated"]]
    assert len(simulated) == simulations.POINTS
    assert all(float(row["simulated_lower"]) < float(row["simulated"]) for row in simulated)
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    picture = download.value.path().read_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    with page.expect_download() as download:
        page.get_by_role("button", name="Python").click()
    call = download.value.path().read_text().splitlines()[-1]
    assert eval(call.replace("print", ""), {"lf": lf}) == pytest.approx(value(page), rel=1e-11)
    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert picture.count("<circle") == simulations.POINTS + 2  # and the operating point, and the legend's
    assert "stroke: rgb(0, 114, 178)" in picture  # the styles are in it
    assert "Window" in picture

    # Nonsense gets a sentence at the field.
    page.get_by_label("replications").fill("1")
    page.get_by_label("replications").press("Enter")
    page.get_by_text("replications = 1 is out of range: it must be an integer in [2, 1000].").wait_for()
    assert page.evaluate(NAMELESS) == []
    assert (page.errors, page.elsewhere) == ([], [])
    page.close()


@pytest.mark.long
def test_a_real_simulation_and_the_end_of_the_server(browser):
    served = Served("--law", "selective_repeat.throughput_efficiency")
    try:
        page = opened(browser, served.url)
        page.get_by_role("button", name="Simulate").click()
        page.get_by_text("done: 13 points, 95 % intervals").wait_for(timeout=60_000)
        assert served.end() == ("ended\n", "", 0)
        page.get_by_label("replications").fill("20")
        page.get_by_label("replications").press("Enter")
        page.get_by_text("The server does not answer: start `longfat explore` again.").wait_for()
        page.close()
    finally:
        served.kill()


# JupyterLab.


class Lab:
    """JupyterLab in a folder, in a process of its own."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.token = secrets.token_hex(8)
        command = [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}",
            f"--ServerApp.root_dir={folder}", f"--IdentityProvider.token={self.token}", "--ServerApp.ip=127.0.0.1",
            "--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ]  # fmt: skip
        places = {"JUPYTER_CONFIG_DIR": f"{folder}/.config", "JUPYTER_DATA_DIR": f"{folder}/.data"}
        self.process = subprocess.Popen(command, env=os.environ | places, stderr=subprocess.DEVNULL)
        self.url, end = f"http://127.0.0.1:{port}/", time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}api?token={self.token}", timeout=5):
                return
            time.sleep(0.2)
        raise AssertionError("JupyterLab does not answer")

    def address(self, path):
        return f"{self.url}lab/tree/{path}?token={self.token}&reset"

    def end(self):
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture
def lab(tmp_path):
    for module in ("jupyterlab", "anywidget"):
        if not extras.installed(module):
            pytest.skip(f"{module} is not installed: make venv")
    made = Lab(tmp_path)
    yield made
    made.end()


CELLS = ("import longfat as lf\nview = lf.explore.law('queues.mm1_wait')\nview", "lf.explore('cadpc.trajectory')")


def saved(path):
    """Return the picture that a notebook has of its first cell."""
    outputs = json.loads(path.read_text())["cells"][0]["outputs"]
    text = "".join("".join(one.get("data", {}).get("text/html", "")) for one in outputs)
    found = re.search('data:image/svg.xml;base64,([^"]+)', text)
    return base64.b64decode(found[1]).decode() if found else ""


@pytest.mark.long
def test_in_jupyterlab(lab, browser, tmp_path):
    """Open, run, move a slider, simulate, save, and open again with another kernel: the last picture is there."""
    cells = [
        {"cell_type": "code", "id": f"cell-{k}", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
        for k, text in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps(book))
    page = browser.new_page(viewport={"width": 1300, "height": 1600})
    page.goto(lab.address("book.ipynb"), timeout=60_000)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=60_000)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.locator(".jp-Cell .lf-view").nth(1).wait_for(timeout=60_000)
    one, every = page.locator(".lf-widget").nth(0), page.locator(".lf-widget").nth(1)
    slider = one.locator("input[type=range]").first
    before = float(one.locator(".lf-value").get_attribute("data-value"))
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)  # the last frame
    moved = float(one.locator(".lf-value").get_attribute("data-value"))
    assert moved > before
    assert not page.locator(".longfat-picture").first.is_visible()  # the view itself is there
    one.get_by_role("button", name="Simulate").click()
    one.get_by_text("done: 13 points").wait_for(timeout=60_000)
    every.locator("select.lf-law").select_option("queues.md1_wait")
    every.get_by_role("button", name="Simulate").wait_for()
    load = float(one.locator(".lf-typed input").first.input_value())
    assert moved == pytest.approx(load / (1 - load), rel=1e-4)  # the field has six digits
    page.screenshot(path=tmp_path / "lab.png")

    # The picture that the browser has drawn is written into the notebook: with the points and the operating point.
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
        if saved(path).count("<circle") == simulations.POINTS + 2:  # with the operating point, and the legend's
            break
    assert saved(path).count("<circle") == simulations.POINTS + 2
    page.close()

    # Again, with a kernel that knows nothing of it.
    request = urllib.request.Request(f"{lab.url}api/sessions?token={lab.token}")
    with urllib.request.urlopen(request) as answer:
        sessions = json.load(answer)
    for session in sessions:
        urllib.request.urlopen(
            urllib.request.Request(f"{lab.url}api/sessions/{session['id']}?token={lab.token}", method="DELETE")
        ).close()
    page = browser.new_page(viewport={"width": 1300, "height": 1200})
    page.goto(lab.address("book.ipynb"), timeout=60_000)
    picture = page.locator(".longfat-picture img").first
    picture.wait_for(timeout=60_000)
    assert picture.is_visible()
    assert picture.evaluate("one => one.naturalWidth") > 200
    page.screenshot(path=tmp_path / "again.png")
    page.close()
