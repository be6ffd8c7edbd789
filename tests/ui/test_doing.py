"""What a person does in our own elements reaches the session: cards, tray, grid, ask bar, paging."""

import io

import pytest
from PIL import Image

from anchordiv.ui import controls, dropped, explore, gallery, resources, tray
from anchordiv.ui.session import Query, Session
from anchordiv.ui.thumbnails import OpenedCollection
from tests.ui.conftest import READY, picture_bytes


@pytest.fixture
def session(toy_world, monkeypatch) -> Session:
    made = Session()
    made.open(toy_world, READY)
    for module in (controls, dropped, gallery, tray, explore):
        monkeypatch.setattr(module, "current_session", lambda: made)
    return made


@pytest.fixture
def do(monkeypatch):
    """Send an event as an element would."""

    def send(module, action, **event):
        monkeypatch.setattr(module, "event_of", lambda key: event)
        action()

    return send


def test_cards_weigh_switch_and_recolour(session, do):
    first = session.groups[0]
    do(controls, controls._on_card, kind="weigh", group=first.id, weight=4)
    do(controls, controls._on_card, kind="switch", group=first.id, on=False)
    do(controls, controls._on_card, kind="recolour", group=first.id, colour="#00ff00")
    assert (first.weight, first.on, first.colour) == (4.0, False, "#00FF00")
    data = controls._cards_data(session, session.opened, None)["groups"][0]
    assert (data["weight"], data["on"], data["colour"]) == (4.0, False, "#00FF00")


def test_the_weight_reaches_the_geometry(session):
    session.weigh_group(session.groups[0].id, 3.0)
    context = resources.context_of(session.plan(), session.opened)
    assert [group.weight for group in context.groups] == [3.0, 1.0]


def test_the_tray_acts_on_the_selection(session, do):
    ids = [item.id for item in session.opened.collection.items]
    session.choose(ids[:4])
    do(tray, tray._on_tray, kind="drop", id=ids[0])
    assert session.chosen == ids[1:4]
    do(tray, tray._on_tray, kind="add_to", group=session.groups[0].id)
    assert (session.groups[0].pictures, session.chosen) == (ids[1:4], [])
    session.choose(ids[4:6])
    do(tray, tray._on_tray, kind="new_group")
    assert session.groups[-1].pictures == ids[4:6]
    session.choose(ids[6:8])
    do(tray, tray._on_tray, kind="ask")
    assert session.query == Query("mean", ids=tuple(ids[6:8]))
    session.choose(ids[8:9])
    do(tray, tray._on_tray, kind="exclude")
    assert session.excluded == ids[8:9]
    session.choose(ids[:2])
    do(tray, tray._on_tray, kind="clear")
    assert session.chosen == []


def _answer(session: Session, lens: str = "context"):
    session.lens = lens
    plan = session.plan()
    return explore.answer_to(session, session.opened, plan, resources.context_of(plan, session.opened))


def test_what_is_excluded_is_in_no_ranking_and_the_query_neither(session):
    ids = [item.id for item in session.opened.collection.items]
    session.choose(ids[5:10])
    session.exclude_chosen()
    for lens in ("context", "cosine"):
        answer = _answer(session, lens)
        assert answer.pages == 2
        shown = {row.index for row in (*answer.rows, *answer.left)}
        session.result_page = 2
        shown |= {row.index for row in _answer(session, lens).rows}
        session.result_page = 1
        assert shown == set(range(40)) - {0, *range(5, 10)}


def test_each_lens_is_held_against_the_other(session):
    by_context, by_cosine = _answer(session), _answer(session, "cosine")
    assert by_context.by_context
    assert not by_cosine.by_context
    ranks = {row.index: (row.rank, row.other_rank) for row in by_context.rows}
    for row in by_cosine.rows:
        if row.index in ranks:
            assert ranks[row.index] == (row.other_rank, row.rank)
    entered = {row.index for row in by_context.rows if row.entered}
    assert entered == {row.index for row in by_cosine.left}
    assert {row.index for row in by_context.left} == {row.index for row in by_cosine.rows if row.entered}
    assert entered, "the toy's shapes and colours do not rank alike"
    assert f"{len(entered)} entered" in by_context.comparison


def test_pages_follow_one_another(session):
    first = _answer(session)
    session.result_page = 2
    second = _answer(session)
    assert [row.rank for row in (*first.rows, *second.rows)] == list(range(1, 40))
    session.result_page = 99
    assert [row.rank for row in _answer(session).rows] == list(range(25, 40)), "past the end the last page is shown"


class _Said:
    def __init__(self, name: str, data: bytes) -> None:
        upload = io.BytesIO(data)
        upload.name = name
        self.text, self.files = "", [upload]


def test_a_dropped_picture_is_asked_about_without_joining_the_collection(session, monkeypatch):
    stream = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(stream, "PNG")
    monkeypatch.setattr(dropped, "told", lambda key: _Said("mine.png", stream.getvalue()))
    dropped._ask()
    dropped.take_in(session)
    assert session.query.kind == "dropped"
    assert len(session.opened.collection) == 40
    assert len(_answer(session).rows) == 24
    face = explore._query_face(session, session.opened, session.query)
    assert (face["name"], face["url"]) == ("mine.png", session.dropped.url(0))


def test_what_is_dropped_and_is_no_picture_is_refused_and_the_query_stays(session, monkeypatch):
    before = session.query
    monkeypatch.setattr(dropped, "told", lambda key: _Said("letter.txt", b"Dear diary"))
    dropped._ask()
    dropped.take_in(session)
    assert session.query == before
    assert "letter.txt" in session.drop_problem
    session.ask_picture(session.opened.collection.items[3].id)
    assert session.drop_problem == "", "asking something else puts the refusal away"
    monkeypatch.setattr(dropped, "told", lambda key: "a red boat")
    dropped._ask()
    assert session.query == Query("text", "a red boat")


def test_a_dropped_picture_waits_for_the_encoder(session, monkeypatch):
    monkeypatch.setattr(resources, "encoder", lambda: None)
    session.dropping = ("red.png", picture_bytes("red"))
    dropped.take_in(session)
    assert session.dropping is not None
    monkeypatch.undo()


def test_a_growing_intake_is_shown_and_a_cancelled_one_keeps_what_is_in(page, toy_world):
    from anchordiv.ui.jobs import Job

    at = page().run()
    session = at.session_state["anchordiv"]
    part = toy_world.collection.subset(range(12))
    session.intake = job = Job(lambda report: None)
    job.publish(OpenedCollection(part, token="growing"))
    at.run()
    assert not at.exception
    assert len(session.opened.collection) == 12
    session.choose([part.items[3].id])
    job.publish(OpenedCollection(toy_world.collection.subset(range(20)), token="growing"))
    at.run()
    assert (len(session.opened.collection), session.chosen) == (20, [part.items[3].id])
    at.button(key="cancel-intake").click().run()
    assert session.intake is None
    assert len(session.opened.collection) == 20
    assert any("called the rest off" in warning.value for warning in at.warning)


def test_what_words_and_copies_are_judged_by_is_said(session):
    opened = session.opened
    assert "your groups" in explore._query_note(opened, Query("text", "a red boat"))
    assert "picture 3" in explore._query_note(opened, Query("dropped", opened.collection.items[3].id))
    assert explore._query_note(opened, session.query) == ""
