"""Explore in reading order: the query, its neighbours, the map; and the short waits in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from anchordiv.errors import AnchordivError
from anchordiv.ui import controls, dropped, gallery, intake, mapview, neighbours, resources, tray
from anchordiv.ui.elements import query_card
from anchordiv.ui.neighbours import Asked
from anchordiv.ui.session import Session, current_session, push, told
from anchordiv.ui.waiting import wait_for

if TYPE_CHECKING:
    from anchordiv.contexts import Context
    from anchordiv.ui.jobs import Job
    from anchordiv.ui.neighbours import Answer
    from anchordiv.ui.session import ContextPlan, Query
    from anchordiv.ui.thumbnails import OpenedCollection

LENSES: Final = {"context": "Your meaning", "cosine": "Plain cosine"}
VIEWS: Final = {"grid": "Neighbours", "list": "As a list", "all": "All pictures"}


def explore(session: Session) -> None:
    """Draw the whole page for what the session has chosen."""
    awaited = awaited_jobs()
    intake.first_collection(session)
    intake.follow(session)
    opened = session.opened
    if opened is None:
        _opening(session)
        return
    first_context(session, opened)
    dropped.take_in(session)
    plan = session.plan()
    context, problem = context_for(plan, opened) if intake.fits_encoder(session) else (None, "")
    with st.sidebar:
        controls.collection_card(session, opened)
        controls.context_card(session, opened, context)
        st.page_link("app.py", label="Start page", icon=":material/home:")
    intake.show_intake(session)
    intake.show_report(session)
    for sentence in filter(None, (problem, session.drop_problem, resources.store_problem())):
        st.error(sentence, icon=":material/error:")
    if not len(opened.collection):
        _nothing_here()
        return
    _body(session, opened, plan, context)
    tray.show_tray(session, opened)
    awaited += [] if session.map_job is None else [session.map_job]
    session.watch = wait_for("waiting", session.watch, awaited)


def _nothing_here() -> None:
    with st.container(border=True, key="nothing", horizontal_alignment="center"):
        st.markdown("#### :material/photo_library: There is no picture here")
        st.caption("Nothing of what was brought could be read as a picture. The reasons are listed above.")
        with st.container(horizontal=True, horizontal_alignment="center"):
            intake.bring_button("Bring other pictures", key="bring-other")
            st.button("Back to Atelier", on_click=intake.open_sample, key="back", icon=":material/undo:")


def _body(session: Session, opened: OpenedCollection, plan: ContextPlan | None, context: Context | None) -> None:
    answer = answer_to(session, opened, plan, context)
    _query_row(session, opened, answer, waiting=plan is not None and context is None)
    results, atlas = st.columns([1.3, 1], gap="large")
    with results:
        st.segmented_control(
            "Show", list(VIEWS), format_func=VIEWS.__getitem__, key=push("view", session.view), required=True,
            on_change=_set_view, label_visibility="collapsed",
        )  # fmt: skip
        if session.excluded:
            count = len(session.excluded)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(f"{count:,} excluded")
                st.button("Bring back", on_click=_bring_back, type="tertiary", icon=":material/undo:", key="bring-back")
        if session.view == "all":
            gallery.all_pictures(session, opened)
        elif answer is not None:
            gallery.neighbour_grid(session, opened, answer)
    with atlas, st.container(key="atlas"):
        by_cosine = session.lens == "cosine" or plan is None
        shown = answer if session.view != "all" else None
        mapview.living_map(session, opened, None if by_cosine else plan, None if by_cosine else context, shown)


def _bring_back() -> None:
    current_session().bring_back()


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


def answer_to(
    session: Session,
    opened: OpenedCollection,
    plan: ContextPlan | None,
    context: Context | None,
    *,
    size: int = neighbours.PAGE,
) -> Answer | None:
    """Return a page of the query's neighbours, by the context or by plain cosine, beside the other ranking.

    Nothing if nothing is asked, or if words are asked before the encoder is there.
    """
    asked = _asked(session, opened)
    if asked is None:
        return None
    if plan is None or context is None:
        return neighbours.by_cosine(opened, asked, page=session.result_page, size=size)
    return neighbours.with_context(
        opened,
        context,
        asked,
        resources.group_shares(plan, opened.key, context, opened),
        divergence=session.divergence,
        by_context=session.lens == "context",
        page=session.result_page,
        size=size,
    )


def _asked(session: Session, opened: OpenedCollection) -> Asked | None:
    query, cut = session.query, ""
    hidden = [opened.index_by_id[item] for item in session.excluded if item in opened.index_by_id]
    embeddings = opened.collection.embeddings
    if query is None:
        return None
    if query.kind in ("picture", "mean"):
        own = [opened.index_by_id[item] for item in (query.ids or (query.value,))]
        middle = embeddings[own].mean(axis=0)
        vector = embeddings[own[0]] if len(own) == 1 else middle / max(float((middle**2).sum()) ** 0.5, 1e-12)
        return Asked(vector, own, "", hidden)
    if query.kind == "dropped":
        if session.dropped is None:
            return None
        # The same picture may also be in the collection; it is not its own neighbour.
        same = [opened.index_by_id[query.value]] if query.value in opened.index_by_id else []
        return Asked(session.dropped.collection.embeddings[0], same, "", hidden)
    words = resources.embed_words(query.value, opened)
    if words is None:
        return None
    vector, cut = words
    return Asked(vector, (), cut, hidden)


def _query_row(session: Session, opened: OpenedCollection, answer: Answer | None, *, waiting: bool) -> None:
    left, right = st.columns([1.3, 1], gap="large", vertical_alignment="center")
    with left:
        query_card("query", _query_data(session, opened, answer, waiting=waiting))
    with right:
        st.segmented_control(
            "Similar by", list(LENSES), format_func=LENSES.__getitem__, key=push("lens", session.lens), required=True,
            on_change=_set_lens, help="Your meaning ranks by the context's divergence; cosine knows no context.",
        )  # fmt: skip
        dropped.ask_bar()


def _query_data(
    session: Session, opened: OpenedCollection, answer: Answer | None, *, waiting: bool
) -> dict[str, object]:
    query = session.query
    data: dict[str, object] = {"url": "", "name": "", "kind": "Nothing is asked yet", "shares": [], "note": ""}
    if query is None:
        return data | {"note": "Click any picture to see what is similar to it."}
    data |= _query_face(session, opened, query)
    if answer is None or waiting:
        return data | {"note": "The encoder is waking up; for a moment plain cosine decides."}
    if answer.cut:
        data["note"] = f"Too long for this encoder; these last words were not read: “{answer.cut}”."
    groups = session.shown_groups() if answer.by_context else []
    shares = sorted(zip(groups, answer.shares, strict=False), key=lambda pair: -pair[1])[:5]
    data["shares"] = [{"name": g.name, "colour": g.colour, "share": round(share, 4)} for g, share in shares]
    if answer.by_context and not answer.cut:
        data["note"] = _query_note(opened, query)
    if not answer.by_context and not answer.cut:
        fewer = "Fewer than two groups take part, so plain cosine ranks."
        knows = "Ranked by plain cosine, which knows nothing of your groups."
        data["note"] = fewer if session.plan() is None else knows
    return data


def _query_note(opened: OpenedCollection, query: Query) -> str:
    if query.kind == "text":
        return "Only what your groups tell apart counts here; plain cosine takes the words as they are."
    if query.kind == "dropped" and query.value in opened.index_by_id:
        name = controls.picture_name(opened, opened.index_by_id[query.value])
        return f"It is in the collection too, as {name}, which is left out as itself."
    return ""


def _query_face(session: Session, opened: OpenedCollection, query: Query) -> dict[str, object]:
    if query.kind == "dropped" and session.dropped is not None:
        return {"url": session.dropped.url(0), "name": session.dropped.collection.items[0].name, "kind": "Similar to"}
    if query.kind == "picture":
        index = opened.index_by_id[query.value]
        return {"url": opened.url(index), "name": controls.picture_name(opened, index), "kind": "Similar to"}
    if query.kind == "mean":
        return {"name": f"{len(query.ids):,} pictures", "kind": "Similar to the middle of your selection"}
    return {"name": query.value, "kind": "Similar to these words"}


def _set_lens() -> None:
    session = current_session()
    session.lens, session.result_page = told("lens"), 1


def _set_view() -> None:
    current_session().view = told("view")


def awaited_jobs() -> list[Job[Any]]:
    """Return the background work whose results this page is drawn without; ask before drawing."""
    job = resources.encoder_job()
    return [job] if job.pending else []
