"""A person brings forty files, says what similar means, reloads, restarts: nothing is lost, nothing encoded twice."""

from tests.browser import look
from tests.browser.pictures import bring, photographs, renders
from tests.browser.server import PATIENCE, free_port, running_app


def _state(page) -> dict[str, object]:
    return {
        "groups": look.groups(page),
        "query": look.query_name(page),
        "grid": look.grid(page),
        "places": look.points(page),
        "count": page.locator(".st-key-collection p").first.inner_text(),
        "lens": page.locator(".st-key-lens [aria-checked=true]").inner_text(),
    }


def _name_group(page, words: str) -> None:
    count = len(look.groups(page))
    page.get_by_label("New group: say it in words").fill(words)
    page.keyboard.press("Enter")
    page.locator(".st-key-cards .card").nth(count).wait_for()
    look.at_rest(page)


def _forty_files() -> list[tuple[str, bytes]]:
    photos = photographs()
    cut_off = ("cut off.jpg", photos[0][1][: len(photos[0][1]) // 2])
    letter = ("letter.png", b"Dear diary, this is no picture.")
    return [*photos, *renders(), cut_off, letter, ("the same again.jpg", photos[3][1])]


def _bring_forty(page) -> None:
    bring(page, _forty_files())
    page.get_by_text("37 pictures are in").wait_for()
    said = page.locator(".st-key-report").inner_text()
    for words in ("cut off.jpg: ", "letter.png: ", "the same again.jpg: the same picture is already in"):
        assert words in said
    page.get_by_role("button", name="Close").click()
    look.at_rest(page)


def _say_photo_or_drawing(page) -> None:
    while look.groups(page):
        count = len(look.groups(page))
        page.locator(".st-key-cards .card .remove").first.click()
        page.wait_for_function(f"() => ({look.DEEP})('.card').length < {count}")
    look.at_rest(page)
    assert "plain cosine decides" in page.inner_text("body")
    _name_group(page, "photo")
    _name_group(page, "drawing")
    assert look.groups(page) == ["photo", "drawing"]


def _ask_and_compare(page) -> None:
    before, places = look.grid(page), look.points(page)
    page.locator(".st-key-neighbours .tile .ask").nth(5).click()
    by_context = look.wait_for_another_grid(page, before)
    page.get_by_text("Plain cosine", exact=True).click()
    by_cosine = look.wait_for_another_grid(page, by_context)
    assert look.points(page) != places
    page.get_by_text("Your meaning", exact=True).click()
    assert look.wait_for_another_grid(page, by_cosine) == by_context
    assert "against plain cosine" in page.inner_text("body")


def test_forty_files_reload_restart(browser, tmp_path):
    environment = {"ANCHORDIV_STORE": str(tmp_path / "store.sqlite")}
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(1000 * PATIENCE / 3)
    page = context.new_page()
    with running_app(tmp_path / "first.txt", environment) as address:
        page.goto(address + "/Explore")
        look.at_rest(page)
        _bring_forty(page)
        _say_photo_or_drawing(page)
        _ask_and_compare(page)
        assert look.encoded(page)[0] == 37
        state = _state(page)
        page.reload()
        look.at_rest(page)
        assert _state(page) == state

    with running_app(tmp_path / "second.txt", environment) as address:
        page.goto(address + "/Explore")
        look.at_rest(page)
        assert _state(page) == state
        assert look.encoded(page) == (0, 0)
        _bring_forty(page)
        assert look.encoded(page)[0] == 0, "the same files under the same encoder are known"

        stranger = browser.new_context().new_page()
        stranger.goto(address + "/Explore")
        look.at_rest(stranger)
        assert "Atelier" in stranger.locator(".st-key-collection").inner_text()
        assert "photo" not in look.groups(stranger)
        stranger.context.close()
    context.close()
    for log in ("first.txt", "second.txt"):
        assert "Traceback" not in (tmp_path / log).read_text(errors="replace")


def test_a_page_left_open_over_a_restart_comes_back_and_heeds_the_first_click(browser, tmp_path):
    environment, port = {"ANCHORDIV_STORE": str(tmp_path / "store.sqlite")}, free_port()
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    with running_app(tmp_path / "first.txt", environment, port) as address:
        page.goto(address + "/Explore")
        look.at_rest(page)
        _name_group(page, "a red thing")
        groups = look.groups(page)
    with running_app(tmp_path / "second.txt", environment, port):
        # It loads itself anew; waiting for that keeps the test from acting on what is about to go.
        page.wait_for_event("load", timeout=1000 * PATIENCE)
        look.at_rest(page)
        assert look.groups(page) == groups
        page.get_by_text("As a list").click()
        page.locator(".st-key-neighbours .grid.rows .tile").first.wait_for()
    context.close()
