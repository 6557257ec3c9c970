"""Pages of laws in a real browser, from the file system: headless Chromium; skipped where it is missing."""

import re

import pytest

from docs.handbook import live
from longfat.base import extras
from longfat.handbook import law_records, pages
from longfat.laws.selective_repeat import throughput_efficiency

pytestmark = [
    pytest.mark.skipif(not extras.installed("docutils"), reason="docutils is not installed: make venv"),
    pytest.mark.filterwarnings("ignore"),  # of the browser's driver, not of ours
]

# Elements that are wider than the page and cannot be scrolled.
BEYOND = """() => [...document.querySelectorAll('body *')].filter(one => one.offsetParent &&
  !one.closest('.scroll, pre, .equation, svg') && one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 80))"""
# Visible letters that are smaller than a size in px.
SMALL = """least => [...document.querySelectorAll('.lf-view *')].filter(one => one.offsetParent &&
  [...one.childNodes].some(part => part.nodeType == 3 && part.data.trim()) && !one.closest('math') &&
  !one.matches('sub, sup') && parseFloat(getComputedStyle(one).fontSize) < least)
  .map(one => one.outerHTML.slice(0, 80))"""
# Time from a key press until the resulting picture is painted.
WATCH = """() => { window.drawn = []; let begun = 0;
  addEventListener('keydown', () => { begun = performance.now(); }, true);
  new MutationObserver(() => { if (begun) { const from = begun; begun = 0;
    requestAnimationFrame(() => setTimeout(() => window.drawn.push(performance.now() - from))); } }).observe(
    document.querySelector('.lf-chart'), {childList: true, subtree: true}); }"""


@pytest.fixture
def opened(browser, tmp_path):
    """Provide a function that opens a page; at the end there are neither errors nor requests."""
    errors, requests = [], []

    def open_page(text, width=1600, scheme="light"):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
        page.on("console", lambda one: errors.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda one: errors.append(str(one)))
        page.on("request", lambda one: requests.append(one.url) if one.url != path.as_uri() else None)
        page.goto(path.as_uri())
        return page

    yield open_page
    assert errors == []
    assert requests == []


def whole(law):
    return pages.page(law, simulate="simulate")


def value(page):
    return float(page.locator(".lf-value").get_attribute("data-value"))


def curve(page):
    return page.locator(".lf-chart .curve.c0").first.get_attribute("d")


def test_a_page_moves_by_keyboard_from_the_file_system(opened):
    page = opened(whole(throughput_efficiency))
    fields = dict(zip(throughput_efficiency.symbols, page.locator(".lf-typed input").all(), strict=True))
    sliders = dict(zip(throughput_efficiency.symbols, page.locator("input[type=range]").all(), strict=True))

    def arguments():
        return {name: float(field.input_value()) for name, field in fields.items()}

    assert value(page) == pytest.approx(throughput_efficiency(**arguments()), rel=1e-11)
    page.evaluate(WATCH)

    # Tab reaches the slider; an arrow key moves it: curve, value and what a screen reader says change.
    for _ in range(9):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "range":
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    sliders["loss"].focus()
    before, said = curve(page), sliders["loss"].get_attribute("aria-valuetext")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("old => document.querySelector('.lf-chart .curve.c0').getAttribute('d') != old", arg=before)
    page.wait_for_function("window.drawn.length > 0")
    assert sliders["loss"].get_attribute("aria-valuetext") != said
    assert sliders["loss"].get_attribute("aria-label") == "Packet loss probability"
    assert value(page) == pytest.approx(throughput_efficiency(**arguments()), rel=1e-11)
    assert page.locator(".curve.c0.outside").count() > 0  # its validity ends at W = 4 w_a
    assert page.locator(".curve.printed").count() > 0
    assert page.locator(".lf-value").get_attribute("aria-live") == "polite"

    # Nonsense gets a sentence at the field, and changes nothing; what fits is taken.
    shown = value(page)
    fields["segment_packets"].fill("many")
    fields["segment_packets"].press("Tab")
    assert "segment_packets = many cannot be read" in page.locator(".lf-error:not(:empty)").inner_text()
    assert fields["segment_packets"].get_attribute("aria-invalid") == "true"
    assert value(page) == shown
    fields["segment_packets"].fill("64")
    fields["segment_packets"].press("Tab")
    assert page.locator(".lf-error:not(:empty)").count() == 0
    assert arguments()["segment_packets"] == 64
    assert value(page) == pytest.approx(throughput_efficiency(**arguments()), rel=1e-11)

    # Another x axis, a family of curves, the table, and the address keep up.
    page.get_by_label("x axis").select_option(label="Packet loss probability")
    page.get_by_label("curves for").select_option(label="Window")
    page.wait_for_function("document.querySelectorAll('.lf-chart .curve.c3').length > 0")
    page.get_by_text("Values of the curve").click()
    page.wait_for_function("document.querySelectorAll('.lf-table tbody tr').length > 8")
    assert "x=loss" in page.url
    assert page.evaluate(BEYOND) == []


