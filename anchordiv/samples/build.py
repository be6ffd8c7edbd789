"""Building a sample: draw it, pack it, encode it; run again after the drawing code or the starter changes."""

import csv
import io
import zipfile
from collections.abc import Callable, Sequence

from PIL import Image

from anchordiv.errors import AnchordivError
from anchordiv.samples.atelier import Spec, plan
from anchordiv.samples.store import LABELS, Shelf, encoded, shelf

QUALITY = 84
_EPOCH = (1980, 1, 1, 0, 0, 0)

Say = Callable[[str], None]


def build(name: str, *, embeddings_only: bool = False, say: Say = print) -> None:
    """Draw and pack a sample, then encode it with the starter.

    Args:
        name: the sample.
        embeddings_only: keep the pictures, encode them again.
        say: told what happens, line by line.

    Raises:
        InputError: if there is no such sample.
        ModelUnavailable: if the starter is not there; the pictures are then packed without vectors.
    """
    place = shelf(name)
    if not embeddings_only:
        place = draw_all(place, plan(), say)
    encode_all(place, say)


def draw_all(place: Shelf, specs: Sequence[Spec], say: Say = print) -> Shelf:
    """Draw and pack the pictures and their labels; returns the shelf, read afresh."""
    place.folder.mkdir(parents=True, exist_ok=True)
    growing = place.pictures_file.with_suffix(".part")
    with zipfile.ZipFile(growing, "w", zipfile.ZIP_STORED) as archive:
        for k, spec in enumerate(specs):
            archive.writestr(zipfile.ZipInfo(file_name(k, spec), _EPOCH), packed(spec.draw()))
            if (k + 1) % 160 == 0:
                say(f"{k + 1} of {len(specs)} drawn")
    growing.replace(place.pictures_file)
    with place.labels_file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(("file", "name", *LABELS, "seed"))
        for k, spec in enumerate(specs):
            table.writerow((file_name(k, spec), spec.name, *(getattr(spec, label) for label in LABELS), spec.seed))
    place.embeddings_file.unlink(missing_ok=True)
    say(f"{place.pictures_file.stat().st_size / 1e6:.1f} MB of pictures")
    return Shelf(place.folder)


def encode_all(place: Shelf, say: Say = print) -> None:
    """Make the vectors of a sample's pictures with the starter."""
    from anchordiv.encoders import load_encoder

    if not place.pictures_file.is_file():
        raise AnchordivError("There are no pictures to encode yet; run the build without --embeddings-only first.")
    encoder = load_encoder("starter")
    vectors = encoded(place.pictures, encoder, lambda stage, done, total: say(f"{stage}: {done} of {total}"))
    place.write_embeddings(vectors, encoder.identity)
    say(f"{len(vectors)} vectors of {vectors.shape[1]} numbers by {encoder.identity}")


def packed(picture: Image.Image) -> bytes:
    """Return the picture as WebP: without loss where that is smaller, as with pixel art."""
    candidates = []
    for options in ({"quality": QUALITY, "method": 6}, {"lossless": True, "quality": 60, "method": 3}):
        stream = io.BytesIO()
        picture.save(stream, "WEBP", **options)
        candidates.append(stream.getvalue())
    return min(candidates, key=len)


def file_name(row: int, spec: Spec) -> str:
    """Return a picture's name inside the zip."""
    words = "-".join((spec.object, spec.style, spec.colour, spec.layout))
    return f"{row:04d}-{words.replace(' ', '-')}.webp"
