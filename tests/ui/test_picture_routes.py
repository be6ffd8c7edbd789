"""Thumbnails are served under addresses that cannot be guessed and die with their collection."""

import gc
from dataclasses import replace

import pytest
from starlette.requests import Request

from anchordiv.ui.thumbnails import OpenedCollection, picture_routes
from tests.stand_ins import toy_collection


def get(token: str, index: int):
    (route,) = picture_routes()
    return route.endpoint(Request({"type": "http", "path_params": {"token": token, "index": index}}))


@pytest.fixture
def opened() -> OpenedCollection:
    collection = toy_collection(3)
    return OpenedCollection(replace(collection, thumbnails=(b"one", b"two", b"three")))


def test_a_thumbnail_is_served_and_may_be_kept_by_the_browser_alone(opened):
    response = get(opened.token, 1)
    assert (response.status_code, response.body, response.media_type) == (200, b"two", "image/webp")
    assert "private" in response.headers["cache-control"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert opened.url(1).endswith(f"/pictures/{opened.token}/1")


@pytest.mark.parametrize("index", [3, 10**9])
def test_there_is_nothing_past_the_end(opened, index):
    assert get(opened.token, index).status_code == 404


def test_each_opening_has_its_own_long_secret(opened):
    other = OpenedCollection(opened.collection)
    assert other.token != opened.token
    assert len(opened.token) >= 24
    assert get(opened.token[:-1], 0).status_code == 404


def test_addresses_die_with_their_collection(opened):
    token = OpenedCollection(opened.collection).token
    gc.collect()
    assert get(token, 0).status_code == 404


def test_a_wait_is_through_once_one_of_its_jobs_is_and_forgotten_with_its_session():
    import json

    from anchordiv.ui.jobs import Job
    from anchordiv.ui.waiting import Bar, Progress, Watch, waiting_routes

    (route,) = waiting_routes()

    def ask(token: str) -> dict:
        # It waits for nothing, so its first step is its answer; an event loop may already be running here.
        with pytest.raises(StopIteration) as answer:
            route.endpoint(Request({"type": "http", "path_params": {"token": token}})).send(None)
        return json.loads(answer.value.value.body)

    first, second = Job(lambda report: 1), Job(lambda report: 2)
    watch = Watch((first, second), lambda: Progress("", (Bar("Reading", "1 of 4", 0.25),)), (0, 0))
    assert ask(watch.token) == {
        "through": False,
        "words": "",
        "stages": [{"name": "Reading", "words": "1 of 4", "share": 0.25}],
    }
    second.publish(1)
    assert ask(watch.token)["through"] is True, "news is worth a new drawing"
    second.run()
    assert ask(watch.token)["through"] is True
    assert list(ask("server")) == ["server"]
    token = watch.token
    del watch
    gc.collect()
    assert ask(token) == {"gone": True}
