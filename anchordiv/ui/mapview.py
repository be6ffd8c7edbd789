"""The map of Explore: a quick sketch at once, the UMAP layout when it is through, both in the groups' colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from anchordiv.figures import MapGroups, map_figure
from anchordiv.ui import resources
from anchordiv.ui.chrome import is_dark
from anchordiv.ui.controls import picture_name
from anchordiv.ui.session import ContextPlan, Session, current_session, told

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from anchordiv.contexts import Context
    from anchordiv.ui.neighbours import Answer
    from anchordiv.ui.session import LayoutKey
    from anchordiv.ui.thumbnails import OpenedCollection

_KEY: Final = "map"
_HEIGHT: Final = 520
_FEWEST: Final = 4
_CONFIG: Final = {
    "displaylogo": False,
    "scrollZoom": True,
    "displayModeBar": True,
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
    coordinates = _coordinates(session, opened)
    groups = _groups(session, opened, plan, context)
    query = session.query
    chosen = _drawn_selection(session, opened, (id(coordinates), plan, query, len(session.excluded)))
    figure = map_figure(
        coordinates,
        _names(opened.key, opened),
        groups=groups,
        query=opened.index_by_id.get(query.value) if query and query.kind == "picture" else None,
        # Rings round the neighbours would drown the selection.
        neighbours=[row.index for row in answer.rows] if answer and not chosen else [],
        dark=is_dark(),
        hidden=[opened.index_by_id[item] for item in session.excluded if item in opened.index_by_id],
        chosen=chosen,
    )
    st.plotly_chart(
        figure, key=f"{_KEY}-{session.map_turn}", height=_HEIGHT, on_select=_on_map,
        selection_mode=("points", "lasso"), config=_CONFIG,
        alt="Map of the collection: one point per picture, near where they are alike.",
    )  # fmt: skip
    st.caption(_words(session))


def _coordinates(session: Session, opened: OpenedCollection) -> NDArray[np.float32]:
    """Return where the pictures lie: the layout, the one remembered from before a restart, or a sketch."""
    if session.layout is not None and len(session.layout.coordinates) == len(opened.collection):
        return session.layout.coordinates
    if session.restored_places is not None:
        return session.restored_places
    return resources.sketch(opened.key, opened)


def _drawn_selection(session: Session, opened: OpenedCollection, look: object) -> list[int]:
    """Return the selection to draw into the map.

    A lasso is shown by the map itself; drawing it again would mount the map anew and lose the zoom. So the
    figure takes the selection up only when it changes for another reason.
    """
    look = (look, session.map_turn)
    if session.map_drawn != look:
        session.map_drawn, session.map_chosen = look, list(session.chosen)
    return [opened.index_by_id[item] for item in session.map_chosen if item in opened.index_by_id]


def _words(session: Session) -> str:
    if session.map_job is not None and session.map_job.pending:
        return ":material/progress_activity: The map is moving to this meaning of “similar” …"
    if session.layout is None and session.restored_places is None:
        return "A first sketch (principal axes)."
    return (
        "Near means alike; the lasso above selects a cloud. "
        "Gaps and sizes on a map (UMAP) can mislead; the ranking beside it is exact."
    )


def _fetch(session: Session, opened: OpenedCollection, plan: ContextPlan | None, context: Context | None) -> None:
    """Take over a finished layout, or start the one that is wanted; the last wish wins."""
    _take_over(session)
    if plan is not None and context is None:
        return
    key = (opened.key, plan)
    if session.restored_places is not None:
        _take_up_restored(session, opened, key)
    if key in session.layouts:
        session.layout = session.layouts[key]
    elif key not in session.layouts_failed and (session.map_job is None or session.map_wanted != key):
        if session.map_job is not None:
            session.map_job.cancel()
        session.map_wanted = key
        session.map_job = resources.layout_job(plan, opened, context, session.layout)
        # The sample's first map may have been laid out for an earlier visitor.
        _take_over(session)


def _take_up_restored(session: Session, opened: OpenedCollection, key: LayoutKey) -> None:
    """Go on from the map that was there before a restart."""
    from anchordiv.projection import Layout

    assert session.restored_places is not None
    ids = tuple(item.id for item in opened.collection.items)
    session.keep_layout(key, Layout(session.restored_places, ids, "umap"))
    session.restored_places = None


def _take_over(session: Session) -> None:
    job, key = session.map_job, session.map_wanted
    if job is None or key is None:
        return
    if job.pending:
        session.layout = job.partial or session.layout
        return
    if job.result is not None:
        session.keep_layout(key, job.result)
    elif job.state == "failed":
        session.layouts_failed.add(key)
        st.caption(f":material/error: {job.problem}")
    session.map_job = None


@st.cache_resource(max_entries=4, show_spinner=False)
def _names(key: str, _opened: OpenedCollection) -> list[str]:
    return [picture_name(_opened, index) for index in range(len(_opened.collection))]


def _groups(
    session: Session, opened: OpenedCollection, plan: ContextPlan | None, context: Context | None
) -> MapGroups | None:
    if plan is None or context is None:
        return None
    shown = session.shown_groups()
    shares = resources.group_shares(plan, opened.key, context, opened)
    marks = [session.groups.index(group) for group in shown]
    return MapGroups([group.name for group in shown], [group.colour for group in shown], shares, marks)


def _on_map() -> None:
    """Make a clicked point the query; a lasso becomes the selection."""
    session = current_session()
    said = told(f"{_KEY}-{session.map_turn}")
    points: list[dict[str, Any]] = list((said or {}).get("selection", {}).get("points", []))
    if session.opened is None:
        return
    items = session.opened.collection.items
    ids = [items[int(p["customdata"][0])].id for p in points if p.get("customdata")]
    if len(ids) == 1:
        session.ask_picture(ids[0])
    elif ids or session.chosen:
        session.choose(ids, on_map=True)
