"""Styles of the hand: ink outline, pencil, charcoal, watercolour."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from anchordiv.samples.atelier.palettes import Palette, Rgb, mixed
from anchordiv.samples.atelier.parts import Path, Shape
from anchordiv.samples.atelier.raster import (
    SIDE,
    Field,
    blurred,
    by_hand,
    draw_shape,
    numbered,
    painted,
    ramps,
    ribbon,
    seams,
    shrunk,
    texture,
    to_field,
    to_image,
    toned,
)

_OVER = 3
_TONE = {  # how dark a role is, from paper to black
    "main": 0.5, "shade": 0.82, "light": 0.3, "accent": 0.46, "cream": 0.04, "ink": 1.0, "wood": 0.72, "leaf": 0.62,
    "stone": 0.3, "sand": 0.34, "glass": 0.2, "water": 0.22, "glow": 0.03, "sky": 0.0, "far": 0.12, "ground": 0.2,
    "sun": 0.05, "cloud": 0.0, "sea": 0.24, "seabed": 0.16, "weed": 0.42, "dusk": 0.42, "star": 0.0, "wall": 0.1,
    "table": 0.34, "cloth": 0.02,
}  # fmt: skip


def _brush(path: Path, closed: bool, width: float, pressure: float, rng: np.random.Generator) -> Path:
    """Return a stroke that swells and thins along the path. Units: pixels of the supersampled sheet."""
    t = np.linspace(0, 1, len(path))
    swell = 1.0 + pressure * np.sin(2 * np.pi * (t * rng.integers(1, 4) + rng.random()))
    if not closed:
        swell *= 0.35 + 0.75 * np.sqrt(np.clip(np.sin(np.pi * (0.04 + 0.92 * t)), 0, 1))
    return ribbon(path, width * swell, closed)


def ink_outline(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render brush-and-ink contours on paper, shadows hatched, dark parts solid."""
    scale = SIDE * _OVER
    sheet = Image.new("L", (scale, scale), 0)
    hatch = _hatching(scale, float(rng.choice([38.0, 52.0, 128.0])), 15, 4.5)
    sparse = _hatching(scale, float(rng.choice([20.0, 150.0])), 24, 4.0)
    draw = ImageDraw.Draw(sheet)
    for shape in shapes:
        if shape.backdrop and shape.name == "sky":
            if shape.role in {"dusk", "sea"}:
                sheet.paste(sparse)
            continue
        fine = shape.figure < 0
        weight = scale * (0.0062 if fine else 0.0105)
        if shape.width:
            _ink_line(draw, shape, scale, weight, rng)
            continue
        tone = 255 if shape.role == "ink" else 0
        outline = by_hand(shape.path, True, 0.0016, rng) * scale
        draw.polygon(outline.ravel().tolist(), fill=tone)
        if shape.role in {"shade", "wood", "leaf", "far", "table"}:
            mask = Image.new("L", (scale, scale), 0)
            ImageDraw.Draw(mask).polygon(outline.ravel().tolist(), fill=255)
            lines = hatch if shape.role in {"shade", "wood"} else sparse
            sheet.paste(255, mask=ImageChops.multiply(mask, lines))
        if shape.size > 0.022 and shape.role != "glow":
            weight *= 0.75 if shape.size < 0.12 else 1.0
            draw.polygon(_brush(outline, True, weight, 0.35, rng).ravel().tolist(), fill=255)
    cover = to_field(shrunk(sheet, _OVER)) * (0.9 + 0.2 * texture("cloud24", rng))
    paper = np.array([0.985, 0.97, 0.935], dtype=np.float32) * (0.985 + 0.03 * texture("grain", rng))[..., None]
    ink = np.asarray(colours.deep, dtype=np.float32) / 255.0
    return to_image(paper * (1 - cover[..., None]) + ink * cover[..., None])


