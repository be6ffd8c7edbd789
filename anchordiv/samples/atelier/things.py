"""Buildings and household things of the Atelier, drawn as named parts."""
# Points read as rows; one a line would make every outline a page.
# fmt: off

from collections.abc import Callable, Mapping

import numpy as np

from anchordiv.samples.atelier.parts import (
    Part,
    arc,
    blob,
    both_sides,
    box,
    curve,
    ellipse,
    fill,
    polygon,
    stroke,
    turned,
)


def house(rng: np.random.Generator) -> list[Part]:
    """Draw a house with a roof, a chimney, a door and two windows."""
    side = 1.0 if rng.random() < 0.5 else -1.0
    tiles = [stroke(f"tile row {k}", "shade", polygon((-w, y),
        (w, y)), 0.03) for k, (y, w) in enumerate(((-0.5, 0.34), (-0.32, 0.54), (-0.14, 0.74)))]
    windows: list[Part] = []
    for k, x in enumerate((-0.42, 0.42)):
        windows += [
            fill(f"window {k}", "glass", box(x, 0.36, 0.15, 0.17)),
            stroke(f"window bar {k}", "cream", polygon((x, 0.19), (x, 0.53)), 0.035),
            stroke(f"window cross {k}", "cream", polygon((x - 0.15, 0.36), (x + 0.15, 0.36)), 0.035),
            stroke(f"window sill {k}", "wood", polygon((x - 0.19, 0.55), (x + 0.19, 0.55)), 0.05),
        ]
    return [
        fill("chimney", "shade", box(0.44 * side, -0.6, 0.1, 0.28)),
        stroke("chimney cap", "wood", polygon((0.44 * side - 0.14, -0.88), (0.44 * side + 0.14, -0.88)), 0.07),
        fill("wall", "light", box(0, 0.4, 0.7, 0.52)),
        fill("roof", "main", polygon((0, -0.84), (0.94, 0.02), (-0.94, 0.02))),
        *tiles,
        fill("eaves", "shade", polygon((-0.94, 0.02), (0.94, 0.02), (0.86, 0.1), (-0.86, 0.1))),
        fill("attic window", "accent", ellipse(0, -0.3, 0.13)),
        fill("door", "wood", curve((-0.17, 0.92), (-0.17, 0.42), (-0.1, 0.28), (0.1, 0.28), (0.17, 0.42),
            (0.17, 0.92), steps=3)),
        fill("door knob", "accent", ellipse(0.1, 0.62, 0.035)),
        *windows,
        fill("step", "stone", box(0, 0.93, 0.26, 0.05)),
    ]


def lighthouse(rng: np.random.Generator) -> list[Part]:
    """Draw a striped lighthouse on a rock."""
    j = rng.uniform(-0.05, 0.05, 3)
    bands = []
    for k, y in enumerate((-0.4, 0.0, 0.4)):
        low = y + 0.22
        upper, lower = (0.2 + 0.1 * (h + 0.42) / 1.14 for h in (y, low))  # half the tower's width at a height
        bands.append(fill(f"band {k}", "main", polygon((-upper, y), (upper, y), (lower, low), (-lower, low))))
    return [
        *both_sides("beam", "glow", polygon((-0.1, -0.62), (-0.96, -0.84), (-0.96, -0.42))),
        fill("rock", "stone", blob((-0.76, 0.94), (-0.6, 0.72 + j[0]), (-0.3, 0.62), (0.1, 0.66 + j[1]),
            (0.46, 0.62), (0.66, 0.76 + j[2]), (0.78, 0.94), (0, 0.98))),
        fill("tower", "cream", polygon((-0.2, -0.42), (0.2, -0.42), (0.31, 0.72), (-0.31, 0.72))),
        *bands,
        fill("tower shadow", "shade", polygon((0.13, -0.4), (0.2, -0.4), (0.3, 0.62), (0.19, 0.62))),
        fill("gallery", "ink", box(0, -0.44, 0.3, 0.045)),
        fill("lamp room", "glow", box(0, -0.61, 0.15, 0.14)),
        stroke("lamp bar", "ink", polygon((0, -0.74), (0, -0.48)), 0.03),
        *both_sides("lamp post", "ink", polygon((-0.15, -0.74), (-0.15, -0.48)), 0.03),
        fill("dome", "main", blob((-0.23, -0.74), (-0.12, -0.9), (0, -0.96), (0.12, -0.9), (0.23, -0.74), (0, -0.73))),
        fill("window", "ink", box(0, -0.1, 0.045, 0.075, 0.03)),
        fill("door", "wood", curve((-0.09, 0.7), (-0.09, 0.5), (0, 0.42), (0.09, 0.5), (0.09, 0.7), steps=3)),
    ]


