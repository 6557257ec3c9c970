"""Screenshot of the page that ``longfat explore`` serves, taken by Chromium: ``explore.png``.

Run with ``python -m figures.explore``; without Chromium or playwright the picture is left unchanged.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from figures.writing import HERE, Picture
from longfat.base.files import AtomicFiles

PICTURES = {
    "explore": Picture(
        "The page of `longfat explore`: a law with sliders for its parameters, compared with the simulator."
    ),
}
LAW = "selective_repeat.throughput_efficiency"
WIDTH, HEIGHT = 1100, 1060  # px


def main(directory: str | Path = HERE, port: int = 0) -> int:
    """Serve the page, simulate beside the law, and take the screenshot."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("explore.png is left unchanged, because Chromium or playwright is missing", file=sys.stderr)
        return 0
    command = [sys.executable, "-m", "longfat.cli", "explore", "--no-browser", "--port", str(port), "--law", LAW]
    with AtomicFiles(directory) as files, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[0]
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                page.goto(address, timeout=120_000)
                page.get_by_label("network").select_option(index=1)
                page.get_by_label("curves for").select_option(label="Packet loss probability")
                values = page.get_by_label("its values")
                values.fill("1e-4, 5e-3")
                values.press("Enter")
                page.get_by_role("button", name="Simulate").click()
                page.get_by_text("done: ").wait_for(timeout=300_000)
                page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
                page.screenshot(path=files.path("explore.png"), type="png")
                browser.close()
        finally:
            server.send_signal(signal.SIGINT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
