"""Parts: the named paths a drawn object is made of, back to front, in a square from -1 to 1 (y points down)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Path = NDArray[np.float64]
Point = tuple[float, float]


@dataclass(frozen=True)
class Part:
    """One named piece of an object: a filled outline, or a line with a width.

    Args:
        name: what the piece is ("left wing").
        role: which colour of the palette it takes ("main", "shade", "light", "accent", "cream", "ink", ...).
        path: (k, 2) points.
        width: 0 for a filled piece, else the line's width in the object's own units.
    """

    name: str
    role: str
    path: Path
    width: float = 0.0


@dataclass(frozen=True)
class Shape:
    """A part placed on the sheet, which is the unit square.

    Args:
        path: (k, 2) points.
        role: the palette's role.
        width: 0 for a filled shape, else the line's width.
        figure: which figure it belongs to; -1 for the setting.
        name: what it is.
        backdrop: whether it covers the whole width, so that its outline is no drawn line.
    """

    path: Path
    role: str
    width: float
    figure: int
    name: str
    backdrop: bool = False

    @property
    def size(self) -> float:
        """The longer side of the box around the shape."""
        return float(np.ptp(self.path, axis=0).max())


def fill(name: str, role: str, path: Path) -> Part:
    """Return a filled piece."""
    return Part(name, role, path)


def stroke(name: str, role: str, path: Path, width: float = 0.05) -> Part:
    """Return a line piece."""
    return Part(name, role, path, width)


def polygon(*points: Point) -> Path:
    """Return straight edges through the points. Shape: (k, 2)."""
    return np.asarray(points, dtype=np.float64)


def ellipse(x: float, y: float, rx: float, ry: float | None = None, tilt: float = 0.0) -> Path:
    """Return an ellipse around (x, y); tilt in degrees. Shape: (36, 2)."""
    return arc(x, y, rx, ry if ry is not None else rx, 0.0, 350.0, tilt, points=36)


def arc(
    x: float, y: float, rx: float, ry: float, start: float, stop: float, tilt: float = 0.0, points: int = 20
) -> Path:
    """Return a piece of an ellipse from start to stop degrees (0 is right, 90 is down)."""
    t = np.radians(np.linspace(start, stop, points))
    u, v = rx * np.cos(t), ry * np.sin(t)
    c, s = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))
    return np.stack([x + c * u - s * v, y + s * u + c * v], axis=1)


def curve(*points: Point, closed: bool = False, steps: int = 7) -> Path:
    """Return a smooth Catmull-Rom curve through the points."""
    knots = np.asarray(points, dtype=np.float64)
    before = np.roll(knots, 1, axis=0)
    after = np.roll(knots, -1, axis=0)
    after2 = np.roll(knots, -2, axis=0)
    if not closed:
        before[0] = knots[0]
        after2[-2] = knots[-1]
    t = (np.arange(steps) / steps)[None, :, None]
    p0, p1, p2, p3 = (k[:, None, :] for k in (before, knots, after, after2))
    path = 0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * p1 - p0 - 3 * p2 + p3) * t**3)
    if closed:
        return path.reshape(-1, 2)
    return np.concatenate([path[:-1].reshape(-1, 2), knots[-1:]])


def blob(*points: Point) -> Path:
    """Return a closed smooth outline through the points."""
    return curve(*points, closed=True)


def box(x: float, y: float, half_width: float, half_height: float, round_by: float = 0.0) -> Path:
    """Return a rectangle around (x, y), its corners rounded by ``round_by``."""
    if round_by <= 0:
        w, h = half_width, half_height
        return polygon((x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h))
    w, h = half_width - round_by, half_height - round_by
    corners = ((w, h, 0), (-w, h, 90), (-w, -h, 180), (w, -h, 270))
    return np.concatenate([arc(x + dx, y + dy, round_by, round_by, a, a + 90, points=6) for dx, dy, a in corners])


def mirrored(path: Path) -> Path:
    """Return the path flipped left to right."""
    return np.asarray(path * (-1.0, 1.0), dtype=np.float64)


def both_sides(name: str, role: str, path: Path, width: float = 0.0) -> list[Part]:
    """Return a piece and its mirror image."""
    return [Part(f"left {name}", role, path, width), Part(f"right {name}", role, mirrored(path), width)]


def turned(path: Path, degrees: float, about: Point = (0.0, 0.0)) -> Path:
    """Return the path turned clockwise by some degrees about a point."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    rotation = np.array([[c, s], [-s, c]])
    return np.asarray((path - about) @ rotation + about, dtype=np.float64)


def resampled(path: Path, spacing: float, closed: bool) -> Path:
    """Return points along the path at an even spacing, so that hand wobble is even too."""
    if closed:
        path = np.concatenate([path, path[:1]])
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    count = max(3, int(length[-1] / spacing) + 1)
    at = np.linspace(0.0, length[-1], count)
    return np.stack([np.interp(at, length, path[:, 0]), np.interp(at, length, path[:, 1])], axis=1)


def bounds(parts: Sequence[Part]) -> tuple[float, float, float, float]:
    """Return left, top, right, bottom of the parts, line widths included."""
    low = np.min([part.path.min(axis=0) - part.width / 2 for part in parts], axis=0)
    high = np.max([part.path.max(axis=0) + part.width / 2 for part in parts], axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])
