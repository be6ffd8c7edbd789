"""The shelf of shipped samples: pictures, labels and vectors of each, opened without encoding anything."""

import csv
import hashlib
import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from anchordiv.errors import AnchordivError, InputError
from anchordiv.places import assets_dir

if TYPE_CHECKING:
    from anchordiv.collection import Collection, Progress
    from anchordiv.encoders import Encoder

LABELS: Final = ("object", "style", "colour", "layout", "split")
_TITLES: Final = {"atelier": "Atelier"}
_AT_ONCE: Final = 128


@dataclass(frozen=True)
class Shelf:
    """The files of one sample: ``pictures.zip`` (stored), ``labels.csv`` and ``embeddings.npz``.

    Args:
        folder: where they lie.
    """

    folder: Path

    @property
    def pictures_file(self) -> Path:
        """The zip of pictures, in the order of the labels."""
        return self.folder / "pictures.zip"

    @property
    def labels_file(self) -> Path:
        """One row per picture: its file, its name for people, its labels and the seed it was drawn with."""
        return self.folder / "labels.csv"

    @property
    def embeddings_file(self) -> Path:
        """float16 vectors, the encoder's identity, and the digest of the pictures they belong to."""
        return self.folder / "embeddings.npz"

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The rows of the label table."""
        with self.labels_file.open(encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))

    @cached_property
    def pictures(self) -> list[bytes]:
        """Each row's picture as encoded bytes."""
        with zipfile.ZipFile(self.pictures_file) as archive:
            return [archive.read(row["file"]) for row in self.rows]

    @cached_property
    def ids(self) -> list[str]:
        """Each picture's SHA-256 in hex."""
        return [hashlib.sha256(picture).hexdigest() for picture in self.pictures]

    @property
    def digest(self) -> str:
        """A digest of all pictures in order, which tells whether the vectors are theirs."""
        return hashlib.sha256("".join(self.ids).encode()).hexdigest()

    def embeddings(self) -> tuple[NDArray[np.float32], str] | None:
        """Return the shipped vectors, (n, d) of unit length, and who made them; None if they are of other pictures."""
        if not self.embeddings_file.is_file():
            return None
        with np.load(self.embeddings_file, allow_pickle=False) as arrays:
            if str(arrays["pictures"]) != self.digest:
                return None
            vectors = arrays["embeddings"].astype(np.float32)
            identity = str(arrays["encoder_identity"])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), identity

    def write_embeddings(self, vectors: NDArray[np.float32], identity: str) -> None:
        """Keep vectors of the pictures, (n, d), at half precision."""
        with self.embeddings_file.open("wb") as stream:
            np.savez_compressed(
                stream,
                embeddings=vectors.astype(np.float16),
                encoder_identity=np.array(identity),
                pictures=np.array(self.digest),
            )


def sample_names() -> tuple[str, ...]:
    """Return the names of the samples that ship."""
    return tuple(_TITLES)


def shelf(name: str) -> Shelf:
    """Return where a sample lies, whether or not it has been built.

    Raises:
        InputError: if there is no sample of that name.
    """
    if name not in _TITLES:
        raise InputError(f"There is no sample {name!r}; the samples are: {', '.join(_TITLES)}.")
    return Shelf(assets_dir() / "samples" / name)


def open_sample(
    name: str = "atelier", *, encoder: "Encoder | None" = None, progress: "Progress | None" = None
) -> "Collection":
    """Open a sample with the vectors it ships with; another encoder's vectors are made on the spot.

    Args:
        name: one of ``sample_names()``.
        encoder: the encoder to search with; None opens the shipped vectors alone.
        progress: called with ("encoding", done, total) while another encoder's vectors are made.

    Raises:
        InputError: if there is no such sample, or it ships without vectors and no encoder was given.
        AnchordivError: if its files are missing or damaged.
    """
    place = shelf(name)
    try:
        shipped = place.embeddings()
        return _collection(name, place, shipped, encoder, progress)
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        if isinstance(error, AnchordivError):
            raise
        raise AnchordivError(
            f"The sample {name!r} is missing or damaged ({error}); install anchordiv again, or draw it anew with "
            f"python -m anchordiv.samples build {name}."
        ) from error


def _collection(
    name: str,
    place: Shelf,
    shipped: tuple[NDArray[np.float32], str] | None,
    encoder: "Encoder | None",
    progress: "Progress | None",
) -> "Collection":
    import pandas as pd

    from anchordiv.collection import Collection, Item

    if shipped is not None and (encoder is None or encoder.identity == shipped[1]):
        vectors, identity = shipped
    elif encoder is not None:
        vectors, identity = encoded(place.pictures, encoder, progress), encoder.identity
    else:
        raise InputError(
            f"The sample {name!r} has no vectors for its pictures yet; open it with an encoder, or run "
            f"python -m anchordiv.samples build {name} --embeddings-only."
        )
    return Collection(
        name=_TITLES[name],
        items=tuple(Item(item_id, row["name"]) for item_id, row in zip(place.ids, place.rows, strict=True)),
        embeddings=vectors,
        thumbnails=place.pictures,
        encoder_identity=identity,
        encoder=encoder,
        labels=pd.DataFrame({label: [row[label] for row in place.rows] for label in LABELS}),
    )


def encoded(pictures: Sequence[bytes], encoder: "Encoder", progress: "Progress | None" = None) -> NDArray[np.float32]:
    """Encode pictures a handful at a time. Returns (n, d) float32 of unit length."""
    from PIL import Image

    blocks = []
    for start in range(0, len(pictures), _AT_ONCE):
        block = [Image.open(io.BytesIO(data)).convert("RGB") for data in pictures[start : start + _AT_ONCE]]
        if progress is not None:
            progress("encoding", start, len(pictures))
        blocks.append(encoder.encode_images(block))
    if progress is not None:
        progress("encoding", len(pictures), len(pictures))
    return np.concatenate(blocks)
