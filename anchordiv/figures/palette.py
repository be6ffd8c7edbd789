"""Colours of groups: Okabe-Ito's eight first, then others as far from all before them as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

OKABE_ITO: Final = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2", "#D55E00", "#F0E442", "#8C8C94")
"""Okabe and Ito's palette in the order it is given out; their black is a grey here, to be seen on a dark page."""

# Found by going, from Okabe-Ito on, to the colour whose nearest neighbour in CIELAB is farthest (lightness 38 to
# 80, chroma 28 to 72), which is the idea of Glasbey et al. 2007.
FARTHER: Final = (
    "#665C0A",
    "#855CD6",
    "#C2003D",
    "#F5AD85",
    "#5CA31F",
    "#B8CC8F",
    "#AD0A85",
    "#8F473D",
    "#FF85F5",
    "#29E085",
    "#C2ADFF",
    "#5CD6D6",
    "#FF5299",
    "#FF7A7A",
    "#70528F",
    "#0085FF",
    "#007A85",
    "#A39914",
    "#3D663D",
    "#AD701F",
    "#00701F",
    "#A3295C",
    "#FFADB8",
    "#A33314",
)


def group_colour(number: int) -> str:
    """Return the colour of the group of that number, counted from 0, as ``#RRGGBB``."""
    colours = (*OKABE_ITO, *FARTHER)
    if number < len(colours):
        return colours[number]
    # Past the list every number still has a colour of its own: the golden angle never comes round.
    red, green, blue = _hue((number * 0.618034) % 1.0, 0.35 + 0.4 * ((number * 0.7548777) % 1.0))
    return f"#{red:02X}{green:02X}{blue:02X}"


def blend(shares: NDArray[np.floating], colours: Sequence[str]) -> list[str]:
    """Mix the groups' colours by each point's posterior, in linear light.

    Args:
        shares: (n, G), rows that sum to one.
        colours: G colours ``#RRGGBB``.

    Returns:
        n colours ``#RRGGBB``; a point sure of its group has exactly that group's colour.
    """
    palette = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours]) / 255.0
    mixed = np.asarray(shares, dtype=np.float64) @ palette**2.2
    levels = np.rint(255.0 * np.minimum(mixed, 1.0) ** (1 / 2.2)).astype(int)
    return [f"#{red:02X}{green:02X}{blue:02X}" for red, green, blue in levels]


def _hue(hue: float, lightness: float) -> tuple[int, int, int]:
    from colorsys import hls_to_rgb

    red, green, blue = (round(255 * part) for part in hls_to_rgb(hue, lightness, 0.6))
    return red, green, blue
