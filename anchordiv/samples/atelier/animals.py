"""The animals of the Atelier, drawn as named parts."""
# Points read as rows; one a line would make every outline a page.
# fmt: off

from collections.abc import Callable, Mapping

import numpy as np

from anchordiv.samples.atelier.parts import (
    Part,
    arc,
    blob,
    both_sides,
    curve,
    ellipse,
    fill,
    polygon,
    stroke,
)


def cat(rng: np.random.Generator) -> list[Part]:
    """Draw a cat that sits and looks at us."""
    lift = rng.uniform(-0.2, 0.15)
    return [
        stroke("tail", "shade", curve((0.3, 0.78), (0.74, 0.74), (0.84, 0.36), (0.7, 0.1 + lift)), 0.17),
        fill("body", "main", blob((0, -0.15), (0.32, 0.08), (0.47, 0.5), (0.42, 0.88), (0, 0.93), (-0.42, 0.88),
            (-0.47, 0.5), (-0.32, 0.08))),
        fill("chest", "light", blob((0, 0.0), (0.17, 0.2), (0.14, 0.5), (0, 0.62), (-0.14, 0.5), (-0.17, 0.2))),
        *both_sides("paw", "light", ellipse(-0.17, 0.85, 0.16, 0.1)),
        stroke("leg line", "shade", curve((0, 0.62), (0, 0.84)), 0.04),
        *both_sides("ear", "main", polygon((-0.47, -0.4), (-0.46, -0.97), (-0.08, -0.68))),
        *both_sides("inner ear", "accent", polygon((-0.4, -0.52), (-0.39, -0.82), (-0.2, -0.66))),
        fill("head", "main", ellipse(0, -0.36, 0.5, 0.38)),
        *both_sides("cheek stripe", "shade", polygon((-0.49, -0.36), (-0.3, -0.28), (-0.47, -0.26))),
        fill("forehead stripe", "shade", polygon((-0.05, -0.74), (0.05, -0.74), (0, -0.54))),
        *both_sides("brow stripe", "shade", polygon((-0.2, -0.7), (-0.11, -0.73), (-0.1, -0.57))),
        *both_sides("muzzle", "cream", ellipse(-0.1, -0.2, 0.13, 0.1)),
        *both_sides("eye", "ink", ellipse(-0.21, -0.42, 0.075, 0.095)),
        *both_sides("glint", "cream", ellipse(-0.19, -0.455, 0.025)),
        fill("nose", "accent", polygon((-0.06, -0.29), (0.06, -0.29), (0, -0.22))),
        *both_sides("upper whisker", "ink", curve((-0.2, -0.2), (-0.44, -0.22), (-0.66, -0.27)), 0.022),
        *both_sides("lower whisker", "ink", curve((-0.2, -0.16), (-0.42, -0.13), (-0.62, -0.1)), 0.022),
    ]


