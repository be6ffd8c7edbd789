"""Pictures people bring: drawings of our own, and photographs that ship with packages the tests need anyway."""

import io
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from anchordiv.samples import open_sample


def bring(page, files: list[tuple[str, bytes]]) -> None:
    """Upload files through the dialog, as a person does."""
    page.get_by_role("button", name="Bring your own pictures").click()
    dialog = page.get_by_role("dialog")
    payload = [{"name": name, "mimeType": "image/png", "buffer": data} for name, data in files]
    dialog.locator("input[type=file]").first.set_input_files(payload)
    dialog.get_by_role("button", name=f"Open {len(files)} files").click()


def drawings(seed: int, prefix: str, count: int = 12) -> list[tuple[str, bytes]]:
    """Draw circles and squares."""
    rng = np.random.default_rng(seed)
    files = []
    for number in range(count):
        picture = Image.new("RGB", (96, 96), tuple(int(level) for level in rng.integers(150, 256, 3)))
        left, top = (int(place) for place in rng.integers(8, 40, 2))
        draw = ImageDraw.Draw(picture)
        colour = tuple(int(level) for level in rng.integers(0, 120, 3))
        (draw.ellipse if number % 2 else draw.rectangle)([left, top, left + 44, top + 44], fill=colour)
        files.append((f"{prefix}-{number:02}.png", _saved(picture, "PNG")))
    return files


def photographs() -> list[tuple[str, bytes]]:
    """Return 19 photographs: ten that scikit-image and scikit-learn bring along, and nine details of them."""
    import skimage
    import sklearn

    skimage_data = Path(skimage.__file__).parent / "data"
    sklearn_data = Path(sklearn.__file__).parent / "datasets" / "images"
    names = ("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg", "motorcycle_left.png", "camera.png")
    names += ("coins.png", "hubble_deep_field.jpg")
    paths = [*(skimage_data / name for name in names), sklearn_data / "china.jpg", sklearn_data / "flower.jpg"]
    files = []
    for path in paths:
        picture = Image.open(path).convert("RGB")
        picture.thumbnail((640, 640))
        files.append((f"photo {path.stem}.jpg", _saved(picture, "JPEG")))
        if len(files) < 19:
            width, height = picture.size
            detail = picture.crop((width // 5, height // 5, 4 * width // 5, 4 * height // 5))
            files.append((f"photo {path.stem} detail.jpg", _saved(detail, "JPEG")))
    return files[:19]


def renders() -> list[tuple[str, bytes]]:
    """Return 18 of our own drawings, in various styles."""
    sample = open_sample("atelier")
    step = len(sample) // 18
    return [(f"drawing {row}.webp", sample.thumbnail(row)) for row in range(0, 18 * step, step)]


def _saved(picture: Image.Image, form: str) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, form)
    return stream.getvalue()
