"""Each page runs by itself, says what it is about, and turns what goes wrong into a sentence."""

import pytest
from streamlit.testing.v1 import AppTest

from anchordiv.errors import InputError
from anchordiv.geometry import device_name, device_of
from anchordiv.retrieval import search
from anchordiv.ui import controls, neighbours, resources
from anchordiv.ui.jobs import Job
from anchordiv.ui.session import Session
from anchordiv.ui.thumbnails import OpenedCollection
from tests.stand_ins import ToyEncoder, collection_of, toy_collection
from tests.ui.conftest import done


def session_of(at: AppTest) -> Session:
    return at.session_state["anchordiv"]


def everything_said(at: AppTest) -> str:
    elements = [*at.markdown, *at.caption, *at.error, *at.info, *at.text, *at.title]
    return "\n".join(str(element.value) for element in elements)


@pytest.mark.parametrize("name", ["app.py", "pages/1_Explore.py"])
def test_a_page_runs_on_a_fresh_server_without_the_other(page, name):
    at = page(name).run()
    assert not at.exception
    assert not at.error
    assert session_of(at).opened is not None


def test_explore_opens_on_the_sample_under_its_first_ready_context(page):
    at = page().run()
    said = everything_said(at)
    assert "**Atelier** · 40 pictures" in said
    assert [group.name for group in session_of(at).groups] == ["red", "blue"]
    assert at.segmented_control(key="lens").value == "context"
    assert f"Computed on the {device_name(device_of())}." in said


def test_choosing_a_ready_context_and_the_lens_reaches_the_session(page):
    at = page().run()
    at.pills(key="ready").set_value("shape").run()
    assert [group.name for group in session_of(at).groups] == ["round", "square"]
    at.segmented_control(key="lens").set_value("cosine").run()
    assert session_of(at).lens == "cosine"
    assert not at.exception


def test_sharpness_model_and_divergence_become_part_of_the_plan(page):
    at = page().run()
    at.select_slider(key="sharpness").set_value(5.0).run()
    at.selectbox(key="model").set_value("empirical").run()
    at.selectbox(key="divergence").set_value("jeffreys").run()
    session = session_of(at)
    assert (session.concentration, session.model, session.divergence) == (5.0, "empirical", "jeffreys")
    at.select_slider(key="sharpness").set_value(20.0).run()
    assert session_of(at).concentration is None, "the encoder's own concentration is no wish of its own"
    assert not at.error


def test_nothing_is_read_again_because_a_widget_moved(page):
    at = page().run()
    encoder = resources.encoder()
    before = encoder.texts_read
    at.select_slider(key="sharpness").set_value(5.0).run()
    at.selectbox(key="model").set_value("discriminant").run()
    assert encoder.texts_read == before


def test_words_are_asked_and_what_was_cut_is_said(page):
    at = page().run()
    at.chat_input(key="ask").set_value("red round " + "and " * 6 + "forgotten words").run()
    assert session_of(at).query.kind == "text"
    vector, cut = resources.embed_words(session_of(at).query.value, session_of(at).opened)
    assert cut.endswith("forgotten words")
    assert vector.shape == (6,)
    assert not at.error


def test_before_the_encoder_is_there_plain_cosine_stands_in(page, monkeypatch):
    monkeypatch.setattr(resources, "encoder_job", lambda: Job(lambda report: None))
    at = page().run()
    assert not at.exception
    assert "waking up" in everything_said(at)


def test_a_missing_encoder_is_a_sentence_and_pictures_stay(page, monkeypatch):
    def refuse(report):
        raise InputError("The starter model is missing; install anchordiv again.")

    failed = Job(refuse)
    failed.run()
    monkeypatch.setattr(resources, "encoder_job", lambda: failed)
    at = page().run()
    assert not at.exception
    assert "The starter model is missing" in everything_said(at)


def test_a_context_that_cannot_be_is_refused_in_words(page, monkeypatch):
    def refuse(plan, opened):
        raise InputError("Two groups of this context say the same.")

    monkeypatch.setattr(resources, "context_of", refuse)
    at = page().run()
    assert [error.value for error in at.error] == ["Two groups of this context say the same."]
    assert not at.exception


def test_what_nobody_expected_shows_no_traceback(page, monkeypatch):
    def fail(*args, **kwargs):
        raise ZeroDivisionError("/secret/place")

    monkeypatch.setattr(resources, "context_of", fail)
    at = page().run()
    assert len(at.error) == 1
    assert "secret" not in everything_said(at)
    assert not at.exception


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_pictures_or_none_are_said_in_words(page, monkeypatch, count):
    opened = OpenedCollection(toy_collection(40).subset(range(count)), is_sample=True)
    monkeypatch.setattr(resources, "sample", lambda: opened)
    at = page().run()
    assert not at.exception
    assert not at.error
    said = everything_said(at)
    assert ("no picture here" if count == 0 else "A map needs at least 4 pictures") in said


def test_brought_pictures_replace_the_sample_and_the_report_names_what_was_left_out(page, monkeypatch):
    toy = toy_collection(12, seed=3)
    report = type(toy.report)(12, ("copy.png",), (("broken.jpg", "it is damaged"),), 0)
    brought = collection_of(toy.items, toy.embeddings, toy.labels, toy.encoder)
    object.__setattr__(brought, "report", report)
    at = page().run()
    session_of(at).intake = done(OpenedCollection(brought))
    at.run()
    said = everything_said(at)
    assert "**12** pictures are in" in said
    assert "broken.jpg: it is damaged" in said
    assert "copy.png" in said
    at.button(key="close-report").click().run()
    assert "broken.jpg" not in everything_said(at)


def test_cosine_without_torch_ranks_as_the_full_search_does(toy_world):
    context = resources.cosine_of(toy_world)
    for index in (0, 7):
        vector = toy_world.collection.embeddings[index]
        plain = neighbours.by_cosine(toy_world, neighbours.Asked(vector, [index]), size=12)
        full = search(toy_world.collection, context, index, k=12)
        assert [row.index for row in plain.rows] == [hit.index for hit in full.rows]
        assert plain.pages == 4


def test_what_gets_through_while_the_page_is_drawn_is_still_picked_up(page, monkeypatch):
    late = Job(lambda report: resources.RememberingEncoder(ToyEncoder()))
    plain_card = controls.collection_card

    def card_while_the_encoder_arrives(*args):
        plain_card(*args)
        if late.pending:
            late.run()

    monkeypatch.setattr(resources, "encoder_job", lambda: late)
    monkeypatch.setattr(controls, "collection_card", card_while_the_encoder_arrives)
    at = page().run()
    assert not at.exception
    assert "waking up" not in everything_said(at)


def test_the_dialog_stays_open_while_the_page_is_drawn_again(page):
    at = page().run()
    at.button(key="bring").click().run()
    assert at.text_input(key="place").value == ""
    at.segmented_control(key="view").set_value("all").run()
    assert at.text_input(key="place").value == ""
