"""Styles made of areas of colour: flat icon, pixel art, stained glass, pointillism."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from anchordiv.samples.atelier.palettes import Palette, Rgb, mixed
from anchordiv.samples.atelier.parts import Shape, box, ellipse
from anchordiv.samples.atelier.raster import (
    SIDE,
    Field,
    blurred,
    draw_line,
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
_PIXEL = 3
_THICKEN = [0 if v < 14 else 255 for v in range(256)]


def flat_icon(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render clean flat areas on a badge with a long shadow."""
    scale = SIDE * _OVER
    scene = any(s.backdrop for s in shapes)
    sheet = Image.new("RGB", (scale, scale), colours.paper)
    if not scene:
        badge = ellipse(0.5, 0.5, 0.475) if rng.random() < 0.5 else box(0.5, 0.5, 0.455, 0.455, 0.1)
        shadow = _long_shadow(shapes, SIDE).resize((scale, scale), Image.Resampling.BILINEAR)
        plate = Image.new("RGB", (scale, scale), colours.badge)
        plate.paste(mixed(colours.badge, colours["ink"], 0.16), mask=shadow)
        inside = Image.new("L", (scale, scale), 0)
        ImageDraw.Draw(inside).polygon((badge * scale).ravel().tolist(), fill=255)
        sheet.paste(plate, mask=inside)
    draw = ImageDraw.Draw(sheet)
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
    for step in (1, 2, 4, 8, 16, 32, 64, 128):
        grown[step:, step:] = np.maximum(grown[step:, step:], grown[:-step, :-step])
    return Image.fromarray(grown)


