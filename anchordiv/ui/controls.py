"""The side of Explore: the collection and what "similar" means."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from anchordiv.errors import StoreUnavailable
from anchordiv.ui import intake, resources
from anchordiv.ui.elements import anchor_cards
from anchordiv.ui.session import Group, Session, current_session, event_of, push, told

if TYPE_CHECKING:
    from anchordiv.contexts import Context
    from anchordiv.ui.thumbnails import OpenedCollection

STARTER_LABEL: Final = "starter: small, English, good for drawings and simple photographs"
MODELS: Final = {
    "prototype": "one mean per group (prototype)",
    "discriminant": "means, sharpened where groups differ (discriminant)",
    "empirical": "every example by itself (empirical)",
}
DIVERGENCES: Final = {
    "kl": "what the query is sure of, the picture must be sure of (KL)",
    "reverse_kl": "what the picture is sure of, the query must be sure of (reverse KL)",
    "jeffreys": "both ways (Jeffreys)",
    "bhattacharyya": "overlap of the two (Bhattacharyya)",
}
_STEPS: Final = (1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 30.0, 50.0, 80.0, 120.0, 200.0)
_CARDS: Final = "cards"
_LISTED: Final = 30
_SHARPNESS: Final = (
    (0.12, "very soft"), (0.45, "soft"), (0.99, "a little soft"), (1.01, "as trained"), (1.7, "a little sharp"),
    (3.0, "sharp"),
)  # fmt: skip


def collection_card(session: Session, opened: OpenedCollection) -> None:
    """Show which pictures these are, who turned them into vectors, and how to bring or go back to others."""
    with st.container(key="collection", gap="xsmall"):
        st.markdown(f"**{opened.collection.name}** · {len(opened.collection):,} pictures")
        st.caption(_encoder_words(), help=_counts())
        intake.bring_button("Bring your own pictures", key="bring", width="stretch")
        _other_collections(session, opened)


def _counts() -> str:
    """Say what has been encoded since the server started, and where it is kept."""
    encoder = resources.encoder()
    read, prompts = (encoder.images_read, encoder.texts_read) if encoder else (0, 0)
    place = resources.store().path
    kept = "nothing is kept when the app ends" if place == ":memory:" else f"kept in {place}"
    return f"Encoded since the app started: {read:,} pictures, {prompts:,} prompts; {kept}."


def _other_collections(session: Session, opened: OpenedCollection) -> None:
    try:
        own = resources.store().collections(session.owner) if session.owner else ()
    except StoreUnavailable:
        own = ()
    others = {one.id: f"{one.name} · {one.count:,}" for one in own[:_LISTED] if one.id != opened.kept_as}
    if not opened.is_sample:
        others = {"": "Atelier (sample)"} | others
    if others:
        st.selectbox(
            "Other collections", list(others), format_func=others.__getitem__, index=None, key=f"other-{opened.token}",
            placeholder="Go to another collection", label_visibility="collapsed", on_change=_open_other,
            args=(f"other-{opened.token}",),
        )  # fmt: skip


def _open_other(key: str) -> None:
    chosen = told(key)
    if chosen:
        intake.open_own(str(chosen))
    elif chosen == "":
        intake.open_sample()


def _encoder_words() -> str:
    job = resources.encoder_job()
    if job.state == "failed":
        return f"No encoder: {job.problem}"
    if job.result is None:
        return "Encoder: waking up …"
    card = job.result.card
    words = STARTER_LABEL if card.name == "starter" else f"{card.name}: {card.description}"
    return f"Encoder {words}. Computed on the {resources.computing_device()}."


def context_card(session: Session, opened: OpenedCollection, context: Context | None) -> None:
    """Show the groups of anchors as cards, the sharpness, and the rest under Advanced."""
    st.markdown("##### What does “similar” mean?")
    _ready_choice(session, opened)
    _saved_choice(session)
    anchor_cards(_CARDS, _cards_data(session, opened, context), on_event=_on_card)
    if session.plan() is None:
        st.caption("Two groups or more that are switched on give “similar” a meaning; until then plain cosine decides.")
    _sharpness(session)
    _saving(session)
    with st.expander("Advanced"):
        st.selectbox(
            "How examples become anchors (anchor model)", list(MODELS), format_func=MODELS.__getitem__,
            key=push("model", session.model), on_change=_set_model,
        )  # fmt: skip
        st.selectbox(
            "How two pictures are compared (divergence)", list(DIVERGENCES), format_func=DIVERGENCES.__getitem__,
            key=push("divergence", session.divergence), on_change=_set_divergence,
        )  # fmt: skip


def _ready_choice(session: Session, opened: OpenedCollection) -> None:
    ready = resources.ready() if opened.is_sample else None
    if not ready:
        return
    value = session.context_name if session.context_name in ready else None
    st.pills(
        "Ready-made contexts", list(ready), format_func=str.capitalize, label_visibility="collapsed",
        key=push("ready", value), on_change=_use_ready,
    )  # fmt: skip


def _use_ready() -> None:
    ready, name = resources.ready(), told("ready")
    if ready and name in ready:
        current_session().use_ready(name, ready)


def _saved_choice(session: Session) -> None:
    saved = _saved(session)
    if saved:
        st.selectbox(
            "Saved contexts", list(saved), index=None, key="saved", placeholder="Take a context you saved",
            label_visibility="collapsed", on_change=_use_saved,
        )  # fmt: skip


def _saved(session: Session) -> dict[str, Any]:
    try:
        return resources.store().contexts(session.owner) if session.owner else {}
    except StoreUnavailable:
        return {}


def _use_saved() -> None:
    session, name = current_session(), told("saved")
    saved = _saved(session)
    if name in saved:
        session.use_saved(str(name), [Group(**group) for group in saved[name]])
        st.session_state["saved"] = None


def _saving(session: Session) -> None:
    """Offer to keep the groups under a name, or to forget one that is kept."""
    if not session.owner or session.plan() is None:
        return
    with st.popover("Save this context", icon=":material/bookmark:", width="stretch", key="save"):
        st.text_input("Name", key="save-name", placeholder="photo or drawing", max_chars=60, on_change=_save)
        st.button(
            "Save", key="save-context", type="primary", on_click=_save, disabled=not st.session_state["save-name"]
        )
        for name in _saved(session):
            st.button(f"Forget “{name}”", key=f"forget-{name}", type="tertiary", on_click=_forget, args=(name,))


def _save() -> None:
    session, name = current_session(), str(told("save-name") or "").strip()
    if name:
        resources.store().keep_context(session.owner, name, [asdict(group) for group in session.groups])
        session.context_name = name
        st.session_state["save-name"] = ""
        st.toast(f"“{name}” is saved.", icon=":material/bookmark_added:")


def _forget(name: str) -> None:
    resources.store().forget_context(current_session().owner, name)


def _set_model() -> None:
    session = current_session()
    session.model, session.result_page = told("model"), 1


def _set_divergence() -> None:
    session = current_session()
    session.divergence, session.result_page = told("divergence"), 1


def _sharpness(session: Session) -> None:
    encoder = resources.encoder()
    own = round(encoder.concentration, 1) if encoder else 50.0
    value = session.concentration or own
    st.select_slider(
        "Softer ↔ sharper (higher concentration κ)",
        sorted({*_STEPS, own, value}),
        format_func=lambda kappa: f"{_sharpness_word(kappa / own)} · κ {kappa:g}",
        key=push("sharpness", value),
        on_change=_set_sharpness,
        help="Softer: many pictures count as alike. Sharper: a picture must agree on the same group to count.",
    )


def _sharpness_word(ratio: float) -> str:
    """Say how sharp a concentration is beside the encoder's own."""
    return next((word for most, word in _SHARPNESS if ratio <= most), "very sharp")


