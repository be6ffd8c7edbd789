"""What an explorer does in the first five minutes, in a real browser on the running app."""

import pytest

from tests.browser import look
from tests.browser.pictures import bring, drawings


def test_the_front_door_shows_pictures_and_leads_into_explore_even_while_the_encoder_wakes_up(visit):
    # The first visit to this server: background work is under way when the page is turned.
    page = visit("/")
    page.locator(".st-key-wall .tile").nth(19).wait_for()
    page.get_by_role("button", name="Explore Atelier").click()
    page.locator(".st-key-neighbours .tile").nth(11).wait_for()
    look.at_rest(page)
    assert page.url.endswith("/Explore")
    page.get_by_text("Start page").click()
    page.locator(".st-key-try .tile").first.wait_for()
    look.at_rest(page)


def test_clicking_a_picture_makes_it_the_query(visit):
    page = visit()
    look.at_rest(page)
    before, asked = look.grid(page), look.query_name(page)
    page.locator(".st-key-neighbours .tile .ask").nth(2).click()
    after = look.wait_for_another_grid(page, before)
    assert before[2] not in after, "the query is not its own neighbour"
    assert look.query_name(page) != asked or after != before


def test_another_meaning_moves_ranks_and_map_and_the_lens_goes_back_to_cosine(visit):
    page = visit()
    look.at_rest(page)
    one, places = look.grid(page), look.points(page)
    page.locator(".st-key-ready button").nth(1).click()
    other = look.wait_for_another_grid(page, one)
    moved = look.points(page)
    assert set(moved) == set(places)
    assert max(abs(a - b) for key in places for a, b in zip(places[key], moved[key], strict=True)) > 0.1
    assert page.locator(".st-key-neighbours .move").first.inner_text().strip() != ""

    page.get_by_text("Plain cosine", exact=True).click()
    plain = look.wait_for_another_grid(page, other)
    assert page.locator(".st-key-neighbours .bar span").count() == 0
    page.get_by_text("Your meaning", exact=True).click()
    assert look.wait_for_another_grid(page, plain) == other


def test_groups_are_made_of_words_and_of_clicked_pictures(visit):
    page = visit()
    look.at_rest(page)
    before, count = look.grid(page), len(look.groups(page))
    page.get_by_label("New group: say it in words").fill("a red thing")
    page.keyboard.press("Enter")
    page.locator(".st-key-cards .card").nth(count).wait_for()
    look.at_rest(page)
    assert look.groups(page)[-1] == "a red thing"

    for place in (0, 3):
        page.locator(".st-key-neighbours .tile").nth(place).hover()
        page.locator(".st-key-neighbours .pick").nth(place).click()
    page.locator(".st-key-selection").get_by_role("button", name="New group").click()
    page.locator(".st-key-cards .card").nth(count + 1).wait_for()
    look.at_rest(page)
    assert look.groups(page)[-1] == "like these"
    assert page.locator(".st-key-cards .card").last.locator(".thumb").count() == 2
    assert look.grid(page) != before


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 1024])
def test_nothing_is_wider_than_the_window(visit, width, scheme):
    for path in ("/", "/Explore"):
        page = visit(path, width=width, scheme=scheme)
        look.at_rest(page)
        assert look.overflow(page) <= 0


def test_brought_files_arrive_the_broken_one_is_named_and_nobody_else_sees_them(visit):
    mine, other = visit(), visit()
    look.at_rest(mine)
    bring(mine, [*drawings(seed=1, prefix="mine"), ("broken.png", b"\x89PNG\r\n\x1a\nand then nothing")])
    mine.get_by_text("broken.png:").wait_for()
    look.at_rest(mine)
    assert "12 pictures" in mine.inner_text("body")
    assert all(name.startswith("mine") for name in look.names(mine))

    look.at_rest(other)
    bring(other, drawings(seed=2, prefix="theirs"))
    other.get_by_text("pictures are in").wait_for()
    look.at_rest(other)
    assert all(name.startswith("theirs") for name in look.names(other))
    assert "mine" not in other.content()

    address = mine.locator(".st-key-neighbours img").first.get_attribute("src")
    assert address is not None
    guess = address.rsplit("/", 2)[0] + "/AAAAAAAAAAAAAAAAAAAAAAAA/0"
    assert other.request.get(look.absolute(mine, guess)).status == 404
    assert mine.request.get(look.absolute(mine, address)).status == 200