def cup(rng: np.random.Generator) -> list[Part]:
    """Draw a steaming cup on a saucer."""
    waft = rng.uniform(-0.06, 0.06)
    steam = [
        stroke(f"steam {k}", "stone", curve((x, -0.46), (x + 0.1 + waft, -0.6), (x - 0.06, -0.76),
            (x + 0.04 + waft, -0.94)), 0.05)
        for k, x in enumerate((-0.3, -0.06, 0.18))
    ]
    return [
        *steam,
        fill("saucer", "light", ellipse(-0.04, 0.72, 0.82, 0.15)),
        fill("saucer well", "shade", ellipse(-0.04, 0.71, 0.46, 0.08)),
        stroke("handle", "main", curve((0.5, -0.1), (0.78, -0.14), (0.9, 0.1), (0.74, 0.32), (0.42, 0.4)), 0.12),
        fill("bowl", "main", blob((-0.62, -0.28), (-0.06, -0.2), (0.52, -0.28), (0.5, 0.14), (0.36, 0.54),
            (0.1, 0.7), (-0.2, 0.7), (-0.46, 0.54), (-0.6, 0.14))),
        fill("shadow side", "shade", blob((0.3, -0.24), (0.52, -0.26), (0.5, 0.14), (0.36, 0.54), (0.1, 0.69),
            (-0.02, 0.68), (0.24, 0.4), (0.34, 0.1))),
        fill("rim", "light", ellipse(-0.05, -0.28, 0.58, 0.14)),
        fill("coffee", "wood", ellipse(-0.05, -0.26, 0.49, 0.1)),
        fill("heart", "accent", blob((-0.2, 0.34), (-0.36, 0.16), (-0.3, 0.04), (-0.2, 0.1), (-0.1, 0.04),
            (-0.04, 0.16))),
    ]


def teapot(rng: np.random.Generator) -> list[Part]:
    """Draw a round teapot with a spout and a lid."""
    petals = [fill(f"painted petal {k}", "cream",
        turned(ellipse(-0.02, 0.12, 0.065, 0.11), 72 * k, (-0.02, 0.24))) for k in range(5)]
    lift = rng.uniform(-0.04, 0.04)
    return [
        stroke("handle", "shade", curve((-0.46, -0.22), (-0.84, -0.32), (-0.94, 0.06), (-0.74, 0.4),
            (-0.5, 0.46)), 0.12),
        fill("spout", "shade", blob((0.44, 0.44), (0.7, 0.2), (0.74, -0.08), (0.92, -0.32 + lift),
            (1.0, -0.24 + lift), (0.9, 0.02), (0.86, 0.32), (0.6, 0.6))),
        fill("foot", "shade", box(-0.02, 0.8, 0.36, 0.07, 0.04)),
        fill("belly", "main", blob((-0.02, -0.4), (0.4, -0.32), (0.62, 0.0), (0.64, 0.34), (0.46, 0.68),
            (0.2, 0.8), (-0.24, 0.8), (-0.5, 0.68), (-0.68, 0.34), (-0.66, 0.0), (-0.44, -0.32))),
        fill("shadow side", "shade", blob((0.48, -0.22), (0.62, 0.04), (0.63, 0.36), (0.46, 0.68), (0.2, 0.79),
            (0.06, 0.79), (0.36, 0.54), (0.46, 0.2))),
        fill("shine", "light", ellipse(-0.44, 0.02, 0.08, 0.2, 20)),
        *petals,
        fill("flower heart", "accent", ellipse(-0.02, 0.24, 0.075)),
        fill("lid", "light", blob((-0.42, -0.34), (-0.3, -0.54), (-0.02, -0.62), (0.26, -0.54), (0.38, -0.34),
            (0, -0.28))),
        stroke("lid seam", "shade", curve((-0.42, -0.33), (-0.02, -0.27), (0.38, -0.33)), 0.04),
        fill("knob", "accent", ellipse(-0.02, -0.7, 0.1)),
    ]


