"""A fixed bank of varied prompts, for what one wants to know of a text tower without a prompt of one's own."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from anchordiv.encoders.protocol import Encoder

# Things, living beings, places, people, food, scenes, styles, colours, textures, medicine: broad on purpose, so that
# the mean of their vectors says where the prompts of this model lie and not what some topic looks like.
PROMPTS: Final = (
    "a dog lying on a sofa",
    "a cat looking out of a window",
    "a horse in a meadow",
    "a flock of birds over the sea",
    "a butterfly on a flower",
    "a fish under water",
    "an elephant by a river",
    "a spider in its web",
    "a loaf of bread on a table",
    "a bowl of fruit",
    "a plate of noodles",
    "a cup of coffee",
    "a birthday cake with candles",
    "vegetables at a market",
    "a glass of red wine",
    "a bicycle leaning against a wall",
    "a red sports car",
    "a train in a station",
    "an airplane in the sky",
    "a sailing boat on a lake",
    "a truck on a motorway",
    "a rocket taking off",
    "a wooden chair",
    "a lamp beside a bed",
    "a shelf full of books",
    "a pair of shoes",
    "a wrist watch",
    "an umbrella in the rain",
    "a guitar and a piano",
    "a camera on a tripod",
    "a laptop computer on a desk",
    "a smartphone in a hand",
    "a hammer and other tools",
    "a key in a lock",
    "scissors and paper",
    "a mountain covered with snow",
    "a sandy beach at sunset",
    "a forest path in autumn",
    "a desert under a blue sky",
    "a waterfall in the jungle",
    "a city at night seen from above",
    "a narrow street with old houses",
    "a church with a tower",
    "a bridge over a river",
    "a kitchen with white cupboards",
    "an empty office",
    "a football stadium full of people",
    "a farm with a tractor",
    "a castle on a hill",
    "a portrait of an old man",
    "a smiling child",
    "a woman riding a bicycle",
    "people dancing at a party",
    "a crowd in a square",
    "a runner in a race",
    "a doctor with a patient",
    "two hands holding each other",
    "a family around a table",
    "a photo",
    "a black and white photograph",
    "a blurred picture taken at night",
    "a close-up of an eye",
    "a pencil sketch",
    "an oil painting of a landscape",
    "a watercolour of flowers",
    "a cartoon character",
    "a flat icon",
    "pixel art",
    "a stained glass window",
    "a blueprint of a building",
    "a charcoal drawing of a figure",
    "a neon sign",
    "a mosaic of small stones",
    "a three-dimensional rendering",
    "a poster with large letters",
    "a page of printed text",
    "handwriting on lined paper",
    "a bar chart",
    "a map of a country",
    "a company logo",
    "a national flag",
    "a screenshot of a program",
    "a red circle on white",
    "blue and yellow stripes",
    "a grey texture like concrete",
    "green leaves filling the frame",
    "a pattern of black dots",
    "a rough stone surface",
    "folds of soft cloth",
    "smoke on a dark background",
    "a chest X-ray",
    "a brain scan",
    "cells under a microscope",
    "a tooth on a dental X-ray",
    "a galaxy seen through a telescope",
    "the earth from space",
    "lightning in a storm",
    "a burning fire",
    "drops of water on glass",
    "fresh snow on branches",
    "fireworks over the water",
    "a cemetery in the fog",
    "an empty room",
    "nothing but white",
)

_MEANS_KEPT = 16
_means: dict[str, NDArray[np.float32]] = {}


def text_mean(encoder: Encoder) -> NDArray[np.float32]:
    """Return the mean vector of the bank's prompts, kept per encoder identity.

    Args:
        encoder: any encoder.

    Returns:
        (d,) float32, read-only; its length (below 1) says how narrow the cone of this model's prompts is.
    """
    if encoder.identity not in _means:
        if len(_means) >= _MEANS_KEPT:
            _means.pop(next(iter(_means)))
        mean = encoder.encode_texts(PROMPTS).embeddings.mean(axis=0, dtype=np.float64).astype(np.float32)
        mean.flags.writeable = False
        _means[encoder.identity] = mean
    return _means[encoder.identity]
