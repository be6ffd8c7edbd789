"""The store keeps what was encoded, gives nothing to strangers, and opens after anything that happens to it."""

import os
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

from anchordiv.collection import Collection, Store
from anchordiv.collection.store import StoredPicture, prompt_key
from anchordiv.errors import StoreUnavailable
from tests.collection.conftest import png
from tests.stand_ins import ToyEncoder

FILES = [(f"{seed}.png", png(seed)) for seed in range(7)]


@pytest.fixture(params=["file", "memory"])
def store(request, tmp_path):
    opened = Store.open(":memory:" if request.param == "memory" else tmp_path / "new folder" / "store.sqlite")
    yield opened
    opened.close()


def opened_from(path):
    return Store.open(path / "store.sqlite")


def test_a_picture_is_encoded_once_ever_whatever_its_name(store, encoder):
    first = Collection.open(FILES, encoder=encoder, store=store)
    again = Collection.open([(f"other/{name}", data) for name, data in reversed(FILES)], encoder=encoder, store=store)
    assert encoder.encoded_images == 7
    assert set(again.ids) == set(first.ids)
    for item in first.items:
        here, there = first.index_of(item.id), again.index_of(item.id)
        np.testing.assert_array_equal(first.embeddings[here], again.embeddings[there])
        assert first.thumbnail(here) == again.thumbnail(there)


def test_new_pictures_among_known_ones_get_their_own_vectors(store, encoder):
    Collection.open(FILES[::2], encoder=encoder, store=store)
    mixed = Collection.open(FILES, encoder=encoder, store=store)
    alone = Collection.open(FILES, encoder=ToyEncoder())
    assert encoder.encoded_images == 7
    np.testing.assert_array_equal(mixed.embeddings, alone.embeddings)


def test_another_encoder_does_not_get_this_ones_vectors(store, encoder):
    Collection.open(FILES, encoder=encoder, store=store)
    other = ToyEncoder()
    other.identity = "toy:2"
    Collection.open(FILES, encoder=other, store=store)
    assert other.encoded_images == 7


def test_a_damaged_vector_is_made_anew(tmp_path, encoder):
    store = opened_from(tmp_path)
    Collection.open(FILES, encoder=encoder, store=store)
    with sqlite3.connect(tmp_path / "store.sqlite") as db:
        db.execute("UPDATE vectors SET vector = zeroblob(24) WHERE key = (SELECT key FROM vectors LIMIT 1)")
    again = Collection.open(FILES, encoder=encoder, store=store)
    assert encoder.encoded_images == 8
    np.testing.assert_array_equal(again.embeddings, Collection.open(FILES, encoder=ToyEncoder()).embeddings)


def test_what_was_encoded_before_a_cancel_is_kept(tmp_path, encoder):
    files = [(f"{seed}.png", png(seed)) for seed in range(80)]

    class StopError(Exception):
        pass

    def stop(stage, done, total):
        if stage == "encoding" and done >= 32:
            raise StopError

    store = opened_from(tmp_path)
    with pytest.raises(StopError):
        Collection.open(files, encoder=encoder, store=store, progress=stop)
    Collection.open(files, encoder=encoder, store=opened_from(tmp_path))
    assert encoder.encoded_images == 80


def test_a_collection_comes_back_whole_to_its_owner_and_to_nobody_else(tmp_path, encoder):
    store = opened_from(tmp_path)
    files = [(f"{'cats' if seed % 2 else 'dogs'}/{name}", data) for seed, (name, data) in enumerate(FILES)]
    made = Collection.open([*files, ("broken.png", b"\x89PNG"), files[0]], encoder=encoder, name="Pets", store=store)
    key = store.keep_collection(made, "me")
    store.close()
    store = opened_from(tmp_path)
    back = store.collection(key, "me", encoder.identity)
    assert (back.name, back.items, back.report) == (made.name, made.items, made.report)
    np.testing.assert_array_equal(back.embeddings, made.embeddings)
    assert list(back.thumbnails) == list(made.thumbnails)
    assert back.labels.equals(made.labels)
    assert encoder.encoded_images == 7
    assert [(c.id, c.name, c.count) for c in store.collections("me")] == [(key, "Pets", 7)]
    assert store.collection(key, "you", encoder.identity) is None
    assert store.collections("you") == ()


