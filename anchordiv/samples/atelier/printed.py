"""Styles made of areas of colour: flat icon, pixel art, stained glass, pointillism."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from anchordiv.samples.atelier.composition import Shape
from anchordiv.samples.atelier.palettes import Palette, Rgb, mixed
from anchordiv.samples.atelier.parts import box, ellipse
from anchordiv.samples.atelier.raster import (
    SIDE,
    Field,
    blurred,
    draw_shape,
    looked_up,
    numbered,
    painted,
    ramps,
    seams,
    shrunk,
    texture,
    to_field,
    to_image,
)

_OVER = 3


def flat_icon(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render clean flat areas on a badge with a long shadow."""
    scale = SIDE * _OVER
    scene = any(s.backdrop for s in shapes)
    ground = colours.paper
    sheet = Image.new("RGB", (scale, scale), ground)
    draw = ImageDraw.Draw(sheet)
    badge = ellipse(0.5, 0.5, 0.475) if rng.random() < 0.5 else box(0.5, 0.5, 0.455, 0.455, 0.1)
    if not scene:
        draw.polygon((badge * scale).ravel().tolist(), fill=colours.badge)
    shadow = _long_shadow(shapes, scale // _OVER)
    if not scene:
        inside = Image.new("L", (SIDE, SIDE), 0)
        ImageDraw.Draw(inside).polygon((badge * SIDE).ravel().tolist(), fill=255)
        shadow = Image.fromarray(np.minimum(np.asarray(shadow), np.asarray(inside)))
        tone = mixed(colours.badge, colours["ink"], 0.16)
        sheet.paste(tone, mask=shadow.resize((scale, scale), Image.Resampling.BILINEAR))
    for shape in shapes:
        draw_shape(draw, shape, scale, colours[shape.role])
    return shrunk(sheet, _OVER)


def _long_shadow(shapes: Sequence[Shape], side: int) -> Image.Image:
    mask = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(mask)
    for shape in shapes:
        if shape.figure >= 0 and shape.role not in {"glow", "water"}:
            draw_shape(draw, shape, side, 255)
    grown = np.array(mask)
    for step in (1, 2, 4, 8, 16, 32):
        grown[step:, step:] = np.maximum(grown[step:, step:], grown[:-step, :-step])
    return Image.fromarray(grown)


def pixel_art(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render chunky pixels with a dark outline, dithered shading and a banded ground."""
    cells = SIDE // 4
    ids = numbered(shapes, cells)
    scene = any(s.backdrop for s in shapes)
    bare = (0, 0, 0)
    image = looked_up(ids, [colours[s.role] for s in shapes], bare)
    figure = looked_up(ids, [float(s.figure + 1) for s in shapes], 0.0)
    y, x = np.mgrid[0:cells, 0:cells]
    checker = (x + y) % 2 == 0
    if not scene:
        image = np.where((ids == 0)[..., None], _dithered_ground(colours, cells, checker, rng), image)
    solid = figure > 0
    main = looked_up(ids, [float(s.role == "main") for s in shapes], 0.0) > 0
    low = _near_edge(main, down=True) & checker
    image[main & low] = colours["shade"]
    high = main & ~_moved(main, 1, 1) & _moved(main, -1, -1)
    image[high] = colours["light"]
    around = np.zeros_like(solid)
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        moved = np.roll(figure, (dy, dx), (0, 1))
        around |= (moved > 0) & (figure != moved) & ((figure == 0) | (moved > figure))
    image[around & (figure == 0)] = mixed(colours.deep, (20, 16, 28), 0.55)
    return Image.fromarray(image.astype(np.uint8)).resize((SIDE, SIDE), Image.Resampling.NEAREST)


def _dithered_ground(colours: Palette, cells: int, checker: np.ndarray, rng: np.random.Generator) -> Field:
    night = rng.random() < 0.35
    top, bottom = ((58, 56, 92), (92, 88, 130)) if night else (colours.paper, colours.badge)
    height = np.arange(cells)[:, None] / cells + np.zeros((1, cells))
    share = np.where(checker, np.floor(height * 4 + 0.5), np.floor(height * 4)) / 4
    ramp = np.asarray(top, dtype=np.float32) + share[..., None] * (np.asarray(bottom, dtype=np.float32) - top)
    if night:
        stars = rng.integers(0, cells, (14, 2))
        ramp[stars[:, 0], stars[:, 1]] = (226, 222, 240)
    return ramp.astype(np.float32)


def _moved(mask: np.ndarray, dx: int, dy: int) -> np.ndarray:
    return np.asarray(np.roll(mask, (dy, dx), (0, 1)))


def _near_edge(mask: np.ndarray, *, down: bool) -> np.ndarray:
    step = -1 if down else 1
    near = np.zeros_like(mask)
    for k in (1, 2, 3):
        near |= mask & (~_moved(mask, step * k, 0) | ~_moved(mask, 0, step * k))
    return near


def stained_glass(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render pieces of lit glass held by lead, details painted on."""
    scale = SIDE * 2
    pieces = [s for s in shapes if s.size > 0.075 and (s.width == 0 or s.width > 0.022)]
    ids = numbered(pieces, scale).astype(np.int32)
    panes = _panes(scale, rng)
    large = looked_up(ids.astype(np.uint8), [float(s.size > 0.34 or s.backdrop) for s in pieces], 1.0) > 0
    cuts = np.where(ids == 0, panes, np.where(large, _cuts(scale, rng), 0))
    whole = ids * 64 + cuts
    tint = rng.normal(0.0, 1.0, (256 * 64, 2)).astype(np.float32)
    bare = _glass(mixed(colours["accent"], (250, 240, 214), 0.45))
    colour = looked_up(ids.astype(np.uint8), [_glass(colours[s.role]) for s in pieces], bare)
    chance = tint[whole]
    warm = np.array([0.05, 0.0, -0.05], dtype=np.float32)
    colour = colour * (1.0 + 0.16 * chance[..., :1]) + chance[..., 1:] * warm
    seam = Image.fromarray((seams(whole) * 255).astype(np.uint8)).filter(ImageFilter.MaxFilter(5))
    lead = to_field(shrunk(seam.filter(ImageFilter.MaxFilter(3)), 2))
    spine = to_field(shrunk(Image.fromarray((seams(whole) * 255).astype(np.uint8)), 2))
    glass = to_field(shrunk(Image.fromarray((np.clip(colour, 0, 1) * 255).astype(np.uint8)), 2))
    x, y = ramps()
    light = 1.12 - 0.9 * ((x - 0.42) ** 2 + (y - 0.36) ** 2)
    streak = texture("cloud24", rng) - 0.5 + 0.5 * (texture("grain", rng) - 0.5)
    glass = glass * (light + 0.42 * streak)[..., None] + 0.05
    glass = _painted_details(glass, shapes, pieces, colours)
    dark = np.array([0.11, 0.11, 0.13], dtype=np.float32)
    metal = dark + 0.2 * blurred(spine, 0.7)[..., None]
    border = np.maximum.reduce([x < 0.02, x > 0.98, y < 0.02, y > 0.98]).astype(np.float32)
    cover = np.maximum(lead, border)[..., None]
    return to_image(glass * (1 - cover) + metal * cover)


def _glass(colour: Rgb) -> Field:
    tone = np.asarray(colour, dtype=np.float32) / 255.0
    grey = tone.mean()
    return np.asarray(np.clip(grey + (tone - grey) * 1.25, 0.05, 1.0), dtype=np.float32)


def _panes(scale: int, rng: np.random.Generator) -> np.ndarray:
    sheet = Image.new("L", (scale, scale), 0)
    draw = ImageDraw.Draw(sheet)
    if rng.random() < 0.55:
        count = int(rng.integers(9, 13))
        middle = (0.5 + rng.uniform(-0.06, 0.06, 2)) * scale
        turn = rng.uniform(0, 2 * np.pi)
        angles = turn + np.sort(np.arange(count) + rng.uniform(-0.22, 0.22, count)) * 2 * np.pi / count
        for reach, first in ((2.0, 0), (0.43, count)):
            for k in range(count):
                a, b = angles[k], angles[(k + 1) % count]
                corners = [middle + reach * scale * np.array([np.cos(t), np.sin(t)]) for t in (a, b)]
                flat = np.concatenate([middle, *corners]).tolist()
                draw.polygon(flat, fill=1 + first + k)
        return np.asarray(sheet, dtype=np.int32)
    y, x = np.mgrid[0:scale, 0:scale].astype(np.float32) / scale
    u = np.floor((x + y) * 3.2 + rng.uniform(0, 1)).astype(np.int32)
    v = np.floor((x - y) * 3.2 + rng.uniform(0, 1) + 8).astype(np.int32)
    return np.asarray((u * 7 + v * 3) % 63 + 1, dtype=np.int32)


def _cuts(scale: int, rng: np.random.Generator) -> np.ndarray:
    y, x = np.mgrid[0:scale, 0:scale].astype(np.float32) / scale
    total = np.zeros((scale, scale), dtype=np.int32)
    for k in range(3):
        angle = rng.uniform(0, np.pi)
        px, py = rng.uniform(0.36, 0.64, 2)
        total += ((x - px) * np.cos(angle) + (y - py) * np.sin(angle) > 0).astype(np.int32) << k
    return total


def _painted_details(glass: Field, shapes: Sequence[Shape], pieces: Sequence[Shape], colours: Palette) -> Field:
    kept = {id(p) for p in pieces}
    sheet = Image.new("RGBA", (SIDE * 2, SIDE * 2), (0, 0, 0, 0))
    draw = ImageDraw.Draw(sheet)
    for shape in shapes:
        if id(shape) not in kept:
            dark = shape.role in {"ink", "shade", "wood"} or (shape.width > 0 and shape.width < 0.012)
            tone = (30, 26, 32) if dark else colours[shape.role]
            draw_shape(draw, shape, SIDE * 2, (*tone, 235))
    layer = to_field(shrunk(sheet, 2))
    cover = layer[..., 3:]
    return np.asarray(glass * (1 - cover) + layer[..., :3] * cover, dtype=np.float32)


def pointillism(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render thousands of dots of pure colour that mix in the eye."""
    scene = any(s.backdrop for s in shapes)
    base = to_field(painted(shapes, lambda s: colours[s.role], mixed(colours.badge, colours["accent"], 0.22), SIDE))
    inside = looked_up(numbered(shapes, SIDE), [float(s.figure >= 0) for s in shapes], 0.0)
    x, y = ramps()
    light = (0.5 - x) * 0.14 + (0.5 - y) * 0.2
    base = np.clip(base + light[..., None] * (0.7 if scene else 1.0), 0, 1)
    canvas = np.full((SIDE, SIDE, 3), (0.96, 0.94, 0.88), dtype=np.float32)
    canvas *= (0.96 + 0.08 * texture("grain", rng))[..., None]
    for spacing, radius, spread in ((7.0, 4.1, 1.0), (5.0, 2.7, 0.9), (4.0, 1.75, 0.7)):
        canvas = _dotted(canvas, base, inside, spacing, radius, spread, rng)
    return to_image(canvas)


def _dotted(
    canvas: Field, base: Field, inside: Field, spacing: float, radius: float, spread: float, rng: np.random.Generator
) -> Field:
    cells = int(np.ceil(SIDE / spacing)) + 2
    centre = (np.indices((cells, cells)).transpose(1, 2, 0) - 0.5 + rng.uniform(-0.36, 0.36, (cells, cells, 2))) * spacing
    at = np.clip(centre.astype(int), 0, SIDE - 1)
    tone = base[at[..., 0], at[..., 1]] + _flecks(inside[at[..., 0], at[..., 1]], spread, rng)
    size = radius * rng.uniform(0.72, 1.1, (cells, cells))
    yy, xx = np.indices((SIDE, SIDE)).astype(np.float32)
    row, column = (yy / spacing + 1).astype(int), (xx / spacing + 1).astype(int)
    best = np.full((SIDE, SIDE), 1e9, dtype=np.float32)
    pick = np.zeros((SIDE, SIDE), dtype=np.int64)
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            r, c = np.clip(row + dr, 0, cells - 1), np.clip(column + dc, 0, cells - 1)
            gap = np.hypot(yy + 0.5 - centre[r, c, 0], xx + 0.5 - centre[r, c, 1]) - size[r, c]
            nearer = gap < best
            best = np.where(nearer, gap, best)
            pick = np.where(nearer, r * cells + c, pick)
    cover = np.clip(0.5 - best, 0, 1)[..., None]
    colour = np.clip(tone, 0, 1).reshape(-1, 3)[pick]
    return np.asarray(canvas * (1 - cover) + colour * cover, dtype=np.float32)


def _flecks(inside: np.ndarray, spread: float, rng: np.random.Generator) -> np.ndarray:
    shape = inside.shape
    value = rng.normal(0, 0.055, (*shape, 1))
    hue = rng.normal(0, 0.07, (*shape, 3))
    hue -= hue.mean(axis=-1, keepdims=True)
    spark = np.array([[0.16, 0.08, -0.2], [-0.14, -0.02, 0.18], [0.14, -0.12, 0.06], [-0.06, 0.1, -0.1]])
    chance = rng.random(shape)
    strength = np.where(chance < 0.3, 1.0, 0.0) * np.where(inside > 0, 0.8, 1.0)
    return np.asarray((value + hue + strength[..., None] * spark[rng.integers(0, 4, shape)]) * spread)
