"""The selection, wherever it was made: a row of its pictures and what can be done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from anchordiv.ui.controls import picture_name
from anchordiv.ui.elements import selection_tray
from anchordiv.ui.session import Session, current_session, event_of

if TYPE_CHECKING:
    from anchordiv.ui.thumbnails import OpenedCollection

_KEY: Final = "tray"
_SHOWN: Final = 40


def show_tray(session: Session, opened: OpenedCollection) -> None:
    """Draw the row at the bottom of the window; nothing is to be seen while nothing is selected."""
    known = [opened.index_by_id[item] for item in session.chosen if item in opened.index_by_id]
    items = [
        {"id": opened.collection.items[index].id, "url": opened.url(index), "name": picture_name(opened, index)}
        for index in known[:_SHOWN]
    ]
    groups = [{"id": group.id, "name": group.name, "colour": group.colour} for group in session.groups]
    data = {"items": items, "count": len(known), "total": len(opened.collection), "groups": groups}
    with st.container(key="selection"):
        selection_tray(_KEY, data, on_event=_on_tray)


def _on_tray() -> None:
    session, event = current_session(), event_of(_KEY)
    kind = event.get("kind")
    if kind == "drop":
        session.choose(item for item in session.chosen if item != event.get("id"))
    elif kind == "new_group":
        session.add_group("like these", pictures=session.chosen)
        session.choose(())
    elif kind == "add_to":
        session.change_group(str(event.get("group")), pictures=session.chosen)
        session.choose(())
    elif kind == "ask":
        session.ask_chosen()
    elif kind == "exclude":
        session.exclude_chosen()
    elif kind == "clear":
        session.choose(())
