"""The map of Explore: a quick sketch at once, the UMAP layout when it is through, both in the groups' colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import streamlit as st

from anchordiv.figures import MapGroups, map_figure
from anchordiv.ui import resources
from anchordiv.ui.chrome import is_dark
from anchordiv.ui.controls import picture_name
from anchordiv.ui.jobs import Job
from anchordiv.ui.session import ContextPlan, Session, current_session, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from anchordiv.contexts import Context
    from anchordiv.projection import Layout
    from anchordiv.ui.neighbours import Answer
    from anchordiv.ui.thumbnails import OpenedCollection

_KEY: Final = "map"
_HEIGHT: Final = 520
_FEWEST: Final = 4
_CONFIG: Final = {
    "displaylogo": False,
    "scrollZoom": True,
    "modeBarButtonsToRemove": ["select2d", "autoScale2d", "toImage"],
}


def living_map(
    session: Session, opened: OpenedCollection, plan: ContextPlan | None, context: Context | None, answer: Answer | None
) -> None:
    """Draw the map of the context in use and see to it that the right layout is on its way.

    Args:
        session: holds the layouts seen so far.
        opened: the pictures.
        plan: the context as asked for; none means plain cosine.
        context: its geometry; none while it is not there yet.
        answer: the query's neighbours, ringed on the map.
    """
    if len(opened.collection) < _FEWEST:
        st.caption(f"A map needs at least {_FEWEST} pictures; bring some more.")
        return
    _fetch(session, opened, plan, context)
    layout = session.layout
    coordinates = sketch(opened.token, opened) if layout is None else layout.coordinates
    groups = _groups(session, opened, plan, context)
    query = session.query
    figure = map_figure(
        coordinates,
        _names(opened.token, opened),
        groups=groups,
        query=opened.index_by_id.get(query.value) if query and query.kind == "picture" else None,
        neighbours=[row.index for row in answer.rows] if answer else [],
        dark=is_dark(),
    )
    st.plotly_chart(
        figure, key=_KEY, height=_HEIGHT, on_select=_on_map, selection_mode=("points", "lasso"), config=_CONFIG,
        alt="Map of the collection: one point per picture, near where they are alike.",
    )  # fmt: skip
    st.caption(_words(session))


def _words(session: Session) -> str:
    if session.map_job is not None and session.map_job.pending:
        return ":material/progress_activity: The map is moving to this meaning of “similar” …"
    if session.layout is None:
        return "A first sketch (principal axes)."
    return "Near means alike. Gaps and sizes on a map (UMAP) can mislead; the ranking beside it is exact."


def _fetch(session: Session, opened: OpenedCollection, plan: ContextPlan | None, context: Context | None) -> None:
    """Take over a finished layout, or start the one that is wanted; the last wish wins."""
    if plan is not None and context is None:
        return
    key = (opened.token, plan)
    job = session.map_job
    if job is not None and not job.pending:
        if job.result is not None and session.map_wanted is not None:
            session.keep_layout(session.map_wanted, job.result)
        elif job.state == "failed":
            st.caption(f":material/error: {job.problem}")
            session.layouts_failed.add(key)
        session.map_job = None
    if key in session.layouts:
        session.layout = session.layouts[key]
        return
    if key in session.layouts_failed or (session.map_job is not None and session.map_wanted == key):
        return
    if session.map_job is not None:
        session.map_job.cancel()
    session.map_wanted = key
    session.map_job = resources.map_lane().add(Job(_laying_out(opened, context, session.layout)))


def _laying_out(
    opened: OpenedCollection, context: Context | None, init: Layout | None
) -> Callable[[Callable[[str, int, int], None]], Layout]:
    def lay_out(report: Callable[[str, int, int], None]) -> Layout:
        from anchordiv.projection import Layout, project

        geometry = context if context is not None else resources.cosine_of(opened)
        ids = tuple(item.id for item in opened.collection.items)
        first = init or Layout(sketch(opened.token, opened), ids, "plain")
        return project(opened.collection, geometry, init=first)

    return lay_out


@st.cache_resource(max_entries=4, show_spinner=False)
def sketch(token: str, _opened: OpenedCollection) -> NDArray[np.float32]:
    """Return the first two principal axes, (n, 2): a map in milliseconds, before UMAP has woken up."""
    embeddings = _opened.collection.embeddings
    centred = embeddings - embeddings.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    plane = centred @ axes[:, :-3:-1]
    return np.asarray(10 * plane / max(float(np.abs(plane).max()), 1e-12), dtype=np.float32)


@st.cache_resource(max_entries=4, show_spinner=False)
def _names(token: str, _opened: OpenedCollection) -> list[str]:
    return [picture_name(_opened, index) for index in range(len(_opened.collection))]


def _groups(
    session: Session, opened: OpenedCollection, plan: ContextPlan | None, context: Context | None
) -> MapGroups | None:
    if plan is None or context is None:
        return None
    shown = session.shown_groups()
    shares = resources.group_shares(plan, opened.token, context, opened)
    return MapGroups([group.name for group in shown], [group.colour for group in shown], shares)


def _on_map() -> None:
    """Make a clicked point the query; a lasso becomes the selection."""
    session, said = current_session(), told(_KEY)
    points: list[dict[str, Any]] = list((said or {}).get("selection", {}).get("points", []))
    if session.opened is None:
        return
    items = session.opened.collection.items
    ids = [items[int(p["customdata"][0])].id for p in points if p.get("customdata")]
    if len(ids) == 1:
        session.ask_picture(ids[0])
    elif ids:
        session.chosen = ids