def _ink_line(draw: ImageDraw.ImageDraw, shape: Shape, scale: int, weight: float, rng: np.random.Generator) -> None:
    path = by_hand(shape.path, False, 0.0014, rng, spacing=0.01) * scale
    wide = shape.width * scale
    if wide > weight * 3.2:
        draw_shape(draw, Shape(path / scale, shape.role, (wide + weight) / scale, 0, ""), scale, 255)
        inside = 255 if shape.role == "ink" else 0
        draw_shape(draw, Shape(path / scale, shape.role, max(wide - weight, 2) / scale, 0, ""), scale, inside)
    else:
        stroke = _brush(path, False, float(np.clip(wide, weight * 0.7, weight * 1.3)), 0.15, rng)
        draw.polygon(stroke.ravel().tolist(), fill=255)


def _hatching(scale: int, angle: float, gap: int, width: float) -> Image.Image:
    sheet = Image.new("L", (scale, scale), 0)
    draw = ImageDraw.Draw(sheet)
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    for k in range(-scale, scale, gap):
        x, y = scale / 2 + k * s, scale / 2 - k * c
        draw.line((x - scale * c, y - scale * s, x + scale * c, y + scale * s), fill=255, width=round(width))
    return sheet


def pencil(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render coloured-pencil hatching inside searching graphite lines on toothed paper."""
    tone = toned(shapes, lambda s: _TONE[s.role], SIDE * 2)
    colour = to_field(shrunk(painted(shapes, lambda s: _crayon(s, colours), (250, 248, 242), SIDE * 2), 2))
    turn = int(rng.integers(0, 3))
    angles = ("hatch-52", "hatch-28", "hatch40")
    lines = texture(angles[turn], rng)
    crossed = texture(angles[(turn + 1) % 3], rng)
    tooth = texture("grain", rng)
    x, y = ramps()
    shaded = tone * (0.95 + 0.35 * (x + y - 1.0) + 0.55 * (texture("cloud96", rng) - 0.5))
    strokes = 0.95 * np.clip(shaded * 1.7 - 0.95 + lines, 0, 1) * np.clip(shaded * 5, 0, 1)
    strokes += 0.6 * np.clip(shaded * 1.6 - 1.35 + crossed, 0, 1) + 0.22 * shaded
    cover = np.clip(strokes * (0.5 + 0.95 * tooth), 0, 1)[..., None]
    paper = np.array([0.975, 0.97, 0.95], dtype=np.float32) * (0.98 + 0.04 * tooth)[..., None]
    image = paper * (1 - cover) + colour * cover * (0.9 + 0.2 * tooth)[..., None]
    graphite = _searching_lines(shapes, rng)
    graphite = np.clip(graphite * (0.45 + 1.1 * tooth), 0, 0.92)[..., None]
    lead = np.array([0.23, 0.23, 0.26], dtype=np.float32)
    return to_image(image * (1 - graphite) + lead * graphite)


def _crayon(shape: Shape, colours: Palette) -> tuple[int, int, int]:
    tone = colours[shape.role]
    return mixed(colours.deep, tone, 0.55) if shape.role == "shade" else tone


def _byte(field: Field) -> Image.Image:
    return Image.fromarray((np.clip(field, 0, 1) * 255).astype(np.uint8))


def _searching_lines(shapes: Sequence[Shape], rng: np.random.Generator) -> Field:
    scale = SIDE * 2
    total = np.zeros((SIDE, SIDE), dtype=np.float32)
    for strength, wobble in ((0.62, 0.0022), (0.42, 0.0042)):
        sheet = Image.new("L", (scale, scale), 0)
        draw = ImageDraw.Draw(sheet)
        for shape in shapes:
            if shape.backdrop and shape.name == "sky":
                continue
            level = 150 if shape.figure < 0 else 255
            path = by_hand(shape.path, not shape.width, wobble, rng, spacing=0.016) * scale
            if shape.width:
                wide = float(np.clip(shape.width * scale, 2.0, 3.4))
                if shape.width * scale > 7:
                    draw_shape(draw, Shape(path / scale, "", shape.width, 0, ""), scale, level)
                    draw_shape(draw, Shape(path / scale, "", shape.width - 4 / scale, 0, ""), scale, 0)
                else:
                    draw.polygon(_brush(path, False, wide, 0.2, rng).ravel().tolist(), fill=level)
                continue
            draw.polygon(path.ravel().tolist(), fill=210 if shape.role == "ink" else 0)
            if shape.role != "glow":
                weight = 2.9 if shape.figure >= 0 else 2.2
                draw.polygon(_brush(path, True, weight, 0.45, rng).ravel().tolist(), fill=level)
        total += strength * to_field(shrunk(sheet, 2))
    return total


def charcoal(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render smudged black charcoal and white chalk on toned paper."""
    tone = toned(shapes, lambda s: _TONE[s.role] * (0.62 if s.figure < 0 else 1.0), SIDE * 2)
    chalk_roles = {"cream", "light", "cloud", "star", "glow", "sun", "cloth"}
    chalk = toned(shapes, lambda s: float(s.role in chalk_roles), SIDE * 2)
    solid = toned(shapes, lambda s: float(s.figure >= 0), SIDE)
    tooth, patch = texture("grain", rng), texture("cloud48", rng)
    x, y = ramps()
    around = blurred(tone, 9.0)
    side = 0.35 * (x - 0.45) + 0.3 * (y - 0.45)
    rubbed = 0.8 * blurred(tone, 1.3) + 0.14 * around + side * (tone > 0.02)
    near = np.clip(blurred(solid, 16.0) * 2.2, 0, 1) * (1 - blurred(solid, 1.5))
    rubbed += near * 0.42 * np.clip(texture("hatch-52", rng) * 0.6 + 1.8 * (patch - 0.55), 0, 1)
    smooth = 0.5 * rubbed * (0.75 + 0.5 * patch)
    grainy = np.clip((rubbed * 1.3 + 1.5 * (tooth - 0.62)) * 1.3, 0, 1) * (rubbed > 0.02)
    dark = np.clip(smooth + 0.52 * grainy, 0, 0.93)
    lines = _burnt_lines(shapes, rng)
    rough = np.clip((lines + 0.4 * blurred(lines, 2.5)) * (0.45 + 1.2 * tooth), 0, 1)
    black = np.clip(np.maximum(dark, rough), 0, 0.96)[..., None]
    white = np.clip(blurred(chalk, 1.0) * (1.5 * tooth + 0.5 * patch - 0.25), 0, 0.9)[..., None]
    tints = np.array([(0.80, 0.75, 0.66), (0.76, 0.75, 0.73), (0.84, 0.79, 0.72)], dtype=np.float32)
    paper = tints[rng.integers(0, 3)] * (0.94 + 0.12 * tooth)[..., None]
    image = paper * (1 - white) + np.array([0.98, 0.97, 0.94], dtype=np.float32) * white
    return to_image(image * (1 - black) + np.array([0.09, 0.085, 0.09], dtype=np.float32) * black)


def _burnt_lines(shapes: Sequence[Shape], rng: np.random.Generator) -> Field:
    scale = SIDE * 2
    sheet = Image.new("L", (scale, scale), 0)
    draw = ImageDraw.Draw(sheet)
    for shape in shapes:
        if shape.name == "sky":
            continue
        level = 150 if shape.figure < 0 else 255
        path = by_hand(shape.path, not shape.width, 0.0028, rng, spacing=0.015) * scale
        if shape.width:
            wide = float(np.clip(shape.width * scale, 3.0, 30.0))
            draw.polygon(_brush(path, False, wide, 0.2, rng).ravel().tolist(), fill=level if wide < 9 else 170)
            continue
        draw.polygon(path.ravel().tolist(), fill=240 if shape.role == "ink" else 0)
        if shape.role != "glow":
            weight = (5.6 if shape.size > 0.16 else 3.6) if shape.figure >= 0 else 3.4
            draw.polygon(_brush(path, True, weight, 0.55, rng).ravel().tolist(), fill=level)
    return to_field(shrunk(sheet, 2))


def watercolour(shapes: Sequence[Shape], colours: Palette, rng: np.random.Generator) -> Image.Image:
    """Render transparent washes with pigment edges, blooms and bare paper between them."""
    scale = SIDE * 2
    loose = [
        Shape(by_hand(s.path, not s.width, 0.0034, rng, spacing=0.02), s.role, s.width, s.figure, s.name, s.backdrop)
        for s in shapes
    ]
    ids = numbered(loose, scale)
    scene = any(s.backdrop for s in shapes)
    wash = 3.0 * to_field(shrunk(painted(loose, lambda s: _absorbed(colours, s), (0, 0, 0), scale), 2))
    density = wash.max(axis=2) / 3.0
    reach = 5.0 if scene or len({s.figure for s in shapes}) == 1 else 2.6
    soft = np.stack([blurred(wash[..., k] / 3.0, reach) * 3.0 for k in range(3)], axis=2)
    bloom, flow, tooth = texture("cloud96", rng), texture("cloud48", rng), texture("grain", rng)
    wet = np.clip((flow - 0.52) * 3.0, 0, 0.5)[..., None]
    covered = to_field(shrunk(_byte((ids > 0).astype(np.float32)), 2))
    wet = wet * (0.25 + 0.75 * covered[..., None])
    wash = wash * (1 - wet) + soft * wet
    edge = to_field(shrunk(_byte(seams(ids).astype(np.float32)), 2))
    rim = np.clip(blurred(edge, 1.5) * 2.6, 0, 1)
    gap = np.clip(edge * 1.6, 0, 1) * np.clip((bloom - 0.42) * 5, 0, 1)
    strength = 0.5 + 0.95 * (bloom - 0.25) + 0.5 * rim + 0.28 * (tooth - 0.5)
    strength = np.clip(strength, 0.12, 1.6) * (1 - 0.8 * gap)
    paint = wash * strength[..., None]
    paint += (1 - covered * 0.85)[..., None] * _splash(colours, scene, flow, rng)
    paper = np.array([0.988, 0.98, 0.955], dtype=np.float32) * (0.975 + 0.05 * tooth)[..., None]
    shade = 1.0 - 0.09 * density[..., None] * (tooth < 0.4)[..., None]
    return to_image(paper * np.exp(-paint) * shade)


def _absorbed(colours: Palette, shape: Shape) -> Rgb:
    """Return how much red, green and blue a full wash takes away, 255 for a density of 3."""
    tone = np.asarray(colours[shape.role], dtype=np.float32) / 255.0
    floor = 0.16 if shape.role in {"ink", "wood"} else 0.05
    r, g, b = (np.clip(-np.log(np.clip(tone, floor, 0.985)) / 3.0, 0, 1) * 255.0).round().astype(int).tolist()
    return r, g, b


def _splash(colours: Palette, scene: bool, flow: Field, rng: np.random.Generator) -> Field:
    if scene:
        return np.zeros((SIDE, SIDE, 3), dtype=np.float32)
    sheet = Image.new("L", (SIDE, SIDE), 0)
    draw = ImageDraw.Draw(sheet)
    for x, y, r in rng.uniform((0.2, 0.25, 0.16), (0.8, 0.8, 0.26), (4, 3)):
        draw.ellipse([(x - r) * SIDE, (y - 0.7 * r) * SIDE, (x + r) * SIDE, (y + 0.7 * r) * SIDE], fill=255)
    for x, y in rng.uniform(0.04, 0.96, (16, 2)):
        r = rng.uniform(0.003, 0.014)
        draw.ellipse([(x - r) * SIDE, (y - r) * SIDE, (x + r) * SIDE, (y + r) * SIDE], fill=int(rng.integers(90, 255)))
    pool = np.clip((blurred(to_field(sheet), 3.0) * (0.3 + 1.4 * flow) - 0.36) * 7, 0, 1)
    rim = np.clip(pool * (1 - pool) * 4, 0, 1)
    tone = np.asarray(mixed(colours.badge, colours["accent"], 0.3), dtype=np.float32) / 255.0
    density = (0.55 * pool + 0.35 * rim) * (0.6 + 0.8 * flow)
    return np.asarray(-np.log(tone) * density[..., None], dtype=np.float32)
