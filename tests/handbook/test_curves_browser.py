"""The page of design curves in a real browser, from the file system: headless Chromium; skipped where it is missing."""

import numpy as np
import pytest

from longfat.handbook.curves_page import document
from tests.handbook.test_pages_browser import BEYOND, opened, pytestmark

__all__ = ["opened", "pytestmark"]


def dataset(over="buffer"):
    """Return made-up curves of two schemes, two numbers of flows and three values, as design.curves returns them."""
    import xarray as xr

    values = np.array([0.1, 0.5, 2.0])
    shape, dims = (2, 2, 3), ("scheme", "flows", over)
    numbers = np.linspace(0.5, 0.95, 12).reshape(shape)
    variables = {}
    for name, unit, factor in (
        ("utilisation", "1", 1.0), ("queueing_delay", "s", 0.04), ("queueing_delay_99", "s", 0.08), ("loss", "1", 1e-3),
    ):  # fmt: skip
        for end, wider in (("", 1.0), ("_lower", 0.9), ("_upper", 1.05)):
            variables[name + end] = (dims, factor * wider * numbers, {"units": unit})
    variables["loss"][1][0, 0, 2] = 0.0
    law = np.stack([np.full((2, 3), 0.6), np.full((2, 3), np.nan)])
    for name in ("utilisation", "queueing_delay", "loss"):
        variables[f"law_{name}"] = (("scheme", "flows", f"law_{over}"), law)
    coords = {"scheme": ["cubic", "bbr"], "flows": [1, 10], over: values, f"law_{over}": values}
    coords |= {"packets": (over, [33, 167, 667]), "bytes": (over, [49500, 250500, 1000500])}
    attrs = {
        "rate": 12.5e6, "round_trip_time": 0.04, "packet": 1500, "bandwidth_delay_product": 333.33, "over": over,
        "replications": 5, "confidence": 0.95, "seed": "0", "longfat_version": "0", "buffer": 1.0,
    }  # fmt: skip
    return xr.Dataset(variables, coords, attrs)


@pytest.fixture(scope="module")
def text():
    return document([dataset(), dataset("window")])


def test_values_under_the_pointer_and_switches(opened, text):
    page = opened(text)
    panels = page.locator("figure")
    assert panels.count() == 4
    first = panels.first
    assert first.locator(".point.c0").count() == 6
    assert first.locator(".point.c1.open").count() == 3
    assert first.locator(".curve.law").count() == 2  # cubic has a law, bbr has none
    assert first.locator(".curve.joined").count() == 2
    assert panels.nth(3).locator(".point.c0.full").count() == 2  # 0 has no place on a logarithmic axis
    chart = first.locator(".lf-chart")
    chart.hover(position={"x": chart.bounding_box()["width"] - 20, "y": 60})
    tip = first.locator(".lf-tip")
    assert "2 BDP, 667 packets" in tip.inner_text()
    # the third of twelve values from 0.5 to 0.95: 0.5 + 2 x 0.45/11 = 0.582, 0.524 to 0.611
    assert "0.582 (0.524 to 0.611)" in tip.inner_text()
    page.get_by_label("bbr").uncheck()
    page.get_by_label("10 flows").uncheck()
    assert first.locator(".point").count() - first.locator(".lf-tip .point").count() == 3
    page.get_by_label("unit of the x axis").select_option("time at the link's rate")
    chart.focus()
    page.keyboard.press("ArrowRight")
    assert "4 ms, 33 packets" in tip.inner_text()  # 0.1 round trips
    page.get_by_label("x axis", exact=True).select_option("window of each flow")
    page.locator("summary").click()
    rows = page.locator(".lf-table tbody tr")
    rows.first.wait_for()  # the event of the opened details comes later
    assert rows.count() == 3  # one scheme, one number of flows, three windows
    assert "window of each flow" in page.locator("figure svg").first.get_attribute("aria-label")


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1600, "light")])
def test_nothing_is_wider_than_the_page(opened, text, width, scheme):
    page = opened(text, width, scheme)
    page.locator("summary").click()
    page.locator(".lf-chart").nth(1).hover()
    assert page.evaluate(BEYOND) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