def dog(rng: np.random.Generator) -> list[Part]:
    """Draw a dog from the side, tail up."""
    wag = rng.uniform(-0.1, 0.12)
    return [
        stroke("tail", "main", curve((-0.66, 0.02), (-0.86, -0.18), (-0.88 + wag, -0.48)), 0.13),
        fill("far hind leg", "shade", polygon((-0.44, 0.2), (-0.24, 0.2), (-0.28, 0.88), (-0.44, 0.88))),
        fill("far fore leg", "shade", polygon((0.12, 0.2), (0.32, 0.2), (0.3, 0.88), (0.14, 0.88))),
        fill("hind leg", "main", blob((-0.68, 0.0), (-0.42, 0.1), (-0.48, 0.5), (-0.46, 0.9), (-0.66, 0.9),
            (-0.64, 0.5), (-0.74, 0.3))),
        fill("fore leg", "main", blob((0.26, 0.1), (0.5, 0.1), (0.46, 0.5), (0.48, 0.9), (0.28, 0.9), (0.3, 0.5))),
        fill(
            "body",
            "main",
            blob((-0.7, 0.0), (-0.4, -0.12), (0.1, -0.1), (0.42, -0.22), (0.54, 0.1), (0.38, 0.34), (0, 0.3),
                (-0.4, 0.34), (-0.68, 0.26)),
        ),
        fill("belly", "light", blob((-0.34, 0.26), (0, 0.2), (0.3, 0.24), (0.1, 0.31), (-0.2, 0.32))),
        fill("back patch", "shade", blob((-0.42, -0.1), (-0.16, -0.11), (0.02, -0.08), (-0.06, 0.08), (-0.32, 0.1))),
        fill("neck", "main", polygon((0.2, -0.12), (0.34, -0.56), (0.62, -0.4), (0.54, 0.06))),
        fill("head", "main", blob((0.24, -0.62), (0.4, -0.8), (0.62, -0.76), (0.72, -0.56), (0.96, -0.5),
            (0.98, -0.34), (0.78, -0.26), (0.46, -0.28), (0.28, -0.4))),
        fill("muzzle", "light", blob((0.72, -0.5), (0.95, -0.49), (0.97, -0.36), (0.8, -0.28), (0.66, -0.32))),
        fill("ear", "shade", blob((0.36, -0.78), (0.48, -0.66), (0.42, -0.4), (0.3, -0.24), (0.18, -0.32),
            (0.2, -0.58))),
        fill("nose", "ink", ellipse(0.96, -0.47, 0.065, 0.055)),
        fill("eye", "ink", ellipse(0.62, -0.6, 0.05, 0.055)),
        stroke("mouth", "ink", curve((0.94, -0.36), (0.84, -0.33), (0.74, -0.37)), 0.028),
        stroke("collar", "accent", curve((0.26, -0.2), (0.42, -0.1), (0.58, -0.14)), 0.09),
        fill("tag", "accent", ellipse(0.48, -0.01, 0.06)),
    ]


def rabbit(rng: np.random.Generator) -> list[Part]:
    """Draw a rabbit that sits up."""
    flop = rng.uniform(-0.08, 0.1)
    return [
        fill("tail", "cream", ellipse(0.46, 0.68, 0.16)),
        *both_sides("ear", "main", blob((-0.1, -0.42), (-0.3, -0.6), (-0.36 - flop, -0.9), (-0.24 - flop, -1.0),
            (-0.12, -0.86), (-0.04, -0.55))),
        *both_sides("inner ear", "accent", blob((-0.16, -0.56), (-0.27 - flop / 2, -0.76), (-0.25 - flop, -0.9),
            (-0.17, -0.8))),
        fill("body", "main", blob((0, -0.1), (0.3, 0.12), (0.46, 0.5), (0.4, 0.84), (0, 0.92), (-0.4, 0.84),
            (-0.46, 0.5), (-0.3, 0.12))),
        fill("belly", "cream", ellipse(0, 0.5, 0.25, 0.32)),
        *both_sides("foot", "light", ellipse(-0.27, 0.86, 0.22, 0.1)),
        *both_sides("arm", "shade", blob((-0.3, 0.1), (-0.2, 0.2), (-0.08, 0.42), (-0.14, 0.5), (-0.26, 0.42),
            (-0.38, 0.24))),
        fill("head", "main", blob((0, -0.58), (0.26, -0.52), (0.38, -0.28), (0.3, -0.04), (0, 0.06), (-0.3, -0.04),
            (-0.38, -0.28), (-0.26, -0.52))),
        *both_sides("cheek", "light", ellipse(-0.12, -0.1, 0.15, 0.11)),
        fill("teeth", "cream", polygon((-0.06, -0.06), (0.06, -0.06), (0.05, 0.08), (-0.05, 0.08))),
        *both_sides("eye", "ink", ellipse(-0.17, -0.32, 0.06, 0.085)),
        *both_sides("glint", "cream", ellipse(-0.155, -0.35, 0.022)),
        fill("nose", "accent", polygon((-0.07, -0.2), (0.07, -0.2), (0, -0.12))),
        *both_sides("whisker", "ink", curve((-0.2, -0.1), (-0.4, -0.12), (-0.54, -0.08)), 0.02),
    ]


