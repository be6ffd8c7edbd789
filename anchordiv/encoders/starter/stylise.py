"""Redraw a picture in another style with a few lines of raster arithmetic: training drawings of our own.

Every effect takes an RGB picture on white and a random generator and returns an RGB picture of the same size.
The effects are deliberately varied (line widths, papers, inks) so that a style is more than one constant.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

Rng = np.random.Generator
Effect = Callable[[Image.Image, Rng], Image.Image]
Floats = NDArray[np.float32]


def pixels(image: Image.Image) -> Floats:
    """The picture as floats in [0, 1], (h, w, 3) or (h, w)."""
    return np.asarray(np.asarray(image, dtype=np.float32) / 255, dtype=np.float32)


def picture(values: Floats) -> Image.Image:
    """Floats in [0, 1] as a picture (values outside are cut), grey becoming RGB."""
    return Image.fromarray((np.clip(values, 0, 1) * 255).astype(np.uint8)).convert("RGB")


def noise(size: tuple[int, int], rng: Rng, grain: float) -> Floats:
    """Smooth noise in [0, 1] of (height, width), with bumps of about ``grain`` pixels."""
    width, height = size
    small = rng.random((max(2, round(height / grain)), max(2, round(width / grain))), dtype=np.float32)
    return pixels(picture(small).convert("L").resize(size, Image.Resampling.BICUBIC))


def edges(image: Image.Image, width: float, strength: float = 4.0) -> Floats:
    """How much of an edge each pixel is, in [0, 1]; ``width`` in pixels, (h, w)."""
    smooth = image.filter(ImageFilter.GaussianBlur(width))
    reach = 2 * max(1, round(width)) + 1
    spread = ImageChops.difference(
        smooth.filter(ImageFilter.MaxFilter(reach)), smooth.filter(ImageFilter.MinFilter(reach))
    )
    return np.asarray(np.clip(pixels(spread).max(axis=2) * strength - 0.35, 0, 1), dtype=np.float32)


def blend(mask: Floats, ink: Floats, paper: Floats) -> Image.Image:
    """Ink where the mask is 1, paper where it is 0."""
    return picture(mask[..., None] * ink + (1 - mask[..., None]) * paper)


def colour(rng: Rng, low: float, high: float) -> Floats:
    """One random colour with channels between low and high, (3,)."""
    return rng.uniform(low, high, 3).astype(np.float32)


def hatch(size: tuple[int, int], rng: Rng, spacing: float, angle: float) -> Floats:
    """Parallel strokes as darkness in [0, 1], slightly wavy."""
    width, height = size
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    across = xs * np.cos(angle) + ys * np.sin(angle) + 6 * noise(size, rng, 40)
    return np.asarray(0.5 + 0.5 * np.cos(2 * np.pi * across / spacing), dtype=np.float32)


def outline(image: Image.Image, rng: Rng) -> Image.Image:
    """Plain contour lines on white."""
    lines = (edges(image, rng.uniform(0.6, 1.6), 5) > 0.35).astype(np.float32)
    return blend(lines, colour(rng, 0, 0.15), np.ones(3, np.float32))


def pencil(image: Image.Image, rng: Rng) -> Image.Image:
    """Grey graphite lines with hatching in the dark parts."""
    grey = pixels(ImageOps.autocontrast(image.convert("L"), cutoff=1))
    strokes = hatch(image.size, rng, rng.uniform(3.5, 6), rng.uniform(0, np.pi))
    shade = np.clip((0.95 - grey) * 1.1, 0, 1) * strokes * 0.55
    lines = edges(image, 0.8, 3) * (0.55 + 0.45 * noise(image.size, rng, 3))
    dark = np.clip(shade + lines * 0.75, 0, 0.85)
    return blend(dark * (0.8 + 0.2 * noise(image.size, rng, 2)), np.full(3, 0.25, np.float32), colour(rng, 0.93, 1))


def charcoal(image: Image.Image, rng: Rng) -> Image.Image:
    """Broad, smudged black on toned, rough paper."""
    grey = pixels(ImageOps.autocontrast(image.convert("L").filter(ImageFilter.GaussianBlur(2)), cutoff=1))
    rough = noise(image.size, rng, 1.5)
    dark = np.clip((1 - grey) * 1.2, 0, 1) * (0.55 + 0.45 * rough) + edges(image, 3, 3) * 0.8
    mask = np.clip(dark, 0, 1) * (rough > 0.18)
    paper = np.float32(rng.uniform(0.75, 0.95)) * np.array([1, 0.98, 0.94], np.float32)
    return blend(mask.astype(np.float32), np.full(3, 0.06, np.float32), paper)


def watercolour(image: Image.Image, rng: Rng) -> Image.Image:
    """Pale washes that bleed, with darker rims and paper grain."""
    base = image.filter(ImageFilter.ModeFilter(7)).filter(ImageFilter.GaussianBlur(rng.uniform(1.5, 3)))
    shift = [round(v) for v in rng.uniform(-4, 4, 2)]
    bleed = ImageChops.offset(base, *shift)
    wash = pixels(Image.blend(base, bleed, 0.5))
    paint = 1 - (1 - wash) * (0.45 + 0.5 * noise(image.size, rng, 18))[..., None]
    rim = edges(base, 1.5, 2)[..., None] * 0.25
    grain = 0.06 * (noise(image.size, rng, 1.5) - 0.5)[..., None]
    return picture(paint * (1 - rim) + grain)


def oil(image: Image.Image, rng: Rng) -> Image.Image:
    """Thick strokes with a relief, on a painted ground."""
    ground = colour(rng, 0.45, 0.9)
    painted = pixels(image)
    white = (painted.min(axis=2) > 0.97).astype(np.float32)[..., None]
    painted = painted * (1 - white) + ground * white
    painted = painted + 0.22 * (noise(image.size, rng, 9) - 0.5)[..., None]
    strokes = picture(painted).filter(ImageFilter.ModeFilter(9))
    relief = pixels(strokes.convert("L").filter(ImageFilter.EMBOSS)) - 0.5
    bristle = hatch(image.size, rng, 4, rng.uniform(0, np.pi)) - 0.5
    return picture(pixels(strokes) + 0.5 * relief[..., None] + 0.09 * bristle[..., None])


def pixel_art(image: Image.Image, rng: Rng) -> Image.Image:
    """Few big square pixels in few colours."""
    side = int(rng.integers(18, 34))
    small = image.resize((side, side), Image.Resampling.BOX).quantize(int(rng.integers(8, 17))).convert("RGB")
    return small.resize(image.size, Image.Resampling.NEAREST)


def cells(size: tuple[int, int], rng: Rng, pitch: float) -> NDArray[np.int64]:
    """The number of the nearest of jittered grid seeds for each pixel, (h, w)."""
    width, height = size
    columns, rows = int(width / pitch) + 2, int(height / pitch) + 2
    jitter = rng.uniform(-0.5, 0.5, (rows, columns, 2)).astype(np.float32)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    best = np.full((height, width), np.inf, np.float32)
    winner = np.zeros((height, width), np.int64)
    row, column = (ys / pitch).astype(np.int64), (xs / pitch).astype(np.int64)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            r, c = np.clip(row + down, 0, rows - 1), np.clip(column + right, 0, columns - 1)
            dy = (r + 0.5 + jitter[r, c, 0]) * pitch - ys
            dx = (c + 0.5 + jitter[r, c, 1]) * pitch - xs
            nearer = dx * dx + dy * dy < best
            best, winner = np.where(nearer, dx * dx + dy * dy, best), np.where(nearer, r * columns + c, winner)
    return winner


def cell_colours(image: Image.Image, labels: NDArray[np.int64]) -> Floats:
    """Each cell painted with its mean colour, (h, w, 3)."""
    flat, values = labels.ravel(), pixels(image).reshape(-1, 3)
    counts = np.maximum(np.bincount(flat), 1)
    means = np.stack([np.bincount(flat, values[:, k]) / counts for k in range(3)], axis=1)
    return means[labels].astype(np.float32)


def stained_glass(image: Image.Image, rng: Rng) -> Image.Image:
    """Saturated panes between black leads."""
    labels = cells(image.size, rng, rng.uniform(13, 24))
    ground = pixels(image) * 1.0
    white = ground.min(axis=2, keepdims=True) > 0.95
    panes = cell_colours(picture(np.where(white, colour(rng, 0.35, 0.9), ground)), labels)
    vivid = np.clip((panes - panes.mean(axis=2, keepdims=True)) * 1.7 + panes.mean(axis=2, keepdims=True), 0, 1)
    vivid = vivid * (0.8 + 0.35 * noise(image.size, rng, 30))[..., None]
    lead = np.zeros(labels.shape, bool)
    lead[:, 1:] |= labels[:, 1:] != labels[:, :-1]
    lead[1:] |= labels[1:] != labels[:-1]
    thick = pixels(Image.fromarray(lead).convert("L").filter(ImageFilter.MaxFilter(3)))
    thick = np.maximum(thick, (edges(image, 1.2, 4) > 0.5).astype(np.float32))
    return blend(thick, np.full(3, 0.05, np.float32), vivid)


def pointillism(image: Image.Image, rng: Rng) -> Image.Image:
    """Many small dots of slightly wrong colours."""
    source = pixels(image)
    height, width = source.shape[:2]
    canvas = Image.new("RGB", image.size, tuple(int(255 * v) for v in colour(rng, 0.92, 1)))
    pen = ImageDraw.Draw(canvas)
    radius = rng.uniform(1.8, 3.4)
    count = int(1.6 * width * height / (np.pi * radius**2))
    places = rng.uniform(0, 1, (count, 2)) * [width - 1, height - 1]
    for x, y in places:
        tone = np.clip(source[int(y), int(x)] + rng.normal(0, 0.09, 3), 0, 1) * 255
        r = radius * rng.uniform(0.7, 1.1)
        pen.ellipse((x - r, y - r, x + r, y + r), fill=tuple(int(v) for v in tone))
    return canvas


def blueprint(image: Image.Image, rng: Rng) -> Image.Image:
    """White construction lines and a grid on blue."""
    blue = np.array([rng.uniform(0.02, 0.16), rng.uniform(0.2, 0.38), rng.uniform(0.5, 0.75)], np.float32)
    lines = edges(image, rng.uniform(0.6, 1.1), 4)
    step = int(rng.integers(12, 26))
    grid = np.zeros_like(lines)
    grid[::step], grid[:, ::step] = 0.28, 0.28
    return blend(np.maximum(lines * 0.95, grid), np.array([0.92, 0.96, 1], np.float32), blue)


def neon(image: Image.Image, rng: Rng) -> Image.Image:
    """Glowing coloured tubes in the dark."""
    lines = edges(image, rng.uniform(0.8, 1.4), 4)
    tube = np.maximum(colour(rng, 0.1, 1), 0) * 1.0
    tube[int(rng.integers(3))] = 1.0
    own = pixels(image.filter(ImageFilter.GaussianBlur(4)))
    hue = tube if rng.random() < 0.6 else np.clip(own / (own.max(axis=2, keepdims=True) + 0.05), 0, 1)
    glow = pixels(picture(lines).convert("L").filter(ImageFilter.GaussianBlur(rng.uniform(4, 7))))
    light = (glow * 1.5 + lines * 0.7)[..., None] * hue + (lines**2)[..., None] * 0.45
    return picture(light + colour(rng, 0.0, 0.07))


def silhouette(image: Image.Image, rng: Rng) -> Image.Image:
    """One dark flat shape on a plain ground."""
    mask = (pixels(image).min(axis=2) < 0.93).astype(np.float32)
    mask = pixels(picture(mask).convert("L").filter(ImageFilter.ModeFilter(5)))
    return blend(mask, colour(rng, 0, 0.12), colour(rng, 0.85, 1) if rng.random() < 0.5 else np.ones(3, np.float32))


def comic(image: Image.Image, rng: Rng) -> Image.Image:
    """Printed dots whose size follows the darkness, inked contours, few colours."""
    height, width = image.height, image.width
    pitch, turn = rng.uniform(5, 8), rng.uniform(0.2, 0.9)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    u, v = xs * np.cos(turn) + ys * np.sin(turn), ys * np.cos(turn) - xs * np.sin(turn)
    screen = (np.cos(2 * np.pi * u / pitch) + np.cos(2 * np.pi * v / pitch)) / 4 + 0.5
    flat = pixels(ImageOps.posterize(image, 2)) * 1.15
    grey = pixels(image.convert("L"))
    dots = (screen > grey * 0.9 + 0.15).astype(np.float32)[..., None]
    lines = (edges(image, 1.2, 5) > 0.4).astype(np.float32)[..., None]
    return picture((flat * (1 - 0.45 * dots)) * (1 - lines))


def chalk(image: Image.Image, rng: Rng) -> Image.Image:
    """Dusty light lines on a dark board."""
    board = np.array([0.13, 0.2, 0.16], np.float32) * np.float32(rng.uniform(0.7, 1.4))
    if rng.random() < 0.4:
        board = np.full(3, rng.uniform(0.08, 0.2), np.float32)
    dust = noise(image.size, rng, 1.3)
    lines = edges(image, 1.6, 3) * (dust > 0.3) * (0.6 + 0.4 * dust)
    fill = np.clip(0.95 - pixels(image.convert("L")), 0, 1) * 0.25 * hatch(image.size, rng, 5, 0.8) * dust
    own = 0.65 + 0.35 * pixels(image)
    smear = board + 0.06 * noise(image.size, rng, 40)[..., None]
    return blend(np.clip(lines + fill, 0, 1).astype(np.float32), own, smear)


def mosaic(image: Image.Image, rng: Rng) -> Image.Image:
    """Small square stones with pale joints."""
    pitch = int(rng.integers(8, 13))
    height, width = image.height, image.width
    ys, xs = np.mgrid[0:height, 0:width]
    labels = (ys // pitch) * (width // pitch + 1) + xs // pitch
    stones = cell_colours(image, labels.astype(np.int64))
    stones = stones + rng.normal(0, 0.05, int(labels.max()) + 1).astype(np.float32)[labels][..., None]
    joint = ((ys % pitch < 1) | (xs % pitch < 1)).astype(np.float32)
    return blend(joint, colour(rng, 0.55, 0.8), stones * 0.95)


def engraving(image: Image.Image, rng: Rng) -> Image.Image:
    """Black lines whose width follows the darkness, as in an old print."""
    grey = pixels(ImageOps.autocontrast(image.convert("L"), cutoff=1))
    first = hatch(image.size, rng, rng.uniform(4, 5.5), rng.uniform(0.3, 1.2))
    second = hatch(image.size, rng, rng.uniform(4, 5.5), rng.uniform(1.8, 2.8))
    ink = (first > grey * 1.1 + 0.05) | ((second > grey * 2 + 0.1) & (grey < 0.45)) | (edges(image, 1, 4) > 0.4)
    return blend(ink.astype(np.float32), colour(rng, 0.02, 0.16), np.array([0.97, 0.94, 0.86], np.float32))


EFFECTS: dict[str, Effect] = {
    "outline": outline,
    "pencil": pencil,
    "charcoal": charcoal,
    "watercolour": watercolour,
    "oil": oil,
    "pixel art": pixel_art,
    "stained glass": stained_glass,
    "pointillism": pointillism,
    "blueprint": blueprint,
    "neon": neon,
    "silhouette": silhouette,
    "comic": comic,
    "chalk": chalk,
    "mosaic": mosaic,
    "engraving": engraving,
}


def on_white(image: Image.Image, side: int = 224, margin: float = 0.0) -> Image.Image:
    """The picture composited on white, centred in a square of ``side`` pixels with a relative margin."""
    rgba = image.convert("RGBA")
    inner = max(1, round(side * (1 - 2 * margin)))
    scale = inner / max(rgba.size)
    size = (max(1, round(rgba.width * scale)), max(1, round(rgba.height * scale)))
    square = Image.new("RGBA", (side, side), "white")
    resized = rgba.resize(size, Image.Resampling.BICUBIC)
    square.alpha_composite(resized, ((side - size[0]) // 2, (side - size[1]) // 2))
    return square.convert("RGB")


def stylise(image: Image.Image, effect: str, seed: int) -> Image.Image:
    """The picture redrawn by the named effect; equal seeds give equal pictures."""
    rng = np.random.default_rng(seed)
    return EFFECTS[effect](on_white(image, margin=float(rng.uniform(0.0, 0.1))), rng)
