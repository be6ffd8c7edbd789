"""How long a visitor waits: from opening the page to the first picture, the neighbours and the sample map.

Run ``python tests/benchmarks/startup.py``. The first visit meets a server that has loaded nothing yet,
the later ones a warm one. Aims: first picture 4 s once the server is up, map 10 s. Printed, never asserted.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.browser import look
from tests.browser.server import BROWSER_FLAGS, PATIENCE, find_browser, running_app

FIRST_PICTURE = "() => (SEARCH)('.tile img').some((image) => image.complete && image.naturalWidth > 0)"
MAP_DRAWN = "() => document.querySelectorAll('.js-plotly-plot .point').length > 0"


def measure(browser: object, address: str) -> dict[str, float]:
    """Open a page as a new visitor; return seconds to the first picture, the first map and rest."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    began = time.monotonic()
    page.goto(address, timeout=1000 * PATIENCE, wait_until="commit")
    seconds = {}
    page.wait_for_function(FIRST_PICTURE.replace("SEARCH", look.DEEP), timeout=1000 * PATIENCE, polling=100)
    seconds["first picture"] = time.monotonic() - began
    if address.endswith("Explore"):
        page.wait_for_function(MAP_DRAWN, timeout=1000 * PATIENCE, polling=100)
        seconds["first map"] = time.monotonic() - began
        look.at_rest(page)
        seconds["map of the context, at rest"] = time.monotonic() - began
    context.close()
    return seconds


def main() -> None:
    """Print the table."""
    from playwright.sync_api import sync_playwright

    executable = find_browser()
    if executable is None:
        raise SystemExit("no Chromium on this machine; install one or name it in ANCHORDIV_CHROMIUM")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=executable, args=list(BROWSER_FLAGS))
        for path in ("/", "/Explore"):
            began = time.monotonic()
            with running_app(Path(folder) / "log.txt") as address:
                print(f"{path:10} server up after {time.monotonic() - began:.1f} s")
                for visit in ("cold", "warm"):
                    for what, seconds in measure(browser, address + path).items():
                        print(f"{path:10} {visit} server: {what:28} {seconds:6.1f} s")
        browser.close()


if __name__ == "__main__":
    main()
