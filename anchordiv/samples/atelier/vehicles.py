"""The vehicles of the Atelier, drawn as named parts."""
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


def _wheel(name: str, x: float, y: float, radius: float) -> list[Part]:
    return [
        fill(f"{name} tyre", "ink", ellipse(x, y, radius)),
        fill(f"{name} rim", "cream", ellipse(x, y, radius * 0.58)),
        fill(f"{name} hub", "stone", ellipse(x, y, radius * 0.25)),
    ]


def car(rng: np.random.Generator) -> list[Part]:
    """Draw a small car from the side."""
    roof = rng.uniform(-0.06, 0.06)
    return [
        fill("cabin", "main", blob((-0.56, 0.02), (-0.46, -0.3), (-0.26, -0.5 + roof), (0.16, -0.52 + roof),
            (0.4, -0.3), (0.58, 0.02))),
        fill("rear window", "glass", polygon((-0.42, -0.04), (-0.34, -0.28), (-0.22, -0.4 + roof),
            (-0.04, -0.41 + roof), (-0.04, -0.04))),
        fill("front window", "glass", polygon((0.04, -0.04), (0.04, -0.41 + roof), (0.14, -0.41 + roof),
            (0.3, -0.26), (0.42, -0.04))),
        fill("body", "main", blob((-0.94, 0.08), (-0.84, -0.02), (-0.5, -0.06), (0.5, -0.06), (0.84, 0.04),
            (0.96, 0.2), (0.94, 0.42), (0.5, 0.46), (-0.5, 0.46), (-0.94, 0.42))),
        fill("sill", "shade", box(0, 0.41, 0.92, 0.07, 0.06)),
        stroke("door line", "shade", curve((0.0, -0.04), (0.02, 0.2), (0.0, 0.36)), 0.03),
        stroke("handle", "cream", polygon((-0.2, 0.08), (-0.08, 0.08)), 0.04),
        stroke("trim", "light", curve((-0.88, 0.18), (0, 0.19), (0.9, 0.22)), 0.045),
        fill("head lamp", "accent", ellipse(0.88, 0.16, 0.08, 0.09)),
        fill("tail lamp", "accent", box(-0.91, 0.14, 0.05, 0.08, 0.03)),
        *_wheel("rear", -0.52, 0.46, 0.23),
        *_wheel("front", 0.54, 0.46, 0.23),
    ]


def bicycle(rng: np.random.Generator) -> list[Part]:
    """Draw a bicycle from the side."""
    turn = rng.uniform(0, 60)
    parts: list[Part] = []
    for name, x in (("rear", -0.56), ("front", 0.58)):
        spokes = [
            stroke(f"{name} spoke {k}", "stone", turned(polygon((x - 0.34, 0.34),
                (x + 0.34, 0.34)), turn + 45 * k, (x, 0.34)), 0.018)
            for k in range(4)
        ]
        parts += [*spokes, stroke(f"{name} wheel", "ink",
            arc(x, 0.34, 0.37, 0.37, 0, 360, points=40), 0.065), fill(f"{name} hub", "shade", ellipse(x, 0.34, 0.06))]
    return [
        *parts,
        stroke("chain stay", "main", polygon((-0.56, 0.34), (-0.04, 0.34)), 0.075),
        stroke("seat stay", "main", polygon((-0.56, 0.34), (-0.24, -0.28)), 0.075),
        stroke("seat tube", "main", polygon((-0.04, 0.34), (-0.28, -0.42)), 0.075),
        stroke("top tube", "main", polygon((-0.24, -0.28), (0.36, -0.3)), 0.085),
        stroke("down tube", "main", polygon((-0.04, 0.34), (0.38, -0.24)), 0.085),
        stroke("fork", "main", polygon((0.34, -0.42), (0.58, 0.34)), 0.08),
        stroke("handlebar", "ink", curve((0.3, -0.46), (0.36, -0.56), (0.54, -0.58), (0.6, -0.46)), 0.07),
        fill("saddle", "wood", blob((-0.48, -0.5), (-0.3, -0.5), (-0.1, -0.46), (-0.2, -0.4), (-0.4, -0.4))),
        fill("chain wheel", "accent", ellipse(-0.04, 0.34, 0.12)),
        stroke("crank", "ink", turned(polygon((-0.04, 0.14), (-0.04, 0.54)), turn, (-0.04, 0.34)), 0.045),
    ]


