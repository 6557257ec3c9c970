"""The built site in a real browser, from the file system: headless Chromium; skipped where it is missing."""

import json
import re

import pytest

from docs.handbook import __main__ as command
from docs.handbook import simulated, sources
from longfat.handbook import law_records

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make venv")
pytest.importorskip("sphinx", reason="Sphinx is not installed: make venv")
pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore"),  # of the browser's driver, not of ours
]

PAGES = (
    "index", "questions/index", "questions/bigger-buffer", "questions/simulator",
    "laws/queues/md1_wait/index", "laws/selective_repeat/throughput_efficiency/index", "laws/index",
    "schemes/cubic/index", "disciplines/codel/index", "experiments/1/index", "papers/000/index", "figures/scoreboard",
    "docs/handbook/tutorials/size-a-window", "play/index", "notebooks/which_window", "figures/README",
)  # fmt: skip
BUDGET = 400_000  # bytes, of the page of a law
# Elements that are wider than the page and cannot be scrolled.
BEYOND = """() => [...document.querySelectorAll('main *')].filter(one => one.offsetParent &&
  !one.closest('pre, svg, .pst-scrollable-table-container, .network, math') &&
  one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(one => one.outerHTML.slice(0, 120))"""
# Formulas that are wider than their place, or reach beyond the page.
CUT = """() => [...document.querySelectorAll('div.math')].filter(one => one.scrollWidth > one.clientWidth + 1).concat(
  [...document.querySelectorAll('article p math, article li math')].filter(one =>
    one.getBoundingClientRect().right > document.documentElement.clientWidth + 1))
  .map(one => `${one.scrollWidth} of ${one.clientWidth}: ${one.textContent.slice(0, 60)}`)"""
