"""What a visitor was doing survives a reload and a restart, and is nobody else's."""

import json

import numpy as np
import pytest
import streamlit as st

from anchordiv.collection import Collection
from anchordiv.collection.store import Store
from anchordiv.projection import Layout
from anchordiv.ui import resources, visitors
from anchordiv.ui.keeping import keep
from anchordiv.ui.session import Query, Session
from anchordiv.ui.thumbnails import OpenedCollection
from tests.stand_ins import ToyEncoder
from tests.ui.conftest import picture_bytes

FILES = [(f"{colour}.png", picture_bytes(colour)) for colour in ("red", "green", "blue", "white", "black", "orange")]


@pytest.fixture
def store(monkeypatch, tmp_path) -> Store:
    opened = Store.open(tmp_path / "store.sqlite")
    monkeypatch.setattr(resources, "store", lambda: opened)
    return opened


@pytest.fixture
def visitor(monkeypatch):
    """Come as a visitor with a cookie; a restart forgets who is present."""

    def come(name: str, *, after_a_restart: bool = False) -> Session:
        if after_a_restart:
            visitors._PRESENT.clear()
        monkeypatch.setattr(visitors, "visitor_token", lambda: name * 30)
        return visitors.session_of_visitor()

    visitors._PRESENT.clear()
    yield come
    visitors._PRESENT.clear()


@pytest.fixture
def brought(store):
    def bring(session: Session) -> Session:
        collection = Collection.open(FILES, encoder=ToyEncoder(), name="Mine", store=store)
        session.open(OpenedCollection(collection, kept_as=store.keep_collection(collection, session.owner)))
        return session

    return bring


def test_a_reload_finds_the_very_same_session(visitor):
    assert visitor("a") is visitor("a")
    assert visitor("a") is not visitor("b")


def test_after_a_restart_everything_chosen_is_there_again(page, visitor, brought):
    session = brought(visitor("a"))
    ids = [item.id for item in session.opened.collection.items]
    session.add_group("like these", pictures=ids[2:4])
    session.weigh_group(session.groups[0].id, 2.0)
    session.switch_group(session.groups[1].id, on=False)
    session.colour_group(session.groups[0].id, "#123456")
    session.ask(Query("mean", ids=tuple(ids[:2])))
    session.chosen, session.excluded = [ids[3]], [ids[5]]
    session.concentration, session.model, session.divergence = 7.0, "empirical", "jeffreys"
    places = np.arange(12, dtype=np.float32).reshape(6, 2)
    session.keep_layout((session.opened.key, session.plan()), Layout(places, tuple(ids), "umap"))
    keep(session)

    again = visitor("a", after_a_restart=True)
    assert again is not session
    at = page().run()
    assert not at.exception
    again = at.session_state["anchordiv"]
    assert again.opened.collection.name == "Mine"
    assert again.opened.kept_as == session.opened.kept_as
    for name in ("query", "chosen", "excluded", "concentration", "model", "divergence", "lens"):
        assert getattr(again, name) == getattr(session, name), name
    assert [vars(group) for group in again.groups] == [vars(group) for group in session.groups]
    np.testing.assert_array_equal(again.layout.coordinates, places)
    again.add_group("one more", texts=["red"])
    assert len({group.id for group in again.groups}) == len(again.groups)


def test_a_stranger_gets_the_sample(page, visitor, brought):
    keep(brought(visitor("a")))
    visitor("b", after_a_restart=True)
    at = page().run()
    assert at.session_state["anchordiv"].opened.is_sample
    assert "Mine" not in "".join(str(element.value) for element in at.markdown)


def test_choices_made_on_another_collection_are_not_forced_upon_this_one(page, visitor, brought, monkeypatch, tmp_path):
    session = brought(visitor("a"))
    session.set_groups({"red": ["red"], "blue": ["blue"]})
    keep(session)
    for name, data in FILES[:5]:
        (tmp_path / name).write_bytes(data)
    monkeypatch.setenv("ANCHORDIV_SOURCE", str(tmp_path))
    job = resources.folder_job(str(tmp_path))
    while job.pending:
        pass
    visitor("a", after_a_restart=True)
    at = page().run()
    assert not at.exception
    opened = at.session_state["anchordiv"].opened
    assert (opened.source, len(opened.collection)) == (str(tmp_path), 5)


def test_a_session_of_another_version_or_none_is_a_new_one(visitor, store):
    owner = visitor("c").owner
    store.keep_session(owner, {"version": 99, "whatever": 1})
    assert visitor("c", after_a_restart=True).memory is None


def test_nothing_is_written_while_nothing_changes(visitor, brought, store):
    session = brought(visitor("a"))
    keep(session)
    store.keep_session(session.owner, {"mark": 1})
    keep(session)
    assert store.session(session.owner)[0] == {"mark": 1}
    session.ask_text("red")
    keep(session)
    assert store.session(session.owner)[0]["query"]["value"] == "red"


