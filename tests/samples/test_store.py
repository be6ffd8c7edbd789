"""A sample opens with the vectors it ships with, and says what to do when it cannot."""

import csv
import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from PIL import Image

import anchordiv.samples.store as store_module
from anchordiv.errors import AnchordivError, InputError
from anchordiv.samples import atelier, open_sample, sample_names
from anchordiv.samples.build import draw_all, file_name, packed
from anchordiv.samples.store import LABELS, Shelf, shelf


class MeanColourEncoder:
    """Encodes a picture as its mean colour; enough to tell pictures apart."""

    def __init__(self, identity="mean colour#1"):
        self.identity = identity
        self.seen = 0

    def encode_images(self, images, *, batch_size=32, progress=None):
        self.seen += len(images)
        means = np.array([np.asarray(image, dtype=float).mean(axis=(0, 1)) + 1 for image in images])
        return (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A shelf of six pictures with vectors, in the place where the Atelier is looked for."""
    monkeypatch.setattr(store_module, "assets_dir", lambda: tmp_path)
    place = draw_all(Shelf(tmp_path / "samples" / "atelier"), atelier.plan()[:6], lambda line: None)
    vectors = np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    place.write_embeddings(vectors, "tiny#1")
    return place, vectors


def test_opening_gives_the_shipped_vectors_labels_and_pictures(small):
    _, vectors = small
    collection = open_sample("atelier")
    assert len(collection) == 6
    assert collection.encoder is None
    assert collection.encoder_identity == "tiny#1"
    np.testing.assert_allclose(collection.embeddings, vectors, atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(collection.embeddings, axis=1), 1, atol=1e-6)
    specs = atelier.plan()[:6]
    assert list(collection.labels.columns) == list(LABELS)
    assert collection.labels.to_dict("records") == [{x: getattr(s, x) for x in LABELS} for s in specs]
    assert [item.name for item in collection.items] == [spec.name for spec in specs]
    shown = np.asarray(collection.image(2), dtype=float)
    assert np.abs(shown - np.asarray(specs[2].draw(), dtype=float)).mean() < 6


def test_the_encoder_that_made_the_vectors_is_not_asked_again(small):
    encoder = MeanColourEncoder("tiny#1")
    assert open_sample("atelier", encoder=encoder).encoder is encoder
    assert encoder.seen == 0


def test_another_encoder_encodes_again_and_reports_progress(small):
    encoder = MeanColourEncoder()
    told = []
    collection = open_sample("atelier", encoder=encoder, progress=lambda *event: told.append(event))
    assert encoder.seen == 6
    assert collection.embeddings.shape == (6, 3)
    assert collection.encoder_identity == "mean colour#1"
    assert told[0] == ("encoding", 0, 6)
    assert told[-1] == ("encoding", 6, 6)


def test_vectors_of_other_pictures_are_not_used(small):
    place, _ = small
    kept = place.embeddings_file.read_bytes()
    again = draw_all(place, atelier.plan()[6:12], lambda line: None)
    again.embeddings_file.write_bytes(kept)
    with pytest.raises(InputError, match="--embeddings-only"):
        open_sample("atelier")
    assert open_sample("atelier", encoder=MeanColourEncoder()).embeddings.shape == (6, 3)


def test_damaged_and_missing_files_are_explained(small):
    place, _ = small
    place.pictures_file.write_bytes(b"PK no zip")
    with pytest.raises(AnchordivError, match="install anchordiv again"):
        open_sample("atelier")
    place.pictures_file.unlink()
    with pytest.raises(AnchordivError, match="missing or damaged"):
        open_sample("atelier")


def test_an_unknown_sample_is_refused_with_the_known_names():
    with pytest.raises(InputError, match="atelier"):
        open_sample("louvre")
    assert sample_names() == ("atelier",)


def test_pixel_art_is_packed_without_loss():
    spec = next(s for s in atelier.plan() if s.style == "pixel art")
    picture = spec.draw()
    with Image.open(io.BytesIO(packed(picture))) as read:
        assert np.array_equal(np.asarray(read.convert("RGB")), np.asarray(picture))


def test_shipped_files_are_the_plan_drawn_within_their_size():
    place = shelf("atelier")
    specs = atelier.plan()
    with place.labels_file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    expected = [
        {"file": file_name(k, s), "name": s.name, "seed": str(s.seed)} | {x: getattr(s, x) for x in LABELS}
        for k, s in enumerate(specs)
    ]
    assert rows == expected
    with zipfile.ZipFile(place.pictures_file) as archive:
        assert archive.namelist() == [row["file"] for row in rows]
        for k in range(0, len(specs), 97):
            with Image.open(io.BytesIO(archive.read(rows[k]["file"]))) as read:
                shown = np.asarray(read.convert("RGB"), dtype=float)
            assert np.abs(shown - np.asarray(specs[k].draw(), dtype=float)).mean() < 9, rows[k]["name"]
    assert sum(file.stat().st_size for file in place.folder.iterdir()) <= 14e6


def test_the_shipped_sample_opens_without_an_encoder():
    collection = open_sample()
    assert len(collection) == 1280
    assert len(set(collection.ids)) == 1280
    assert collection.encoder_identity.startswith("starter#")
    assert set(collection.labels["split"]) == {"seen pair", "held-out pair"}


def test_opening_the_shipped_sample_loads_no_torch():
    code = "import sys, anchordiv.samples as s; s.open_sample(); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