def bird(rng: np.random.Generator) -> list[Part]:
    """Draw a songbird on a twig."""
    lift = rng.uniform(-0.06, 0.08)
    return [
        stroke("twig", "wood", curve((-0.86, 0.74), (-0.2, 0.68), (0.4, 0.72), (0.9, 0.62)), 0.09),
        fill("twig leaf", "leaf", blob((0.56, 0.66), (0.66, 0.46), (0.86, 0.4), (0.78, 0.58))),
        fill("tail", "shade", polygon((-0.4, 0.16), (-0.96, 0.36), (-0.9, 0.5), (-0.72, 0.52), (-0.24, 0.4))),
        *[stroke(f"leg {i}", "ink", polygon((x, 0.45), (x + 0.02, 0.7)), 0.04) for i, x in enumerate((-0.02, 0.16))],
        fill("body", "main", blob((-0.46, 0.1), (-0.16, -0.16), (0.08, -0.48), (0.4, -0.66), (0.64, -0.48),
            (0.62, -0.1), (0.48, 0.3), (0.14, 0.52), (-0.24, 0.42))),
        fill("breast", "light", blob((0.62, -0.16), (0.5, 0.26), (0.16, 0.5), (-0.1, 0.46), (0.16, 0.3),
            (0.32, 0.0), (0.48, -0.2))),
        fill("wing", "shade", blob((0.14, -0.18), (0.26, 0.06), (0.06, 0.28), (-0.34, 0.36 + lift),
            (-0.66, 0.3 + lift), (-0.3, 0.04), (-0.1, -0.16))),
        stroke("upper feather", "light", curve((0.08, 0.02), (-0.16, 0.16), (-0.44, 0.24 + lift)), 0.035),
        stroke("lower feather", "light", curve((0.08, 0.14), (-0.08, 0.24), (-0.3, 0.3 + lift)), 0.035),
        fill("upper beak", "accent", polygon((0.6, -0.54), (0.95, -0.4), (0.62, -0.37))),
        fill("lower beak", "accent", polygon((0.62, -0.37), (0.86, -0.38), (0.62, -0.29))),
        fill("eye ring", "cream", ellipse(0.44, -0.45, 0.095)),
        fill("eye", "ink", ellipse(0.45, -0.45, 0.06)),
    ]


def owl(rng: np.random.Generator) -> list[Part]:
    """Draw an owl on a branch, wide awake."""
    look = rng.uniform(-0.04, 0.04)
    feathers = [
        stroke(f"feather {row}{k}", "shade", arc(x, y, 0.09, 0.08, 20, 160, points=8), 0.035)
        for row, (y, xs) in enumerate(((0.16, (-0.11, 0.11)), (0.32, (-0.22, 0.0, 0.22)), (0.48, (-0.11, 0.11))))
        for k, x in enumerate(xs)
    ]
    return [
        stroke("branch", "wood", curve((-0.92, 0.86), (-0.2, 0.8), (0.92, 0.84)), 0.13),
        fill("body", "main", blob((0, -0.66), (0.42, -0.62), (0.56, -0.1), (0.48, 0.46), (0.22, 0.78),
            (-0.22, 0.78), (-0.48, 0.46), (-0.56, -0.1), (-0.42, -0.62))),
        *both_sides("ear tuft", "main", polygon((-0.52, -0.96), (-0.52, -0.4), (-0.1, -0.62))),
        fill("belly", "light", blob((0, 0.0), (0.3, 0.12), (0.32, 0.44), (0.16, 0.7), (-0.16, 0.7), (-0.32, 0.44),
            (-0.3, 0.12))),
        *feathers,
        *both_sides("wing", "shade", blob((-0.52, -0.14), (-0.36, 0.1), (-0.34, 0.44), (-0.46, 0.66),
            (-0.64, 0.36), (-0.64, 0.04))),
        *both_sides("foot", "accent", blob((-0.26, 0.74), (-0.1, 0.74), (-0.08, 0.86), (-0.18, 0.9), (-0.28, 0.86))),
        *both_sides("eye disc", "cream", ellipse(-0.24, -0.3, 0.245)),
        *both_sides("iris", "accent", ellipse(-0.22, -0.3, 0.16)),
        *[fill(f"pupil {i}", "ink", ellipse(x + look, -0.3, 0.09)) for i, x in enumerate((-0.21, 0.21))],
        *[fill(f"glint {i}", "cream", ellipse(x + look, -0.34, 0.03)) for i, x in enumerate((-0.18, 0.24))],
        fill("beak", "accent", polygon((-0.09, -0.16), (0.09, -0.16), (0, 0.06))),
    ]


