"""A toy encoder whose geometry is known by hand, and collections made of it.

The first axis says "picture" or "text" (a constant modality gap), the others are attributes:
texts name attributes, pictures are colours.
"""

import hashlib

import numpy as np
import pandas as pd

from anchordiv.collection import Collection, IngestReport, Item
from anchordiv.encoders import EncodedTexts, EncoderCard

WORDS = ("red", "green", "blue", "round", "square")
GAP = 0.6


def unit(x: np.ndarray) -> np.ndarray:
    return (x / np.linalg.norm(x, axis=-1, keepdims=True)).astype(np.float32)


class ToyEncoder:
    """Texts are bags of five words; pictures are their mean colour. One axis is the modality."""

    identity = "toy:1"
    dim = len(WORDS) + 1
    concentration = 20.0
    card = EncoderCard("toy", "A hand-made encoder.", "colours", "everything else", "English", 8, 4, 0, "cpu")

    def __init__(self) -> None:
        self.encoded_images = 0
        self.text_calls = 0

    def encode_images(self, images, *, batch_size=32, progress=None):
        self.encoded_images += len(images)
        colours = np.array([np.asarray(image.convert("RGB"), dtype=float).mean(axis=(0, 1)) / 255 for image in images])
        rows = np.zeros((len(images), self.dim))
        rows[:, 0] = GAP
        rows[:, 1:4] = colours.reshape(-1, 3)
        return unit(rows)

    def encode_texts(self, prompts, *, templates=("{}",)):
        self.text_calls += 1
        rows = np.zeros((len(prompts), self.dim))
        rows[:, 0] = -GAP
        cut = []
        for row, prompt in zip(rows, prompts, strict=True):
            words = prompt.split()
            cut.append(" ".join(words[6:]))
            for word in words[:6]:
                if word in WORDS:
                    row[1 + WORDS.index(word)] += 1
        return EncodedTexts(unit(rows), tuple(cut))


def toy_collection(n: int = 60, seed: int = 0, encoder: ToyEncoder | None = None) -> Collection:
    """Return pictures of three colours x two shapes, with exact labels and some noise."""
    rng = np.random.default_rng(seed)
    colour, shape = rng.integers(0, 3, n), rng.integers(0, 2, n)
    rows = np.zeros((n, ToyEncoder.dim))
    rows[:, 0] = GAP
    rows[np.arange(n), 1 + colour] = 1
    # Shape speaks louder than colour, so that cosine follows shape.
    rows[np.arange(n), 4 + shape] = 2
    embeddings = unit(rows + 0.1 * rng.normal(size=rows.shape))
    items = tuple(Item(hashlib.sha256(f"{seed}/{i}".encode()).hexdigest(), f"picture {i}") for i in range(n))
    labels = pd.DataFrame({"colour": [WORDS[c] for c in colour], "shape": [WORDS[3 + s] for s in shape]})
    encoder = encoder or ToyEncoder()
    return collection_of(items, embeddings, labels, encoder)


def collection_of(items, embeddings, labels, encoder) -> Collection:
    return Collection(
        name="toy",
        items=items,
        embeddings=embeddings,
        labels=labels,
        encoder=encoder,
        encoder_identity=encoder.identity,
        report=IngestReport(len(items), (), (), 0),
        thumbnails=tuple(b"" for _ in items),
    )
