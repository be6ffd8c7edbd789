"""Anchors and groups: what a person points at to say what "similar" should mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from anchordiv.errors import InputError

if TYPE_CHECKING:
    from anchordiv.collection import Collection
    from anchordiv.encoders import Encoder

Vector = NDArray[np.float32]

# Okabe & Ito's colour-blind safe palette, black left out: it means "no group" on the map.
OKABE_ITO = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#7F7F7F")


@dataclass(frozen=True, eq=False)
class Anchor:
    """One reference embedding and what it shows.

    Args:
        kind: the modality its embedding comes from.
        label: the prompt, or the picture's name.
        embedding: ``(d,)`` unit vector.
        item_id: content hash when it is a picture of a collection, else empty.
        cut: the words of the prompt that did not fit into the encoder's context.
        weight: prior mass relative to the other anchors of its group, > 0.
    """

    kind: Literal["text", "image"]
    label: str
    embedding: Vector
    item_id: str = ""
    cut: str = ""
    weight: float = 1.0

    @classmethod
    def of_item(cls, collection: "Collection", index: int) -> "Anchor":
        """Return the collection's picture at ``index`` as an anchor, without encoding anything."""
        item = collection.items[index]
        return cls("image", item.name, collection.embeddings[index], item_id=item.id)


@dataclass(frozen=True)
class Group:
    """One value of the attribute a context cares about, given by its anchors.

    Args:
        name: what the person calls it.
        anchors: what they pointed at.
        weight: prior mass relative to the other groups; 0 switches the group off.
        colour: ``#rrggbb`` used on the map and in the bars.
    """

    name: str
    anchors: tuple[Anchor, ...]
    weight: float = 1.0
    colour: str = OKABE_ITO[0]


def text_anchors(
    prompts: Sequence[str], encoder: "Encoder", *, templates: Sequence[str] = ("{}",)
) -> tuple[Anchor, ...]:
    """Encode prompts into anchors, keeping note of the words that did not fit."""
    if not prompts:
        return ()
    encoded = encoder.encode_texts(list(prompts), templates=templates)
    return tuple(
        Anchor("text", prompt, vector, cut=cut)
        for prompt, vector, cut in zip(prompts, encoded.embeddings, encoded.cut, strict=True)
    )


def anchors_from(
    examples: Sequence[object], encoder: "Encoder", *, templates: Sequence[str] = ("{}",)
) -> tuple[Anchor, ...]:
    """Turn prompts, pictures, ``(d,)`` image embeddings and ready anchors into anchors, in their order.

    Raises:
        InputError: for an example of another kind or an embedding of another width.
    """
    from PIL import Image

    texts = [example for example in examples if isinstance(example, str)]
    pictures = [example for example in examples if isinstance(example, Image.Image)]
    encoded_texts = iter(text_anchors(texts, encoder, templates=templates))
    encoded_pictures = iter(encoder.encode_images(pictures) if pictures else ())
    anchors: list[Anchor] = []
    for example in examples:
        if isinstance(example, str):
            anchors.append(next(encoded_texts))
        elif isinstance(example, Image.Image):
            anchors.append(Anchor("image", str(getattr(example, "filename", "")) or "picture", next(encoded_pictures)))
        elif isinstance(example, np.ndarray) and example.shape == (encoder.dim,):
            anchors.append(Anchor("image", "vector", example.astype(np.float32)))
        elif isinstance(example, Anchor):
            anchors.append(example)
        else:
            raise InputError(
                f"an anchor is a text, a picture or an embedding of {encoder.dim} numbers, got {describe(example)}."
            )
    return tuple(anchors)


def describe(value: object) -> str:
    """Say in a few words what a value is, for error sentences."""
    shape = getattr(value, "shape", None)
    return f"{type(value).__name__} of shape {shape}" if shape is not None else type(value).__name__
