"""Asking from outside the collection: words, or a picture dropped or pasted into the ask bar."""

from __future__ import annotations

from typing import Final

import streamlit as st

from anchordiv.ui import resources
from anchordiv.ui.session import Query, Session, current_session, told

_KEY: Final = "ask"
_LARGEST_MB: Final = 256


def ask_bar() -> None:
    """Draw the one line in which a person asks."""
    st.chat_input(
        "Words, or drop a picture",
        key=_KEY,
        accept_file=True,
        max_upload_size=_LARGEST_MB,
        on_submit=_ask,
    )


def _ask() -> None:
    said, session = told(_KEY), current_session()
    files = [] if said is None or isinstance(said, str) else list(said.files)
    words = str(said if isinstance(said, str) else getattr(said, "text", "") or "").strip()
    session.drop_problem = ""
    if files:
        session.dropping = (files[0].name, files[0].getvalue())
    elif words:
        session.ask_text(words)


def take_in(session: Session) -> None:
    """Make the picture that was dropped the query, as soon as the encoder is there."""
    if session.dropping is None:
        return
    name, data = session.dropping
    opened = resources.dropped_picture(name, data)
    if opened is None:
        return
    session.dropping = None
    collection = opened.collection
    if len(collection):
        session.dropped = opened
        session.ask(Query("dropped", collection.items[0].id))
    else:
        reasons = [f"{rejected} cannot be asked about: {reason}." for rejected, reason in collection.report.rejected]
        session.drop_problem = reasons[0] if reasons else f"{name} is not a picture."
