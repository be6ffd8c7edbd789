"""The map of a collection as a plotly figure: a point a picture, coloured by its posterior over the groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from anchordiv.figures.palette import blend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from plotly.graph_objects import Figure

# A second channel beside colour, for those who cannot tell the colours apart.
SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "cross", "star", "x", "triangle-down", "hexagon")
NO_GROUP: Final = "#8C8C94"
_MANY: Final = 4000


@dataclass(frozen=True)
class MapGroups:
    """What colours a map.

    Args:
        names: the G groups.
        colours: their colours, ``#RRGGBB``.
        shares: (n, G) each point's posterior over the groups.
        marks: numbers of their symbols, so that a group keeps its own while others come and go.
    """

    names: Sequence[str]
    colours: Sequence[str]
    shares: NDArray[np.floating]
    marks: Sequence[int] = ()


def map_figure(
    coordinates: NDArray[np.floating],
    names: Sequence[str],
    *,
    groups: MapGroups | None = None,
    query: int | None = None,
    neighbours: Sequence[int] = (),
    dark: bool = False,
    hidden: Sequence[int] = (),
    chosen: Sequence[int] = (),
) -> Figure:
    """Draw a layout.

    Args:
        coordinates: (n, 2) places on the map.
        names: n names, shown when a point is pointed at.
        groups: colours and posterior; without it (cosine has no groups) all points are grey.
        query: the query's index, drawn as a ring.
        neighbours: the indices of its neighbours, drawn as thin rings.
        dark: whether the page behind the map is dark.
        hidden: indices of points that are not drawn.
        chosen: indices of selected points; the others fade.

    Returns:
        One trace per group (points whose largest share it is), then rings. Every point carries its
        index as ``customdata[0]``, so that a click can be told apart.
    """
    import plotly.graph_objects as go

    ink = "#F4F4F6" if dark else "#1D1D22"
    figure = go.Figure(_points(coordinates, names, groups, frozenset(hidden), frozenset(chosen)))
    if len(neighbours):
        figure.add_trace(_ring(coordinates, neighbours, size=11, width=1.0, ink=ink, name="neighbours"))
    if query is not None:
        figure.add_trace(_ring(coordinates, [query], size=20, width=3, ink=ink, name="query"))
    figure.update_layout(
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        showlegend=False,
        dragmode="pan",
        hovermode="closest",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        uirevision="map",
        hoverlabel={"font": {"size": 13}},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": NO_GROUP, "activecolor": ink},
    )
    bare = {"visible": False, "showgrid": False, "zeroline": False}
    figure.update_xaxes(**bare, range=_span(coordinates[:, 0]))
    figure.update_yaxes(**bare, range=_span(coordinates[:, 1]))
    return figure


def _points(
    coordinates: NDArray[np.floating],
    names: Sequence[str],
    groups: MapGroups | None,
    hidden: frozenset[int],
    chosen: frozenset[int],
) -> list[Any]:
    import plotly.graph_objects as go

    count = len(coordinates)
    scatter = go.Scattergl if count > _MANY else go.Scatter
    size = float(np.clip(11 - 1.5 * np.log10(max(count, 10)), 3.0, 10.0))
    if groups is None or not len(groups.names):
        owner, colours, labels = np.zeros(count, dtype=int), [NO_GROUP] * count, [""]
        said = [""] * count
    else:
        owner, colours, labels = groups.shares.argmax(axis=1), blend(groups.shares, groups.colours), list(groups.names)
        best = groups.shares.max(axis=1)
        said = [f"{labels[g]} {round(100 * float(p))} %" for g, p in zip(owner, best, strict=True)]
    traces, marks = [], groups.marks if groups is not None else ()
    for number, label in enumerate(labels):
        here = [i for i in np.flatnonzero(owner == number).tolist() if i not in hidden]
        traces.append(
            scatter(
                x=coordinates[here, 0],
                y=coordinates[here, 1],
                mode="markers",
                name=label,
                customdata=[[i, names[i], said[i]] for i in here],
                hovertemplate="%{customdata[1]}<br>%{customdata[2]}<extra></extra>",
                marker={
                    "size": size,
                    "color": [colours[i] for i in here],
                    "symbol": SYMBOLS[(marks[number] if marks else number) % len(SYMBOLS)],
                    "opacity": 0.85,
                    "line": {"width": 0},
                },
                selectedpoints=[at for at, i in enumerate(here) if i in chosen] if chosen else None,
                # Unchosen points fade, they do not vanish.
                unselected={"marker": {"opacity": 0.25}},
            )
        )
    return traces


def _ring(
    coordinates: NDArray[np.floating], indices: Sequence[int], *, size: float, width: float, ink: str, name: str
) -> Any:
    import plotly.graph_objects as go

    here = np.asarray(indices, dtype=int)
    return go.Scatter(
        x=coordinates[here, 0],
        y=coordinates[here, 1],
        mode="markers",
        name=name,
        hoverinfo="skip",
        marker={"size": size, "symbol": "circle-open", "color": ink, "line": {"width": width}},
    )


def _span(values: NDArray[np.floating]) -> list[float]:
    low, high = float(values.min()), float(values.max())
    edge = 0.05 * (high - low) or 1.0
    return [low - edge, high + edge]