def pixel_art(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render chunky pixels with a dark outline, dithered shading and a banded ground."""
    cells = -(-SIDE // _PIXEL)
    shapes = [s for s in shapes if s.role != "glow" and (s.figure < 0 or s.size + s.width > 1.0 / cells)]
    shapes = [s for s in shapes if not 0 < s.width < 0.55 / cells]
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
    small = Image.fromarray(image.astype(np.uint8))
    return small.resize((cells * _PIXEL, cells * _PIXEL), Image.Resampling.NEAREST).crop((0, 0, SIDE, SIDE))


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
    pieces = [s for s in shapes if s.size > 0.075 and (s.width == 0 or s.width > 0.04)]
    ids = numbered(pieces, scale)
    panes = _panes(scale, rng)
    kind = looked_up(ids, [2 if s.backdrop else int(s.size > 0.34) for s in pieces], 2)
    whole = ids.astype(np.int32) * 64 + np.where(kind == 2, panes, np.where(kind == 1, _cuts(scale, rng), 0))
    seam = Image.fromarray(seams(whole).astype(np.uint8) * 255)
    lead = to_field(shrunk(seam.filter(ImageFilter.BoxBlur(3)).point(_THICKEN), 2))
    spine = to_field(shrunk(seam, 2))
    glass = _stains(ids[::2, ::2], panes[::2, ::2], whole[::2, ::2], pieces, colours, rng)
    x, y = ramps()
    light = 1.12 - 0.9 * ((x - 0.42) ** 2 + (y - 0.36) ** 2)
    streak = texture("cloud24", rng) - 0.5 + 0.5 * (texture("grain", rng) - 0.5)
    lit = np.asarray(glass * (light + 0.42 * streak)[..., None] + 0.05, dtype=np.float32)
    lit = _painted_details(lit, shapes, pieces, colours)
    dark = np.array([0.11, 0.11, 0.13], dtype=np.float32)
    metal = dark + 0.2 * blurred(spine, 0.7)[..., None]
    border = np.maximum.reduce([x < 0.02, x > 0.98, y < 0.02, y > 0.98]).astype(np.float32)
    cover = np.maximum(lead, border)[..., None]
    return to_image(lit * (1 - cover) + metal * cover)


def _stains(
    ids: np.ndarray,
    panes: np.ndarray,
    whole: np.ndarray,
    pieces: Sequence[Shape],
    colours: Palette,
    rng: np.random.Generator,
) -> Field:
    """Return each piece's own colour: bare panes take one of five cathedral glasses. Shape: (SIDE, SIDE, 3)."""
    colour = looked_up(ids, [_glass(colours[s.role]) for s in pieces], (0.0, 0.0, 0.0))
    pale = mixed(colours["light"], colours["cream"], 0.35)
    warm_badge = mixed(colours.badge, colours["accent"], 0.22)
    cathedral = np.stack([_glass(tint) for tint in (pale, colours.badge, warm_badge, pale, (196, 212, 210))])
    stain = cathedral[rng.integers(0, len(cathedral), 64)]
    colour = np.where((ids == 0)[..., None], stain[panes], colour)
    chance = rng.normal(0.0, 1.0, (256 * 64, 2)).astype(np.float32)[whole]
    warm = np.array([0.05, 0.0, -0.05], dtype=np.float32)
    return np.asarray(colour * (1.0 + 0.15 * chance[..., :1]) + chance[..., 1:] * warm, dtype=np.float32)


def _glass(colour: Rgb) -> Field:
    tone = np.asarray(colour, dtype=np.float32) / 255.0
    grey = tone.mean()
    return np.asarray(np.clip(grey + (tone - grey) * 1.35 - 0.04, 0.05, 1.0), dtype=np.float32)


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
    for k in range(2):
        angle = rng.uniform(0, np.pi)
        px, py = rng.uniform(0.3, 0.7, 2)
        total += ((x - px) * np.cos(angle) + (y - py) * np.sin(angle) > 0).astype(np.int32) << k
    return total


def _painted_details(glass: Field, shapes: Sequence[Shape], pieces: Sequence[Shape], colours: Palette) -> Field:
    kept = {id(p) for p in pieces}
    sheet = Image.new("RGBA", (SIDE * 2, SIDE * 2), (0, 0, 0, 0))
    draw = ImageDraw.Draw(sheet)
    for shape in shapes:
        if id(shape) in kept:
            continue
        dark = shape.role in {"ink", "shade", "wood"} or 0 < shape.width < 0.012
        if shape.width > 0.012 and shape.role != "shade":
            draw_line(draw, shape.path * SIDE * 2, shape.width * SIDE * 2 + 7, (28, 27, 32, 255))
        draw_shape(draw, shape, SIDE * 2, (30, 26, 32, 235) if dark else (*colours[shape.role], 245))
    layer = to_field(shrunk(sheet, 2))
    cover = layer[..., 3:]
    return np.asarray(glass * (1 - cover) + layer[..., :3] * cover, dtype=np.float32)


def pointillism(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render thousands of dots of pure colour that mix in the eye: a ground layer, then finer dots on the figure."""
    scene = any(s.backdrop for s in shapes)
    ground = mixed(colours.badge, colours["accent"], 0.1)
    base = to_field(painted(shapes, lambda s: colours[s.role], ground, SIDE))
    inside = looked_up(numbered(shapes, SIDE), [float(s.figure >= 0 and s.role != "glow") for s in shapes], 0.0)
    x, y = ramps()
    light = (0.5 - x) * 0.16 + (0.5 - y) * 0.24
    base = np.clip(base + light[..., None] * np.float32(0.6 if scene else 1.0), 0, 1)
    sheet = Image.new("RGB", (SIDE * _OVER, SIDE * _OVER), mixed(ground, colours["wood"], 0.3))
    draw = ImageDraw.Draw(sheet)
    _dots(draw, base, np.ones_like(inside), (6.8, 4.4), colours, rng)
    _dots(draw, base, 1 - inside, (6.1, 2.8), colours, rng)
    fine = 1.0 if len({s.figure for s in shapes if s.figure >= 0}) == 1 and not scene else 0.86
    _dots(draw, base, inside, (3.9 * fine, 2.35 * fine), colours, rng)
    _dots(draw, base, inside, (3.4 * fine, 1.5 * fine), colours, rng)
    return shrunk(sheet, _OVER)


def _dots(
    draw: ImageDraw.ImageDraw,
    base: Field,
    where: Field,
    spacing_radius: tuple[float, float],
    colours: Palette,
    rng: np.random.Generator,
) -> None:
    """Scatter dots on a jittered grid where the mask allows; each takes its place's colour or a fleck of another."""
    spacing, radius = spacing_radius
    cells = int(np.ceil(SIDE / spacing)) + 1
    centre = (np.indices((cells, cells)).reshape(2, -1).T + rng.uniform(-0.4, 0.4, (cells * cells, 2))) * spacing
    at = np.clip(centre.astype(int), 0, SIDE - 1)
    kept = rng.permutation(np.flatnonzero(where[at[:, 0], at[:, 1]] > 0.5))
    centre, at = centre[kept], at[kept]
    own = base[at[:, 0], at[:, 1]]
    flecks = np.array([colours["accent"], colours["light"], (120, 170, 214), (250, 226, 150), (236, 150, 150)]) / 255
    share = np.where(rng.random(len(kept)) < 0.34, rng.uniform(0.2, 0.5, len(kept)), 0.0)[:, None]
    tone = own * (1 - share) + flecks[rng.integers(0, len(flecks), len(kept))] * share
    tone = np.clip(tone + rng.normal(0, 0.05, (len(kept), 1)) + rng.normal(0, 0.03, (len(kept), 3)), 0, 1)
    size = radius * rng.uniform(0.75, 1.1, len(kept)) * _OVER
    middle = centre[:, ::-1] * _OVER
    boxes = np.concatenate([middle - size[:, None], middle + size[:, None]], axis=1)
    for box_, paint in zip(boxes.tolist(), (tone * 255).astype(int).tolist(), strict=True):
        draw.ellipse(box_, fill=tuple(paint))
