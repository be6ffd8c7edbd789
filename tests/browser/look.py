"""What a test sees on the page: the grid, the query, the map; and when everything has come to rest."""

import re
import time

from playwright.sync_api import TimeoutError as NeverHappened

from tests.browser.server import PATIENCE

DEEP = """
(selector) => {
  const found = [];
  const search = (root) => {
    found.push(...root.querySelectorAll(selector));
    for (const element of root.querySelectorAll("*")) if (element.shadowRoot) search(element.shadowRoot);
  };
  search(document);
  return found;
}
"""
_AT_REST = """
() => {
  const all = SEARCH;
  const said = document.body.innerText;
  const app = document.querySelector('[data-testid="stApp"]');
  const images = all(".tile img").slice(0, 6);
  return app?.dataset.testScriptState === "notRunning" && images.length > 0
    && images.every((image) => image.complete && image.naturalWidth > 0)
    && (!document.querySelector(".st-key-atlas") || document.querySelector(".js-plotly-plot .point"))
    && !said.includes("waking up") && !said.includes("is moving to this meaning") && !said.includes("A first sketch");
}
""".replace("SEARCH", DEEP)
_STATE = """
() => {
  const images = (SEARCH)(".tile img").slice(0, 6);
  return JSON.stringify({
    script: document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState,
    images: images.map((image) => [image.complete, image.naturalWidth]),
    points: document.querySelectorAll(".js-plotly-plot .point").length,
    text: document.body.innerText.slice(0, 800),
  });
}
""".replace("SEARCH", DEEP)
_POINTS = """
() => {
  const map = document.querySelector(".js-plotly-plot");
  const points = {};
  for (const trace of map?._fullData ?? [])
    if (trace.customdata) trace.customdata.forEach((data, k) => { points[data[0]] = [trace.x[k], trace.y[k]]; });
  return points;
}
"""


def at_rest(page) -> None:
    """Wait until pictures are drawn, no script runs and the map has arrived."""
    # Looking on every frame, as the default does, would slow down the page it waits for.
    try:
        page.wait_for_function(_AT_REST, timeout=1000 * PATIENCE, polling=250)
    except NeverHappened as error:
        raise AssertionError(f"the page did not come to rest: {page.evaluate(_STATE)}") from error


def grid(page) -> list[str]:
    """Return the ids of the pictures in the neighbour grid, in order."""
    return page.locator(".st-key-neighbours .tile").evaluate_all("tiles => tiles.map((tile) => tile.dataset.id)")


def wait_for_another_grid(page, before: list[str]) -> list[str]:
    """Wait until the neighbour grid shows something else and everything has settled."""
    until = time.monotonic() + PATIENCE / 3
    while grid(page) == before and time.monotonic() < until:
        page.wait_for_timeout(100)
    at_rest(page)
    after = grid(page)
    assert after != before, "the neighbours did not change"
    return after


def query_name(page) -> str:
    """Return the name of the picture asked about."""
    return page.locator(".st-key-query .name").inner_text()


def groups(page) -> list[str]:
    """Return the names on the cards."""
    return page.locator(".st-key-cards .card .name").evaluate_all("names => names.map((name) => name.value)")


def points(page) -> dict[str, list[float]]:
    """Return where each picture lies on the map."""
    return page.evaluate(_POINTS)


def overflow(page) -> int:
    """Return by how many pixels the page is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def names(page) -> list[str]:
    """Return the names of the neighbours, in order."""
    return page.locator(".st-key-neighbours .name").all_inner_texts()


def absolute(page, path: str) -> str:
    """Return the whole address of a path of the page's server."""
    return page.evaluate("(path) => new URL(path, location.origin).href", path)


def encoded(page) -> tuple[int, int]:
    """Return how many pictures and prompts the server says it has encoded since it started."""
    page.locator(".st-key-collection [data-testid=stTooltipHoverTarget]").first.hover()
    words = page.get_by_text("Encoded since the app started").inner_text()
    page.mouse.move(700, 5)
    pictures, prompts = re.search(r"([\d,]+) pictures, ([\d,]+) prompts", words).groups()
    return int(pictures.replace(",", "")), int(prompts.replace(",", ""))
