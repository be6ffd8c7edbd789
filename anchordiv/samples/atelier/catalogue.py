"""The catalogue: what the Atelier can draw, which images ship, and which drawings train the encoder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from anchordiv.errors import InputError
from anchordiv.samples.atelier.composition import DRAWINGS, LAYOUTS, compose
from anchordiv.samples.atelier.drawn import charcoal, ink_outline, pencil, watercolour
from anchordiv.samples.atelier.lit import blueprint, neon
from anchordiv.samples.atelier.palettes import CHROMATIC, COLOURS, MOODS, Palette, palette
from anchordiv.samples.atelier.parts import Shape
from anchordiv.samples.atelier.printed import flat_icon, pixel_art, pointillism, stained_glass

_RENDERERS: Mapping[str, Callable[[Sequence[Shape], Palette, np.random.Generator], Image.Image]] = {
    "flat icon": flat_icon,
    "ink outline": ink_outline,
    "pencil": pencil,
    "watercolour": watercolour,
    "pixel art": pixel_art,
    "stained glass": stained_glass,
    "pointillism": pointillism,
    "blueprint": blueprint,
    "neon": neon,
    "charcoal": charcoal,
}

#: What can be drawn, and how.
OBJECTS: tuple[str, ...] = tuple(DRAWINGS)
STYLES: tuple[str, ...] = tuple(_RENDERERS)

#: Seeds of shipped images are below this number, those of training drawings at or above it.
TRAINING_SEEDS_FROM = 1_000_000

#: One in five object-style pairs never appears in training: each style leaves out 6 or 7 objects, each object 2 styles.
HELD_OUT_PAIRS: frozenset[tuple[str, str]] = frozenset(
    (subject, STYLES[(k + shift) % len(STYLES)])
    for k, subject in enumerate(OBJECTS)
    for shift in (0, 3 + 2 * (k // len(STYLES) % 2))
)


@dataclass(frozen=True)
class Spec:
    """One image: its labels are exactly what is drawn.

    Args:
        object: one of ``OBJECTS``.
        style: one of ``STYLES``.
        colour: the dominant colour, one of ``colours_of(style)``.
        layout: one of ``LAYOUTS``.
        seed: everything left to chance.
    """

    object: str
    style: str
    colour: str
    layout: str
    seed: int

    @property
    def split(self) -> str:
        """Return whether training saw this object in this style."""
        return "held-out pair" if (self.object, self.style) in HELD_OUT_PAIRS else "seen pair"

    @property
    def name(self) -> str:
        """Return a name for people, unique in the shipped collection."""
        return f"{self.colour} {self.object}, {self.style}, {self.layout}"

    def draw(self) -> Image.Image:
        """Return the picture."""
        return draw(self.object, self.style, self.colour, self.layout, self.seed)


def colours_of(style: str) -> tuple[str, ...]:
    """Return the dominant colours a style allows: charcoal is black, a blueprint blue, ink any dark ink."""
    if style == "charcoal":
        return ("black",)
    if style == "blueprint":
        return ("blue",)
    return COLOURS if style == "ink outline" else CHROMATIC


def draw(object: str, style: str, colour: str, layout: str, seed: int) -> Image.Image:
    """Draw one image, the same pixels for the same arguments. Returns RGB, 224 by 224.

    Raises:
        InputError: if the object, style, colour or layout is not one the Atelier knows.
    """
    for got, known, what in (
        (object, OBJECTS, "object"),
        (style, STYLES, "style"),
        (layout, LAYOUTS, "layout"),
    ):
        if got not in known:
            raise InputError(f"{got!r} is no {what} of the Atelier; choose one of {', '.join(known)}.")
    if colour not in colours_of(style):
        raise InputError(f"{style} cannot be {colour!r}; choose one of {', '.join(colours_of(style))}.")
    stream = (seed, OBJECTS.index(object), STYLES.index(style), LAYOUTS.index(layout))
    rng = np.random.default_rng(stream)
    mood = int(rng.integers(MOODS))
    return _RENDERERS[style](compose(object, layout, rng), palette(colour, mood), rng)


def plan() -> list[Spec]:
    """Return the shipped collection: every object in every style once per layout, colours spread evenly."""
    colourful = [style for style in STYLES if len(colours_of(style)) == len(CHROMATIC)]
    specs: list[Spec] = []
    for k, subject in enumerate(OBJECTS):
        for style in STYLES:
            allowed = colours_of(style)
            turn = 5 * k + (colourful.index(style) if style in colourful else 0)
            for i, layout in enumerate(LAYOUTS):
                specs.append(Spec(subject, style, allowed[(turn + 2 * i) % len(allowed)], layout, seed=len(specs)))
    return specs


def training_plan(n: int, seed: int) -> list[Spec]:
    """Return n drawings to train an encoder on: seen pairs only, seeds no shipped image has.

    Pairs come in shuffled rounds, so that any n is balanced over objects and styles.
    """
    rng = np.random.default_rng((seed, 20_26))
    pairs = [(o, s) for o in OBJECTS for s in STYLES if (o, s) not in HELD_OUT_PAIRS]
    order = np.concatenate([rng.permutation(len(pairs)) for _ in range(n // len(pairs) + 1)])[:n]
    seeds = TRAINING_SEEDS_FROM + rng.choice(2**31 - TRAINING_SEEDS_FROM, n, replace=False)
    specs = []
    for pair, number in zip(order, seeds, strict=True):
        subject, style = pairs[pair]
        colour, layout = str(rng.choice(colours_of(style))), str(rng.choice(LAYOUTS))
        specs.append(Spec(subject, style, colour, layout, int(number)))
    return specs
