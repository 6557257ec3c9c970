"""The page in a real browser: headless Chromium, driven by playwright; skipped where one of them is missing."""

import re
import shutil
import time
from importlib.util import find_spec

import pytest

import longfat as lf
from longfat.explore.presets import presets
from tests.served import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
EFFICIENCY = lf.laws.selective_repeat.throughput_efficiency
WIDTHS = (400, 1600)  # px
SMALLEST = 12  # px, of letters

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make venv")
pytestmark = [
    pytest.mark.skipif(find_spec("voila") is None, reason="Voila is not installed: make venv"),  # an import takes 4 s
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: make browser"),
    pytest.mark.filterwarnings("ignore"),  # of the browser's driver, not of ours
]

# Letters that can be seen and are too small, and parts that are wider than their place and cannot be scrolled.
SMALL = """least => [...document.querySelectorAll('.lf-view *')].filter(one => one.offsetParent &&
  [...one.childNodes].some(part => part.nodeType == 3 && part.data.trim()) && !one.closest('mjx-container') &&
  !one.matches('sub, sup') && parseFloat(getComputedStyle(one).fontSize) < least)
  .map(one => one.outerHTML.slice(0, 80))"""
BEYOND = """() => [...document.querySelectorAll('.lf-view, .lf-view *')].filter(one => one.offsetParent &&
  !one.closest('.lf-law') && one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 80))"""
# How long it takes from a key to the number and the picture that follow it, painted, seen by the page itself. The
# number is the last of the two to come.
WATCH = """() => { window.drawn = []; const shown = () => document.querySelector('.lf-value')?.dataset.value;
  let begun = 0, last = shown();
  addEventListener('keydown', () => { begun = performance.now(); last = shown(); }, true);
  new MutationObserver(() => { if (begun && shown() && shown() != last) { const from = begun; begun = 0;
    requestAnimationFrame(() => setTimeout(() => window.drawn.push(performance.now() - from))); } }).observe(
    document.querySelector('.lf-view'), {subtree: true, childList: true}); }"""


@pytest.fixture
def served():
    made = Served()
    yield made
    made.kill()


@pytest.fixture
def browser():
    with sync_api.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])  # root has no sandbox
        yield made
        made.close()


def _open(page, address):
    page.goto(address, timeout=120_000)
    page.wait_for_selector(".lf-chart", timeout=120_000)


@pytest.fixture
def page(served, browser):
    """Provide the page, with the errors of its console and its requests to other machines."""
    made = browser.new_page(viewport={"width": WIDTHS[1], "height": 1000})
    made.errors, made.elsewhere = [], []
    made.on("console", lambda one: made.errors.append(one.text) if one.type == "error" else None)
    made.on("pageerror", lambda one: made.errors.append(str(one)))
    made.on("request", lambda one: None if _here(one.url, served.url) else made.elsewhere.append(one.url))
    _open(made, served.url)
    return made


def _here(url, address):
    origin = address.partition("?")[0]
    return url.startswith((origin, "data:", "blob:", origin.replace("http", "ws")))


def _value(page):
    return float(page.locator(".lf-value").get_attribute("data-value"))


def _values(page):
    """Return the values of the fields, by parameter."""
    names = list(EFFICIENCY.symbols)
    fields = page.locator(".lf-view input[type=text]")
    return {name: float(fields.nth(k).input_value()) for k, name in enumerate(names)}


def _curve(page):
    return page.locator('.lf-area path[stroke="#0072B2"][stroke-width="3"]').first.get_attribute("d")


