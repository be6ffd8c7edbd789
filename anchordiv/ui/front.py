"""The front door: pictures at once, one try at what "similar" can mean, and the ways in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from anchordiv.ui import gallery, intake, resources
from anchordiv.ui.elements import picture_grid
from anchordiv.ui.explore import answer_to, awaited_jobs, context_for, first_context
from anchordiv.ui.session import Session, current_session, event_of, push, told
from anchordiv.ui.waiting import wait_for

if TYPE_CHECKING:
    from anchordiv.ui.thumbnails import OpenedCollection

COSINE: Final = "cosine"
_WALL_COLUMNS: Final = 7
_WALL: Final = 4 * _WALL_COLUMNS
_SHOWN: Final = 7
_NOTHING_TO_CHOOSE: Final = {"groups": [], "shareGroups": [], "chosen": [], "mayChoose": False}
_MEANINGS: Final = {
    COSINE: "Plain cosine", "object": "Same object", "style": "Same style", "colour": "Same colour"
}  # fmt: skip


def go_on_if_asked(session: Session) -> None:
    """Turn to Explore if that was asked for, before anything of this page is drawn.

    A page left half drawn can reach the browser after the next one began, which then shows nothing.
    """
    brought = session.intake_from_front and session.intake is None
    if brought:
        session.intake_from_front = False
    if session.bound_for_explore or (brought and session.arrived):
        session.bound_for_explore = False
        st.switch_page("pages/1_Explore.py")


def _enter() -> None:
    current_session().bound_for_explore = True


def front_door(session: Session) -> None:
    """Draw the front door."""
    awaited = awaited_jobs()
    intake.first_collection(session)
    intake.follow(session)
    left, right = st.columns([1, 1.35], gap="large", vertical_alignment="center")
    with left:
        _invitation(session)
    opened = session.opened
    if opened is None or not len(opened.collection):
        return
    with right:
        _wall(session, opened)
    first_context(session, opened)
    if opened.is_sample:
        _one_try(session, opened)
    session.watch = wait_for("waiting", session.watch, awaited)


def _invitation(session: Session) -> None:
    st.title("Say what “similar” means.")
    st.markdown(
        "Name a few groups in your own words, or point at pictures. "
        "The nearest neighbours and the map of your collection follow at once."
    )
    with st.container(horizontal=True):
        name = session.opened.collection.name if session.opened else ""
        label = f"Explore {name}".strip()
        st.button(label, type="primary", icon=":material/explore:", key="enter", on_click=_enter)
        intake.bring_button("Bring your own pictures", key="bring-front")
    st.caption("Everything runs on this computer; no picture leaves it.")
    if session.intake is not None:
        session.intake_from_front = True
        intake.show_intake(session)


def _wall(session: Session, opened: OpenedCollection) -> None:
    asked = session.query.value if session.query else ""
    order = gallery.mixed_order(opened) if opened.is_sample else range(len(opened.collection))
    items = [gallery.plain_item(opened, index, asked) | {"name": ""} for index in order[:_WALL]]
    data = {"items": items, "label": "Pictures of the collection", "tile": 60, "tight": True, "columns": _WALL_COLUMNS}
    picture_grid("wall", _NOTHING_TO_CHOOSE | data, on_event=lambda: _ask("wall"))


def _ask(grid: str) -> None:
    event = event_of(grid)
    if event.get("kind") == "ask":
        current_session().ask_picture(str(event["id"]))


def _one_try(session: Session, opened: OpenedCollection) -> None:
    """Show the same picture's neighbours under one meaning of "similar" at a time."""
    ready = resources.ready()
    offered = [COSINE, *(name for name in _MEANINGS if name in ready)]
    shown = session.context_name if session.lens == "context" and session.context_name in offered else COSINE
    st.markdown("#### The same picture, another meaning")
    st.segmented_control(
        "Similar means", offered, format_func=_MEANINGS.__getitem__, key=push("meaning", shown), required=True,
        on_change=_set_meaning, label_visibility="collapsed",
    )  # fmt: skip
    plan = session.plan() if shown != COSINE else None
    context, problem = context_for(plan, opened) if intake.fits_encoder(session) else (None, "")
    if problem:
        st.error(problem, icon=":material/error:")
    session.result_page = 1
    answer = answer_to(session, opened, plan, context, size=_SHOWN)
    query = session.query
    if answer is None or query is None or query.kind != "picture":
        return
    asked = gallery.plain_item(opened, opened.index_by_id[query.value], query.value)
    groups = session.shown_groups() if answer.by_context else []
    items = [asked, *(gallery.neighbour_item(opened, row, groups, by_context=answer.by_context) for row in answer.rows)]
    data = {"items": items, "label": "The picture and its nearest neighbours", "tile": 100, "columns": 1 + _SHOWN}
    shown_groups = [{"name": group.name, "colour": group.colour} for group in groups]
    picture_grid("try", _NOTHING_TO_CHOOSE | data | {"shareGroups": shown_groups}, on_event=lambda: _ask("try"))
    if plan is not None and context is None:
        st.caption("The encoder is waking up; for a moment plain cosine decides.")
    else:
        st.caption("The picture asked about, then its nearest ones. Click any other to ask about it.")


def _set_meaning() -> None:
    session, ready, meaning = current_session(), resources.ready(), told("meaning")
    if meaning == COSINE:
        session.lens = "cosine"
    elif ready and meaning in ready:
        session.use_ready(meaning, ready)