LANGUAGES = ("python", "latex", "javascript", "bibtex")
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
#: Queries, and the page that is found first.
FOUND = {
    "bufferbloat": "questions/bigger-buffer",
    "why not a bigger buffer": "questions/bigger-buffer",
    "latency under load": "questions/bigger-buffer",
    "RTT unfairness": "questions/fairness",
    "unfair to long round trips": "questions/fairness",
    "how much buffer": "questions/how-much-buffer",
    "buffer size": "questions/how-much-buffer",
    "which window": "questions/which-window",
    "BDP": "questions/which-window",
    "why is my TCP slow": "questions/which-window",
    "parallel streams": "questions/several-flows",
    "how many streams do I need": "questions/several-flows",
    "loss-load curves": "questions/one-number",
    "convergence time": "questions/how-fast-is-fair",
    "network power": "questions/bold-source",
    "misprint": "questions/formula",
    "is the simulator right": "questions/simulator",
    "BBR versus CUBIC": "questions/bbr-or-cubic",
    "AQM": "questions/aqm",
    "throughput efficiency": "laws/selective_repeat/throughput_efficiency/index",
    "copa": "schemes/copa/index",
    "pftk_rate": "laws/tcp/pftk_rate/index",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Provide the built site."""
    folder = tmp_path_factory.mktemp("handbook")
    sources.write(folder / "source")
    assert command.build(folder / "source", folder / "html", folder / "doctrees") == 0
    return folder / "html"


@pytest.fixture
def opened(browser, site):
    """Provide a function that opens a page; at the end there are neither errors nor requests beyond the site."""
    errors, requests = [], []

    def open_page(name, width=1600, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=scheme)
        page = context.new_page()
        page.on("console", lambda one: errors.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda one: errors.append(str(one)))
        page.on("request", lambda one: requests.append(one.url))
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield open_page
    assert errors == []
    assert [one for one in requests if not one.startswith((site.as_uri(), "data:", "blob:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_pages_open_from_the_file_system(opened, name, width, scheme, tmp_path):
    page = opened(name, width, scheme)
    height = min(6000, page.evaluate("document.documentElement.scrollHeight"))  # longer ones take half a minute
    clip = {"x": 0, "y": 0, "width": width, "height": height}
    page.screenshot(path=tmp_path / "page.png", full_page=True, clip=clip)
    assert page.locator("h1").first.is_visible()
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.evaluate(BEYOND) == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_pages_of_laws_are_small_and_soon_usable(browser, site):
    """Processor time of the page's thread counts, which other work on the machine does not lengthen."""
    assert max(path.stat().st_size for path in (site / "laws").rglob("*.html")) < BUDGET
    context = browser.new_context()  # with a cold cache
    page = context.new_page()
    counters = context.new_cdp_session(page)
    counters.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto((site / "laws/selective_repeat/throughput_efficiency/index.html").as_uri())
    page.locator(".lf-view input[type=range]").first.wait_for()
    metrics = {one["name"]: one["value"] for one in counters.send("Performance.getMetrics")["metrics"]}
    assert 0 < metrics["TaskDuration"] < 0.7


def test_sliders_move(opened):
    page = opened("laws/queues/md1_wait/index")
    before = page.locator(".lf-value").get_attribute("data-value")
    load = float(page.locator(".lf-typed input").first.input_value())
    assert float(before) == pytest.approx(load / (2 * (1 - load)), rel=1e-11)  # Pollaczek and Khinchine
    slider = page.locator(".lf-view input[type=range]").first
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("old => document.querySelector('.lf-value').dataset.value !== old", arg=before)
    load = float(page.locator(".lf-typed input").first.input_value())
    after = float(page.locator(".lf-value").get_attribute("data-value"))
    assert after == pytest.approx(load / (2 * (1 - load)), rel=1e-11)


def test_simulated_points_are_bars(opened):
    """One bar for each stored row of the law; none beside a curve with other values."""
    page = opened("laws/queues/mm1k_loss/index")
    stored = simulated.stored()["queues.mm1k_loss"]
    assert page.locator(".lf-chart circle.bar").count() == len(stored) > 4
    assert "confidence intervals" in page.locator(".lf-legend").inner_text()
    slider = page.locator(".lf-view input[type=range]").nth(1)
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelectorAll('.lf-chart circle.bar').length === 0")


@pytest.mark.parametrize("width", [390, 1280])
def test_no_formula_of_a_law_is_cut(browser, site, width):
    context, cut = browser.new_context(viewport={"width": width, "height": 1000}), {}
    for law in law_records.laws():
        page = context.new_page()
        page.goto((site / law_records.address(law) / "index.html").as_uri())
        page.evaluate(UNFOLD)
        try:
            page.wait_for_function(f"({CUT})().length === 0", timeout=3000)
        except sync_api.TimeoutError:
            cut[law.public_name] = page.evaluate(CUT)
        page.close()
    assert cut == {}


def test_the_head_has_one_line(opened):
    page = opened("index", 1280)
    links = page.locator(".bd-header .navbar-nav .nav-item > a.nav-link:visible")
    assert [one.strip() for one in links.all_inner_texts()] == [
        "Questions", "Notebooks", "Laws", "Schemes", "Papers", "Reference"
    ]  # fmt: skip
    assert len({round(one.bounding_box()["y"]) for one in links.all()}) == 1


def test_the_first_page_shows_a_misprint(opened):
    page = opened("index", 1280)
    law, printed = (
        float(page.locator(".lf-value").get_attribute("data-value")),
        page.locator(".lf-printed").inner_text(),
    )
    assert law - float(printed.rpartition(" ")[2]) > 0.05


def test_the_curve_stays_in_view_on_a_phone(opened):
    page = opened("laws/selective_repeat/throughput_efficiency/index", 390)
    page.set_viewport_size({"width": 390, "height": 844})
    for slider in page.locator(".lf-view input[type=range]").all():
        slider.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(100)
        head = page.locator(".bd-header").bounding_box()["height"]
        chart, own = page.locator(".lf-chart").bounding_box(), slider.bounding_box()
        places = [head, chart["y"], chart["y"] + chart["height"], own["y"], own["y"] + own["height"], 844]
        assert places == sorted(places)


def test_questions_are_one_screen(opened, site):
    """A screen of 1280 by 900 has all of a question, its answer folded."""
    for path in sorted((site / "questions").glob("*.html")):
        if path.stem != "index":
            page = opened(f"questions/{path.stem}", 1280)
            page.set_viewport_size({"width": 1280, "height": 900})
            page.locator(".lf-view input[type=range]").first.wait_for()
            page.wait_for_timeout(200)  # until the plot has its width
            assert page.evaluate("document.documentElement.scrollHeight") <= 900, path.stem


def test_search_finds_the_page_first(opened):
    page = opened("search")
    page.wait_for_function("typeof longfatPages !== 'undefined' && Search.hasIndex()")
    first = {}
    for query in FOUND:
        asked = "query => ranked(query, Search._performSearch(...Search._parseQuery(query)))[0].docname"
        first[query] = page.evaluate(asked, query)
    assert first == FOUND


def test_search_shows_beginnings(opened, site):
    page = opened("search")
    page.goto((site / "search.html").as_uri() + "?q=bufferbloat")
    row = page.locator("#search-results li").first
    assert row.locator("a").get_attribute("href").endswith("questions/bigger-buffer.html")
    assert "question" in row.inner_text()
    assert row.locator("p").inner_text().startswith("A sender that slows down only at a loss")
    row.locator("a").click()
    page.wait_for_selector(".lf-view")


def test_the_scoreboard_is_sorted_and_filtered(opened):
    page = opened("figures/scoreboard")
    table = page.locator("article table").filter(has=page.locator("th:has-text('verdict')")).last
    rows = table.locator("tbody tr")
    all_rows = rows.count()
    head = [one.strip() for one in table.locator("th").all_inner_texts()]
    column = head.index("verdict")
    table.locator("th button.sort").nth(column).click()
    cells = [one.strip() for one in table.locator(f"tbody tr td:nth-child({column + 1})").all_inner_texts()]
    assert cells == sorted(cells, key=str.lower)
    field = page.locator("p.filter input").last
    field.fill("differs")
    shown = table.locator("tbody tr:visible")
    assert 0 < shown.count() < all_rows
    assert all("differs" in one for one in shown.all_inner_texts())
    assert page.locator("p.filter output").last.inner_text() == f"{shown.count()} of {all_rows} rows"


def test_texts_are_copied(opened):
    """The button copies the text of its box, also where the page may not use the clipboard."""
    page = opened("laws/queues/md1_wait/index")
    page.evaluate("document.addEventListener('copy', () => { window.copied = getSelection().toString(); })")
    page.evaluate(UNFOLD)
    boxes = {one: page.locator(f"details#to-copy div.highlight-{one}").first for one in LANGUAGES}
    assert "lf.laws.queues.md1_wait(load=" in boxes["python"].locator("pre").inner_text()
    assert "@misc{longfat:queues.md1_wait," in boxes["bibtex"].locator("pre").inner_text()
    for write in ("window.copied = text;", "throw new Error('not allowed');"):
        page.evaluate(f"() => {{ navigator.clipboard.writeText = async (text) => {{ {write} }}; }}")
        for box in boxes.values():
            page.evaluate("window.copied = ''")
            box.locator("button.copy").click()
            page.wait_for_function("window.copied !== ''")
            assert page.evaluate("window.copied").strip() == box.locator("pre").inner_text().strip()


def test_commands_are_copied_without_their_prompts(opened):
    page = opened("docs/handbook/tutorials/size-a-window")
    page.evaluate("() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }")
    page.locator("article div.highlight button.copy").first.click()
    page.wait_for_function("window.copied")
    first, *_ = page.evaluate("window.copied").splitlines()
    assert first == "import longfat as lf"
    assert ">>>" not in page.evaluate("window.copied")
    assert "12.5 MB" not in page.evaluate("window.copied")


def test_formulas_lie_beside_the_pages(site):
    assert "export" in (site / "laws.mjs").read_text(encoding="utf-8")


def test_laws_are_listed_with_links_that_open(opened):
    page = opened("laws/queues/index")
    page.locator("article table a", has_text=re.compile("^mm1_wait$")).click()
    page.wait_for_selector(".lf-view")
    assert page.url.endswith("laws/queues/mm1_wait/index.html")
    assert json.loads(page.locator(".lf-value").get_attribute("data-value")) > 0


def test_the_reader_is_the_sender(opened):
    """By keys alone: the window of the link follows the slider, and time stands still in a pause."""
    page = opened("play/index", 390)
    state = "(() => { const one = document.querySelector('div.play').game; return [one.link.now, one.link.window]; })()"
    page.locator("div.play .controls button").last.focus()
    page.keyboard.press("Enter")  # start; the focus goes to the slider
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{state}[0] > 1.2")  # the points come a round trip late
    assert page.evaluate(state)[1] == 15
    page.keyboard.press("h")
    assert page.evaluate(state)[1] == 8  # half of 15, rounded
    page.keyboard.press(" ")
    before = page.evaluate(state)
    page.wait_for_timeout(200)
    assert page.evaluate(state) == before
    assert page.locator("div.play circle.you").count() >= 2  # the points beside the laws


def test_the_minute_ends_with_scores(opened):
    """A window of what is free of the bandwidth-delay product has more power than both schemes."""
    page = opened("play/index")
    page.evaluate("""() => {
      const game = document.querySelector("div.play").game;
      for (const [window, seconds] of [[51, 20], [26, 20], [51, 20]]) {
        game.slider.value = window;
        game.steer();
        game.pass(seconds);
      }
      game.draw();
      game.end();
    }""")
    assert "more than that of CUBIC and Reno" in page.locator("div.play [role=status]").inner_text()
    rows = page.locator("div.play tbody tr").all_inner_texts()
    you, cubic, reno = ([float(one) for one in row.split()[1:]] for row in rows)
    assert you[3] == pytest.approx(you[0] / 100 * 0.51 / you[1], rel=0.02)
    assert you[3] > max(cubic[3], reno[3])
    assert page.locator("div.play path.first").count() == 2  # CUBIC's window and queue


def test_exercises_unfold(opened):
    page = opened("notebooks/which_buffer")
    details = page.locator("section#exercises details")
    assert details.count() == 3
    assert not details.first.locator("pre").first.is_visible()
    details.first.locator("summary").press("Enter")
    assert details.first.locator("pre").first.is_visible()
    assert page.locator("div.picture svg").count() == 1
    page.locator(".lf-view input[type=range]").first.wait_for()