def sailboat(rng: np.random.Generator) -> list[Part]:
    """Draw a boat under sail."""
    belly = rng.uniform(-0.03, 0.08)
    return [
        stroke("mast", "wood", polygon((0.02, -0.96), (0.02, 0.5)), 0.06),
        fill("mainsail", "main", curve((0.08, -0.88), (0.4, -0.4), (0.72 + belly, 0.3), (0.4, 0.34), (0.08, 0.34))),
        fill("mainsail band", "light", polygon((0.08, -0.14), (0.52, -0.1), (0.64, 0.12), (0.08, 0.1))),
        fill("jib", "shade", curve((-0.04, -0.84), (-0.3, -0.3), (-0.64 - belly, 0.32), (-0.34, 0.32), (-0.04, 0.28))),
        fill("pennant", "accent", polygon((0.02, -0.98), (-0.26, -0.9), (0.02, -0.82))),
        fill("hull", "wood", blob((-0.9, 0.46), (-0.4, 0.48), (0.4, 0.48), (0.94, 0.42), (0.74, 0.76), (0.4, 0.88),
            (-0.4, 0.88), (-0.7, 0.76))),
        fill("hull stripe", "cream", polygon((-0.84, 0.56), (0.86, 0.54), (0.8, 0.66), (-0.78, 0.67))),
        *[stroke(f"wave {k}", "water", curve((x - 0.2, 0.92), (x - 0.1, 0.86), (x, 0.92), (x + 0.1, 0.86),
            (x + 0.2, 0.92)), 0.05) for k, x in enumerate((-0.62, 0.0, 0.62))],
    ]


def airplane(rng: np.random.Generator) -> list[Part]:
    """Draw an airliner from the side, climbing a little."""
    tilt = rng.uniform(-14, -4)
    windows = [fill(f"window {k}", "glass", ellipse(x, -0.08, 0.045)) for k, x in enumerate(np.linspace(-0.4, 0.44, 7))]
    parts = [
        fill("far wing", "shade", polygon((0.06, -0.14), (-0.2, -0.54), (-0.06, -0.54), (0.36, -0.14))),
        fill("tail fin", "main", polygon((-0.62, -0.12), (-0.96, -0.66), (-0.76, -0.66), (-0.34, -0.16))),
        fill("fuselage", "main", blob((-0.92, -0.08), (-0.5, -0.2), (0.4, -0.22), (0.76, -0.14), (0.95, 0.04),
            (0.74, 0.18), (0.3, 0.22), (-0.4, 0.18), (-0.84, 0.04))),
        fill("belly", "cream", blob((-0.8, 0.04), (-0.3, 0.08), (0.5, 0.1), (0.9, 0.06), (0.72, 0.18), (0.3, 0.21),
            (-0.4, 0.17))),
        *windows,
        fill("cockpit", "ink", polygon((0.62, -0.12), (0.76, -0.1), (0.84, -0.02), (0.64, -0.01))),
        fill("tail plane", "shade", polygon((-0.62, -0.02), (-0.98, 0.16), (-0.8, 0.2), (-0.38, 0.02))),
        fill("engine", "accent", box(-0.04, 0.34, 0.18, 0.085, 0.06)),
        fill("wing", "light", polygon((0.3, 0.1), (-0.38, 0.66), (-0.56, 0.66), (-0.12, 0.1))),
        stroke("flap line", "shade", polygon((0.02, 0.14), (-0.42, 0.62)), 0.03),
    ]
    return [Part(p.name, p.role, turned(p.path, tilt), p.width) for p in parts]