def test_a_collection_can_be_replaced_by_a_larger_one(store, encoder):
    key = store.keep_collection(Collection.open(FILES[:3], encoder=encoder), "me")
    assert store.keep_collection(Collection.open(FILES, encoder=encoder), "me", key) == key
    assert len(store.collection(key, "me", encoder.identity)) == 7


def test_sessions_and_contexts_belong_to_their_owner(store):
    store.keep_session("me", {"lens": "cosine"}, b"\0\1")
    store.keep_session("me", {"lens": "context"}, None)
    store.keep_context("me", "styles", [{"name": "photo"}])
    assert store.session("me") == ({"lens": "context"}, None)
    assert store.session("you") is None
    assert store.contexts("me") == {"styles": [{"name": "photo"}]}
    assert store.contexts("you") == {}
    store.forget_context("me", "styles")
    assert store.contexts("me") == {}


def test_prompts_are_kept_as_digests(tmp_path):
    store = opened_from(tmp_path)
    words = "a patient called Jane Doe"
    store.keep_prompt_vectors({prompt_key(words, ("{}",)): np.ones(4, np.float32)}, "toy:1")
    assert list(store.prompt_vectors([prompt_key(words, ("{}",))], "toy:1")) == [prompt_key(words, ("{}",))]
    assert store.prompt_vectors([prompt_key(words, ("a photo of {}",))], "toy:1") == {}
    store.close()
    assert b"Jane" not in (tmp_path / "store.sqlite").read_bytes()


def test_a_newer_or_foreign_file_is_refused_in_words_and_left_alone(tmp_path):
    opened_from(tmp_path).close()
    with sqlite3.connect(tmp_path / "store.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreUnavailable, match="newer version"):
        opened_from(tmp_path)
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE theirs (a)")
    with pytest.raises(StoreUnavailable, match="another program"):
        Store.open(foreign)
    text = tmp_path / "letter.txt"
    text.write_text("Dear diary, " * 100)
    with pytest.raises(StoreUnavailable, match="--store"):
        Store.open(text)
    assert text.read_text().startswith("Dear diary")


def test_a_store_that_cannot_be_written_does_not_stop_an_intake(store, encoder):
    store.close()

    class Broken(type(store)):
        def picture(self, item_id, encoder_identity):
            return None

    broken = Broken(store.path, store._connection)
    made = Collection.open(FILES, encoder=encoder, store=broken)
    assert len(made) == 7
    assert "cannot be used" in made.report.warning


def test_a_process_that_dies_while_writing_leaves_a_store_that_opens(tmp_path):
    script = """
import os, sys
import numpy as np
from anchordiv.collection import Store
from anchordiv.collection.store import StoredPicture
store = Store.open(sys.argv[1])
store.keep_pictures({"a": StoredPicture(b"x", np.ones(4, np.float32))}, "toy:1")
with store._transaction() as db:
    db.execute("DELETE FROM pictures")
    os._exit(9)
"""
    path = tmp_path / "store.sqlite"
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == 9
    assert Store.open(path).picture("a", "toy:1").thumbnail == b"x"


def test_threads_and_two_openings_write_at_once(tmp_path):
    stores = [opened_from(tmp_path), opened_from(tmp_path)]
    problems = []

    def write(number):
        try:
            for row in range(20):
                vector = np.full(4, row, np.float32)
                stores[number % 2].keep_pictures({f"{number}-{row}": StoredPicture(b"x", vector)}, "toy:1")
        except StoreUnavailable as error:
            problems.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert all(stores[0].picture(f"{n}-{row}", "toy:1") is not None for n in range(4) for row in range(20))


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_a_new_store_is_its_owners_alone(tmp_path):
    opened_from(tmp_path)
    assert (tmp_path / "store.sqlite").stat().st_mode & 0o077 == 0


def test_the_environment_names_the_store(monkeypatch, tmp_path):
    monkeypatch.setenv("ANCHORDIV_STORE", str(tmp_path / "named.sqlite"))
    assert Store.open().path == str(tmp_path / "named.sqlite")
    monkeypatch.setenv("ANCHORDIV_STORE", ":memory:")
    assert Store.open().path == ":memory:"


def test_what_is_in_so_far_is_shown_while_the_rest_comes_in(encoder):
    files = [(f"{seed}.png", png(seed)) for seed in range(100)]
    seen = []
    made = Collection.open(files, encoder=encoder, arrived=seen.append)
    assert [len(collection) for collection in seen] == [32, 64, 96]
    for partial in seen:
        np.testing.assert_array_equal(partial.embeddings, made.embeddings[: len(partial)])