def umbrella(rng: np.random.Generator) -> list[Part]:
    """Draw an open umbrella with a crooked handle."""
    hook = rng.uniform(-0.04, 0.06)
    scallop = ((-0.92, 0.1), (-0.76, 0.02), (-0.56, 0.0), (-0.4, 0.04), (-0.31, 0.1), (-0.2, 0.03), (0.0, 0.0),
        (0.2, 0.03), (0.31, 0.1), (0.4, 0.04), (0.56, 0.0), (0.76, 0.02), (0.92, 0.1))
    dome = ((0.86, -0.2), (0.64, -0.56), (0.34, -0.76), (0, -0.84), (-0.34, -0.76), (-0.64, -0.56), (-0.86, -0.2))
    return [
        stroke("tip", "ink", polygon((0, -0.98), (0, -0.8)), 0.06),
        stroke("shaft", "wood", polygon((0, -0.1), (0, 0.66)), 0.065),
        stroke("crook", "accent", curve((0, 0.62), (0.0, 0.8), (0.14, 0.94), (0.28 + hook, 0.84),
            (0.3 + hook, 0.7)), 0.1),
        fill("canopy", "main", np.concatenate([curve(*scallop), curve(*dome)])),
        fill("left panel", "shade", blob((0, -0.84), (-0.34, -0.72), (-0.7, -0.3), (-0.9, 0.08), (-0.62, 0.0),
            (-0.33, 0.08), (-0.26, -0.36))),
        fill("right panel", "shade", blob((0, -0.84), (0.34, -0.72), (0.7, -0.3), (0.9, 0.08), (0.62, 0.0),
            (0.33, 0.08), (0.26, -0.36))),
        fill("middle panel", "light", blob((0, -0.84), (0.22, -0.36), (0.3, 0.06), (0.16, 0.02), (0, 0.0),
            (-0.16, 0.02), (-0.3, 0.06), (-0.22, -0.36))),
    ]


def guitar(rng: np.random.Generator) -> list[Part]:
    """Draw an acoustic guitar, leaning."""
    tilt = rng.uniform(18, 34)
    frets = [stroke(f"fret {k}", "cream", polygon((-0.06, y),
        (0.06, y)), 0.02) for k, y in enumerate(np.linspace(-0.62, -0.16, 6))]
    pegs = [fill(f"peg {side}{k}", "accent",
        ellipse(side * 0.14, y, 0.04)) for side in (-1, 1) for k, y in enumerate((-0.92, -0.84, -0.76))]
    strings = [stroke(f"string {k}", "cream", polygon((x * 0.8, -0.74),
        (x, 0.66)), 0.012) for k, x in enumerate((-0.04, 0.0, 0.04))]
    parts = [
        *pegs,
        fill("head", "ink", polygon((-0.1, -0.98), (0.1, -0.98), (0.08, -0.7), (-0.08, -0.7))),
        fill("body", "main", blob((0, -0.06), (0.26, -0.06), (0.36, 0.14), (0.27, 0.34), (0.42, 0.54), (0.42, 0.8),
            (0.2, 0.97), (-0.2, 0.97), (-0.42, 0.8), (-0.42, 0.54), (-0.27, 0.34), (-0.36, 0.14), (-0.26, -0.06))),
        fill("top", "light", blob((0, 0.0), (0.22, 0.0), (0.29, 0.14), (0.2, 0.34), (0.35, 0.56), (0.35, 0.78),
            (0.17, 0.91), (-0.17, 0.91), (-0.35, 0.78), (-0.35, 0.56), (-0.2, 0.34), (-0.29, 0.14), (-0.22, 0.0))),
        fill("rosette", "shade", ellipse(0, 0.34, 0.19)),
        fill("sound hole", "ink", ellipse(0, 0.34, 0.13)),
        fill("neck", "wood", polygon((-0.07, -0.72), (0.07, -0.72), (0.08, 0.26), (-0.08, 0.26))),
        *frets,
        fill("bridge", "ink", box(0, 0.68, 0.18, 0.045, 0.02)),
        *strings,
    ]
    return [Part(p.name, p.role, turned(p.path, tilt), p.width) for p in parts]


