"""Styles of light lines on a dark sheet: blueprint and neon."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from anchordiv.samples.atelier.palettes import Palette, Rgb, mixed
from anchordiv.samples.atelier.parts import Path, Shape, arc
from anchordiv.samples.atelier.raster import (
    SIDE,
    Field,
    draw_line,
    draw_shape,
    ramps,
    shrunk,
    texture,
    to_field,
    to_image,
)

_OVER = 3


def blueprint(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render a technical drawing: white lines, grid, axes and measures on blue."""
    scale = SIDE * _OVER
    blue = ((22, 70, 150), (18, 62, 138), (28, 80, 160))[rng.integers(0, 3)]
    sheet = Image.new("RGB", (scale, scale), blue)
    draw = ImageDraw.Draw(sheet)
    _grid(draw, scale, blue)
    for figure in sorted({s.figure for s in shapes if s.figure >= 0}):
        _axes(draw, shapes, figure, scale, blue)
    line, faint = (236, 243, 255), mixed(blue, (236, 243, 255), 0.55)
    for shape in shapes:
        if shape.name == "sky" or shape.role == "glow":
            continue
        tone = faint if shape.figure < 0 else line
        weight = _OVER * (0.95 if shape.figure < 0 else 1.6) * (0.75 if shape.size < 0.08 else 1.0)
        if shape.width:
            _hollow_line(draw, shape, scale, weight, tone, blue)
            continue
        points = shape.path * scale
        if shape.figure >= 0:
            filled = mixed(blue, line, {"shade": 0.16, "ink": 0.8, "wood": 0.12, "light": 0.05}.get(shape.role, 0.0))
            draw.polygon(points.ravel().tolist(), fill=filled)
        draw_line(draw, np.concatenate([points, points[:1]]), weight, tone)
    for figure in sorted({s.figure for s in shapes if s.figure >= 0}):
        _measures(draw, shapes, figure, scale, faint)
    image = to_field(shrunk(sheet, _OVER))
    x, y = ramps()
    fade = 1.06 - 0.35 * ((x - 0.5) ** 2 + (y - 0.5) ** 2)
    worn = fade + 0.22 * (texture("cloud96", rng) - 0.5) + 0.1 * (texture("grain", rng) - 0.5)
    return to_image(image * worn[..., None])