def _tray(page):
    return page.locator(".st-key-selection")


def test_a_lasso_on_the_map_becomes_a_selection_and_a_selection_a_query(visit):
    page = visit()
    look.at_rest(page)
    before = look.grid(page)
    box = page.locator(".js-plotly-plot").bounding_box()
    page.locator(".js-plotly-plot").hover()
    page.locator('[data-title="Lasso Select"]').click()
    left, top = box["x"] + 12, box["y"] + 60
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((left + 380, top), (left + 380, top + 420), (left, top + 420), (left, top + 8)):
        page.mouse.move(x, y, steps=6)
    page.mouse.up()
    _tray(page).get_by_text("of 1,280 selected").wait_for()
    count = int(_tray(page).locator("b").inner_text().split(" of ")[0].replace(",", ""))
    assert count > 20
    _tray(page).get_by_role("button", name="Similar to these").click()
    look.wait_for_another_grid(page, before)
    assert f"{count:,} pictures" in page.locator(".st-key-query .query").inner_text()
    assert _tray(page).get_by_text("selected").count() == 0 or not _tray(page).get_by_text("selected").is_visible()


def test_excluded_pictures_leave_results_and_map_and_come_back(visit):
    page = visit()
    look.at_rest(page)
    before, places = look.grid(page), look.points(page)
    for place in (0, 3):
        page.locator(".st-key-neighbours .tile").nth(place).hover()
        page.locator(".st-key-neighbours .pick").nth(place).click()
    _tray(page).get_by_text("2 of 1,280 selected").wait_for()
    _tray(page).get_by_role("button", name="Exclude").click()
    after = look.wait_for_another_grid(page, before)
    assert not {before[0], before[3]} & set(after)
    assert len(look.points(page)) == len(places) - 2
    page.get_by_role("button", name="Bring back").click()
    assert look.wait_for_another_grid(page, after) == before


def test_list_pages_weight_and_switch_work_by_keyboard(visit):
    page = visit()
    look.at_rest(page)
    first = look.grid(page)
    page.get_by_text("As a list").click()
    look.at_rest(page)
    page.locator(".st-key-neighbours .grid.rows .tile").first.wait_for()
    assert look.grid(page) == first
    page.get_by_label("Page 2", exact=True).click()
    second = look.wait_for_another_grid(page, first)
    assert not set(first) & set(second)
    page.get_by_label("Page 1", exact=True).click()
    assert look.wait_for_another_grid(page, second) == first

    share = page.locator(".st-key-query .percent").first.inner_text()
    page.locator(".st-key-cards .fold").first.click()
    page.locator(".st-key-cards .weight").first.focus()
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        f"() => ({look.DEEP})('.st-key-query .percent, .query .percent')[0].textContent !== '{share}'"
    )
    look.at_rest(page)
    page.locator(".st-key-cards .use").first.focus()
    page.keyboard.press("Space")
    page.locator(".st-key-cards .use[aria-checked=false]").first.wait_for()
    page.wait_for_function(f"() => !({look.DEEP})('.query .shares')[0].textContent.includes('flat icon')")
    look.at_rest(page)


def test_a_dropped_picture_and_words_are_asked_about(visit):
    page = visit()
    look.at_rest(page)
    before = look.grid(page)
    (name, data), *_ = drawings(seed=9, prefix="dropped")
    files = page.locator(".st-key-ask input[type=file]")
    files.set_input_files([{"name": name, "mimeType": "image/png", "buffer": data}])
    page.locator(".st-key-ask").get_by_text(name).wait_for()
    page.locator(".st-key-ask [data-testid=stChatInputSubmitButton]").click()
    after = look.wait_for_another_grid(page, before)
    assert look.query_name(page) == name
    assert "1,280 pictures" in page.locator(".st-key-collection").inner_text(), "it did not join the collection"
    page.locator(".st-key-ask textarea").fill("a red boat")
    page.locator(".st-key-ask textarea").press("Enter")
    look.wait_for_another_grid(page, after)
    assert "a red boat" in page.locator(".st-key-query .query").inner_text()
