"""Generated pictures, and an encoder that is quick, exact and counts what it is asked."""

import io

import numpy as np
import pytest
from PIL import Image

from tests.stand_ins import ToyEncoder


def picture(seed, size=(48, 36)):
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", size, tuple(int(v) for v in rng.integers(0, 256, 3)))
    image.paste(tuple(int(v) for v in rng.integers(0, 256, 3)), (4, 4, 20, 20))
    return image


def encoded(image, form="PNG", **options):
    stream = io.BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def png(seed, size=(48, 36)):
    return encoded(picture(seed, size))


@pytest.fixture
def encoder():
    return ToyEncoder()