def _grid(draw: ImageDraw.ImageDraw, scale: int, blue: Rgb) -> None:
    step = scale // 28
    for k in range(0, scale + 1, step):
        strong = (k // step) % 4 == 0
        tone = mixed(blue, (255, 255, 255), 0.2 if strong else 0.09)
        draw.line((k, 0, k, scale), fill=tone, width=2)
        draw.line((0, k, scale, k), fill=tone, width=2)
    rim = 3 * _OVER
    draw.rectangle((rim, rim, scale - rim, scale - rim), outline=mixed(blue, (255, 255, 255), 0.6), width=_OVER)


def _box(shapes: Sequence[Shape], figure: int) -> tuple[float, float, float, float]:
    paths = np.concatenate([s.path for s in shapes if s.figure == figure and s.role != "glow"])
    (left, top), (right, bottom) = paths.min(axis=0), paths.max(axis=0)
    return float(left), float(top), float(right), float(bottom)


def _axes(draw: ImageDraw.ImageDraw, shapes: Sequence[Shape], figure: int, scale: int, blue: Rgb) -> None:
    left, top, right, bottom = _box(shapes, figure)
    x, y = (left + right) / 2, (top + bottom) / 2
    tone = mixed(blue, (255, 255, 255), 0.42)
    reach = 0.03
    _dashed(draw, np.array([(x, top - reach), (x, bottom + reach)]) * scale, tone)
    _dashed(draw, np.array([(left - reach, y), (right + reach, y)]) * scale, tone)
    radius = max(right - left, bottom - top) / 2
    _dashed(draw, arc(x, y, radius, radius, 0, 360, points=90) * scale, mixed(blue, (255, 255, 255), 0.3))


def _dashed(draw: ImageDraw.ImageDraw, path: Path, tone: Rgb) -> None:
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    for start in np.arange(0.0, length[-1], 11.0 * _OVER / 2):
        at = np.linspace(start, min(start + 3.4 * _OVER, length[-1]), 4)
        points = np.stack([np.interp(at, length, path[:, k]) for k in (0, 1)], axis=1)
        draw.line(points.ravel().tolist(), fill=tone, width=2)


def _measures(draw: ImageDraw.ImageDraw, shapes: Sequence[Shape], figure: int, scale: int, tone: Rgb) -> None:
    left, top, right, bottom = _box(shapes, figure)
    below, beside = min(bottom + 0.035, 0.965), min(right + 0.035, 0.965)
    a = 0.012
    lines = [
        [(left, below), (right, below)],
        [(left, below - a), (left, below + a)],
        [(right, below - a), (right, below + a)],
        [(left + a, below - a * 0.6), (left, below), (left + a, below + a * 0.6)],
        [(right - a, below - a * 0.6), (right, below), (right - a, below + a * 0.6)],
        [(beside, top), (beside, bottom)],
        [(beside - a, top), (beside + a, top)],
        [(beside - a, bottom), (beside + a, bottom)],
        [(beside - a * 0.6, top + a), (beside, top), (beside + a * 0.6, top + a)],
        [(beside - a * 0.6, bottom - a), (beside, bottom), (beside + a * 0.6, bottom - a)],
    ]
    for line in lines:
        draw.line((np.array(line) * scale).ravel().tolist(), fill=tone, width=2)


def _hollow_line(draw: ImageDraw.ImageDraw, shape: Shape, scale: int, weight: float, tone: Rgb, blue: Rgb) -> None:
    wide = shape.width * scale
    if wide > weight * 2.6:
        draw_shape(draw, shape, scale, tone)
        draw_line(draw, shape.path * scale, wide - 2 * weight, blue)
    else:
        draw_line(draw, shape.path * scale, weight * 0.9, tone)


def neon(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render bent glass tubes that glow before a brick wall at night."""
    tubes = to_field(shrunk(_tubes(shapes, colours, core=False), _OVER))
    cores = to_field(shrunk(_tubes(shapes, colours, core=True), _OVER))
    sheet = Image.fromarray((tubes * 255).astype(np.uint8))
    near, wide, far = (to_field(sheet.filter(ImageFilter.GaussianBlur(r))) for r in (2.2, 7.0, 24.0))
    light = 0.95 * near + 1.15 * wide + 1.5 * far
    bricks = _bricks(rng)[..., None]
    wall = np.array([0.075, 0.06, 0.095], dtype=np.float32) * (0.5 + bricks)
    image = wall + light * (0.28 + 0.6 * bricks) + tubes * 0.9 + cores * 0.95
    return to_image(1.0 - np.exp(-1.55 * image))


def _tubes(shapes: Sequence[Shape], colours: Palette, *, core: bool) -> Image.Image:
    scale = SIDE * _OVER
    sheet = Image.new("RGB", (scale, scale), (0, 0, 0))
    draw = ImageDraw.Draw(sheet)
    for shape in shapes:
        if shape.name == "sky" or shape.backdrop:
            continue
        setting = shape.figure < 0
        small = shape.size < 0.1
        width = _OVER * (1.7 if setting else 2.1 if small else 3.0) * (0.36 if core else 1.0)
        tone = _light(shape, colours, setting)
        tone = mixed(tone, (255, 255, 255), 0.75) if core else tone
        tone = mixed((0, 0, 0), tone, 0.3) if setting else tone
        if shape.width:
            draw_line(draw, shape.path * scale, width, tone)
            continue
        points = shape.path * scale
        if not setting:
            draw.polygon(points.ravel().tolist(), fill=(0, 0, 0) if shape.size > 0.05 else tone)
        if shape.role in {"glow"}:
            tone = mixed((0, 0, 0), tone, 0.35)
        draw_line(draw, np.concatenate([points, points[:1]]), width, tone)
    return sheet


def _light(shape: Shape, colours: Palette, setting: bool) -> Rgb:
    if setting:
        return (120, 170, 255)
    role = shape.role
    if role in {"main", "light"}:
        return colours.tube
    if role == "shade":
        return mixed(colours.tube, (0, 0, 0), 0.25)
    if role in {"ink", "cream", "glass", "stone", "glow"}:
        return (235, 235, 255)
    if role == "leaf":
        return (90, 255, 140)
    return colours["accent"]


def _bricks(rng: np.random.Generator) -> Field:
    height, width = 16, 34
    y, x = np.indices((SIDE, SIDE)).astype(np.float32)
    y += rng.uniform(0, height)
    row = np.floor(y / height)
    along = x + (row % 2) * width / 2 + rng.uniform(0, width)
    column = np.floor(along / width)
    in_x, in_y = along - column * width, y - row * height
    mortar = (in_x < 2) | (in_y < 2)
    shade = rng.uniform(0.36, 0.72, (32, 32))[row.astype(int) % 32, column.astype(int) % 32]
    face = shade + 0.3 * (texture("grain", rng) - 0.5)
    return np.asarray(np.where(mortar, 0.16, face), dtype=np.float32)