def fish(rng: np.random.Generator) -> list[Part]:
    """Draw a striped fish that swims to the right."""
    sway = rng.uniform(-0.08, 0.08)
    return [
        fill("tail", "shade", blob((-0.5, 0.0), (-0.72, -0.24), (-0.96, -0.44 + sway), (-0.86, 0.0),
            (-0.96, 0.44 + sway), (-0.72, 0.24))),
        fill("back fin", "accent", blob((-0.28, -0.34), (-0.2, -0.66), (0.06, -0.74), (0.3, -0.5), (0.3, -0.38))),
        fill("belly fin", "accent", blob((-0.2, 0.38), (-0.24, 0.66), (-0.06, 0.62), (0.1, 0.42))),
        fill("body", "main", blob((0.9, 0.0), (0.72, -0.24), (0.34, -0.44), (-0.08, -0.42), (-0.42, -0.18),
            (-0.6, 0.0), (-0.42, 0.18), (-0.08, 0.42), (0.34, 0.44), (0.72, 0.26))),
        fill("belly", "light", blob((0.82, 0.1), (0.4, 0.22), (-0.2, 0.14), (-0.44, 0.14), (-0.08, 0.4),
            (0.34, 0.42), (0.7, 0.26))),
        fill("front stripe", "cream", blob((0.3, -0.45), (0.4, -0.44), (0.34, 0.0), (0.38, 0.44), (0.26, 0.45),
            (0.2, 0.0))),
        fill("rear stripe", "cream", blob((-0.14, -0.4), (-0.04, -0.42), (-0.1, 0.0), (-0.06, 0.42), (-0.17, 0.39),
            (-0.22, 0.0))),
        fill("side fin", "accent", blob((0.16, 0.06), (-0.02, 0.0), (-0.12, 0.16), (0.0, 0.26), (0.14, 0.18))),
        stroke("tail ray", "light", curve((-0.6, 0.0), (-0.74, -0.14), (-0.86, -0.28 + sway)), 0.03),
        stroke("lower tail ray", "light", curve((-0.6, 0.0), (-0.74, 0.14), (-0.86, 0.28 + sway)), 0.03),
        fill("eye white", "cream", ellipse(0.6, -0.1, 0.11)),
        fill("eye", "ink", ellipse(0.62, -0.1, 0.065)),
        stroke("mouth", "ink", curve((0.88, 0.08), (0.78, 0.12), (0.72, 0.1)), 0.03),
    ]


