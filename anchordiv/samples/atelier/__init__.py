"""The Atelier: pictures drawn by our own code, with exact labels for object, style, colour and layout."""

from anchordiv.samples.atelier.catalogue import (
    HELD_OUT_PAIRS,
    OBJECTS,
    STYLES,
    TRAINING_SEEDS_FROM,
    Spec,
    colours_of,
    draw,
    plan,
    training_plan,
)
from anchordiv.samples.atelier.composition import LAYOUTS
from anchordiv.samples.atelier.palettes import COLOURS
from anchordiv.samples.atelier.raster import SIDE

__all__ = [
    "COLOURS",
    "HELD_OUT_PAIRS",
    "LAYOUTS",
    "OBJECTS",
    "SIDE",
    "STYLES",
    "TRAINING_SEEDS_FROM",
    "Spec",
    "colours_of",
    "draw",
    "plan",
    "training_plan",
]
