"""Raster: shapes to pixels, supersampled, and the textures every style draws its paper and grain from."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image, ImageDraw, ImageFilter

from anchordiv.samples.atelier.palettes import Rgb
from anchordiv.samples.atelier.parts import Path, Shape, resampled

Field = NDArray[np.float32]
Paint = int | tuple[int, ...]
Ids = NDArray[np.uint8]

#: Side of a picture in pixels.
SIDE = 224
_TILE = 640


def to_field(image: Image.Image) -> Field:
    """Return an image's values from 0 to 1. Shape: (h, w) or (h, w, 3)."""
    return np.asarray(image, dtype=np.float32) / 255.0


def to_image(field: Field) -> Image.Image:
    """Return the RGB image of values from 0 to 1."""
    return Image.fromarray((np.clip(field, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8))


def shrunk(image: Image.Image, factor: int) -> Image.Image:
    """Return the image with each square of ``factor`` pixels averaged."""
    return image.reduce(factor)


def blurred(field: Field, radius: float) -> Field:
    """Return a (h, w) field in 0..1, softened."""
    image = Image.fromarray((np.clip(field, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8))
    return to_field(image.filter(ImageFilter.GaussianBlur(radius)))


def draw_line(draw: ImageDraw.ImageDraw, points: Path, width: float, paint: Paint) -> None:
    """Draw a line with round joints and ends; points and width in pixels."""
    whole = max(1, round(width))
    draw.line(_flat(points), fill=paint, width=whole)
    if whole >= 4:
        r = width / 2
        for x, y in points.tolist():
            draw.ellipse((x - r, y - r, x + r, y + r), fill=paint)


def draw_shape(draw: ImageDraw.ImageDraw, shape: Shape, scale: float, paint: Paint) -> None:
    """Fill a shape, or draw it as the line it is."""
    if shape.width:
        draw_line(draw, shape.path * scale, max(1.0, shape.width * scale), paint)
    else:
        draw.polygon(_flat(shape.path * scale), fill=paint)


def painted(shapes: Iterable[Shape], colour_of: Callable[[Shape], Rgb], ground: Rgb, scale: int) -> Image.Image:
    """Return the shapes painted over each other in flat colours on a sheet of ``scale`` pixels."""
    sheet = Image.new("RGB", (scale, scale), ground)
    draw = ImageDraw.Draw(sheet)
    for shape in shapes:
        draw_shape(draw, shape, scale, colour_of(shape))
    return sheet


def toned(shapes: Iterable[Shape], value_of: Callable[[Shape], float], scale: int) -> Field:
    """Return a value from 0 to 1 of the topmost shape at each pixel, averaged down to the picture's size."""
    sheet = Image.new("L", (scale, scale), 0)
    draw = ImageDraw.Draw(sheet)
    for shape in shapes:
        draw_shape(draw, shape, scale, round(255 * value_of(shape)))
    return to_field(sheet.reduce(scale // SIDE))


def numbered(shapes: Sequence[Shape], scale: int) -> Ids:
    """Return which shape lies on top of each pixel, counted from 1 (0 where the sheet is bare)."""
    sheet = Image.new("L", (scale, scale), 0)
    draw = ImageDraw.Draw(sheet)
    for k, shape in enumerate(shapes[:255]):
        draw_shape(draw, shape, scale, k + 1)
    return np.asarray(sheet)


def looked_up(ids: Ids, values: Sequence[ArrayLike], bare: ArrayLike) -> Field:
    """Return each pixel's value by the number of its shape; ``bare`` where there is none."""
    known = np.asarray([bare, *values], dtype=np.float32)[:256]
    table = np.zeros((256, *known.shape[1:]), dtype=np.float32)
    table[: len(known)] = known
    return table[ids]


def seams(ids: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return where a pixel differs from its right or lower neighbour."""
    edge = np.zeros(ids.shape, dtype=bool)
    edge[:, :-1] |= ids[:, :-1] != ids[:, 1:]
    edge[:-1] |= ids[:-1] != ids[1:]
    return edge


def ribbon(path: Path, widths: NDArray[np.float64], closed: bool) -> Path:
    """Return the outline of a brush stroke along the path. Shape: widths (k,), path (k, 2) -> (2 k, 2)."""
    if closed:
        ahead, behind = np.roll(path, -1, axis=0), np.roll(path, 1, axis=0)
    else:
        ahead, behind = np.concatenate([path[1:], path[-1:]]), np.concatenate([path[:1], path[:-1]])
    along = ahead - behind
    along /= np.hypot(along[:, 0], along[:, 1])[:, None] + 1e-9
    side = np.stack([-along[:, 1], along[:, 0]], axis=1) * widths[:, None] / 2
    left, right = path + side, (path - side)[::-1]
    if closed:
        left, right = np.concatenate([left, left[:1]]), np.concatenate([right[-1:], right])
    return np.concatenate([left, right])


def by_hand(path: Path, closed: bool, wobble: float, rng: np.random.Generator, spacing: float = 0.012) -> Path:
    """Return the path as a hand would follow it: even points, slow small errors."""
    around = float(np.abs(np.diff(path, axis=0)).sum())
    points = resampled(path, min(spacing, max(around / 18, 0.003)), closed)
    count = len(points)
    knots = max(3, count // 6 + 2)
    error = rng.normal(0.0, wobble, (knots, 2))
    if closed:
        error[-1] = error[0]
    at = np.linspace(0, knots - 1, count)
    drift = np.stack([np.interp(at, np.arange(knots), error[:, k]) for k in (0, 1)], axis=1)
    return points + drift


@lru_cache(maxsize=16)
def _tile(kind: str) -> Field:
    rng = np.random.default_rng(sum(map(ord, kind)) * 7919)
    if kind.startswith("cloud"):
        total = np.zeros((_TILE, _TILE), dtype=np.float32)
        size, weight = int(kind.removeprefix("cloud")), 1.0
        while size >= 2:
            cells = max(2, _TILE // size)
            layer = Image.fromarray(rng.random((cells, cells), dtype=np.float32))
            total += weight * np.asarray(layer.resize((_TILE, _TILE), Image.Resampling.BICUBIC))
            size, weight = size // 2, weight * 0.55
        total -= total.mean()
        return np.asarray(np.clip(0.5 + total / (total.std() * 5.0), 0, 1), dtype=np.float32)
    if kind == "grain":
        noise = rng.normal(0, 1, (_TILE, _TILE)).astype(np.float32)
        soft = blurred(np.clip(0.5 + noise / 8, 0, 1), 0.9) - 0.5
        return np.asarray(np.clip(0.5 + soft / (soft.std() * 5.0), 0, 1), dtype=np.float32)
    if kind.startswith("hatch"):
        return _pencil_strokes(float(kind.removeprefix("hatch")), rng)
    raise KeyError(kind)


def _pencil_strokes(angle: float, rng: np.random.Generator) -> Field:
    scale, gap = _TILE * 2, 7.5
    sheet = Image.new("L", (scale, scale), 0)
    draw = ImageDraw.Draw(sheet)
    along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    across = np.array([-along[1], along[0]])
    for row in np.arange(-0.75 * scale, 0.75 * scale, gap):
        at = -0.75 * scale - rng.uniform(0, 90)
        while at < 0.75 * scale:
            length = rng.uniform(50, 130)
            lean = rng.normal(0, 0.035) * length
            start = scale / 2 + at * along + (row + rng.normal(0, 1.3)) * across
            stop = start + length * along + lean * across
            draw.line((*start, *stop), fill=int(rng.integers(120, 256)), width=int(rng.integers(3, 7)))
            at += length * rng.uniform(0.75, 1.0)
    return to_field(shrunk(sheet.filter(ImageFilter.GaussianBlur(0.8)), 2))


def texture(kind: str, rng: np.random.Generator, side: int = SIDE) -> Field:
    """Return a window into a fixed texture: "cloudN" (N pixels coarse), "grain", "hatchANGLE"."""
    tile = _tile(kind)
    x, y = rng.integers(0, _TILE - side, 2)
    return tile[y : y + side, x : x + side]


@lru_cache(maxsize=1)
def ramps() -> tuple[Field, Field]:
    """Return each pixel's x and y from 0 to 1. Shape: two of (SIDE, SIDE)."""
    line = (np.arange(SIDE, dtype=np.float32) + 0.5) / SIDE
    return np.tile(line, (SIDE, 1)), np.tile(line[:, None], (1, SIDE))


def _flat(points: Path) -> list[float]:
    flat: list[float] = points.ravel().tolist()
    return flat