def whale(rng: np.random.Generator) -> list[Part]:
    """Draw a whale with a water spout."""
    spray = rng.uniform(-0.05, 0.08)
    grooves = [
        stroke(f"groove {k}", "shade", curve((0.72, 0.3 + 0.09 * k), (0.4, 0.38 + 0.09 * k),
            (0.02, 0.36 + 0.09 * k)), 0.025)
        for k in range(3)
    ]
    return [
        stroke("left spout", "water", curve((0.3, -0.34), (0.26, -0.66), (0.04, -0.78 - spray), (-0.08, -0.58)), 0.07),
        stroke("right spout", "water", curve((0.3, -0.34), (0.34, -0.66), (0.56, -0.78 - spray), (0.68, -0.58)), 0.07),
        fill("fluke", "shade", blob((-0.72, -0.16), (-0.98, -0.3), (-0.98, -0.62), (-0.78, -0.46), (-0.66, -0.44),
            (-0.46, -0.66), (-0.46, -0.36))),
        fill("body", "main", blob((0.9, 0.1), (0.82, -0.16), (0.5, -0.36), (0.1, -0.34), (-0.26, -0.1),
            (-0.52, 0.02), (-0.6, -0.28), (-0.76, -0.26), (-0.78, 0.1), (-0.56, 0.44), (-0.1, 0.62), (0.4, 0.64),
            (0.8, 0.44))),
        fill("belly", "cream", blob((0.89, 0.16), (0.5, 0.24), (0.1, 0.24), (-0.24, 0.44), (-0.3, 0.54),
            (0.0, 0.62), (0.4, 0.63), (0.78, 0.44))),
        *grooves,
        fill("fin", "shade", blob((0.18, 0.26), (0.3, 0.5), (0.12, 0.8), (-0.02, 0.82), (-0.06, 0.46))),
        fill("eye", "ink", ellipse(0.58, 0.04, 0.06)),
        fill("glint", "cream", ellipse(0.6, 0.02, 0.02)),
        fill("cheek", "light", ellipse(0.66, 0.15, 0.08, 0.05)),
    ]


def butterfly(rng: np.random.Generator) -> list[Part]:
    """Draw a butterfly with open wings."""
    spread = rng.uniform(0.94, 1.06)
    upper = blob((-0.04, -0.1), (-0.3, -0.62), (-0.72 * spread, -0.84), (-0.95 * spread, -0.62), (-0.86, -0.2),
        (-0.46, 0.06))
    lower = blob((-0.04, 0.04), (-0.42, 0.06), (-0.76 * spread, 0.2), (-0.74, 0.58), (-0.46, 0.82), (-0.2, 0.6))
    upper_inner = blob((-0.14, -0.18), (-0.36, -0.54), (-0.68 * spread, -0.7), (-0.8 * spread, -0.55),
        (-0.7, -0.24), (-0.44, -0.06))
    lower_inner = blob((-0.14, 0.14), (-0.4, 0.16), (-0.62 * spread, 0.28), (-0.6, 0.52), (-0.44, 0.66), (-0.26, 0.5))
    return [
        *both_sides("lower wing", "shade", lower),
        *both_sides("lower field", "light", lower_inner),
        *both_sides("upper wing", "shade", upper),
        *both_sides("upper field", "main", upper_inner),
        *both_sides("upper spot", "cream", ellipse(-0.84 * spread, -0.64, 0.055)),
        *both_sides("eye spot", "accent", ellipse(-0.56, -0.42, 0.13)),
        *both_sides("eye centre", "ink", ellipse(-0.56, -0.42, 0.055)),
        *both_sides("lower spot", "accent", ellipse(-0.46, 0.42, 0.1)),
        *both_sides("vein", "shade", curve((-0.16, -0.16), (-0.34, -0.26), (-0.46, -0.34)), 0.03),
        *both_sides("antenna", "ink", curve((-0.03, -0.36), (-0.12, -0.66), (-0.3, -0.8)), 0.035),
        *both_sides("antenna tip", "ink", ellipse(-0.31, -0.81, 0.045)),
        fill("abdomen", "ink", ellipse(0, 0.16, 0.075, 0.4)),
        fill("thorax", "wood", ellipse(0, -0.12, 0.09, 0.2)),
        fill("head", "ink", ellipse(0, -0.36, 0.09)),
    ]


