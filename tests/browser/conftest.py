"""One server and one browser for all browser tests; a fresh visitor for each."""

import os
from collections.abc import Callable, Iterator

import pytest

from tests.browser.server import BROWSER_FLAGS, PATIENCE, find_browser, running_app


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """The Chromium of this machine; without one the test is skipped, or fails where one is required."""
    executable = find_browser()
    if executable is None:
        reason = "no Chromium on this machine; install one or name it in ANCHORDIV_CHROMIUM"
        if os.environ.get("ANCHORDIV_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=list(BROWSER_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def address(browser, tmp_path_factory) -> Iterator[str]:
    """The running app."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with running_app(log) as url:
        yield url
    said = log.read_text(errors="replace")
    assert "Traceback" not in said, said[-4000:]


@pytest.fixture
def visit(browser, address) -> Iterator[Callable[..., object]]:
    """Open a page as a new visitor, who sees no script error and no traceback until the test is over."""
    contexts, problems = [], []

    def open_page(path: str = "/Explore", *, width: int = 1440, scheme: str = "light") -> object:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        context.set_default_timeout(1000 * PATIENCE / 3)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address + path, timeout=1000 * PATIENCE)
        contexts.append(context)
        return page

    yield open_page
    for context in contexts:
        for page in context.pages:
            said = page.inner_text("body")
            assert "Traceback" not in said
            assert "Something went wrong" not in said
        context.close()
    assert problems == []
