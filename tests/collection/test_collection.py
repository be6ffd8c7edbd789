import hashlib

import numpy as np
import pytest
from PIL import Image

from anchordiv.collection import Collection, IngestReport, Item
from anchordiv.errors import InputError
from tests.collection.conftest import encoded, picture, png
from tests.stand_ins import ToyEncoder


@pytest.fixture
def mixed(tmp_path):
    """A folder with good pictures, a copy, a cut file, a text and clutter."""
    for name, data in {
        "a/one.png": png(1),
        "a/copy.png": png(1),
        "b/two.png": png(2),
        "b/cut.jpg": encoded(picture(3), "JPEG")[:200],
        "b/cut_again.jpg": encoded(picture(3), "JPEG")[:200],
        "notes.txt": b"hello",
        "three.png": png(3),
        ".DS_Store": b"x",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_one_bad_file_never_stops_the_rest(mixed, encoder):
    collection = Collection.open(mixed, encoder=encoder)
    assert [item.name for item in collection.items] == ["three.png", "a/copy.png", "b/two.png"]
    assert [item.id for item in collection.items] == [hashlib.sha256(png(i)).hexdigest() for i in (3, 1, 2)]
    assert collection.report.accepted == 3
    assert collection.report.duplicates == ("a/one.png",)
    assert [name for name, _ in collection.report.rejected] == ["notes.txt", "b/cut.jpg", "b/cut_again.jpg"]
    assert all(reason for _, reason in collection.report.rejected)
    assert collection.report.skipped == 1
    assert collection.labels["folder"].tolist() == [".", "a", "b"]
    assert collection.encoder is encoder
    assert collection.encoder_identity == encoder.identity


def test_rows_belong_together_whatever_the_batches(tmp_path, encoder):
    for number in range(70):
        (tmp_path / f"{number:03}.png").write_bytes(png(number))
    collection = Collection.open(tmp_path, encoder=encoder)
    wanted = encoder.encode_images([picture(number) for number in range(70)])
    np.testing.assert_array_equal(collection.embeddings, wanted)
    assert not collection.embeddings.flags.writeable
    assert collection.labels.shape == (70, 0)


def test_the_same_bytes_are_never_encoded_twice(encoder):
    Collection.open([(f"{i}.png", png(i % 3)) for i in range(30)], encoder=encoder)
    assert encoder.encoded_images == 3


def test_an_empty_collection_is_legal(tmp_path, encoder):
    for source in (tmp_path, [], [("x.txt", b"no")]):
        collection = Collection.open(source, encoder=encoder)
        assert len(collection) == 0
        assert collection.embeddings.shape == (0, encoder.dim)
        assert collection.subset([]).embeddings.shape == (0, encoder.dim)
    assert encoder.encoded_images == 0


def test_progress_counts_up_to_its_total_and_ends_there(mixed, encoder):
    seen = []
    Collection.open(mixed, encoder=encoder, progress=lambda *step: seen.append(step))
    assert seen[0] == ("reading", 0, 7)
    assert [done for stage, done, _ in seen if stage == "reading"] == list(range(8))
    assert seen[-1] == ("encoding", 3, 3)


@pytest.mark.parametrize("stage", ["reading", "encoding"])
def test_raising_from_the_callback_cancels(mixed, encoder, stage):
    def cancel(now, done, total):
        if now == stage and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Collection.open(mixed, encoder=encoder, progress=cancel)


def test_large_pictures_close_a_batch_early(monkeypatch):
    from anchordiv.collection import ingest

    class Watched(ToyEncoder):
        batches = ()

        def encode_images(self, images, **options):
            self.batches = (*self.batches, len(images))
            return super().encode_images(images, **options)

    monkeypatch.setattr(ingest, "_BATCH_PIXELS", 2 * 48 * 36)
    watched = Watched()
    Collection.open([(f"{i}.png", png(i)) for i in range(5)], encoder=watched)
    assert watched.batches == (2, 2, 1)


def test_pictures_are_read_again_in_full_size_and_thumbnails_stand_in(tmp_path, encoder):
    big = Image.fromarray(np.random.default_rng(0).integers(0, 256, (300, 500, 3), dtype=np.uint8))
    (tmp_path / "big.png").write_bytes(encoded(big))
    collection = Collection.open(tmp_path, encoder=encoder)
    np.testing.assert_array_equal(np.asarray(collection.image(0)), np.asarray(big))
    (tmp_path / "big.png").write_bytes(png(9))
    assert collection.image(0).size == (224, 134), "another picture of that name must not be shown"
    (tmp_path / "big.png").unlink()
    assert collection.image(0).size == (224, 134)


def test_items_are_found_by_id(mixed, encoder):
    collection = Collection.open(mixed, encoder=encoder)
    assert [collection.index_of(item.id) for item in collection.items] == [0, 1, 2]
    with pytest.raises(InputError, match="no item"):
        collection.index_of("0" * 64)


def test_a_subset_keeps_rows_together(mixed, encoder):
    collection = Collection.open(mixed, encoder=encoder)
    for rows in ([2, 0], np.array([2, 0]), np.array([True, False, True])):
        subset = collection.subset(rows)
        order = [2, 0] if np.asarray(rows).dtype != bool else [0, 2]
        assert subset.items == tuple(collection.items[row] for row in order)
        np.testing.assert_array_equal(subset.embeddings, collection.embeddings[order])
        assert subset.labels["folder"].tolist() == collection.labels["folder"].iloc[order].tolist()
        assert [subset.thumbnail(i) for i in range(2)] == [collection.thumbnail(row) for row in order]
        assert subset.image(0).size == (48, 36)
        assert subset.report == IngestReport(2)


@pytest.mark.parametrize("rows", [[3], [-1], [0, 0], [[0]]])
def test_rows_that_do_not_exist_make_no_subset(mixed, encoder, rows):
    with pytest.raises(InputError, match="subset"):
        Collection.open(mixed, encoder=encoder).subset(rows)


def test_a_collection_that_does_not_fit_together_is_refused(encoder):
    item = Item("0" * 64, "x")
    with pytest.raises(InputError, match="as many rows"):
        Collection("c", (item,), np.zeros((2, 6), np.float32), [b""], encoder.identity)
    with pytest.raises(InputError, match="not by"):
        Collection("c", (item,), np.zeros((1, 6), np.float32), [b""], "another#1", encoder)


def test_the_report_reads_as_a_sentence():
    assert IngestReport(1).sentence() == "1 picture."
    assert IngestReport(0).sentence() == "0 pictures."
    whole = IngestReport(1200, ("a", "b"), (("x.pdf", "it is a PDF document"), ("y", "z")), 1).sentence()
    assert whole == (
        "1,200 pictures; 2 copies of others; 2 files left out (x.pdf: it is a PDF document, ...); "
        "1 hidden file or link skipped."
    )