def snail(rng: np.random.Generator) -> list[Part]:
    """Draw a snail with a spiral shell."""
    turn = rng.uniform(0, 60)
    t = np.linspace(0.15, 1.0, 60)
    angle = np.radians(turn + 90 + 860 * t)
    spiral = np.stack([-0.16 + 0.5 * t * np.cos(angle), -0.12 + 0.48 * t * np.sin(angle)], axis=1)
    return [
        stroke("far stalk", "sand", curve((0.66, 0.1), (0.64, -0.2), (0.56, -0.44)), 0.06),
        fill("body", "sand", blob((-0.96, 0.72), (-0.62, 0.44), (-0.1, 0.36), (0.36, 0.42), (0.52, 0.16),
            (0.62, -0.02), (0.82, 0.0), (0.92, 0.22), (0.84, 0.56), (0.64, 0.74), (0.0, 0.77))),
        stroke("near stalk", "sand", curve((0.78, 0.1), (0.84, -0.2), (0.86, -0.42)), 0.06),
        fill("far eye", "ink", ellipse(0.55, -0.46, 0.07)),
        fill("near eye", "ink", ellipse(0.86, -0.44, 0.07)),
        fill("shell", "main", ellipse(-0.16, -0.1, 0.6, 0.58)),
        fill("shell shine", "light", ellipse(-0.22, -0.2, 0.4, 0.36)),
        stroke("spiral", "shade", spiral, 0.09),
        stroke("sole", "shade", curve((-0.9, 0.73), (0.0, 0.77), (0.62, 0.73)), 0.05),
        stroke("smile", "ink", curve((0.9, 0.3), (0.82, 0.38), (0.74, 0.36)), 0.03),
    ]


def turtle(rng: np.random.Generator) -> list[Part]:
    """Draw a turtle from the side, shell with plates."""
    step = rng.uniform(-0.04, 0.06)
    plates = [
        fill("middle plate", "light", polygon((-0.2, -0.3), (0.08, -0.3), (0.2, -0.02), (0.06, 0.2), (-0.18, 0.2),
            (-0.32, -0.02))),
        fill("rear plate", "light", polygon((-0.3, -0.28), (-0.42, -0.04), (-0.3, 0.2), (-0.62, 0.2),
            (-0.64, 0.06), (-0.5, -0.16))),
        fill("front plate", "light", polygon((0.18, -0.28), (0.3, -0.04), (0.18, 0.2), (0.5, 0.2), (0.52, 0.06),
            (0.38, -0.16))),
    ]
    return [
        fill("tail", "leaf", polygon((-0.7, 0.22), (-0.94, 0.42), (-0.62, 0.38))),
        fill("hind leg", "leaf", blob((-0.62, 0.26), (-0.28, 0.28), (-0.32, 0.62), (-0.36 - step, 0.74),
            (-0.6 - step, 0.74), (-0.62, 0.56))),
        fill("fore leg", "leaf", blob((0.18, 0.28), (0.5, 0.24), (0.52, 0.56), (0.56 + step, 0.74),
            (0.3 + step, 0.74), (0.24, 0.6))),
        fill("head", "leaf", blob((0.46, 0.28), (0.56, 0.06), (0.66, -0.2), (0.86, -0.24), (0.98, -0.06),
            (0.92, 0.12), (0.76, 0.18), (0.66, 0.36), (0.5, 0.38))),
        fill("shell", "main", blob((-0.8, 0.26), (-0.72, -0.08), (-0.44, -0.4), (-0.06, -0.52), (0.32, -0.4),
            (0.6, -0.08), (0.68, 0.26), (0.3, 0.3), (-0.4, 0.3))),
        *plates,
        fill("rim", "shade", blob((-0.84, 0.24), (-0.5, 0.24), (0.38, 0.24), (0.72, 0.24), (0.7, 0.36),
            (0.38, 0.4), (-0.5, 0.4),
            (-0.82, 0.36))),
        fill("eye", "ink", ellipse(0.82, -0.07, 0.05)),
        stroke("mouth", "ink", curve((0.95, 0.04), (0.86, 0.08), (0.78, 0.06)), 0.025),
    ]


ANIMALS: Mapping[str, Callable[[np.random.Generator], list[Part]]] = {
    "cat": cat,
    "dog": dog,
    "rabbit": rabbit,
    "bird": bird,
    "owl": owl,
    "fish": fish,
    "whale": whale,
    "butterfly": butterfly,
    "snail": snail,
    "turtle": turtle,
}