def _set_sharpness() -> None:
    encoder, value = resources.encoder(), float(told("sharpness"))
    own = round(encoder.concentration, 1) if encoder else None
    current_session().concentration = None if value == own else value


def _cards_data(session: Session, opened: OpenedCollection, context: Context | None) -> dict[str, Any]:
    cut = dict(context.cut_words) if context is not None else {}
    groups = [
        {
            "id": group.id,
            "name": group.name,
            "colour": group.colour,
            "weight": group.weight,
            "on": group.on,
            "texts": [{"text": text, "cut": cut.get(text, "")} for text in group.texts],
            "pictures": [
                {"id": opened.collection.items[index].id, "url": opened.url(index), "name": picture_name(opened, index)}
                for index in (opened.index_by_id[item] for item in group.pictures if item in opened.index_by_id)
            ],
        }
        for group in session.groups
    ]
    return {"groups": groups, "chosen": len(session.chosen)}


def _on_card() -> None:
    session, event = current_session(), event_of(_CARDS)
    kind, group = event.get("kind"), str(event.get("group", ""))
    if kind == "add_text":
        session.change_group(group, add=[event["text"]])
    elif kind == "remove_text":
        session.change_group(group, drop=event["text"])
    elif kind == "remove_picture":
        session.change_group(group, drop=event["id"])
    elif kind == "rename":
        session.change_group(group, name=event["name"])
    elif kind == "remove_group":
        session.remove_group(group)
    elif kind == "new_group":
        session.add_group(event["text"][:40], texts=[event["text"]])
    elif kind == "add_selected":
        session.change_group(group, pictures=session.chosen)
        session.choose(())
    elif kind == "weigh":
        session.weigh_group(group, float(event["weight"]))
    elif kind == "switch":
        session.switch_group(group, on=bool(event["on"]))
    elif kind == "recolour":
        session.colour_group(group, str(event["colour"]))


def picture_name(opened: OpenedCollection, index: int) -> str:
    """Return what a picture is called on the page: without its folder, and in the sample without its layout."""
    name = opened.collection.items[index].name
    return name.rsplit(", ", 1)[0] if opened.is_sample else name.rsplit("/", 1)[-1]
