"""Explore in reading order: the query, its neighbours, the map; and the short waits in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from anchordiv.errors import AnchordivError
from anchordiv.ui import controls, gallery, intake, mapview, neighbours, resources
from anchordiv.ui.elements import query_card
from anchordiv.ui.session import Session, current_session, push, told
from anchordiv.ui.waiting import wait_for

if TYPE_CHECKING:
    from anchordiv.contexts import Context
    from anchordiv.ui.jobs import Job
    from anchordiv.ui.neighbours import Answer
    from anchordiv.ui.session import ContextPlan
    from anchordiv.ui.thumbnails import OpenedCollection

LENSES: Final = {"context": "Your meaning", "cosine": "Plain cosine"}
VIEWS: Final = {"neighbours": "Neighbours", "all": "All pictures"}


def explore(session: Session) -> None:
    """Draw the whole page for what the session has chosen."""
    awaited = awaited_jobs()
    intake.first_collection(session)
    opened = session.opened
    if opened is None:
        _opening(session)
        return
    first_context(session, opened)
    plan = session.plan()
    context, problem = context_for(plan, opened) if intake.fits_encoder(session) else (None, "")
    with st.sidebar:
        controls.collection_card(session, opened)
        controls.context_card(session, opened, context)
        st.page_link("app.py", label="Start page", icon=":material/home:")
    intake.show_intake(session)
    intake.show_report(session)
    if problem:
        st.error(problem, icon=":material/error:")
    if not len(opened.collection):
        st.info("There is no picture here. Bring some with the button on the left.", icon=":material/photo_library:")
        return
    by_cosine = session.lens == "cosine" or plan is None
    _body(session, opened, None if by_cosine else plan, None if by_cosine else context)
    awaited += [] if session.map_job is None else [session.map_job]
    session.watch = wait_for("waiting", session.watch, awaited)


def _body(session: Session, opened: OpenedCollection, plan: ContextPlan | None, context: Context | None) -> None:
    answer = answer_to(session, opened, context, count=session.neighbours)
    _query_row(session, opened, answer, waiting=plan is not None and context is None)
    results, atlas = st.columns([1.3, 1], gap="large")
    with results:
        st.segmented_control(
            "Show", list(VIEWS), format_func=VIEWS.__getitem__, key=push("view", session.view), required=True,
            on_change=_set_view, label_visibility="collapsed",
        )  # fmt: skip
        if session.view == "all":
            gallery.all_pictures(session, opened)
        elif answer is not None:
            gallery.neighbour_grid(session, opened, answer)
    with atlas, st.container(key="atlas"):
        mapview.living_map(session, opened, plan, context, answer if session.view == "neighbours" else None)


def _opening(session: Session) -> None:
    st.markdown("### Opening your pictures")
    intake.show_intake(session)


def first_context(session: Session, opened: OpenedCollection) -> None:
    """Give the sample its first ready context if nothing was chosen yet."""
    ready = resources.ready()
    if opened.is_sample and session.context_untouched:
        session.use_ready(next(iter(ready)), ready)
        session.context_untouched = False


def context_for(plan: ContextPlan | None, opened: OpenedCollection) -> tuple[Context | None, str]:
    """Return the geometry of a plan, if it is there, and the sentence that says what is wrong with it."""
    if plan is None:
        return None, ""
    try:
        return resources.context_of(plan, opened), ""
    except AnchordivError as error:
        return None, str(error)


def answer_to(session: Session, opened: OpenedCollection, context: Context | None, *, count: int) -> Answer | None:
    """Return the query's neighbours, by the context or, without one, by plain cosine.

    Nothing if nothing is asked, or if words are asked before the encoder is there.
    """
    query, count = session.query, min(count, len(opened.collection))
    if query is None:
        return None
    if query.kind == "picture":
        index = opened.index_by_id[query.value]
        if context is None:
            return neighbours.by_cosine(opened, opened.collection.embeddings[index], k=count, leave_out=index)
        return neighbours.by_context(opened, context, index, k=count, divergence=session.divergence)
    words = resources.embed_words(query.value, opened)
    if words is None:
        return None
    vector, cut = words
    if context is None:
        return neighbours.by_cosine(opened, vector, k=count, leave_out=None, cut=cut)
    return neighbours.by_context(opened, context, vector, k=count, divergence=session.divergence, cut=cut)


def _query_row(session: Session, opened: OpenedCollection, answer: Answer | None, *, waiting: bool) -> None:
    left, right = st.columns([1.3, 1], gap="large", vertical_alignment="center")
    with left:
        query_card("query", _query_data(session, opened, answer, waiting=waiting))
    asked = session.query.value if session.query and session.query.kind == "text" else ""
    with right:
        st.segmented_control(
            "Similar by", list(LENSES), format_func=LENSES.__getitem__, key=push("lens", session.lens), required=True,
            on_change=_set_lens, help="Your meaning ranks by the context's divergence; cosine knows no context.",
        )  # fmt: skip
        st.text_input(
            "Ask with words", placeholder="or ask with words: a red boat", key=push("words", asked),
            on_change=_ask_words, label_visibility="collapsed", icon=":material/search:",
        )  # fmt: skip


def _query_data(
    session: Session, opened: OpenedCollection, answer: Answer | None, *, waiting: bool
) -> dict[str, object]:
    query = session.query
    data: dict[str, object] = {"url": "", "name": "", "kind": "Nothing is asked yet", "shares": [], "note": ""}
    if query is None:
        return data | {"note": "Click any picture to see what is similar to it."}
    if query.kind == "picture":
        index = opened.index_by_id[query.value]
        data |= {"url": opened.url(index), "name": controls.picture_name(opened, index), "kind": "Similar to"}
    else:
        data |= {"name": query.value, "kind": "Similar to these words"}
    if waiting or answer is None:
        return data | {"note": "The encoder is waking up; for a moment plain cosine decides."}
    if answer.cut:
        data["note"] = f"Too long for this encoder; these last words were not read: “{answer.cut}”."
    groups = session.shown_groups() if answer.by_context else []
    shares = sorted(zip(groups, answer.shares, strict=True), key=lambda pair: -pair[1])[:5]
    data["shares"] = [{"name": g.name, "colour": g.colour, "share": round(share, 4)} for g, share in shares]
    if not answer.by_context and not answer.cut:
        data["note"] = "Ranked by plain cosine, which knows nothing of your groups."
    return data


def _set_lens() -> None:
    current_session().lens = told("lens")


def _set_view() -> None:
    current_session().view = told("view")


def _ask_words() -> None:
    words = str(told("words") or "").strip()
    if words:
        current_session().ask_text(words)


def awaited_jobs() -> list[Job[Any]]:
    """Return the background work whose results this page is drawn without; ask before drawing."""
    job = resources.encoder_job()
    return [job] if job.pending else []
