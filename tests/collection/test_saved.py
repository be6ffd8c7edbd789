import json
import pickle

import numpy as np
import pandas as pd
import pytest

from anchordiv.collection import Collection
from anchordiv.errors import InputError
from tests.collection.conftest import png
from tests.stand_ins import ToyEncoder, toy_collection


@pytest.fixture
def collection(tmp_path, encoder):
    (tmp_path / "img").mkdir()
    for number in range(3):
        (tmp_path / "img" / f"{number} 日本 é\u202e.png").write_bytes(png(number))
    names = [f"img/{number} 日本 é\u202e.png" for number in range(3)]
    table = pd.DataFrame(
        {
            "path": names,
            "style": ["a", None, "c"],
            "year": [1, 2, 3],
            "score": [0.5, None, 1.5],
            "ok": [True, False, True],
        }
    )
    table.to_csv(tmp_path / "t.csv", index=False)
    return Collection.open(tmp_path / "t.csv", encoder=encoder)


def test_what_is_saved_is_loaded(collection, tmp_path, encoder):
    collection.save(tmp_path / "c.npz")
    loaded = Collection.load(tmp_path / "c.npz", encoder=encoder)
    assert (loaded.name, loaded.items, loaded.encoder_identity) == ("t", collection.items, encoder.identity)
    np.testing.assert_array_equal(loaded.embeddings, collection.embeddings)
    assert [loaded.thumbnail(i) for i in range(3)] == [collection.thumbnail(i) for i in range(3)]
    assert loaded.image(1).size == (48, 36)
    assert loaded.labels["style"].isna().tolist() == [False, True, False]
    assert loaded.labels[["year", "ok"]].to_dict("list") == {"year": [1, 2, 3], "ok": [True, False, True]}
    assert loaded.labels["score"].tolist()[::2] == [0.5, 1.5]
    assert loaded.encoder is encoder
    assert Collection.load(tmp_path / "c.npz").encoder is None
    assert Collection.open(tmp_path / "c.npz", encoder=encoder).items == collection.items
    assert encoder.encoded_images == 3


def test_an_empty_collection_is_saved_and_loaded(tmp_path, encoder):
    Collection.open([], encoder=encoder).save(tmp_path / "c.npz")
    loaded = Collection.load(tmp_path / "c.npz")
    assert loaded.embeddings.shape == (0, encoder.dim)


def test_vectors_of_another_encoder_are_not_mixed(collection, tmp_path):
    collection.save(tmp_path / "c.npz")

    class Other(ToyEncoder):
        identity = "other#2"

    with pytest.raises(InputError, match=r"toy:1.*other#2"):
        Collection.load(tmp_path / "c.npz", encoder=Other())


def test_a_failed_save_leaves_the_old_file_and_nothing_else(collection, tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "c.npz"
    collection.save(path)
    before = path.read_bytes()

    def full(stream, **arrays):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(InputError, match="No space left"):
        collection.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["c.npz"]


def test_a_folder_that_is_not_there_is_a_sentence(collection, tmp_path):
    with pytest.raises(InputError, match="could not be written"):
        collection.save(tmp_path / "no" / "c.npz")


class Trap:
    def __reduce__(self):
        return (open, ("PICKLE_WAS_LOADED", "w"))


def test_pickles_are_refused_and_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.npz").write_bytes(pickle.dumps(Trap()))
    objects = np.array([Trap()], dtype=object)
    np.savez(tmp_path / "objects.npz", description=objects, embeddings=objects)
    for name in ("bare.npz", "objects.npz"):
        with pytest.raises(InputError, match="not a collection"):
            Collection.load(tmp_path / name)
    assert not (tmp_path / "PICKLE_WAS_LOADED").exists()


@pytest.mark.parametrize("kept", [0, 5, 100, 0.5, -1])
def test_cut_files_are_refused(tmp_path, kept):
    path = tmp_path / "c.npz"
    toy_collection(10).save(path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept) if isinstance(kept, float) else kept])
    with pytest.raises(InputError, match="not a collection"):
        Collection.load(path)


def test_files_that_do_not_fit_together_are_refused(tmp_path):
    path = tmp_path / "c.npz"
    toy_collection(4).save(path)
    with np.load(path) as arrays:
        whole = dict(arrays)

    def refused(match="not a collection", **changed):
        np.savez(path, **{**whole, **changed})
        with pytest.raises(InputError, match=match):
            Collection.load(path)

    description = json.loads(whole["description"].tobytes())

    def described(**changed):
        return np.frombuffer(json.dumps({**description, **changed}).encode(), np.uint8)

    refused(embeddings=whole["embeddings"][:3])
    refused(embeddings=whole["embeddings"] * 2)
    refused(embeddings=np.full_like(whole["embeddings"], np.nan))
    refused(thumbnail_ends=whole["thumbnail_ends"] + 1)
    refused(description=described(items=[description["items"][0]] * 4))
    refused(description=described(format="something else"))
    refused(description=described(labels=[["x", [1]]]))
    refused(description=described(version=99), match="newer version")
    refused(description=np.frombuffer(b"not json", np.uint8))
    with pytest.raises(InputError, match="There is no file"):
        Collection.load(tmp_path / "gone.npz")