def test_the_store_knows_neither_cookie_nor_prompt_vectors_by_name(visitor, brought, store):
    keep(brought(visitor("a")))
    text = json.dumps(store._connection.execute("SELECT owner FROM sessions").fetchall())
    assert "aaaa" not in text


def test_a_visitor_without_a_cookie_is_kept_by_nobody(monkeypatch, store):
    monkeypatch.setattr(visitors, "visitor_token", lambda: "")
    session = visitors.session_of_visitor()
    assert session.owner == ""
    session.open(OpenedCollection(Collection.open(FILES, encoder=ToyEncoder())))
    keep(session)
    assert store._connection.execute("SELECT COUNT(*) FROM sessions").fetchone() == (0,)


def test_prompts_read_before_a_restart_are_not_read_again(store):
    first, second = (resources.RememberingEncoder(ToyEncoder(), store) for _ in range(2))
    long = "red " * 9
    vectors = first.encode_texts(["red", "blue", long])
    again = second.encode_texts(["red", "blue", long])
    np.testing.assert_array_equal(vectors.embeddings, again.embeddings)
    assert vectors.cut == again.cut
    assert (first.texts_read, second.texts_read) == (3, 1), "only the prompt that was cut is read again"


def test_saved_contexts_are_taken_back(page, visitor, brought):
    session = brought(visitor("a"))
    at = page().run()
    at.text_input(key="save-name").set_value("two colours").run()
    names = [group.name for group in session.groups]
    session.set_groups({"something": ["else"], "and": ["more"]})
    at.run()
    at.selectbox(key="saved").set_value("two colours").run()
    assert not at.exception
    assert [group.name for group in session.groups] == names
    at.button(key="forget-two colours").click().run()
    assert resources.store().contexts(session.owner) == {}
    assert not at.exception


def test_each_collection_keeps_its_own_meaning_question_and_exclusions(page, visitor, brought):
    session = brought(visitor("a"))
    own, ids = session.opened.kept_as, [item.id for item in session.opened.collection.items]
    session.set_groups({"warm": ["red"], "cold": ["blue"], "else": ["green"]})
    session.weigh_group(session.groups[0].id, 4.0)
    session.choose([ids[5]])
    session.exclude_chosen()
    session.ask_picture(ids[2])
    at = page().run()
    at.selectbox(key=f"other-{session.opened.token}").set_value("").run()
    assert [group.name for group in session.groups] == ["red", "blue"]
    session.ask_picture(session.opened.collection.items[7].id)
    at.run()
    again = visitor("a", after_a_restart=True)
    at = page().run()
    again = at.session_state["anchordiv"]
    at.selectbox(key=f"other-{again.opened.token}").set_value(own).run()
    assert not at.exception
    assert [group.name for group in again.groups] == ["warm", "cold", "else"]
    assert again.groups[0].weight == 4.0
    assert (again.query, again.excluded) == (Query("picture", ids[2]), [ids[5]])
    at.selectbox(key=f"other-{again.opened.token}").set_value("").run()
    assert again.query == Query("picture", again.opened.collection.items[7].id)


def test_one_goes_back_to_earlier_collections(page, visitor, brought):
    session = brought(visitor("a"))
    own = session.opened.kept_as
    at = page().run()
    at.selectbox(key=f"other-{session.opened.token}").set_value("").run()
    assert session.opened.is_sample
    at.selectbox(key=f"other-{session.opened.token}").set_value(own).run()
    assert not at.exception
    assert (session.opened.kept_as, session.opened.collection.name) == (own, "Mine")


def test_a_store_that_cannot_be_opened_is_said_and_memory_serves(page, monkeypatch, tmp_path):
    (tmp_path / "letter.txt").write_text("Dear diary, " * 100)
    monkeypatch.setenv("ANCHORDIV_STORE", str(tmp_path / "letter.txt"))
    st.cache_resource.clear()
    at = page().run()
    assert not at.exception
    assert any("letter.txt cannot be used" in error.value for error in at.error)
    assert resources.store().path == ":memory:"
    st.cache_resource.clear()


async def _app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", scope["kind"])]})
    await send({"type": "http.response.body", "body": b""})


def _answer(kind: bytes, cookie: bytes = b"") -> dict[bytes, bytes]:
    """Run the middleware, whose every step is ready at once, without an event loop of its own."""
    sent = []

    async def send(message):
        sent.append(message)

    headers = [(b"cookie", cookie)] if cookie else []
    run = visitors.VisitorCookie(_app)({"type": "http", "headers": headers, "kind": kind}, None, send)
    with pytest.raises(StopIteration):
        run.send(None)
    return dict(sent[0]["headers"])


def test_a_page_brings_a_cookie_scripts_cannot_read_and_only_once():
    first, second = (_answer(b"text/html; charset=utf-8")[b"set-cookie"].decode() for _ in range(2))
    assert first != second
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(first.split("; "))
    assert b"set-cookie" not in _answer(b"text/html", first.split(";")[0].encode())
    assert b"set-cookie" not in _answer(b"image/webp")
