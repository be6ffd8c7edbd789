"""Our own drawings as training pictures: drawn once, kept as files, named by their exact labels."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from PIL import Image

from anchordiv.encoders.starter.pictures import Picture

ATELIER_STYLES = {"flat icon": "flat", "ink outline": "outline"}
"""Atelier's names of styles that the starter calls otherwise; all its other styles have the same name."""


class Drawing(Protocol):
    """What the trainer needs to know of a drawing; ``samples.atelier.Spec`` is one."""

    object: str
    style: str
    colour: str
    layout: str
    seed: int

    def draw(self) -> Image.Image:
        """The picture."""


DrawingPlan = Callable[[int, int], Sequence[Drawing]]
"""(how many, seed) -> drawings that share neither seed nor object-style pair with any shipped collection."""


def drawing_path(drawing: Drawing, folder: Path) -> Path:
    """Where a drawing is kept."""
    words = "-".join((drawing.object, drawing.style, drawing.colour, drawing.layout)).replace(" ", "_")
    return folder / f"{words}-{drawing.seed}.png"


def save(drawing: Drawing, folder: Path) -> None:
    """Draw and keep one drawing unless it is there already."""
    path = drawing_path(drawing, folder)
    if not path.exists():
        handled(drawing.draw(), drawing.seed).save(path)


def handled(image: Image.Image, seed: int) -> Image.Image:
    """The picture as it may reach a person: two in three resized a little and compressed, at random but by seed.

    Trained on clean pixels alone, the tower reads their noise, and the same drawing as WebP has other neighbours.
    """
    rng = random.Random(seed)
    if rng.random() < 1 / 3:
        return image
    side = round(image.width * rng.uniform(0.7, 1.3))
    resized = image.resize((side, side), rng.choice((Image.Resampling.BICUBIC, Image.Resampling.BILINEAR)))
    stream = io.BytesIO()
    resized.save(stream, rng.choice(("WEBP", "JPEG")), quality=rng.randint(70, 95))
    return Image.open(stream).convert("RGB")


def save_all(drawings: Sequence[Drawing], folder: Path, workers: int = 2) -> None:
    """Draw all drawings with ``workers`` processes."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        list(pool.map(save, drawings, [folder] * len(drawings), chunksize=16))


def drawing_pictures(drawings: Sequence[Drawing], folder: Path, split: str) -> list[Picture]:
    """The kept drawings as pictures of one part of the split."""
    return [
        Picture(
            path=drawing_path(d, folder),
            origin="atelier",
            concept=d.object,
            split=split,
            names=(d.object.replace("-", " "),),
            style=ATELIER_STYLES.get(d.style, d.style),
            colour=d.colour,
        )
        for d in drawings
    ]
