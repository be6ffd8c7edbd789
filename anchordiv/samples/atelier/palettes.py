"""Palettes: which colour each role takes when one named colour dominates."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from PIL import ImageColor

Rgb = tuple[int, int, int]

#: The dominant colours: main, shade, light, accent, deep ink, neon tube, paper tint, badge.
_NAMED: Mapping[str, tuple[str, ...]] = {
    "red": ("#dc362f", "#a41f22", "#f2857a", "#f6c453", "#8c1418", "#ff3b3b", "#fbe7d6", "#f3cdb4"),
    "orange": ("#f07f1c", "#bd560c", "#fab46a", "#2f8f9d", "#a5460a", "#ff8a1f", "#e9f1ee", "#cfe3e0"),
    "yellow": ("#f5c518", "#cf960a", "#fbe384", "#d8574a", "#b07d05", "#ffe34d", "#e8eaf4", "#cfd4e8"),
    "green": ("#2ea34b", "#1a6c37", "#7fd07f", "#f2b45a", "#155c2d", "#3dff6e", "#f8f1e0", "#efe1c2"),
    "turquoise": ("#1fa8a0", "#117470", "#86d8cf", "#f2896b", "#0a615f", "#2ff3e6", "#fbeade", "#f4d3c1"),
    "blue": ("#2b6fd0", "#184793", "#8db8f0", "#f5b83d", "#123a86", "#3f8cff", "#fbf2de", "#f3e6c6"),
    "purple": ("#8048b8", "#562a86", "#bd98e2", "#f2b84b", "#4a2180", "#b45cff", "#f7f1e0", "#ece2c2"),
    "pink": ("#e8609c", "#b83672", "#f7aecb", "#4f9fa8", "#a8215f", "#ff5cb0", "#e8f2ef", "#cde5e1"),
    "black": ("#4a4a50", "#26262b", "#8d8d94", "#6e6e76", "#17171b", "#f2f2ff", "#f4f0e6", "#e4ddcd"),
}

#: Roles whose colour does not follow the dominant one.
_FIXED: dict[str, str] = {
    "cream": "#fdf6e6",
    "ink": "#2b2730",
    "wood": "#8b6a50",
    "leaf": "#6f9a66",
    "sand": "#cba983",
    "stone": "#b9b2ac",
    "glass": "#d5e6ea",
    "water": "#9cc6d6",
    "glow": "#f8ecc4",
}

#: The setting's roles at three times of day, muted so that the figure leads.
_MOODS: tuple[dict[str, str], ...] = (
    {
        "sky": "#d9eaf3", "far": "#b9cfca", "ground": "#a6c198", "sun": "#fbe3a2", "cloud": "#fdfcf7",
        "sea": "#a2cbd9", "seabed": "#e2d4b4", "weed": "#7d9f84", "dusk": "#7889b0", "star": "#fbf1cf",
        "wall": "#efe3cd", "table": "#c49c7a", "cloth": "#f7f2e7",
    },
    {
        "sky": "#fae1cd", "far": "#dbb9b2", "ground": "#bfac97", "sun": "#fbcf94", "cloud": "#fef4ea",
        "sea": "#c2b9cd", "seabed": "#e6cdb3", "weed": "#97826f", "dusk": "#7f7093", "star": "#fdeccb",
        "wall": "#ecdad2", "table": "#a97f6b", "cloth": "#faf1e8",
    },
    {
        "sky": "#e3f1e6", "far": "#bad5c6", "ground": "#9cbc9f", "sun": "#f8efb4", "cloud": "#ffffff",
        "sea": "#a4d0c8", "seabed": "#dcdcc0", "weed": "#6f9a83", "dusk": "#66859a", "star": "#f3f6d8",
        "wall": "#dfe8dc", "table": "#b59f7e", "cloth": "#f5f6ee",
    },
)  # fmt: skip

#: Names of the dominant colours an image can have.
COLOURS: tuple[str, ...] = tuple(_NAMED)
MOODS = len(_MOODS)
CHROMATIC: tuple[str, ...] = tuple(name for name in COLOURS if name != "black")


@dataclass(frozen=True)
class Palette:
    """The colours of one image.

    Args:
        name: the dominant colour's name.
        roles: colour of each role.
        deep: the dominant colour as a dark ink.
        tube: the dominant colour as light.
        paper: a tint that sets the dominant colour off.
        badge: a stronger tint of the paper.
    """

    name: str
    roles: Mapping[str, Rgb]
    deep: Rgb
    tube: Rgb
    paper: Rgb
    badge: Rgb

    def __getitem__(self, role: str) -> Rgb:
        """Return the colour of a role."""
        return self.roles[role]


@lru_cache(maxsize=64)
def palette(colour: str, mood: int = 0) -> Palette:
    """Return the palette in which the named colour dominates; mood picks the setting's time of day."""
    main, shade, light, accent, deep, tube, paper, badge = (_rgb(code) for code in _NAMED[colour])
    roles = {role: _rgb(code) for role, code in (_FIXED | _MOODS[mood]).items()}
    roles |= {"main": main, "shade": shade, "light": light, "accent": accent}
    return Palette(colour, roles, deep, tube, paper, badge)


def mixed(first: Rgb, second: Rgb, share: float) -> Rgb:
    """Return the first colour with a share of the second mixed in."""
    r, g, b = (round(a + (z - a) * share) for a, z in zip(first, second, strict=True))
    return r, g, b


def _rgb(code: str) -> Rgb:
    r, g, b = ImageColor.getrgb(code)[:3]
    return r, g, b
