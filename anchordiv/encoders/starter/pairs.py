"""Pictures with their captions, as numbers: what the projection is trained on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from anchordiv.encoders.starter import words
from anchordiv.encoders.starter.captions import a, worded
from anchordiv.encoders.starter.photographs import Imagination
from anchordiv.encoders.starter.pictures import Picture
from anchordiv.encoders.starter.styles import STYLES, with_article

STYLE_ONLY, STYLE_AND_THING, THING, DRAWN, COLOUR = 0, 1, 2, 3, 4
"""What a caption speaks of; DRAWN says only that the picture is no photograph, COLOUR only its colour."""

PHOTO = list(STYLES).index("photo")

NAMES, NAMELESS = 16, -2
"""So many names of a picture are remembered; the number of a caption that uses none."""

ORIGIN_WEIGHTS = {"noto": 2.0, "twemoji": 2.0, "fluent": 1.5, "clipart": 1.0, "atelier": 3.0, "imagenet": 6.0}
"""How often pictures of an origin are drawn into a batch."""


DRAWING_WORDS = ("a drawing", "an illustration", "a drawn image", "an artwork", "a drawn picture")
"""Words that fit any drawing."""


COLOUR_SENTENCES = ("a {} picture", "something {}", "{}", "a {} drawing", "a {} thing", "{} colour")


@dataclass(frozen=True)
class Caption:
    """A sentence about a picture, what it speaks of, by which name, and whether it names the colour."""

    text: str
    kind: int
    name: str = ""
    coloured: bool = False


def captions_for(picture: Picture, rng: random.Random, count: int) -> list[Caption]:
    """Captions of one picture: half of them name the style, about one in twelve nothing else."""
    found = []
    for _ in range(count):
        chance = rng.random()
        called = name = picture.names[0] if rng.random() < 0.6 else rng.choice(picture.names)
        coloured = bool(picture.colour) and rng.random() < 0.25
        if coloured and chance < 0.5:
            found.append(Caption(rng.choice(COLOUR_SENTENCES).format(picture.colour), COLOUR, coloured=True))
            continue
        if coloured:
            name = f"{picture.colour} {name}"
        if chance < 0.04:
            found.append(Caption(medium_sentence(picture, rng), STYLE_ONLY if picture.style == "photo" else DRAWN))
        elif chance < 0.12:
            found.append(Caption(style_sentence(picture.style, rng), STYLE_ONLY))
        elif chance < 0.55:
            found.append(Caption(worded(name, picture.style, rng), STYLE_AND_THING, called, coloured))
        else:
            text = rng.choice((name, a(name), a(name), f"a picture of {a(name)}", drawn(name, picture, rng)))
            found.append(Caption(text, THING, called, coloured))
    return found


def style_sentence(style: str, rng: random.Random) -> str:
    """A style without a thing; also "a red watercolour" and "a watercolour of something"."""
    if rng.random() < 0.2:
        return f"{with_article(rng.choice(STYLES[style].nouns))} of something"
    return worded("", style, rng)


def medium_sentence(picture: Picture, rng: random.Random) -> str:
    """Only that the picture is a photo, or only that it is drawn."""
    medium = rng.choice(words.PHOTO_WORDS if picture.style == "photo" else DRAWING_WORDS)
    return rng.choice((medium, medium, f"{medium} of something", f"this is {medium}"))


def drawn(name: str, picture: Picture, rng: random.Random) -> str:
    """The thing as a drawing or a photo, without saying more of the style."""
    return f"{rng.choice(words.PHOTO_WORDS if picture.style == 'photo' else DRAWING_WORDS)} of {a(name)}"


@dataclass(frozen=True)
class Pairs:
    """Pictures' features with several captions each.

    features (m, 1280) of the first m pictures; the rest are imagined photographs of ``classes`` (n - m,);
    texts (n, k) rows of vectors; kinds (n, k); coloured (n, k) whether a colour is named;
    named (n, k) the name a caption uses; names (n, NAMES) all names of a picture, -1 beyond the last; styles and
    colours (n,) as numbers, colour 0 when unknown;
    weights (n,) how often a picture is drawn; vectors (t, 256) unit text vectors.
    """

    features: Tensor
    classes: Tensor
    imagine: Imagination
    texts: Tensor
    kinds: Tensor
    coloured: Tensor
    named: Tensor
    names: Tensor
    styles: Tensor
    colours: Tensor
    weights: Tensor
    vectors: Tensor

    def features_of(self, rows: Tensor) -> Tensor:
        """Features of some pictures, (b,) -> (b, 1280); photographs are imagined anew each time."""
        out = torch.empty(len(rows), self.features.shape[1])
        seen = rows < len(self.features)
        out[seen] = self.features[rows[seen]]
        out[~seen] = self.imagine(self.classes[rows[~seen] - len(self.features)])
        return out


def make_pairs(
    pictures: Sequence[Picture],
    features: Tensor,
    imagine: Imagination,
    embed: Callable[[Sequence[str]], Tensor],
    *,
    captions: int,
    seed: int,
) -> Pairs:
    """Caption the pictures and number everything.

    Args:
        pictures: those with features first, then the ImageNet classes in order, once or several times.
        features: (m, 1280) of the first pictures.
        imagine: gives the features of the rest.
        embed: maps sentences to unit rows.
        captions: how many each picture gets.
        seed: of their choice.
    """
    rng = random.Random(seed)
    sentences: dict[str, int] = {}
    numbers: dict[str, int] = {"": NAMELESS}
    rows, kinds, coloured, named, names = [], [], [], [], []
    for picture in pictures:
        found = captions_for(picture, rng, captions)
        rows.append([sentences.setdefault(c.text, len(sentences)) for c in found])
        kinds.append([c.kind for c in found])
        coloured.append([c.coloured for c in found])
        own = [numbers.setdefault(name, len(numbers)) for name in picture.names[:NAMES]]
        names.append(own + [-1] * (NAMES - len(own)))
        named.append([numbers.setdefault(c.name, len(numbers)) for c in found])
    weights = [ORIGIN_WEIGHTS[p.origin] * (0.5 if p.effect else 1.0) for p in pictures]
    return Pairs(
        features=features,
        classes=torch.arange(len(pictures) - len(features)) % len(imagine.towards),
        imagine=imagine,
        texts=torch.tensor(rows),
        kinds=torch.tensor(kinds),
        coloured=torch.tensor(coloured),
        named=torch.tensor(named),
        names=torch.tensor(names),
        styles=torch.tensor([list(STYLES).index(p.style) for p in pictures]),
        colours=numbered(["", *(p.colour for p in pictures)])[1:],
        weights=torch.tensor(weights),
        vectors=embed(list(sentences)),
    )


def numbered(keys: Sequence[str]) -> Tensor:
    """Equal keys get equal numbers, (n,) long."""
    numbers: dict[str, int] = {}
    return torch.tensor([numbers.setdefault(key, len(numbers)) for key in keys])