@pytest.mark.long
def test_quantities_are_typed_with_units(opened):
    law = next(one for one in law_records.laws() if one.public_name == "tcp.pftk_rate")
    page = opened(whole(law), width=400, scheme="dark")
    field = page.get_by_label("value", exact=False).nth(1)  # the round-trip time
    field.fill("100 ms")
    field.press("Tab")
    names = list(law.symbols)
    values = law_records.starts(law) | {names[1]: 0.1}
    assert value(page) == pytest.approx(law(**values), rel=1e-11)
    field.fill("100")
    field.press("Tab")
    assert "has no unit: write e.g. 100 ms" in page.locator(".lf-error:not(:empty)").inner_text()
    assert page.evaluate(BEYOND) == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(15, 20, 25)"


@pytest.mark.long
def test_one_script_fills_the_plots_of_a_site(opened):
    names = ("queues.mm1_wait", "bbr.share")
    body = "".join(f'<div data-law="{name}"></div>' for name in (*names, "no.such.law"))
    styles = pages.source("view.css")
    page = opened(
        f"<!DOCTYPE html><style>{styles}</style><script>{live.site_script(law_records.laws())}</script>{body}"
    )
    assert page.locator(".lf-view").count() == 2
    assert page.locator(".lf-value").first.get_attribute("data-value") == "1"


@pytest.mark.long
def test_the_index_is_filtered(opened):
    page = opened(pages.index(law_records.laws()))
    page.get_by_role("searchbox").fill("padhye rate")
    assert page.locator(".laws li:visible").count() == int(page.locator(".count").inner_text().split()[0])
    assert 1 <= page.locator(".laws li:visible").count() <= 3
    assert page.locator("section:visible").count() == 1


@pytest.mark.long
@pytest.mark.parametrize("law", law_records.laws(), ids=lambda one: one.public_name)
def test_every_page_opens_at_all_widths(opened, law):
    text = whole(law)
    for width, scheme in ((360, "light"), (2000, "dark")):
        page = opened(text, width, scheme)
        found = page.locator(".lf-value").get_attribute("data-value")
        expected = law(**law_records.starts(law))
        assert float(re.sub("Infinity", "inf", found)) == pytest.approx(expected, rel=1e-11, nan_ok=True)
        assert page.locator(".lf-chart .curve").count() > 0
        assert page.evaluate(BEYOND) == []
        assert page.evaluate(SMALL, 12) == []
        page.close()


@pytest.mark.long
def test_sphinx_loads_the_plots_where_they_are(browser, tmp_path):
    build = pytest.importorskip("sphinx.cmd.build", reason="Sphinx is not installed: make venv")
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    (source / "conf.py").write_text('extensions = ["docs.handbook.live"]\nhtml_theme = "pydata_sphinx_theme"\n')
    hook = '.. raw:: html\n\n   <div data-law="queues.mm1_wait"></div>\n'
    (source / "index.rst").write_text(f"Page\n====\n\n{hook}\n.. toctree::\n\n   other\n")
    (source / "other.rst").write_text("Other\n=====\n\nText.\n")
    assert build.main(["-q", "-W", "-b", "html", str(source), str(site)]) == 0
    with_plot, without = ((site / name).read_text(encoding="utf-8") for name in ("index.html", "other.html"))
    assert "longfatView" in with_plot
    assert len(with_plot) - len(without) < 60_000  # the view and one law
    assert "longfatView" not in without
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto((site / "index.html").as_uri())
    assert page.locator(".lf-value").get_attribute("data-value") == "1"
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert page.evaluate("getComputedStyle(document.querySelector('.lf-view')).backgroundColor") == "rgb(23, 29, 36)"
    page.screenshot(path=tmp_path / "plot.png")