def lamp(rng: np.random.Generator) -> list[Part]:
    """Draw a table lamp that shines."""
    flare = rng.uniform(-0.05, 0.05)
    return [
        fill("light cone", "glow", polygon((-0.46, -0.04), (0.46, -0.04), (0.86, 0.86), (-0.86, 0.86))),
        fill("base", "shade", blob((-0.36, 0.9), (-0.3, 0.78), (0, 0.74), (0.3, 0.78), (0.36, 0.9), (0, 0.92))),
        fill("vase", "main", blob((-0.08, 0.02), (0.08, 0.02), (0.12, 0.16), (0.27, 0.4), (0.2, 0.68), (0.1, 0.8),
            (-0.1, 0.8), (-0.2, 0.68), (-0.27, 0.4), (-0.12, 0.16))),
        fill("vase shine", "light", ellipse(-0.12, 0.44, 0.05, 0.14)),
        stroke("vase ring", "accent", curve((-0.23, 0.56), (0, 0.6), (0.23, 0.56)), 0.06),
        stroke("pull chain", "ink", polygon((0.3, -0.06), (0.3, 0.2)), 0.025),
        fill("pull", "accent", ellipse(0.3, 0.23, 0.045)),
        fill("shade", "main", polygon((-0.32, -0.86), (0.32, -0.86), (0.66 + flare, -0.02), (-0.66 - flare, -0.02))),
        fill("shade panel", "light", polygon((-0.12, -0.86), (0.12, -0.86), (0.24, -0.02), (-0.24, -0.02))),
        fill("shade hem", "shade", polygon((-0.62 - flare, -0.1), (0.62 + flare, -0.1), (0.66 + flare, 0.0),
            (-0.66 - flare, 0.0))),
        fill("shade top", "shade", polygon((-0.33, -0.88), (0.33, -0.88), (0.35, -0.8), (-0.35, -0.8))),
    ]


def key(rng: np.random.Generator) -> list[Part]:
    """Draw an old key with a bow of three rings."""
    tilt = rng.uniform(-60, -20)
    parts = [
        fill("shaft", "main", box(0.26, 0, 0.66, 0.075, 0.05)),
        fill("first tooth", "main", box(0.8, 0.17, 0.075, 0.17, 0.02)),
        fill("second tooth", "main", box(0.56, 0.14, 0.065, 0.13, 0.02)),
        fill("shaft shine", "light", box(0.3, -0.03, 0.54, 0.018)),
        fill("collar", "shade", box(-0.24, 0, 0.06, 0.15, 0.03)),
        fill("second collar", "shade", box(-0.08, 0, 0.035, 0.12, 0.02)),
        stroke("bow", "main", arc(-0.6, 0, 0.31, 0.31, 0, 360, points=40), 0.15),
        *[stroke(f"ring {k}", "shade",
            arc(x, y, 0.12, 0.12, 0, 360, points=24), 0.055) for k, (x, y) in enumerate(((-0.7, -0.11),
            (-0.7, 0.11), (-0.5, 0.0)))],
        fill("jewel", "accent", ellipse(-0.92, 0, 0.075)),
    ]
    return [Part(p.name, p.role, turned(p.path, tilt), p.width) for p in parts]


THINGS: Mapping[str, Callable[[np.random.Generator], list[Part]]] = {
    "house": house,
    "lighthouse": lighthouse,
    "cup": cup,
    "teapot": teapot,
    "umbrella": umbrella,
    "guitar": guitar,
    "lamp": lamp,
    "key": key,
}
