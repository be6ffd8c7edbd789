"""Compositions: where the figures stand on the sheet, alone or in a setting."""

from collections.abc import Callable, Mapping

import numpy as np

from anchordiv.samples.atelier.animals import ANIMALS
from anchordiv.samples.atelier.garden import GARDEN
from anchordiv.samples.atelier.parts import Part, Shape, bounds, turned
from anchordiv.samples.atelier.settings import SETTING_OF, SETTINGS
from anchordiv.samples.atelier.things import THINGS
from anchordiv.samples.atelier.vehicles import VEHICLES

DRAWINGS: Mapping[str, Callable[[np.random.Generator], list[Part]]] = {**ANIMALS, **GARDEN, **VEHICLES, **THINGS}
LAYOUTS: tuple[str, ...] = ("single", "pair", "trio", "scene")

_NO_TILT = frozenset({"sailboat", "whale", "lighthouse", "house", "car", "tree", "lamp"})


def compose(subject: str, layout: str, rng: np.random.Generator) -> list[Shape]:
    """Return the shapes of an image, back to front."""
    if layout == "scene":
        return _scene(subject, rng)
    spots = _spots(layout, rng)
    shapes: list[Shape] = []
    flip = rng.random() < 0.5
    for k, (x, y, half) in enumerate(spots):
        tilt = rng.uniform(-9, 9) * (0.4 if subject in _NO_TILT else 1.0)
        shapes += _figure(subject, rng, (x, y), half, tilt, flip != (k == 1), k)
    return shapes


def _spots(layout: str, rng: np.random.Generator) -> list[tuple[float, float, float]]:
    jitter = rng.uniform(-0.018, 0.018, (3, 2))
    if layout == "single":
        half = rng.uniform(0.34, 0.42)
        room = 0.47 - half
        dx, dy = rng.uniform(-room, room, 2) * 0.7
        return [(0.5 + dx, 0.5 + dy, half)]
    if layout == "pair":
        large, small = rng.uniform(0.245, 0.275), rng.uniform(0.19, 0.225)
        lower = rng.uniform(0.56, 0.66)
        spots = [(0.04 + large, 0.42, large), (0.96 - small, lower, small)]
        if rng.random() < 0.5:
            spots = [(1 - x, y, half) for x, y, half in spots]
    else:
        half = rng.uniform(0.195, 0.225)
        spots = [(0.5, 0.255, half), (0.255, 0.72, half * 0.98), (0.745, 0.72, half * 0.98)]
        if rng.random() < 0.5:
            spots = [(x, 1 - y, half) for x, y, half in spots]
    return [(x + dx, y + dy, half) for (x, y, half), (dx, dy) in zip(spots, jitter, strict=False)]


def _figure(
    subject: str,
    rng: np.random.Generator,
    centre: tuple[float, float],
    half: float,
    tilt: float,
    flip: bool,
    figure: int,
    foot: float | None = None,
) -> list[Shape]:
    parts = DRAWINGS[subject](rng)
    stretch = rng.uniform(0.95, 1.05)
    aspect = np.array([stretch, 1 / stretch]) * (-1.0 if flip else 1.0, 1.0)
    parts = [Part(p.name, p.role, turned(p.path * aspect, tilt), p.width) for p in parts]
    left, top, right, bottom = bounds(parts)
    scale = half * 2 / max(right - left, bottom - top)
    middle = np.array([(left + right) / 2, (top + bottom) / 2])
    at = np.array(centre)
    if foot is not None:
        at[1] = foot - scale * (bottom - middle[1])
    return [Shape((p.path - middle) * scale + at, p.role, p.width * scale, figure, p.name) for p in parts]


def _scene(subject: str, rng: np.random.Generator) -> list[Shape]:
    setting = SETTING_OF[subject]
    shapes, foot = SETTINGS[setting](rng)
    half = rng.uniform(0.25, 0.31)
    x = 0.5 + rng.uniform(-0.1, 0.1)
    floating = setting in {"sky", "underwater"} or subject == "rocket"
    tilt = rng.uniform(-8, 8) if floating else rng.uniform(-2, 2)
    if floating:
        foot_or_none, y = None, 0.47 + rng.uniform(-0.04, 0.04)
    else:
        foot_or_none, y = foot, 0.5
    return shapes + _figure(subject, rng, (x, y), half, tilt, bool(rng.random() < 0.5), 0, foot_or_none)
