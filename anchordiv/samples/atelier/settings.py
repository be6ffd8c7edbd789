"""Settings: what stands behind the figure of a scene, in muted colours."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from anchordiv.samples.atelier.parts import Path, Shape, arc, blob, box, curve, ellipse, polygon

#: The setting each object belongs in.
SETTING_OF: Mapping[str, str] = {
    **dict.fromkeys(("cat", "dog", "rabbit", "snail", "turtle", "mushroom", "flower", "tree", "cactus"), "meadow"),
    **dict.fromkeys(("car", "bicycle", "house"), "meadow"),
    **dict.fromkeys(("sailboat", "lighthouse", "whale"), "sea"),
    "fish": "underwater",
    **dict.fromkeys(("bird", "butterfly", "airplane", "hot-air balloon"), "sky"),
    **dict.fromkeys(("owl", "rocket"), "night"),
    **dict.fromkeys(("apple", "pear", "cherries", "strawberry", "cup", "teapot", "guitar", "lamp"), "table"),
    "key": "table",
    "umbrella": "rain",
}


def _back(name: str, role: str, path: Path) -> Shape:
    return Shape(path, role, 0.0, -1, name, backdrop=True)


def _set(name: str, role: str, path: Path, width: float = 0.0) -> Shape:
    return Shape(path, role, width, -1, name)


def _whole(role: str) -> Shape:
    return _back("sky", role, box(0.5, 0.5, 0.6, 0.6))


def _hill(name: str, role: str, heights: Sequence[float]) -> Shape:
    top = curve(*[(x, y) for x, y in zip(np.linspace(-0.1, 1.1, len(heights)), heights, strict=True)])
    return _back(name, role, np.concatenate([top, [(1.1, 1.1), (-0.1, 1.1)]]))


def _cloud(x: float, y: float, size: float) -> Shape:
    s = size
    outline = blob(
        (x - s, y),
        (x - 0.8 * s, y - 0.34 * s),
        (x - 0.36 * s, y - 0.42 * s),
        (x, y - 0.66 * s),
        (x + 0.42 * s, y - 0.4 * s),
        (x + 0.84 * s, y - 0.32 * s),
        (x + s, y),
        (x + 0.6 * s, y + 0.1 * s),
        (x - 0.6 * s, y + 0.1 * s),
    )
    return _set("cloud", "cloud", outline)


def _meadow(rng: np.random.Generator) -> tuple[list[Shape], float]:
    u = rng.uniform(-0.03, 0.03, 12)
    sun_x = rng.choice([0.18, 0.82]) + u[0]
    foot = 0.84 + u[1]
    tufts = [
        _set("grass", "weed", curve((x, y), (x + lean / 2, y - 0.03), (x + lean, y - 0.055)), 0.012)
        for x, y in rng.uniform((0.03, 0.86), (0.97, 0.97), (7, 2))
        for lean in (-0.018, 0.018)
    ]
    return [
        _whole("sky"),
        _set("sun", "sun", ellipse(sun_x, 0.2 + u[2], 0.085)),
        _cloud(1.0 - sun_x + u[3], 0.2 + u[4], 0.13),
        _cloud(0.5 + u[5] * 3, 0.1 + u[6], 0.085),
        _hill("far hills", "far", (0.66, 0.56 + u[7], 0.62, 0.5 + u[8], 0.6 + u[9], 0.64)),
        _hill("meadow", "ground", (0.74 + u[10], 0.76, 0.72, 0.74, 0.7 + u[11])),
        *tufts,
    ], foot


def _sea(rng: np.random.Generator) -> tuple[list[Shape], float]:
    u = rng.uniform(-0.03, 0.03, 8)
    sun_x = rng.choice([0.2, 0.8]) + u[0]
    waves = [
        _set(
            "wave",
            "cloud",
            curve((x - 0.09, y), (x - 0.045, y - 0.018), (x, y), (x + 0.045, y - 0.018), (x + 0.09, y)),
            0.012,
        )
        for x, y in zip((0.12, 0.42, 0.8, 0.25, 0.66, 0.93), (0.72, 0.93, 0.74, 0.85, 0.87, 0.95), strict=True)
    ]
    gulls = [
        _set(
            "gull",
            "weed",
            np.concatenate(
                [arc(x - 0.03, y, 0.03, 0.022, 180, 350, points=6), arc(x + 0.03, y, 0.03, 0.022, 190, 360, points=6)]
            ),
            0.011,
        )
        for x, y in ((1 - sun_x, 0.2 + u[1]), (1 - sun_x + 0.11, 0.27 + u[2]))
    ]
    return [
        _whole("sky"),
        _set("sun", "sun", ellipse(sun_x, 0.22 + u[3], 0.09)),
        *gulls,
        _hill("sea", "sea", (0.64, 0.64, 0.64)),
        *waves,
    ], 0.83 + u[4]


def _underwater(rng: np.random.Generator) -> tuple[list[Shape], float]:
    u = rng.uniform(-0.03, 0.03, 10)
    weeds = [
        _set(
            "weed",
            "weed",
            curve((x, 1.0), (x + 0.03, 0.9 - h / 3), (x - 0.03, 0.9 - 0.7 * h), (x + 0.02 + lean, 0.9 - h)),
            0.028,
        )
        for x, h, lean in ((0.1, 0.3, u[0]), (0.17, 0.2, u[1]), (0.86, 0.34, u[2]), (0.93, 0.2, u[3]))
    ]
    bubbles = [
        _set("bubble", "cloud", arc(x, y, r, r, 0, 360, points=20), 0.011)
        for x, y, r in zip((0.74, 0.8, 0.76, 0.24), (0.3, 0.2, 0.1, 0.14), (0.032, 0.022, 0.03, 0.02), strict=True)
    ]
    return [
        _whole("sea"),
        *weeds,
        *bubbles,
        _hill("seabed", "seabed", (0.88, 0.85 + u[4], 0.9, 0.86 + u[5], 0.88)),
        _set("pebble", "stone", ellipse(0.3 + u[6], 0.94, 0.05, 0.03)),
        _set("pebble", "stone", ellipse(0.62 + u[7], 0.95, 0.035, 0.024)),
    ], 0.74 + u[8]


def _sky(rng: np.random.Generator) -> tuple[list[Shape], float]:
    u = rng.uniform(-0.03, 0.03, 12)
    sun_x = rng.choice([0.16, 0.84]) + u[0]
    return [
        _whole("sky"),
        _set("sun", "sun", ellipse(sun_x, 0.16 + u[1], 0.08)),
        _cloud(1 - sun_x, 0.2 + u[2], 0.14),
        _cloud(sun_x + u[3], 0.62 + u[4], 0.12),
        _cloud(1 - sun_x + u[5], 0.72 + u[6], 0.11),
        _hill("far hills", "far", (0.9, 0.82 + u[7], 0.9, 0.8 + u[8], 0.88, 0.84)),
        _hill("meadow", "ground", (0.92, 0.95 + u[9], 0.9, 0.94 + u[10], 0.93)),
    ], 0.8 + u[11]


def _night(rng: np.random.Generator) -> tuple[list[Shape], float]:
    u = rng.uniform(-0.03, 0.03, 6)
    moon_x = rng.choice([0.18, 0.8]) + u[0]
    moon = np.concatenate(
        [arc(moon_x, 0.2, 0.1, 0.1, -60, 180, points=24), arc(moon_x - 0.022, 0.162, 0.078, 0.082, 168, -40, points=16)]
    )
    stars = [
        _set("star", "star", _star(x + dx, y + dy, r))
        for (x, y, r), (dx, dy) in zip(
            (
                (0.08, 0.42, 0.03),
                (0.4, 0.09, 0.026),
                (0.6, 0.16, 0.02),
                (0.92, 0.5, 0.03),
                (0.12, 0.66, 0.022),
                (0.88, 0.72, 0.022),
                (0.94, 0.08, 0.024),
                (0.06, 0.07, 0.02),
            ),
            rng.uniform(-0.03, 0.03, (8, 2)),
            strict=True,
        )
    ]
    return [
        _whole("dusk"),
        _set("moon", "star", moon),
        *stars,
        _hill("far hills", "far", (0.88, 0.84 + u[1], 0.9, 0.83 + u[2], 0.88)),
        _hill("meadow", "ground", (0.94, 0.9 + u[3], 0.93, 0.9)),
    ], 0.87 + u[4]


def _star(x: float, y: float, radius: float) -> Path:
    angles = np.radians(np.arange(8) * 45 - 90)
    reach = radius * np.where(np.arange(8) % 2 == 0, 1.0, 0.36)
    return np.stack([x + reach * np.cos(angles), y + reach * np.sin(angles)], axis=1)


def _table(rng: np.random.Generator) -> tuple[list[Shape], float]:
    u = rng.uniform(-0.02, 0.02, 8)
    side = rng.choice([0.22, 0.78]) + u[0]
    w, h = 0.14, 0.19
    window = [
        _set("window frame", "cloud", box(side, 0.27, w + 0.03, h + 0.03)),
        _set("window", "sky", box(side, 0.27, w, h)),
        _set(
            "window hill",
            "far",
            polygon((side - w, 0.46), (side - w, 0.37), (side - 0.03, 0.32), (side + w, 0.4), (side + w, 0.46)),
        ),
        _set("window bar", "cloud", polygon((side, 0.27 - h), (side, 0.27 + h)), 0.02),
        _set("window cross", "cloud", polygon((side - w, 0.25), (side + w, 0.25)), 0.02),
    ]
    edge = 0.68 + u[1]
    cloth_x = 0.5 + u[2]
    return [
        _whole("wall"),
        *window,
        _back("table", "table", polygon((-0.1, edge), (1.1, edge), (1.1, 1.1), (-0.1, 1.1))),
        _set(
            "cloth",
            "cloth",
            polygon(
                (cloth_x - 0.3, edge + 0.05),
                (cloth_x + 0.3, edge + 0.05),
                (cloth_x + 0.38, 0.95),
                (cloth_x - 0.38, 0.95),
            ),
        ),
        _set("cloth hem", "stone", polygon((cloth_x - 0.35, 0.915), (cloth_x + 0.35, 0.915)), 0.012),
    ], 0.87 + u[3]


def _rain(rng: np.random.Generator) -> tuple[list[Shape], float]:
    u = rng.uniform(-0.03, 0.03, 8)
    places = [(x, y) for x in np.linspace(0.06, 0.94, 7) for y in (0.26, 0.42, 0.58, 0.74)]
    drops = [
        _set("rain", "water", polygon((x, y), (x - 0.018, y + 0.06)), 0.012)
        for x, y in np.asarray(places) + rng.uniform(-0.035, 0.035, (len(places), 2))
    ]
    return [
        _whole("sky"),
        _hill("far hills", "far", (0.8, 0.74 + u[0], 0.8, 0.72 + u[1], 0.78)),
        *drops,
        _cloud(0.2 + u[2], 0.17 + u[3], 0.17),
        _cloud(0.56 + u[4], 0.12 + u[5], 0.2),
        _cloud(0.9 + u[6], 0.18, 0.15),
        _hill("meadow", "ground", (0.88, 0.87, 0.89, 0.87)),
        _set("puddle", "sea", ellipse(0.5 + u[7] * 3, 0.94, 0.2, 0.03)),
    ], 0.9 + u[2] / 2


#: Draws a setting: its shapes back to front, and the height at which a figure stands.
SETTINGS: Mapping[str, Callable[[np.random.Generator], tuple[list[Shape], float]]] = {
    "meadow": _meadow,
    "sea": _sea,
    "underwater": _underwater,
    "sky": _sky,
    "night": _night,
    "table": _table,
    "rain": _rain,
}
