"""Fruit and plants of the Atelier, drawn as named parts."""
# Points read as rows; one a line would make every outline a page.
# fmt: off

from collections.abc import Callable, Mapping

import numpy as np

from anchordiv.samples.atelier.parts import (
    Part,
    Path,
    Point,
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


def apple(rng: np.random.Generator) -> list[Part]:
    """Draw an apple with a leaf."""
    lean = rng.uniform(-0.08, 0.08)
    return [
        fill("flesh", "main", blob((0, -0.42), (0.3, -0.56), (0.66, -0.44), (0.8, -0.06), (0.66, 0.46),
            (0.34, 0.84), (0, 0.78), (-0.34, 0.84), (-0.66, 0.46), (-0.8, -0.06), (-0.66, -0.44), (-0.3, -0.56))),
        fill("shadow side", "shade", blob((0.66, -0.42), (0.8, -0.06), (0.66, 0.46), (0.34, 0.84), (0.1, 0.79),
            (0.42, 0.5), (0.58, 0.1))),
        fill("shine", "light", ellipse(-0.42, -0.14, 0.12, 0.24, 20)),
        fill("hollow", "shade", ellipse(0, -0.43, 0.2, 0.06)),
        stroke("stem", "wood", curve((0, -0.42), (0.02 + lean, -0.66), (0.1 + lean, -0.92)), 0.09),
        fill("leaf", "leaf", blob((0.06, -0.62), (0.2, -0.86), (0.52, -0.94), (0.46, -0.7), (0.24, -0.58))),
        stroke("leaf vein", "cream", curve((0.1, -0.64), (0.26, -0.76), (0.42, -0.86)), 0.025),
    ]


def pear(rng: np.random.Generator) -> list[Part]:
    """Draw a pear with a leaf."""
    lean = rng.uniform(-0.06, 0.06)
    dots = [fill(f"freckle {k}", "shade", ellipse(x, y, 0.025)) for k, (x, y) in enumerate(rng.uniform((-0.2, 0.1),
        (0.2, 0.7), (5, 2)))]
    return [
        fill("flesh", "main", blob((0, -0.66), (0.2, -0.58), (0.28, -0.26), (0.52, 0.12), (0.6, 0.5), (0.36, 0.84),
            (0, 0.9), (-0.36, 0.84), (-0.6, 0.5), (-0.52, 0.12), (-0.28, -0.26), (-0.2, -0.58))),
        fill("shadow side", "shade", blob((0.24, -0.4), (0.3, -0.22), (0.52, 0.12), (0.6, 0.5), (0.36, 0.84),
            (0.08, 0.89), (0.34, 0.6), (0.36, 0.2))),
        fill("shine", "light", ellipse(-0.3, 0.24, 0.1, 0.24, 14)),
        *dots,
        stroke("stem", "wood", curve((0, -0.64), (0.01 + lean, -0.8), (0.08 + lean, -0.96)), 0.08),
        fill("leaf", "leaf", blob((0.04, -0.72), (-0.16, -0.94), (-0.46, -0.94), (-0.38, -0.74), (-0.18, -0.64))),
        stroke("leaf vein", "cream", curve((0.0, -0.73), (-0.18, -0.8), (-0.36, -0.88)), 0.022),
    ]


def cherries(rng: np.random.Generator) -> list[Part]:
    """Draw two cherries on one stem."""
    dx = rng.uniform(-0.05, 0.05)
    parts = [
        stroke("left stem", "leaf", curve((0.1, -0.84), (-0.2, -0.4), (-0.42, 0.1)), 0.06),
        stroke("right stem", "leaf", curve((0.1, -0.84), (0.36, -0.36), (0.44 + dx, 0.2)), 0.06),
        fill("leaf", "leaf", blob((0.1, -0.84), (0.36, -0.98), (0.78, -0.84), (0.92, -0.6), (0.56, -0.56),
            (0.28, -0.64))),
        stroke("leaf vein", "cream", curve((0.16, -0.82), (0.5, -0.76), (0.8, -0.64)), 0.025),
    ]
    for side, x, y in (("left", -0.46, 0.42), ("right", 0.44 + dx, 0.54)):
        parts += [
            fill(f"{side} cherry", "main", ellipse(x, y, 0.41, 0.39)),
            fill(f"{side} shadow", "shade", blob((x + 0.3, y - 0.2), (x + 0.41, y), (x + 0.28, y + 0.28),
                (x, y + 0.385), (x - 0.16, y + 0.34), (x + 0.12, y + 0.22))),
            fill(f"{side} shine", "light", ellipse(x - 0.18, y - 0.12, 0.07, 0.13, 35)),
            fill(f"{side} hollow", "shade", ellipse(x, y - 0.31, 0.11, 0.04)),
        ]
    return parts


def strawberry(rng: np.random.Generator) -> list[Part]:
    """Draw a strawberry with seeds and a crown."""
    rows = ((-0.2, 4), (0.06, 3), (0.3, 4), (0.54, 3), (0.74, 1))
    seeds = []
    for row, (y, count) in enumerate(rows):
        half = 0.5 * np.cos((y + 0.2) * 1.05) - 0.02
        for k, x in enumerate(np.linspace(-half, half, count) if count > 1 else [0.0]):
            jitter = rng.uniform(-0.02, 0.02, 2)
            seeds.append(fill(f"seed {row}{k}", "cream", ellipse(x + jitter[0], y + jitter[1], 0.032, 0.055)))
    crown = [
        fill(f"sepal {k}", "leaf", turned(blob((0, -0.5), (0.13, -0.3), (0, 0.02), (-0.13, -0.3)), angle, (0, -0.52)))
        for k, angle in enumerate((-84, 84, -46, 46, 0))
    ]
    return [
        fill("berry", "main", blob((0, -0.52), (0.4, -0.6), (0.72, -0.36), (0.7, 0.06), (0.42, 0.58), (0, 0.94),
            (-0.42, 0.58), (-0.7, 0.06), (-0.72, -0.36), (-0.4, -0.6))),
        fill("shadow side", "shade", blob((0.66, -0.48), (0.75, -0.2), (0.6, 0.28), (0.3, 0.72), (0.04, 0.92),
            (0.34, 0.4), (0.56, 0.0))),
        *seeds,
        stroke("stem", "leaf", curve((0, -0.52), (0.02, -0.76), (0.12, -0.94)), 0.09),
        *crown,
    ]


def mushroom(rng: np.random.Generator) -> list[Part]:
    """Draw a toadstool with a spotted cap."""
    wobble = rng.uniform(-0.04, 0.04, (5, 2))
    spots = [
        fill(f"spot {k}", "cream", ellipse(x + dx, y + dy, rx, ry))
        for k, ((x, y, rx, ry), (dx, dy)) in enumerate(
            zip(((-0.5, -0.2, 0.13, 0.11), (-0.12, -0.5, 0.14, 0.11), (0.32, -0.4, 0.12, 0.1),
                (0.06, -0.12, 0.13, 0.1), (0.56, -0.1, 0.1, 0.09)), wobble, strict=True)
        )
    ]
    return [
        fill("stalk", "cream", blob((-0.22, 0.0), (0.22, 0.0), (0.24, 0.4), (0.34, 0.8), (0.2, 0.9), (-0.2, 0.9),
            (-0.34, 0.8), (-0.24, 0.4))),
        fill("stalk shadow", "stone", blob((0.12, 0.1), (0.22, 0.1), (0.25, 0.44), (0.33, 0.8), (0.2, 0.89),
            (0.08, 0.88), (0.14, 0.5))),
        fill("gills", "stone", ellipse(0, 0.12, 0.66, 0.13)),
        *[stroke(f"gill {k}", "wood", polygon((x * 0.4, 0.05),
            (x, 0.19)), 0.02) for k, x in enumerate(np.linspace(-0.48, 0.48, 7))],
        fill("cap", "main", blob((-0.86, 0.12), (-0.78, -0.26), (-0.44, -0.66), (0, -0.8), (0.44, -0.66),
            (0.78, -0.26), (0.86, 0.12), (0.5, 0.08), (0, 0.05), (-0.5, 0.08))),
        fill("cap shadow", "shade", blob((0.5, -0.6), (0.78, -0.26), (0.86, 0.12), (0.5, 0.08), (0.3, 0.06),
            (0.62, -0.14))),
        *spots,
        stroke("ring", "stone", curve((-0.25, 0.4), (0, 0.47), (0.25, 0.4)), 0.08),
        *[stroke(f"grass {k}", "leaf", curve((x, 0.92), (x + lean / 2, 0.76),
            (x + lean, 0.62)), 0.06) for k, (x, lean) in enumerate(((-0.52, -0.1), (-0.42, 0.06), (0.46, 0.1),
            (0.56, -0.05)))],
    ]


def flower(rng: np.random.Generator) -> list[Part]:
    """Draw a daisy-like flower with two leaves."""
    count = int(rng.integers(7, 10))
    petal = blob((0, -0.12), (0.15, -0.34), (0.13, -0.6), (0, -0.7), (-0.13, -0.6), (-0.15, -0.34))
    centre = np.array([0.0, -0.28])
    petals = [
        fill(f"petal {k}", "light" if k % 2 else "main", turned(petal * (8.2 / count, 0.9), 360 * k / count) + centre)
        for k in range(count)
    ]
    ribs = [
        stroke(f"petal rib {k}", "shade", turned(polygon((0, -0.24), (0, -0.44)), 360 * k / count) + centre, 0.025)
        for k in range(count)
    ]
    return [
        stroke("stem", "leaf", curve((0, -0.1), (0.05, 0.4), (0, 0.96)), 0.08),
        fill("left leaf", "leaf", blob((0.02, 0.78), (-0.2, 0.72), (-0.52, 0.4), (-0.4, 0.38), (-0.1, 0.5))),
        fill("right leaf", "leaf", blob((0.02, 0.86), (0.2, 0.56), (0.46, 0.48), (0.56, 0.5), (0.34, 0.74))),
        *petals,
        *ribs,
        fill("heart", "accent", ellipse(0, -0.28, 0.19)),
        *[fill(f"stamen {k}", "wood", ellipse(0.09 * np.cos(a), -0.28 + 0.09 * np.sin(a), 0.028))
            for k, a in enumerate(np.linspace(0, 5.2, 6))],
    ]


def tree(rng: np.random.Generator) -> list[Part]:
    """Draw a broad tree with a scalloped crown and fruit."""
    lobes = int(rng.integers(9, 12))
    turn = rng.uniform(0, 2 * np.pi)
    spots = np.array([(-0.5, -0.12), (-0.2, -0.62), (0.16, -0.18), (0.5, -0.46), (0.56, 0.02), (-0.1, 0.1)])
    clumps = ((-0.34, -0.36, 0.2), (0.2, -0.5, 0.22), (-0.16, -0.1, 0.17), (0.4, -0.16, 0.18))
    return [
        fill("trunk", "wood", blob((-0.12, 0.1), (0.12, 0.1), (0.12, 0.6), (0.28, 0.94), (0, 0.88), (-0.28, 0.94),
            (-0.12, 0.6))),
        fill("crown", "main", _scallops((0, -0.26), (0.86, 0.68), lobes, turn, 1.0)),
        fill("lower leaves", "shade", blob((-0.72, -0.06), (-0.4, 0.1), (0.0, 0.02), (0.4, 0.12), (0.74, -0.06),
            (0.66, 0.18), (0.3, 0.32), (-0.3, 0.32), (-0.64, 0.18))),
        fill("sunlit leaves", "light", _scallops((-0.3, -0.5), (0.34, 0.24), 7, turn, 1.0)),
        *[stroke(f"clump {k}", "shade",
            arc(x, y, r, r * 0.7, 20, 160, points=10), 0.04) for k, (x, y, r) in enumerate(clumps)],
        *[fill(f"fruit {k}", "accent",
            ellipse(x, y, 0.07)) for k, (x, y) in enumerate(spots + rng.uniform(-0.04, 0.04, (6, 2)))],
        stroke("bough", "wood", curve((0.02, 0.5), (0.12, 0.36), (0.22, 0.28)), 0.07),
    ]


def _scallops(middle: Point, reach: Point, lobes: int, turn: float, depth: float) -> Path:
    angle = np.linspace(0, 2 * np.pi, lobes * 7, endpoint=False)
    radius = 0.86 + 0.14 * depth * np.abs(np.sin(lobes * (angle + turn) / 2))
    return np.stack([middle[0] + reach[0] * radius * np.cos(angle), middle[1] + reach[1] * radius * np.sin(angle)],
        axis=1)


def cactus(rng: np.random.Generator) -> list[Part]:
    """Draw a cactus with two arms in a pot."""
    lift = rng.uniform(-0.1, 0.1)
    ribs = [stroke(f"rib {k}", "shade", curve((x, -0.66 + abs(x)), (x * 1.1, -0.1),
        (x, 0.36)), 0.03) for k, x in enumerate((-0.1, 0.0, 0.1))]
    spines = [
        stroke(f"spine {k}", "cream", polygon((x - 0.03, y - 0.03), (x + 0.03, y + 0.03)), 0.025)
        for k, (x, y) in enumerate(((-0.05, -0.5), (0.05, -0.3), (-0.05, -0.1), (0.05, 0.1), (-0.05, 0.26)))
    ]
    return [
        stroke("left arm", "main", curve((-0.1, 0.12), (-0.42, 0.12), (-0.52, -0.02), (-0.53, -0.34 + lift)), 0.24),
        stroke("right arm", "main", curve((0.1, -0.02), (0.4, -0.02), (0.5, -0.14), (0.51, -0.48 - lift)), 0.24),
        fill("column", "main", blob((0, -0.88), (0.2, -0.76), (0.25, -0.3), (0.25, 0.2), (0.22, 0.46),
            (-0.22, 0.46), (-0.25, 0.2), (-0.25, -0.3), (-0.2, -0.76))),
        fill("shadow side", "shade", blob((0.14, -0.74), (0.22, -0.6), (0.25, -0.2), (0.24, 0.4), (0.15, 0.4),
            (0.17, -0.2))),
        *ribs,
        *spines,
        fill("blossom left petal", "accent", blob((0, -0.84), (-0.18, -0.9), (-0.16, -1.0), (0, -0.94))),
        fill("blossom right petal", "accent", blob((0, -0.84), (0.18, -0.9), (0.16, -1.0), (0, -0.94))),
        fill("blossom", "cream", ellipse(0, -0.9, 0.07)),
        fill("pot", "wood", polygon((-0.36, 0.5), (0.36, 0.5), (0.27, 0.94), (-0.27, 0.94))),
        fill("pot rim", "accent", box(0, 0.47, 0.42, 0.09, 0.03)),
        *both_sides("pot mark", "cream", polygon((-0.2, 0.66), (-0.1, 0.74), (-0.18, 0.82), (-0.24, 0.74))),
    ]


GARDEN: Mapping[str, Callable[[np.random.Generator], list[Part]]] = {
    "apple": apple,
    "pear": pear,
    "cherries": cherries,
    "strawberry": strawberry,
    "mushroom": mushroom,
    "flower": flower,
    "tree": tree,
    "cactus": cactus,
}