def balloon(rng: np.random.Generator) -> list[Part]:
    """Draw a hot-air balloon with its basket."""
    wave = rng.uniform(-0.04, 0.04)
    gores = [
        fill(f"gore {k}", role, blob((0, -0.94), (a * 0.6, -0.8), (a, -0.36), (a * 0.62, 0.14), (a * 0.2, 0.4),
            (b * 0.2, 0.4), (b * 0.62, 0.14), (b, -0.36), (b * 0.6, -0.8)))
        for k, (role, a, b) in enumerate((("shade", -0.66, 0.66), ("main", -0.5, 0.5), ("light", -0.2, 0.2)))
    ]
    return [
        fill("envelope", "main", blob((0, -0.95), (0.4, -0.86), (0.7, -0.5), (0.68, -0.16), (0.42, 0.18),
            (0.16, 0.42), (-0.16, 0.42), (-0.42, 0.18), (-0.68, -0.16), (-0.7, -0.5), (-0.4, -0.86))),
        *gores,
        fill("band", "accent", blob((-0.7, -0.34), (-0.35, -0.2 + wave), (0, -0.17), (0.35, -0.2 - wave),
            (0.7, -0.34), (0.69, -0.16), (0.36, -0.04), (0, -0.01), (-0.36, -0.04), (-0.69, -0.16))),
        *both_sides("rope", "ink", polygon((-0.15, 0.4), (-0.13, 0.68)), 0.03),
        stroke("middle rope", "ink", polygon((0, 0.42), (0, 0.68)), 0.025),
        fill("flame", "accent", blob((0, 0.42), (0.05, 0.52), (0, 0.58), (-0.05, 0.52))),
        fill("basket", "wood", box(0, 0.8, 0.17, 0.13, 0.04)),
        stroke("basket rim", "cream", polygon((-0.17, 0.7), (0.17, 0.7)), 0.05),
        stroke("weave", "cream", polygon((-0.15, 0.82), (0.15, 0.82)), 0.025),
    ]


def rocket(rng: np.random.Generator) -> list[Part]:
    """Draw a rocket with three fins and fire."""
    fire = rng.uniform(-0.04, 0.08)
    return [
        fill("outer flame", "accent", blob((-0.17, 0.6), (0.17, 0.6), (0.18, 0.76), (0, 1.0 + fire), (-0.18, 0.76))),
        fill("inner flame", "cream", blob((-0.09, 0.6), (0.09, 0.6), (0.09, 0.7), (0, 0.84 + fire), (-0.09, 0.7))),
        *both_sides("fin", "shade", blob((-0.24, 0.1), (-0.5, 0.34), (-0.58, 0.74), (-0.38, 0.6), (-0.2, 0.52))),
        fill("hull", "cream", blob((0, -0.98), (0.2, -0.66), (0.32, -0.24), (0.32, 0.2), (0.2, 0.58), (-0.2, 0.58),
            (-0.32, 0.2), (-0.32, -0.24), (-0.2, -0.66))),
        fill("nose", "main", blob((0, -0.98), (0.12, -0.82), (0.24, -0.54), (0.12, -0.5), (-0.12, -0.5),
            (-0.24, -0.54), (-0.12, -0.82))),
        fill("lower hull", "main", blob((-0.33, 0.06), (0, 0.1), (0.33, 0.06), (0.3, 0.3), (0.19, 0.58),
            (-0.19, 0.58), (-0.3, 0.3))),
        fill("hull shadow", "light", blob((0.2, -0.46), (0.3, -0.2), (0.32, 0.02), (0.22, 0.04), (0.24, -0.2))),
        fill("porthole frame", "shade", ellipse(0, -0.2, 0.18)),
        fill("porthole", "glass", ellipse(0, -0.2, 0.12)),
        stroke("porthole shine", "cream", arc(0, -0.2, 0.07, 0.07, 190, 280, points=8), 0.03),
        fill("middle fin", "shade", blob((0, 0.24), (0.06, 0.44), (0.05, 0.74), (-0.05, 0.74), (-0.06, 0.44))),
    ]


VEHICLES: Mapping[str, Callable[[np.random.Generator], list[Part]]] = {
    "car": car,
    "bicycle": bicycle,
    "sailboat": sailboat,
    "airplane": airplane,
    "hot-air balloon": balloon,
    "rocket": rocket,
}
