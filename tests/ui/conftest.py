"""A small world for the pages: a toy sample, a toy encoder, nothing loaded in the background."""

import io
from dataclasses import replace

import pytest
import streamlit as st
from PIL import Image
from streamlit.testing.v1 import AppTest

from anchordiv.places import front_dir
from anchordiv.ui import resources
from anchordiv.ui.jobs import Job
from anchordiv.ui.thumbnails import OpenedCollection
from tests.stand_ins import ToyEncoder, toy_collection

READY = {"colour": {"red": ["red"], "blue": ["blue"]}, "shape": {"round": ["round"], "square": ["square"]}}


def done(result: object) -> Job:
    job = Job(lambda report: result)
    job.run()
    return job


def picture_bytes(colour: str, size: int = 24) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (size, size), colour).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture(autouse=True)
def toy_world(monkeypatch):
    """Stand in for the sample, the encoder and the ready contexts; tests say when the encoder is late."""
    collection = toy_collection(40)
    opened = OpenedCollection(replace(collection, name="Atelier"), is_sample=True)
    encoder = done(resources.RememberingEncoder(ToyEncoder()))
    monkeypatch.delenv("ANCHORDIV_SOURCE", raising=False)
    monkeypatch.setattr(resources, "sample", lambda: opened)
    monkeypatch.setattr(resources, "encoder_job", lambda: encoder)
    monkeypatch.setattr(resources, "ready", lambda: READY)
    st.cache_resource.clear()
    return opened


@pytest.fixture
def page():
    """Open a page of the app by its file."""

    def open_page(name: str = "pages/1_Explore.py") -> AppTest:
        at = AppTest.from_file(str(front_dir() / "app.py"), default_timeout=60)
        return at if name == "app.py" else at.switch_page(name)

    return open_page
