"""Grids of pictures: neighbours of a query, or everything; what a click or a selection does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from anchordiv.ui.controls import picture_name
from anchordiv.ui.elements import picture_grid
from anchordiv.ui.session import Session, current_session, event_of, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anchordiv.ui.neighbours import Answer, Row
    from anchordiv.ui.session import Group
    from anchordiv.ui.thumbnails import OpenedCollection

PAGE: Final = 60
MORE: Final = 24


def neighbour_grid(session: Session, opened: OpenedCollection, answer: Answer) -> None:
    """Show the neighbours in order, each with its bars and its move against cosine."""
    groups = session.shown_groups() if answer.by_context else []
    items = [neighbour_item(opened, row, groups) for row in answer.rows]
    _grid("neighbours", session, items, groups, "Nearest pictures, nearest first", tile=98)
    if len(answer.rows) >= session.neighbours and session.neighbours < len(opened.collection) - 1:
        with st.container(horizontal=True, horizontal_alignment="center"):
            st.button("Show more", on_click=_more, type="tertiary", icon=":material/expand_more:", key="more")


def _more() -> None:
    current_session().neighbours += MORE


def all_pictures(session: Session, opened: OpenedCollection) -> None:
    """Show everything, a page at a time; the sample in a mixed order, others as they came."""
    order = mixed_order(opened) if opened.is_sample else range(len(opened.collection))
    pages = max(1, -(-len(order) // PAGE))
    session.page = min(session.page, pages)
    here = order[(session.page - 1) * PAGE : session.page * PAGE]
    asked = session.query.value if session.query else ""
    items = [plain_item(opened, index, asked) for index in here]
    _grid("all", session, items, [], "All pictures", tile=104)
    if pages > 1:
        with st.container(horizontal=True, horizontal_alignment="center"):
            key = f"page-{opened.token}"
            st.pagination(pages, default=session.page, key=key, on_change=_turn, args=(key,))


def _turn(key: str) -> None:
    current_session().page = int(told(key) or 1)


def mixed_order(opened: OpenedCollection) -> Sequence[int]:
    """Return the indices in an order that mixes everything and is the same every time: by content hash."""
    return sorted(range(len(opened.collection)), key=lambda index: opened.collection.items[index].id)


def _grid(
    key: str, session: Session, items: list[dict[str, Any]], groups: Sequence[Group], label: str, *, tile: int
) -> None:
    data = {
        "items": items,
        "groups": [{"id": group.id, "name": group.name, "colour": group.colour} for group in session.groups],
        "shareGroups": [{"name": group.name, "colour": group.colour} for group in groups],
        "chosen": session.chosen,
        "label": label,
        "tile": tile,
    }
    picture_grid(key, data, on_event=lambda: on_grid(key))


def plain_item(opened: OpenedCollection, index: int, asked: str) -> dict[str, Any]:
    """Describe a picture for the grid: its address, its name, what is read aloud."""
    name = picture_name(opened, index)
    item = opened.collection.items[index]
    return {
        "id": item.id,
        "url": opened.url(index),
        "name": name,
        "alt": name,
        "spoken": f"{name}. Make it the query.",
        "hint": f"{name}\nClick: make it the query",
        "rank": None,
        "query": item.id == asked,
    }


def neighbour_item(opened: OpenedCollection, row: Row, groups: Sequence[Group]) -> dict[str, Any]:
    """Describe a neighbour for the grid, with its rank, its posterior and its move against cosine."""
    item = plain_item(opened, row.index, "")
    item["rank"] = row.rank
    spoken = [f"Rank {row.rank}: {item['name']}."]
    if row.shares and groups:
        best = max(range(len(groups)), key=lambda g: row.shares[g])
        item["shares"] = [round(share, 4) for share in row.shares]
        item["top"] = f"{groups[best].name} {round(100 * row.shares[best])} %"
        spoken.append(f"{item['top']}.")
    if row.cosine_rank is not None:
        item |= _move(row.cosine_rank - row.rank, row.cosine_rank)
        spoken.append(f"{item['moveHint']}.")
    item["spoken"] = " ".join([*spoken, "Make it the query."])
    item["hint"] = "\n".join([*spoken, "Click: make it the query"])
    return item


def _move(change: int, cosine_rank: int) -> dict[str, str]:
    under = f"rank {cosine_rank:,} under plain cosine"
    if change > 0:
        return {"move": f"▲ {change:,}", "way": "up", "moveHint": f"Up {change:,} places, {under}"}
    if change < 0:
        return {"move": f"▼ {-change:,}", "way": "down", "moveHint": f"Down {-change:,} places, {under}"}
    return {"move": "=", "way": "", "moveHint": f"Same place, {under}"}


def on_grid(key: str) -> None:
    """Carry out what a person did in a grid."""
    session, event = current_session(), event_of(key)
    kind, ids = event.get("kind"), [str(item) for item in event.get("ids", [])]
    if kind == "ask":
        session.ask_picture(str(event["id"]))
    elif kind == "select":
        session.chosen = ids
    elif kind == "add_to":
        session.change_group(str(event["group"]), pictures=ids)
        session.chosen = []
    elif kind == "new_group":
        session.add_group("like these", pictures=ids)
        session.chosen = []