def test_the_page(page, tmp_path, record_property):
    # It says what the law says, in the first of the papers' networks.
    network = presets(EFFICIENCY)[0]
    expected = EFFICIENCY(**{name: network.values[name] for name in EFFICIENCY.symbols})
    assert _value(page) == pytest.approx(expected, rel=1e-12)
    assert f"{expected:.6g}" in page.locator(".lf-value b").inner_text()

    # By keyboard alone: Tab to the slider of the loss, and move it.
    page.evaluate(WATCH)
    for _ in range(40):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.className")
        if "noUi-handle" in focused:
            break
    assert "noUi-handle" in focused
    outline = page.evaluate("getComputedStyle(document.activeElement).outline")
    assert "3px" in outline  # the focus is seen
    assert "solid" in outline
    page.keyboard.press("Tab")  # the window's field
    page.keyboard.press("Tab")  # the loss's slider
    before, curve = _values(page), _curve(page)
    for _ in range(10):
        seen = page.locator(".lf-value").get_attribute("data-value")
        page.keyboard.press("ArrowRight")
        page.wait_for_function(
            "seen => document.querySelector('.lf-value').dataset.value != seen", arg=seen, timeout=20_000
        )
    after = _values(page)
    assert after["loss"] > 2 * before["loss"]  # ten steps of a tenth
    assert {**after, "loss": 0} == {**before, "loss": 0}
    assert _curve(page) != curve
    # The fields show ten digits.
    assert _value(page) == pytest.approx(EFFICIENCY(**after), rel=1e-8)
    times = sorted(page.evaluate("window.drawn"))
    record_property("redraw_median_ms", times[len(times) // 2])
    record_property("redraw_largest_ms", times[-1])
    print(f"slider to picture: median {times[len(times) // 2]:.0f} ms, largest {times[-1]:.0f} ms of {len(times)}")

    # By hand: a value typed, one that is refused.
    field = page.locator(".lf-view input[type=text]").nth(1)
    field.fill("2")
    field.press("Enter")
    page.get_by_text("loss = 2 is out of range: must be in [0, 1)").wait_for()
    field.fill("1e-3")
    field.press("Enter")
    page.wait_for_function("!document.querySelector('[role=alert]')")
    assert _values(page)["loss"] == 1e-3

    # Simulated points arrive, and the sliders stay alive meanwhile.
    page.get_by_role("button", name="Simulate").click()
    page.wait_for_selector(".lf-point", state="attached", timeout=180_000)
    page.get_by_text("simulated, 10 replications, 95% intervals").wait_for()
    page.get_by_role("button", name="Simulate").click()

    # The formula is set without any other server's help; files are links.
    page.get_by_text("Formula and Python call").click()
    page.wait_for_selector(".lf-law mjx-container", timeout=30_000)
    page.get_by_role("button", name="Files").click()
    page.wait_for_selector(".lf-links a", timeout=60_000)
    with page.expect_download() as download:
        page.get_by_role("link", name="throughput_efficiency.csv").click()
    assert download.value.path().read_text().startswith("window,")

    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(BEYOND) == []
        assert page.evaluate(SMALL, SMALLEST) == []
        page.screenshot(path=tmp_path / f"{width}.png", full_page=True)

    # Another law.
    page.get_by_label("subject").select_option("queues (12)")
    page.get_by_label("law", exact=True).select_option("mm1 wait")
    page.wait_for_selector("h2:has-text('mm1 wait')")
    load = float(page.locator(".lf-view input[type=text]").first.input_value())
    assert _value(page) == pytest.approx(load / (1 - load))
    assert re.search(r"service times", page.locator(".lf-yname").inner_text())
    time.sleep(0.2)
    assert page.get_by_role("alert").count() == 0
    assert page.errors == []
    assert page.elsewhere == []


@pytest.mark.long
def test_a_kernel_ends_with_its_tab_and_a_tab_says_that_the_server_has_ended(served, browser):
    tab = browser.new_page()
    _open(tab, served.url)
    assert served.becomes(1)
    tab.reload()
    tab.wait_for_selector(".lf-chart", timeout=120_000)
    assert served.becomes(1, within=3)  # sooner than the server gives up a tab: the page itself said so
    tab.close()  # without the page's events, as when the browser is killed
    assert served.becomes(0)

    tab = browser.new_page()
    _open(tab, served.url)
    assert served.end() == ("ended\n", "", 0)
    tab.get_by_text("The server has ended: start `longfat explore` again").wait_for(timeout=15_000)
