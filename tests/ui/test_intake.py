"""Bringing pictures: in the background, called off at will, with what was left out named."""

import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from anchordiv.ui import resources
from anchordiv.ui.jobs import Job, start
from tests.ui.conftest import picture_bytes


def wait(job: Job) -> Job:
    until = time.monotonic() + 30
    while job.pending and time.monotonic() < until:
        time.sleep(0.01)
    return job


FILES = [
    ("red.png", picture_bytes("red")),
    ("broken.png", b"\x89PNG\r\n\x1a\nand then nothing"),
    ("red again.png", picture_bytes("red")),
    ("blue.png", picture_bytes("blue")),
]


def test_one_bad_file_never_stops_the_rest():
    job = wait(start(resources.intake_job(FILES, "Mine")))
    assert job.state == "done", job.problem
    collection = job.result.collection
    assert {item.name for item in collection.items} == {"red.png", "blue.png"}
    assert [name for name, _ in collection.report.rejected] == ["broken.png"]
    assert list(collection.report.duplicates) == ["red again.png"]
    assert not job.result.is_sample


def test_a_place_that_is_not_there_is_refused_in_words():
    job = wait(start(resources.intake_job("/no/such/folder")))
    assert job.state == "failed"
    assert job.problem.endswith(".")
    assert "Traceback" not in job.problem


def test_a_saved_collection_opens_without_encoding_again(tmp_path):
    first = wait(start(resources.intake_job(FILES, "Mine"))).result.collection
    first.save(tmp_path / "mine.npz")
    toy = resources.encoder()._encoder
    before = toy.encoded_images
    again = wait(start(resources.intake_job(str(tmp_path / "mine.npz")))).result.collection
    assert again.ids == first.ids
    assert toy.encoded_images == before


def test_while_pictures_come_in_there_is_progress_and_a_way_out(page: AppTest):
    under_way, gate = threading.Event(), threading.Event()

    def work(report):
        report("encoding", 3, 12)
        under_way.set()
        gate.wait(30)
        report("encoding", 4, 12)

    at = page().run()
    job = start(Job(work))
    assert under_way.wait(30)
    at.session_state["anchordiv"].intake = job
    at.run()
    assert not at.exception
    at.button(key="cancel-intake").click().run()
    gate.set()
    assert wait(job).state == "cancelled"
    at.run()
    assert at.session_state["anchordiv"].intake is None
    assert at.session_state["anchordiv"].opened.is_sample, "what was there before is still there"


@pytest.mark.parametrize("name", ["app.py", "pages/1_Explore.py"])
def test_a_folder_given_at_the_start_is_opened_first(page, monkeypatch, tmp_path, name):
    for number, colour in enumerate(("red", "green", "blue", "white", "black")):
        (tmp_path / f"{number}.png").write_bytes(picture_bytes(colour))
    monkeypatch.setenv("ANCHORDIV_SOURCE", str(tmp_path))
    wait(resources.folder_job(str(tmp_path)))
    at = page(name).run()
    assert not at.exception
    assert not at.error
    assert len(at.session_state["anchordiv"].opened.collection) == 5


def test_a_place_named_in_the_dialog_is_opened(page, tmp_path):
    for number, colour in enumerate(("red", "green", "blue", "white", "black")):
        (tmp_path / f"{number}.png").write_bytes(picture_bytes(colour))
    at = page().run()
    at.button(key="bring").click().run()
    at.text_input(key="place").set_value(str(tmp_path)).run()
    at.button(key="open-place").click().run()
    session = at.session_state["anchordiv"]
    assert not session.bringing
    if session.intake is not None:
        wait(session.intake)
        at.run()
    assert len(at.session_state["anchordiv"].opened.collection) == 5
    assert not at.exception


def test_when_nothing_can_be_read_what_was_there_stays_and_the_reasons_are_said(page):
    at = page().run()
    session = at.session_state["anchordiv"]
    before = session.opened
    session.intake = wait(start(resources.intake_job([("a.png", b"xx"), ("b.jpg", b"yy")], "Mine")))
    at.run()
    assert not at.exception
    assert session.opened is before
    said = "".join(str(element.value) for element in [*at.markdown, *at.text])
    assert "No picture** came in" in said
    assert "a.png: it is not a picture" in said
    at.button(key="close-report").click().run()
    assert "came in" not in "".join(str(element.value) for element in at.markdown)
